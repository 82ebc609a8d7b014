import CSQLite
import SyncBytes

/// What a file is encrypted with.
public enum FileKey: Sendable {
    /// 32 bytes, used as they are.
    case raw([UInt8])
    /// A text of which the key is derived, which takes about a tenth of a second of a processor.
    case passphrase([UInt8])

    /// The key in the form that SQLCipher takes.
    private var bytes: [UInt8] {
        switch self {
        case .raw(let bytes): Array("x'\(Hex.text(bytes))'".utf8)
        case .passphrase(let text): text
        }
    }

    /// Gives the key to a connection that has read nothing yet; the result is a code of SQLite.
    func apply(to handle: OpaquePointer?, of sqlite: UnsafePointer<shim_sqlite>) -> Int32 {
        bytes.withUnsafeBytes {
            sqlite.pointee.key?(handle, $0.baseAddress, Int32(clamping: $0.count)) ?? SQLITE_MISUSE
        }
    }

    /// Encrypts the file that the connection has open with this key from now on.
    func replace(in handle: OpaquePointer?, of sqlite: UnsafePointer<shim_sqlite>) -> Int32 {
        bytes.withUnsafeBytes {
            sqlite.pointee.rekey?(handle, $0.baseAddress, Int32(clamping: $0.count)) ?? SQLITE_MISUSE
        }
    }
}

/// No key is ever shown.
extension FileKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "FileKey" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
