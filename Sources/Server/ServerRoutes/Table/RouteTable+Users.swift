extension RouteTable {
    static let users = [
        Route(
            "GET", "users",
            query: [
                "user_ids nickname nickname_startswith active_mode show_bot metadatakey metadatavalues_in", .page,
            ], UserRoutes.listUsers),
        Route("POST", "users", body: ["user_id", .user], UserRoutes.createUser),
        Route("GET", "users/:user", query: ["include_unread_count", .ownChannels], UserRoutes.viewUser),
        Route(
            "PUT", "users/:user", body: [.user, "is_active leave_all_when_deactivated last_seen_at"],
            UserRoutes.updateUser),
        Route("DELETE", "users/:user", UserRoutes.deleteUser),

        Route("POST", "users/:user/session_key", body: "access_token token expiring_session", UserRoutes.sessionKey),
        Route(
            "POST", "users/:user/login", query: "config_ts", body: "access_token token expiring_session",
            UserRoutes.login),
        Route("POST", "users/:user/token", body: "expires_at", UserRoutes.makeToken),

        Route("GET", "users/:user/my_group_channels", query: .channelList, UserChannelRoutes.myChannels),
        Route("PUT", "users/:user/my_group_channels/leave", body: "custom_type", UserChannelRoutes.leaveAll),
        Route(
            "GET", "users/:user/my_group_channels/changelogs",
            query: [.changes, "custom_types custom_type show_empty show_frozen", .channelParts],
            UserChannelRoutes.myChannelChanges),
        Route("PUT", "users/:user/mark_as_read_all", body: "channel_urls", UserChannelRoutes.markAllRead),
        Route("GET", "users/:user/unread_message_count", query: .ownChannels, UserChannelRoutes.unreadMessageCount),
        Route("GET", "users/:user/unread_channel_count", query: .ownChannels, UserChannelRoutes.unreadChannelCount),
        Route(
            "GET", "users/:user/group_channel_count", query: [.ownChannels, "state member_state_filter"],
            UserChannelRoutes.channelCount),
        Route(
            "GET", "users/:user/unread_item_count", query: [.ownChannels, "item_keys"],
            UserChannelRoutes.unreadItemCount),

        Route("GET", "users/:user/channel_invitation_preference", UserRoutes.invitationPreference),
        Route(
            "PUT", "users/:user/channel_invitation_preference", body: "auto_accept",
            UserRoutes.changeInvitationPreference),
        Route("PUT", "users/:user/count_preference/:url", body: "count_preference", UserChannelRoutes.countPreference),
        Route("*", "users/:user/count_preference/:url", UserChannelRoutes.countPreference),
        Route(
            "PUT", "users/:user/push_preference/:url", body: "push_sound push_trigger_option enable",
            UserChannelRoutes.pushPreference),
        Route("*", "users/:user/push_preference/:url", UserChannelRoutes.pushPreference),

        Route("GET", "users/:user/push_preference", PushRoutes.globalPushPreference),
        Route(
            "PUT", "users/:user/push_preference",
            body: """
                push_trigger_option do_not_disturb start_hour start_min end_hour end_min timezone snooze_enabled \
                snooze_start_ts snooze_end_ts block_push_from_bots push_blocked_bot_ids push_sound \
                enable_push_for_replies dnd_schedules
                """, PushRoutes.changeGlobalPushPreference),
        Route("DELETE", "users/:user/push_preference", PushRoutes.resetGlobalPushPreference),
        Route("*", "users/:user/push_preference", PushRoutes.noActionOfDevices),
        Route("DELETE", "users/:user/push", PushRoutes.removeAllDevices),
        Route("GET", "users/:user/push/template", PushRoutes.pushTemplate),
        Route("PUT", "users/:user/push/template", body: "name", PushRoutes.changePushTemplate),
        Route("GET", "users/:user/push/:type", PushRoutes.devices),
        Route(
            "POST", "users/:user/push/:type",
            body: "gcm_reg_token apns_device_token huawei_device_token token is_unique", PushRoutes.addDevice),
        Route("DELETE", "users/:user/push/:type/:token", PushRoutes.removeDevice),
        Route("*", "users/:user/push/**", PushRoutes.noActionOfDevices),

        Route("GET", "users/:user/banned_channel_custom_types", ReportRoutes.bannedTypes),
        Route(
            "POST PUT DELETE", "users/:user/banned_channel_custom_types", query: "channel_custom_types",
            body: "channel_custom_types seconds description", ReportRoutes.changeBannedTypes),
        Route("*", "users/:user/banned_channel_custom_types", ReportRoutes.noActionOfRestrictions),
        Route("GET", "users/:user/muted_channel_custom_types", ReportRoutes.mutedTypes),
        Route(
            "POST PUT DELETE", "users/:user/muted_channel_custom_types", query: "channel_custom_types",
            body: "channel_custom_types seconds description", ReportRoutes.changeMutedTypes),
        Route("*", "users/:user/muted_channel_custom_types", ReportRoutes.noActionOfRestrictions),
        Route("GET", "users/:user/ban", query: .page, ReportRoutes.bannedChannels),
        Route("GET", "users/:user/banned_group_channels", query: .page, ReportRoutes.bannedChannels),
        Route("GET", "users/:user/mute", query: .page, ReportRoutes.mutedChannels),
        Route("GET", "users/:user/muted_group_channels", query: .page, ReportRoutes.mutedChannels),

        Route("GET", "users/:user/friends", query: .page, FriendRoutes.listFriends),
        Route("POST", "users/:user/friends", body: "user_ids", FriendRoutes.addFriends),
        Route("DELETE", "users/:user/friends", query: "user_ids", body: "user_ids", FriendRoutes.removeFriends),
        Route("DELETE", "users/:user/friends/:friend", query: "user_ids", body: "user_ids", FriendRoutes.removeFriends),
        Route("*", "users/:user/friends", FriendRoutes.noActionOfFriends),
        Route("*", "users/:user/friends/:friend", FriendRoutes.noActionOfFriends),
        Route("POST", "users/:user/friend_discoveries", body: "friend_discoveries", FriendRoutes.addDiscoveries),
        Route(
            "DELETE", "users/:user/friend_discoveries", query: "friend_discovery_keys", body: "friend_discovery_keys",
            FriendRoutes.removeDiscoveries),
        Route("*", "users/:user/friend_discoveries", FriendRoutes.noActionOfFriends),

        Route("POST", "users/:user/block/**", body: "user_ids target_id", UserRoutes.block),
        Route("DELETE", "users/:user/block", UserRoutes.unblock),
        Route("DELETE", "users/:user/block/:target/**", UserRoutes.unblock),
        Route(
            "GET", "users/:user/block/**", query: ["user_ids list metadatakey metadatavalues_in", .page],
            UserRoutes.listBlocks),
        Route("*", "users/:user/block/**", UserRoutes.noActionOfUser),

        Route("GET", "users/:user/metadata", query: "keys key", UserRoutes.userMetadata),
        Route("GET", "users/:user/metadata/:key/**", UserRoutes.userMetadata),
        Route("DELETE", "users/:user/metadata", query: "keys key", UserRoutes.removeUserMetadata),
        Route("DELETE", "users/:user/metadata/:key/**", UserRoutes.removeUserMetadata),
        // All that is set is in the body.
        Route("POST", "users/:user/metadata", query: "-keys -key", body: "metadata", UserRoutes.setUserMetadata),
        Route("POST", "users/:user/metadata/:key/**", body: "value", UserRoutes.setUserMetadata),
        Route("*", "users/:user/metadata", query: "-keys -key", body: "metadata upsert", UserRoutes.setUserMetadata),
        Route("*", "users/:user/metadata/:key/**", body: "value upsert", UserRoutes.setUserMetadata),

        Route("GET", "users/:user/:word", UserRoutes.noPartOfUser),
    ]
}

extension Keys {
    /// The keys of a user that is made or changed.
    fileprivate static let user: Keys = """
        nickname profile_url profile_file metadata discovery_keys is_hide_me_from_friends locale preferred_languages \
        access_token issue_access_token issue_session_token session_token_expires_at
        """
    /// Which of a user's channels count.
    fileprivate static let ownChannels: Keys = "custom_types custom_type super_mode"
}
