import SyncJSON
import SyncModel

/// This service numbers its messages.
extension MessageID {
    init(number: Int64) { self.init(String(number)) }

    /// A number, where it is one.
    var json: JSON { Int64(text).map { .int($0) } ?? .string(text) }
}
