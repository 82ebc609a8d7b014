/// What all network links of the thread share: the event loop, a buffer for reading, and the list of those with output.
public final class WebSocketPool {
    let loop: EventLoop
    /// Scratch space for reading.
    var input = [UInt8](repeating: 0, count: 64 << 10)

    private var waiting: [WebSocketLink] = []

    public init(loop: EventLoop) { self.loop = loop }

    /// The link's output is to be written at the end of this round.
    func flushLater(_ link: WebSocketLink) {
        guard !link.isWaitingForFlush else { return }
        link.isWaitingForFlush = true
        waiting.append(link)
    }

    /// Writes what this round has queued.
    public func flush() {
        while !waiting.isEmpty {
            let round = waiting
            waiting = []
            for link in round {
                link.isWaitingForFlush = false
                link.flush()
            }
        }
    }
}
