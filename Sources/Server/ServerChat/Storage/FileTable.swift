import ServerBase
import SyncBytes
import SyncSQLite

/// The files that were uploaded: the database has what is known of them; their bytes are there, too, or in a folder.
public final class FileTable {
    private let connection: Connection
    private let random: RandomSource
    /// The folder for the bytes of new files; `nil`: they lie in the database.
    public let folder: FileFolder?

    init(_ connection: Connection, _ random: RandomSource, _ folder: FileFolder?) {
        self.connection = connection
        self.random = random
        self.folder = folder
    }

    /// A file that was kept.
    public struct File {
        public let name: String
        public let type: String
        public let needsAuth: Bool
        public let content: StoredBytes
    }

    /// A file that is to be kept.
    public struct NewFile {
        public let name: String
        public let type: String
        public let needsAuth: Bool
        public let content: FileContent

        public init(name: String, type: String, needsAuth: Bool, content: FileContent) {
            self.name = name
            self.type = type
            self.needsAuth = needsAuth
            self.content = content
        }
    }

    /// Keeps a file, as a part of a transaction, and returns its key. When that is stored, a draft must be told by
    /// `keep`.
    func save(_ file: NewFile, at now: Int64) throws -> String {
        let (key, bytes, isApart) =
            switch file.content {
            case .memory(let bytes): (random.hex(16), bytes, false)
            case .draft(let draft): (draft.name, [], true)
            }
        try connection.prepare(
            """
            INSERT INTO files (key, name, type, needs_auth, at, bytes, size, is_apart)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        ).bind(key).bind(file.name).bind(file.type).bind(file.needsAuth).bind(now).bind(blob: bytes)
            .bind(file.content.count).bind(isApart).run()
        try connection.prepare("UPDATE marks SET value = value + ? WHERE name = 'file_bytes'")
            .bind(file.content.count).run()
        return key
    }

    /// The bytes of all files together.
    func bytes() throws -> Int64 {
        try connection.prepare("SELECT value FROM marks WHERE name = 'file_bytes'").first { $0.int(0) } ?? 0
    }

    func file(_ key: String) throws -> File? {
        try connection.prepare("SELECT name, type, needs_auth, size, is_apart, bytes FROM files WHERE key = ?")
            .bind(key).first { row in
                let content = row.bool(4) ? folder?.file(key, count: row.int(3)) : .memory(row.blob(5))
                return content.map {
                    File(name: row.text(0), type: row.text(1), needsAuth: row.bool(2), content: $0)
                }
            } ?? nil
    }

    /// Opens the folder with files. A database that has files in a folder cannot be opened without it.
    func open(for owner: @autoclosure () throws -> String) throws {
        guard let folder else {
            if try connection.prepare("SELECT 1 FROM files WHERE is_apart = 1 LIMIT 1").first({ _ in true }) != nil {
                throw SetupError("the database has files in a folder, which was not named")
            }
            return
        }
        try folder.open(for: owner(), bytes: bytes()) { key in
            try connection.prepare("SELECT 1 FROM files WHERE key = ? AND is_apart = 1").bind(key).first { _ in true }
                != nil
        }
    }
}
