import SyncModel

/// The requests to `/sync`, one after the other: from where the next one goes on, and what has come of the present one.
struct MatrixStream {
    private enum State {
        case closed
        /// `stream`: the transport's number. `deadline`: when something of the answer must have come.
        case asked(stream: UInt64, deadline: Int64)
        /// The next request is due at this time.
        case waits(until: Int64)
    }

    enum Due { case nothing, poll, silent }

    private var state = State.closed
    /// From where the stream goes on; `nil`: it has not begun.
    private(set) var since: String?
    /// The server has answered once.
    private(set) var isOnline = false
    private var bytes: [UInt8] = []
    private var lastStream: UInt64 = 0

    /// How long the server may wait for news before it answers with nothing.
    private static let wait: Int64 = 30_000
    /// How long after that the answer may take to begin; the first one of a large account takes minutes to be made.
    private static let patience: Int64 = 20_000
    private static let firstPatience: Int64 = 300_000
    /// Time for more bytes of an answer that has begun.
    private static let pause: Int64 = 60_000
    /// A server that answers at once without news is asked again after this.
    private static let shortest: Int64 = 1_000

    var isOpen: Bool { if case .closed = state { false } else { true } }

    mutating func begin(since: String?) {
        (self.since, isOnline, bytes) = (since, false, [])
        state = .waits(until: Int64.min)
    }

    /// Goes on from another point in the same session.
    mutating func goOn(since: String?) {
        self.since = since
        state = .waits(until: Int64.min)
    }

    mutating func close() { (state, isOnline, since, bytes) = (.closed, false, nil, []) }

    /// Ends the present request; gives its number if there is one.
    mutating func stop() -> UInt64? {
        guard case .asked(let stream, _) = state else { return nil }
        state = .waits(until: Int64.max)
        bytes = []
        return stream
    }

    /// Begins the next request.
    mutating func poll(_ now: Moment) -> (stream: UInt64, since: String?, wait: Int64, timeout: Int64) {
        lastStream += 1
        bytes = []
        let wait = isOnline ? MatrixStream.wait : 0
        let timeout = wait + (since == nil ? MatrixStream.firstPatience : MatrixStream.patience)
        state = .asked(stream: lastStream, deadline: now.monotonic.addingClamped(timeout))
        return (lastStream, since, wait, timeout)
    }

    /// Bytes of the answer. `false`: it is too large.
    mutating func take(_ more: [UInt8], of stream: UInt64, now: Int64) -> Bool {
        guard case .asked(stream, let deadline) = state else { return true }
        guard bytes.count + more.count <= TransportRequest.answerLimit else { return false }
        bytes += more
        state = .asked(stream: stream, deadline: max(deadline, now.addingClamped(MatrixStream.pause)))
        return true
    }

    /// The answer is over; gives it if it is that to the present request.
    mutating func ended(_ stream: UInt64) -> [UInt8]? {
        guard case .asked(stream, _) = state else { return nil }
        state = .waits(until: Int64.max)
        defer { bytes = [] }
        return bytes
    }

    /// An answer was taken in.
    mutating func heard(next: String, hasNews: Bool, _ now: Moment) {
        since = next
        isOnline = true
        state = .waits(until: hasNews ? Int64.min : now.monotonic.addingClamped(MatrixStream.shortest))
    }

    var deadline: Int64? {
        switch state {
        case .closed: nil
        case .asked(_, let deadline): deadline
        case .waits(let until): until == Int64.max ? nil : until
        }
    }

    func due(_ now: Moment) -> Due {
        switch state {
        case .closed: .nothing
        case .asked(_, let deadline): deadline <= now.heard ? .silent : .nothing
        case .waits(let until): until <= now.monotonic ? .poll : .nothing
        }
    }
}
