/// What a stream tells its host.
public enum StreamNotice: Equatable, Sendable {
    case batch(StreamBatch)
    // One batch in the sequence of `StreamSpec.Delivery.delegate`. A row that moved is deleted and added there.
    case willChange
    case deleted([StreamBatch.Entry])
    case added([StreamBatch.Entry])
    case changed([StreamBatch.Entry])
    case didChange
    /// The first rows are loaded and shown, or cannot be loaded.
    case loaded(StreamFailure?)

    public var type: StaticString {
        switch self {
        case .batch: "stream_batch"
        case .willChange: "stream_will_change"
        case .deleted: "stream_deleted"
        case .added: "stream_added"
        case .changed: "stream_changed"
        case .didChange: "stream_did_change"
        case .loaded: "stream_loaded"
        }
    }
}

extension StreamBatch {
    /// The batch as events, in the delivery that the host has chosen. A list that begins again is one event in any
    /// case.
    public func notices(_ delivery: StreamSpec.Delivery) -> [StreamNotice] {
        guard delivery == .delegate, !isReset else { return [.batch(self)] }
        let left = moved.map { Entry($0.from ?? $0.path, key: $0.key, json: []) }
        let came = moved.map { Entry($0.path, key: $0.key, json: $0.json) }
        let gone = (deleted + left).sorted { $0.path < $1.path }
        let new = (added + came).sorted { $0.path < $1.path }
        var notices: [StreamNotice] = [.willChange]
        if !gone.isEmpty { notices.append(.deleted(gone)) }
        if !new.isEmpty { notices.append(.added(new)) }
        if !changed.isEmpty { notices.append(.changed(changed)) }
        return notices + [.didChange]
    }
}
