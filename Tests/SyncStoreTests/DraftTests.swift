import SyncModel
import SyncSQLite
import XCTest

@testable import SyncStore

/// Drafts on the disk: one of each channel and thread, and damaged ones set aside.
final class DraftTests: XCTestCase {
    private func draft(_ url: ChannelURL, _ parentID: MessageID, _ text: String, at time: Int64 = 1) -> StoredDraft {
        StoredDraft(
            channelURL: url, parentID: parentID, updatedAt: time, body: Array("{\"message\":\"\(text)\"}".utf8))
    }

    func testOneOfEachPlace() throws {
        let folder = try Folder()
        var store = try IntentStore(directory: folder.path)
        try store.keep(draft("a", "", "1"))
        try store.keep(draft("a", "5", "2"))
        try store.keep(draft("b", "", "3"))
        try store.keep(draft("a", "", "4", at: 9))
        store.close()
        store = try IntentStore(directory: folder.path)
        XCTAssertEqual(
            try store.drafts(), [draft("a", "", "4", at: 9), draft("a", "5", "2"), draft("b", "", "3")])
        try store.removeDraft(in: "a", parentID: "")
        try store.removeDraft(in: "a", parentID: "")
        try store.removeDraft(in: "b", parentID: "5")
        XCTAssertEqual(try store.drafts(), [draft("a", "5", "2"), draft("b", "", "3")])
        try store.removeAll()
        XCTAssertEqual(try store.drafts(), [])
    }

    func testEveryColumnOfADraft() throws {
        for damage in [
            "channel_url = 'c'", "parent_id = '6'", "updated_at = 3", "updated_at = 9223372036854775807",
            "checksum = 0", "body = '{}'",
        ] {
            let folder = try Folder()
            var store = try IntentStore(directory: folder.path)
            for url in ["a", "b"] as [ChannelURL] { try store.keep(draft(url, "5", "text")) }
            try store.connection.execute("UPDATE draft SET \(damage) WHERE channel_url = 'b'")
            store.close()
            store = try IntentStore(directory: folder.path)
            XCTAssertEqual(try store.drafts(), [draft("a", "5", "text")], damage)
            try store.setAsideDamaged()
            let url = damage.hasPrefix("channel") ? "c" : "b"
            let parentID = damage.hasPrefix("parent") ? "6" : "5"
            XCTAssertEqual(store.takeLost().some, [.draft(channelURL: url, parentID: parentID)], damage)
            let aside = try store.connection.prepare("SELECT count(*) FROM damaged_draft")
            XCTAssert(try aside.next() && aside.int(0) == 1, damage)
            aside.reset()
            try store.keep(draft("b", "5", "other"))
            XCTAssertEqual(try store.drafts().count, 2, damage)
        }
    }
}
