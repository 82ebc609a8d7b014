import SyncBytes

/// Whether a list shows users that were deactivated.
public enum UserActivity {
    case all, active, inactive

    func matches(_ user: UserRow) -> Bool {
        switch self {
        case .all: true
        case .active: user.isActive
        case .inactive: !user.isActive
        }
    }
}

/// Which users a list shows, by id.
public struct UserListQuery {
    /// `nil`: all.
    public var ids: TextSet?
    public var nicknames: TextSet?
    /// How a nickname begins, in lower case.
    public var prefix = ""
    public var activity = UserActivity.active
    public var showsBots = true
    public var metadata = MetadataCondition()

    public init() {}
}

/// Which members of a channel a list shows, and in which order.
public struct MemberListQuery {
    public enum State {
        case all, joined, invited
        /// Invited by somebody whom the member, not the caller, has as a friend.
        case invitedByFriend
        case invitedByOther
    }

    /// `nil`: all.
    public var isOperator: Bool?
    public var isMuted: Bool?
    public var state = State.all
    public var activity = UserActivity.active
    /// How a nickname begins, in lower case.
    public var prefix = ""
    /// Whether operators come before the others; both are sorted by their names.
    public var operatorsFirst = false

    public init() {}
}

/// Which of a user's channels count.
public struct OwnChannelsQuery {
    /// `nil`: all.
    public var customTypes: TextSet?
    public var isSuper: Bool?

    public init() {}
}

/// Which scheduled messages are shown.
public struct ScheduledQuery {
    /// The user whose messages are shown; empty: all users.
    public var userID = ""
    /// Empty: of all channels.
    public var channelURL = ""
    /// `nil`: all.
    public var states: TextSet?
    /// The type, named as in messages; empty: all types.
    public var type = ""

    public init() {}
}
