extension RouteTable {
    static let users = [
        Route(
            "GET", "users",
            query: [
                "user_ids nickname nickname_startswith active_mode show_bot metadatakey metadatavalues_in", .page,
            ], Router.listUsers),
        Route("POST", "users", body: ["user_id", .user], Router.createUser),
        Route("GET", "users/:user", query: ["include_unread_count", .ownChannels], Router.viewUser),
        Route(
            "PUT", "users/:user", body: [.user, "is_active leave_all_when_deactivated last_seen_at"],
            Router.updateUser),
        Route("DELETE", "users/:user", Router.deleteUser),

        Route("POST", "users/:user/session_key", body: "access_token token expiring_session", Router.sessionKey),
        Route(
            "POST", "users/:user/login", query: "config_ts", body: "access_token token expiring_session", Router.login),
        Route("POST", "users/:user/token", body: "expires_at", Router.makeToken),

        Route("GET", "users/:user/my_group_channels", query: .channelList, Router.myChannels),
        Route("PUT", "users/:user/my_group_channels/leave", body: "custom_type", Router.leaveAll),
        Route(
            "GET", "users/:user/my_group_channels/changelogs",
            query: [.changes, "custom_types custom_type show_empty show_frozen", .channelParts],
            Router.myChannelChanges),
        Route("PUT", "users/:user/mark_as_read_all", body: "channel_urls", Router.markAllRead),
        Route("GET", "users/:user/unread_message_count", query: .ownChannels, Router.unreadMessageCount),
        Route("GET", "users/:user/unread_channel_count", query: .ownChannels, Router.unreadChannelCount),
        Route(
            "GET", "users/:user/group_channel_count", query: [.ownChannels, "state member_state_filter"],
            Router.channelCount),
        Route("GET", "users/:user/unread_item_count", query: [.ownChannels, "item_keys"], Router.unreadItemCount),

        Route("GET", "users/:user/channel_invitation_preference", Router.invitationPreference),
        Route(
            "PUT", "users/:user/channel_invitation_preference", body: "auto_accept", Router.changeInvitationPreference),
        Route("PUT", "users/:user/count_preference/:url", body: "count_preference", Router.countPreference),
        Route("*", "users/:user/count_preference/:url", Router.countPreference),
        Route(
            "PUT", "users/:user/push_preference/:url", body: "push_sound push_trigger_option enable",
            Router.pushPreference),
        Route("*", "users/:user/push_preference/:url", Router.pushPreference),

        Route("GET", "users/:user/push_preference", Router.globalPushPreference),
        Route(
            "PUT", "users/:user/push_preference",
            body: """
                push_trigger_option do_not_disturb start_hour start_min end_hour end_min timezone snooze_enabled \
                snooze_start_ts snooze_end_ts block_push_from_bots push_blocked_bot_ids push_sound \
                enable_push_for_replies dnd_schedules
                """, Router.changeGlobalPushPreference),
        Route("DELETE", "users/:user/push_preference", Router.resetGlobalPushPreference),
        Route("*", "users/:user/push_preference", Router.noActionOfDevices),
        Route("DELETE", "users/:user/push", Router.removeAllDevices),
        Route("GET", "users/:user/push/template", Router.pushTemplate),
        Route("PUT", "users/:user/push/template", body: "name", Router.changePushTemplate),
        Route("GET", "users/:user/push/:type", Router.devices),
        Route(
            "POST", "users/:user/push/:type",
            body: "gcm_reg_token apns_device_token huawei_device_token token is_unique", Router.addDevice),
        Route("DELETE", "users/:user/push/:type/:token", Router.removeDevice),
        Route("*", "users/:user/push/**", Router.noActionOfDevices),

        Route("GET", "users/:user/banned_channel_custom_types", Router.bannedTypes),
        Route(
            "POST PUT DELETE", "users/:user/banned_channel_custom_types", query: "channel_custom_types",
            body: "channel_custom_types seconds description", Router.changeBannedTypes),
        Route("*", "users/:user/banned_channel_custom_types", Router.noActionOfRestrictions),
        Route("GET", "users/:user/muted_channel_custom_types", Router.mutedTypes),
        Route(
            "POST PUT DELETE", "users/:user/muted_channel_custom_types", query: "channel_custom_types",
            body: "channel_custom_types seconds description", Router.changeMutedTypes),
        Route("*", "users/:user/muted_channel_custom_types", Router.noActionOfRestrictions),
        Route("GET", "users/:user/ban", query: .page, Router.bannedChannels),
        Route("GET", "users/:user/banned_group_channels", query: .page, Router.bannedChannels),
        Route("GET", "users/:user/mute", query: .page, Router.mutedChannels),
        Route("GET", "users/:user/muted_group_channels", query: .page, Router.mutedChannels),

        Route("GET", "users/:user/friends", query: .page, Router.listFriends),
        Route("POST", "users/:user/friends", body: "user_ids", Router.addFriends),
        Route("DELETE", "users/:user/friends", query: "user_ids", body: "user_ids", Router.removeFriends),
        Route("DELETE", "users/:user/friends/:friend", query: "user_ids", body: "user_ids", Router.removeFriends),
        Route("*", "users/:user/friends", Router.noActionOfFriends),
        Route("*", "users/:user/friends/:friend", Router.noActionOfFriends),
        Route("POST", "users/:user/friend_discoveries", body: "friend_discoveries", Router.addDiscoveries),
        Route(
            "DELETE", "users/:user/friend_discoveries", query: "friend_discovery_keys", body: "friend_discovery_keys",
            Router.removeDiscoveries),
        Route("*", "users/:user/friend_discoveries", Router.noActionOfFriends),

        Route("POST", "users/:user/block/**", body: "user_ids target_id", Router.block),
        Route("DELETE", "users/:user/block", Router.unblock),
        Route("DELETE", "users/:user/block/:target/**", Router.unblock),
        Route(
            "GET", "users/:user/block/**", query: ["user_ids list metadatakey metadatavalues_in", .page],
            Router.listBlocks),
        Route("*", "users/:user/block/**", Router.noActionOfUser),

        Route("GET", "users/:user/metadata", query: "keys key", Router.userMetadata),
        Route("GET", "users/:user/metadata/:key/**", Router.userMetadata),
        Route("DELETE", "users/:user/metadata", query: "keys key", Router.removeUserMetadata),
        Route("DELETE", "users/:user/metadata/:key/**", Router.removeUserMetadata),
        // All that is set is in the body.
        Route("POST", "users/:user/metadata", query: "-keys -key", body: "metadata", Router.setUserMetadata),
        Route("POST", "users/:user/metadata/:key/**", body: "value", Router.setUserMetadata),
        Route("*", "users/:user/metadata", query: "-keys -key", body: "metadata upsert", Router.setUserMetadata),
        Route("*", "users/:user/metadata/:key/**", body: "value upsert", Router.setUserMetadata),

        Route("GET", "users/:user/:word", Router.noPartOfUser),
    ]
}

extension Keys {
    /// What is said of a user when it is made or changed.
    fileprivate static let user: Keys = """
        nickname profile_url profile_file metadata discovery_keys is_hide_me_from_friends locale preferred_languages \
        access_token issue_access_token issue_session_token session_token_expires_at
        """
    /// Which of a user's channels count.
    fileprivate static let ownChannels: Keys = "custom_types custom_type super_mode"
}
