import SyncJSON
import SyncModel

// Their requests are made where the key is (`RequestEncoder`).
extension FileAction {
    var codec: ActionCodec {
        ActionCodec(
            encode: { _, _ in .unsupported },
            decode: { _, call, _ in
                switch self {
                case .downloadFile:
                    ActionReply(result: JSON.object(["path": .string(call.text("path") ?? "")]).serialized())
                case .fileURL: ActionReply()
                }
            })
    }
}
