import ServerHTTP

/// The client's end of an event stream of `InProcessServer`. Used by one thread at a time, within the life of its
/// server.
public final class InProcessStream {
    /// Whether the server has said that the stream is complete.
    public private(set) var isEnded = false
    /// Whether the connection is gone: broken, ended, or closed by the client.
    public private(set) var isClosed = false

    private var bytes: [UInt8] = []
    private var closing: [() -> Void] = []

    init() {}

    /// The bytes of the body that have come since they were last taken.
    public func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// The client goes away.
    public func closeByClient() { close() }

    private func close() {
        guard !isClosed else { return }
        isClosed = true
        for action in closing { action() }
        closing = []
    }
}

extension InProcessStream: EventLink {
    public func send(_ bytes: [UInt8]) { if !isClosed { self.bytes += bytes } }
    public func end() {
        isEnded = true
        close()
    }
    public func drop() {
        bytes = []
        close()
    }
    public func onClose(_ action: @escaping () -> Void) { closing.append(action) }
}
