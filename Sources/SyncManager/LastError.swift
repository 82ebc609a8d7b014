import Glibc
import SyncJSON

/// The last error of each thread, as text that lives until the thread's next call or end.
enum LastError {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { text in free(text) }
        return key
    }()

    static func set(_ error: BorderError) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("code", Int64(error.status.rawValue))
        writer.member("name", error.status.name.description)
        writer.member("message", error.message)
        if let path = error.path { writer.member("path", path) }
        writer.endObject()
        store(writer.bytes)
    }

    static var text: UnsafePointer<CChar>? {
        if pthread_getspecific(key) == nil { store(Array("null".utf8)) }
        return UnsafePointer(pthread_getspecific(key)?.assumingMemoryBound(to: CChar.self))
    }

    private static func store(_ bytes: [UInt8]) {
        free(pthread_getspecific(key))
        pthread_setspecific(key, CText.copy(bytes))
    }
}

/// Texts that cross the border.
enum CText {
    /// 16 MiB, the most a text may have.
    static let limit = 16 << 20

    /// A NUL-terminated copy on the C heap; `nil` when memory is short.
    static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? { bytes.withUnsafeBytes { copy($0) } }

    static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<CChar>? {
        guard let memory = malloc(bytes.count + 1) else { return nil }
        if let base = bytes.baseAddress { memcpy(memory, base, bytes.count) }
        memory.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
        return memory.assumingMemoryBound(to: CChar.self)
    }

    /// Reads a text of the host: there, not too long, UTF-8.
    static func read(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(BorderError) -> [UInt8] {
        guard let pointer else { throw BorderError(.invalidArgument, "\(name) is NULL") }
        let count = strnlen(pointer, limit + 1)
        guard count <= limit else { throw BorderError(.invalidArgument, "\(name) is longer than 16 MiB") }
        let bytes = [UInt8](UnsafeRawBufferPointer(start: pointer, count: count))
        guard isUTF8(bytes) else { throw BorderError(.invalidArgument, "\(name) is not UTF-8") }
        return bytes
    }

    static func readString(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(BorderError) -> String {
        String(decoding: try read(pointer, name), as: UTF8.self)
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }
}
