/// How a socket's texts travel: over a network connection, or within the process. It knows framing, not chat.
///
/// A link calls its `SocketOwner`: `heard` for any sign of life, `received` for a text, `peerCloses` for a close frame,
/// `breaksProtocol` when it has sent a close frame itself since the peer broke the protocol, `close` at the end.
public protocol SocketLink: AnyObject {
    /// Starts to deliver to the socket, also what has come in before. Called once; the greeting may have been sent
    /// before it.
    func open(_ owner: any SocketOwner)
    /// Sends one text, after those before it.
    func send(_ text: [UInt8])
    /// Asks the peer for a sign of life, which any WebSocket library gives by itself.
    func ping()
    /// Sends a close frame after what was sent before.
    func sendClose(code: UInt16, reason: [UInt8])
    /// Ends the connection at once. Nothing is delivered any more.
    func close()
}
