import SyncJSON
import SyncSQLite

/// Things that are read and written as a whole and that nothing else joins with: JSON objects, each under its kind
/// and id.
public struct DocumentTable: StorageTable {
    let storage: Storage

    public enum Kind: String {
        case bot, announcement, scheduled, poll, report, emoji, emojiCategory, setting
    }

    public struct Document {
        public let id: String
        public let scope: String
        /// Milliseconds: when it was last changed.
        public let at: Int64
        public let json: JSON
    }

    public func document(_ kind: Kind, _ id: String) throws -> JSON? {
        try connection.prepare("SELECT json FROM documents WHERE kind = ? AND id = ?").bind(kind.rawValue).bind(id)
            .first { try? JSON.parse($0.bytes(0)) } ?? nil
    }

    public func whole(_ kind: Kind, _ id: String) throws -> Document? {
        try connection.prepare("SELECT id, scope, at, json FROM documents WHERE kind = ? AND id = ?")
            .bind(kind.rawValue).bind(id).first(DocumentTable.document) ?? nil
    }

    /// Writes a document; `due` is when something has to happen with it, 0 for never.
    public func save(_ kind: Kind, _ id: String, scope: String = "", at now: Int64, due: Int64 = 0, _ json: JSON) throws
    {
        try connection.prepare(
            "INSERT OR REPLACE INTO documents (kind, id, scope, at, due, json) VALUES (?, ?, ?, ?, ?, ?)"
        ).bind(kind.rawValue).bind(id).bind(scope).bind(now).bind(due).bind(json.serialized()).run()
    }

    @discardableResult
    public func remove(_ kind: Kind, _ id: String) throws -> Bool {
        try connection.prepare("DELETE FROM documents WHERE kind = ? AND id = ?").bind(kind.rawValue).bind(id).run()
        return connection.changes > 0
    }

    /// All documents of a kind, and of a scope if one is named, in the order of their ids.
    public func all(_ kind: Kind, scope: String? = nil) throws -> [Document] {
        let condition = scope == nil ? "" : " AND scope = ?"
        let statement = try connection.prepare(
            "SELECT id, scope, at, json FROM documents WHERE kind = ?\(condition) ORDER BY id"
        ).bind(kind.rawValue)
        if let scope { statement.bind(scope) }
        return try statement.all(DocumentTable.document).compactMap { $0 }
    }

    /// The documents that are due by now, the earliest first.
    public func due(by now: Int64) throws -> [(kind: Kind, document: Document)] {
        try connection.prepare(
            """
            SELECT id, scope, at, json, kind FROM documents WHERE due > 0 AND due <= ? ORDER BY due, kind, id
            """
        ).bind(now)
            .all { row in
                guard let kind = Kind(rawValue: row.text(4)), let document = DocumentTable.document(row) else {
                    return nil
                }
                return (kind, document)
            }.compactMap { $0 }
    }

    /// A document is no longer due: the action was done, or never will be.
    public func clearDue(_ kind: Kind, _ id: String, by now: Int64) throws {
        try connection.prepare("UPDATE documents SET due = 0 WHERE kind = ? AND id = ? AND due <= ?")
            .bind(kind.rawValue).bind(id).bind(now).run()
    }

    /// The next time after `now` at which something is due. Documents that could not be read stay due at a past time;
    /// waiting for these would never end.
    public func nextDue(after now: Int64) throws -> Int64? {
        try connection.prepare("SELECT min(due) FROM documents WHERE due > 0 AND due > ?").bind(now)
            .first { $0.isNull(0) ? nil : $0.int(0) } ?? nil
    }

    private static func document(_ row: Statement) -> Document? {
        guard let json = try? JSON.parse(row.bytes(3)) else { return nil }
        return Document(id: row.text(0), scope: row.text(1), at: row.time(2), json: json)
    }

    // MARK: Settings of the server itself

    /// The name by which the folder knows this database.
    func folderOwner() throws -> String {
        if let known = try document(.setting, "file_folder")?["owner"]?.string { return known }
        let owner = storage.random.hex(16)
        try save(.setting, "file_folder", at: 0, .object(["owner": .string(owner)]))
        return owner
    }

    /// The key that opens files which need one; the same for all logins of this database.
    public func fileKey(at now: Int64) throws -> String {
        if let known = try document(.setting, "file_key")?["key"]?.string { return known }
        let key = storage.random.hex(16)
        try save(.setting, "file_key", at: now, .object(["key": .string(key)]))
        return key
    }
}

extension Storage {
    public var documents: DocumentTable { DocumentTable(storage: self) }
}
