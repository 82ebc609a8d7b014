import ServerBase

/// The rules of uploaded files.
public struct FileRules: ChatRules {
    let chat: Chat

    /// The folder for uploaded files; `nil` when they go into the database.
    public var folder: FileFolder? { storage.files.folder }

    /// Refuses files of so many bytes together when there is no room, before the files come.
    public func checkRoom(_ count: Int64) throws {
        let quota = options.fileQuota
        guard try count <= quota - min(quota, storage.files.bytes()) else { throw Refusal.fullOfFiles(quota >> 20) }
        try storage.files.folder?.checkRoom(count)
    }

    /// Keeps a file; returns the key that it is found by.
    public func store(_ file: FileTable.NewFile) throws -> String {
        let limit = options.fileLimit
        guard file.content.count <= limit << 20 else { throw Refusal.largeFile(limit) }
        // The room for a file in a folder was taken while the file came in.
        if case .memory = file.content { try checkRoom(file.content.count) }
        let key = try storage.transaction { try storage.files.save(file, at: now) }
        if case .draft(let draft) = file.content { finally { draft.keep() } }
        return key
    }

    public func file(_ key: String) throws -> FileTable.File {
        guard let file = try storage.files.file(key) else {
            throw Refusal(400_201, "\"File\" not found.", status: 404)
        }
        return file
    }

    /// The key that opens files which need one.
    public func key() throws -> String { try storage.documents.fileKey(at: now) }
}

extension Chat {
    public var files: FileRules { FileRules(chat: self) }
}
