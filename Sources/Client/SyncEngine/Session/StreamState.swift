import SyncModel

/// Whether what the stream of a service has told is stored (`StreamPoint`), so that pages may be taken in.
enum StreamState: Equatable {
    case goesOn
    /// Something could not be stored, and was not told again yet: pages wait for the repeat.
    case awaitsRepeat
    /// The chunks in the file may not be complete any more, and no batch has come since: pages wait for one.
    case broken
}

extension Context {
    /// Nobody tells which channels came, changed or went before this session: the service never tells, or its stream
    /// did not go on.
    var knowsChannelsByListing: Bool {
        switch capabilities.channelChanges {
        case .log: false
        case .asked: true
        case .inStream: stream == .broken
        }
    }
}
