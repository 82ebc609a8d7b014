import SyncBytes
import SyncJSON
import SyncModel
import SyncTree

// Hosts say once, by templates of paths, where objects of each type are stored; then they create, update and destroy
// objects in contexts.
//
// - The machine does not read or write the database itself: requests are effects with numbers, and the answers are
//   inputs.
// - A request is checked before anything is written, so one that is wrong leaves nothing behind.
// - Operations on one object, or on objects within each other, are done one after the other, so the second one reads
//   what the first one has written. Otherwise two updates would read the same old value, and both would count its
//   change.
// - A counter is changed when the object's write is stored, and changed back when the service then refuses the write.

/// Registered types, contexts, and the operations on objects. After every call `takeEffects` has to be asked for.
public final class ResourceMachine {
    /// Bounds on what a host can keep in memory here.
    static let mostTypes = 1000
    static let mostContexts = 10_000
    static let deepestContext = 100
    static let mostOperations = 100_000

    private var types: [TextKey: ResourceType] = [:]
    /// In the order they were registered.
    private var counters: [(owner: TextKey, counter: ResourceCounter)] = []
    private var contexts: [TextKey: ResourceContext] = [:]

    var operations: [UInt64: ResourceOperation] = [:]
    /// The operations that have not stored their write yet; `unwrittenPlaces` has the places of their objects.
    var unwritten: Set<UInt64> = []
    var unwrittenPlaces = PathIndex()
    /// The operation that waits for the answer with this number, from the database or from the host to a hook.
    var waiting: [UInt64: UInt64] = [:]
    /// The operation that a call waits for.
    var calls: [CallID: UInt64] = [:]

    var now = Moment(monotonic: 0, wall: 0)
    private var effects: [ResourceEffect] = []
    private var lastID: UInt64 = 0
    private var ids = PushIDs()
    private let random: RandomSource

    /// Makes a machine without types and contexts. `seed`: of the keys of new objects.
    public init(seed: UInt64) { random = RandomSource(seed: seed) }

    // MARK: Inputs

    /// Does what a host asks for. The call is completed once, by an effect.
    public func handle(_ request: ResourceRequest, call: CallID, now: Moment) {
        self.now = now
        do throws(ResourceFailure) {
            if let reply = try route(request, call) { effect(.complete(call: call, reply)) }
        } catch {
            effect(.complete(call: call, ResourceReply(error)))
        }
    }

    /// The database has answered.
    public func receive(_ input: ResourceInput, now: Moment) {
        self.now = now
        switch input {
        case .kept(let id): kept(id)
        case .written(let id): written(id, nil)
        case .read(let id, let node): read(id, .success(node))
        case .failed(let id, let failure):
            read(id, .failure(failure))
            written(id, failure)
        }
    }

    /// Ends a call. Its operation ends too if it has not written yet; otherwise the operation goes on.
    ///
    /// - Returns: whether there is such a call; it has been completed then.
    public func giveUp(_ call: CallID, _ failure: ResourceFailure) -> Bool {
        guard let id = calls[call], let operation = operations[id] else { return false }
        if case .writing = operation.stage {
            complete(id, ResourceReply(failure))
        } else {
            end(id, failure)
        }
        return true
    }

    /// Ends all operations and forgets all contexts. Types stay.
    public func startOver(_ failure: ResourceFailure) {
        for id in operations.keys.sorted() { complete(id, ResourceReply(failure)) }
        operations = [:]
        unwritten = []
        unwrittenPlaces = PathIndex()
        waiting = [:]
        calls = [:]
        contexts = [:]
    }

    /// Takes the effects of the inputs since the last time, in order.
    public func takeEffects() -> [ResourceEffect] {
        defer { effects = [] }
        return effects
    }

    /// How many operations are in flight. One is until the service has answered for the object and its counters.
    public var inFlight: Int { operations.count }

    // MARK: Requests

    /// The reply to a request that completes at once; `nil` for one that completes later.
    private func route(_ request: ResourceRequest, _ call: CallID) throws(ResourceFailure) -> ResourceReply? {
        switch request {
        case .register(let type): try register(type)
        case .push(let name, let parent, let resources): try push(name, parent, resources)
        case .reset(let name, let resources): try context(name).resources = resources
        case .pop(let name):
            _ = try context(name)
            contexts[name] = nil
        case .lookup(let name, let wanted): return ResourceReply(result: lookup(try context(name), wanted))
        case .operation(let operation):
            try begin(operation, call)
            return nil
        case .proceed(let hook, let value, let refusal): try proceed(hook, value, refusal)
        case .path(let type, let name, let key, let isCollection):
            let path = try path(try self.type(type), try context(name).stack, key, isCollection: isCollection)
            return ResourceReply(result: path)
        case .statistics: return ResourceReply(result: statistics)
        }
        return ResourceReply(result: nil)
    }

    private func register(_ type: ResourceType) throws(ResourceFailure) {
        guard types[type.name] == nil else {
            throw ResourceFailure(.invalidArgument, "$.resource_type: is registered already")
        }
        guard types.count < ResourceMachine.mostTypes else {
            throw ResourceFailure(.tooManyCalls, "there are \(ResourceMachine.mostTypes) types already")
        }
        types[type.name] = type
        for counter in type.counters { counters.append((type.name, counter)) }
    }

    private func push(
        _ name: TextKey, _ parent: TextKey?, _ resources: [NamedResource]
    ) throws(ResourceFailure) {
        guard contexts[name] == nil else { throw ResourceFailure(.invalidArgument, "$.context: is there already") }
        guard contexts.count < ResourceMachine.mostContexts else {
            throw ResourceFailure(.tooManyCalls, "there are \(ResourceMachine.mostContexts) contexts already")
        }
        var below: ResourceContext?
        if let parent { below = try context(parent, "parent") }
        let level = ResourceContext(on: below, resources)
        guard level.depth <= ResourceMachine.deepestContext else {
            throw ResourceFailure(
                .invalidArgument, "$.parent: has \(ResourceMachine.deepestContext) contexts below it already")
        }
        contexts[name] = level
    }

    private func context(_ name: TextKey, _ argument: String = "context") throws(ResourceFailure) -> ResourceContext {
        guard let context = contexts[name] else {
            throw ResourceFailure(.notFound, "$.\(argument): there is no context \"\(name.text)\"")
        }
        return context
    }

    private func type(_ name: TextKey) throws(ResourceFailure) -> ResourceType {
        guard let type = types[name] else {
            throw ResourceFailure(.notFound, "$.resource_type: \"\(name.text)\" is not registered")
        }
        return type
    }

    private func lookup(_ context: ResourceContext, _ name: TextKey?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("resources")
        NamedResource.write(context.stack.resources.filter { name == nil || $0.name == name }, &writer)
        writer.member("depth", context.depth)
        writer.endObject()
        return writer.bytes
    }

    private func path(
        _ type: ResourceType, _ stack: ResourceStack, _ key: TreeKey?, isCollection: Bool
    ) throws(ResourceFailure) -> [UInt8] {
        if isCollection {
            guard type.template.hasKey else {
                throw ResourceFailure(.invalidArgument, "$.resource_type: has no \"@\" in its path, so no collection")
            }
        } else {
            try check(key, of: type)
        }
        let path = try type.template.path(key: isCollection ? nil : key, stack)
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("path", path.text)
        writer.endObject()
        return writer.bytes
    }

    private var statistics: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("types", types.count)
        writer.member("counters", counters.count)
        writer.member("contexts", contexts.count)
        writer.member("in_flight", inFlight)
        writer.endObject()
        return writer.bytes
    }

    // MARK: Operations begin

    private func check(_ key: TreeKey?, of type: ResourceType) throws(ResourceFailure) {
        if type.template.hasKey, key == nil { throw ResourceFailure(.invalidArgument, "$.key: is missing") }
        if !type.template.hasKey, key != nil {
            throw ResourceFailure(.invalidArgument, "$.key: the path of this type has no \"@\"")
        }
    }

    private func begin(_ request: ResourceRequest.Operation, _ call: CallID) throws(ResourceFailure) {
        guard operations.count < ResourceMachine.mostOperations else {
            throw ResourceFailure(.tooManyCalls, "there are \(ResourceMachine.mostOperations) operations under way")
        }
        let type = try self.type(request.type)
        let stack = try context(request.context).stack
        let plan = try ResourcePlan(request, hasKey: type.template.hasKey)
        let key = request.key ?? (type.template.hasKey && plan.first == .create ? freshKey() : nil)
        try check(key, of: type)
        let path = try type.template.path(key: key, stack)
        guard let ownKey = path.keys.last else {
            throw ResourceFailure(.invalidArgument, "$.resource_type: its path is that of the whole database")
        }
        if let value = request.value {
            try plan.check(value, at: path, time: now.wall)
        }
        let (counters, uncounted) = try placedCounters(of: type.name, stack)
        let id = nextID()
        calls[call] = id
        unwritten.insert(id)
        unwrittenPlaces.insert(id, at: path)
        operations[id] = ResourceOperation(
            id: id, call: call, type: type, change: plan.first, changeWhenThere: plan.whenThere, key: ownKey,
            path: path, context: request.context, stack: stack, counters: counters, uncounted: uncounted,
            value: request.value, completesWhenKept: request.completesWhenKept, stage: .toFind)
        if plan.mustFind { find(id) } else { askHook(id) }
    }

    /// The counters that count objects of a type, with their paths, and the names of those whose owner is not in the
    /// context.
    private func placedCounters(
        of type: TextKey, _ stack: ResourceStack
    ) throws(ResourceFailure) -> ([ResourceOperation.PlacedCounter], [String]) {
        var placed: [ResourceOperation.PlacedCounter] = []
        var uncounted: [String] = []
        for (owner, counter) in counters where counter.counting == type {
            guard let entry = stack.first(of: owner), let ownerType = types[owner] else {
                uncounted.append(owner.text + "/" + counter.name.text)
                continue
            }
            let path = try ownerType.template.path(key: entry.key, stack) + counter.name
            placed.append(ResourceOperation.PlacedCounter(counter: counter, path: path))
        }
        return (placed, uncounted)
    }

    private func freshKey() -> TreeKey? {
        TreeKey(
            ids.next(at: now.wall) {
                (0..<PushIDs.randomCount).map { _ in UInt8(truncatingIfNeeded: random.below(256)) }
            })
    }

    // MARK: What the parts share

    func effect(_ effect: ResourceEffect) { effects.append(effect) }

    func nextID() -> UInt64 {
        lastID &+= 1
        return lastID
    }

    /// A new number; the answer to it goes to the operation.
    func nextID(for operation: UInt64) -> UInt64 {
        let id = nextID()
        waiting[id] = operation
        return id
    }

    func complete(_ id: UInt64, _ reply: ResourceReply) {
        guard let operation = operations[id], !operation.isCompleted else { return }
        operations[id]?.isCompleted = true
        calls[operation.call] = nil
        effect(.complete(call: operation.call, reply))
    }
}
