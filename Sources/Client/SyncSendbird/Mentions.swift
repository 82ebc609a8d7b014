import SyncJSON
import SyncModel

/// Whom a message mentions.
enum Mentions {
    static func has(_ userID: UserID, in json: [UInt8]) -> Bool {
        json.withUnsafeBytes { bytes in
            let message = JSONSlice.valid(bytes)
            if let type = message["mention_type"], type.equals("channel") { return true }
            var isFound = false
            message["mentioned_user_ids"]?.forEachElement {
                if $0.string?.isByteEqual(to: userID.text) == true { isFound = true }
            }
            return isFound
        }
    }
}
