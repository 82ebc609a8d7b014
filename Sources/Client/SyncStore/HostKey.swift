import SyncBytes
import SyncSQLite

/// The key or passphrase with which the host encrypts a directory.
public struct HostKey: Sendable {
    let file: FileKey

    /// `digits`: 64 hexadecimal ones, the key's 32 bytes; `nil` when they are not.
    public init?(digits: String) {
        guard let bytes = Hex.bytes(digits), bytes.count == HostKey.size else { return nil }
        file = .raw(bytes)
    }

    /// A text that is not empty; the key is derived from it.
    public init?(passphrase: String) {
        guard !passphrase.isEmpty else { return nil }
        file = .passphrase(Array(passphrase.utf8))
    }

    /// The first line of a file: 64 hexadecimal digits, or a passphrase.
    public init(fileAt path: String) throws(StoreError) {
        guard let bytes = try DataDirectory.bytes(of: path, limit: 1 << 16) else {
            throw .cannotOpen(path: path, message: "there is no such file, or it is too large")
        }
        let ends = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        let line = String(decoding: bytes.prefix { !ends.contains($0) }, as: UTF8.self)
        guard let key = HostKey(digits: line) ?? HostKey(passphrase: line) else {
            throw .cannotOpen(path: path, message: "its first line is empty")
        }
        self = key
    }

    static let size = 32
}
