import SyncBytes
import SyncSQLite

/// What the host encrypts a directory with.
public struct HostKey: Sendable {
    let file: FileKey

    /// `digits`: 64 hexadecimal ones, the key's 32 bytes; `nil` when they are not.
    public init?(digits: String) {
        guard let bytes = Hex.bytes(digits), bytes.count == HostKey.size else { return nil }
        file = .raw(bytes)
    }

    /// A text that is not empty; the key is derived of it.
    public init?(passphrase: String) {
        guard !passphrase.isEmpty else { return nil }
        file = .passphrase(Array(passphrase.utf8))
    }

    static let size = 32
}
