import CSQLite
import Glibc

/// A library of SQLite in this process: the one that is linked, or SQLCipher for encrypted files.
struct SQLiteLibrary: @unchecked Sendable {
    let functions: UnsafePointer<shim_sqlite>
    /// The name of the VFS that writes each commit to the log with one call (wal_gather.h); `nil`, which is SQLite's
    /// own default, when that could not be registered.
    let gatheringVFS: UnsafePointer<CChar>?

    private init(_ functions: UnsafePointer<shim_sqlite>) {
        self.functions = functions
        // The name and the VFS stay as long as the process: the library keeps pointers to them.
        let name = SQLiteLibrary.copy("syncmanager-wal")
        gatheringVFS = shim_register_wal_gathering(functions, name, nil) == SQLITE_OK ? UnsafePointer(name) : nil
        if gatheringVFS == nil { name.deallocate() }
    }

    static let linked = SQLiteLibrary(shim_sqlite_linked())

    /// SQLCipher, looked for when it is first needed.
    static let encrypting: Result<SQLiteLibrary, StoreError> = {
        var found: [String] = []
        // Debian's names: of version 4.6 and later; and of 3.4, which is too old, and is loaded so that the error can
        // name it.
        for file in ["libsqlcipher.so.1", "libsqlcipher.so.0"] {
            switch load(file) {
            case .success(let library): return .success(library)
            case .failure(.refused(let reason)): found.append(reason)
            case .failure(.missing): break
            }
        }
        let what = found.isEmpty ? "no libsqlcipher was found" : found.joined(separator: "; ")
        return .failure(.noEncryption(found: what))
    }()

    private enum LoadFailure: Error {
        case missing
        case refused(String)
    }

    private static func load(_ file: String) -> Result<SQLiteLibrary, LoadFailure> {
        guard let opened = shim_sqlite_open(file) else { return .failure(.missing) }
        guard let version = shim_sqlite_version(opened) else { return .failure(.refused("\(file) is no SQLite")) }
        let table = UnsafeMutablePointer<shim_sqlite>.allocate(capacity: 1)
        if let missing = shim_sqlite_fill(opened, table) {
            table.deallocate()
            let lacks = "\(file) (SQLite \(String(cString: version))) lacks \(String(cString: missing))"
            return .failure(.refused(lacks))
        }
        // The schema needs STRICT tables.
        guard table.pointee.libversion_number() >= 3_037_000 else {
            table.deallocate()
            return .failure(.refused("\(file) has SQLite \(String(cString: version)), 3.37 or later is needed"))
        }
        guard let cipher = cipherVersion(table), isFitting(cipher) else {
            let cipher = cipherVersion(table) ?? "none"
            table.deallocate()
            return .failure(.refused("\(file) is SQLCipher \(cipher), \(leastMajor).\(leastMinor) or later is needed"))
        }
        return .success(SQLiteLibrary(table))
    }

    private static let (leastMajor, leastMinor) = (4, 6)

    /// What `PRAGMA cipher_version` tells; `nil` in a library that does not encrypt, which ignores unknown pragmas.
    private static func cipherVersion(_ functions: UnsafePointer<shim_sqlite>) -> String? {
        var connection: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            _ = functions.pointee.finalize(statement)
            _ = functions.pointee.close_v2(connection)
        }
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
        guard functions.pointee.open_v2(":memory:", &connection, flags, nil) == SQLITE_OK,
            functions.pointee.prepare_v3(connection, "PRAGMA cipher_version", -1, 0, &statement, nil) == SQLITE_OK,
            functions.pointee.step(statement) == SQLITE_ROW, let text = functions.pointee.column_text(statement, 0)
        else { return nil }
        return String(cString: text)
    }

    /// `version`: such as "4.6.1 community".
    static func isFitting(_ version: String) -> Bool {
        let numbers = version.split(separator: " ").first?.split(separator: ".").map { Int($0) ?? 0 } ?? []
        guard let major = numbers.first else { return false }
        return major > leastMajor || major == leastMajor && numbers.dropFirst().first ?? 0 >= leastMinor
    }

    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.utf8.count + 1)
        for (index, byte) in text.utf8.enumerated() { copy[index] = CChar(bitPattern: byte) }
        copy[text.utf8.count] = 0
        return copy
    }
}
