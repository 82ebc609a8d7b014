import SyncModel

/// Requests under way and what to do with their replies.
struct Requests {
    typealias Continuation = (ServiceReply) -> Void

    private var last: UInt64 = 0
    private var waiting: [UInt64: Continuation] = [:]

    mutating func add(_ continuation: @escaping Continuation) -> UInt64 {
        last += 1
        waiting[last] = continuation
        return last
    }

    mutating func take(_ id: UInt64) -> Continuation? { waiting.removeValue(forKey: id) }

    /// All that wait, oldest first; nothing waits afterwards.
    mutating func takeAll() -> [Continuation] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value)
    }

    mutating func cancelAll() { waiting = [:] }
}

extension Engine {
    /// Asks the service; `then` runs once, with the reply or with a failure.
    func ask(_ request: ServiceRequest, then: @escaping (ServiceReply) -> Void) {
        let id = requests.add(then)
        emit(.request(id: id, request, timeout: options.requestTimeout))
    }

    /// The service's answer to a request, or the failure to get one. An answer nobody waits for is ignored: it came
    /// after the connection was given up.
    public func receive(_ reply: ServiceReply, for request: UInt64, now: EngineTime) {
        self.now = now
        guard !isClosed, let continuation = requests.take(request) else { return }
        if case .failure(let failure) = reply, failure.kind == .tokenRejected { tokenRejected() }
        continuation(reply)
        finishInput()
    }
}
