extension Storage {
    public struct File {
        public let name: String
        public let type: String
        public let needsAuth: Bool
        public let bytes: [UInt8]

        public init(name: String, type: String, needsAuth: Bool, bytes: [UInt8]) {
            self.name = name
            self.type = type
            self.needsAuth = needsAuth
            self.bytes = bytes
        }
    }

    public func save(_ file: File, key: String, at now: Int64) throws {
        try connection.prepare("INSERT INTO files (key, name, type, needs_auth, at, bytes) VALUES (?, ?, ?, ?, ?, ?)")
            .bind(key).bind(file.name).bind(file.type).bind(file.needsAuth).bind(now).bind(blob: file.bytes).run()
    }

    public func file(_ key: String) throws -> File? {
        try connection.prepare("SELECT name, type, needs_auth, bytes FROM files WHERE key = ?").bind(key).first {
            File(name: $0.text(0), type: $0.text(1), needsAuth: $0.bool(2), bytes: $0.blob(3))
        }
    }

    /// The key that opens files which need one; the same for all logins of this database.
    public func fileKey(at now: Int64) throws -> String {
        if let known = try document(.setting, "file_key")?["key"]?.string { return known }
        let key = random.hex(16)
        try save(.setting, "file_key", at: now, .object(["key": .string(key)]))
        return key
    }
}
