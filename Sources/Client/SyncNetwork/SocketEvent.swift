/// The events of a WebSocket, in order: `opened` at most once, messages, then `closed` exactly once and last.
public enum SocketEvent: Sendable {
    case opened
    /// One whole message: valid UTF-8 if the peer sent it as text, any bytes if as binary.
    case text([UInt8])
    /// Kind `closed` with the peer's code after a closing handshake that either side began; else why it ended.
    case closed(NetworkFailure)
}
