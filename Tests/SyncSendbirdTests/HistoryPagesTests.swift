import SyncModel
import XCTest

@testable import SyncSendbird

/// Which stretch of history an answer covers. Messages are written `id@time`, `?` is a row that cannot be read; a page
/// comes out as its ids, and `first start...end newest`.
final class HistoryPagesTests: XCTestCase {
    private func position(_ text: Substring) -> MessagePosition {
        let parts = text.split(separator: "@").compactMap { Int64($0) }
        return MessagePosition(order: parts[1], tie: parts[0])
    }

    private func rows(_ text: String) -> HistoryPages.Rows {
        var rows = HistoryPages.Rows()
        for word in text.split(separator: " ") {
            guard word != "?" else {
                rows.append(nil)
                continue
            }
            let place = position(word)
            rows.append(MessageRecord(id: "\(place.tie)", position: place, json: Array(word.utf8)))
        }
        rows.settle()
        return rows
    }

    private func text(_ page: MessagePage?) -> String { page.map(Described.text) ?? "of no use" }

    func testOlderPages() {
        let cases: [(edge: String, rows: String, page: String)] = [
            // Full: the stretch goes to the farthest row, and not beyond it.
            ("9@90", "6@60 7@70 9@90", "[6, 7, 9] 6@60...9@90"),
            // Not full: there is nothing before.
            ("9@90", "7@70 9@90", "[7, 9] first 7@70...9@90"),
            ("9@90", "9@90", "[9] first 9@90...9@90"),
            // Nothing at all: nothing is before the edge.
            ("9@90", "", "[] first 9@90...9@90"),
            // The edge's message is gone: the edge stays.
            ("9@90", "5@50 6@60 7@70", "[5, 6, 7] 5@50...9@90"),
            ("9@90", "7@70", "[7] first 7@70...9@90"),
            // Others of the edge's time, on both sides of it.
            ("5@90", "4@90 5@90 7@90", "[4, 5, 7] 4@90...7@90"),
            ("5@90", "6@60 5@90 7@90 8@90", "[6, 5, 7, 8] 6@60...8@90"),
            // More ties at the edge than the limit, and nothing before: asked again it would be the same page.
            ("5@90", "5@90 6@90 7@90 8@90", "[5, 6, 7, 8] first 5@90...8@90"),
            ("1@90", "2@90 3@90 4@90", "[2, 3, 4] first 1@90...4@90"),
            // Ties at the far edge that were cut off are outside.
            ("9@90", "4@50 5@50 6@60", "[4, 5, 6] 4@50...9@90"),
            // Newer ones were not asked for.
            ("9@90", "7@70 9@90 10@91 11@92", "[7, 9] 7@70...9@90"),
            // Any order, and twice.
            ("9@90", "9@90 6@60 7@70", "[6, 7, 9] 6@60...9@90"),
            ("9@90", "7@70 9@90 7@70", "[7, 9] first 7@70...9@90"),
            // Rows that cannot be read are there.
            ("9@90", "? 7@70 9@90", "[7, 9] 7@70...9@90"),
            ("9@90", "? ? 9@90", "of no use"),
            ("9@90", "? ? ?", "of no use"),
            ("9@90", "? ?", "[] first 9@90...9@90"),
        ]
        for (edge, answer, page) in cases {
            let edge = HistoryEdge(position(edge[...]))
            XCTAssertEqual(text(HistoryPages.page(rows(answer), from: edge, .previous, limit: 3)), page, answer)
        }
    }

    func testNewerPages() {
        let cases: [(edge: String, rows: String, page: String)] = [
            ("1@10", "1@10 2@20 3@30", "[1, 2, 3] 1@10...3@30"),
            ("1@10", "1@10 2@20", "[1, 2] 1@10...2@20 newest"),
            ("1@10", "", "[] 1@10...1@10 newest"),
            ("1@10", "2@20 3@30 4@40", "[2, 3, 4] 1@10...4@40"),
            ("5@10", "4@10 5@10 6@10", "[4, 5, 6] 4@10...6@10"),
            ("6@10", "4@10 5@10 6@10", "[4, 5, 6] 4@10...6@10 newest"),
            ("9@10", "4@10 5@10 6@10", "[4, 5, 6] 4@10...9@10 newest"),
            ("3@10", "1@8 2@9 3@10 4@40", "[3, 4] 3@10...4@40"),
            ("1@10", "1@10 ? 3@30", "[1, 3] 1@10...3@30"),
            ("1@10", "1@10 ? ?", "of no use"),
        ]
        for (edge, answer, page) in cases {
            let edge = HistoryEdge(position(edge[...]))
            XCTAssertEqual(text(HistoryPages.page(rows(answer), from: edge, .next, limit: 3)), page, answer)
        }
    }

    func testPagesAboutATime() {
        let cases: [(time: Int64, rows: String, page: String)] = [
            (50, "", "[] first nothing newest"),
            (50, "5@50", "[5] first 5@50...5@50 newest"),
            (50, "3@30 4@40 6@60 7@70", "[3, 4, 6, 7] 3@30...7@70"),
            (50, "4@40 6@60 7@70", "[4, 6, 7] first 4@40...7@70"),
            (50, "3@30 4@40 6@60", "[3, 4, 6] 3@30...6@60 newest"),
            // What stands at the time itself may have been taken off either limit.
            (50, "4@40 5@50 6@60", "[4, 5, 6] 4@40...6@60"),
            (50, "5@50 6@50", "[5, 6] 5@50...6@50"),
            (Int64.max, "8@80 9@90", "[8, 9] 8@80...9@90 newest"),
            (Int64.max, "9@90", "[9] first 9@90...9@90 newest"),
            (Int64.max, "", "[] first nothing newest"),
            (Int64.max, "? 9@90", "[9] 9@90...9@90 newest"),
            (50, "?", "of no use"),
            (50, "? 4@40", "[4] 4@40...4@40 newest"),
        ]
        for (time, answer, page) in cases {
            XCTAssertEqual(text(HistoryPages.page(rows(answer), around: time, limit: 2)), page, answer)
        }
    }

    func testGaps() {
        let cases: [(end: String, rows: String, hasMore: Bool?, page: String)] = [
            ("5@50", "", false, "[] 5@50...5@50 newest"),
            ("5@50", "", true, "[] 5@50...5@50"),
            ("5@50", "5@50 6@60", false, "[5, 6] 5@50...6@60 newest"),
            ("5@50", "5@50 6@60", true, "[5, 6] 5@50...6@60"),
            // Not said is not sure.
            ("5@50", "5@50 6@60", nil, "[5, 6] 5@50...6@60"),
            ("5@50", "4@50 6@60", false, "[4, 6] 4@50...6@60 newest"),
            ("5@50", "3@30 6@60", false, "[6] 5@50...6@60 newest"),
        ]
        for (end, answer, hasMore, page) in cases {
            let edge = HistoryEdge(position(end[...]))
            XCTAssertEqual(text(HistoryPages.fill(rows(answer), from: edge, hasMore: hasMore)), page, answer)
        }
    }

    /// A service that pages as it says, with few times and many messages: ties everywhere.
    private struct Service {
        let history: [MessagePosition]
        let limit: Int

        func rows(_ time: Int64, before: Int, after: Int) -> HistoryPages.Rows {
            let older = Array(history.filter { $0.order < time }.suffix(before))
            let newer = Array(history.filter { $0.order > time }.prefix(after))
            var rows = HistoryPages.Rows()
            for place in older + history.filter({ $0.order == time }) + newer {
                rows.append(MessageRecord(id: "\(place.tie)", position: place, json: []))
            }
            rows.settle()
            return rows
        }

        func page(around time: Int64) -> MessagePage? {
            HistoryPages.page(rows(time, before: limit, after: limit), around: time, limit: limit)
        }

        func page(from edge: HistoryEdge, _ direction: PageDirection) -> MessagePage? {
            let isPrevious = direction == .previous
            return HistoryPages.page(
                rows(edge.position.order, before: isPrevious ? limit : 0, after: isPrevious ? 0 : limit), from: edge,
                direction, limit: limit)
        }

        /// What a page calls complete and does not have.
        func missing(in page: MessagePage) -> [MessagePosition] {
            let held = Set(page.messages.map(\.position))
            return history.filter { place in
                let isCovered = page.range.map {
                    ($0.start.position <= place || page.reachedFirst)
                        && (place <= $0.end.position || page.reachedNewest)
                }
                return isCovered ?? true && !held.contains(place)
            }
        }
    }

    /// Whatever the history: what is called complete is complete, what is called the end is the end, and walking from
    /// page to page comes there.
    func testNothingIsCalledCompleteThatIsNot() throws {
        var state: UInt64 = 11
        func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        for round in 0..<2000 {
            let history = (0..<below(30)).map { MessagePosition(order: Int64(below(8)) * 10, tie: Int64($0)) }
            let service = Service(history: history.sorted(), limit: 1 + below(5))
            let first = try XCTUnwrap(service.page(around: Int64(below(80))), "round \(round)")
            XCTAssertEqual(service.missing(in: first), [], "round \(round)")
            guard let range = first.range else {
                XCTAssertTrue(history.isEmpty && first.reachedFirst && first.reachedNewest, "round \(round)")
                continue
            }
            for direction in [PageDirection.previous, .next] {
                var (page, edge) = (first, direction == .previous ? range.start : range.end)
                var steps = 0
                while !(direction == .previous ? page.reachedFirst : page.reachedNewest) {
                    page = try XCTUnwrap(service.page(from: edge, direction), "round \(round)")
                    XCTAssertEqual(service.missing(in: page), [], "round \(round) \(direction) from \(edge)")
                    let range = try XCTUnwrap(page.range, "round \(round)")
                    XCTAssertTrue(
                        range.start.position <= edge.position && edge.position <= range.end.position, "round \(round)")
                    edge = direction == .previous ? range.start : range.end
                    steps += 1
                    guard steps <= history.count + 1 else { return XCTFail("round \(round) does not end") }
                }
                let end = direction == .previous ? service.history.first : service.history.last
                XCTAssertEqual(edge.position, end, "round \(round) \(direction)")
            }
        }
    }
}
