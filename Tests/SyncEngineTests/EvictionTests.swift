import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// A host that is asked which channels lose messages first.
final class EvictionTests: EngineTestCase {
    private typealias T = EngineTestCase

    /// Three channels of twelve messages are more than the bound, and two of them less.
    private func begin(_ order: EngineOptions.Eviction = .host, closing: Bool = true) {
        start {
            $0.cacheLimit = 8_200
            $0.cacheFloor = 1
            $0.evictionOrder = order
        }
        connect()
        serve(channels: urls.map { T.channel($0) })
        for (index, url) in urls.enumerated() { fill(url, CollectionID.host(UInt64(index + 1)), closing: closing) }
        wait(10)
    }

    private let urls: [ChannelURL] = ["a", "b", "c"]

    private func fill(_ url: ChannelURL, _ id: CollectionID, closing: Bool) {
        let messages = (1...12).map { T.message($0, in: url) }
        openMessages(id, url)
        serve(channels: urls.map { T.channel($0) }, messages: [url: messages])
        fetch(id, .previous)
        serve(channels: urls.map { T.channel($0) }, messages: [url: messages])
        if closing { command(.post(.removeCollection(id: id))) }
        wait(1)
    }

    private var questions: [[CacheFull.Candidate]] {
        host.events.compactMap { if case .client(.cacheFull(let full)) = $0 { full.candidates } else { nil } }
    }

    private var gone: [ChannelURL] {
        host.events.compactMap { if case .client(.cacheTrimmed(let url, _, _)) = $0 { url } else { nil } }
    }

    private func evict(_ list: [String]) -> Status? {
        let call = newCall()
        command(.call(
            call, .action(ActionCall(action: .library(.evict), arguments: ["channel_urls": .texts(list)]))))
        return host.status(call)
    }

    func testTheChannelsThatTheHostNamesGoFirst() {
        begin()
        XCTAssertEqual(questions.map { $0.map(\.channelURL) }, [["a", "b", "c"]])
        XCTAssertEqual(questions[0].map(\.usage.messages), [12, 12, 12])
        XCTAssertEqual(gone, [], "the answer is waited for")
        XCTAssertEqual(evict(["nowhere", "c", "b", "c"]), .ok)
        wait(10)
        XCTAssertEqual(gone, ["c", "b"])
        XCTAssertEqual(evict(["a"]), .notFound, "there is room")
        wait(10_000)
        XCTAssertEqual(questions.count, 1)
        XCTAssertEqual(gone, ["c", "b"])
    }

    /// What the host names is not enough: those used longest ago go next.
    func testBehindTheNamedChannelsThoseUsedLongestAgoGo() {
        begin()
        XCTAssertEqual(evict(["b"]), .ok)
        wait(10)
        XCTAssertEqual(gone, ["b", "a"])
    }

    func testWithoutAnAnswerThoseUsedLongestAgoGo() {
        begin()
        wait(4_900)
        XCTAssertEqual(gone, [])
        wait(200)
        XCTAssertEqual(gone, ["a", "b"])
        XCTAssertEqual(evict(["c"]), .notFound, "it comes too late")
    }

    func testAnEmptyListDoesNotWait() {
        begin()
        XCTAssertEqual(evict([]), .ok)
        wait(10)
        XCTAssertEqual(gone, ["a", "b"])
    }

    func testAQuestionEndsWithItsSession() {
        begin()
        loseConnection()
        XCTAssertEqual(evict(["c"]), .notFound)
        wait(20_000)
        XCTAssertEqual(gone, [])
        connect()
        serve(channels: urls.map { T.channel($0) })
        wait(10)
        XCTAssertEqual(questions.count, 2)
        XCTAssertEqual(evict(["c"]), .ok)
        wait(10)
        XCTAssertEqual(gone, ["c", "a"])
    }

    /// A channel that is opened while the answer is awaited keeps all, whatever the host names.
    func testAChannelThatIsOpenedMeanwhileStays() {
        begin()
        openMessages(9, "c")
        XCTAssertEqual(evict(["c"]), .ok)
        wait(10)
        XCTAssertEqual(gone, ["a", "b"])
    }

    func testOfOpenChannelsNobodyIsAsked() {
        begin(closing: false)
        wait(10_000)
        XCTAssertEqual(questions.count, 0)
        XCTAssertEqual(gone, [])
    }

    func testWhenTheClientClosesNothingGoes() {
        begin()
        command(.post(.pauseSync))
        XCTAssertEqual(gone, [])
        close([.call(.host(7), .action(ActionCall(
            action: .library(.evict), arguments: ["channel_urls": .texts(["c"])])))])
        XCTAssertEqual(host.status(.host(7)), .closed)
        XCTAssertEqual(gone, [])
    }

    func testTheUsualOrderAsksNobody() {
        begin(.lastOpened)
        XCTAssertEqual(questions.count, 0)
        XCTAssertEqual(gone, ["a", "b"])
    }
}
