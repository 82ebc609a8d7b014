import SyncModel
import SyncTree

/// A value that a host gave for an object.
public struct ResourceValue: Equatable, Sendable {
    /// JSON text, server values not resolved.
    public let json: [UInt8]

    /// - Throws: when the text is no value of the database.
    public init(_ document: DocumentValue) throws(DocumentError) {
        json = document.json.serialized()
        do throws(TreeError) {
            // An update has paths for names, of which some are no keys.
            if document.json.kind == .object, (try? TreeReader.update(json, time: 0)) != nil { return }
            _ = try TreeReader.value(json, time: 0)
        } catch {
            throw document.failure(error.description)
        }
    }

    /// Whether this can be written so at a path.
    func check(for change: ResourceChange, at path: TreePath, time: Int64) throws(ResourceFailure) {
        switch change {
        case .create:
            guard try !node(at: path, time: time).isEmpty else {
                throw ResourceFailure(.invalidArgument, "$.value: has nothing in it, so nothing would be stored")
            }
        case .update: _ = try merged(into: .empty, at: path, time: time)
        case .destroy: break
        }
    }

    /// What stands at a path when this is put there. `time`: milliseconds since the epoch.
    func node(at path: TreePath, time: Int64) throws(ResourceFailure) -> TreeNode {
        do throws(TreeError) {
            return try TreeReader.value(json, at: path, time: time)
        } catch {
            throw ResourceFailure(.invalidArgument, "$.value: \(error.description)")
        }
    }

    /// What becomes of a value at a path by an update with this.
    func merged(into old: TreeNode, at path: TreePath, time: Int64) throws(ResourceFailure) -> TreeNode {
        do throws(TreeError) {
            var node = old
            for write in try TreeReader.update(json, at: path, time: time, existing: old) {
                node.set(write.path, write.node)
            }
            return node
        } catch {
            throw ResourceFailure(.invalidArgument, "$.value: \(error.description)")
        }
    }
}
