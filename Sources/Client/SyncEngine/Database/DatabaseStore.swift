import SyncRealtime
import SyncModel
import SyncStore
import SyncTree

/// What is stored of one realtime database: queued writes with the intents, told values in the cache.
final class DatabaseStore: DatabaseKeep {
    private let storage: Storage
    private let instance: DatabaseInstance

    init(_ storage: Storage, _ options: DatabaseOptions) {
        self.storage = storage
        instance = DatabaseInstance(url: options.url, name: options.name)
    }

    // MARK: Writes

    func keep(_ write: QueuedWrite) -> Bool {
        let row = DatabaseWrite(
            id: Int64(bitPattern: write.id), path: write.path.text, kind: write.kind.rawValue, body: write.body)
        let done: Void? = storage.intended { (intents) throws(StoreError) in try intents.add(row, to: instance) }
        return done != nil
    }

    func forget(write id: UInt64) -> Bool {
        let done: Void? = storage.intended { (intents) throws(StoreError) in
            try intents.removeDatabaseWrite(Int64(bitPattern: id), of: instance)
        }
        return done != nil
    }

    /// The writes that an earlier process left. A row that is no valid write is damaged.
    func writes() -> [QueuedWrite] {
        let writes = storage.intended { (intents) throws(StoreError) in
            try intents.databaseWrites(to: instance) { row -> QueuedWrite? in
                guard let kind = QueuedWrite.Kind(rawValue: row.kind), let path = try? TreePath(row.path) else {
                    return nil
                }
                return QueuedWrite(id: UInt64(bitPattern: row.id), path: path, kind: kind, body: row.body)
            }
        }
        return writes ?? []
    }

    // MARK: Values

    private func row(_ place: KeptPlace) -> DatabasePlace {
        DatabasePlace(instance, path: place.path.text, query: place.query)
    }

    func value(at place: KeptPlace) -> [UInt8]? {
        let row = row(place)
        let json = storage.cached { (cache) throws(StoreError) in try cache.databaseValues.value(at: row) } ?? nil
        if json != nil {
            // A failure matters little: only the order of eviction depends on this.
            _ = storage.cached { (cache) throws(StoreError) in try cache.databaseValues.use(at: row) }
        }
        return json
    }

    var valueLimit: Int { DatabaseValueStore.limit }

    func keep(_ value: [UInt8]?, at place: KeptPlace, isChange: Bool) -> Bool {
        let row = row(place)
        let done: Void? = storage.cached { (cache) throws(StoreError) in
            guard let value else { return try cache.databaseValues.drop(at: row) }
            try cache.databaseValues.keep(value, at: row, isChange: isChange)
        }
        return done != nil
    }

    func places(touching path: TreePath) -> [KeptPlace] {
        let rows = storage.cached { (cache) throws(StoreError) in
            try cache.databaseValues.places(in: instance, touching: path.text)
        }
        return (rows ?? []).compactMap { row in
            (try? TreePath(row.path)).map { KeptPlace(path: $0, query: row.query) }
        }
    }
}
