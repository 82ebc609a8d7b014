import SyncDatabase
import SyncModel
import SyncStore
import SyncTree

/// What is kept of one realtime database: the writes that the service has not answered.
struct DatabaseStorage {
    let storage: Storage
    let instance: DatabaseInstance

    /// The numbers that stand in the file. A number is never reused.
    private enum Kind: Int64 {
        case value = 1
        case update = 2
    }

    /// `false` when it could not be stored.
    func keep(_ write: QueuedWrite) -> Bool {
        let kind = write.isUpdate ? Kind.update : .value
        let row = DatabaseWrite(
            id: Int64(bitPattern: write.id), path: write.path.text, kind: kind.rawValue, body: write.body)
        let done: Void? = storage.intended { (intents) throws(StoreError) in try intents.add(row, to: instance) }
        return done != nil
    }

    func forget(write id: UInt64) {
        _ = storage.intended { (intents) throws(StoreError) in
            try intents.removeDatabaseWrite(Int64(bitPattern: id), of: instance)
        }
    }

    /// The writes that an earlier run has left. One that this version cannot read stays where it is.
    func writes() -> [QueuedWrite] {
        let rows = storage.intended { (intents) throws(StoreError) in try intents.databaseWrites(to: instance) } ?? []
        return rows.compactMap { row in
            guard let kind = Kind(rawValue: row.kind), let path = try? TreePath(row.path) else { return nil }
            return QueuedWrite(
                id: UInt64(bitPattern: row.id), path: path, isUpdate: kind == .update, body: row.body)
        }
    }
}
