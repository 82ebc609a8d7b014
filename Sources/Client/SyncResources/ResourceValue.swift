import SyncModel
import SyncTree

/// A value that a host gave for an object.
public struct ResourceValue: Equatable, Sendable {
    /// JSON text, server values not resolved.
    public let json: [UInt8]

    /// - Throws: when the document is not a value of the database.
    public init(_ document: DocumentValue) throws(DocumentError) {
        json = document.json.serialized()
        do throws(TreeError) {
            // In an update names are paths, so some of them are not valid keys.
            if document.json.kind == .object, (try? TreeReader.update(json, time: 0)) != nil { return }
            _ = try TreeReader.value(json, time: 0)
        } catch {
            throw document.failure(error.description)
        }
    }

    /// Checks whether the value can be written at a path by this change.
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

    /// The value at a path after this has been written there. `time`: milliseconds since the epoch.
    func node(at path: TreePath, time: Int64) throws(ResourceFailure) -> TreeNode {
        do throws(TreeError) {
            return try TreeReader.value(json, at: path, time: time)
        } catch {
            throw ResourceFailure(.invalidArgument, "$.value: \(error.description)")
        }
    }

    /// The value at a path after an update with this.
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
