import Foundation
import SyncWebSocket
import XCTest

@testable import SyncNetwork

final class WebSocketTests: NetworkTestCase {
    private func open(
        _ server: TestServer, path: String = "/", _ change: (inout WebSocketOptions) -> Void = { _ in }
    ) -> SocketProbe {
        var options = WebSocketOptions(url: server.ws + path)
        change(&options)
        return SocketProbe(network, options)
    }

    /// A server whose every connection accepts the handshake and goes on with `body`.
    private func accepting(_ body: @escaping @Sendable (TestWebSocketPeer) -> Void) throws -> TestServer {
        try serve { connection in
            if let peer = TestWebSocketPeer.accept(connection) { body(peer) }
        }
    }

    // MARK: Handshake

    func testHandshakeAndMessages() throws {
        let requests = Collected<TestRequest>()
        let server = try serve { connection in
            guard let request = connection.readRequest(), let key = request.header("sec-websocket-key") else { return }
            requests.append(request)
            connection.write(WebSocketHandshake.response(forKey: key) ?? [])
            let codec = WebSocketCodec(role: .server, messageLimit: 1 << 20, outputLimit: 1 << 20)
            while let codec {
                let bytes = connection.read()
                if bytes.isEmpty { return }
                for case .text(let text) in codec.receive(bytes) { codec.sendText(text) }
                codec.withPendingOutput { connection.write(Array($0)) ? $0.count : 0 }
            }
        }
        let socket = open(server, path: "/a%2Fb?p=%20&q=+;#fragment") { $0.headers = [("SENDBIRD-WS-TOKEN", "t 1")] }
        XCTAssertTrue(socket.waitOpen())
        let request = try XCTUnwrap(requests.all.first)
        XCTAssertEqual(request.line, "GET /a%2Fb?p=%20&q=+; HTTP/1.1")
        XCTAssertEqual(request.header("host"), "127.0.0.1:\(server.port)")
        XCTAssertEqual(request.header("sendbird-ws-token"), "t 1")
        XCTAssertEqual(request.header("sec-websocket-version"), "13")
        XCTAssertNil(request.header("sec-websocket-extensions"))
        for text in ["a", "Grüße 안녕 👋", "", String(repeating: "x", count: 200_000)] { socket.send(text) }
        XCTAssertEqual(
            socket.events.wait(count: 5).dropFirst(),
            [.text("a"), .text("Grüße 안녕 👋"), .text(""), .text(String(repeating: "x", count: 200_000))])
        socket.close(4001, "done")
        XCTAssertEqual(try socket.waitClosed(), NetworkFailure(.closed, code: 4001, "closed with code 4001: done"))
    }

    func testRefusedHandshake() throws {
        let server = try serve { connection in
            guard let request = connection.readRequest() else { return }
            connection.respond(String(request.line.split(separator: " ")[1].dropFirst()) + " No", text: "{}")
        }
        for status in [400, 401, 403, 429, 503, 200, 302] {
            let socket = open(server, path: "/\(status)")
            let failure = try socket.waitClosed()
            XCTAssertEqual(failure.kind, .refused)
            XCTAssertEqual(failure.code, status)
            XCTAssertEqual(socket.events.all.count, 1)
        }
    }

    func testWrongProofAndNonsense() throws {
        let answers = [
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n\r\n",
            String(repeating: "x", count: 40_000),
        ]
        for answer in answers {
            let server = try serve { connection in
                guard connection.readRequest() != nil else { return }
                connection.write(answer)
                while !connection.read().isEmpty {}
            }
            XCTAssertEqual(try open(server).waitClosed().kind, .protocolError)
        }
    }

    func testConnectionEndsDuringHandshake() throws {
        let silent = try serve { _ = $0.readRequest() }
        XCTAssertEqual(try open(silent).waitClosed().kind, .closed)
        let half = try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 101 Swi")
        }
        XCTAssertEqual(try open(half).waitClosed().kind, .closed)
        let refused = try TestServer { _ in }
        refused.stop()
        XCTAssertEqual(try open(refused).waitClosed().kind, .cannotConnect)
    }

    func testHandshakeDeadline() throws {
        let silent = try serve { connection in while !connection.read().isEmpty {} }
        XCTAssertEqual(try open(silent) { $0.handshakeTimeoutMS = 100 }.waitClosed().kind, .timedOut)
        // One byte at a time does not win time.
        let drip = try serve { connection in
            guard connection.readRequest() != nil else { return }
            var byte = [UInt8](repeating: 0, count: 1)
            var timeout = timeval(tv_sec: 0, tv_usec: 5000)
            setsockopt(
                connection.descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            while connection.write("H"), recv(connection.descriptor, &byte, 1, 0) != 0 {}
        }
        XCTAssertEqual(try open(drip) { $0.handshakeTimeoutMS = 100 }.waitClosed().kind, .timedOut)
    }

    func testFramesGluedToTheAnswer() throws {
        let server = try serve { connection in
            // Two messages and the beginning of a third come with the head, the rest of it with a close frame.
            let peer = TestWebSocketPeer.accept(connection, glued: [0x81, 1, 65, 0x81, 0, 0x81, 2, 66])
            connection.write([67, 0x88, 2, 0x0F, 0xA1])
            while peer?.next() != nil {}
        }
        let socket = open(server)
        XCTAssertEqual(try socket.waitClosed().code, 4001)
        XCTAssertEqual(
            socket.events.all, [.opened, .text("A"), .text(""), .text("BC"), .closed(.closed, 4001)])
    }

    func testAnswerByteByByte() throws {
        let server = try serve { connection in
            guard let key = connection.readRequest()?.header("sec-websocket-key") else { return }
            for byte in (WebSocketHandshake.response(forKey: key) ?? []) + [0x81, 2, 0xC3, 0xBC, 0x88, 0] {
                connection.write([byte])
            }
            while !connection.read().isEmpty {}
        }
        let socket = open(server)
        XCTAssertEqual(try socket.waitClosed().code, 1005)
        XCTAssertEqual(socket.events.all, [.opened, .text("ü"), .closed(.closed, 1005)])
    }

    func testWhatCannotBeOpened() throws {
        let server = try accepting { $0.echo() }
        let bad = [
            "", "http://127.0.0.1/", "ws://", "ws:///x", "ws://a b/", "ws://u:p@127.0.0.1/", "ws://127.0.0.1:99999/",
        ]
        for url in bad {
            let failure = try SocketProbe(network, WebSocketOptions(url: url)).waitClosed()
            XCTAssertEqual(failure.kind, .protocolError, url)
        }
        XCTAssertEqual(try open(server, path: "/a b").waitClosed().kind, .protocolError)
        XCTAssertEqual(try open(server) { $0.headers = [("A", "b\r\nC: d")] }.waitClosed().kind, .protocolError)
        XCTAssertEqual(try open(server) { $0.messageLimit = 0 }.waitClosed().kind, .cannotConnect)
    }

    // MARK: Closing

    func testPeerCloses() throws {
        let answers = Collected<WebSocketCodec.Event?>()
        let server = try accepting { peer in
            peer.codec.sendText([65])
            peer.codec.sendClose(code: 4999, reason: Array("tschüß".utf8))
            peer.flush()
            answers.append(peer.next())
            answers.append(peer.next())
        }
        let socket = open(server)
        XCTAssertEqual(try socket.waitClosed().message, "closed with code 4999: tschüß")
        XCTAssertEqual(socket.events.all, [.opened, .text("A"), .closed(.closed, 4999)])
        // Our close frame arrives, then the end of the connection.
        XCTAssertEqual(answers.wait(count: 2), [.close(code: 4999, reason: Array("tschüß".utf8)), nil])
    }

    func testOwnCloseTakesQueuedMessagesAlong() throws {
        let seen = Collected<WebSocketCodec.Event>()
        let server = try accepting { peer in while let event = peer.next() { seen.append(event) } }
        let socket = open(server)
        XCTAssertTrue(socket.waitOpen())
        for index in 0..<100 { socket.send("\(index)") }
        socket.close(1001, "away")
        socket.close(4000)
        socket.send("late")
        XCTAssertEqual(try socket.waitClosed().code, 1001)
        let expected = (0..<100).map { WebSocketCodec.Event.text(Array("\($0)".utf8)) }
        XCTAssertEqual(
            seen.wait(count: 101), expected + [.close(code: 1001, reason: Array("away".utf8))])
        XCTAssertEqual(socket.events.all.count, 2)
        // Calls about a closed socket are harmless.
        socket.send("later")
        socket.close()
    }

    func testCloseCodesThatCannotBeSentBecomeNormal() throws {
        let server = try accepting { $0.echo() }
        for (code, reason) in [(UInt16(1005), ""), (1006, ""), (7, ""), (4000, String(repeating: "x", count: 124))] {
            let socket = open(server)
            XCTAssertTrue(socket.waitOpen())
            socket.close(code, reason)
            XCTAssertEqual(try socket.waitClosed().code, 1000)
        }
    }

    func testPeerThatIgnoresTheCloseFrame() throws {
        let server = try accepting { peer in while !peer.connection.read().isEmpty {} }
        let socket = open(server) { $0.closeTimeoutMS = 100 }
        XCTAssertTrue(socket.waitOpen())
        socket.close()
        XCTAssertEqual(try socket.waitClosed().code, 1006)
    }

    func testPeerThatTalksOnAfterTheCloseFrame() throws {
        let server = try accepting { peer in while peer.connection.write([0x81, 1, 65]) {} }
        let socket = open(server) { $0.closeTimeoutMS = 100 }
        XCTAssertTrue(socket.waitOpen())
        socket.close()
        XCTAssertEqual(try socket.waitClosed().code, 1006)
    }

    func testCloseBeforeOpen() throws {
        let server = try serve { connection in while !connection.read().isEmpty {} }
        let socket = open(server)
        socket.send("early")
        socket.close()
        XCTAssertEqual(try socket.waitClosed().kind, .cancelled)
        XCTAssertEqual(socket.events.all.count, 1)
    }

    func testConnectionLost() throws {
        let ended = try accepting { $0.send("x") }
        XCTAssertEqual(try open(ended).waitClosed().code, 1006)
        let reset = try accepting { $0.connection.reset() }
        let failure = try open(reset).waitClosed()
        XCTAssertEqual(failure.kind, .closed)
        XCTAssertEqual(failure.code, 1006)
    }

    func testLastWordsOfAPeerThatTakesNoMoreBytes() throws {
        let isGone = Collected<Bool>()
        let server = try accepting { peer in
            // The peer's reason lies unread in our socket when our write meets the closed connection.
            peer.codec.sendText(Array("sorry".utf8))
            peer.codec.sendClose(code: 4002)
            peer.flush()
            peer.connection.close()
            isGone.append(true)
        }
        let socket = open(server)
        isGone.wait(count: 1)
        for _ in 0..<50 { socket.send("hello?") }
        let failure = try socket.waitClosed()
        XCTAssertEqual(failure.kind, .closed)
        XCTAssertEqual(failure.code, 4002)
        XCTAssertEqual(socket.texts, ["sorry"])
    }

    // MARK: Violations and limits

    func testMessageLimit() throws {
        let answers = Collected<WebSocketCodec.Event?>()
        let server = try accepting { peer in
            peer.send(String(repeating: "a", count: 1000))
            // Much more than the limit: what is not read must not turn our close frame into a reset.
            for _ in 0..<20 { peer.codec.sendBinary([UInt8](repeating: 0, count: 100_000)) }
            peer.flush()
            answers.append(peer.next())
        }
        let socket = open(server) { $0.messageLimit = 1000 }
        let failure = try socket.waitClosed()
        XCTAssertEqual(failure.kind, .tooLarge)
        XCTAssertEqual(failure.code, 1009)
        XCTAssertEqual(socket.texts.map(\.count), [1000])
        XCTAssertEqual(answers.wait(count: 1), [.close(code: 1009, reason: [])])
    }

    func testViolationsAreAnsweredWithTheirCode() throws {
        let cases: [([UInt8], Int)] = [
            ([0x81, 0x80, 1, 2, 3, 4], 1002), ([0x81, 1, 0xFF], 1007), ([0xC1, 1, 65], 1002),
        ]
        for (frame, code) in cases {
            let answers = Collected<WebSocketCodec.Event?>()
            let server = try accepting { peer in
                peer.connection.write(frame + [UInt8](repeating: 0, count: 50_000))
                answers.append(peer.next())
                answers.append(peer.next())
            }
            let failure = try open(server).waitClosed()
            XCTAssertEqual(failure.kind, .protocolError)
            XCTAssertEqual(failure.code, code)
            XCTAssertEqual(answers.wait(count: 2), [.close(code: UInt16(code), reason: []), nil])
        }
    }

    func testOutputLimitEndsASlowPeer() throws {
        let hold = Collected<Bool>()
        atEnd { hold.append(true) }
        let server = try accepting { _ in hold.wait(60, count: 1) }
        let socket = open(server) { $0.outputLimit = 1 << 20 }
        XCTAssertTrue(socket.waitOpen())
        let text = String(repeating: "x", count: 100_000)
        for _ in 0..<300 { socket.send(text) }
        XCTAssertEqual(try socket.waitClosed().kind, .tooLarge)
        hold.append(true)
    }

    func testPingFloodOfAPeerThatDoesNotReadEndsIt() throws {
        let hold = Collected<Bool>()
        atEnd { hold.append(true) }
        let server = try accepting { peer in
            let ping = [0x89, 125] + [UInt8](repeating: 1, count: 125)
            let many = [UInt8]((0..<1000).map { _ in ping }.joined())
            while peer.connection.write(many) {}
            hold.wait(60, count: 1)
        }
        let socket = open(server) { $0.outputLimit = 100_000 }
        XCTAssertEqual(try socket.waitClosed().kind, .tooLarge)
        hold.append(true)
    }

    func testMessageThatNeverFits() throws {
        let server = try accepting { $0.echo() }
        let socket = open(server) { $0.outputLimit = 1000 }
        XCTAssertTrue(socket.waitOpen())
        socket.send(String(repeating: "x", count: 1001))
        XCTAssertEqual(try socket.waitClosed().kind, .tooLarge)
    }

    // MARK: Time

    func testDeadPeer() throws {
        let seen = Collected<[UInt8]>()
        let server = try accepting { peer in
            while true {
                let bytes = peer.connection.read()
                seen.append(bytes)
                if bytes.isEmpty { return }
            }
        }
        let socket = open(server) { $0.idleMS = 100 }
        XCTAssertTrue(socket.waitOpen())
        let start = Date()
        XCTAssertEqual(try socket.waitClosed().kind, .timedOut)
        XCTAssertLessThan(Date().timeIntervalSince(start), 5)
        // One masked ping was all it got.
        let bytes = seen.wait { $0.last == [] }
        XCTAssertEqual(bytes.first?.prefix(2), [0x89, 0x80])
        XCTAssertEqual(bytes.count, 2)
    }

    func testPeerThatAnswersPingsLives() throws {
        let pings = Collected<Bool>()
        let server = try accepting { peer in
            while let event = peer.next() {
                if case .ping = event { pings.append(true) }
            }
        }
        // Long enough for a busy machine: both ends run here.
        let socket = open(server) { $0.idleMS = 1_000 }
        XCTAssertEqual(pings.wait(count: 5).count, 5)
        XCTAssertEqual(socket.events.all, [.opened])
        socket.close()
        XCTAssertEqual(try socket.waitClosed().code, 1000)
    }

    func testBusySocketIsNotPinged() throws {
        let pings = Collected<Bool>()
        let server = try accepting { peer in
            while let event = peer.next() {
                if case .ping = event { pings.append(true) }
                if case .text(let text) = event {
                    peer.codec.sendText(text)
                    peer.flush()
                }
            }
        }
        let socket = open(server) { $0.idleMS = 5_000 }
        XCTAssertTrue(socket.waitOpen())
        for index in 0..<200 {
            socket.send("\(index)")
            socket.events.wait(count: index + 2)
        }
        XCTAssertEqual(socket.texts, (0..<200).map { "\($0)" })
        XCTAssertEqual(pings.all.count, 0)
        socket.close()
        try socket.waitClosed()
    }

    func testAbsurdTimesAreHarmless() throws {
        let server = try accepting { $0.echo() }
        let socket = open(server) {
            $0.handshakeTimeoutMS = .max
            $0.idleMS = .max
            $0.closeTimeoutMS = .max
            $0.outputLimit = .max
            $0.messageLimit = .max
        }
        XCTAssertTrue(socket.waitOpen())
        socket.send("x")
        XCTAssertEqual(socket.events.wait(count: 2).last, .text("x"))
        socket.close()
        XCTAssertEqual(try socket.waitClosed().code, 1000)
        // Time out of hand means a millisecond: opened or not, it is over soon.
        let hasty = open(server) { $0.handshakeTimeoutMS = .min }
        if hasty.waitOpen() { hasty.close() }
        try hasty.waitClosed()
    }

    // MARK: Load

    func testThousandsOfMessagesKeepTheirOrderBothWays() throws {
        let server = try accepting { $0.echo() }
        let socket = open(server)
        XCTAssertTrue(socket.waitOpen())
        let texts = (0..<5000).map { "\($0) " + String(repeating: "x", count: $0 % 700) }
        for text in texts { socket.send(text) }
        XCTAssertEqual(socket.events.wait(60, count: 5001).count, 5001)
        XCTAssertEqual(socket.texts, texts)
        socket.close()
        try socket.waitClosed()
    }

    func testManySocketsAndNothingLeftBehind() throws {
        let server = try accepting { $0.echo() }
        func round() throws {
            let sockets = (0..<60).map { _ in open(server) }
            for (index, socket) in sockets.enumerated() {
                XCTAssertTrue(socket.waitOpen())
                socket.send("\(index)")
            }
            for (index, socket) in sockets.enumerated() {
                XCTAssertEqual(socket.events.wait(count: 2).last, .text("\(index)"))
                socket.close()
            }
            for socket in sockets { XCTAssertEqual(try socket.waitClosed().code, 1000) }
        }
        try round()
        try round()
        // The connections end after the events; a later socket's end proves theirs, since the server ends them in turn.
        let deadline = Date().addingTimeInterval(10)
        while clientSockets(of: server) > 0, Date() < deadline { sched_yield() }
        XCTAssertEqual(clientSockets(of: server), 0)
    }

    /// Our connected ends that lead to `server`.
    private func clientSockets(of server: TestServer) -> Int {
        (0..<1024).filter { descriptor in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(descriptor), $0, &size) }
            }
            return result == 0 && UInt16(bigEndian: address.sin_port) == server.port
        }.count
    }

    func testAFloodingSocketDoesNotStarveTheOthers() throws {
        let isEnough = Collected<Bool>()
        atEnd { isEnough.append(true) }
        let flood = try accepting { peer in
            let frame = [0x82, 126, 3, 232] + [UInt8](repeating: 65, count: 1000)
            let frames = [UInt8]((0..<1000).map { _ in frame }.joined())
            while isEnough.all.isEmpty, peer.connection.write(frames) {}
        }
        let server = try accepting { $0.echo() }
        let loud = open(flood)
        XCTAssertTrue(loud.waitOpen())
        let quiet = open(server)
        XCTAssertTrue(quiet.waitOpen())
        for index in 0..<20 {
            quiet.send("\(index)")
            XCTAssertEqual(quiet.events.wait(count: index + 2).count, index + 2)
        }
        isEnough.append(true)
        XCTAssertEqual(try loud.waitClosed().code, 1006)
        quiet.close()
        try quiet.waitClosed()
    }

    func testHTTPAndSocketsShareTheThread() throws {
        let server = try serve { connection in
            guard let request = connection.readRequest() else { return }
            if request.header("upgrade") == nil {
                connection.respond(text: "x")
                while connection.readRequest() != nil { connection.respond(text: "x") }
            } else {
                let head = ([request.line] + request.headers).joined(separator: "\r\n") + "\r\n\r\n"
                connection.unread(Array(head.utf8))
                TestWebSocketPeer.accept(connection)?.echo()
            }
        }
        let socket = open(server)
        XCTAssertTrue(socket.waitOpen())
        for index in 0..<50 {
            XCTAssertEqual(try response(get(server.http)).status, 200)
            socket.send("\(index)")
            XCTAssertEqual(socket.events.wait(count: index + 2).last, .text("\(index)"))
        }
        XCTAssertEqual(server.connectionCount, 2)
        socket.close()
        try socket.waitClosed()
    }
}
