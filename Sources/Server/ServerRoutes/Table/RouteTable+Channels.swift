extension RouteTable {
    /// Channels and their members. All that is about members takes a `user_id`, whether it says something or not.
    static let channels = [
        Route("GET", "group_channels", query: [.channelList, "public_membership_mode"], ChannelRoutes.listChannels),
        Route(
            "POST", "group_channels", query: .channelParts,
            body: [
                .channel,
                """
                user_ids users inviter_id strict is_strict invitation_status hidden_status channel_url is_broadcast \
                is_exclusive is_ephemeral is_chat_notification
                """,
            ], ChannelRoutes.createChannel),
        Route("GET", "group_channels/:url", query: ["user_id", .channelParts], ChannelRoutes.viewChannel),
        Route("PUT", "group_channels/:url", query: .channelParts, body: .channel, ChannelRoutes.updateChannel),
        Route("DELETE", "group_channels/:url", ChannelRoutes.deleteChannel),
        Route("*", "group_channels/:url", ChannelRoutes.noActionOfChannel),

        Route(
            "GET", "group_channels/:url/metadata", query: "keys key include_ts", body: "include_ts",
            ChannelRoutes.channelMetadata),
        Route(
            "GET", "group_channels/:url/metadata/:key/**", query: "include_ts", body: "include_ts",
            ChannelRoutes.channelMetadata),
        Route(
            "DELETE", "group_channels/:url/metadata", query: "keys key include_ts", body: "keys include_ts",
            ChannelRoutes.removeChannelMetadata),
        Route(
            "DELETE", "group_channels/:url/metadata/:key/**", query: "include_ts", body: "include_ts",
            ChannelRoutes.removeChannelMetadata),
        Route(
            "POST PUT", "group_channels/:url/metadata", query: "include_ts", body: "metadata upsert include_ts",
            ChannelRoutes.setChannelMetadata),
        Route(
            "POST PUT", "group_channels/:url/metadata/:key/**", query: "include_ts",
            body: "value metadata :key upsert include_ts", ChannelRoutes.setChannelMetadata),
        Route("*", "group_channels/:url/metadata/**", ChannelRoutes.noActionOfMetadata),
        Route(
            "GET", "group_channels/:url/metacounter", query: "keys key include_ts", body: "include_ts",
            ChannelRoutes.counters),
        Route(
            "GET", "group_channels/:url/metacounter/:key/**", query: "include_ts", body: "include_ts",
            ChannelRoutes.counters),
        Route(
            "DELETE", "group_channels/:url/metacounter", query: "keys key include_ts", body: "keys include_ts",
            ChannelRoutes.removeCounters),
        Route(
            "DELETE", "group_channels/:url/metacounter/:key/**", query: "include_ts", body: "include_ts",
            ChannelRoutes.removeCounters),
        Route(
            "POST PUT", "group_channels/:url/metacounter", query: "include_ts",
            body: "metacounter upsert mode include_ts", ChannelRoutes.setCounters),
        Route(
            "POST PUT", "group_channels/:url/metacounter/:key/**", query: "include_ts",
            body: "value metacounter :key upsert mode include_ts", ChannelRoutes.setCounters),
        Route("*", "group_channels/:url/metacounter/**", ChannelRoutes.noActionOfMetadata),

        Route("GET", "group_channels/:url/polls/changelogs", query: .changes, PollRoutes.pollChanges),
        Route("*", "group_channels/:url/polls/**", ChannelRoutes.noPartOfChannel),

        Route(
            "GET", "group_channels/:url/members",
            query: [
                """
                user_id operator_filter muted_member_filter member_state_filter order member_active_mode_filter \
                nickname_startswith include_push_preference show_member_is_muted
                """, .channelParts, .page,
            ], body: "user_id", MemberRoutes.listMembers),
        Route(
            "GET", "group_channels/:url/members/:user/**", query: "user_id", body: "user_id", MemberRoutes.viewMember),
        Route(
            "POST", "group_channels/:url/invite/**", query: ["user_id", .channelParts],
            body: "user_id user_ids users inviter_id invitation_status hidden_status", MemberRoutes.invite),
        Route(
            "PUT", "group_channels/:url/accept/**", query: ["user_id", .channelParts], body: "user_id access_code",
            MemberRoutes.accept),
        Route(
            "PUT", "group_channels/:url/join/**", query: ["user_id", .channelParts], body: "user_id access_code",
            MemberRoutes.join),
        Route("PUT", "group_channels/:url/decline/**", query: "user_id", body: "user_id", MemberRoutes.decline),
        Route(
            "PUT", "group_channels/:url/leave/**", query: "user_id",
            body: "user_id user_ids should_leave_all should_remove_operator_status reason", MemberRoutes.leave),
        Route(
            "PUT", "group_channels/:url/hide/**", query: "user_id",
            body: "user_id hide_previous_messages allow_auto_unhide should_hide_all", MemberRoutes.hide),
        Route(
            "DELETE", "group_channels/:url/hide/**", query: "user_id should_unhide_all",
            body: "user_id should_unhide_all", MemberRoutes.unhide),
        Route(
            "PUT", "group_channels/:url/freeze/**", query: ["user_id", .channelParts], body: "user_id freeze",
            MemberRoutes.freeze),
        Route(
            "PUT", "group_channels/:url/reset_user_history/**", query: "user_id", body: "user_id reset_all",
            MemberRoutes.resetHistory),
        Route(
            "GET", "group_channels/:url/message_purge_offset/**", query: "user_id", body: "user_id",
            MemberRoutes.purgeOffset),
        Route(
            "POST DELETE", "group_channels/:url/typing/**", query: "user_id", body: "user_id user_ids",
            MemberRoutes.typing),

        Route(
            "GET", "group_channels/:url/mute", query: ["user_id show_total_mute_count", .page], body: "user_id",
            ModerationRoutes.listMutes),
        Route("GET", "group_channels/:url/mute/:user/**", query: "user_id", body: "user_id", ModerationRoutes.viewMute),
        Route(
            "POST DELETE", "group_channels/:url/mute", query: ["user_id", .channelParts],
            body: "user_id seconds description", ModerationRoutes.changeMute),
        Route(
            "POST DELETE", "group_channels/:url/mute/:user/**", query: ["user_id", .channelParts],
            body: "user_id seconds description", ModerationRoutes.changeMute),
        Route("*", "group_channels/:url/mute/**", query: "user_id", body: "user_id", MemberRoutes.noActionOfModerators),
        Route(
            "GET", "group_channels/:url/ban", query: ["user_id show_total_ban_count", .page], body: "user_id",
            ModerationRoutes.listBans),
        Route(
            "GET", "group_channels/:url/ban/:user/**", query: ["user_id", .page], body: "user_id",
            ModerationRoutes.viewBan),
        Route(
            "POST DELETE", "group_channels/:url/ban", query: "user_id", body: "user_id seconds description agent_id",
            ModerationRoutes.setBan),
        Route(
            "POST DELETE", "group_channels/:url/ban/:user/**", query: "user_id",
            body: "user_id seconds description agent_id", ModerationRoutes.setBan),
        Route(
            "PUT", "group_channels/:url/ban/:user/**", query: "user_id", body: "user_id seconds description",
            ModerationRoutes.changeBan),
        Route("*", "group_channels/:url/ban/**", query: "user_id", body: "user_id", MemberRoutes.noActionOfModerators),
        Route(
            "GET", "group_channels/:url/operators/**", query: ["user_id operator_ids", .page],
            body: "user_id operator_ids", ModerationRoutes.listOperators),
        Route(
            "POST", "group_channels/:url/operators/**", query: "user_id operator_ids", body: "user_id operator_ids",
            ModerationRoutes.addOperators),
        Route(
            "DELETE", "group_channels/:url/operators/**", query: "user_id operator_ids delete_all",
            body: "user_id operator_ids delete_all", ModerationRoutes.removeOperators),
        Route(
            "*", "group_channels/:url/operators/**", query: "user_id operator_ids", body: "user_id operator_ids",
            ModerationRoutes.noActionOfOperators),
    ]
}

extension Keys {
    /// The keys of a channel that is made or changed.
    fileprivate static let channel: Keys = """
        name cover_url cover_file data custom_type access_code disappearing_message message_survival_seconds is_public \
        is_discoverable block_sdk_user_channel_join is_super is_distinct operator_ids
        """
}
