import SyncBytes
import SyncModel
import SyncTree
import TestSupport
import XCTest

@testable import SyncResources

/// Whatever is answered in whatever order: every call completes once, nothing stays in flight, and counters say what
/// there is. `SM_SEEDS` sets the number of seeds, `SM_SEED` runs one.
final class ResourcePropertyTests: XCTestCase {
    func testCountersSayWhatThereIs() throws {
        for seed in Seeds.chosen(usual: 2000) {
            try run(seed)
            if testRun?.failureCount ?? 0 > 0 { return XCTFail("SM_SEED=\(seed) repeats it") }
        }
    }

    private static let failure = ResourceFailure(.service, "Permission denied", code: 401)

    /// A host, and a database whose service takes writes in the order in which they were stored.
    private struct Run {
        var random: SeededGenerator
        var world: ResourceWorld
        var service = TreeNode.empty
        /// What is stored and waits for the service.
        var queue: [(id: UInt64, ResourceWorld.Asked)] = []
        /// Whether counters may be refused, or nothing be stored any more: then they need not say what there is.
        let isUnkind: Bool
        var calls: [CallID] = []

        init(_ seed: UInt64) {
            random = SeededGenerator(seed: seed)
            world = ResourceWorld(seed: seed)
            isUnkind = seed % 5 == 0
        }

        mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }

        /// Objects whose key begins with "x" belong to somebody else.
        func isRefused(_ path: TreePath) -> Bool { path.keys.contains { $0.text.hasPrefix("x") } }

        /// What own writes make of a value.
        func apply(_ asked: ResourceWorld.Asked, to tree: inout TreeNode) throws {
            let old = tree[asked.path]
            switch asked.kind {
            case .set: tree.set(asked.path, try TreeReader.value(asked.body, at: asked.path, time: 0))
            case .remove: tree.set(asked.path, .empty)
            case .update:
                for write in try TreeReader.update(asked.body, at: asked.path, time: 0, existing: old) {
                    tree.set(asked.path + write.path, write.node)
                }
            case .count:
                let before: Int64? = if case .integer(let number)? = old.leaf { number } else { nil }
                tree.set(asked.path, TreeNode(.integer(before.map { $0 + asked.by } ?? max(0, asked.by))))
            case .read: break
            }
        }

        var view: TreeNode {
            get throws {
                var tree = service
                for (_, asked) in queue where !isRefused(asked.path) || asked.kind != .count {
                    try apply(asked, to: &tree)
                }
                return tree
            }
        }
    }

    private func run(_ seed: UInt64) throws {
        var run = Run(seed)
        let counters = #"""
            [{"name":"all","counting":"Task"},{"name":"done","counting":"Task","predicate":{"==":["done",true]}}]
            """#
        try run.world.register("List", "/list/@", counters: counters)
        let hooks = ResourceHook.allCases.map(\.rawValue).filter { _ in run.chance(60) }
        try run.world.register("Task", "/task/$list/@", hooks: hooks)
        try run.world.push("root", #"{"list":{"key":"l","type":"List"}}"#)
        try run.world.push("other", on: "root", #"{"list":{"key":"m","type":"List"}}"#)
        // Some that were there before.
        run.service = try TreeReader.value(
            Array(
                #"""
                {"list":{"l":{"all":3,"done":1},"m":{"all":0,"done":0}},
                 "task":{"l":{"a":{"done":true},"b":{"done":false},"xa":{"text":"mine"}}}}
                """#.utf8), time: 0)
        for _ in 0..<(10 + run.random.below(60)) { try step(&run) }
        try finish(&run)
        try check(run, seed)
    }

    private func step(_ run: inout Run) throws {
        switch run.random.below(10) {
        case 0...3: try operate(&run)
        case 4: try answerHook(&run)
        case 5...6: try store(&run)
        case 7: try answerRead(&run)
        case 8: try serve(&run)
        default:
            guard run.chance(20), let call = run.calls.randomElement(using: &run.random) else { return }
            _ = run.world.machine.giveUp(call, ResourceFailure(.timeout, "timed out"))
            run.world.take()
        }
    }

    private func operate(_ run: inout Run) throws {
        let key = ["a", "b", "c", "xa", "xb"][run.random.below(5)]
        let value = [#"{"done":true}"#, #"{"done":false}"#, #"{"text":"t"}"#, #"{"done":null}"#][run.random.below(4)]
        let context: TextKey = run.chance(80) ? "root" : "other"
        let isWhole = !value.contains("null")
        let call: CallID
        switch run.random.below(5) {
        case 0:
            call = try run.world.operate(
                .create, "Task", in: context, isWhole ? value : "true", whenKept: run.chance(30))
        case 1:
            call = try run.world.operate(
                .update, "Task", in: context, key: key, value, whenKept: run.chance(30))
        case 2: call = try run.world.operate(.destroy, "Task", in: context, key: key)
        case 3:
            call = try run.world.operate(
                .createOrUpdate(exists: nil), "Task", in: context, key: key, isWhole ? value : #"{"a":1}"#)
        default:
            call = try run.world.operate(
                .toggle(exists: nil), "Task", in: context, key: key, isWhole ? value : "true")
        }
        run.calls.append(call)
    }

    private func answerHook(_ run: inout Run) throws {
        guard !run.world.hooks.isEmpty else { return }
        let hook = run.world.hooks.remove(at: run.random.below(run.world.hooks.count))
        let refusal = run.chance(20) ? "no" : nil
        run.calls.append(run.world.ask(.proceed(hook: hook, value: nil, refusal: refusal)))
    }

    /// The next write is stored, or cannot be.
    private func store(_ run: inout Run) throws {
        guard let index = run.world.asked.firstIndex(where: { $0.1.kind != .read }) else { return }
        let (id, asked) = run.world.asked.remove(at: index)
        if run.chance(10), asked.kind != .count || run.isUnkind {
            return run.world.receive(.failed(id: id, ResourceFailure(.storage, "the disk is full")))
        }
        run.queue.append((id, asked))
        // Now and then only the service's answer tells it; nothing may be asked in between then.
        if run.chance(95) { run.world.receive(.kept(id: id)) } else { while !run.queue.isEmpty { try serve(&run) } }
    }

    private func answerRead(_ run: inout Run) throws {
        let reads = run.world.asked.indices.filter { run.world.asked[$0].1.kind == .read }
        guard let index = reads.randomElement(using: &run.random) else { return }
        let (id, asked) = run.world.asked.remove(at: index)
        if run.chance(10) {
            run.world.receive(.failed(id: id, ResourceFailure(.network, "there is no network")))
        } else {
            run.world.receive(.read(id: id, try run.view[asked.path]))
        }
    }

    /// The service answers what was stored first; now and then a counter overtakes what is before it.
    private func serve(_ run: inout Run) throws {
        guard !run.queue.isEmpty else { return }
        let count = run.chance(20) ? run.queue.firstIndex { $0.1.kind == .count } : nil
        let (id, asked) = run.queue.remove(at: count ?? 0)
        if asked.kind == .count ? run.isUnkind && run.chance(30) : run.isRefused(asked.path) {
            return run.world.receive(.failed(id: id, ResourcePropertyTests.failure))
        }
        try run.apply(asked, to: &run.service)
        run.world.receive(.written(id: id))
    }

    /// Everything that waits is answered.
    private func finish(_ run: inout Run) throws {
        for _ in 0..<10_000 {
            guard run.world.machine.inFlight > 0 || !run.queue.isEmpty else { return }
            try answerHook(&run)
            try answerRead(&run)
            try store(&run)
            try serve(&run)
        }
    }

    private func check(_ run: Run, _ seed: UInt64) throws {
        XCTAssertEqual(run.world.machine.inFlight, 0, "seed \(seed)")
        XCTAssertEqual(run.world.machine.unwritten, [], "seed \(seed)")
        XCTAssertEqual(run.world.machine.waiting.count, 0, "seed \(seed)")
        XCTAssertEqual(run.world.machine.calls.count, 0, "seed \(seed)")
        for call in run.calls { XCTAssertEqual(run.world.replies[call]?.count, 1, "seed \(seed), call \(call)") }
        guard !run.isUnkind, let doneKey = TreeKey("done") else { return }
        for list in ["l", "m"] {
            let tasks = run.service[try TreePath("/task/\(list)")].children
            let done = tasks.filter { $0.node[doneKey].leaf == .bool(true) }
            for (name, count) in [("all", tasks.count), ("done", done.count)] {
                let leaf = run.service[try TreePath("/list/\(list)/\(name)")].leaf
                XCTAssertEqual(leaf ?? .integer(0), .integer(Int64(count)), "seed \(seed), \(name) of \(list)")
            }
        }
    }
}
