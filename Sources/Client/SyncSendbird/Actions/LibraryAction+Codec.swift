import SyncJSON
import SyncModel

extension LibraryAction {
    var codec: ActionCodec {
        switch self {
        case .serviceInfo: Codecs.serviceInfo
        case .statistics, .options, .cancel, .acknowledge, .evict, .export, .encrypt, .rekey, .clearChannels,
            .setLimit, .setDraft, .resendFailedMessages, .removeFailedMessages:
            .unsupported
        }
    }
}

private enum Codecs {
    /// The answer has the emoji; the rest was told at login.
    static var serviceInfo: ActionCodec {
        ActionCodec(
            encode: { _, _ in .http(method: "GET", path: "/emoji_categories") },
            decode: { answer, call, _ in
                let told = call.object(ActionCall.toldAtLogin).flatMap { try? JSON.parse($0) } ?? .object()
                if let hash = answer?["emoji_hash"] { told.set("emoji_hash", hash) }
                told.set("emoji_categories", answer?["emoji_categories"] ?? .array())
                return ActionReply(result: told.serialized())
            })
    }
}
