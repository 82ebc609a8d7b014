import SyncBytes
import SyncModel

/// The resources that are seen from a context: of each name the topmost one, those of the topmost level first.
struct ResourceStack: Sendable {
    let resources: [NamedResource]

    subscript(name: TextKey) -> ResourceEntry? { resources.first { $0.name == name }?.entry }

    /// The topmost object of a type.
    func first(of type: TextKey) -> ResourceEntry? { resources.first { $0.entry.type == type }?.entry }

    func without(_ names: [TextKey]) -> [NamedResource] { resources.filter { !names.contains($0.name) } }
}
