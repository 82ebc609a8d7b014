import SyncJSON
import SyncModel

// Requests for files are made by `RequestEncoder`, which has the key of files.
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
