import SyncModel
import XCTest

@testable import SyncEngine

/// The service asks for a pause: nothing jumps it, and all of it is done at its end.
final class ServicePauseTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// Clearing forgets what was asked about channels, but not that the service answers it with the wish for a pause.
    func testAPauseHoldsThatCameToSomethingForgotten() {
        startShowing([Case.message(1)])
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        XCTAssertEqual(asked(isGetChannel).count, 1)
        command(.call(newCall(), .action(ActionCall(action: .library(.clearChannels), arguments: [:]))))
        answer(Case.failure(.rateLimited(retryAfter: 60_000), 500_910), to: isGetChannel)
        send(1, "a")
        XCTAssertEqual(asked(isSend), [])
        wait(61_000)
        XCTAssertEqual(asked(isSend).count, 1)
    }

    /// What was cached is cleared while a page waits for the end of a pause, and the page is asked for again: the
    /// service is asked once.
    func testAPageThatWasGivenUpDuringAPauseIsNotAskedFor() {
        startShowing([Case.message(1)])
        send(1, "a")
        answer(Case.failure(.rateLimited(retryAfter: 60_000), 900_200), to: isSend)
        openMessages(3, "other")
        fetch(3, .previous)
        for _ in 0..<3 { command(.call(newCall(), .clearCache(channelURL: "other"))) }
        wait(61_000)
        let pages = everAsked.filter { if case .messagesAround("other", _, _, _) = $0 { true } else { false } }
        XCTAssertEqual(pages.count, 1)
    }

    /// After the service asked for a minute of quiet nothing is asked: no further send, no list, no page; and all of it
    /// is done when the minute is over, in order.
    func testNothingJumpsAPauseThatTheServiceAskedFor() throws {
        startShowing([Case.message(1)])
        let first = send(1, "a")
        answer(Case.failure(.rateLimited(retryAfter: 60_000), 900_200), to: isSend)
        XCTAssertEqual(host.status(first), .service)
        send(1, "b")
        command(.post(.openChannelCollection(id: 2, query: ChannelQuery())))
        let list = fetch(2, .next)
        openMessages(3, "other")
        fetch(3, .previous)
        XCTAssertEqual(asked { _ in true }, [])
        // What the cache has is served at once.
        XCTAssertEqual(host.status(list), .ok)
        XCTAssertEqual(host.ids(2, .channels), ["c"])
        wait(59_000)
        XCTAssertEqual(asked { _ in true }, [])
        wait(70_000)
        var sent: [RequestID] = []
        while let request = asked(isSend).first, case .sendMessage(_, let id, _) = request {
            sent.append(id)
            let number = Int64(10 + sent.count)
            answer(.message(Case.message(number, by: "mei", requestID: id))) { $0 == request }
        }
        XCTAssertEqual(sent, ["a", "b"])
        XCTAssertFalse(asked { if case .messageChanges("other", _) = $0 { true } else { !self.isSend($0) } }.isEmpty)
    }
}
