import SyncBytes
import SyncModel

extension TransportRequest {
    /// Of a channel or its messages; what only reads is never refused for a reason that a later login may not cure.
    var isChangeOfChannel: Bool { method != "GET" && url.contains(text: "/group_channels/") }
}
