import SyncJSON
import SyncTree

/// An event of the service's stream. Paths are relative to the place that is listened to.
enum StreamEvent: Equatable {
    case put(TreePath, TreeNode)
    case patch([TreeWrite])
    case keepAlive
    /// The rules do not allow it any more.
    case cancelled(String)
    /// The token is not accepted any more.
    case revoked

    /// Reads an event; `nil` for one that is not known, an error for one that is broken.
    init?(_ frame: EventStreamParser.Frame) throws(TreeError) {
        switch frame.name {
        case "put":
            let (path, data) = try StreamEvent.parts(frame.data)
            self = .put(path, try TreeReader.value(data, time: 0))
        case "patch":
            let (path, data) = try StreamEvent.parts(frame.data)
            self = .patch(try TreeReader.update(data, time: 0).map { TreeWrite(path: path + $0.path, node: $0.node) })
        case "keep-alive": self = .keepAlive
        case "cancel":
            let reason = (try? JSON.parse(frame.data))?.string
            self = .cancelled(reason ?? "the rules do not allow it any more")
        case "auth_revoked": self = .revoked
        default: return nil
        }
    }

    private static func parts(_ text: [UInt8]) throws(TreeError) -> (TreePath, [UInt8]) {
        let parts: (String, [UInt8])? = text.withUnsafeBytes { raw in
            guard let slice = try? JSONSlice.checked(raw), let path = slice["path"]?.string, let data = slice["data"]
            else { return nil }
            return (path, data.copy())
        }
        guard let parts else { throw TreeError(.syntax) }
        return (try TreePath(parts.0), parts.1)
    }
}
