import SyncModel
import SyncTree

/// Something that is under way with an object.
///
/// It goes through its stages in their order; one without a hook or without need of the old value leaves those out.
struct ResourceOperation {
    enum Stage {
        /// Whether the object exists is to be asked; earlier operations on it come first.
        case toFind
        case finding(read: UInt64)
        case hook(UInt64)
        /// Earlier operations on the object come first.
        case ready
        case reading(read: UInt64)
        case writing(Writing)
    }

    /// What is written, and what became of it.
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
        /// Whether it takes an earlier one back.
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
    /// Once it is known whether the object exists: what to do when it is there.
    let changeWhenThere: ResourceChange
    let key: TreeKey
    let path: TreePath
    let context: TextKey
    let stack: ResourceStack
    /// The counters that may be concerned, with their places.
    let counters: [PlacedCounter]
    /// Those that have no owner in the context: "Group/message_count".
    let uncounted: [String]
    var value: ResourceValue?
    let completesWhenKept: Bool
    var stage: Stage

    /// Whether what stands there has to be known: by counters, and by the action log.
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
