import CLinux
import Foundation
import Glibc

/// A server on 127.0.0.1 that does what the test says: each connection runs `serve` on a thread of its own.
final class TestServer: @unchecked Sendable {
    let port: UInt16
    private let listener: Int32
    private let accepted = Collected<TestConnection>()
    private let finished = Collected<Int32>()
    private let ended = Collected<Bool>()
    private var isStopped = false

    init(backlog: Int32 = 128, serve: @escaping @Sendable (TestConnection) -> Void) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw POSIXError(.EIO) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, backlog) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                let connection = TestConnection(descriptor)
                accepted.append(connection)
                Thread.detachNewThread { [self] in
                    serve(connection)
                    connection.close()
                    finished.append(descriptor)
                }
            }
            ended.append(true)
        }
    }

    var http: String { "http://127.0.0.1:\(port)" }
    var ws: String { "ws://127.0.0.1:\(port)" }
    var connectionCount: Int { accepted.all.count }

    /// Ends the listener and all connections, and waits until their threads are done. Once is enough.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        shutdown(listener, Int32(SHUT_RDWR))
        ended.wait(count: 1)
        close(listener)
        for connection in accepted.all { connection.abort() }
        let count = accepted.all.count
        finished.wait(count: count)
    }
}

/// One accepted connection. Reading fails, rather than waits forever, after 20 seconds.
final class TestConnection: @unchecked Sendable {
    let descriptor: Int32
    private let lock = NSLock()
    private var isClosed = false
    private var pending: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    func close() {
        lock.lock()
        if !isClosed { Glibc.close(descriptor) }
        isClosed = true
        lock.unlock()
    }

    /// Wakes a thread that reads, from another thread.
    func abort() {
        lock.lock()
        if !isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) }
        lock.unlock()
    }

    /// Ends the connection with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// The next bytes; empty at the end of the connection.
    func read(most: Int = 65_536) -> [UInt8] {
        if !pending.isEmpty {
            defer { pending = [] }
            return pending
        }
        var buffer = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// Puts bytes back, to be read next.
    func unread(_ bytes: [UInt8]) { pending = bytes + pending }

    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = bytes[offset...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            offset += count
        }
        return true
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// The next request: its head, and its body if the head announces one. `nil` at the end of the connection.
    func readRequest() -> TestRequest? {
        var bytes: [UInt8] = []
        while true {
            if let end = Data(bytes).range(of: Data([13, 10, 13, 10])) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                var request = TestRequest(head: head)
                let length = Int(request.header("content-length") ?? "") ?? 0
                while bytes.count < end.upperBound + length {
                    let more = read()
                    guard !more.isEmpty else { return nil }
                    bytes += more
                }
                request.body = Array(bytes[end.upperBound..<(end.upperBound + length)])
                unread(Array(bytes[(end.upperBound + length)...]))
                return request
            }
            let more = read()
            guard !more.isEmpty else { return nil }
            bytes += more
        }
    }

    /// Answers with a whole response.
    func respond(_ status: String = "200 OK", headers: String = "", body: [UInt8] = []) {
        write(Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\n\(headers)\r\n".utf8) + body)
    }

    func respond(_ status: String = "200 OK", headers: String = "", text: String) {
        respond(status, headers: headers, body: Array(text.utf8))
    }
}

/// A request as the test server saw it.
struct TestRequest {
    let line: String
    let headers: [String]
    var body: [UInt8] = []

    init(head: String) {
        let lines = head.components(separatedBy: "\r\n")
        line = lines[0]
        headers = Array(lines.dropFirst())
    }

    func header(_ name: String) -> String? {
        headers.first { $0.lowercased().hasPrefix(name + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
}
