import SyncModel
import XCTest

@testable import SyncEngine

/// Fetches of channels while a part of the account is cached, and how waiting calls end before their answer.
final class FetchTests: EngineTestCase {
    private func names(_ range: Range<Int>) -> [String] { range.map { "n\(1000 + $0)" } }

    private func page(_ range: Range<Int>, next: String) -> ServiceReply {
        .channels(ChannelPage(channels: names(range).map { EngineTestCase.channel(ChannelURL($0)) }, next: next))
    }

    private func isOwnPage(_ request: ServiceRequest) -> Bool {
        if case .listChannels(let query, _, _) = request { query.order == .channelNameAlphabetical } else { false }
    }

    @discardableResult
    private func cancel(_ call: CallID) -> Status? {
        let end = newCall()
        let request = ActionCall.Value.integer(Int64(clamping: call.number))
        command(.call(end, .action(ActionCall(action: .library(.cancel), arguments: ["request": request]))))
        return host.status(end)
    }

    /// Cached are every second channel from 0 to 20, and the listing goes on.
    private func begin() throws {
        try cache.channels.upsert((0..<10).map { EngineTestCase.channel(ChannelURL(names($0 * 2..<$0 * 2 + 1)[0])) })
        start()
        var query = ChannelQuery()
        query.order = .channelNameAlphabetical
        query.limit = 4
        command(.post(.openChannelCollection(id: 1, query: query)))
        connect()
    }

    func testTheCacheComesFirstAndThePageCorrectsIt() throws {
        try begin()
        let call = fetch(1, .next)
        XCTAssertEqual(host.ids(1, .channels), ["n1000", "n1002", "n1004", "n1006"])
        XCTAssertNil(host.status(call))
        answer(page(0..<4, next: "more"), to: isOwnPage)
        wait(0)
        XCTAssertEqual(host.ids(1, .channels), names(0..<4))
        XCTAssertEqual(host.status(call), .ok)
        fetch(1, .next)
        XCTAssertEqual(host.ids(1, .channels), names(0..<4) + ["n1004", "n1006", "n1008", "n1010"])
        answer(page(4..<7, next: ""), to: isOwnPage)
        wait(0)
        // Behind its last page the service has nothing to say of what is cached.
        XCTAssertEqual(host.ids(1, .channels), names(0..<7) + ["n1008", "n1010"])
    }

    func testAFetchThatIsHeldBackForLongEndsWithTheCache() throws {
        try begin()
        answer(EngineTestCase.failure(.rateLimited(retryAfter: 3_600_000), 500_910)) {
            if case .listChannels = $0 { true } else { false }
        }
        let call = fetch(1, .next)
        wait(29_999)
        XCTAssertNil(host.status(call))
        wait(1)
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.results[call]?.short, .error)
        XCTAssertEqual(host.ids(1, .channels).count, 4)
    }

    func testAPageThatNobodyWaitsForServesTheNextFetch() throws {
        try begin()
        let first = fetch(1, .next)
        XCTAssertEqual(cancel(first), .ok)
        XCTAssertEqual(host.status(first), .canceled)
        XCTAssertEqual(cancel(first), .notFound)
        let second = fetch(1, .next)
        XCTAssertEqual(asked(isOwnPage).count, 1)
        answer(page(0..<4, next: "more"), to: isOwnPage)
        wait(0)
        XCTAssertEqual(host.status(second), .ok)
        XCTAssertEqual(Array(host.ids(1, .channels).prefix(4)), names(0..<4))
        XCTAssertEqual(cancel(fetch(1, .next)), .ok)
        answer(page(4..<8, next: "most"), to: isOwnPage)
        wait(0)
        // What came for nobody moves nothing on.
        fetch(1, .next)
        guard case .listChannels(_, "more", _)? = asked(isOwnPage).first else { return XCTFail("\(asked(isOwnPage))") }
    }

    func testAFetchOfMessagesIsCanceled() {
        start()
        openMessages(1, "c")
        connect()
        let call = fetch(1, .previous)
        XCTAssertNil(host.status(call))
        XCTAssertEqual(cancel(call), .ok)
        XCTAssertEqual(host.status(call), .canceled)
        serve(channels: [EngineTestCase.channel("c")], messages: ["c": [EngineTestCase.message(1)]])
        XCTAssertEqual(host.ids(1), [])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1"])
    }

    func testACanceledSendIsGivenUp() {
        start()
        openMessages(1, "c")
        let call = send(1, "r")
        XCTAssertEqual(host.ids(1, .pending), ["r"])
        XCTAssertEqual(cancel(call), .ok)
        XCTAssertEqual(host.status(call), .canceled)
        let told = host.results[call]?.message.map { String(decoding: $0, as: UTF8.self) } ?? ""
        XCTAssertTrue(told.contains(#""status":"canceled""#), told)
        XCTAssertEqual(host.ids(1, .pending), [])
        connect()
        serve(channels: [EngineTestCase.channel("c")])
        XCTAssertTrue(everAsked.allSatisfy { if case .sendMessage = $0 { false } else { true } })
    }

    func testAConnectThatIsNotWaitedForGoesOn() {
        start()
        let call = newCall()
        command(.call(call, .connect))
        XCTAssertEqual(cancel(call), .ok)
        XCTAssertEqual(host.status(call), .canceled)
        event(.connected(SessionInfo(userID: "mei", loginTime: EngineTestCase.wall)))
        XCTAssertTrue(
            host.events.contains { if case .client(.connection(.connected, _, _)) = $0 { true } else { false } })
    }
}
