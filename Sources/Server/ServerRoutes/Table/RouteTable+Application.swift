extension RouteTable {
    /// Files to upload, polls, search, and what only the administration does.
    static let application = [
        // The ignored key is about the upload itself.
        Route(
            "POST", "storage/file",
            body: "file require_auth channel_url -request_id thumbnail1 thumbnail2 thumbnail3", FileRoutes.upload),
        // Results have no score, so the newest come first whatever order is asked for.
        Route(
            "GET", "search/messages",
            query: """
                user_id query limit exact_match target_fields channel_url custom_type message_ts_from message_ts_to \
                token after reverse -sort_field -advanced_query
                """, ApplicationRoutes.search),
        Route("GET", "sdk/applications/settings", query: "ts token limit", ApplicationRoutes.settingsChanges),
        Route("POST", "sdk/statistics", ApplicationRoutes.statistics),

        Route(
            "POST", "polls", query: "user_id",
            body: "user_id title options data allow_user_suggestion allow_multiple_votes close_at",
            PollRoutes.createPoll),
        Route(
            "GET", "polls", query: ["user_id channel_url -channel_type", .page], body: "user_id", PollRoutes.listPolls),
        Route("*", "polls", query: "user_id", body: "user_id", PollRoutes.noActionOfPolls),
        Route("GET", "polls/:poll", query: .poll, body: .poll, PollRoutes.viewPoll),
        Route(
            "PUT", "polls/:poll", query: .poll,
            body: [.poll, "title data allow_user_suggestion allow_multiple_votes close_at"], PollRoutes.updatePoll),
        Route("DELETE", "polls/:poll", query: .poll, body: .poll, PollRoutes.deletePoll),
        Route("PUT", "polls/:poll/close", query: .poll, body: .poll, PollRoutes.closePoll),
        Route("PUT", "polls/:poll/vote", query: .poll, body: [.poll, "option_ids"], PollRoutes.vote),
        Route("POST", "polls/:poll/options", query: .poll, body: [.poll, "text option"], PollRoutes.addPollOption),
        Route("GET", "polls/:poll/options/:option", query: .poll, body: .poll, PollRoutes.viewPollOption),
        Route("PUT", "polls/:poll/options/:option", query: .poll, body: [.poll, "text"], PollRoutes.updatePollOption),
        Route("DELETE", "polls/:poll/options/:option", query: .poll, body: .poll, PollRoutes.deletePollOption),
        Route("GET", "polls/:poll/options/:option/voters", query: [.poll, .page], body: .poll, PollRoutes.listVoters),
        Route("*", "polls/:poll/options/:option/**", query: .poll, body: .poll, PollRoutes.noActionOfPollOption),
        Route("*", "polls/:poll/**", query: .poll, body: .poll, PollRoutes.noActionOfPoll),

        Route("GET", "scheduled_messages", query: [.scheduled, "order reverse", .page], ScheduledRoutes.listScheduled),
        Route("GET", "scheduled_messages/count", query: [.scheduled, "-order"], ScheduledRoutes.countScheduled),
        Route(
            "POST", "announcements",
            body: """
                message target_at unique_id scheduled_at announcement_group target_list target_channel_type \
                target_custom_type end_at cease_at resume_at create_channel enable_push mark_as_read \
                send_to_frozen_channels priority create_channel_options assign_sender_as_channel_inviter \
                keep_channel_hidden_for_sender
                """, ScheduledRoutes.scheduleAnnouncement),
        Route("GET", "announcements", query: ["status", .page], ScheduledRoutes.listAnnouncements),
        Route("GET", "announcements/:id", ScheduledRoutes.viewAnnouncement),
        Route("PUT", "announcements/:id", body: "action scheduled_at", ScheduledRoutes.updateAnnouncement),
        Route("*", "announcements/:id", ScheduledRoutes.noActionOfAnnouncement),
        Route("*", "announcements/**", ApplicationRoutes.noActionOfAdministration),

        Route("GET", "bots", query: .page, BotRoutes.listBots),
        Route("POST", "bots", body: .bot, BotRoutes.createBot),
        Route("*", "bots", ApplicationRoutes.noActionOfAdministration),
        Route("GET", "bots/:bot", BotRoutes.viewBot),
        Route("PUT", "bots/:bot", body: .bot, BotRoutes.updateBot),
        Route("DELETE", "bots/:bot", BotRoutes.deleteBot),
        Route("POST", "bots/:bot/channels", query: .channelParts, body: "channel_urls", BotRoutes.joinAsBot),
        Route("DELETE", "bots/:bot/channels", BotRoutes.leaveAllAsBot),
        Route("DELETE", "bots/:bot/channels/:url", BotRoutes.leaveAsBot),
        Route("POST", "bots/:bot/send", body: .message, BotRoutes.sendAsBot),
        Route("*", "bots/:bot/**", BotRoutes.noActionOfBot),

        Route("GET", "emojis", EmojiRoutes.listEmojis),
        Route("GET", "emojis/:key/**", EmojiRoutes.viewEmoji),
        Route("POST", "emojis", body: "emojis", EmojiRoutes.addEmojis),
        Route("PUT", "emojis/:key", body: "url", EmojiRoutes.updateEmoji),
        Route("DELETE", "emojis/:key", EmojiRoutes.deleteEmoji),
        Route("*", "emojis/**", EmojiRoutes.noActionOfEmojis),
        Route("GET", "emoji_categories", EmojiRoutes.listEmojiCategories),
        Route("GET", "emoji_categories/:id/**", EmojiRoutes.viewEmojiCategory),
        Route("POST", "emoji_categories", body: "emoji_categories", EmojiRoutes.addEmojiCategories),
        Route("PUT", "emoji_categories/:id", body: "name url emojis", EmojiRoutes.updateEmojiCategory),
        Route("DELETE", "emoji_categories/:id", EmojiRoutes.deleteEmojiCategory),
        Route("*", "emoji_categories/**", EmojiRoutes.noActionOfEmojis),

        Route("GET", "applications/dau", query: "date", ApplicationRoutes.dailyUsers),
        Route("GET", "applications/mau", query: "date", ApplicationRoutes.monthlyUsers),
        Route("GET", "applications/ccu", ApplicationRoutes.connectedUsers),
        Route("GET", "applications/settings_global", ApplicationRoutes.globalSettings),
        Route("GET", "applications/default_channel_invitation_preference", ApplicationRoutes.usualInvitation),
        Route(
            "PUT", "applications/default_channel_invitation_preference", body: "auto_accept",
            ApplicationRoutes.changeUsualInvitation),
        Route("*", "applications/**", ApplicationRoutes.noActionOfAdministration),

        // Read marks stay: what is migrated is unread for nobody.
        Route("POST", "migration/:url", body: "messages update_read_ts rewind_read_ts", ApplicationRoutes.migrate),
        Route("*", "migration/**", ApplicationRoutes.noActionOfAdministration),

        Route("GET", "push/device_tokens/:type/:token", PushRoutes.deviceOwners),
        Route("DELETE", "push/device_tokens/:type/:token", PushRoutes.removeOwnedDevice),
        Route("*", "push/device_tokens/:type/:token", PushRoutes.noActionOfOwners),
        Route("*", "push/**", ApplicationRoutes.noActionOfAdministration),

        Route("GET", "report/**", query: .page, ReportRoutes.listReports),
        Route("POST", "report/users/:user", body: [.report, "channel_url"], ReportRoutes.report),
        Route("POST", "report/:kind/:id/**", body: .report, ReportRoutes.report),
    ]
}

extension Keys {
    /// Who asks about a poll. Clients name its channel too; the poll knows it.
    fileprivate static let poll: Keys = "user_id -channel_url -channel_type"
    fileprivate static let scheduled: Keys = "user_id channel_url status scheduled_status message_type -channel_type"
    fileprivate static let bot: Keys = """
        bot_userid bot_nickname bot_profile_url bot_metadata bot_callback_url bot_type is_privacy_mode \
        enable_mark_as_read show_member channel_invitation_preference
        """
    fileprivate static let report: Keys = """
        reporting_user_id user_id report_category category report_description description offending_user_id \
        channel_type
        """
}
