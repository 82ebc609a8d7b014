import SyncJSON
import SyncModel
import SyncTree

// The stages of an operation: it finds out whether the object exists, asks the hook, waits for earlier operations,
// reads, writes, and waits for the service's answer.
extension ResourceMachine {
    // MARK: Before anything is written

    /// Whether an earlier operation on the object, on something in it or on something around it has not stored its
    /// write yet.
    private func isBlocked(_ operation: ResourceOperation) -> Bool {
        unwrittenPlaces.contains(lessThan: operation.id, touching: operation.path)
    }

    /// Asks the database whether the object is there, once no earlier operation blocks this one.
    func find(_ id: UInt64) {
        guard let operation = operations[id], !isBlocked(operation) else { return }
        let read = nextID(for: id)
        operations[id]?.stage = .finding(read: read)
        effect(.read(id: read, operation.path))
    }

    /// Asks the host, if it has registered the `will` hook.
    func askHook(_ id: UInt64) {
        guard let operation = operations[id] else { return }
        guard operation.type.hooks.contains(.will(operation.change)) else { return setReady(id) }
        let hook = nextID(for: id)
        operations[id]?.stage = .hook(hook)
        effect(.tell(operation.notice(.will(hook: hook))))
    }

    /// The host's answer to a hook.
    func proceed(_ hook: UInt64, _ value: ResourceValue?, _ refusal: String?) throws(ResourceFailure) {
        guard let id = waiting[hook], let operation = operations[id], case .hook(hook) = operation.stage else {
            throw ResourceFailure(.notFound, "$.hook: nobody waits for the answer to this one")
        }
        if let value {
            guard operation.change != .destroy else {
                throw ResourceFailure(.invalidArgument, "$.value: what is destroyed has none")
            }
            try value.check(for: operation.change, at: operation.path, time: now.wall)
        }
        waiting[hook] = nil
        if let refusal { return end(id, ResourceFailure(.canceled, "refused by the host: \(refusal)")) }
        if let value { operations[id]?.value = value }
        setReady(id)
    }

    private func setReady(_ id: UInt64) {
        operations[id]?.stage = .ready
        goOn(id)
    }

    /// Reads or writes, once no earlier operation blocks this one.
    private func goOn(_ id: UInt64) {
        guard let operation = operations[id], !isBlocked(operation) else { return }
        guard operation.needsOldValue else { return write(id, old: .empty) }
        let read = nextID(for: id)
        operations[id]?.stage = .reading(read: read)
        effect(.read(id: read, operation.path))
    }

    func read(_ read: UInt64, _ result: Result<TreeNode, ResourceFailure>) {
        guard let id = waiting[read], let operation = operations[id] else { return }
        switch (operation.stage, result) {
        case (.finding(read), .success(let node)):
            waiting[read] = nil
            if !node.isEmpty { operations[id]?.change = operation.changeWhenThere }
            askHook(id)
        case (.reading(read), .success(let node)):
            waiting[read] = nil
            write(id, old: node)
        case (.finding(read), .failure(let failure)), (.reading(read), .failure(let failure)):
            waiting[read] = nil
            end(id, failure)
        default: break
        }
    }

    /// Ends an operation of which nothing is stored yet.
    func end(_ id: UInt64, _ failure: ResourceFailure) {
        guard let operation = operations[id] else { return }
        complete(id, ResourceReply(failure))
        operations[id] = nil
        switch operation.stage {
        case .toFind, .ready: break
        case .finding(let number), .reading(let number), .hook(let number): waiting[number] = nil
        case .writing(let writing): waiting[writing.write] = nil
        }
        leaveUnwritten(operation)
    }

    /// Lets the operations go on that were blocked by this one.
    private func leaveUnwritten(_ operation: ResourceOperation) {
        guard unwritten.remove(operation.id) != nil else { return }
        unwrittenPlaces.remove(operation.id, at: operation.path)
        for id in unwrittenPlaces.numbers(touching: operation.path) {
            guard let later = operations[id] else { continue }
            switch later.stage {
            case .toFind: find(id)
            case .ready: goOn(id)
            default: break
            }
            // `later` has not stored its write yet, and the operations behind it on this object wait for it.
            if later.path == operation.path, unwritten.contains(id) { break }
        }
    }

    // MARK: Writing

    private func write(_ id: UInt64, old: TreeNode) {
        guard let operation = operations[id] else { return }
        let new: TreeNode
        do throws(ResourceFailure) {
            switch operation.change {
            case .create: new = try operation.value?.node(at: operation.path, time: now.wall) ?? .empty
            case .update:
                new = try operation.value?.merged(into: old, at: operation.path, time: now.wall) ?? old
            case .destroy: new = .empty
            }
        } catch {
            return end(id, error)
        }
        let write = nextID(for: id)
        operations[id]?.stage = .writing(ResourceOperation.Writing(write: write, old: old, new: new))
        let body = operation.value?.json ?? []
        switch operation.change {
        case .create: effect(.set(id: write, operation.path, body))
        case .update: effect(.update(id: write, operation.path, body))
        case .destroy: effect(.remove(id: write, operation.path))
        }
    }

    /// A write is stored: the local commit.
    func kept(_ write: UInt64) {
        guard let id = waiting[write], let operation = operations[id], case .writing(var writing) = operation.stage,
            writing.write == write, case .issued = writing.state
        else { return }
        writing.state = .kept
        for placed in operation.counters {
            let before = placed.counter.counts(operation.key, writing.old)
            let after = placed.counter.counts(operation.key, writing.new)
            guard before != after else { continue }
            count(placed.path, by: after ? 1 : -1, id, &writing)
        }
        operations[id]?.stage = .writing(writing)
        let hooks = operation.type.hooks
        if hooks.contains(.action) {
            let extra = operation.stack.without(operation.type.template.names)
            let action = ResourceNotice.Kind.action(
                old: writing.old.json(), new: writing.new.json(), extra: extra)
            effect(.tell(operation.notice(action)))
        }
        if hooks.contains(.did(operation.change)) { effect(.tell(operation.notice(.did))) }
        if operation.completesWhenKept { complete(id, ResourceReply(result: result(operation, writing))) }
        leaveUnwritten(operation)
    }

    private func count(
        _ path: TreePath, by: Int64, isUndoing: Bool = false, _ id: UInt64,
        _ writing: inout ResourceOperation.Writing
    ) {
        let number = nextID(for: id)
        writing.counts.append(ResourceOperation.Count(id: number, path: path, by: by, isUndoing: isUndoing))
        effect(.count(id: number, path, by: by))
    }

    /// The service has answered a write, or it could not be stored.
    func written(_ number: UInt64, _ failure: ResourceFailure?) {
        guard let id = waiting[number], let operation = operations[id], case .writing(let current) = operation.stage
        else { return }
        if current.write == number {
            if case .issued = current.state {
                if let failure { return end(id, failure) }
                // A write that the service has answered was stored before.
                kept(number)
            }
            answered(id, failure)
        } else {
            countAnswered(id, number, failure)
        }
        waiting[number] = nil
        finish(id)
    }

    private func answered(_ id: UInt64, _ failure: ResourceFailure?) {
        guard case .writing(var writing)? = operations[id]?.stage else { return }
        guard let failure else {
            writing.state = .accepted
            operations[id]?.stage = .writing(writing)
            return
        }
        writing.state = .refused(failure)
        // Counters that are not answered yet are changed back when they are answered.
        for counted in writing.counts where counted.isAnswered && counted.failure == nil {
            count(counted.path, by: -counted.by, isUndoing: true, id, &writing)
        }
        operations[id]?.stage = .writing(writing)
    }

    private func countAnswered(_ id: UInt64, _ number: UInt64, _ failure: ResourceFailure?) {
        guard case .writing(var writing)? = operations[id]?.stage,
            let index = writing.counts.firstIndex(where: { $0.id == number })
        else { return }
        writing.counts[index].isAnswered = true
        writing.counts[index].failure = failure
        let counted = writing.counts[index]
        if case .refused = writing.state, failure == nil, !counted.isUndoing {
            count(counted.path, by: -counted.by, isUndoing: true, id, &writing)
        }
        operations[id]?.stage = .writing(writing)
    }

    /// Ends an operation when the service has answered for the object and all its counters.
    private func finish(_ id: UInt64) {
        guard let operation = operations[id], operation.isOver, case .writing(let writing) = operation.stage else {
            return
        }
        var failure: ResourceFailure?
        if case .refused(let refusal) = writing.state { failure = refusal }
        if operation.isCompleted {
            if let failure { effect(.tell(operation.notice(.error(failure, operation.path)))) }
            for count in writing.counts {
                if let failure = count.failure { effect(.tell(operation.notice(.error(failure, count.path)))) }
            }
        }
        if operation.type.hooks.contains(.persisted(operation.change)) {
            effect(.tell(operation.notice(.persisted(failure, writing.changes))))
        }
        complete(id, failure.map { ResourceReply($0) } ?? ResourceReply(result: result(operation, writing)))
        operations[id] = nil
    }

    private func result(_ operation: ResourceOperation, _ writing: ResourceOperation.Writing) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("change", operation.change.rawValue)
        writer.member("key", operation.key.text)
        writer.member("path", operation.path.text)
        writer.key("counters")
        ResourceNotice.CounterChange.write(writing.changes, &writer)
        writer.key("uncounted")
        writer.beginArray()
        for name in operation.uncounted { writer.string(name) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}

extension ResourceOperation.Writing {
    /// The changes of counters of which the host is told, including those that were changed back.
    var changes: [ResourceNotice.CounterChange] {
        counts.map { ResourceNotice.CounterChange(path: $0.path, by: $0.by, failure: $0.failure) }
    }
}
