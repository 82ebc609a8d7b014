import SyncBytes
import SyncJSON
import SyncModel
import SyncStore

/// Own messages that the stream has told and that may still be in the file of own messages.
///
/// The stream tells a message once. It is stored in the cache together with the stream's point, while own messages are
/// in another file. If the process ended between the two commits, a message would stay pending that is never told
/// again. So the settled messages are also noted in the cache, in the transaction that stores what the stream told.
enum ToldMessages {
    private static let key = "outbox.told"

    /// Numbers of messages are unique within one file, but begin again in a new one; request ids are given by the host.
    private static func name(_ intent: Intent) -> String { "\(intent.id) \(intent.requestID)" }

    /// Notes all settled messages that may still be on the disk. Called inside the transaction that stores what told of
    /// them.
    static func note(_ intents: [Intent], _ context: Context) {
        guard context.capabilities.messageChanges == .inStream else { return }
        var names = JSONWriter()
        names.beginArray()
        for intent in intents { names.string(name(intent)) }
        names.endArray()
        let text = String(decoding: names.bytes, as: UTF8.self)
        // If this fails, the whole transaction fails, and the stream tells the messages again.
        let _: Void? = context.storage.cached { (cache) throws(StoreError) in try cache.setValue(key, text) }
    }

    /// Whether a message that an earlier process left on the disk is settled.
    static func stored(_ context: Context) -> (Intent) -> Bool {
        guard context.capabilities.messageChanges == .inStream else { return { _ in false } }
        let text = context.storage.cached { (cache) throws(StoreError) in try cache.value(key) } ?? nil
        let names = (text.flatMap { try? JSON.parse($0) }?.array ?? []).compactMap { $0.string }
        let told = Set(names.map { TextKey($0) })
        return { told.contains(TextKey(name($0))) }
    }
}
