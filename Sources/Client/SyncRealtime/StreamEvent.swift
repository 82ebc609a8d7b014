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

    /// How many bytes the values of the event take.
    var bytes: Int {
        switch self {
        case .put(let path, let node): StreamEvent.bytes(path, node)
        case .patch(let changes): changes.reduce(0) { $0 + StreamEvent.bytes($1.path, $1.node) }
        case .keepAlive, .cancelled, .revoked: 0
        }
    }

    private static func bytes(_ path: TreePath, _ node: TreeNode) -> Int {
        path.keys.reduce(node.bytes) { $0 + TreeChild.bytes(under: $1) }
    }

    private static func parts(_ text: [UInt8]) throws(TreeError) -> (TreePath, [UInt8]) {
        let parts: Result<(String, [UInt8]), TreeError> = text.withUnsafeBytes { raw in
            do throws(JSONError) {
                let slice = try JSONSlice.checked(raw)
                guard let path = slice["path"]?.string, let data = slice["data"] else {
                    return .failure(TreeError(.syntax))
                }
                return .success((path, data.copy()))
            } catch {
                return .failure(TreeError(error))
            }
        }
        let (path, data) = try parts.get()
        return (try TreePath(path), data)
    }
}
