import SyncModel

/// One change event: the change of one list, as items with their positions, in the order in which they must be applied.
public struct CollectionChange: Sendable {
    public enum List: String, Sendable { case channels, succeeded, pending, failed, results }
    public typealias Action = WindowChange.Kind
    public typealias Item = WindowChange.Item

    public var collection: CollectionID
    public var list: List
    public var action: Action
    public var cause: Cause
    /// Only for the failed list.
    public var reason: FailedReason?
    public var items: [Item]
    /// The collection's state after the change; `nil` when the change does not affect it.
    public var info: CollectionInfo?

    public init(
        collection: CollectionID, list: List, action: Action, cause: Cause, reason: FailedReason? = nil,
        items: [Item], info: CollectionInfo?
    ) {
        self.collection = collection
        self.list = list
        self.action = action
        self.cause = cause
        self.reason = reason
        self.items = items
        self.info = info
    }
}
