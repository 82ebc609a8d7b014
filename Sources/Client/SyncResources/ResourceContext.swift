import SyncModel

/// One level of contexts that stand on each other. A level stays for as long as another one stands on it, whether it
/// still has a name or not.
final class ResourceContext {
    let parent: ResourceContext?
    /// How many levels there are down to the root, this one included.
    let depth: Int
    /// Of this level only.
    var resources: [NamedResource]

    init(on parent: ResourceContext?, _ resources: [NamedResource]) {
        self.parent = parent
        self.resources = resources
        depth = (parent?.depth ?? 0) + 1
    }

    /// What is seen from here now: later changes of a level do not reach what was begun before them.
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
