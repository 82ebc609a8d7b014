/// Why a store could not do what it was asked.
public enum StoreError: Error, Equatable, Sendable {
    case cannotOpen(path: String, message: String)
    /// Another process owns the directory; its pid when it could be read.
    case locked(byPID: Int32?)
    /// The file was written by a later version of the program.
    case newerSchema(found: Int64, known: Int64)
    /// Another process reads the file, so removed data is still in it or in its log.
    case inUse(path: String)
    /// The device has no space left.
    case full
    /// The file is damaged.
    case corrupt(message: String)
    /// A key was given, but there is no library that can use it; `found`: what is there instead.
    case noEncryption(found: String)
    /// The key does not open the file, and nothing was changed.
    case wrongKey(message: String)
    case failed(code: Int32, message: String)

    /// One line, impersonal.
    public var message: String {
        switch self {
        case .cannotOpen(let path, let message): "cannot open \(path): \(message)"
        case .locked(let pid?): "the data directory is in use by process \(pid)"
        case .locked(nil): "the data directory is in use by another process"
        case .newerSchema(let found, let known):
            "the file has schema \(found), this library knows up to \(known): a later version wrote it"
        case .inUse(let path): "another process is reading \(path): what was removed is still in it or in its log"
        case .noEncryption(let found): "encryption needs SQLCipher 4.6 or later: \(found)"
        case .wrongKey(let message): message
        case .full: "no space is left on the device"
        case .corrupt(let message): "the file is damaged: \(message)"
        case .failed(let code, let message): "storage error \(code): \(message)"
        }
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String { message }
}
