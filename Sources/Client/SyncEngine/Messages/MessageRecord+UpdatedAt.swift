import SyncJSON
import SyncModel

extension MessageRecord {
    /// When the message was last changed, by its JSON, in milliseconds since the epoch; 0: never.
    static func updatedAt(of json: [UInt8]) -> Int64 {
        json.withUnsafeBytes { JSONSlice.valid($0)["updated_at"]?.int ?? 0 }
    }
}
