import Foundation
import XCTest

@testable import SyncNetwork

final class HTTPTests: NetworkTestCase {
    func testGetCarriesTargetAndHeadersUntouched() throws {
        let seen = Collected<TestRequest>()
        let server = try serve { connection in
            while let request = connection.readRequest() {
                seen.append(request)
                connection.respond(headers: "X-Mixed: A b \r\nset-cookie: 1\r\nSet-Cookie: 2\r\n", text: "안녕")
            }
        }
        let answer = try response(
            HTTPRequest(
                method: "GET", url: server.http + "/v3/a%2Fb?x=%20&y=+;z",
                headers: [("Session-Key", "k1"), ("X-Empty", "")]))
        XCTAssertEqual(answer.status, 200)
        XCTAssertEqual(String(decoding: answer.body, as: UTF8.self), "안녕")
        XCTAssertEqual(answer.headers.map(\.0), ["content-length", "x-mixed", "set-cookie", "set-cookie"])
        XCTAssertEqual(answer.headers.map(\.1), ["6", "A b", "1", "2"])
        let request = try XCTUnwrap(seen.all.first)
        XCTAssertEqual(request.line, "GET /v3/a%2Fb?x=%20&y=+;z HTTP/1.1")
        XCTAssertEqual(request.header("session-key"), "k1")
        XCTAssertEqual(request.header("x-empty"), "")
        XCTAssertEqual(request.header("host"), "127.0.0.1:\(server.port)")
        XCTAssertTrue(try XCTUnwrap(request.header("accept-encoding")).contains("gzip"))
    }

    func testBodiesOfAllMethods() throws {
        let server = try serve { connection in
            while let request = connection.readRequest() {
                let facts = [
                    request.line, request.header("content-type") ?? "-", request.header("content-length") ?? "-",
                    request.header("expect") ?? "-", request.header("transfer-encoding") ?? "-",
                ]
                let body = String(decoding: request.body, as: UTF8.self)
                connection.respond(text: facts.joined(separator: "|") + "|" + body)
            }
        }
        func facts(_ method: String, _ body: String?, _ headers: [(String, String)] = []) throws -> String {
            let request = HTTPRequest(
                method: method, url: server.http + "/", headers: headers, body: body.map { Array($0.utf8) })
            return String(decoding: try response(request).body, as: UTF8.self)
        }
        let json = [("Content-Type", "application/json")]
        XCTAssertEqual(try facts("POST", "{}", json), "POST / HTTP/1.1|application/json|2|-|-|{}")
        XCTAssertEqual(try facts("PUT", "a", json), "PUT / HTTP/1.1|application/json|1|-|-|a")
        XCTAssertEqual(try facts("PATCH", "a"), "PATCH / HTTP/1.1|-|1|-|-|a")
        XCTAssertEqual(try facts("POST", ""), "POST / HTTP/1.1|-|0|-|-|")
        XCTAssertEqual(try facts("PUT", nil), "PUT / HTTP/1.1|-|0|-|-|")
        XCTAssertEqual(try facts("DELETE", nil), "DELETE / HTTP/1.1|-|-|-|-|")
        XCTAssertEqual(try facts("DELETE", "x"), "DELETE / HTTP/1.1|-|1|-|-|x")
        XCTAssertEqual(server.connectionCount, 1)
    }

    /// The service has done what was asked, and closes a connection that was used before instead of answering.
    func testOnlyWhatReadsIsAskedAgainWhenAUsedConnectionIsClosed() throws {
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
            let seen = Collected<String>()
            let server = try serve { connection in
                while let request = connection.readRequest() {
                    seen.append(request.line)
                    if seen.all.count == 2 { return }
                    connection.respond(headers: "Content-Length: 0\r\n", text: "")
                }
            }
            XCTAssertEqual(try response(get(server.http + "/first")).status, 200)
            let request = HTTPRequest(method: method, url: server.http + "/second", body: method == "PUT" ? [1] : nil)
            if ["GET", "HEAD"].contains(method) {
                XCTAssertEqual(try response(request).status, 200, method)
                XCTAssertEqual(seen.all.count, 3, method)
            } else {
                let failure = try failure(request)
                XCTAssertEqual(failure.kind, .closed, method)
                XCTAssertEqual(failure.message, "the connection was closed before an answer came")
                XCTAssertEqual(seen.all.count, 2, method)
                // The handle of that request begins others.
                XCTAssertEqual(try response(HTTPRequest(method: method, url: server.http)).status, 200, method)
            }
        }
    }

    func testHeadHasNoBody() throws {
        let server = try serve { connection in
            while let request = connection.readRequest() {
                if request.line.hasPrefix("HEAD") {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                } else {
                    connection.respond(text: "next")
                }
            }
        }
        let answer = try response(HTTPRequest(method: "HEAD", url: server.http + "/"))
        XCTAssertEqual(answer.body, [])
        // The reused handle forgets that it was a HEAD.
        XCTAssertEqual(try response(get(server.http)).body, Array("next".utf8))
    }

    func testLargeBodiesBothWays() throws {
        let server = try serve { connection in
            while let request = connection.readRequest() { connection.respond(body: request.body) }
        }
        for size in [16_384, 60_000, 1 << 20, 5_000_000] {
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            XCTAssertEqual(try response(HTTPRequest(method: "POST", url: server.http, body: body)).body, body)
        }
    }

    func testChunkedAndCloseDelimitedBodies() throws {
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end")
        }
        XCTAssertEqual(try response(get(server.http)).body, Array("abc".utf8))
        XCTAssertEqual(try response(get(server.http)).body, Array("until the end".utf8))
    }

    func testConnectionIsReused() throws {
        let server = try serve { connection in
            while connection.readRequest() != nil { connection.respond(text: "x") }
        }
        for _ in 0..<50 { XCTAssertEqual(try response(get(server.http)).status, 200) }
        XCTAssertEqual(server.connectionCount, 1)
    }

    func testManyRequestsAtOnce() throws {
        let server = try serve { connection in
            while let request = connection.readRequest() { connection.respond(text: request.line) }
        }
        let answers = Collected<String>()
        for index in 0..<200 {
            network.send(get(server.http + "/\(index)")) { outcome in
                answers.append((try? outcome.get()).map { String(decoding: $0.body, as: UTF8.self) } ?? "failed")
            }
        }
        XCTAssertEqual(Set(answers.wait(count: 200)), Set((0..<200).map { "GET /\($0) HTTP/1.1" }))
    }

    func testServerThatClosesAnIdleConnection() throws {
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.respond(text: "once")
        }
        for _ in 0..<10 { XCTAssertEqual(try response(get(server.http)).body, Array("once".utf8)) }
        XCTAssertEqual(server.connectionCount, 10)
    }

    func testErrorStatusesAreAnswers() throws {
        let server = try serve { connection in
            while let request = connection.readRequest() {
                let status = request.line.split(separator: " ")[1].dropFirst()
                connection.respond("\(status) X", headers: "Retry-After: 3\r\nLocation: /away\r\n", text: "{}")
            }
        }
        for status in [400, 401, 403, 404, 429, 500, 503, 302] {
            let answer = try response(get(server.http + "/\(status)"))
            XCTAssertEqual(answer.status, status)
            XCTAssertEqual(answer.body, Array("{}".utf8))
            XCTAssertTrue(answer.headers.contains { $0 == ("retry-after", "3") })
        }
    }

    func testInterimAnswersAreSkipped() throws {
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
            connection.write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\nA: b\r\n\r\n")
        }
        let answer = try response(get(server.http))
        XCTAssertEqual(answer.status, 201)
        XCTAssertEqual(answer.headers.map(\.0), ["content-length", "a"])
    }

    func testPackedBodyIsUnpackedAndLimitedUnpacked() throws {
        let packed = try gzip([UInt8](repeating: 97, count: 4000))
        let server = try serve { connection in
            while connection.readRequest() != nil {
                connection.respond(headers: "Content-Encoding: gzip\r\n", body: packed)
            }
        }
        var request = get(server.http)
        XCTAssertEqual(try response(request).body, [UInt8](repeating: 97, count: 4000))
        request.responseLimit = 3999
        XCTAssertEqual(try failure(request).kind, .tooLarge)
    }

    private func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/gzip")
        process.arguments = ["-c"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data(bytes))
        try input.fileHandleForWriting.close()
        let packed = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        return packed
    }

    // MARK: Failures

    func testRefusedConnection() throws {
        let server = try TestServer { _ in }
        server.stop()
        XCTAssertEqual(try failure(get(server.http)).kind, .cannotConnect)
    }

    func testUnknownHost() throws {
        XCTAssertEqual(try failure(get("http://no-such-host.invalid/")).kind, .cannotConnect)
    }

    func testSilentServerTimesOut() throws {
        let server = try serve { connection in while !connection.read().isEmpty {} }
        var request = get(server.http)
        request.timeoutMS = 150
        let start = Date()
        XCTAssertEqual(try failure(request).kind, .timedOut)
        XCTAssertLessThan(Date().timeIntervalSince(start), 5)
        XCTAssertGreaterThan(Date().timeIntervalSince(start), 0.14)
    }

    func testStalledBodyTimesOut() throws {
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            while !connection.read().isEmpty {}
        }
        var request = get(server.http)
        request.timeoutMS = 150
        XCTAssertEqual(try failure(request).kind, .timedOut)
    }

    func testHalfABodyAndNoAnswerAtAll() throws {
        let half = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        }
        XCTAssertEqual(try failure(get(half.http)).kind, .closed)
        let chunk = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
        }
        XCTAssertEqual(try failure(get(chunk.http)).kind, .closed)
        let nothing = try serve { connection in _ = connection.readRequest() }
        XCTAssertEqual(try failure(get(nothing.http)).kind, .closed)
        let reset = try serve { connection in
            _ = connection.readRequest()
            connection.reset()
        }
        XCTAssertEqual(try failure(get(reset.http)).kind, .closed)
    }

    func testGarbage() throws {
        for garbage in ["\u{16}\u{3}\u{1}garbage\r\n\r\n", "HTTP/9.9 banana\r\n\r\n", "hello\r\nworld\r\n\r\n"] {
            let server = try serve { connection in
                guard connection.readRequest() != nil else { return }
                connection.write(garbage)
            }
            XCTAssertEqual(try failure(get(server.http)).kind, .protocolError, garbage)
        }
    }

    func testOversize() throws {
        let server = try serve { connection in
            while let request = connection.readRequest() {
                if request.line.contains("chunked") {
                    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    while connection.write("400\r\n" + String(repeating: "x", count: 1024) + "\r\n") {}
                } else if request.line.contains("headers") {
                    connection.write("HTTP/1.1 200 OK\r\n")
                    while connection.write("X: " + String(repeating: "x", count: 1000) + "\r\n") {}
                } else {
                    connection.respond(body: [UInt8](repeating: 120, count: 1001))
                }
            }
        }
        for path in ["/plain", "/chunked", "/headers"] {
            var request = get(server.http + path)
            request.responseLimit = 1000
            let kind = try self.failure(request).kind
            // libcurl has a limit for headers itself in some versions.
            XCTAssertTrue(kind == .tooLarge || (path == "/headers" && kind == .protocolError), "\(path) \(kind)")
        }
        var request = get(server.http + "/plain")
        request.responseLimit = 1001
        XCTAssertEqual(try response(request).body.count, 1001)
    }

    func testWhatCannotBeSent() throws {
        let server = try serve { connection in
            while connection.readRequest() != nil { connection.respond(text: "x") }
        }
        let url = server.http
        for bad in ["", "http://", "file:///etc/passwd", "ftp://127.0.0.1/", url + "/a b", url + "/\0", "nonsense:"] {
            XCTAssertEqual(try failure(get(bad)).kind, .protocolError, bad)
        }
        for (name, value) in [("A", "b\r\nC: d"), ("A", "b\0c"), ("A b", "c"), ("", "c"), ("A:", "b"), ("A", "b\n")] {
            let request = HTTPRequest(method: "GET", url: url, headers: [(name, value)])
            XCTAssertEqual(try failure(request).kind, .protocolError, name)
        }
        for method in ["", "GET /x", "A\r\nB"] {
            XCTAssertEqual(try failure(HTTPRequest(method: method, url: url)).kind, .protocolError, method)
        }
        XCTAssertEqual(server.connectionCount, 0)
        XCTAssertEqual(try response(get(url)).status, 200)
    }

    func testAbsurdLimitsAreHarmless() throws {
        let server = try serve { connection in
            while connection.readRequest() != nil { connection.respond(text: "x") }
        }
        var request = get(server.http)
        request.timeoutMS = .max
        request.connectTimeoutMS = .max
        request.responseLimit = .max
        XCTAssertEqual(try response(request).status, 200)
        request.responseLimit = .min
        XCTAssertEqual(try failure(request).kind, .tooLarge)
        request.responseLimit = 0
        XCTAssertEqual(try failure(request).kind, .tooLarge)
        request.timeoutMS = .min
        let outcome = try exchange(request)
        if case .success = outcome { XCTFail("a body under limit 0") }
    }

    // MARK: Cancelling

    func testCancel() throws {
        let arrived = Collected<String>()
        let server = try serve { connection in
            while let request = connection.readRequest() {
                arrived.append(request.line)
                if request.line.contains("/fast") { connection.respond(text: "x") }
            }
        }
        let outcomes = Collected<NetworkFailure.Kind?>()
        let record: @Sendable (Outcome) -> Void = { outcome in
            if case .failure(let failure) = outcome { outcomes.append(failure.kind) } else { outcomes.append(nil) }
        }
        let slow = network.send(get(server.http + "/slow"), completion: record)
        arrived.wait(count: 1)
        network.cancel(slow)
        network.cancel(slow)
        XCTAssertEqual(outcomes.wait(count: 1), [.cancelled])
        // Cancelled in the same breath, before it leaves.
        network.cancel(network.send(get(server.http + "/slow"), completion: record))
        XCTAssertEqual(outcomes.wait(count: 2), [.cancelled, .cancelled])
        // One that is done, and ones that never were.
        let fast = network.send(get(server.http + "/fast"), completion: record)
        XCTAssertEqual(outcomes.wait(count: 3).last, NetworkFailure.Kind??.some(nil))
        network.cancel(fast)
        network.cancel(0)
        network.cancel(.max)
        XCTAssertEqual(try response(get(server.http + "/fast")).status, 200)
        XCTAssertEqual(outcomes.all.count, 3)
    }

    func testCompletionsMaySendMore() throws {
        let server = try serve { connection in
            while connection.readRequest() != nil { connection.respond(text: "x") }
        }
        let done = Collected<Int>()
        let network = try XCTUnwrap(self.network)
        let url = server.http
        @Sendable func next(_ count: Int) {
            network.send(HTTPRequest(method: "GET", url: url)) { _ in
                done.append(count)
                if count < 100 { next(count + 1) }
            }
        }
        next(1)
        XCTAssertEqual(done.wait(count: 100), Array(1...100))
        XCTAssertEqual(server.connectionCount, 1)
    }

    /// Else it could still arrive, behind what is sent later.
    func testARequestThatIsGivenUpEndsItsConnectionBeforeTheNext() throws {
        let (taken, ended) = (Collected<Bool>(), Collected<Bool>())
        let server = try serve { connection in
            while let request = connection.readRequest() {
                if request.line.hasPrefix("GET /next") {
                    // The connection before has ended, though this request is under way.
                    connection.respond(text: ended.wait(count: taken.all.count).count == taken.all.count ? "ended" : "")
                } else {
                    taken.append(true)
                }
            }
            ended.append(true)
        }
        let late = HTTPRequest(method: "PUT", url: server.http + "/late", body: Array("1".utf8), timeoutMS: 150)
        XCTAssertEqual(try failure(late).kind, .timedOut)
        XCTAssertEqual(try response(get(server.http + "/next")).body, Array("ended".utf8))
        let outcomes = Collected<Outcome>()
        let given = network.send(HTTPRequest(method: "PUT", url: server.http + "/given", body: Array("1".utf8))) {
            outcomes.append($0)
        }
        taken.wait(count: 2)
        network.cancel(given)
        outcomes.wait(count: 1)
        XCTAssertEqual(try response(get(server.http + "/next")).body, Array("ended".utf8))
    }

    func testLoopback() {
        let loopback = [
            "http://127.0.0.1", "http://127.0.0.1:80/x", "https://localhost/", "http://[::1]:8/", "https://localhost?x",
        ]
        for url in loopback {
            XCTAssertTrue(CurlHandle.isLoopback(url), url)
        }
        for url in ["http://127.0.0.1.example.com/", "http://localhost.example/", "http://a/127.0.0.1", "127.0.0.1"] {
            XCTAssertFalse(CurlHandle.isLoopback(url), url)
        }
    }
}
