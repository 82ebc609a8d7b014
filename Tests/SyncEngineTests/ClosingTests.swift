import SyncRealtime
import SyncModel
import SyncStore
import SyncStreams
import SyncTree
import XCTest

@testable import SyncEngine

/// What becomes of the commands that wait when the client closes: promises are stored together, and nobody is told of
/// lists.
final class ClosingTests: EngineTestCase {
    private let instance = DatabaseInstance(url: "http://db", name: "")
    private var commits = 0

    private func call(_ json: String) throws -> HostCommand {
        let action = try ActionCall(Array(json.utf8))
        if let request = try DatabaseRequest(action) { return .call(newCall(), .database(request)) }
        return .call(newCall(), .resource(try XCTUnwrap(try ResourceCall(action))))
    }

    private func send(_ id: RequestID, in collection: CollectionID) -> HostCommand {
        .call(newCall(), .own(.send(requestID: id, body: Array(#"{"message":"m"}"#.utf8)), in: collection))
    }

    /// With a message collection, five listens and a stream that all show what the waiting commands change.
    private func startWithEverything() throws {
        start { $0.database = DatabaseSetup(DatabaseOptions(url: "http://db"), token: nil) }
        openMessages(1, "c")
        for limit in 10..<15 {
            command(try call(
                #"{"action":"database_listen","path":"/notes","order_by":"at","limit_to_last":\#(limit)}"#))
        }
        let spec = try StreamSpec(parsing: Array(#"{"source":{"database":{"path":"/notes"}},"batch_delay":null}"#.utf8))
        command(.post(.openStream(id: 3, spec, function: nil, place: DatabaseLocation(try TreePath("/notes")))))
        for json in [
            #"{"action":"resource_register","resource_type":"Book","path":"/books/@","#
                + #""counters":[{"name":"notes","counting":"Note"}]}"#,
            #"{"action":"resource_register","resource_type":"Note","path":"/notes/@"}"#,
            #"{"action":"resource_push","context":"here","resources":{"book":{"key":"b","type":"Book"}}}"#,
            #"{"action":"database_set","path":"/notes/first","value":{"at":0},"when":"kept"}"#,
        ] { command(try call(json)) }
        _ = engine.takeDatabaseCommands()
        forgetEvents()
        intents.setCommitHook { () throws(StoreError) in self.commits += 1 }
    }

    /// Of each kind that is stored, and of some that are not.
    private func waiting() throws -> [HostCommand] {
        var filter = MessageFilter()
        filter.limit = 30
        var commands: [HostCommand] = [
            .post(.openMessageCollection(id: 2, channelURL: "d", filter: filter, viewpoint: .max)),
            .call(newCall(), .fetch(collection: 1, direction: .previous)),
        ]
        for number in 0..<10 {
            commands += [
                send("c\(number)", in: 1), send("d\(number)", in: 2),
                .call(newCall(), .own(.append(requestID: "a\(number)", body: Array(#"{"message":"m"}"#.utf8)), in: 1)),
                try call(#"{"action":"database_set","path":"/notes/n\#(number)","value":{"at":\#(number)}}"#),
                try call(
                    #"{"action":"database_set","path":"/notes/k\#(number)","value":{"at":{".sv":{"increment":1}}},"#
                        + #""when":"kept"}"#),
                try call(
                    #"{"action":"resource_create","resource_type":"Note","context":"here","key":"r\#(number)","#
                        + #""value":{"at":1}}"#),
                try call(#"{"action":"database_get","path":"/notes"}"#),
            ]
        }
        return commands + [.call(newCall(), .own(.delete(.unsent(requestID: "c0")), in: 1))]
    }

    private func statuses(_ commands: [HostCommand]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for command in commands {
            guard let completion = command.completion(.ok) else { continue }
            let status = host.status(completion.call).map { "\($0)" } ?? "open"
            counts["\(completion.action?.rawValue ?? completion.name.rawValue) \(status)", default: 0] += 1
        }
        return counts
    }

    func testPromisesAreStoredTogetherAndNoListIsTold() throws {
        try startWithEverything()
        let waiting = try waiting()
        close(waiting)
        XCTAssertEqual(commits, 1)
        let told = host.events.map { event in
            if case .client(let notice) = event { "\(notice.type)" } else { "a list" }
        }
        XCTAssertEqual(told, ["closed"])
        XCTAssertTrue(engine.takeDatabaseCommands().allSatisfy(\.isEnd), "something was asked")
        XCTAssertEqual(asked { if case .sendMessage = $0 { true } else { false } }, [])
        XCTAssertEqual(
            statuses(waiting),
            [
                "fetch closed": 1, "send_message closed": 19, "send_message removed": 1, "append_message ok": 10,
                "database_set closed": 10, "database_set ok": 10, "resource_create closed": 10,
                "database_get closed": 10, "delete_message ok": 1,
            ])
        let kept = try intents.intents()
        XCTAssertEqual(Set(kept.map(\.channelURL)), ["c", "d"])
        XCTAssertEqual(kept.count, 29)
        XCTAssertFalse(kept.contains { $0.requestID == "c0" })
        // The first one, 20 sets, 10 objects and their counts; in the order they were asked for.
        let writes = try intents.databaseWrites(to: instance)
        XCTAssertEqual(writes.count, 41)
        let sets = writes.map(\.path).filter { $0.hasPrefix("/notes/") }
        let asked = (0..<10).flatMap { ["/notes/n\($0)", "/notes/k\($0)", "/notes/r\($0)"] }
        XCTAssertEqual(sets, ["/notes/first"] + asked)
    }

    /// What the call of a write says is true, also when the disk is full.
    func testWhatCannotBeStoredTogetherIsSaidOfEach() throws {
        try startWithEverything()
        let waiting = try waiting()
        intents.setCommitHook { () throws(StoreError) in throw .full }
        close(waiting)
        intents.setCommitHook(nil)
        XCTAssertEqual(
            statuses(waiting),
            [
                "fetch closed": 1, "send_message storage": 20, "append_message storage": 10, "database_set storage": 20,
                "resource_create storage": 10, "database_get closed": 10, "delete_message storage": 1,
            ])
        XCTAssertEqual(try intents.intents().count, 0)
        XCTAssertEqual(try intents.databaseWrites(to: instance).map(\.path), ["/notes/first"])
        XCTAssertTrue(host.events.contains { if case .client(.storageError) = $0 { true } else { false } })
    }

    /// A cache that cannot be written is no reason to lose own messages.
    func testIntentsAreStoredWithoutTheCache() throws {
        try startWithEverything()
        cache.setCommitHook { () throws(StoreError) in throw .full }
        close([send("own", in: 1)])
        cache.setCommitHook(nil)
        XCTAssertEqual(try intents.intents().map(\.requestID), ["own"])
    }

    /// Without automatic resending a message that cannot go out has failed, and stands there as failed.
    func testAMessageThatMayNotWaitFailsAlsoWhenClosing() throws {
        start { $0.resendPolicy = .manual }
        openMessages(1, "c")
        let waiting = [send("own", in: 1)]
        close(waiting)
        XCTAssertEqual(statuses(waiting), ["send_message network": 1])
        XCTAssertEqual(try intents.intents().map(\.status), [.failed])
    }
}
