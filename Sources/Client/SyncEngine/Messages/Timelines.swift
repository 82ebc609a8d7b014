import SyncModel

/// The timelines of all channels and threads that collections show.
struct Timelines {
    private var all: [HistoryID: Timeline] = [:]
    /// In a fixed order, so that a run repeats: a channel before its threads.
    private var byChannel: [ChannelURL: [Timeline]] = [:]

    subscript(id: HistoryID) -> Timeline? {
        get { all[id] }
        set {
            all[id] = newValue
            var others = (byChannel[id.channelURL] ?? []).filter { $0.id != id }
            if let newValue { others.append(newValue) }
            others.sort { $0.id < $1.id }
            byChannel[id.channelURL] = others.isEmpty ? nil : others
        }
    }

    /// The timelines of a channel and its threads.
    func of(_ channelURL: ChannelURL) -> [Timeline] { byChannel[channelURL] ?? [] }

    var sorted: [Timeline] { all.values.sorted { $0.id < $1.id } }

    /// A host waits for messages of some channel or thread.
    var areAwaited: Bool { all.values.contains { $0.windows.isAwaited } }

    var isBusy: Bool { all.values.contains { $0.isBusy } }
}
