import ServerBase

/// One client's socket as the chat sees it: whose it is, and whether it still takes part. How its texts travel is its
/// link's matter.
public final class ChatSocket: SocketOwner {
    public let userID: String
    /// Its place in the order of opening.
    public let number: Int
    /// When its session key runs out, in milliseconds since the epoch; 0 when it never does, or the client was told.
    public private(set) var keyExpiresAt: Int64 = 0
    /// Whether the closing has begun; nothing more is delivered then.
    public private(set) var isEnding = false

    private let link: any SocketLink
    private unowned let hub: SocketHub
    private var lastHeard: Int64
    private var isClosed = false

    /// How long a peer may take to answer a close frame.
    private static let closingTime: Int64 = 2000

    public init(link: any SocketLink, userID: String, number: Int, hub: SocketHub) {
        self.link = link
        self.userID = userID
        self.number = number
        self.hub = hub
        lastHeard = hub.clock.monotonic()
    }

    /// Starts to listen, also to what came with the handshake.
    public func open() { link.open(self) }

    /// Sends a command.
    public func send(_ frame: [UInt8]) {
        guard !isEnding else { return }
        link.send(frame)
    }

    /// Sends a close frame; the connection ends when the peer has answered, or after a while.
    public func end(code: UInt16, reason: String = "") {
        guard !isEnding else { return }
        link.sendClose(code: code, reason: Array(reason.utf8.prefix(120)))
        endSoon()
    }

    /// Ends the connection at once.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        isEnding = true
        link.close()
        hub.closed(self)
    }

    /// Whether nothing came for that long.
    public func isSilent(for milliseconds: Int64) -> Bool { hub.clock.monotonic() &- lastHeard > milliseconds }

    public func ping() {
        guard !isEnding else { return }
        link.ping()
    }

    /// The socket goes by a session key that runs out at a time; 0 is never.
    public func holdsKey(expiringAt time: Int64) { keyExpiresAt = time }

    /// Tells that the session key has run out, if it has by now and the client was not told yet.
    public func tellExpiry(by now: Int64) {
        guard keyExpiresAt > 0, keyExpiresAt <= now else { return }
        keyExpiresAt = 0
        send(Frames.frame("EXPR", .object(["expires_in": 0])))
    }

    private func endSoon() {
        isEnding = true
        hub.timers.after(ChatSocket.closingTime) { [weak self] in self?.close() }
    }

    // MARK: What the link tells

    /// Something came from the peer, whatever it was.
    public func heard() { lastHeard = hub.clock.monotonic() }

    public func received(_ text: [UInt8]) { if !isEnding { hub.onText(text, self) } }

    /// A close frame came; the link answers it and closes when the answer is out.
    public func peerCloses() { isEnding = true }

    /// The link has sent a close frame by itself, because the peer broke the protocol.
    public func breaksProtocol() { if !isEnding { endSoon() } }
}
