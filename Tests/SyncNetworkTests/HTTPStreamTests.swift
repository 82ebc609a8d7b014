import Foundation
import XCTest

@testable import SyncNetwork

final class HTTPStreamTests: NetworkTestCase {
    private func open(_ request: HTTPRequest, _ events: Collected<HTTPStreamEvent>) -> UInt64 {
        network.openStream(request) { events.append($0) }
    }

    /// The kinds of events with neighbouring pieces put together, as cutting is nobody's promise.
    private func story(_ events: [HTTPStreamEvent]) -> [String] {
        var story: [String] = []
        var bytes: [UInt8] = []
        func flush() {
            if !bytes.isEmpty { story.append("bytes " + String(decoding: bytes, as: UTF8.self)) }
            bytes = []
        }
        for event in events {
            switch event {
            case .opened: story.append("opened")
            case .bytes(let piece):
                XCTAssertFalse(piece.isEmpty)
                bytes += piece
            case .refused(let response):
                flush()
                story.append("refused \(response.status) " + String(decoding: response.body, as: UTF8.self))
            case .ended(let failure):
                flush()
                story.append(failure.map { "ended \($0.kind)" } ?? "ended")
            }
        }
        flush()
        return story
    }

    private func isOver(_ events: [HTTPStreamEvent]) -> Bool {
        switch events.last {
        case .ended, .refused: true
        default: false
        }
    }

    private func text(_ events: [HTTPStreamEvent]) -> String {
        String(decoding: events.flatMap { if case .bytes(let bytes) = $0 { bytes } else { [UInt8]() } }, as: UTF8.self)
    }

    func testPiecesComeBeforeTheEnd() throws {
        let next = Collected<Bool>()
        let server = try serve { connection in
            guard let request = connection.readRequest() else { return }
            connection.write("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            connection.write("3\r\none\r\n")
            next.wait(count: 1)
            let accept = request.header("accept") ?? "-"
            connection.write("\(String(accept.utf8.count, radix: 16))\r\n\(accept)\r\n0\r\n\r\n")
        }
        let events = Collected<HTTPStreamEvent>()
        var request = get(server.http + "/a")
        request.headers = [("Accept", "text/event-stream")]
        _ = open(request, events)
        // The server says no more before this has come.
        XCTAssertEqual(story(events.wait { self.text($0) == "one" }), ["opened", "bytes one"])
        next.append(true)
        XCTAssertEqual(story(events.wait(until: isOver)), ["opened", "bytes onetext/event-stream", "ended"])
    }

    func testOtherStatusesComeWhole() throws {
        let server = try serve { connection in
            while connection.readRequest() != nil {
                connection.respond("307 Away", headers: "Location: http://b.example/\r\n", text: "moved")
            }
        }
        let events = Collected<HTTPStreamEvent>()
        _ = open(get(server.http), events)
        XCTAssertEqual(story(events.wait(until: isOver)), ["refused 307 moved"])
        guard case .refused(let refusal)? = events.all.first else { return XCTFail("not refused") }
        XCTAssertTrue(refusal.headers.contains { $0 == ("location", "http://b.example/") })
        // The handle that was used for it serves others.
        XCTAssertEqual(try response(get(server.http)).status, 307)
    }

    func testTheBodyOfARefusalHasItsLimit() throws {
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.respond("500 Ill", body: [UInt8](repeating: 32, count: 2000))
        }
        let events = Collected<HTTPStreamEvent>()
        var request = get(server.http)
        request.responseLimit = 1000
        _ = open(request, events)
        XCTAssertEqual(story(events.wait(until: isOver)), ["ended tooLarge"])
    }

    func testAStreamIsNotLimitedByTimeOnceItIsOpen() throws {
        let next = Collected<Bool>()
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n\r\na")
            next.wait(count: 1)
            connection.write("b")
        }
        let events = Collected<HTTPStreamEvent>()
        var request = get(server.http)
        request.timeoutMS = 300
        _ = open(request, events)
        XCTAssertEqual(text(events.wait { self.text($0) == "a" }), "a")
        // One that is not answered is opened now; when its time is up, so is that of the first.
        let silent = try serve { connection in
            _ = connection.readRequest()
            next.wait(count: 1)
        }
        let late = Collected<HTTPStreamEvent>()
        request.url = silent.http
        _ = open(request, late)
        XCTAssertEqual(story(late.wait(until: isOver)), ["ended timedOut"])
        next.append(true)
        XCTAssertEqual(story(events.wait(until: isOver)), ["opened", "bytes ab", "ended"])
    }

    func testWhoEndsIt() throws {
        let next = Collected<Bool>()
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
            next.wait(count: 1)
            connection.reset()
        }
        let (lost, cancelled) = (Collected<HTTPStreamEvent>(), Collected<HTTPStreamEvent>())
        _ = open(get(server.http), lost)
        lost.wait { self.text($0) == "a" }
        let id = open(get(server.http), cancelled)
        cancelled.wait { self.text($0) == "a" }
        network.cancel(id)
        XCTAssertEqual(story(cancelled.wait(until: isOver)), ["opened", "bytes a", "ended cancelled"])
        XCTAssertEqual(story(lost.all), ["opened", "bytes a"])
        next.append(true)
        XCTAssertEqual(story(lost.wait(until: isOver)), ["opened", "bytes a", "ended closed"])
    }

    func testWhatCannotBeAsked() throws {
        let events = Collected<HTTPStreamEvent>()
        var request = get("http://127.0.0.1:1/")
        request.headers = [("A", "b\r\nC: d")]
        _ = open(request, events)
        XCTAssertEqual(story(events.wait(until: isOver)), ["ended protocolError"])
        let refused = Collected<HTTPStreamEvent>()
        _ = open(get("http://127.0.0.1:1/"), refused)
        XCTAssertEqual(story(refused.wait(until: isOver)), ["ended cannotConnect"])
    }

    func testOverTLS() throws {
        let server = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
        }
        let tls = try TestTLS(target: server.port)
        atEnd { tls.stop() }
        let events = Collected<HTTPStreamEvent>()
        var request = get("https://localhost:\(tls.port)/")
        request.caFile = tls.caFile
        _ = open(request, events)
        XCTAssertEqual(story(events.wait(until: isOver)), ["opened", "bytes a", "ended"])
        let untrusted = Collected<HTTPStreamEvent>()
        request.caFile = nil
        _ = open(request, untrusted)
        XCTAssertEqual(story(untrusted.wait(until: isOver)), ["ended tls"])
    }

    func testTheDatabaseOfTheEmbeddedServer() throws {
        let server = try DatabaseServer()
        atEnd { server.stop() }
        let url = server.url + "/a.json?ns=test"
        func put(_ json: String) throws {
            let answer = try exchange(HTTPRequest(method: "PUT", url: url, body: Array(json.utf8))).get()
            XCTAssertEqual(answer.status, 200)
        }
        try put("1")
        let events = Collected<HTTPStreamEvent>()
        var request = get(url)
        request.headers = [("Accept", "text/event-stream")]
        _ = open(request, events)
        events.wait { self.text($0).contains("\"data\":1}") }
        try put("{\"b\":2}")
        let told = text(events.wait { self.text($0).contains("keep-alive") && self.text($0).contains("\"b\":2") })
        XCTAssertTrue(told.hasPrefix("event: put\ndata: {\"path\":\"/\",\"data\":1}\n\n"), told)
        XCTAssertTrue(told.contains("event: put\ndata: {\"path\":\"/\",\"data\":{\"b\":2}}\n\n"), told)
        server.stop()
        guard case .ended? = events.wait(until: isOver).last else { return XCTFail("not told of the end") }
    }
}
