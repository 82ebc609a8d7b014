import SyncModel

/// One change event: what happened to one list, as positions in the order they must be applied.
public struct CollectionChange: Sendable {
    public enum List: String, Sendable { case channels, succeeded, pending, failed }
    public enum Action: String, Sendable { case insert, update, move, remove, clear }

    public struct Item: Equatable, Sendable {
        /// Where to take the element out; only for moves.
        public var from: Int
        /// Where it is, or where to put it in.
        public var index: Int
        /// A channel's URL, a message's id, or the request id of an own message.
        public var id: String
        /// The element's JSON; empty for removals.
        public var json: [UInt8]

        public init(from: Int = -1, index: Int, id: String, json: [UInt8] = []) {
            self.from = from
            self.index = index
            self.id = id
            self.json = json
        }
    }

    public var collection: UInt64
    public var list: List
    public var action: Action
    public var cause: Cause
    /// Only for the failed list.
    public var reason: FailedReason?
    public var items: [Item]
    /// The collection's state after the change; `nil` when the change does not touch it.
    public var info: CollectionInfo?

    public init(
        collection: UInt64, list: List, action: Action, cause: Cause, reason: FailedReason? = nil,
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
