extension RouteTable {
    /// Files to upload, polls, search, and what only the administration does.
    static let application = [
        // About the upload itself; thumbnails are not made here.
        Route(
            "POST", "storage/file",
            body: "file require_auth channel_url -request_id -thumbnail1 -thumbnail2 -thumbnail3", Router.upload),
        // Nothing is scored: the newest first is as good an order as any.
        Route(
            "GET", "search/messages",
            query: """
                user_id query limit exact_match target_fields channel_url custom_type message_ts_from message_ts_to \
                token after reverse -sort_field -advanced_query
                """, Router.search),
        Route("GET", "sdk/applications/settings", query: "ts token limit", Router.settingsChanges),
        Route("POST", "sdk/statistics", Router.statistics),

        Route(
            "POST", "polls", query: "user_id",
            body: "user_id title options data allow_user_suggestion allow_multiple_votes close_at", Router.createPoll),
        Route(
            "GET", "polls", query: ["user_id channel_url -channel_type", .page], body: "user_id", Router.listPolls),
        Route("*", "polls", query: "user_id", body: "user_id", Router.noActionOfPolls),
        Route("GET", "polls/:poll", query: .poll, body: .poll, Router.viewPoll),
        Route(
            "PUT", "polls/:poll", query: .poll,
            body: [.poll, "title data allow_user_suggestion allow_multiple_votes close_at"], Router.updatePoll),
        Route("DELETE", "polls/:poll", query: .poll, body: .poll, Router.deletePoll),
        Route("PUT", "polls/:poll/close", query: .poll, body: .poll, Router.closePoll),
        Route("PUT", "polls/:poll/vote", query: .poll, body: [.poll, "option_ids"], Router.vote),
        Route("POST", "polls/:poll/options", query: .poll, body: [.poll, "text option"], Router.addPollOption),
        Route("GET", "polls/:poll/options/:option", query: .poll, body: .poll, Router.viewPollOption),
        Route("PUT", "polls/:poll/options/:option", query: .poll, body: [.poll, "text"], Router.updatePollOption),
        Route("DELETE", "polls/:poll/options/:option", query: .poll, body: .poll, Router.deletePollOption),
        Route("GET", "polls/:poll/options/:option/voters", query: [.poll, .page], body: .poll, Router.listVoters),
        Route("*", "polls/:poll/options/:option/**", query: .poll, body: .poll, Router.noActionOfPollOption),
        Route("*", "polls/:poll/**", query: .poll, body: .poll, Router.noActionOfPoll),

        Route("GET", "scheduled_messages", query: [.scheduled, "order reverse", .page], Router.listScheduled),
        Route("GET", "scheduled_messages/count", query: [.scheduled, "-order"], Router.countScheduled),
        Route(
            "POST", "announcements",
            body: """
                message target_at unique_id scheduled_at announcement_group target_list target_channel_type \
                target_custom_type end_at cease_at resume_at create_channel enable_push mark_as_read \
                send_to_frozen_channels priority create_channel_options assign_sender_as_channel_inviter \
                keep_channel_hidden_for_sender
                """, Router.scheduleAnnouncement),
        Route("GET", "announcements", query: ["status", .page], Router.listAnnouncements),
        Route("GET", "announcements/:id", Router.viewAnnouncement),
        Route("PUT", "announcements/:id", body: "action scheduled_at", Router.updateAnnouncement),
        Route("*", "announcements/:id", Router.noActionOfAnnouncement),
        Route("*", "announcements/**", Router.noActionOfAdministration),

        Route("GET", "bots", query: .page, Router.listBots),
        Route("POST", "bots", body: .bot, Router.createBot),
        Route("*", "bots", Router.noActionOfAdministration),
        Route("GET", "bots/:bot", Router.viewBot),
        Route("PUT", "bots/:bot", body: .bot, Router.updateBot),
        Route("DELETE", "bots/:bot", Router.deleteBot),
        Route("POST", "bots/:bot/channels", query: .channelParts, body: "channel_urls", Router.joinAsBot),
        Route("DELETE", "bots/:bot/channels", Router.leaveAllAsBot),
        Route("DELETE", "bots/:bot/channels/:url", Router.leaveAsBot),
        Route("POST", "bots/:bot/send", body: .message, Router.sendAsBot),
        Route("*", "bots/:bot/**", Router.noActionOfBot),

        Route("GET", "emojis", Router.listEmojis),
        Route("GET", "emojis/:key/**", Router.viewEmoji),
        Route("POST", "emojis", body: "emojis", Router.addEmojis),
        Route("PUT", "emojis/:key", body: "url", Router.updateEmoji),
        Route("DELETE", "emojis/:key", Router.deleteEmoji),
        Route("*", "emojis/**", Router.noActionOfEmojis),
        Route("GET", "emoji_categories", Router.listEmojiCategories),
        Route("GET", "emoji_categories/:id/**", Router.viewEmojiCategory),
        Route("POST", "emoji_categories", body: "emoji_categories", Router.addEmojiCategories),
        Route("PUT", "emoji_categories/:id", body: "name url emojis", Router.updateEmojiCategory),
        Route("DELETE", "emoji_categories/:id", Router.deleteEmojiCategory),
        Route("*", "emoji_categories/**", Router.noActionOfEmojis),

        Route("GET", "applications/dau", query: "date", Router.dailyUsers),
        Route("GET", "applications/mau", query: "date", Router.monthlyUsers),
        Route("GET", "applications/ccu", Router.connectedUsers),
        Route("GET", "applications/settings_global", Router.globalSettings),
        Route("GET", "applications/default_channel_invitation_preference", Router.usualInvitation),
        Route(
            "PUT", "applications/default_channel_invitation_preference", body: "auto_accept",
            Router.changeUsualInvitation),
        Route("*", "applications/**", Router.noActionOfAdministration),

        // Read marks stay: what is migrated is unread for nobody.
        Route("POST", "migration/:url", body: "messages update_read_ts rewind_read_ts", Router.migrate),
        Route("*", "migration/**", Router.noActionOfAdministration),

        Route("GET", "push/device_tokens/:type/:token", Router.deviceOwners),
        Route("DELETE", "push/device_tokens/:type/:token", Router.removeOwnedDevice),
        Route("*", "push/device_tokens/:type/:token", Router.noActionOfOwners),
        Route("*", "push/**", Router.noActionOfAdministration),

        Route("GET", "report/**", query: .page, Router.listReports),
        Route("POST", "report/users/:user", body: [.report, "channel_url"], Router.report),
        Route("POST", "report/:kind/:id/**", body: .report, Router.report),
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
