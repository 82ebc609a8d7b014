import SyncModel
import SyncTree

/// The change that a request leads to.
struct ResourcePlan {
    /// What is done; for a request that depends on it, what is done when the object is not there.
    let first: ResourceChange
    let whenThere: ResourceChange
    /// Whether the database has to be asked first whether the object is there.
    let mustFind: Bool

    init(_ request: ResourceRequest.Operation, hasKey: Bool) throws(ResourceFailure) {
        // An object without a key does not exist yet.
        let isNew = hasKey && request.key == nil
        switch request.kind {
        case .create: self.init(.create)
        case .update: self.init(.update)
        case .destroy: self.init(.destroy)
        case .createOrUpdate(let exists): self.init(exists ?? (isNew ? false : nil), whenThere: .update)
        case .toggle(let exists): self.init(exists ?? (isNew ? false : nil), whenThere: .destroy)
        }
        guard first == .destroy || request.value != nil else {
            throw ResourceFailure(.invalidArgument, "$.value: is missing")
        }
    }

    private init(_ change: ResourceChange) {
        first = change
        whenThere = change
        mustFind = false
    }

    private init(_ exists: Bool?, whenThere: ResourceChange) {
        first = exists == true ? whenThere : .create
        self.whenThere = whenThere
        mustFind = exists == nil
    }

    /// Whether a value can be written as each of the changes that this may become.
    func check(_ value: ResourceValue, at path: TreePath, time: Int64) throws(ResourceFailure) {
        for change in [first, whenThere] { try value.check(for: change, at: path, time: time) }
    }
}
