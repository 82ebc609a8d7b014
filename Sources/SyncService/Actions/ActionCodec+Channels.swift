import SyncJSON
import SyncModel

extension ActionCodec {
    /// The answer is the event that all members get, so nothing is left to be learnt from it.
    static var markAsRead: ActionCodec {
        ActionCodec(
            encode: { call, _ in
                .frame("READ", .object(["channel_url": .string(call.channelURL)]), isAnswered: true)
            },
            decode: { _, _, _ in ActionReply() })
    }
}
