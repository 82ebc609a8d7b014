import CMicrohttpd

/// One HTTP request from its first line to its answer.
final class Exchange {
    let target: RequestTarget
    var isStarted = false
    /// Whether more bytes have come than the limit allows.
    private(set) var isRefused = false
    private var body: [UInt8] = []
    /// Takes the form apart when its files go to a folder.
    private var parts: MultipartReader?
    private var limit = Int64(HTTPRequest.bodyLimit)
    private var received: Int64 = 0
    /// The answer of a request that was suspended to be answered late.
    var held: HTTPAnswer?
    /// Whether libmicrohttpd has released the connection.
    var isOver = false

    init(target: [UInt8]) { self.target = RequestTarget(target) }

    /// The body is to be taken apart as a form whose files go to a folder.
    func takeForm(_ parts: MultipartReader, limit: Int64) {
        self.parts = parts
        self.limit = limit
    }

    /// Takes the next bytes of the body.
    func append(_ bytes: UnsafeRawBufferPointer) {
        guard !isRefused else { return }
        received += Int64(bytes.count)
        if received > limit {
            isRefused = true
            body = []
            parts = nil
        } else if let parts {
            parts.append(bytes)
        } else {
            body.append(contentsOf: bytes)
        }
    }

    /// The request with the body that has come; the exchange does not keep the body.
    func request(_ method: UnsafePointer<CChar>, header: @escaping (String) -> String?) -> HTTPRequest {
        defer {
            body = []
            parts = nil
        }
        return HTTPRequest(method: String(cString: method), target: target, body: body, parts: parts, header: header)
    }
}
