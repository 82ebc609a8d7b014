import SyncModel
import SyncTree
import XCTest

@testable import SyncRealtime

final class KeptPlacesTests: PartCase {
    private var keep = MemoryKeep()
    private lazy var kept = KeptPlaces(keep)

    override func setUp() {
        super.setUp()
        keep = MemoryKeep()
        kept = KeptPlaces(keep)
    }

    private func store(_ text: String, _ json: String, query: String = "", isChange: Bool = false) throws {
        let place = KeptPlace(path: try path(text), query: query)
        XCTAssertTrue(kept.store(try node(json), at: place, isChange: isChange, turn))
    }

    private func value(_ text: String) throws -> String? { kept.value(of: try place(text), turn.now)?.text }

    func testAValueIsAPartOfTheRowAroundItWithTheRowsWithin() throws {
        try store("a", #"{"b":{"c":1},"d":2}"#)
        XCTAssertEqual(try value("a/b"), #"{"c":1}"#)
        XCTAssertNil(try value("x"))
        try store("a/b", "3")
        XCTAssertEqual(try value("a"), #"{"b":3,"d":2}"#)
        try store("a", "{}")
        XCTAssertEqual(try value("a/b"), "null")
    }

    func testAWriteIsPutIntoRowsAndDropsQueries() throws {
        try store("a", #"{"b":1}"#)
        try store("a", #"{"b":1}"#, query: "orderBy=x")
        try store("other", "1")
        kept.put(try write("a/b", "2"), except: [], turn)
        XCTAssertEqual(try value("a"), #"{"b":2}"#)
        XCTAssertEqual(keep.values.keys.map(\.path.text).sorted(), ["/a", "/other"])
        kept.put(try write("a/b", "3"), except: [KeptPlace(path: try path("a"))], turn)
        XCTAssertEqual(try value("a"), #"{"b":2}"#)
    }

    /// An outdated value is not given, and until it is gone no write is taken off the disk: a restart would show the
    /// value without that write.
    func testWhatCannotBeDroppedHoldsBackTheEndOfWrites() throws {
        let write = try write("a", "1")
        XCTAssertTrue(kept.keep(write.record))
        try store("a", "0")
        var isBroken = true
        keep.isFailing = { isBroken }
        XCTAssertFalse(kept.store(try node("1"), at: KeptPlace(path: try path("a")), turn))
        XCTAssertNil(try value("a"))
        XCTAssertNil(try value("a/b"))
        kept.end(write.record.id, turn)
        XCTAssertFalse(kept.isClear)
        isBroken = false
        kept.clear(turn)
        XCTAssertFalse(kept.isClear, "it is not tried again before the pause is over")
        wait(try XCTUnwrap(kept.nextDeadline) - turn.now.monotonic)
        kept.clear(turn)
        XCTAssertTrue(kept.isClear)
        XCTAssertNil(kept.nextDeadline)
        XCTAssertTrue(keep.writes.isEmpty)
        XCTAssertTrue(keep.values.isEmpty)
    }
}
