import SyncModel

/// What the network brought. Numbers are those of the outputs they answer.
public enum DatabaseInput: Sendable {
    case response(id: UInt64, TransportResponse)
    case requestFailed(id: UInt64, TransportFailure)
    /// The stream has begun: its answer has status 200.
    case streamOpened(id: UInt64)
    case streamBytes(id: UInt64, [UInt8])
    /// The stream was answered with another status; this is all that comes of it.
    case streamRefused(id: UInt64, TransportResponse)
    /// The stream is over, by a failure or complete. Nothing more comes of it.
    case streamEnded(id: UInt64, TransportFailure?)
}
