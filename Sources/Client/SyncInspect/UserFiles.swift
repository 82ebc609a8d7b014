import CLinux
import Glibc
import SyncBytes
import SyncSQLite
import SyncStore

/// The folder of a user, and its files.
struct UserFiles {
    let directory: String
    /// The keys of an encrypted folder; `nil` for a plain one.
    private let keys: DirectoryKeys?

    /// `directory`: the folder of a user, or a data_dir with the folder of only one; `keyFile`: the path of a file with
    /// its key.
    init?(_ directory: String, keyFile: String?, _ findings: Findings) {
        if let error = UserFiles.problem(directory) {
            findings.add("\(directory): \(error)")
            return nil
        }
        var found = [directory].filter(UserFiles.isUser)
        if found.isEmpty {
            found = UserFiles.names(directory).flatMap { app in
                UserFiles.names(directory + "/" + app).map { "\(directory)/\(app)/\($0)" }
            }.filter(UserFiles.isUser)
        }
        guard let first = found.first, found.count == 1 else {
            findings.add(found.isEmpty
                ? "\(directory): neither cache.db nor intents.db is in it, nor in a folder of a user below it"
                : "\(directory) has \(found.count) users; name one: \(found.prefix(5).joined(separator: ", "))")
            return nil
        }
        let keys = findings.attempt("the key") { () throws(StoreError) -> DirectoryKeys? in
            let key: HostKey? = if let keyFile { try HostKey(fileAt: keyFile) } else { nil }
            return try DirectoryKeys.reading(first, key)
        }
        guard let keys else { return nil }
        self.keys = keys
        self.directory = first
    }

    private static func problem(_ directory: String) -> String? {
        guard let folder = opendir(directory) else { return String(cString: strerror(errno)) }
        closedir(folder)
        return nil
    }

    private static func isUser(_ directory: String) -> Bool {
        StoredFile.allCases.contains { size(directory + "/" + $0.rawValue) != nil }
    }

    /// What is in a folder, in the order of the names.
    private static func names(_ directory: String) -> [String] {
        guard let folder = opendir(directory) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sortedByBytes()
    }

    /// Bytes of a file; `nil` when there is none.
    private static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    func listing() -> Listing {
        let names = UserFiles.names(directory)
        var listing = Listing(title: "files", columns: ["name", "size"])
        for name in names.prefix(100) {
            listing.rows.append([Shown.text(name), UserFiles.size(directory + "/" + name).map(Shown.size) ?? "?"])
        }
        listing.leftOff = Int64(names.count - listing.rows.count)
        return listing
    }

    /// Reads a file by `body`, which notes what it finds in the `Findings` that it is given. It is called once more
    /// when a client has begun to write meanwhile, since what it wrote could have looked like damage. `nil`: the file
    /// cannot be read.
    func read<T>(_ file: StoredFile, _ findings: Findings, _ body: (OpenFile, Findings) -> T) -> T? {
        guard let size = UserFiles.size(directory + "/" + file.rawValue) else {
            findings.add("\(file.rawValue) is missing")
            return nil
        }
        if UserFiles.size(directory + "/" + file.rawValue + ".damaged") != nil {
            findings.add("\(file.rawValue): a client has found damage in it, and sets it aside when it is opened next")
        }
        // A client may be writing the log's header at this moment; it does not do that twice in a row.
        if (try? file.check(in: directory)) == nil {
            findings.attempt(file.rawValue) { () throws(StoreError) in try file.check(in: directory) }
        }
        if !hasLog(file) {
            guard size > 0 else {
                findings.add("\(file.rawValue) is empty")
                return nil
            }
            let found = Findings()
            let result = attempt(file, isSettled: true, found).map { body($0, found) }
            if found.isEmpty || !hasLog(file) {
                findings.add(found)
                return result
            }
        }
        let found = Findings()
        if let open = attempt(file, isSettled: false, found) { return body(open, findings) }
        // In a folder that cannot be written to, SQLite reads no log that lacks its index. And when a client was
        // stopped while it migrated a file of an earlier version, only the next client can undo that.
        guard let open = attempt(file, isSettled: true, Findings()) else {
            findings.add(found)
            return nil
        }
        for log in logs(file) where (UserFiles.size(directory + "/" + log) ?? 0) > 0 {
            findings.add("\(log) cannot be read here, what is in it is left out")
        }
        return body(open, findings)
    }

    /// Opens a file to be read once, from its beginning to its end; `nil` when that cannot be done, which is noted.
    func open(_ file: StoredFile, _ findings: Findings) -> OpenFile? {
        attempt(file, isSettled: !hasLog(file), findings)
    }

    private func attempt(_ file: StoredFile, isSettled: Bool, _ findings: Findings) -> OpenFile? {
        findings.attempt(file.rawValue) { () throws(StoreError) in
            try OpenFile(file, directory, isSettled: isSettled, keys)
        }
    }

    private func hasLog(_ file: StoredFile) -> Bool { !logs(file).isEmpty }

    /// The names of what is there beside a file for SQLite to read with it.
    private func logs(_ file: StoredFile) -> [String] {
        ["-wal", "-journal"].map { file.rawValue + $0 }.filter { access(directory + "/" + $0, F_OK) == 0 }
    }
}
