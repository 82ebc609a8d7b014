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
