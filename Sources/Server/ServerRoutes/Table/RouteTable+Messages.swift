extension RouteTable {
    /// Routes below a channel's messages; the last of them refuse what a channel has no part for.
    static let messages = [
        Route(
            "GET", "group_channels/:url/messages",
            query: [
                """
                user_id message_ts message_id prev_limit next_limit include including_removed checking_has_next \
                checking_continuous_messages reverse
                """, .messageFilter, .messageParts,
                // Subchannels are what large open channels are made of.
                "-show_subchannel_messages_only",
            ], MessageRoutes.listMessages),
        Route(
            "POST", "group_channels/:url/messages", body: ["user_id include_poll_details", .message],
            MessageRoutes.send),
        Route(
            "GET", "group_channels/:url/messages/changelogs",
            query: ["user_id", .changes, .messageFilter, .messageParts], MessageRoutes.messageChanges),
        Route(
            "PUT", "group_channels/:url/messages/mark_as_read", body: "user_id unique_id is_excluded message_id",
            MessageRoutes.markAsRead),
        Route(
            "PUT", "group_channels/:url/messages/mark_as_delivered", body: "user_id ts", MessageRoutes.markAsDelivered),
        Route(
            "GET", "group_channels/:url/messages/unread_count", query: "user_ids user_id",
            MessageRoutes.unreadOfMembers),
        Route("GET", "group_channels/:url/messages/total_count", MessageRoutes.countMessages),
        // The answer always says whether it is continuous.
        Route(
            "*", "group_channels/:url/messages_gap/**",
            query: [
                """
                user_id prev_start_ts prev_end_ts prev_cache_count next_start_ts next_end_ts next_cache_count reverse
                """, .messageFilter, .messageParts, "-checking_continuous_messages",
            ], MessageRoutes.gap),

        Route("GET", "group_channels/:url/messages/:message", query: .messageParts, MessageRoutes.viewMessage),
        Route(
            "PUT", "group_channels/:url/messages/:message",
            body: """
                user_id message translations target_langs message_type channel_url channel_type extended_message \
                extended_message_payload sorted_metaarray metaarray url data custom custom_type mention_type \
                mentioned_user_ids mentioned_message_template
                """, MessageRoutes.editMessage),
        Route("DELETE", "group_channels/:url/messages/:message", MessageRoutes.deleteMessage),
        Route(
            "POST DELETE", "group_channels/:url/messages/:message/reactions/**", query: "user_id reaction",
            body: "user_id reaction", MessageRoutes.react),
        Route(
            "GET", "group_channels/:url/messages/:message/reactions/**", query: "user_id list_users", body: "user_id",
            MessageRoutes.listReactions),
        Route(
            "POST DELETE", "group_channels/:url/messages/:message/pin/**", query: "user_id", body: "user_id",
            MessageRoutes.pin),
        Route(
            "POST", "group_channels/:url/messages/:message/sorted_metaarray/**", query: "user_id keys",
            body: "user_id keys mode sorted_metaarray metaarray", MessageRoutes.changeExtraData),
        Route(
            "PUT DELETE", "group_channels/:url/messages/:message/sorted_metaarray/**", query: "user_id keys",
            body: "user_id keys mode sorted_metaarray metaarray upsert", MessageRoutes.changeExtraData),
        Route(
            "POST", "group_channels/:url/messages/:message/translation/**", query: "user_id",
            body: "user_id target_langs", MessageRoutes.translate),
        Route(
            "*", "group_channels/:url/messages/:message/:part/**", query: "user_id", body: "user_id",
            MessageRoutes.noPartOfMessage),
        Route("*", "group_channels/:url/messages/**", ChannelRoutes.noPartOfChannel),

        Route(
            "POST", "group_channels/:url/scheduled_messages", query: "user_id",
            body: ["user_id scheduled_at", .message],
            ScheduledRoutes.schedule),
        Route(
            "*", "group_channels/:url/scheduled_messages", query: "user_id", body: "user_id",
            ScheduledRoutes.noActionOfScheduled),
        Route(
            "GET", "group_channels/:url/scheduled_messages/:id", query: "user_id", body: "user_id",
            ScheduledRoutes.viewScheduled),
        // The body is read again when the message goes out.
        Route(
            "PUT", "group_channels/:url/scheduled_messages/:id", query: "user_id",
            body: ["user_id scheduled_at", .any],
            ScheduledRoutes.reschedule),
        Route(
            "DELETE", "group_channels/:url/scheduled_messages/:id", query: "user_id", body: "user_id",
            ScheduledRoutes.cancelScheduled),
        Route(
            "POST PUT", "group_channels/:url/scheduled_messages/:id/send_now", query: "user_id", body: "user_id",
            ScheduledRoutes.sendScheduledNow),
        Route(
            "*", "group_channels/:url/scheduled_messages/:id/**", query: "user_id", body: "user_id",
            ScheduledRoutes.noActionOfOneScheduled),

        Route("*", "group_channels/:url/:topic/**", query: "user_id", body: "user_id", MemberRoutes.noPartOfMembers),
    ]
}

extension Keys {
    /// The keys of a message that is to be sent. Those about pushes are read and have no effect.
    static let message: Keys = [
        """
        message_type message data custom custom_type mention_type mentioned_user_ids mentioned_users mentioned \
        metaarray sorted_metaarray metaarrays parent_message_id reply_to_channel is_reply_to_channel is_silent silent \
        force_update_last_message mark_as_read dedup_id send_push push_option poll_id req_id request_id target_langs \
        translations pin_message mentioned_message_template apple_critical_alert_options extended_message \
        extended_message_payload apns_bundle_id push_message_template sound volume created_at channel_url channel_type
        """,
        "file files url file_url require_auth file_type type file_name name file_size size thumbnails",
        "thumbnail1 thumbnail2 thumbnail3",
    ]
}
