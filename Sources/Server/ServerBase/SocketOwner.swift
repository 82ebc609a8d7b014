/// Who a socket belongs to, as its link sees it.
public protocol SocketOwner: AnyObject {
    /// Something came from the peer, whatever it was.
    func heard()
    /// A text came.
    func received(_ text: [UInt8])
    /// A close frame came; the link answers it and closes when the answer is out.
    func peerCloses()
    /// The link has sent a close frame by itself, because the peer broke the protocol.
    func breaksProtocol()
    /// Ends the connection at once, and the link with it.
    func close()
}
