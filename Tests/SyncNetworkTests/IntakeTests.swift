import Foundation
import Synchronization
import SyncWebSocket
import XCTest

@testable import SyncNetwork

/// An owner that takes nothing in: its streams and sockets wait, nothing else does.
final class IntakeTests: NetworkTestCase {
    /// More than the buffers of both ends of a connection hold.
    private var other: TestServer?
    private static let size = 24 << 20

    /// Bytes that show where they come from: a count of four bytes each.
    private static let pattern = [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
        for number in 0..<UInt32(size / 4) {
            UnsafeMutableRawPointer(bytes.baseAddress! + Int(number) * 4).storeBytes(of: number, as: UInt32.self)
        }
        count = size
    }

    /// What one stream has told, checked against the pattern as it comes.
    private final class Sink: @unchecked Sendable {
        let events = Collected<String>()
        private let lock = NSLock()
        private var received = 0
        private var pieces = 0
        private var isWrong = false

        func take(_ event: HTTPStreamEvent) {
            switch event {
            case .opened: events.append("opened")
            case .bytes(let bytes):
                lock.lock()
                isWrong = isWrong || bytes[...] != IntakeTests.pattern[received..<(received + bytes.count)]
                received += bytes.count
                pieces += 1
                lock.unlock()
                events.append("bytes")
            case .refused: events.append("refused")
            case .ended(let failure): events.append(failure.map { "ended \($0.kind)" } ?? "ended")
            }
        }

        var state: (received: Int, pieces: Int, isRight: Bool) {
            lock.lock()
            defer { lock.unlock() }
            return (received, pieces, !isWrong)
        }
    }

    private func streaming(_ size: Int = IntakeTests.size) throws -> TestServer {
        try serve { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            var offset = 0
            while offset < size {
                let end = min(offset + (1 << 20), size)
                guard connection.write(Array(IntakeTests.pattern[offset..<end])) else { return }
                offset = end
            }
        }
    }

    /// The network thread does so much for somebody else: whatever it did not do meanwhile it does not mean to do.
    private func letOthersWork(_ times: Int = 30) throws {
        let server = try other ?? serve { connection in
            while connection.readRequest() != nil { connection.respond(text: "here") }
        }
        other = server
        for _ in 0..<times { XCTAssertEqual(try response(get(server.http)).body, Array("here".utf8)) }
    }

    private func isOver(_ events: [String]) -> Bool { events.last?.hasPrefix("ended") ?? false }

    func testAStreamWaitsWhileItsOwnerTakesNothing() throws {
        let server = try streaming()
        let (intake, sink) = (Intake(), Sink())
        let shutAt = Mutex(0)
        _ = network.openStream(get(server.http), for: intake) { event in
            sink.take(event)
            let count = sink.state.pieces
            shutAt.withLock { limit in
                guard count == limit + 1 else { return }
                limit = count + 100
                intake.shut()
            }
        }
        sink.events.wait { $0.contains("bytes") }
        try letOthersWork()
        XCTAssertEqual(sink.state.pieces, 1, "nothing comes behind the piece that was one too many")
        network.open(intake)
        sink.events.wait { $0.count >= 1 + 102 }
        try letOthersWork()
        XCTAssertEqual(sink.state.pieces, 102)
        while !isOver(sink.events.all) {
            shutAt.withLock { $0 = Int.max - 1 }
            network.open(intake)
            sink.events.wait(until: isOver)
        }
        XCTAssertEqual(sink.events.all.last, "ended")
        XCTAssertEqual(sink.state.received, IntakeTests.size)
        XCTAssertTrue(sink.state.isRight)
    }

    /// Each time that there is room those go on that waited longest.
    func testThoseThatWaitTakeTurns() throws {
        let server = try streaming(1 << 20)
        let (intake, sinks, told) = (Intake(), [Sink(), Sink(), Sink()], Collected<Bool>())
        intake.shut()
        for sink in sinks {
            _ = network.openStream(get(server.http), for: intake) { event in
                sink.take(event)
                if case .bytes = event { intake.shut() }
                told.append(true)
            }
        }
        told.wait(count: 3)
        try letOthersWork()
        XCTAssertEqual(sinks.map(\.events.all), [["opened"], ["opened"], ["opened"]])
        var rounds = 0
        while !sinks.allSatisfy({ isOver($0.events.all) }), rounds < 100_000 {
            let before = told.all.count
            network.open(intake)
            told.wait(1) { $0.count > before }
            // The one that had its turn comes to wait again.
            try letOthersWork(1)
            rounds += 1
            guard rounds == 30 else { continue }
            let pieces = sinks.map(\.state.pieces)
            XCTAssertTrue(pieces.allSatisfy { $0 >= 5 }, "\(pieces)")
        }
        for sink in sinks {
            XCTAssertEqual(sink.events.all.last, "ended")
            XCTAssertEqual(sink.state.received, 1 << 20)
            XCTAssertTrue(sink.state.isRight)
        }
    }

    func testAStreamThatWaitsEnds() throws {
        let server = try streaming()
        let (intake, cancelled) = (Intake(), Sink())
        let id = network.openStream(get(server.http), for: intake) { event in
            cancelled.take(event)
            if case .bytes = event { intake.shut() }
        }
        cancelled.events.wait { $0.contains("bytes") }
        try letOthersWork(3)
        network.cancel(id)
        XCTAssertEqual(cancelled.events.wait(until: isOver).last, "ended cancelled")
        // The next one that uses what it left is not held.
        network.open(intake)
        let sink = Sink()
        _ = network.openStream(get(try streaming(1 << 20).http), for: intake) { sink.take($0) }
        XCTAssertEqual(sink.events.wait(until: isOver).last, "ended")
        XCTAssertTrue(sink.state.isRight)
    }

    // MARK: WebSockets

    private static let count = 25_000
    private static func text(_ number: Int) -> String { "\(number) " + String(repeating: "x", count: 600) }

    private func chatting(_ end: @escaping @Sendable (TestConnection) -> Void = { _ in }) throws -> TestServer {
        try serve { connection in
            guard let peer = TestWebSocketPeer.accept(connection) else { return }
            for number in 0..<IntakeTests.count {
                peer.codec.sendText(Array(IntakeTests.text(number).utf8))
                if number % 100 == 99 { peer.flush() }
            }
            end(connection)
            peer.echo()
        }
    }

    /// Texts in their order until all were there, or not.
    private final class Texts: @unchecked Sendable {
        let events = Collected<String>()
        private let next = Atomic<Int>(0)

        func take(_ event: SocketEvent) {
            switch event {
            case .opened: break
            case .text(let bytes):
                let number = next.load(ordering: .relaxed)
                guard bytes == Array(IntakeTests.text(number).utf8) else { return events.append("wrong text") }
                next.store(number + 1, ordering: .relaxed)
                if number == 0 { events.append("first") }
                if number == IntakeTests.count - 1 { events.append("all") }
            case .closed(let failure): events.append("closed \(failure.kind) \(failure.code)")
            }
        }

        var count: Int { next.load(ordering: .relaxed) }
    }

    private func wait(_ url: String, caFile: String? = nil) throws {
        let (intake, texts) = (Intake(), Texts())
        var options = WebSocketOptions(url: url)
        options.caFile = caFile
        let id = network.openSocket(options, for: intake) { event in
            texts.take(event)
            if texts.count == 1 { intake.shut() }
        }
        texts.events.wait(count: 1)
        try letOthersWork(3)
        let count = texts.count
        // What was in the buffer of one turn.
        XCTAssertLessThan(count, (256 << 10) / 600)
        try letOthersWork()
        XCTAssertEqual(texts.count, count)
        network.open(intake)
        XCTAssertEqual(texts.events.wait(count: 2), ["first", "all"])
        network.closeSocket(id)
        XCTAssertEqual(texts.events.wait(count: 3).last, "closed closed 1000")
    }

    func testASocketWaits() throws { try wait(try chatting().ws) }

    func testASocketWaitsUnderTLS() throws {
        let tls = try TestTLS(target: try chatting().port)
        atEnd { tls.stop() }
        try wait("wss://localhost:\(tls.port)/", caFile: tls.caFile)
    }

    /// Whoever is not listened to is not silent.
    func testASocketThatWaitsIsNotGivenUp() throws {
        let (intake, texts) = (Intake(), Texts())
        var options = WebSocketOptions(url: try chatting().ws)
        options.idleMS = 100
        _ = network.openSocket(options, for: intake) { event in
            texts.take(event)
            if texts.count == 1 { intake.shut() }
        }
        texts.events.wait(count: 1)
        // Its time begins later, and is as long.
        for _ in 0..<2 {
            let mute = try serve { connection in
                guard TestWebSocketPeer.accept(connection) != nil else { return }
                while !connection.read().isEmpty {}
            }
            options.url = mute.ws
            XCTAssertEqual(try SocketProbe(network, options).waitClosed().kind, .timedOut)
        }
        XCTAssertEqual(texts.events.all, ["first"])
        network.open(intake)
        XCTAssertEqual(texts.events.wait { $0.contains("all") }.prefix(2), ["first", "all"])
    }

    func testASocketThatWaitsIsClosed() throws {
        let (intake, texts) = (Intake(), Texts())
        var options = WebSocketOptions(url: try chatting().ws)
        options.closeTimeoutMS = 60_000 // The close is what is looked at, and not how fast a busy machine reads.
        let id = network.openSocket(options, for: intake) { event in
            texts.take(event)
            if texts.count == 1 { intake.shut() }
        }
        texts.events.wait(count: 1)
        try letOthersWork(3)
        let count = texts.count
        network.closeSocket(id, code: 4001)
        // The peer reads our close frame when it has written all that it has, which is read for it and given to nobody.
        XCTAssertEqual(texts.events.wait(count: 2), ["first", "closed closed 4001"])
        XCTAssertEqual(texts.count, count)
    }

    /// A peer that goes while nobody listens is found gone afterwards, behind all that it has said.
    func testASocketThatWaitsIsLost() throws {
        let (intake, texts, gone) = (Intake(), Texts(), Collected<Bool>())
        let server = try serve { connection in
            guard let peer = TestWebSocketPeer.accept(connection) else { return }
            for number in 0..<1000 { peer.codec.sendText(Array(IntakeTests.text(number).utf8)) }
            peer.flush()
            connection.close()
            gone.append(true)
        }
        let id = network.openSocket(WebSocketOptions(url: server.ws), for: intake) { event in
            texts.take(event)
            if texts.count == 1 { intake.shut() }
        }
        texts.events.wait(count: 1)
        gone.wait(count: 1)
        // What cannot be written is found out while nothing is read.
        for _ in 0..<20 {
            network.sendText(id, [UInt8](repeating: 120, count: 1 << 20))
            try letOthersWork(2)
        }
        XCTAssertEqual(texts.events.all, ["first"])
        network.open(intake)
        let last = try XCTUnwrap(texts.events.wait(count: 2).last)
        XCTAssertTrue(last.hasPrefix("closed closed"), last)
    }
}
