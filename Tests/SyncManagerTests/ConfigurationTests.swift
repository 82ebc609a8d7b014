import Foundation
import SyncModel
import SyncStore
import XCTest

@testable import SyncManager

/// What sm_setup accepts, and what it says of the rest.
final class ConfigurationTests: XCTestCase {
    private func configuration(_ more: String = "") throws(DocumentError) -> Configuration {
        try Configuration(Array(#"{"app_id": "app", "user_id": "mei", "data_dir": "/d"\#(more)}"#.utf8))
    }

    /// Where a document is wrong; fails when it is not, or not as a document is.
    private func path(of text: [UInt8], file: StaticString = #filePath, line: UInt = #line) -> String? {
        do throws(DocumentError) {
            _ = try Configuration(text)
            XCTFail("accepted", file: file, line: line)
            return nil
        } catch {
            XCTAssertFalse(error.message.isEmpty, file: file, line: line)
            return error.path
        }
    }

    private func path(with member: String, file: StaticString = #filePath, line: UInt = #line) -> String? {
        let text = #"{"app_id": "app", "user_id": "mei", "data_dir": "/d", \#(member)}"#
        return path(of: Array(text.utf8), file: file, line: line)
    }

    func testTheCacheHasABoundInMebibytes() throws {
        XCTAssertNil(try configuration().engine.cacheLimit)
        XCTAssertNil(try configuration(#", "max_cache_mb": "infinite""#).engine.cacheLimit)
        XCTAssertEqual(try configuration(#", "max_cache_mb": 64"#).engine.cacheLimit, 67_108_864)
        XCTAssertEqual(try configuration(#", "max_cache_mb": 1048576"#).engine.cacheLimit, 1 << 40)
        for wrong in ["63", "1048577", "64.5", "\"all\"", "-1", "true"] {
            XCTAssertEqual(path(with: "\"max_cache_mb\": \(wrong)"), "$.max_cache_mb", wrong)
        }
    }

    func testMessagesOfOthersAreToldWhenTheHostSaysWhich() throws {
        XCTAssertEqual(try configuration().engine.notify, .none)
        XCTAssertEqual(try configuration(#", "notify": "mentions""#).engine.notify, .mentions)
        XCTAssertEqual(try configuration(#", "notify": "all""#).engine.noticesAtOnce, 16)
        XCTAssertEqual(try configuration(#", "notify": "all", "queue_limit": 16"#).engine.noticesAtOnce, 4)
        for wrong in ["true", "\"some\"", "1"] { XCTAssertEqual(path(with: "\"notify\": \(wrong)"), "$.notify", wrong) }
    }

    func testTheAgeOfCachedMessagesHasABoundInDays() throws {
        XCTAssertNil(try configuration().engine.messageAge)
        XCTAssertEqual(try configuration("").engine.evictionOrder, .lastOpened)
        XCTAssertEqual(try configuration(#", "cache_order": "host""#).engine.evictionOrder, .host)
        XCTAssertEqual(path(with: #""cache_order": "size""#), "$.cache_order")
        XCTAssertNil(try configuration(#", "max_message_age_days": "infinite""#).engine.messageAge)
        XCTAssertEqual(try configuration(#", "max_message_age_days": 1"#).engine.messageAge, 86_400_000)
        XCTAssertEqual(try configuration(#", "max_message_age_days": 36500"#).engine.messageAge, 3_153_600_000_000)
        for wrong in ["0", "36501", "1.5", "\"all\"", "-1", "true"] {
            XCTAssertEqual(path(with: "\"max_message_age_days\": \(wrong)"), "$.max_message_age_days", wrong)
        }
    }

    func testACacheWithoutFilesNeedsNoDirectory() throws {
        XCTAssertEqual(try configuration().place, .directory("/d/app/mei"))
        XCTAssertEqual(try configuration(#", "cache": "file""#).place, .directory("/d/app/mei"))
        XCTAssertEqual(try configuration(#", "cache": null"#).place, .directory("/d/app/mei"))
        let none = try configuration(#", "cache": "none""#)
        XCTAssertEqual(none.place, .memory)
        XCTAssertEqual(none.engine.cacheLimit, 256 << 20)
        XCTAssertNil(try configuration(#", "max_cache_mb": "infinite", "cache": "none""#).engine.cacheLimit)
        XCTAssertEqual(try configuration(#", "cache": "none", "max_cache_mb": 64"#).engine.cacheLimit, 64 << 20)
        XCTAssertEqual(path(with: #""cache": "none", "data_dir": """#), "$.data_dir", "it is not used, and still wrong")
        for wrong in [#""memory""#, #""None""#, "false", "0", "{}", #""""#] {
            XCTAssertEqual(path(with: "\"cache\": \(wrong)"), "$.cache", wrong)
        }
    }

    func testWhatIsLeftOutHasTheHeadersDefaults() throws {
        let all = try configuration()
        XCTAssertEqual([all.appID, all.userID, all.dataDirectory, all.accessToken], ["app", "mei", "/d", ""])
        XCTAssertNil(all.apiHost)
        XCTAssertNil(all.wsHost)
        XCTAssertNil(all.caFile)
        XCTAssertFalse(all.isThreadDelivery)
        XCTAssertEqual(all.queueLimit, 1000)
        XCTAssertEqual(all.engine.userID, "mei")
        XCTAssertEqual(all.engine.messageCollectionCapacity, 1000)
        XCTAssertEqual(all.engine.resendPolicy, .automatic)
        XCTAssertEqual(all.engine.resendRetryCount, 10)
        XCTAssertEqual(all.engine.failedRetentionDays, 7)
        XCTAssertEqual(all.engine.maxFailedPerChannel, 1000)
        XCTAssertEqual(all.engine.requestTimeout, 10_000)
    }

    func testWhatIsGivenIsTaken() throws {
        let all = try configuration(
            #", "access_token": "t", "service": "sendbird", "api_host": "http://h:1", "ws_host": "wss://h", "#
                + #""ca_file": "/ca", "delivery": "thread", "resend_policy": "manual""#)
        XCTAssertEqual(all.accessToken, "t")
        XCTAssertEqual(all.engine.accessToken, "t")
        XCTAssertEqual([all.apiHost, all.wsHost, all.caFile], ["http://h:1", "wss://h", "/ca"])
        XCTAssertTrue(all.isThreadDelivery)
        XCTAssertEqual(all.engine.resendPolicy, .manual)
        let left = try configuration(#", "queue_limit": null, "api_host": null"#)
        XCTAssertEqual(left.queueLimit, 1000, "null is as good as left out")
        XCTAssertNil(left.apiHost)
    }

    func testNumbersAndTheirBounds() throws {
        let numbers: [(key: String, bounds: ClosedRange<Int>, value: (Configuration) -> Int)] = [
            ("queue_limit", 16...1_000_000, { $0.queueLimit }),
            ("message_collection_capacity", 200...1_000_000, { $0.engine.messageCollectionCapacity }),
            ("resend_retry_count", 1...50, { $0.engine.resendRetryCount }),
            ("failed_retention_days", 1...365, { $0.engine.failedRetentionDays }),
            ("max_failed_per_channel", 1...1_000_000, { $0.engine.maxFailedPerChannel }),
            ("request_timeout_ms", 1000...120_000, { Int($0.engine.requestTimeout) }),
            ("file_timeout_ms", 1000...600_000, { Int($0.engine.fileTimeout) }),
            ("uploads_at_once", 1...16, { $0.engine.uploadsAtOnce }),
        ]
        for (key, bounds, value) in numbers {
            for number in [bounds.lowerBound, bounds.upperBound] {
                XCTAssertEqual(value(try configuration(", \"\(key)\": \(number)")), number, key)
            }
            let middle = bounds.lowerBound + 1
            for wrong in [
                "\(bounds.lowerBound - 1)", "\(bounds.upperBound + 1)", "-1", "9223372036854775807", "\(middle).0",
                "\"\(middle)\"", "true", "[]",
            ] {
                XCTAssertEqual(path(with: "\"\(key)\": \(wrong)"), "$.\(key)", wrong)
            }
        }
    }

    func testFlags() throws {
        XCTAssertFalse(try configuration("").engine.sendsByRequest)
        XCTAssertTrue(try configuration(#", "send_by_rest": true"#).engine.sendsByRequest)
        XCTAssertFalse(try configuration("").isSessionExpiring)
        XCTAssertTrue(try configuration(#", "expiring_session": true"#).isSessionExpiring)
        for key in ["send_by_rest", "expiring_session"] {
            for wrong in ["1", "\"true\"", "[]"] {
                XCTAssertEqual(path(with: "\"\(key)\": \(wrong)"), "$.\(key)", wrong)
            }
        }
    }

    func testAnUnknownKeyIsNamed() {
        XCTAssertEqual(path(with: #""acces_token": "t""#), "$.acces_token")
        XCTAssertEqual(path(with: #""zz": null, "aa": null"#), "$.zz", "the first one, null or not")
        XCTAssertEqual(path(with: #""": 1"#), "$[\"\"]")
    }

    func testAValueOfAnotherTypeIsNamed() {
        for key in ["access_token", "ca_file", "api_host", "ws_host", "data_dir", "app_id", "user_id"] {
            for wrong in ["1", "{}", "[\"a\"]", "false", #""a\u0000b""#] {
                XCTAssertEqual(path(with: "\"\(key)\": \(wrong)"), "$.\(key)", wrong)
            }
        }
        for key in ["access_token", "app_id"] {
            XCTAssertEqual(path(with: "\"\(key)\": \"a\\nb\""), "$.\(key)", "it is a header's")
        }
        XCTAssertEqual(path(with: #""delivery": "threads""#), "$.delivery")
        XCTAssertEqual(path(with: #""service": "other""#), "$.service")
        XCTAssertEqual(path(with: #""resend_policy": 1"#), "$.resend_policy")
        XCTAssertEqual(path(with: #""api_host": "ws://h""#), "$.api_host")
        XCTAssertEqual(path(with: #""api_host": "http://""#), "$.api_host")
        XCTAssertEqual(path(with: #""api_host": "http://a b""#), "$.api_host")
        XCTAssertEqual(path(with: #""api_host": "http://a\nb""#), "$.api_host")
        XCTAssertEqual(path(with: #""ws_host": "https://h""#), "$.ws_host")
    }

    func testWhoItIsMustBeThere() {
        XCTAssertEqual(path(of: Array("{}".utf8)), "$.app_id")
        XCTAssertEqual(path(of: Array(#"{"app_id": "", "user_id": "u"}"#.utf8)), "$.app_id")
        XCTAssertEqual(path(of: Array(#"{"app_id": "a"}"#.utf8)), "$.user_id")
        XCTAssertEqual(path(of: Array(#"{"app_id": "a", "user_id": null}"#.utf8)), "$.user_id")
        XCTAssertEqual(path(of: Array(#"{"app_id": "a", "user_id": "u", "data_dir": ""}"#.utf8)), "$.data_dir")
    }

    func testWhatIsNoObjectInJSONIsWrongAsAWhole() {
        for text in ["", " ", "[]", "1", "null", #"{"app_id": "a""#, #"{"app_id": "a"} x"#] {
            XCTAssertEqual(path(of: Array(text.utf8)), "$", text)
        }
        let bad: [[UInt8]] = [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98]]
        for bytes in bad {
            let text = Array(#"{"user_id": "u", "app_id": ""#.utf8) + bytes + Array("\"}".utf8)
            XCTAssertEqual(path(of: text), "$", "\(bytes)")
        }
    }

    func testNoIdLeavesTheDataDirectory() throws {
        func directory(_ user: String) throws -> String {
            try Configuration(Array(#"{"app_id": "..", "user_id": "\#(user)", "data_dir": "/d"}"#.utf8)).userDirectory
        }
        XCTAssertEqual(try directory("mei-1_A"), "/d/%2E%2E/mei-1_A")
        XCTAssertEqual(try directory("../é %"), "/d/%2E%2E/%2E%2E%2F%C3%A9%20%25")
        XCTAssertNotEqual(try directory("%2F"), try directory("/"))
        // A directory's name has 255 bytes at most.
        func long(_ count: Int) -> String { String(repeating: "a", count: count) }
        XCTAssertEqual(try directory(long(255)), "/d/%2E%2E/" + long(255))
        // $ printf 'a%.0s' {1..256} | sha1sum
        XCTAssertEqual(
            try directory(long(256)), "/d/%2E%2E/" + long(48) + "+9C78512AD150C8B5D8918395AD0E5169397D2B62")
        XCTAssertNotEqual(try directory(long(600)), try directory(long(601)))
        for id in [long(256), long(100_000), String(repeating: "名", count: 80)] {
            XCTAssertEqual(try directory(id).split(separator: "/").map(\.utf8.count), [1, 6, 89])
        }
    }

    /// An id has no longest length, and the file system's and SQLite's limits must not make one.
    func testALongIdOpensItsFiles() throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ids = ["名", "\u{1F600}", "x"].map { String(repeating: $0, count: 80) }
            + [String(repeating: "x", count: 255), String(repeating: "x", count: 256)]
        for (number, id) in ids.enumerated() {
            let text = #"{"app_id": "\#(ids[0])", "user_id": "\#(id)", "data_dir": "\#(folder.path)"}"#
            let directory = try Configuration(Array(text.utf8)).userDirectory
            let lock = try DirectoryLock(directory: directory)
            XCTAssertNoThrow(try CacheStore(directory: directory, now: 1), "\(number)")
            XCTAssertNoThrow(try IntentStore(directory: directory), "\(number)")
            withExtendedLifetime(lock) {}
        }
    }
}
