import SyncModel
import XCTest

@testable import SyncResources

/// What comes behind what in each operation.
final class ResourceOrderTests: XCTestCase {
    private var world = ResourceWorld()
    private static let allHooks = ResourceHook.allCases.map(\.rawValue)
    private static let denied = ResourceFailure(.service, "Permission denied", code: 401)

    override func setUpWithError() throws {
        world = ResourceWorld()
        try world.register(
            "Group", "/group/@", counters: #"[{"name":"message_count","counting":"Message"}]"#)
        try world.register("Message", "/message/$group/@", hooks: ResourceOrderTests.allHooks)
        try world.push("root", #"{"group":{"key":"g","type":"Group"}}"#)
        _ = world.takeLog()
    }

    private func proceed() throws {
        world.ask(.proceed(hook: try XCTUnwrap(world.hooks.popLast()), value: nil, refusal: nil))
    }

    func testCreate() throws {
        let call = try world.operate(.create, "Message", key: "m", #"{"text":"hi"}"#)
        XCTAssertEqual(world.takeLog(), ["will_create"], "nothing is written before the host has answered")
        try proceed()
        XCTAssertEqual(world.takeLog(), ["set /message/g/m", "complete \(call.number + 1) 0"])
        world.keep("/message/g/m")
        XCTAssertEqual(world.takeLog(), ["count +1 /group/g/message_count", "action", "did_create"])
        world.accept("/message/g/m")
        XCTAssertEqual(world.takeLog(), [], "the counter belongs to it")
        world.accept("/group/g/message_count")
        XCTAssertEqual(world.takeLog(), ["persisted_create", "complete \(call) 0"])
        XCTAssertEqual(world.machine.inFlight, 0)
        let result = try XCTUnwrap(world.result(call))
        XCTAssertEqual(result["change"]?.string, "create")
        XCTAssertEqual(result["path"]?.string, "/message/g/m")
        XCTAssertEqual(result["counters"]?.text, #"[{"path":"/group/g/message_count","by":1}]"#)
    }

    func testUpdate() throws {
        let call = try world.operate(.update, "Message", key: "m", #"{"text":"bye"}"#)
        XCTAssertEqual(world.takeLog(), ["will_update"])
        try proceed()
        XCTAssertEqual(world.takeLog(), ["read /message/g/m", "complete \(call.number + 1) 0"])
        try world.tell("/message/g/m", .success(#"{"text":"hi","by":"u"}"#))
        XCTAssertEqual(world.takeLog(), ["update /message/g/m"])
        world.keep("/message/g/m")
        XCTAssertEqual(world.takeLog(), ["action", "did_update"], "it counted before, and counts now")
        world.accept("/message/g/m")
        XCTAssertEqual(world.takeLog(), ["persisted_update", "complete \(call) 0"])
        let action = try world.members(world.notices.first { $0.type.description == "resource_action" })
        XCTAssertEqual(action["old"]?.text, #"{"by":"u","text":"hi"}"#)
        XCTAssertEqual(action["new"]?.text, #"{"by":"u","text":"bye"}"#)
        XCTAssertEqual(world.machine.inFlight, 0)
    }

    func testDestroy() throws {
        let call = try world.operate(.destroy, "Message", key: "m")
        XCTAssertEqual(world.takeLog(), ["will_destroy"])
        try proceed()
        XCTAssertEqual(world.takeLog(), ["read /message/g/m", "complete \(call.number + 1) 0"])
        try world.tell("/message/g/m", .success(#"{"text":"hi"}"#))
        XCTAssertEqual(world.takeLog(), ["remove /message/g/m"])
        world.keep("/message/g/m")
        XCTAssertEqual(world.takeLog(), ["count -1 /group/g/message_count", "action", "did_destroy"])
        world.accept("/message/g/m")
        world.accept("/group/g/message_count")
        XCTAssertEqual(world.takeLog(), ["persisted_destroy", "complete \(call) 0"])
        let action = try world.members(world.notices.first { $0.type.description == "resource_action" })
        XCTAssertEqual(action["old"]?.text, #"{"text":"hi"}"#)
        XCTAssertEqual(action["new"]?.isNull, true)
    }

    func testARefusedHookWritesNothing() throws {
        let call = try world.operate(.create, "Message", #"{"text":"hi"}"#)
        world.ask(.proceed(hook: try XCTUnwrap(world.hooks.first), value: nil, refusal: "no swearing"))
        XCTAssertEqual(world.takeLog(), ["will_create", "complete \(call) -22", "complete \(call.number + 1) 0"])
        XCTAssertEqual(world.message(call), "refused by the host: no swearing")
        XCTAssertEqual(world.machine.inFlight, 0)
    }

    func testAHookMayGiveAnotherValue() throws {
        try world.operate(.create, "Message", key: "m", #"{"text":"hi"}"#)
        let hook = try XCTUnwrap(world.hooks.first)
        let empty = world.ask(.proceed(hook: hook, value: try ResourceWorld.value("{}"), refusal: nil))
        XCTAssertEqual(world.message(empty), "$.value: has nothing in it, so nothing would be stored")
        world.ask(.proceed(hook: hook, value: try ResourceWorld.value(#"{"text":"hello"}"#), refusal: nil))
        XCTAssertEqual(world.asked.map { String(decoding: $0.1.body, as: UTF8.self) }, [#"{"text":"hello"}"#])
        let twice = world.ask(.proceed(hook: hook, value: nil, refusal: nil))
        XCTAssertEqual(world.message(twice), "$.hook: nobody waits for the answer to this one")
        XCTAssertEqual(world.asked.count, 1)
    }

    func testACallThatCompletesWhenStoredIsToldBeforeTheServiceHasIt() throws {
        let call = try world.operate(.create, "Message", key: "m", "true", whenKept: true)
        try proceed()
        _ = world.takeLog()
        world.keep("/message/g/m")
        XCTAssertEqual(
            world.takeLog(), ["count +1 /group/g/message_count", "action", "did_create", "complete \(call) 0"])
        world.answer("/message/g/m", ResourceOrderTests.denied)
        world.accept("/group/g/message_count")
        XCTAssertEqual(world.takeLog(), ["count -1 /group/g/message_count"])
        world.accept("/group/g/message_count")
        XCTAssertEqual(world.takeLog(), ["error", "persisted_create"], "nothing else would tell of the failure")
        XCTAssertEqual(try world.members(world.notices.last)["message"]?.string, "Permission denied")
        XCTAssertEqual(world.machine.inFlight, 0)
    }

    func testARefusedWriteTakesItsCountersBack() throws {
        let call = try world.operate(.create, "Message", key: "m", "true")
        try proceed()
        world.keep("/message/g/m")
        world.accept("/group/g/message_count")
        _ = world.takeLog()
        world.answer("/message/g/m", ResourceOrderTests.denied)
        XCTAssertEqual(world.takeLog(), ["count -1 /group/g/message_count"])
        world.accept("/group/g/message_count")
        XCTAssertEqual(world.takeLog(), ["persisted_create", "complete \(call) -14"])
    }

    func testWhatTheServiceRefusedToCountIsNotTakenBack() throws {
        let call = try world.operate(.create, "Message", key: "m", "true")
        try proceed()
        world.keep("/message/g/m")
        world.answer("/message/g/m", ResourceOrderTests.denied)
        _ = world.takeLog()
        world.answer("/group/g/message_count", ResourceOrderTests.denied)
        XCTAssertEqual(world.takeLog(), ["persisted_create", "complete \(call) -14"])
    }

    func testARefusedCounterIsToldWithTheResult() throws {
        let call = try world.operate(.create, "Message", key: "m", "true")
        try proceed()
        world.keep("/message/g/m")
        world.accept("/message/g/m")
        world.answer("/group/g/message_count", ResourceOrderTests.denied)
        XCTAssertEqual(
            try world.result(call)?["counters"]?.text,
            #"[{"path":"/group/g/message_count","by":1,"status":-14,"code":401,"message":"Permission denied"}]"#)
    }

    func testWhatCannotBeStoredIsNotCountedAndNotTold() throws {
        let call = try world.operate(.create, "Message", key: "m", "true")
        try proceed()
        _ = world.takeLog()
        world.answer("/message/g/m", ResourceFailure(.storage, "the disk is full"))
        XCTAssertEqual(world.takeLog(), ["complete \(call) -9"])
        XCTAssertEqual(world.machine.inFlight, 0)
    }

    func testAFailedReadEndsAnUpdate() throws {
        let call = try world.operate(.update, "Message", key: "m", #"{"a":1}"#)
        try proceed()
        _ = world.takeLog()
        try world.tell("/message/g/m", .failure(ResourceFailure(.network, "there is no network")))
        XCTAssertEqual(world.takeLog(), ["complete \(call) -13"])
        XCTAssertEqual(world.asked.count, 0)
    }

    func testNothingIsReadForWhatNobodyCountsOrLogs() throws {
        try world.operate(.update, "Group", key: "g", #"{"name":"x"}"#)
        try world.operate(.destroy, "Group", key: "h")
        XCTAssertEqual(world.takeLog(), ["update /group/g", "remove /group/h"])
    }

    func testASecondOperationOnAnObjectReadsWhatTheFirstOneLeft() throws {
        try world.register("Note", "/note/@", hooks: ["action"])
        _ = world.takeLog()
        try world.operate(.update, "Note", key: "n", #"{"a":1}"#)
        try world.operate(.destroy, "Note", key: "n")
        try world.operate(.update, "Note", key: "other", #"{"a":1}"#)
        XCTAssertEqual(world.takeLog(), ["read /note/n", "read /note/other"])
        try world.tell("/note/n", .success("null"))
        XCTAssertEqual(world.takeLog(), ["update /note/n"])
        world.keep("/note/n")
        XCTAssertEqual(world.takeLog(), ["action", "read /note/n"])
    }

    func testAnOperationThatWaitsGoesOnWhenTheOneBeforeItIsRefused() throws {
        try world.operate(.create, "Message", key: "m", "true")
        try world.operate(.create, "Message", key: "m", "false")
        let hooks = world.hooks
        world.ask(.proceed(hook: hooks[1], value: nil, refusal: nil))
        XCTAssertEqual(world.asked.count, 0)
        world.ask(.proceed(hook: hooks[0], value: nil, refusal: "no"))
        XCTAssertEqual(world.asked.map { String(decoding: $0.1.body, as: UTF8.self) }, ["false"])
    }

    func testACallThatIsGivenUp() throws {
        let late = ResourceFailure(.timeout, "timed out")
        let hooked = try world.operate(.create, "Message", key: "m", "true")
        XCTAssertTrue(world.machine.giveUp(hooked, late))
        world.take()
        XCTAssertEqual(world.takeLog(), ["will_create", "complete \(hooked) -15"])
        XCTAssertEqual(world.machine.inFlight, 0)
        let answer = world.ask(.proceed(hook: world.hooks[0], value: nil, refusal: nil))
        XCTAssertEqual(world.message(answer), "$.hook: nobody waits for the answer to this one")

        let written = try world.operate(.create, "Message", key: "m", "true")
        world.ask(.proceed(hook: world.hooks[1], value: nil, refusal: nil))
        world.keep("/message/g/m")
        XCTAssertTrue(world.machine.giveUp(written, late))
        world.take()
        XCTAssertFalse(world.machine.giveUp(written, late), "once")
        XCTAssertEqual(world.machine.inFlight, 1, "what is stored goes on")
        world.accept("/message/g/m")
        world.accept("/group/g/message_count")
        XCTAssertEqual(world.replies[written]?.count, 1)
        XCTAssertEqual(world.machine.inFlight, 0)
    }

    func testStartingOverEndsEverythingAndForgetsContexts() throws {
        let call = try world.operate(.create, "Message", key: "m", "true")
        world.machine.startOver(ResourceFailure(.canceled, "signed out"))
        world.take()
        XCTAssertEqual(world.replies[call]?.first?.failure?.status, .canceled)
        XCTAssertEqual(world.machine.inFlight, 0)
        let gone = try world.operate(.create, "Message", key: "m", "true")
        XCTAssertEqual(world.message(gone), "$.context: there is no context \"root\"")
    }
}
