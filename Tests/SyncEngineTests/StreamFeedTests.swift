import SyncModel
import SyncRealtime
import SyncStore
import SyncTree
import XCTest

@testable import SyncEngine
@testable import SyncStreams

/// Streams over what the engine syncs.
final class StreamFeedTests: EngineTestCase {
    private typealias Case = EngineTestCase

    private var shown: [String] { engine.shownStream(1)?.added.map(\.key) ?? [] }

    private func loads() -> [Status?] {
        host.events.compactMap { event -> Status?? in
            if case .collection(1, .stream(.loaded(let failure))) = event { .some(failure?.status) } else { nil }
        }
    }

    /// The channel could not be read when the stream was opened: with the next login it is (simulation, seed 9737).
    func testAStreamThatTheDiskFailedIsLoadedWithTheNextLogin() throws {
        start()
        cache.setStatementHook { _ throws(StoreError) in throw .full }
        var spec = StreamSpec(source: .external(.messages(channelURL: "c", MessageFilter(), viewpoint: .max)))
        spec.batchDelay = nil
        command(.post(.openStream(id: 1, spec, function: nil)))
        XCTAssertEqual(loads(), [.storage])
        cache.setStatementHook(nil)
        connect()
        let messages = [Case.message(1), Case.message(2)]
        serve(channels: [Case.channel("c", last: messages[1])], messages: ["c": messages])
        XCTAssertEqual(shown, ["1", "2"])
    }

    /// The stream had shown the cache when a login began its first rows again, and another list of the channel, which
    /// was never fetched, lets the hole be closed from the newer side.
    func testAStreamOpenedOfflineBeginsAgainBehindAHugeGap() throws {
        let old = [Case.message(1), Case.message(2)]
        let new = [Case.message(8), Case.message(9)]
        start()
        openMessages(2, "c")
        connect()
        serve(channels: [Case.channel("c", last: old[1])], messages: ["c": old])
        loseConnection()
        var spec = StreamSpec(source: .external(.messages(channelURL: "c", MessageFilter(), viewpoint: .max)))
        spec.batchDelay = nil
        command(.post(.openStream(id: 1, spec, function: nil)))
        XCTAssertEqual(shown, ["1", "2"])
        connect()
        answer(.messageChanges(MessageChanges(updated: [], deletedIDs: [], hasMore: false, next: "log"))) {
            if case .messageChanges = $0 { true } else { false }
        }
        // Of everything, and of what the stream looks at.
        for _ in 0..<2 { answer(.gap(.huge)) { if case .messageGap = $0 { true } else { false } } }
        answer(.messages(Case.page(new, reachedFirst: false))) {
            if case .messagesAround = $0 { true } else { false }
        }
        XCTAssertEqual(shown, ["8", "9"])
        answer(.messages(Case.page([old[1], Case.message(5), new[0]], reachedFirst: false, reachedNewest: false))) {
            if case .messages = $0 { true } else { false }
        }
        serve(channels: [Case.channel("c", last: new[1])], messages: ["c": old + [Case.message(5)] + new])
        XCTAssertEqual(shown, ["1", "2", "5", "8", "9"])
        XCTAssertEqual(loads(), [nil])
    }

    /// Offline it shows as many as its limit says, in whole pages, when they are cached; the login brings no more.
    func testAStreamOpenedOfflineShowsItsLimitAndKeepsToIt() throws {
        let messages = (1...200).map { Case.message($0) }
        start()
        openMessages(2, "c")
        connect()
        serve(channels: [Case.channel("c", last: messages[199])], messages: ["c": messages])
        loseConnection()
        for (id, limit, rows) in [(1, nil, 30), (3, 10, 30), (4, 50, 60), (5, 100, 120)] as [(UInt64, Int?, Int)] {
            var spec = StreamSpec(source: .external(.messages(channelURL: "c", MessageFilter(), viewpoint: .max)))
            spec.batchDelay = nil
            spec.limit = limit
            command(.post(.openStream(id: id, spec, function: nil)))
            XCTAssertEqual(engine.shownStream(id)?.added.count, rows, "limit \(limit ?? 0), offline")
        }
        connect()
        serve(channels: [Case.channel("c", last: messages[199])], messages: ["c": messages])
        for (id, rows) in [(1, 30), (3, 30), (4, 60), (5, 120)] as [(UInt64, Int)] {
            XCTAssertEqual(engine.shownStream(id)?.added.count, rows, "stream \(id), after the login")
        }
    }

    // MARK: Over the database

    /// A stream over the children of /notes, and the event stream by which the service tells of them.
    private func openNotes() throws -> UInt64 {
        let spec = try StreamSpec(parsing: Array(#"{"source":{"database":{"path":"/notes"}},"batch_delay":null}"#.utf8))
        command(.post(.openStream(id: 1, spec, function: nil, place: DatabaseLocation(try TreePath("/notes")))))
        let opened = engine.takeDatabaseCommands().compactMap { command in
            if case .openStream(let stream, _) = command { stream } else { nil }
        }
        return try XCTUnwrap(opened.first)
    }

    private func put(_ stream: UInt64, _ data: String) {
        let event = "event: put\ndata: {\"path\":\"/\",\"data\":\(data)}\n\n"
        receive(database: .streamBytes(stream, Array(event.utf8)))
    }

    private func startWithDatabase() {
        start { $0.database = DatabaseSetup(DatabaseOptions(url: "http://db"), token: nil) }
    }

    /// The stream listens by itself: the host hears of its rows, and of nothing else.
    func testAStreamListensToThePlaceThatItShows() throws {
        startWithDatabase()
        let stream = try openNotes()
        XCTAssertTrue(host.results.isEmpty)
        put(stream, #"{"a":1,"b":2}"#)
        XCTAssertEqual(shown, ["a", "b"])
        XCTAssertEqual(loads(), [nil])
        XCTAssertEqual(host.events.filter { if case .client(.database) = $0 { true } else { false } }.count, 0)
        XCTAssertTrue(host.results.isEmpty)
        command(.post(.removeCollection(id: 1)))
        XCTAssertEqual(engine.takeDatabaseCommands(), [.closeStream(stream)])
        put(stream, #"{"a":1}"#)
        XCTAssertEqual(shown, [])
    }

    /// The host's listen and the stream's have one number, and each tells whose it is.
    func testAListenOfTheHostEndsWithoutTheStreams() throws {
        startWithDatabase()
        let stream = try openNotes()
        let notes = DatabaseLocation(try TreePath("/notes"))
        command(.call(1, .database(DatabaseRequest(.databaseListen, .listen(notes)))))
        put(stream, #"{"a":1}"#)
        let values = host.events.compactMap { event -> CallID? in
            if case .client(.database(.value(let listen, _, _))) = event { listen } else { nil }
        }
        XCTAssertEqual(values, [1])
        command(.call(2, .database(DatabaseRequest(.databaseUnlisten, .unlisten(1)))))
        XCTAssertEqual([1, 2].map { host.status($0) }, [.ok, .ok])
        put(stream, #"{"a":1,"b":2}"#)
        XCTAssertEqual(shown, ["a", "b"])
        command(.call(3, .database(DatabaseRequest(.databaseUnlisten, .unlisten(1)))))
        XCTAssertEqual(host.status(3), .notFound)
    }

    func testARefusedPlaceEmptiesTheStream() throws {
        startWithDatabase()
        let stream = try openNotes()
        let body = Array(#"{"error":"Permission denied"}"#.utf8)
        receive(database: .streamRefused(stream, TransportResponse(status: 401, headers: [], body: body)))
        XCTAssertEqual(loads(), [.service])
        XCTAssertEqual(host.events.filter { if case .client(.database) = $0 { true } else { false } }.count, 0)
    }
}
