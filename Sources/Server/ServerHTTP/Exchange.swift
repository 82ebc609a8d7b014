import CMicrohttpd

/// One HTTP request from its first line to its answer.
final class Exchange {
    let target: RequestTarget
    var isStarted = false
    var isRefused = false
    var body: [UInt8] = []
    /// The answer of a request that was suspended to be answered late.
    var held: HTTPAnswer?
    /// Whether libmicrohttpd has released the connection.
    var isOver = false

    init(target: [UInt8]) { self.target = RequestTarget(target) }
}
