import SyncJSON
import SyncModel
import SyncResources
import SyncTree
import TestSupport

@testable import SyncEngine

/// Objects over the realtime database: a host's operations, hooks that answer late or refuse, and counters that say
/// what there is.
extension Simulation {
    /// Who begins registers its types and makes its contexts.
    func beginResources() {
        resource(
            #"""
            {"action":"resource_register","resource_type":"List","path":"/list_of/@","counters":[
            {"name":"all","counting":"Task"},{"name":"done","counting":"Task","predicate":{"==":["done",true]}}]}
            """#)
        let hooks =
            #"["will_create","will_destroy","did_update","persisted_create","persisted_update","persisted_destroy"]"#
        resource(
            #"{"action":"resource_register","resource_type":"Task","path":"/task/$list/@","hooks":\#(hooks)}"#)
        resource(#"{"action":"resource_push","context":"root"}"#)
        resource(
            #"""
            {"action":"resource_push","context":"list","parent":"root","resources":{"list":{"key":"l","type":"List"}}}
            """#)
    }

    func resourceAct() {
        let key = random.pick(["a", "b", "c"]) ?? "a"
        let done = random.chance(50)
        let rest = #""context":"list","resource_type":"Task","when":"\#(random.chance(50) ? "kept" : "answered")""#
        switch random.below(6) {
        case 0: resource(#"{"action":"resource_create","value":{"done":\#(done)},\#(rest)}"#)
        case 1: resource(#"{"action":"resource_update","key":"\#(key)","value":{"done":\#(done)},\#(rest)}"#)
        case 2: resource(#"{"action":"resource_destroy","key":"\#(key)",\#(rest)}"#)
        case 3:
            resource(#"{"action":"resource_create_or_update","key":"\#(key)","value":{"text":"t"},\#(rest)}"#)
        default: resource(#"{"action":"resource_toggle","key":"\#(key)","value":{"done":\#(done)},\#(rest)}"#)
        }
    }

    private func resource(_ json: String) {
        do {
            let action = try ActionCall(Array(json.utf8))
            guard let call = try ResourceCall(action) else {
                violation = violation ?? Violation(description: "no action on resources: \(json)")
                return
            }
            command(.call(newCall(action.action.rawValue), .resource(call)))
        } catch {
            violation = violation ?? Violation(description: "\(json): \(error)")
        }
    }

    func take(_ notice: ResourceNotice) {
        seen.insert("\(notice.type)")
        note("  \(notice.type) \(notice.path.text)")
        switch notice.kind {
        case .will(let hook): plan(.hook(hook), in: random.below(2_000))
        case .did, .persisted, .action, .error: break
        }
    }

    func answer(hook: UInt64) {
        let refusal = random.chance(15) ? #","refuse":"no""# : ""
        resource(#"{"action":"resource_continue","hook":\#(hook)\#(refusal)}"#)
    }

    /// Nothing is under way any more. What was cut off, or could not be stored, has left counters wrong by some number:
    /// that stays the same, whatever is done from now on, together and offline.
    func convergeResources() throws {
        guard traits.hasDatabase else { return }
        try awaitResources()
        let before = driftOfCounters()
        for _ in 0..<40 {
            switch random.below(10) {
            case 0: ask(.databaseOffline, .setOnline(false))
            case 1: databaseOnline()
            default: resourceAct()
            }
            try advance(random.below(60))
        }
        databaseOnline()
        try awaitResources()
        let after = driftOfCounters()
        // One that was missing began with what was counted first, and not below 0: how wrong that was nobody knows.
        guard zip(before, after).allSatisfy({ $0 == nil || $0 == $1 }) else {
            throw Violation(description: "counters are wrong by \(after), and were by \(before)")
        }
    }

    private func awaitResources() throws {
        for _ in 0..<300 where engine.resourcesInFlight > 0 || !plans.isEmpty { try advance(1_000) }
        guard engine.resourcesInFlight == 0 else {
            throw Violation(description: "\(engine.resourcesInFlight) operations on resources never end")
        }
    }

    /// Of both counters, what they say beyond what there is; `nil` where there is none.
    private func driftOfCounters() -> [Int64?] {
        let tasks = service.databaseValue(at: "/task/l").children
        let done = tasks.count { TreeKey("done").map($0.node.isTrue) ?? false }
        return [("all", tasks.count), ("done", done)].map { name, count in
            let counter = service.databaseValue(at: "/list_of/l/" + name)
            return counter.isEmpty ? nil : DatabaseKnowledge.number(counter) - Int64(count)
        }
    }
}

extension TreeNode {
    fileprivate func isTrue(_ key: TreeKey) -> Bool { self[key].leaf == .bool(true) }
}
