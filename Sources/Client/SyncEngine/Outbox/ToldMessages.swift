import SyncBytes
import SyncJSON
import SyncModel
import SyncStore

/// Own messages of which the stream has told, and that may still be in the file of own messages.
///
/// The stream tells of a message once, and what it tells is in the cache with its point, while own messages are in
/// another file. A process that dies between the two commits would leave one pending that nobody tells of again. So
/// which ones are done with is stored with what the stream told.
enum ToldMessages {
    private static let key = "outbox.told"

    /// Numbers of messages are not given twice, but begin again in a new file; request ids are the host's.
    private static func name(_ intent: Intent) -> String { "\(intent.id) \(intent.requestID)" }

    /// These are done with, all that may still be on the disk. In the transaction that stores what told of them.
    static func note(_ intents: [Intent], _ context: Context) {
        guard context.capabilities.messageChanges == .inStream else { return }
        var names = JSONWriter()
        names.beginArray()
        for intent in intents { names.string(name(intent)) }
        names.endArray()
        let text = String(decoding: names.bytes, as: UTF8.self)
        // Where that fails, so does what told of them, and it is told again.
        let _: Void? = context.storage.cached { (cache) throws(StoreError) in try cache.setValue(key, text) }
    }

    /// Whether a message on the disk is done with; in what an earlier process left.
    static func stored(_ context: Context) -> (Intent) -> Bool {
        guard context.capabilities.messageChanges == .inStream else { return { _ in false } }
        let text = context.storage.cached { (cache) throws(StoreError) in try cache.value(key) } ?? nil
        let names = (text.flatMap { try? JSON.parse($0) }?.array ?? []).compactMap { $0.string }
        let told = Set(names.map { TextKey($0) })
        return { told.contains(TextKey(name($0))) }
    }
}
