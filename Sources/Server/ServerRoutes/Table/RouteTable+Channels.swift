extension RouteTable {
    /// Channels and their members. All that is about members takes a `user_id`, whether it says something or not.
    static let channels = [
        Route("GET", "group_channels", query: [.channelList, "public_membership_mode"], Router.listChannels),
        Route(
            "POST", "group_channels", query: .channelParts,
            body: [
                .channel,
                """
                user_ids users inviter_id strict is_strict invitation_status hidden_status channel_url is_broadcast \
                is_exclusive is_ephemeral is_chat_notification
                """,
            ], Router.createChannel),
        Route("GET", "group_channels/:url", query: ["user_id", .channelParts], Router.viewChannel),
        Route("PUT", "group_channels/:url", query: .channelParts, body: .channel, Router.updateChannel),
        Route("DELETE", "group_channels/:url", Router.deleteChannel),
        Route("*", "group_channels/:url", Router.noActionOfChannel),

        Route(
            "GET", "group_channels/:url/metadata", query: "keys key include_ts", body: "include_ts",
            Router.channelMetadata),
        Route(
            "GET", "group_channels/:url/metadata/:key/**", query: "include_ts", body: "include_ts",
            Router.channelMetadata),
        Route(
            "DELETE", "group_channels/:url/metadata", query: "keys key include_ts", body: "keys include_ts",
            Router.removeChannelMetadata),
        Route(
            "DELETE", "group_channels/:url/metadata/:key/**", query: "include_ts", body: "include_ts",
            Router.removeChannelMetadata),
        Route(
            "POST PUT", "group_channels/:url/metadata", query: "include_ts", body: "metadata upsert include_ts",
            Router.setChannelMetadata),
        Route(
            "POST PUT", "group_channels/:url/metadata/:key/**", query: "include_ts",
            body: "value metadata :key upsert include_ts", Router.setChannelMetadata),
        Route("*", "group_channels/:url/metadata/**", Router.noActionOfMetadata),
        Route(
            "GET", "group_channels/:url/metacounter", query: "keys key include_ts", body: "include_ts",
            Router.counters),
        Route(
            "GET", "group_channels/:url/metacounter/:key/**", query: "include_ts", body: "include_ts", Router.counters),
        Route(
            "DELETE", "group_channels/:url/metacounter", query: "keys key include_ts", body: "keys include_ts",
            Router.removeCounters),
        Route(
            "DELETE", "group_channels/:url/metacounter/:key/**", query: "include_ts", body: "include_ts",
            Router.removeCounters),
        Route(
            "POST PUT", "group_channels/:url/metacounter", query: "include_ts",
            body: "metacounter upsert mode include_ts", Router.setCounters),
        Route(
            "POST PUT", "group_channels/:url/metacounter/:key/**", query: "include_ts",
            body: "value metacounter :key upsert mode include_ts", Router.setCounters),
        Route("*", "group_channels/:url/metacounter/**", Router.noActionOfMetadata),

        Route("GET", "group_channels/:url/polls/changelogs", query: .changes, Router.pollChanges),
        Route("*", "group_channels/:url/polls/**", Router.noPartOfChannel),

        Route(
            "GET", "group_channels/:url/members",
            query: [
                """
                user_id operator_filter muted_member_filter member_state_filter order member_active_mode_filter \
                nickname_startswith include_push_preference show_member_is_muted
                """, .channelParts, .page,
            ], body: "user_id", Router.listMembers),
        Route("GET", "group_channels/:url/members/:user/**", query: "user_id", body: "user_id", Router.viewMember),
        Route(
            "POST", "group_channels/:url/invite/**", query: ["user_id", .channelParts],
            body: "user_id user_ids users inviter_id invitation_status hidden_status", Router.invite),
        Route(
            "PUT", "group_channels/:url/accept/**", query: ["user_id", .channelParts], body: "user_id access_code",
            Router.accept),
        Route(
            "PUT", "group_channels/:url/join/**", query: ["user_id", .channelParts], body: "user_id access_code",
            Router.join),
        Route("PUT", "group_channels/:url/decline/**", query: "user_id", body: "user_id", Router.decline),
        Route(
            "PUT", "group_channels/:url/leave/**", query: "user_id",
            body: "user_id user_ids should_leave_all should_remove_operator_status reason", Router.leave),
        Route(
            "PUT", "group_channels/:url/hide/**", query: "user_id",
            body: "user_id hide_previous_messages allow_auto_unhide should_hide_all", Router.hide),
        Route(
            "DELETE", "group_channels/:url/hide/**", query: "user_id should_unhide_all",
            body: "user_id should_unhide_all", Router.unhide),
        Route(
            "PUT", "group_channels/:url/freeze/**", query: ["user_id", .channelParts], body: "user_id freeze",
            Router.freeze),
        Route(
            "PUT", "group_channels/:url/reset_user_history/**", query: "user_id", body: "user_id reset_all",
            Router.resetHistory),
        Route(
            "GET", "group_channels/:url/message_purge_offset/**", query: "user_id", body: "user_id",
            Router.purgeOffset),
        Route(
            "POST DELETE", "group_channels/:url/typing/**", query: "user_id", body: "user_id user_ids", Router.typing),

        Route(
            "GET", "group_channels/:url/mute", query: ["user_id show_total_mute_count", .page], body: "user_id",
            Router.listMutes),
        Route("GET", "group_channels/:url/mute/:user/**", query: "user_id", body: "user_id", Router.viewMute),
        Route(
            "POST DELETE", "group_channels/:url/mute", query: ["user_id", .channelParts],
            body: "user_id seconds description", Router.changeMute),
        Route(
            "POST DELETE", "group_channels/:url/mute/:user/**", query: ["user_id", .channelParts],
            body: "user_id seconds description", Router.changeMute),
        Route("*", "group_channels/:url/mute/**", query: "user_id", body: "user_id", Router.noActionOfModerators),
        Route(
            "GET", "group_channels/:url/ban", query: ["user_id show_total_ban_count", .page], body: "user_id",
            Router.listBans),
        Route("GET", "group_channels/:url/ban/:user/**", query: ["user_id", .page], body: "user_id", Router.viewBan),
        Route(
            "POST DELETE", "group_channels/:url/ban", query: "user_id", body: "user_id seconds description agent_id",
            Router.setBan),
        Route(
            "POST DELETE", "group_channels/:url/ban/:user/**", query: "user_id",
            body: "user_id seconds description agent_id", Router.setBan),
        Route(
            "PUT", "group_channels/:url/ban/:user/**", query: "user_id", body: "user_id seconds description",
            Router.changeBan),
        Route("*", "group_channels/:url/ban/**", query: "user_id", body: "user_id", Router.noActionOfModerators),
        Route(
            "GET", "group_channels/:url/operators/**", query: ["user_id operator_ids", .page],
            body: "user_id operator_ids", Router.listOperators),
        Route(
            "POST", "group_channels/:url/operators/**", query: "user_id operator_ids", body: "user_id operator_ids",
            Router.addOperators),
        Route(
            "DELETE", "group_channels/:url/operators/**", query: "user_id operator_ids delete_all",
            body: "user_id operator_ids delete_all", Router.removeOperators),
        Route(
            "*", "group_channels/:url/operators/**", query: "user_id operator_ids", body: "user_id operator_ids",
            Router.noActionOfOperators),
    ]
}

extension Keys {
    /// What is said of a channel when it is made or changed.
    fileprivate static let channel: Keys = """
        name cover_url cover_file data custom_type access_code disappearing_message message_survival_seconds is_public \
        is_discoverable block_sdk_user_channel_join is_super is_distinct operator_ids
        """
}
