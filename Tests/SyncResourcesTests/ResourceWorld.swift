import SyncBytes
import SyncJSON
import SyncModel
import SyncTree

@testable import SyncResources

/// A machine with a host and a database that a test answers for.
struct ResourceWorld {
    /// Something that the machine wanted of the database.
    struct Asked {
        enum Kind { case set, update, remove, count, read }
        let kind: Kind
        let path: TreePath
        var body: [UInt8] = []
        var by: Int64 = 0
        var isKept = false
    }

    let machine: ResourceMachine
    var now = Moment(monotonic: 0, wall: 1_700_000_000_000)
    /// What came of it, in order: `set /group/g1`, `count +1 /group/g1/n`, `will_create 5`, `complete 1 0`.
    var log: [String] = []
    /// By number, in the order they were asked; those that are answered are gone.
    var asked: [(id: UInt64, Asked)] = []
    var notices: [ResourceNotice] = []
    /// Hooks that wait for the host.
    var hooks: [UInt64] = []
    var replies: [CallID: [ResourceReply]] = [:]
    private var lastCall: UInt64 = 0

    init(seed: UInt64 = 1) { machine = ResourceMachine(seed: seed) }

    @discardableResult
    mutating func ask(_ request: ResourceRequest) -> CallID {
        lastCall += 1
        machine.handle(request, call: .host(lastCall), now: now)
        take()
        return .host(lastCall)
    }

    @discardableResult
    mutating func register(
        _ name: String, _ path: String, counters: String? = nil, hooks: [String] = []
    ) throws -> CallID {
        let document = try ResourceWorld.document(counters ?? "[]", at: "$.counters")
        return ask(
            .register(
                try ResourceType(
                    DocumentValue(.string(name), path: "$.resource_type"),
                    path: DocumentValue(.string(path), path: "$.path"), counters: document,
                    hooks: DocumentValue(.strings(hooks), path: "$.hooks"))))
    }

    @discardableResult
    mutating func push(_ name: TextKey, on parent: TextKey? = nil, _ resources: String = "{}") throws -> CallID {
        ask(.push(context: name, on: parent, try ResourceEntry.list(try ResourceWorld.document(resources))))
    }

    @discardableResult
    mutating func operate(
        _ kind: ResourceRequest.Operation.Kind, _ type: TextKey, in context: TextKey = "root", key: String? = nil,
        _ value: String? = nil, whenKept: Bool = false
    ) throws -> CallID {
        ask(
            .operation(
                ResourceRequest.Operation(
                    kind, type: type, context: context, key: key.flatMap { TreeKey($0) },
                    value: try value.map { try ResourceWorld.value($0) }, completesWhenKept: whenKept)))
    }

    static func document(_ text: String, at path: String = "$") throws -> DocumentValue {
        DocumentValue(try JSON.parse(text), path: path)
    }

    static func value(_ text: String) throws -> ResourceValue { try ResourceValue(document(text, at: "$.value")) }

    mutating func receive(_ input: ResourceInput) {
        machine.receive(input, now: now)
        take()
    }

    // MARK: Answers to the first that waits at a path

    mutating func keep(_ path: String) {
        guard let index = index(path, { !$0.isKept && $0.kind != .read }) else {
            return log.append("nothing at " + path)
        }
        asked[index].1.isKept = true
        receive(.kept(id: asked[index].id))
    }

    mutating func accept(_ path: String) { answer(path, nil) }

    mutating func answer(_ path: String, _ failure: ResourceFailure?) {
        guard let index = index(path, { $0.kind != .read }) else { return log.append("nothing at " + path) }
        let id = asked.remove(at: index).id
        receive(failure.map { .failed(id: id, $0) } ?? .written(id: id))
    }

    mutating func tell(_ path: String, _ result: Result<String, ResourceFailure>) throws {
        guard let index = index(path, { $0.kind == .read }) else { return log.append("nothing at " + path) }
        let id = asked.remove(at: index).id
        switch result {
        case .success(let text): receive(.read(id: id, try TreeReader.value(Array(text.utf8), time: 0)))
        case .failure(let failure): receive(.failed(id: id, failure))
        }
    }

    private func index(_ path: String, _ test: (Asked) -> Bool) -> Int? {
        asked.firstIndex { $0.1.path.text == path && test($0.1) }
    }

    // MARK: What came of it

    mutating func take() {
        for effect in machine.takeEffects() {
            switch effect {
            case .set(let id, let path, let body):
                log.append("set " + path.text)
                asked.append((id, Asked(kind: .set, path: path, body: body)))
            case .update(let id, let path, let body):
                log.append("update " + path.text)
                asked.append((id, Asked(kind: .update, path: path, body: body)))
            case .remove(let id, let path):
                log.append("remove " + path.text)
                asked.append((id, Asked(kind: .remove, path: path)))
            case .count(let id, let path, let by):
                log.append("count \(by > 0 ? "+" : "")\(by) \(path.text)")
                asked.append((id, Asked(kind: .count, path: path, by: by)))
            case .read(let id, let path):
                log.append("read " + path.text)
                asked.append((id, Asked(kind: .read, path: path)))
            case .tell(let notice):
                log.append(notice.type.description.replacing("resource_", with: ""))
                if case .will(let hook) = notice.kind { hooks.append(hook) }
                notices.append(notice)
            case .complete(let call, let reply):
                log.append("complete \(call) \((reply.failure?.status ?? .ok).rawValue)")
                replies[call, default: []].append(reply)
            }
        }
    }

    mutating func takeLog() -> [String] {
        defer { log = [] }
        return log
    }

    func result(_ call: CallID) throws -> JSON? { try replies[call]?.first?.result.map { try JSON.parse($0) } }
    func message(_ call: CallID) -> String? { replies[call]?.first?.failure?.message }

    /// The members of a notice as hosts see them.
    func members(_ notice: ResourceNotice?) throws -> JSON {
        guard let notice else { return .null }
        var writer = JSONWriter()
        writer.beginObject()
        notice.write(&writer)
        writer.endObject()
        return try JSON.parse(writer.bytes)
    }
}
