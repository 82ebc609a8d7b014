import Foundation
import SyncWebSocket
import XCTest

@testable import SyncNetwork

final class TLSTests: NetworkTestCase {
    private func front(_ server: TestServer, protocols: [String] = ["http/1.1"]) throws -> TestTLS {
        let front = try TestTLS(target: server.port, protocols: protocols)
        atEnd { front.stop() }
        return front
    }

    private func httpServer() throws -> TestServer {
        try serve { connection in
            while let request = connection.readRequest() { connection.respond(body: request.body) }
        }
    }

    private func echoServer() throws -> TestServer {
        try serve { connection in TestWebSocketPeer.accept(connection)?.echo() }
    }

    func testHTTPSWithAPrivateAuthority() throws {
        let server = try httpServer()
        let front = try front(server)
        let body = [UInt8](repeating: 7, count: 300_000)
        for _ in 0..<3 {
            let answer = try response(
                HTTPRequest(
                    method: "POST", url: "https://localhost:\(front.port)/", body: body, caFile: front.caFile))
            XCTAssertEqual(answer.body, body)
        }
        XCTAssertEqual(server.connectionCount, 1)
        XCTAssertEqual(front.agreed(count: 1), ["http/1.1"])
    }

    func testUntrustedAuthorityWrongNameAndUnreadableFile() throws {
        let server = try httpServer()
        let front = try front(server)
        let url = "https://localhost:\(front.port)/"
        XCTAssertEqual(try failure(get(url)).kind, .tls)
        XCTAssertEqual(
            try failure(HTTPRequest(method: "GET", url: "https://127.0.0.1:\(front.port)/", caFile: front.caFile)).kind,
            .tls)
        XCTAssertEqual(try failure(HTTPRequest(method: "GET", url: url, caFile: "/nowhere/ca.pem")).kind, .tls)
        // A trusting request before must not make a distrusting one pass.
        XCTAssertEqual(try response(HTTPRequest(method: "GET", url: url, caFile: front.caFile)).status, 200)
        XCTAssertEqual(try failure(get(url)).kind, .tls)
    }

    func testPlainServerUnderHTTPS() throws {
        let server = try serve { connection in
            _ = connection.read()
            connection.respond(text: "plain")
        }
        XCTAssertEqual(try failure(get("https://127.0.0.1:\(server.port)/")).kind, .tls)
    }

    func testHTTP2IsOfferedForRequestsAndNotForSockets() throws {
        let server = try serve { connection in while !connection.read().isEmpty {} }
        let front = try front(server, protocols: ["h2", "http/1.1"])
        let id = network.send(
            HTTPRequest(method: "GET", url: "https://localhost:\(front.port)/", caFile: front.caFile)
        ) { _ in }
        XCTAssertEqual(front.agreed(count: 1), ["h2"])
        network.cancel(id)
        var options = WebSocketOptions(url: "wss://localhost:\(front.port)/")
        options.caFile = front.caFile
        let socket = SocketProbe(network, options)
        XCTAssertEqual(front.agreed(count: 2), ["h2", "http/1.1"])
        socket.close()
        try socket.waitClosed()
    }

    func testWSS() throws {
        let server = try echoServer()
        let front = try front(server)
        var options = WebSocketOptions(url: "wss://localhost:\(front.port)/")
        options.caFile = front.caFile
        let socket = SocketProbe(network, options)
        XCTAssertTrue(socket.waitOpen())
        // Sizes around the records of TLS, whose rest no poll announces.
        let texts = [1, 16_000, 16_384, 16_385, 65_536, 1_000_000].map { String(repeating: "k", count: $0) }
        for text in texts { socket.send(text) }
        XCTAssertEqual(socket.events.wait(60, count: 7).count, 7)
        XCTAssertEqual(socket.texts, texts)
        for index in 0..<50 {
            socket.send("\(index)")
            XCTAssertEqual(socket.events.wait(count: 8 + index).last, .text("\(index)"))
        }
        socket.close(4003)
        XCTAssertEqual(try socket.waitClosed().code, 4003)
    }

    func testWSSRefusesTheUntrusted() throws {
        // A wrong name is found after TLS stands, so a connection may arrive; a handshake with its token must not.
        let received = Collected<[UInt8]>()
        let server = try serve { received.append($0.read()) }
        let front = try front(server)
        XCTAssertEqual(
            try SocketProbe(network, WebSocketOptions(url: "wss://localhost:\(front.port)/")).waitClosed().kind, .tls)
        var options = WebSocketOptions(url: "wss://127.0.0.1:\(front.port)/")
        options.caFile = front.caFile
        XCTAssertEqual(try SocketProbe(network, options).waitClosed().kind, .tls)
        front.stop()
        server.stop()
        XCTAssertEqual(received.all.filter { !$0.isEmpty }, [])
    }
}
