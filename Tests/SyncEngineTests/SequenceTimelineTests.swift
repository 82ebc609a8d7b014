import SyncModel
import XCTest

@testable import SyncEngine

/// What is asked of a service that places messages by sequence.
final class SequenceTimelineTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// Messages with a token before the first and behind the last.
    private func page(_ ids: ClosedRange<Int64>, reachedNewest: Bool = false) -> MessagePage {
        let messages = ids.map { Case.message($0) }
        return MessagePage(
            messages: messages,
            range: (
                HistoryEdge(Case.message(ids.lowerBound).position, token: "t\(ids.lowerBound)"),
                HistoryEdge(Case.message(ids.upperBound).position, token: "t\(ids.upperBound + 1)")
            ), reachedFirst: false, reachedNewest: reachedNewest)
    }

    /// Shows message 3 and what is around it; the stream holds 5 and 6, and the page runs into it.
    private func show() {
        start(
            capabilities: ServiceCapabilities(
                channelChanges: .inStream, messageChanges: .inStream, hasGapCheck: false, placement: .bySequence))
        connect()
        let newest = page(5...6, reachedNewest: true)
        event(.batch([.hole(channelURL: "c", older: "", newer: newest)], resume: "1"))
        openMessages(1, "c", viewpoint: Case.wall + 3000)
        fetch(1, .previous)
        fetch(1, .next)
        answer(.messages(page(2...5))) { if case .messagesAround = $0 { true } else { false } }
    }

    private var edges: [ServiceRequest] { asked { if case .edge = $0 { true } else { false } } }

    private func newer(than token: String) -> [ServiceRequest] {
        asked { if case .messages(_, let edge, .next, _, _, _) = $0 { edge.token == token } else { false } }
    }

    func testALostTokenIsFoundByTheMessageAtTheEdge() {
        show()
        XCTAssertEqual(host.ids(1), ["2", "3", "4"])
        XCTAssertEqual(edges, [.edge(channelURL: "c", messageID: "4", direction: .next)])
        answer(.edge(token: "t5")) { edges.contains($0) }
        guard case .messages(_, let edge, .next, _, _, let until?) = newer(than: "t5").first else {
            return XCTFail("no page is asked for from the token that was found")
        }
        XCTAssertEqual(until.token, "t5")
        answer(.messages(MessagePage(
            messages: [], range: (edge, until), reachedFirst: false, reachedNewest: false))) {
            newer(than: "t5").contains($0)
        }
        XCTAssertEqual(host.ids(1), ["2", "3", "4", "5", "6"])
    }

    /// The message at the edge is gone: what is around the place is asked for again.
    func testAnEdgeWhoseMessageIsGoneIsNone() {
        show()
        answer(Case.failure(.notFound)) { edges.contains($0) }
        XCTAssertEqual(edges, [])
        // The page towards older that is under way goes on from an edge that is none any more.
        answer(.messages(page(1...2))) {
            if case .messages(_, _, .previous, _, _, _) = $0 { true } else { false }
        }
        XCTAssertEqual(host.ids(1), ["2", "3", "4"])
        XCTAssertEqual(asked { if case .messagesAround = $0 { true } else { false } }.count, 1)
    }
}
