import Foundation
import XCTest

@testable import SyncStore

final class IntentStoreTests: XCTestCase {
    private func add(_ store: IntentStore, _ requestID: String, to channelURL: String = "c") throws -> Intent {
        try store.add(
            channelURL: channelURL, requestID: requestID, createdAt: 7, body: Array("{\"message\":\"é\"}".utf8),
            isHostSent: requestID.hasPrefix("h"))
    }

    func testWhatWasAddedIsThereAfterAKillInItsOrder() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        let added = [try add(store, "z"), try add(store, "h1", to: "d"), try add(store, "a")]
        XCTAssertEqual(added.map(\.isHostSent), [false, true, false])
        XCTAssertEqual(added.map(\.id), added.map(\.id).sorted())
        let killed = try folder.copied()
        let later = try IntentStore(directory: killed.path)
        XCTAssertEqual(try later.intents(), added)
    }

    func testChangesTouchTheirIntentOnly() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        var first = try add(store, "1")
        let second = try add(store, "2")
        try store.update(requestID: "1", status: .failed, errorCode: 900_021, retryCount: 3)
        try store.replaceBody(requestID: "1", body: Array("{}".utf8))
        first.status = .failed
        first.errorCode = 900_021
        first.retryCount = 3
        first.body = Array("{}".utf8)
        XCTAssertEqual(try store.intents(), [first, second])
        try store.remove(requestID: "1")
        try store.remove(requestID: "1")
        XCTAssertEqual(try store.intents(), [second])
    }

    /// Ids are the order of writing, also across removals and restarts.
    func testIdsAreNeverUsedAgain() throws {
        let folder = try Folder()
        var store = try IntentStore(directory: folder.path)
        let last = try add(store, "1").id
        try store.remove(requestID: "1")
        store.close()
        store = try IntentStore(directory: folder.path)
        XCTAssertGreaterThan(try add(store, "2").id, last)
    }

    func testRequestIdIsTakenOnce() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        let first = try add(store, "1")
        XCTAssertThrowsError(try add(store, "1", to: "d"))
        XCTAssertEqual(try store.intents(), [first])
    }

    func testFullDiskPromisesNothing() throws {
        let folder = try Folder()
        let store = try IntentStore(directory: folder.path)
        let first = try add(store, "1")
        try store.database.execute("PRAGMA max_page_count = 8")
        let big = [UInt8](repeating: 0x20, count: 100_000)
        XCTAssertThrowsError(
            try store.add(channelURL: "c", requestID: "2", createdAt: 0, body: big, isHostSent: false)
        ) { XCTAssertEqual($0 as? StoreError, .full) }
        store.setCommitHook { () throws(StoreError) in throw .full }
        XCTAssertThrowsError(try add(store, "3"))
        store.setCommitHook(nil)
        XCTAssertEqual(try store.intents(), [first])
        let killed = try folder.copied()
        XCTAssertEqual(try IntentStore(directory: killed.path).intents(), [first])
    }
}
