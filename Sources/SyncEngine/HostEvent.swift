import SyncModel

/// Something the host is told without having asked at that moment. Sequence number and time are the border's to add.
public enum HostEvent: Sendable {
    /// A collection's list changed.
    case change(CollectionChange)
    /// Any other event of a collection: its type ("new_message", "huge_gap") and members as key and JSON text.
    case collection(id: UInt64, type: String, members: [(key: String, value: [UInt8])])
    /// An event of the client: "connection", "sync_state", "sync_progress", "token_needed", "closed".
    case client(type: String, members: [(key: String, value: [UInt8])])
}

/// One change event: what happened to one list, as positions in the order they must be applied.
public struct CollectionChange: Sendable {
    public enum List: String, Sendable { case channels, succeeded, pending, failed }
    public enum Action: String, Sendable { case insert, update, move, remove, clear }

    public struct Item: Equatable, Sendable {
        /// Where to take the element out; only for moves.
        public var from: Int
        /// Where it is, or where to put it in.
        public var index: Int
        public var key: Key
        /// The element's JSON; empty for removals.
        public var json: [UInt8]

        public enum Key: Equatable, Sendable {
            case message(Int64)
            /// A channel's URL, or the request id of an own message.
            case text(String)
        }

        /// The key as text, as hosts see it.
        public var id: String {
            switch key {
            case .message(let id): String(id)
            case .text(let text): text
            }
        }

        public init(from: Int = -1, index: Int, id: String, json: [UInt8] = []) {
            self.from = from
            self.index = index
            key = .text(id)
            self.json = json
        }

        /// An element of a list of messages. Its id becomes text only where the event does.
        public init(index: Int, message: Int64, json: [UInt8] = []) {
            from = -1
            self.index = index
            key = .message(message)
            self.json = json
        }
    }

    public var collection: UInt64
    public var list: List
    public var action: Action
    public var source: EventSource
    /// Only for the failed list.
    public var reason: FailedReason?
    public var items: [Item]
    /// The collection's state after the change.
    public var info: CollectionInfo

    public init(
        collection: UInt64, list: List, action: Action, source: EventSource, reason: FailedReason? = nil,
        items: [Item], info: CollectionInfo
    ) {
        self.collection = collection
        self.list = list
        self.action = action
        self.source = source
        self.reason = reason
        self.items = items
        self.info = info
    }
}

/// Why the failed list changed.
public enum FailedReason: String, Sendable {
    case none
    case updateResendFailed = "update_resend_failed"
    case removeResendSucceeded = "remove_resend_succeeded"
    case removeRetentionExpired = "remove_retention_expired"
    case removeExceededMaxCount = "remove_exceeded_max_count"
    case removeManualAction = "remove_manual_action"
    case removeUnknown = "remove_unknown"
}

/// What `sm_collection_info` tells beside the counts.
public struct CollectionInfo: Equatable, Sendable {
    public var collection: UInt64
    public var hasPrevious: Bool
    public var hasNext: Bool
    public var viewpoint: Int64

    public init(collection: UInt64, hasPrevious: Bool, hasNext: Bool, viewpoint: Int64) {
        self.collection = collection
        self.hasPrevious = hasPrevious
        self.hasNext = hasNext
        self.viewpoint = viewpoint
    }
}
