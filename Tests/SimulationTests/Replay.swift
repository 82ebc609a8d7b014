import SyncEngine
import SyncModel

/// What a host shows that only applies changes.
struct Replay {
    struct Row {
        let id: String
        var json: [UInt8]
    }

    private(set) var collections: [CollectionID: [CollectionChange.List: [Row]]] = [:]
    /// The last told state of each collection.
    private(set) var infos: [CollectionID: CollectionInfo] = [:]

    mutating func open(_ id: CollectionID) { collections[id] = [:] }

    mutating func close(_ id: CollectionID) {
        collections[id] = nil
        infos[id] = nil
    }

    mutating func note(_ info: CollectionInfo) {
        if collections[info.collection] != nil { infos[info.collection] = info }
    }

    func rows(_ id: CollectionID, _ list: CollectionChange.List) -> [Row] { collections[id]?[list] ?? [] }

    mutating func apply(_ change: CollectionChange) throws {
        guard let lists = collections[change.collection] else {
            throw Violation(description: "an event of collection \(change.collection), which is not open")
        }
        if let info = change.info { infos[change.collection] = info }
        var list = lists[change.list] ?? []
        func bad(_ index: Int) -> Violation {
            Violation(
                description: "collection \(change.collection) \(change.list): \(change.action) (\(change.cause.source))"
                    + " at \(index) of \(list.count) does not fit")
        }
        for item in change.items {
            switch change.action {
            case .clear: break
            case .insert:
                guard (0...list.count).contains(item.index), !list.contains(where: { $0.id == item.id })
                else { throw bad(item.index) }
                list.insert(Row(id: item.id, json: item.json), at: item.index)
            case .update:
                guard list.indices.contains(item.index), list[item.index].id == item.id else { throw bad(item.index) }
                list[item.index].json = item.json
            case .remove:
                guard list.indices.contains(item.index), list[item.index].id == item.id else { throw bad(item.index) }
                list.remove(at: item.index)
            case .move:
                guard list.indices.contains(item.from), list[item.from].id == item.id else { throw bad(item.from) }
                list.remove(at: item.from)
                guard (0...list.count).contains(item.index) else { throw bad(item.index) }
                list.insert(Row(id: item.id, json: item.json), at: item.index)
            }
        }
        if change.action == .clear { list = [] }
        collections[change.collection]?[change.list] = list
    }
}
