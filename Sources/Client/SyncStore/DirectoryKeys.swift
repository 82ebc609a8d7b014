import SyncBytes
import SyncSQLite

/// The keys of an encrypted directory: the host's key opens `key.db`, which has the data key, and that encrypts the
/// cache and the outbox.
///
/// So the host's key can change without writing the two files again, a key is derived from a passphrase once at each
/// opening, and a wrong key can be distinguished from a damaged file: when `key.db` opens and the cache does not, the
/// cache is damaged. SQLCipher reports a wrong key and a damaged file alike, so there are two copies of `key.db`: the
/// copy that opens counts, and the other one is written again.
public final class DirectoryKeys {
    private let directory: String
    private var hostKey: FileKey
    /// The data keys, newest first. There are two while the files are being encrypted with a new one.
    private var numbered: [(number: Int64, bytes: [UInt8])]

    private static let names = ["key.db", "key.db.1"]
    private static let keySize = 32
    private static let pageSize = 4096
    /// Bytes of `key.db`; it has three pages.
    private static let mostBytes = 1 << 16

    private init(_ directory: String, _ hostKey: FileKey, _ numbered: [(number: Int64, bytes: [UInt8])]) {
        self.directory = directory
        self.hostKey = hostKey
        self.numbered = numbered
    }

    /// The keys of a directory that is encrypted, or new; `nil` for a plain one that is opened without a key. A key
    /// that does not fit, or is missing, or is given for a plain directory, is `.wrongKey`.
    public static func opened(_ directory: String, _ hostKey: HostKey?) throws(StoreError) -> DirectoryKeys? {
        guard let hostKey = hostKey?.file else {
            guard !isEncrypted(directory) else { throw keyIsMissing(directory) }
            try removeCopies(directory)
            return nil
        }
        guard isEncrypted(directory) else {
            guard !StoredFile.allCases.contains(where: { DataDirectory.exists($0.path(in: directory)) }) else {
                throw .wrongKey(message: "\(directory) is not encrypted: open it without a key and call encrypt")
            }
            let keys = DirectoryKeys(directory, hostKey, [(1, try newKey())])
            try keys.write()
            return keys
        }
        let (keys, isWhole) = try read(directory, hostKey)
        if !isWhole { try keys.write() }
        // A kill while keys were written may have left it.
        try DataDirectory.remove(newFile(directory))
        try keys.putCopiesInPlace()
        return keys
    }

    /// The keys of an encrypted directory, for a program that only looks at it; `nil` when it is plain.
    public static func reading(_ directory: String, _ hostKey: HostKey?) throws(StoreError) -> DirectoryKeys? {
        guard isEncrypted(directory) else { return nil }
        guard let hostKey else { throw keyIsMissing(directory) }
        return try read(directory, hostKey.file).keys
    }

    private static func isEncrypted(_ directory: String) -> Bool {
        names.contains { DataDirectory.exists(directory + "/" + $0) }
    }

    private static func keyIsMissing(_ directory: String) -> StoreError {
        .wrongKey(message: "\(directory) is encrypted, and no key was given")
    }

    /// `isWhole`: whether both files are there, and the same.
    private static func read(
        _ directory: String, _ hostKey: FileKey
    ) throws(StoreError) -> (keys: DirectoryKeys, isWhole: Bool) {
        let files = try names.map { (name) throws(StoreError) in
            try DataDirectory.bytes(of: directory + "/" + name, limit: mostBytes)
        }
        // Deriving a key from a passphrase is slow, so the second file is opened only when the first one does not open
        // and differs from it.
        let isWhole = files[0] != nil && files[0] == files[1]
        var found: [(number: Int64, bytes: [UInt8])]?
        for (name, file) in zip(names, files) where file != nil && found == nil {
            found = try keys(in: directory + "/" + name, hostKey)
            if isWhole { break }
        }
        guard let found else { throw .wrongKey(message: "the key does not open \(directory)") }
        return (DirectoryKeys(directory, hostKey, found), isWhole)
    }

    /// `nil` when the key does not open the file, or it is damaged.
    private static func keys(
        in path: String, _ hostKey: FileKey
    ) throws(StoreError) -> [(number: Int64, bytes: [UInt8])]? {
        do throws(StoreError) {
            // The file is only ever replaced as a whole, so nobody writes to it while it is read.
            let file = try Connection(reading: path, isSettled: true, key: (hostKey, pageSize), functions: [])
            defer { file.shut() }
            let rows = try file.prepare("SELECT number, bytes FROM data_key ORDER BY number DESC LIMIT 2")
            var keys: [(number: Int64, bytes: [UInt8])] = []
            while try rows.next() { keys.append((try rows.int(0, in: 1...Int64.max - 1), rows.blob(1))) }
            return keys.isEmpty || keys.contains { $0.bytes.count != keySize } ? nil : keys
        } catch {
            guard case .corrupt = error else { throw error }
            return nil
        }
    }

    private static func settings(_ hostKey: FileKey) -> ConnectionSettings {
        var settings = ConnectionSettings(safety: .full, pageSize: pageSize, cacheSize: 100, logLimit: 0)
        settings.isPrivate = true
        settings.erasesDeleted = true
        settings.keepsLog = false
        settings.key = hostKey
        return settings
    }

    private static func newKey() throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: keySize)
        guard SystemRandom.fill(&bytes) else {
            throw .cannotOpen(path: "the system's random numbers", message: "they cannot be read")
        }
        return bytes
    }

    /// Writes both files, each as a whole under another name first: a kill leaves the old one or the new one.
    private func write() throws(StoreError) {
        let new = DirectoryKeys.newFile(directory)
        try DataDirectory.remove(new)
        let file = try Connection(path: new, DirectoryKeys.settings(hostKey))
        defer { file.shut() }
        try file.execute("CREATE TABLE data_key (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT")
        for (number, bytes) in numbered {
            try file.prepare("INSERT INTO data_key VALUES (?, ?)").bind(number).bind(blob: bytes).run()
        }
        file.shut()
        guard let bytes = try DataDirectory.bytes(of: new, limit: DirectoryKeys.mostBytes) else {
            throw .cannotOpen(path: new, message: "it is not what was written")
        }
        for name in DirectoryKeys.names {
            try DataDirectory.write(bytes, to: new)
            try DataDirectory.rename(new, to: directory + "/" + name)
            try DataDirectory.sync(directory)
        }
    }

    /// The key with which the cache and the outbox are encrypted.
    var dataKey: FileKey { .raw(numbered[0].bytes) }

    /// Opens a file with the data key of its directory, or without a key in a plain directory. A file that still has
    /// the older key is encrypted with the newest, unless it is only read.
    static func open(
        _ keys: DirectoryKeys?, onlyReads: Bool = false, _ make: (FileKey?) throws(StoreError) -> Connection
    ) throws(StoreError) -> Connection {
        do throws(StoreError) {
            return try make(keys?.dataKey)
        } catch {
            guard case .corrupt = error, let keys, keys.numbered.count > 1,
                let older = try? make(.raw(keys.numbered[1].bytes))
            else { throw error }
            if !onlyReads { try older.setKey(keys.dataKey) }
            return older
        }
    }

    /// Forgets the older data key: all files have the newest.
    public func settle() throws(StoreError) {
        guard numbered.count > 1 else { return }
        numbered.removeLast(numbered.count - 1)
        try write()
    }

    // MARK: In use

    /// From now on another key of the host opens the directory. `isFull`: both files are to get another data key too;
    /// until `settle` the older one is kept beside it.
    func change(to hostKey: HostKey, isFull: Bool) throws(StoreError) {
        let former = (self.hostKey, numbered)
        self.hostKey = hostKey.file
        do throws(StoreError) {
            if isFull {
                let newest = numbered[0]
                numbered = [(newest.number + 1, try DirectoryKeys.newKey()), newest]
            }
            try write()
        } catch {
            (self.hostKey, numbered) = former
            throw error
        }
    }

    /// The keys of a plain directory that is to be encrypted; nothing is written yet.
    static func prepared(_ directory: String, _ hostKey: HostKey) throws(StoreError) -> DirectoryKeys {
        try removeCopies(directory)
        return DirectoryKeys(directory, hostKey.file, [(1, try newKey())])
    }

    /// Encrypts the files of a plain directory. The files must not be open.
    ///
    /// The keys are written when both copies are whole; with them the directory counts as encrypted, and an opening
    /// after a kill puts the copies in their places. After a kill before that, the opening removes the copies.
    func encryptPlain() throws(StoreError) {
        do throws(StoreError) {
            for file in StoredFile.allCases {
                let path = file.path(in: directory)
                try EncryptedCopy.make(of: path, at: DirectoryKeys.copy(of: path), file.settings(dataKey))
            }
            try DataDirectory.sync(directory)
            try write()
        } catch {
            // Keys without their files would lock the directory up. What cannot be removed, the next opening removes.
            for name in DirectoryKeys.names { try? DataDirectory.remove(directory + "/" + name) }
            try? DirectoryKeys.removeCopies(directory)
            throw error
        }
        try putCopiesInPlace()
    }

    private static func copy(of path: String) -> String { path + ".encrypted" }

    /// The name under which keys are written first.
    private static func newFile(_ directory: String) -> String { directory + "/key.db.new" }

    private static func removeCopies(_ directory: String) throws(StoreError) {
        try DataDirectory.remove(newFile(directory))
        for file in StoredFile.allCases { try DataDirectory.remove(copy(of: file.path(in: directory))) }
    }

    private func putCopiesInPlace() throws(StoreError) {
        for file in StoredFile.allCases {
            let path = file.path(in: directory)
            let copy = DirectoryKeys.copy(of: path)
            guard DataDirectory.exists(copy) else { continue }
            // The plain log first: it would be taken for the log of the copy.
            try DataDirectory.remove(path)
            try DataDirectory.rename(copy, to: path)
        }
        try DataDirectory.sync(directory)
    }
}
