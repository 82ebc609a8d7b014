import ServerBase
import ServerChat
import ServerHTTP

extension UserActivity {
    /// Lists show the active ones, unless they are asked for others.
    fileprivate init(_ word: String) {
        switch word {
        case "all": self = .all
        case "deactivated": self = .inactive
        default: self = .active
        }
    }
}

extension MetadataCondition {
    init(_ query: RequestQuery) {
        self.init(key: query.text("metadatakey"), values: query.choice("metadatavalues_in"))
    }
}

extension UserListQuery {
    init(_ query: RequestQuery) {
        self.init()
        ids = query.choice("user_ids")
        nicknames = query.choice("nickname")
        prefix = query.text("nickname_startswith").lowercased()
        activity = UserActivity(query.text("active_mode"))
        showsBots = query.bool("show_bot", default: true)
        metadata = MetadataCondition(query)
    }
}

extension MemberListQuery {
    init(_ query: RequestQuery) throws {
        self.init()
        switch try query.word("operator_filter", "all", ["all", "operator", "nonoperator"]) {
        case "operator": isOperator = true
        case "nonoperator": isOperator = false
        default: break
        }
        switch try query.word("muted_member_filter", "all", ["all", "muted", "unmuted"]) {
        case "muted": isMuted = true
        case "unmuted": isMuted = false
        default: break
        }
        let states = [
            "all", "joined_only", "joined", "invited_only", "invited", "invited_by_friend", "invited_by_non_friend",
        ]
        switch try query.word("member_state_filter", "all", states) {
        case "joined_only", "joined": state = .joined
        case "invited_only", "invited": state = .invited
        case "invited_by_friend": state = .invitedByFriend
        case "invited_by_non_friend": state = .invitedByOther
        default: break
        }
        let order = try query.word(
            "order", "member_nickname_alphabetical",
            ["member_nickname_alphabetical", "operator_then_member_alphabetical"])
        operatorsFirst = order == "operator_then_member_alphabetical"
        activity = UserActivity(query.text("member_active_mode_filter", "member_active_mode"))
        prefix = query.text("nickname_startswith").lowercased()
    }
}

extension OwnChannelsQuery {
    init(_ query: RequestQuery) {
        self.init()
        customTypes = query.choice("custom_types", "custom_type")
        switch query.text("super_mode") {
        case "super": isSuper = true
        case "nonsuper": isSuper = false
        default: break
        }
    }
}

extension ScheduledQuery {
    /// A user gets its own scheduled messages, the administration gets all.
    init(_ query: RequestQuery, of caller: Caller) {
        self.init()
        userID = caller.userID
        channelURL = query.text("channel_url")
        states = query.choice("status", "scheduled_status")
        type = query.text("message_type")
    }
}
