import SyncBytes
import SyncModel

/// A registered type of objects: where they are stored, what they count, and which hooks the host is told of.
public struct ResourceType: Sendable {
    /// Bounds what a host can keep in memory here.
    private static let mostCounters = 100

    public let name: TextKey
    let template: PathTemplate
    /// What objects of this type count.
    let counters: [ResourceCounter]
    let hooks: Set<ResourceHook>

    /// Reads what a host wrote: the name, `"path"`, `"counters"` and `"hooks"`.
    public init(
        _ name: DocumentValue, path: DocumentValue, counters: DocumentValue?, hooks: DocumentValue?
    ) throws(DocumentError) {
        self.name = TextKey(try name.nonemptyText())
        template = try PathTemplate(path)
        var list: [ResourceCounter] = []
        for element in try counters?.list() ?? [] {
            let counter = try ResourceCounter(element)
            guard !list.contains(where: { $0.name == counter.name && $0.counting == counter.counting }) else {
                throw element.failure("this type is counted under that name already")
            }
            list.append(counter)
        }
        if let counters, list.count > ResourceType.mostCounters {
            throw counters.failure("a type has at most \(ResourceType.mostCounters) counters")
        }
        self.counters = list
        self.hooks = Set(try hooks?.choices(ResourceHook.self) ?? [])
    }
}
