import SyncBytes
import SyncModel

/// One level of contexts that stand on each other. A level is kept as long as another one stands on it, even when its
/// name has been freed.
final class ResourceContext {
    let parent: ResourceContext?
    /// How many levels there are down to the root, this one included.
    let depth: Int
    /// The resources of this level only.
    var resources: [NamedResource]

    init(on parent: ResourceContext?, _ resources: [NamedResource]) {
        self.parent = parent
        self.resources = resources
        depth = (parent?.depth ?? 0) + 1
    }

    /// The resources that are seen from this level now. It is a copy, so an operation that has begun does not see later
    /// changes of a level.
    var stack: ResourceStack {
        var seen: Set<TextKey> = []
        var list: [NamedResource] = []
        var level: ResourceContext? = self
        while let current = level {
            for resource in current.resources where seen.insert(resource.name).inserted { list.append(resource) }
            level = current.parent
        }
        return ResourceStack(resources: list)
    }
}
