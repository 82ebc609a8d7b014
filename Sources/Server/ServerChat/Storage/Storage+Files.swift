import SyncJSON

extension Storage {
    /// The name by which the folder knows this database.
    func folderOwner() throws -> String {
        if let known = try document(.setting, "file_folder")?["owner"]?.string { return known }
        let owner = random.hex(16)
        try save(.setting, "file_folder", at: 0, .object(["owner": .string(owner)]))
        return owner
    }

    /// The key that opens files which need one; the same for all logins of this database.
    public func fileKey(at now: Int64) throws -> String {
        if let known = try document(.setting, "file_key")?["key"]?.string { return known }
        let key = random.hex(16)
        try save(.setting, "file_key", at: now, .object(["key": .string(key)]))
        return key
    }
}
