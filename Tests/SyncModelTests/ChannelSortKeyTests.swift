import SyncJSON
import SyncModel
import XCTest

final class ChannelSortKeyTests: XCTestCase {
    private func channel(
        _ url: String, name: String = "", created: Int64 = 0, last: Int64? = nil, metadata: String = "{}"
    ) -> ChannelRecord {
        ChannelRecord(
            url: ChannelURL(url), name: name, createdAt: created,
            lastMessage: last.map { MessageReference(id: "1", position: MessagePosition(order: $0, tie: 1)) },
            json: Array(#"{"channel_url":"\#(url)","metadata":\#(metadata)}"#.utf8))
    }

    /// Sorts every rotation of the channels, so that no order of arrival is lucky.
    private func assertOrder(
        _ query: ChannelQuery, _ channels: [ChannelRecord], file: StaticString = #filePath, line: UInt = #line
    ) {
        for shift in channels.indices {
            let rotated = Array(channels[shift...] + channels[..<shift]).reversed()
            XCTAssertEqual(
                rotated.sorted(by: query.areInIncreasingOrder).map(\.url), channels.map(\.url), "rotation \(shift)",
                file: file, line: line)
        }
        for (index, channel) in channels.enumerated() {
            XCTAssertFalse(query.areInIncreasingOrder(channel, channel), file: file, line: line)
            for later in channels[(index + 1)...] {
                XCTAssertTrue(ChannelSortKey(query, channel) < ChannelSortKey(query, later), file: file, line: line)
                XCTAssertFalse(ChannelSortKey(query, later) < ChannelSortKey(query, channel), file: file, line: line)
            }
        }
    }

    func testLatestLastMessage() {
        assertOrder(ChannelQuery(), [
            channel("new", created: 1, last: 900),
            channel("tie-a", created: 5, last: 500),
            channel("tie-b", created: 9, last: 500),
            channel("old", created: 800, last: 100),
            channel("empty-new", created: 2_000),
            channel("empty-tie-a", created: 1_000),
            channel("empty-tie-b", created: 1_000),
            channel("empty-old", created: 3),
        ])
    }

    func testChronological() {
        var query = ChannelQuery()
        query.order = .chronological
        assertOrder(query, [
            channel("c", created: 30, last: 1), channel("a", created: 20), channel("b", created: 20, last: 999),
            channel("d", created: 10, last: 5_000),
        ])
    }

    func testNamesByScalarsAndEmptyOnesLast() {
        var query = ChannelQuery()
        query.order = .channelNameAlphabetical
        assertOrder(query, [
            channel("1", name: "Alpha"), channel("2", name: "Alphabet"), channel("3", name: "Beta"),
            channel("4", name: "Beta"), channel("5", name: "alpha"), channel("6", name: "Ä"),
            channel("7", name: "\u{FFFD}"),
            channel("8", name: "\u{1F600}"), channel("0"), channel("9"),
        ])
    }

    /// Composed and decomposed letters are equal texts to Swift, yet stand far apart by scalars: still a total order.
    func testNamesThatAreCanonicallyEqual() {
        var query = ChannelQuery()
        query.order = .channelNameAlphabetical
        assertOrder(query, [channel("2", name: "A\u{308}"), channel("3", name: "B"), channel("1", name: "\u{C4}")])
    }

    func testMetadataValuesAndMissingOnesLast() {
        var query = ChannelQuery()
        query.order = .metadataValueAlphabetical
        query.metadataOrderKey = "rank"
        assertOrder(query, [
            channel("e", metadata: #"{"rank":""}"#), channel("d", metadata: #"{"rank":"1"}"#),
            channel("a", metadata: #"{"rank":"10"}"#), channel("b", metadata: #"{"rank":"10"}"#),
            channel("c", metadata: #"{"rank":"9"}"#), channel("f", metadata: #"{"other":"0"}"#), channel("g"),
        ])
    }
}
