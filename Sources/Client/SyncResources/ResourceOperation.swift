import SyncBytes
import SyncModel
import SyncTree

/// A create, update or destroy of an object, while it is in flight.
///
/// It goes through its stages in this order; without a hook, or when the old value is not needed, it leaves those
/// stages out.
struct ResourceOperation {
    enum Stage {
        /// It is going to ask whether the object exists; before that it waits for earlier operations on the object.
        case toFind
        case finding(read: UInt64)
        case hook(UInt64)
        /// It waits for earlier operations on the object.
        case ready
        case reading(read: UInt64)
        case writing(Writing)
    }

    /// The write, and its outcome.
    struct Writing {
        enum State {
            case issued, kept, accepted
            case refused(ResourceFailure)
        }

        let write: UInt64
        var state = State.issued
        let old: TreeNode
        let new: TreeNode
        var counts: [Count] = []
    }

    struct Count {
        let id: UInt64
        let path: TreePath
        let by: Int64
        /// Whether it changes back an earlier count.
        let isUndoing: Bool
        var isAnswered = false
        var failure: ResourceFailure?
    }

    struct PlacedCounter {
        let counter: ResourceCounter
        let path: TreePath
    }

    let id: UInt64
    let call: CallID
    /// Whether the call has been completed.
    var isCompleted = false
    let type: ResourceType
    var change: ResourceChange
    /// What to do when the object turns out to exist.
    let changeWhenThere: ResourceChange
    let key: TreeKey
    let path: TreePath
    let context: TextKey
    let stack: ResourceStack
    /// The counters that the operation may change, with their paths.
    let counters: [PlacedCounter]
    /// Counters that have no owner in the context: "Group/message_count".
    let uncounted: [String]
    var value: ResourceValue?
    let completesWhenKept: Bool
    var stage: Stage

    /// Whether the old value is needed: by counters, or by the action log.
    var needsOldValue: Bool { change != .create && (!counters.isEmpty || type.hooks.contains(.action)) }

    var isOver: Bool {
        guard case .writing(let writing) = stage else { return false }
        switch writing.state {
        case .issued, .kept: return false
        case .accepted, .refused: return writing.counts.allSatisfy(\.isAnswered)
        }
    }

    func notice(_ kind: ResourceNotice.Kind) -> ResourceNotice {
        ResourceNotice(
            kind: kind, change: change, call: call, resourceType: type.name, key: key, path: path, context: context,
            value: change == .destroy ? nil : value?.json)
    }
}
