import SyncBytes
import SyncJSON
import SyncModel
import SyncTree
import XCTest

@testable import SyncResources

final class ResourcesTests: XCTestCase {
    private var world = ResourceWorld()

    override func setUp() { world = ResourceWorld() }

    // MARK: Registering

    private func template(_ text: String) throws -> PathTemplate {
        try PathTemplate(DocumentValue(.string(text), path: "$.path"))
    }

    private func assertRefused(
        _ path: String, _ message: String, line: UInt = #line, _ body: () throws -> Void
    ) {
        XCTAssertThrowsError(try body(), line: line) { error in
            XCTAssertEqual(error as? DocumentError, DocumentError(path: path, message: message), line: line)
        }
    }

    func testTemplates() throws {
        XCTAssertTrue(try template("/group_message/$group/@").hasKey)
        XCTAssertEqual(try template("group/@"), try template("/group/@"), "one leading slash is left out")
        XCTAssertFalse(try template("/profile/$user").hasKey)
        for (text, message) in [
            ("", "expected a text that is not empty"),
            ("/", "part 1 is no key: expected \"@\", \"$name\" or a name without any of . $ # [ ] /"),
            ("//group/@", "part 1 is no key: expected \"@\", \"$name\" or a name without any of . $ # [ ] /"),
            ("/group/", "part 2 is no key: expected \"@\", \"$name\" or a name without any of . $ # [ ] /"),
            ("/gr.oup/@", "part 1 is no key: expected \"@\", \"$name\" or a name without any of . $ # [ ] /"),
            ("/group/@x", ""),
            ("/group/@/message/@", "has an \"@\" that is not the last part"),
            ("/group/$/@", "has a \"$\" without a name behind it"),
            (String(repeating: "/a", count: 33), "has more than 32 parts"),
        ] {
            if message.isEmpty {
                XCTAssertNoThrow(try template(text), "an @ within a name is one of its letters")
            } else {
                assertRefused("$.path", message) { _ = try template(text) }
            }
        }
    }

    func testWhatIsWrongWithATypeIsRefusedWithItsPlace() throws {
        assertRefused("$.counters[0].counting", "is missing") {
            try world.register("A", "/a/@", counters: #"[{"name":"n"}]"#)
        }
        let operators = "==, !=, <, <=, >, >=, in, prefix, exists, and, or, not"
        assertRefused("$.counters[0].predicate.near", "no such operator: expected \(operators)") {
            try world.register("A", "/a/@", counters: #"[{"name":"n","counting":"B","predicate":{"near":1}}]"#)
        }
        assertRefused("$.counters[0].by", "a counter has no such key") {
            try world.register("A", "/a/@", counters: #"[{"name":"n","counting":"B","by":1}]"#)
        }
        assertRefused("$.counters[1]", "this type is counted under that name already") {
            let counter = #"{"name":"n","counting":"B"}"#
            try world.register("A", "/a/@", counters: "[\(counter),\(counter)]")
        }
        XCTAssertThrowsError(try world.register("A", "/a/@", hooks: ["will_explode"])) { error in
            XCTAssertEqual((error as? DocumentError)?.path, "$.hooks[0]")
        }
        let first = try world.register("A", "/a/@")
        let second = try world.register("A", "/b/@")
        XCTAssertNil(world.message(first))
        XCTAssertEqual(world.message(second), "$.resource_type: is registered already")
    }

    func testTheTableOfActionsNamesEveryHook() {
        let hooks = ResourceAction.resourceRegister.spec.parameters.first { $0.key == "hooks" }
        guard case .words(let words) = hooks?.kind else { return XCTFail("no list of words") }
        XCTAssertEqual(words, ResourceHook.allCases.map(\.rawValue))
    }

    // MARK: Contexts

    private func lookup(_ context: TextKey, _ name: TextKey? = nil) throws -> String? {
        let call = world.ask(.lookup(context: context, name: name))
        return try world.result(call)?["resources"]?.text
    }

    func testAContextHidesWhatIsBelowItUnderTheSameName() throws {
        try world.push("root", #"{"user":"u","group":"g"}"#)
        try world.push("child", on: "root", #"{"group":{"key":"h","type":"Group","value":{"a":1}}}"#)
        XCTAssertEqual(
            try lookup("child"), #"{"group":{"key":"h","type":"Group","value":{"a":1}},"user":{"key":"u"}}"#)
        XCTAssertEqual(try lookup("child", "user"), #"{"user":{"key":"u"}}"#)
        XCTAssertEqual(try lookup("child", "nobody"), "{}")
        world.ask(.reset(context: "child", []))
        XCTAssertEqual(try lookup("child"), #"{"user":{"key":"u"},"group":{"key":"g"}}"#)
    }

    func testAContextKeepsWhatItStandsOn() throws {
        try world.push("root", #"{"user":"u"}"#)
        try world.push("child", on: "root")
        world.ask(.pop(context: "root"))
        XCTAssertEqual(try lookup("child"), #"{"user":{"key":"u"}}"#)
        let gone = try world.push("other", on: "root")
        XCTAssertEqual(world.message(gone), "$.parent: there is no context \"root\"")
        let taken = try world.push("child")
        XCTAssertEqual(world.message(taken), "$.context: is there already")
        let again = try world.push("root", #"{"user":"v"}"#)
        XCTAssertNil(world.message(again), "the name is free")
        XCTAssertEqual(try lookup("child"), #"{"user":{"key":"u"}}"#)
    }

    func testContextsHaveBounds() throws {
        try world.push("0")
        for level in 1..<100 { try world.push(TextKey("\(level)"), on: TextKey("\(level - 1)")) }
        let tooDeep = try world.push("100", on: "99")
        XCTAssertEqual(world.message(tooDeep), "$.parent: has 100 contexts below it already")
        XCTAssertThrowsError(try world.push("x", #"{"a":"has/slash"}"#)) { error in
            XCTAssertEqual((error as? DocumentError)?.path, "$.a")
        }
        XCTAssertThrowsError(try world.push("x", #"{"a":{"type":"A"}}"#)) { error in
            XCTAssertEqual(error as? DocumentError, DocumentError(path: "$.a.key", message: "is missing"))
        }
    }

    func testLaterChangesOfAContextDoNotReachWhatIsUnderWay() throws {
        try world.register("Message", "/message/$group/@", hooks: ["will_create", "action"])
        try world.push("root", #"{"group":"g","user":"u"}"#)
        try world.operate(.create, "Message", key: "m", "true")
        world.ask(.reset(context: "root", []))
        world.ask(.proceed(hook: world.hooks[0], value: nil, refusal: nil))
        XCTAssertEqual(world.asked.map(\.1.path.text), ["/message/g/m"])
        world.keep("/message/g/m")
        XCTAssertEqual(
            try world.members(world.notices.last)["extra"]?.text, #"{"user":{"key":"u"}}"#,
            "what the path tells is left out")
    }

    // MARK: Paths

    func testPathsOfTypes() throws {
        try world.register("Message", "/message/$group/@")
        try world.register("Profile", "/profile/$user")
        try world.push("root", #"{"group":"g"}"#)
        func path(_ type: TextKey, _ key: String?, collection: Bool = false) throws -> String? {
            let call = world.ask(
                .path(type: type, context: "root", key: key.flatMap { TreeKey($0) }, isCollection: collection))
            return try world.result(call)?["path"]?.string ?? world.message(call)
        }
        XCTAssertEqual(try path("Message", "m"), "/message/g/m")
        XCTAssertEqual(try path("Message", nil, collection: true), "/message/g")
        XCTAssertEqual(try path("Message", nil), "$.key: is missing")
        XCTAssertEqual(try path("Profile", nil), "$.context: has no \"user\", which the path needs")
        XCTAssertEqual(
            try path("Profile", nil, collection: true), "$.resource_type: has no \"@\" in its path, so no collection")
        XCTAssertEqual(try path("Nothing", nil), "$.resource_type: \"Nothing\" is not registered")
    }

    func testWhatIsWrongWithAnOperationIsSaidBeforeAnythingIsWritten() throws {
        try world.register("Group", "/group/$team/@", counters: #"[{"name":"n","counting":"Message"}]"#)
        try world.register("Message", "/message/$group/@")
        try world.register("Profile", "/profile/$user")
        try world.push("root", #"{"group":{"key":"g","type":"Group"},"user":"u"}"#)
        func refusal(
            _ kind: ResourceRequest.Operation.Kind, _ type: TextKey, _ key: String? = nil, _ value: String? = nil,
            in context: TextKey = "root"
        ) throws -> String? {
            let call = try world.operate(kind, type, in: context, key: key, value)
            return world.message(call)
        }

        XCTAssertEqual(try refusal(.create, "Like", nil, "true"), "$.resource_type: \"Like\" is not registered")
        XCTAssertEqual(
            try refusal(.create, "Profile", nil, "true", in: "x"), "$.context: there is no context \"x\"")
        XCTAssertEqual(
            try refusal(.create, "Group", nil, "true"), "$.context: has no \"team\", which the path needs")
        XCTAssertEqual(
            try refusal(.create, "Message", nil, "true"), "$.context: has no \"team\", which the path needs",
            "nor can its counter be found")
        XCTAssertEqual(try refusal(.update, "Message", nil, #"{"a":1}"#), "$.key: is missing")
        XCTAssertEqual(try refusal(.destroy, "Message"), "$.key: is missing")
        XCTAssertEqual(try refusal(.create, "Profile", "k", "true"), "$.key: the path of this type has no \"@\"")
        XCTAssertEqual(try refusal(.create, "Profile"), "$.value: is missing")
        XCTAssertEqual(
            try refusal(.create, "Profile", nil, "{}"), "$.value: has nothing in it, so nothing would be stored")
        XCTAssertEqual(
            try refusal(.create, "Profile", nil, #"{"a/b":1}"#)?.prefix(21), "$.value: Invalid data",
            "paths are an update's")
        XCTAssertEqual(try refusal(.update, "Profile", nil, "5")?.prefix(8), "$.value:")
        XCTAssertEqual(world.asked.count, 0)
        XCTAssertEqual(world.machine.inFlight, 0)
    }

    func testObjectsWithoutAKeyOfTheirOwn() throws {
        try world.register("Profile", "/profile/$user")
        try world.push("root", #"{"user":"u"}"#)
        try world.operate(.create, "Profile", #"{"name":"U"}"#)
        try world.operate(.update, "Profile", #"{"name/first":"V"}"#)
        XCTAssertEqual(world.asked.map(\.1.path.text), ["/profile/u"], "one after the other")
    }

    func testNewKeysAscend() throws {
        try world.register("Message", "/message/@")
        try world.push("root")
        for _ in 0..<3 { try world.operate(.create, "Message", "true") }
        let paths = world.asked.map(\.1.path)
        XCTAssertEqual(paths.count, 3)
        XCTAssertEqual(paths.map(\.keys[1]), paths.map(\.keys[1]).sorted())
        XCTAssertEqual(Set(paths).count, 3)
        XCTAssertEqual(paths[0].keys[1].text.prefix(7), "-NjEtLV")
    }

    // MARK: Create or update, toggle

    func testCreateOrUpdate() throws {
        try world.register("Like", "/like/@")
        try world.push("root")
        try world.operate(.createOrUpdate(exists: true), "Like", key: "a", #"{"n":1}"#)
        try world.operate(.createOrUpdate(exists: false), "Like", key: "b", #"{"n":1}"#)
        try world.operate(.createOrUpdate(exists: nil), "Like", #"{"n":1}"#)
        XCTAssertEqual(world.asked.map(\.1.kind), [.update, .set, .set], "what has no key yet is new")
        world.asked = []
        try world.operate(.createOrUpdate(exists: nil), "Like", key: "c", #"{"n":1}"#)
        try world.operate(.createOrUpdate(exists: nil), "Like", key: "d", #"{"n":1}"#)
        XCTAssertEqual(world.asked.map(\.1.kind), [.read, .read])
        try world.tell("/like/c", .success("null"))
        try world.tell("/like/d", .success("true"))
        XCTAssertEqual(world.asked.map(\.1.kind), [.set, .update])
    }

    func testToggle() throws {
        try world.register("Like", "/like/@", hooks: ["will_destroy"])
        try world.push("root")
        try world.operate(.toggle(exists: true), "Like", key: "a")
        XCTAssertEqual(world.hooks.count, 1, "the hook of what it has become")
        try world.operate(.toggle(exists: nil), "Like", key: "b", "true")
        try world.tell("/like/b", .success("true"))
        XCTAssertEqual(world.hooks.count, 2)
        try world.operate(.toggle(exists: nil), "Like", key: "c", "true")
        try world.tell("/like/c", .success("null"))
        XCTAssertEqual(world.asked.map(\.1.kind), [.set])
        let failing = try world.operate(.toggle(exists: nil), "Like", key: "d", "true")
        try world.tell("/like/d", .failure(ResourceFailure(.network, "there is no network")))
        XCTAssertEqual(world.message(failing), "there is no network")
        let bare = try world.operate(.toggle(exists: true), "Like")
        XCTAssertEqual(world.message(bare), "$.key: is missing")
    }

    // MARK: Counters

    func testCountersFollowTheirPredicates() throws {
        try world.register(
            "List", "/list/@",
            counters: #"""
                [{"name":"all","counting":"Task"},{"name":"done","counting":"Task","predicate":{"==":["done",true]}}]
                """#)
        try world.register("Task", "/task/$list/@")
        try world.push("root", #"{"list":{"key":"l","type":"List"}}"#)
        func counts(
            _ kind: ResourceRequest.Operation.Kind, _ value: String?, old: String?
        ) throws -> [String] {
            _ = world.takeLog()
            world.asked = []
            try world.operate(kind, "Task", key: "t", value)
            if let old { try world.tell("/task/l/t", .success(old)) }
            world.keep("/task/l/t")
            return world.takeLog().filter { $0.hasPrefix("count") }
        }
        XCTAssertEqual(try counts(.create, #"{"done":false}"#, old: nil), ["count +1 /list/l/all"])
        XCTAssertEqual(
            try counts(.create, #"{"done":true}"#, old: nil), ["count +1 /list/l/all", "count +1 /list/l/done"])
        XCTAssertEqual(try counts(.update, #"{"done":true}"#, old: #"{"done":false}"#), ["count +1 /list/l/done"])
        XCTAssertEqual(try counts(.update, #"{"done":null}"#, old: #"{"done":true,"a":1}"#), ["count -1 /list/l/done"])
        XCTAssertEqual(try counts(.update, #"{"a":2}"#, old: #"{"done":true,"a":1}"#), [])
        XCTAssertEqual(
            try counts(.update, #"{"done":true}"#, old: "null"), ["count +1 /list/l/all", "count +1 /list/l/done"],
            "what an update makes counts")
        XCTAssertEqual(
            try counts(.update, #"{"done":null}"#, old: #"{"done":true}"#),
            ["count -1 /list/l/all", "count -1 /list/l/done"], "and what it leaves nothing of does not")
        XCTAssertEqual(try counts(.destroy, nil, old: #"{"done":false}"#), ["count -1 /list/l/all"])
        XCTAssertEqual(try counts(.destroy, nil, old: "null"), [], "what is not there was not counted")
    }

    func testACounterWithoutAnOwnerIsToldAsSuch() throws {
        try world.register("Group", "/group/@", counters: #"[{"name":"n","counting":"Message"}]"#)
        try world.register("Message", "/message/@")
        try world.push("root", #"{"group":"g"}"#)
        let call = try world.operate(.create, "Message", key: "m", "true")
        world.accept("/message/m")
        XCTAssertEqual(try world.result(call)?["uncounted"]?.text, #"["Group/n"]"#)
        XCTAssertEqual(try world.result(call)?["counters"]?.text, "[]")
    }

    func testStatistics() throws {
        try world.register("Group", "/group/@", counters: #"[{"name":"n","counting":"Message"}]"#)
        try world.push("root")
        try world.operate(.create, "Group", "true")
        let call = world.ask(.statistics)
        XCTAssertEqual(try world.result(call)?.text, #"{"types":1,"counters":1,"contexts":1,"in_flight":1}"#)
    }
}
