//! Constructors of actions, and methods for the keys that an action may have.
//!
//! Written by scripts/actions from the table of actions; change that, not this file.

use std::fmt::Display;

use crate::action::Action;
use crate::document::{quoted, quoted_list, quoted_map};

/// The actions of `docs/actions.md`, each with the keys that it needs.
impl Action {
    /// `edit_message`. Collections: `update` of the message, `event_message_updated`; what is not named stays. Only
    /// the sender may: of a cached message of somebody else it completes with NOT_OWN_MESSAGE and asks nobody.
    ///
    /// Gives the message as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    ///
    /// It may have [`message`](Action::message), [`data`](Action::data), [`custom_type`](Action::custom_type),
    /// [`mention_type`](Action::mention_type), [`mentioned_user_ids`](Action::mentioned_user_ids).
    pub fn edit_message(channel_url: &str, message_id: impl Display) -> Action {
        Action::new("edit_message")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
    }

    /// `delete_message`. Collections: `remove` of the message, `event_message_deleted`. The sender may, and
    /// operators.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    pub fn delete_message(channel_url: &str, message_id: impl Display) -> Action {
        Action::new("delete_message")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
    }

    /// `add_reaction`. Collections: `update` of the message, `event_reaction_updated`.
    ///
    /// Gives the reaction as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    /// - `key`: the reaction
    pub fn add_reaction(channel_url: &str, message_id: impl Display, key: &str) -> Action {
        Action::new("add_reaction")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
            .set("key", quoted(key))
    }

    /// `remove_reaction`. Collections: `update` of the message, `event_reaction_updated`.
    ///
    /// Gives the reaction as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    /// - `key`: the reaction
    pub fn remove_reaction(channel_url: &str, message_id: impl Display, key: &str) -> Action {
        Action::new("remove_reaction")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
            .set("key", quoted(key))
    }

    /// `pin_message`. Collections: `update` of the channel, `event_pinned_message_updated`.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    pub fn pin_message(channel_url: &str, message_id: impl Display) -> Action {
        Action::new("pin_message")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
    }

    /// `unpin_message`. Collections: `update` of the channel, `event_pinned_message_updated`.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    pub fn unpin_message(channel_url: &str, message_id: impl Display) -> Action {
        Action::new("unpin_message")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
    }

    /// `translate_message`. Collections: `update` of the message, `event_message_updated`: its `translations` have
    /// the languages.
    ///
    /// Gives the message as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    /// - `target_langs`: languages to translate it to
    pub fn translate_message(channel_url: &str, message_id: impl Display, target_langs: &[impl AsRef<str>]) -> Action {
        Action::new("translate_message")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
            .set("target_langs", quoted_list(target_langs))
    }

    /// `create_meta_array_keys`. Collections: `update` of the message, `event_message_updated`.
    ///
    /// Gives the message as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    /// - `keys`: keys of the message's `sorted_metaarray`
    pub fn create_meta_array_keys(channel_url: &str, message_id: impl Display, keys: &[impl AsRef<str>]) -> Action {
        Action::new("create_meta_array_keys")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
            .set("keys", quoted_list(keys))
    }

    /// `delete_meta_array_keys`. Collections: `update` of the message, `event_message_updated`.
    ///
    /// Gives the message as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    /// - `keys`: keys of the message's `sorted_metaarray`
    pub fn delete_meta_array_keys(channel_url: &str, message_id: impl Display, keys: &[impl AsRef<str>]) -> Action {
        Action::new("delete_meta_array_keys")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
            .set("keys", quoted_list(keys))
    }

    /// `add_meta_array_values`. Collections: `update` of the message, `event_message_updated`.
    ///
    /// Gives the message as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    /// - `values`: for each key the values, as `{"color": ["red"]}`
    pub fn add_meta_array_values(
        channel_url: &str,
        message_id: impl Display,
        values: &[(impl AsRef<str>, Vec<String>)],
    ) -> Action {
        Action::new("add_meta_array_values")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
            .set("values", quoted_map(values, |values| quoted_list(values)))
    }

    /// `remove_meta_array_values`. Collections: `update` of the message, `event_message_updated`.
    ///
    /// Gives the message as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    /// - `values`: for each key the values, as `{"color": ["red"]}`
    pub fn remove_meta_array_values(
        channel_url: &str,
        message_id: impl Display,
        values: &[(impl AsRef<str>, Vec<String>)],
    ) -> Action {
        Action::new("remove_meta_array_values")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
            .set("values", quoted_map(values, |values| quoted_list(values)))
    }

    /// `create_poll`. Collections: none: a poll is seen when it is sent, with `poll_id` of a message.
    ///
    /// Gives the poll as the service has it.
    ///
    /// - `title`: the question
    /// - `options`: what can be chosen
    ///
    /// It may have [`data`](Action::data), [`allow_user_suggestion`](Action::allow_user_suggestion),
    /// [`allow_multiple_votes`](Action::allow_multiple_votes), [`close_at`](Action::close_at).
    pub fn create_poll(title: &str, options: &[impl AsRef<str>]) -> Action {
        Action::new("create_poll").set("title", quoted(title)).set("options", quoted_list(options))
    }

    /// `get_poll`. Collections: none.
    ///
    /// Gives the poll as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `poll_id`: the poll
    pub fn get_poll(channel_url: &str, poll_id: impl Display) -> Action {
        Action::new("get_poll").set("channel_url", quoted(channel_url)).set("poll_id", quoted(&poll_id.to_string()))
    }

    /// `list_polls`. Collections: none.
    ///
    /// Gives `polls`: a page of the channel's; `next`: token of the next page, empty at the end.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_polls(channel_url: &str) -> Action {
        Action::new("list_polls").set("channel_url", quoted(channel_url))
    }

    /// `update_poll`. Collections: `update` of the message, `event_poll_updated`; what is not named stays. Only who
    /// made it may.
    ///
    /// Gives the poll as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `poll_id`: the poll
    ///
    /// It may have [`title`](Action::title), [`data`](Action::data),
    /// [`allow_user_suggestion`](Action::allow_user_suggestion),
    /// [`allow_multiple_votes`](Action::allow_multiple_votes), [`close_at`](Action::close_at).
    pub fn update_poll(channel_url: &str, poll_id: impl Display) -> Action {
        Action::new("update_poll").set("channel_url", quoted(channel_url)).set("poll_id", quoted(&poll_id.to_string()))
    }

    /// `close_poll`. Collections: `update` of the message, `event_poll_updated`: its `status` is "closed", nobody
    /// votes any more. Only who made it may.
    ///
    /// Gives the poll as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `poll_id`: the poll
    pub fn close_poll(channel_url: &str, poll_id: impl Display) -> Action {
        Action::new("close_poll").set("channel_url", quoted(channel_url)).set("poll_id", quoted(&poll_id.to_string()))
    }

    /// `delete_poll`. Collections: `update` of the message, `event_poll_updated`: its `status` is "removed", the
    /// message stays. Only who made it may.
    ///
    /// - `channel_url`: the channel
    /// - `poll_id`: the poll
    pub fn delete_poll(channel_url: &str, poll_id: impl Display) -> Action {
        Action::new("delete_poll").set("channel_url", quoted(channel_url)).set("poll_id", quoted(&poll_id.to_string()))
    }

    /// `add_poll_option`. Collections: `update` of the message, `event_poll_updated`. Who made the poll may, others
    /// where `allow_user_suggestion` is set.
    ///
    /// Gives the poll as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `poll_id`: the poll
    /// - `text`: what the option says
    pub fn add_poll_option(channel_url: &str, poll_id: impl Display, text_: &str) -> Action {
        Action::new("add_poll_option")
            .set("channel_url", quoted(channel_url))
            .set("poll_id", quoted(&poll_id.to_string()))
            .set("text", quoted(text_))
    }

    /// `update_poll_option`. Collections: `update` of the message, `event_poll_updated`. Who made the poll or the
    /// option may.
    ///
    /// Gives the poll as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `poll_id`: the poll
    /// - `option_id`: one of the poll's options
    /// - `text`: what the option says
    pub fn update_poll_option(
        channel_url: &str,
        poll_id: impl Display,
        option_id: impl Display,
        text_: &str,
    ) -> Action {
        Action::new("update_poll_option")
            .set("channel_url", quoted(channel_url))
            .set("poll_id", quoted(&poll_id.to_string()))
            .set("option_id", quoted(&option_id.to_string()))
            .set("text", quoted(text_))
    }

    /// `delete_poll_option`. Collections: `update` of the message, `event_poll_updated`: the option is gone, and
    /// its votes. Who made the poll or the option may.
    ///
    /// - `channel_url`: the channel
    /// - `poll_id`: the poll
    /// - `option_id`: one of the poll's options
    pub fn delete_poll_option(channel_url: &str, poll_id: impl Display, option_id: impl Display) -> Action {
        Action::new("delete_poll_option")
            .set("channel_url", quoted(channel_url))
            .set("poll_id", quoted(&poll_id.to_string()))
            .set("option_id", quoted(&option_id.to_string()))
    }

    /// `vote_poll`. Collections: `update` of the message, `event_poll_voted`: counts, and `voted_option_ids` of its
    /// `poll`.
    ///
    /// Gives `poll_id`, `message_id`, `updated_vote_counts`: a list of `option_id` and `vote_count`.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message that shows the poll
    /// - `poll_id`: the poll
    /// - `option_ids`: all that this user chooses: these and no others; empty takes the vote back, as JSON text
    pub fn vote_poll(channel_url: &str, message_id: impl Display, poll_id: impl Display, option_ids: &str) -> Action {
        Action::new("vote_poll")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
            .set("poll_id", quoted(&poll_id.to_string()))
            .set("option_ids", option_ids.to_owned())
    }

    /// `list_poll_voters`. Collections: none.
    ///
    /// Gives `users`: a page of who chose the option, the latest first; `vote_count`; `next`: token of the next
    /// page, empty at the end.
    ///
    /// - `channel_url`: the channel
    /// - `poll_id`: the poll
    /// - `option_id`: one of the poll's options
    ///
    /// It may have [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_poll_voters(channel_url: &str, poll_id: impl Display, option_id: impl Display) -> Action {
        Action::new("list_poll_voters")
            .set("channel_url", quoted(channel_url))
            .set("poll_id", quoted(&poll_id.to_string()))
            .set("option_id", quoted(&option_id.to_string()))
    }

    /// `list_poll_changes`. Collections: none; what collections show follows this log by itself.
    ///
    /// Gives `updated`: polls as they are now; `deleted`: ids of polls that are gone; `has_more`; `next`: the token
    /// to go on from, also later.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`since`](Action::since), [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_poll_changes(channel_url: &str) -> Action {
        Action::new("list_poll_changes").set("channel_url", quoted(channel_url))
    }

    /// `schedule_message`. Collections: none before its time; then as any message that this user sends elsewhere.
    ///
    /// Gives the scheduled message as the service has it: `scheduled_message_id`, `scheduled_at`, `status`, and
    /// what it will say.
    ///
    /// - `channel_url`: the channel
    /// - `scheduled_at`: when it is sent, by the service's clock; not in the past
    /// - `message`: its text
    ///
    /// It may have [`data`](Action::data), [`custom_type`](Action::custom_type),
    /// [`mention_type`](Action::mention_type), [`mentioned_user_ids`](Action::mentioned_user_ids),
    /// [`push_option`](Action::push_option).
    pub fn schedule_message(channel_url: &str, scheduled_at: i64, message: &str) -> Action {
        Action::new("schedule_message")
            .set("channel_url", quoted(channel_url))
            .set("scheduled_at", scheduled_at.to_string())
            .set("message", quoted(message))
    }

    /// `get_scheduled_message`. Collections: none.
    ///
    /// Gives the scheduled message as the service has it: `scheduled_message_id`, `scheduled_at`, `status`, and
    /// what it will say.
    ///
    /// - `channel_url`: the channel
    /// - `scheduled_message_id`: the scheduled message
    pub fn get_scheduled_message(channel_url: &str, scheduled_message_id: impl Display) -> Action {
        Action::new("get_scheduled_message")
            .set("channel_url", quoted(channel_url))
            .set("scheduled_message_id", quoted(&scheduled_message_id.to_string()))
    }

    /// `list_scheduled_messages`. Collections: none.
    ///
    /// Gives `scheduled_messages`: a page of this user's; `next`: token of the next page, empty at the end.
    ///
    /// It may have [`channel_url`](Action::channel_url), [`status`](Action::status), [`order`](Action::order),
    /// [`reverse`](Action::reverse), [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_scheduled_messages() -> Action {
        Action::new("list_scheduled_messages")
    }

    /// `update_scheduled_message`. Collections: none; what is not named stays. Refused once it was sent or
    /// canceled.
    ///
    /// Gives the scheduled message as the service has it: `scheduled_message_id`, `scheduled_at`, `status`, and
    /// what it will say.
    ///
    /// - `channel_url`: the channel
    /// - `scheduled_message_id`: the scheduled message
    ///
    /// It may have [`scheduled_at`](Action::scheduled_at), [`message`](Action::message), [`data`](Action::data),
    /// [`custom_type`](Action::custom_type), [`mention_type`](Action::mention_type),
    /// [`mentioned_user_ids`](Action::mentioned_user_ids), [`push_option`](Action::push_option).
    pub fn update_scheduled_message(channel_url: &str, scheduled_message_id: impl Display) -> Action {
        Action::new("update_scheduled_message")
            .set("channel_url", quoted(channel_url))
            .set("scheduled_message_id", quoted(&scheduled_message_id.to_string()))
    }

    /// `cancel_scheduled_message`. Collections: none: it will not be sent.
    ///
    /// - `channel_url`: the channel
    /// - `scheduled_message_id`: the scheduled message
    pub fn cancel_scheduled_message(channel_url: &str, scheduled_message_id: impl Display) -> Action {
        Action::new("cancel_scheduled_message")
            .set("channel_url", quoted(channel_url))
            .set("scheduled_message_id", quoted(&scheduled_message_id.to_string()))
    }

    /// `send_scheduled_message_now`. Collections: those of any message that this user sends elsewhere.
    ///
    /// Gives the scheduled message as the service has it: `scheduled_message_id`, `scheduled_at`, `status`, and
    /// what it will say.
    ///
    /// - `channel_url`: the channel
    /// - `scheduled_message_id`: the scheduled message
    pub fn send_scheduled_message_now(channel_url: &str, scheduled_message_id: impl Display) -> Action {
        Action::new("send_scheduled_message_now")
            .set("channel_url", quoted(channel_url))
            .set("scheduled_message_id", quoted(&scheduled_message_id.to_string()))
    }

    /// `mark_as_read`. Collections: the channel's counts become 0; `update` in lists.
    ///
    /// - `channel_url`: the channel
    pub fn mark_as_read(channel_url: &str) -> Action {
        Action::new("mark_as_read").set("channel_url", quoted(channel_url))
    }

    /// `mark_all_as_read`. Collections: the counts of the channels become 0; `update` in lists. Within a second
    /// after another one it completes with SERVICE and code 800160, and nobody is asked.
    ///
    /// It may have [`channel_urls`](Action::channel_urls).
    pub fn mark_all_as_read() -> Action {
        Action::new("mark_all_as_read")
    }

    /// `mark_as_unread`. Collections: the message and what follows it count as unread again; `update` in lists.
    ///
    /// Gives `channel_url`, `ts` (read until then), `unread_message_count`.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    pub fn mark_as_unread(channel_url: &str, message_id: impl Display) -> Action {
        Action::new("mark_as_unread")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
    }

    /// `mark_as_delivered`. Collections: `update` of the channel, `event_delivery_status_updated`. Messages that
    /// come over this client's connection are acknowledged without it.
    ///
    /// Gives `ts`.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`time`](Action::time).
    pub fn mark_as_delivered(channel_url: &str) -> Action {
        Action::new("mark_as_delivered").set("channel_url", quoted(channel_url))
    }

    /// `start_typing`. Collections: the others are told, once a second at most however often it is called. Typing
    /// ends by itself ten seconds after it was last started.
    ///
    /// - `channel_url`: the channel
    pub fn start_typing(channel_url: &str) -> Action {
        Action::new("start_typing").set("channel_url", quoted(channel_url))
    }

    /// `end_typing`. Collections: the others are told, once a second at most however often it is called. Typing
    /// ends by itself ten seconds after it was last started.
    ///
    /// - `channel_url`: the channel
    pub fn end_typing(channel_url: &str) -> Action {
        Action::new("end_typing").set("channel_url", quoted(channel_url))
    }

    /// `create_channel`. Collections: `insert` of the channel into lists, `event_channel_created`; nothing when a
    /// distinct one is there.
    ///
    /// Gives the channel, with `is_created`: whether it is new.
    ///
    /// It may have [`user_ids`](Action::user_ids), [`channel_url`](Action::channel_url),
    /// [`is_super`](Action::is_super), [`is_broadcast`](Action::is_broadcast),
    /// [`is_exclusive`](Action::is_exclusive), [`is_ephemeral`](Action::is_ephemeral), [`strict`](Action::strict),
    /// [`name`](Action::name), [`cover_url`](Action::cover_url), [`data`](Action::data),
    /// [`custom_type`](Action::custom_type), [`is_distinct`](Action::is_distinct),
    /// [`is_public`](Action::is_public), [`is_discoverable`](Action::is_discoverable),
    /// [`access_code`](Action::access_code), [`message_survival_seconds`](Action::message_survival_seconds),
    /// [`operator_ids`](Action::operator_ids).
    pub fn create_channel() -> Action {
        Action::new("create_channel")
    }

    /// `get_channel`. Collections: a channel of this user is cached: `insert` or `update`, `channel_refresh`.
    ///
    /// Gives the channel as the service has it.
    ///
    /// - `channel_url`: the channel
    pub fn get_channel(channel_url: &str) -> Action {
        Action::new("get_channel").set("channel_url", quoted(channel_url))
    }

    /// `update_channel`. Collections: `update` of the channel, `event_channel_changed`; what is not named stays.
    ///
    /// Gives the channel as the service has it.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`name`](Action::name), [`cover_url`](Action::cover_url), [`data`](Action::data),
    /// [`custom_type`](Action::custom_type), [`is_distinct`](Action::is_distinct),
    /// [`is_public`](Action::is_public), [`is_discoverable`](Action::is_discoverable),
    /// [`access_code`](Action::access_code), [`message_survival_seconds`](Action::message_survival_seconds),
    /// [`operator_ids`](Action::operator_ids).
    pub fn update_channel(channel_url: &str) -> Action {
        Action::new("update_channel").set("channel_url", quoted(channel_url))
    }

    /// `delete_channel`. Collections: `remove` of the channel, `channel_removed`, `event_channel_deleted`.
    ///
    /// - `channel_url`: the channel
    pub fn delete_channel(channel_url: &str) -> Action {
        Action::new("delete_channel").set("channel_url", quoted(channel_url))
    }

    /// `hide_channel`. Collections: it leaves lists of channels that are not hidden, `event_channel_hidden`.
    ///
    /// Gives `ts_message_offset`: what is older (ms) is not for this user any more.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`hide_previous_messages`](Action::hide_previous_messages),
    /// [`allow_auto_unhide`](Action::allow_auto_unhide).
    pub fn hide_channel(channel_url: &str) -> Action {
        Action::new("hide_channel").set("channel_url", quoted(channel_url))
    }

    /// `unhide_channel`. Collections: it comes back to lists of channels that are not hidden,
    /// `event_channel_unhidden`.
    ///
    /// - `channel_url`: the channel
    pub fn unhide_channel(channel_url: &str) -> Action {
        Action::new("unhide_channel").set("channel_url", quoted(channel_url))
    }

    /// `freeze_channel`. Collections: `update` of the channel, `event_channel_frozen`.
    ///
    /// Gives the channel as the service has it.
    ///
    /// - `channel_url`: the channel
    pub fn freeze_channel(channel_url: &str) -> Action {
        Action::new("freeze_channel").set("channel_url", quoted(channel_url))
    }

    /// `unfreeze_channel`. Collections: `update` of the channel, `event_channel_unfrozen`.
    ///
    /// Gives the channel as the service has it.
    ///
    /// - `channel_url`: the channel
    pub fn unfreeze_channel(channel_url: &str) -> Action {
        Action::new("unfreeze_channel").set("channel_url", quoted(channel_url))
    }

    /// `reset_history`. Collections: `remove` of the messages so far, for this user alone; `update` of the channel,
    /// `event_channel_reset_history`.
    ///
    /// Gives `ts_message_offset`: what is older (ms) is not for this user any more.
    ///
    /// - `channel_url`: the channel
    pub fn reset_history(channel_url: &str) -> Action {
        Action::new("reset_history").set("channel_url", quoted(channel_url))
    }

    /// `get_message`. Collections: none.
    ///
    /// Gives the message as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    pub fn get_message(channel_url: &str, message_id: impl Display) -> Action {
        Action::new("get_message")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
    }

    /// `list_public_channels`. Collections: none: channels that this user is not in are in no list. `join` brings
    /// one in.
    ///
    /// Gives `channels`: a page of public channels; `next`: token of the next page, empty at the end.
    ///
    /// It may have [`membership`](Action::membership), [`order`](Action::order),
    /// [`channel_urls`](Action::channel_urls), [`custom_types`](Action::custom_types),
    /// [`custom_type_starts_with`](Action::custom_type_starts_with),
    /// [`channel_name_contains`](Action::channel_name_contains),
    /// [`metadata_order_key`](Action::metadata_order_key), [`include_empty`](Action::include_empty),
    /// [`include_frozen`](Action::include_frozen), [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_public_channels() -> Action {
        Action::new("list_public_channels")
    }

    /// `invite`. Collections: `update` of the channel, `event_user_received_invitation`.
    ///
    /// Gives the channel as the service has it.
    ///
    /// - `channel_url`: the channel
    /// - `user_ids`: whom
    pub fn invite(channel_url: &str, user_ids: &[impl AsRef<str>]) -> Action {
        Action::new("invite").set("channel_url", quoted(channel_url)).set("user_ids", quoted_list(user_ids))
    }

    /// `accept_invitation`. Collections: `update` of the channel, `event_user_joined`.
    ///
    /// Gives the channel as the service has it.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`access_code`](Action::access_code).
    pub fn accept_invitation(channel_url: &str) -> Action {
        Action::new("accept_invitation").set("channel_url", quoted(channel_url))
    }

    /// `decline_invitation`. Collections: `remove` of the channel, `channel_removed`,
    /// `event_user_declined_invitation`.
    ///
    /// - `channel_url`: the channel
    pub fn decline_invitation(channel_url: &str) -> Action {
        Action::new("decline_invitation").set("channel_url", quoted(channel_url))
    }

    /// `join`. Collections: `insert` of the channel into lists, `event_user_joined`.
    ///
    /// Gives the channel as the service has it.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`access_code`](Action::access_code).
    pub fn join(channel_url: &str) -> Action {
        Action::new("join").set("channel_url", quoted(channel_url))
    }

    /// `leave`. Collections: `remove` of the channel, `channel_removed`, `event_user_left`.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`should_remove_operator_status`](Action::should_remove_operator_status).
    pub fn leave(channel_url: &str) -> Action {
        Action::new("leave").set("channel_url", quoted(channel_url))
    }

    /// `list_members`. Collections: none.
    ///
    /// Gives `members`: a page of them; `next`: token of the next page, empty at the end.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`order`](Action::order), [`operator_filter`](Action::operator_filter),
    /// [`muted_member_filter`](Action::muted_member_filter), [`member_state_filter`](Action::member_state_filter),
    /// [`nickname_startswith`](Action::nickname_startswith), [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_members(channel_url: &str) -> Action {
        Action::new("list_members").set("channel_url", quoted(channel_url))
    }

    /// `add_operators`. Collections: `update` of the channel, `event_operator_updated`.
    ///
    /// - `channel_url`: the channel
    /// - `user_ids`: members who become operators
    pub fn add_operators(channel_url: &str, user_ids: &[impl AsRef<str>]) -> Action {
        Action::new("add_operators").set("channel_url", quoted(channel_url)).set("user_ids", quoted_list(user_ids))
    }

    /// `remove_operators`. Collections: `update` of the channel, `event_operator_updated`.
    ///
    /// - `channel_url`: the channel
    /// - `user_ids`: operators who become plain members
    pub fn remove_operators(channel_url: &str, user_ids: &[impl AsRef<str>]) -> Action {
        Action::new("remove_operators").set("channel_url", quoted(channel_url)).set("user_ids", quoted_list(user_ids))
    }

    /// `list_operators`. Collections: none.
    ///
    /// Gives `users`: a page of the channel's operators; `next`: token of the next page, empty at the end.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_operators(channel_url: &str) -> Action {
        Action::new("list_operators").set("channel_url", quoted(channel_url))
    }

    /// `mute_user`. Collections: `update` of the channel, `event_user_muted`.
    ///
    /// - `channel_url`: the channel
    /// - `user_id`: the user
    ///
    /// It may have [`seconds`](Action::seconds), [`description`](Action::description).
    pub fn mute_user(channel_url: &str, user_id: &str) -> Action {
        Action::new("mute_user").set("channel_url", quoted(channel_url)).set("user_id", quoted(user_id))
    }

    /// `unmute_user`. Collections: `update` of the channel, `event_user_unmuted`.
    ///
    /// - `channel_url`: the channel
    /// - `user_id`: the user
    pub fn unmute_user(channel_url: &str, user_id: &str) -> Action {
        Action::new("unmute_user").set("channel_url", quoted(channel_url)).set("user_id", quoted(user_id))
    }

    /// `list_muted_users`. Collections: none.
    ///
    /// Gives `users`: a page of who is muted, with `description`, `start_at`, `end_at` (-1: without end),
    /// `remaining_duration` (ms); `next`: token of the next page, empty at the end.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_muted_users(channel_url: &str) -> Action {
        Action::new("list_muted_users").set("channel_url", quoted(channel_url))
    }

    /// `ban_user`. Collections: `update` of the channel, `event_user_banned`.
    ///
    /// - `channel_url`: the channel
    /// - `user_id`: the user
    ///
    /// It may have [`seconds`](Action::seconds), [`description`](Action::description).
    pub fn ban_user(channel_url: &str, user_id: &str) -> Action {
        Action::new("ban_user").set("channel_url", quoted(channel_url)).set("user_id", quoted(user_id))
    }

    /// `unban_user`. Collections: `update` of the channel, `event_user_unbanned`; the user may join again.
    ///
    /// - `channel_url`: the channel
    /// - `user_id`: the user
    pub fn unban_user(channel_url: &str, user_id: &str) -> Action {
        Action::new("unban_user").set("channel_url", quoted(channel_url)).set("user_id", quoted(user_id))
    }

    /// `list_banned_users`. Collections: none.
    ///
    /// Gives `users`: a page of who is banned, with `description`, `start_at`, `end_at` (-1: without end); `next`:
    /// token of the next page, empty at the end.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_banned_users(channel_url: &str) -> Action {
        Action::new("list_banned_users").set("channel_url", quoted(channel_url))
    }

    /// `create_metadata`. Collections: `update` of the channel, `event_meta_data_created`; refused when one of the
    /// keys exists.
    ///
    /// Gives the keys with their values.
    ///
    /// - `channel_url`: the channel
    /// - `metadata`: keys with their values
    pub fn create_metadata(channel_url: &str, metadata: &[(impl AsRef<str>, impl AsRef<str>)]) -> Action {
        Action::new("create_metadata")
            .set("channel_url", quoted(channel_url))
            .set("metadata", quoted_map(metadata, |value| quoted(value.as_ref())))
    }

    /// `update_metadata`. Collections: `update` of the channel, `event_meta_data_updated`.
    ///
    /// Gives the changed keys with their values.
    ///
    /// - `channel_url`: the channel
    /// - `metadata`: keys with their values
    ///
    /// It may have [`upsert`](Action::upsert).
    pub fn update_metadata(channel_url: &str, metadata: &[(impl AsRef<str>, impl AsRef<str>)]) -> Action {
        Action::new("update_metadata")
            .set("channel_url", quoted(channel_url))
            .set("metadata", quoted_map(metadata, |value| quoted(value.as_ref())))
    }

    /// `delete_metadata`. Collections: `update` of the channel, `event_meta_data_deleted`.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`keys`](Action::keys).
    pub fn delete_metadata(channel_url: &str) -> Action {
        Action::new("delete_metadata").set("channel_url", quoted(channel_url))
    }

    /// `get_metadata`. Collections: none.
    ///
    /// Gives the keys with their values.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`keys`](Action::keys).
    pub fn get_metadata(channel_url: &str) -> Action {
        Action::new("get_metadata").set("channel_url", quoted(channel_url))
    }

    /// `create_counters`. Collections: `event_meta_counter_created`, as far as the channel shows them; refused when
    /// one of the keys exists.
    ///
    /// Gives the keys with their values.
    ///
    /// - `channel_url`: the channel
    /// - `counters`: keys with whole numbers
    pub fn create_counters(channel_url: &str, counters: &[(impl AsRef<str>, i64)]) -> Action {
        Action::new("create_counters")
            .set("channel_url", quoted(channel_url))
            .set("counters", quoted_map(counters, i64::to_string))
    }

    /// `update_counters`. Collections: `event_meta_counter_updated`, as far as the channel shows them.
    ///
    /// Gives the changed keys with their values.
    ///
    /// - `channel_url`: the channel
    /// - `counters`: keys with whole numbers
    ///
    /// It may have [`mode`](Action::mode), [`upsert`](Action::upsert).
    pub fn update_counters(channel_url: &str, counters: &[(impl AsRef<str>, i64)]) -> Action {
        Action::new("update_counters")
            .set("channel_url", quoted(channel_url))
            .set("counters", quoted_map(counters, i64::to_string))
    }

    /// `delete_counters`. Collections: `event_meta_counter_deleted`, as far as the channel shows them.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`keys`](Action::keys).
    pub fn delete_counters(channel_url: &str) -> Action {
        Action::new("delete_counters").set("channel_url", quoted(channel_url))
    }

    /// `get_counters`. Collections: none.
    ///
    /// Gives the keys with their values.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`keys`](Action::keys).
    pub fn get_counters(channel_url: &str) -> Action {
        Action::new("get_counters").set("channel_url", quoted(channel_url))
    }

    /// `get_push_preference`. Collections: none.
    ///
    /// Gives `push_trigger_option`, `push_sound`.
    ///
    /// - `channel_url`: the channel
    pub fn get_push_preference(channel_url: &str) -> Action {
        Action::new("get_push_preference").set("channel_url", quoted(channel_url))
    }

    /// `set_push_preference`. Collections: `update` of the channel, `event_channel_changed`.
    ///
    /// Gives `push_trigger_option`, `push_sound`.
    ///
    /// - `channel_url`: the channel
    /// - `push_trigger_option`: of which messages this user's devices are told (`default`, `all`, `mention_only`,
    ///   `off`)
    pub fn set_push_preference(channel_url: &str, push_trigger_option: &str) -> Action {
        Action::new("set_push_preference")
            .set("channel_url", quoted(channel_url))
            .set("push_trigger_option", quoted(push_trigger_option))
    }

    /// `set_count_preference`. Collections: `update` of the channel, `event_channel_changed`.
    ///
    /// Gives `count_preference`.
    ///
    /// - `channel_url`: the channel
    /// - `count_preference`: what is counted for this user (`all`, `unread_message_count_only`,
    ///   `unread_mention_count_only`, `off`)
    pub fn set_count_preference(channel_url: &str, count_preference: &str) -> Action {
        Action::new("set_count_preference")
            .set("channel_url", quoted(channel_url))
            .set("count_preference", quoted(count_preference))
    }

    /// `list_users`. Collections: none.
    ///
    /// Gives `users`: a page of them; `next`: token of the next page, empty at the end.
    ///
    /// It may have [`user_ids`](Action::user_ids), [`nickname_startswith`](Action::nickname_startswith),
    /// [`nickname`](Action::nickname), [`metadata_key`](Action::metadata_key),
    /// [`metadata_values`](Action::metadata_values), [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_users() -> Action {
        Action::new("list_users")
    }

    /// `block_user`. Collections: none by itself; the service tells what follows from it.
    ///
    /// Gives the user.
    ///
    /// - `user_id`: the user
    pub fn block_user(user_id: &str) -> Action {
        Action::new("block_user").set("user_id", quoted(user_id))
    }

    /// `unblock_user`. Collections: none by itself; the service tells what follows from it.
    ///
    /// - `user_id`: the user
    pub fn unblock_user(user_id: &str) -> Action {
        Action::new("unblock_user").set("user_id", quoted(user_id))
    }

    /// `list_blocked_users`. Collections: none.
    ///
    /// Gives `users`: a page of whom this user blocks; `next`: token of the next page, empty at the end.
    ///
    /// It may have [`limit`](Action::limit), [`token`](Action::token).
    pub fn list_blocked_users() -> Action {
        Action::new("list_blocked_users")
    }

    /// `update_profile`. Collections: none by itself: channels have it when they are asked for again. What is not
    /// named stays.
    ///
    /// Gives the user as the service has it.
    ///
    /// It may have [`nickname`](Action::nickname), [`profile_url`](Action::profile_url),
    /// [`preferred_languages`](Action::preferred_languages).
    pub fn update_profile() -> Action {
        Action::new("update_profile")
    }

    /// `list_push_tokens`. Collections: none.
    ///
    /// Gives `type`, `tokens`: a list of texts.
    ///
    /// - `type`: of which notification service the tokens are (`gcm`, `apns`, `apns_voip`, `huawei`)
    pub fn list_push_tokens(type_: &str) -> Action {
        Action::new("list_push_tokens").set("type", quoted(type_))
    }

    /// `register_push_token`. Collections: none: the service notifies the device of what comes while this user is
    /// not connected.
    ///
    /// Gives `type`, `token`.
    ///
    /// - `type`: of which notification service the tokens are (`gcm`, `apns`, `apns_voip`, `huawei`)
    /// - `token`: the device's token
    ///
    /// It may have [`is_unique`](Action::is_unique).
    pub fn register_push_token(type_: &str, token: &str) -> Action {
        Action::new("register_push_token").set("type", quoted(type_)).set("token", quoted(token))
    }

    /// `unregister_push_token`. Collections: none.
    ///
    /// - `type`: of which notification service the tokens are (`gcm`, `apns`, `apns_voip`, `huawei`)
    /// - `token`: the device's token
    pub fn unregister_push_token(type_: &str, token: &str) -> Action {
        Action::new("unregister_push_token").set("type", quoted(type_)).set("token", quoted(token))
    }

    /// `unregister_all_push_tokens`. Collections: none: no device of this user is notified.
    pub fn unregister_all_push_tokens() -> Action {
        Action::new("unregister_all_push_tokens")
    }

    /// `report_user`. Collections: none: moderators see it.
    ///
    /// Gives `report_type`, `report_category`, `report_description`, `created_at` and what was reported.
    ///
    /// - `user_id`: the user
    /// - `category`: what is wrong (`suspicious`, `harassing`, `spam`, `inappropriate`)
    ///
    /// It may have [`channel_url`](Action::channel_url), [`description`](Action::description).
    pub fn report_user(user_id: &str, category: &str) -> Action {
        Action::new("report_user").set("user_id", quoted(user_id)).set("category", quoted(category))
    }

    /// `report_channel`. Collections: none: moderators see it.
    ///
    /// Gives `report_type`, `report_category`, `report_description`, `created_at` and what was reported.
    ///
    /// - `channel_url`: the channel
    /// - `category`: what is wrong (`suspicious`, `harassing`, `spam`, `inappropriate`)
    ///
    /// It may have [`user_id`](Action::user_id), [`description`](Action::description).
    pub fn report_channel(channel_url: &str, category: &str) -> Action {
        Action::new("report_channel").set("channel_url", quoted(channel_url)).set("category", quoted(category))
    }

    /// `report_message`. Collections: none: moderators see it.
    ///
    /// Gives `report_type`, `report_category`, `report_description`, `created_at` and what was reported.
    ///
    /// - `channel_url`: the channel
    /// - `message_id`: the message
    /// - `category`: what is wrong (`suspicious`, `harassing`, `spam`, `inappropriate`)
    ///
    /// It may have [`user_id`](Action::user_id), [`description`](Action::description).
    pub fn report_message(channel_url: &str, message_id: impl Display, category: &str) -> Action {
        Action::new("report_message")
            .set("channel_url", quoted(channel_url))
            .set("message_id", quoted(&message_id.to_string()))
            .set("category", quoted(category))
    }

    /// `search_messages`. Collections: none: the service looks through all that it has, cached or not.
    ///
    /// Gives `messages`: a page of them, newest first, each with `channel` (`channel_url`, `name`); `total`: how
    /// many there are, where the service counts; `next`: token of the next page, empty at the end.
    ///
    /// - `query`: words that a message has to have, in any order, without regard to case
    ///
    /// It may have [`channel_url`](Action::channel_url), [`custom_type`](Action::custom_type),
    /// [`since`](Action::since), [`until`](Action::until), [`exact`](Action::exact), [`fields`](Action::fields),
    /// [`reverse`](Action::reverse), [`limit`](Action::limit), [`token`](Action::token).
    pub fn search_messages(query: &str) -> Action {
        Action::new("search_messages").set("query", quoted(query))
    }

    /// `download_file`. Collections: none; `download_progress` tells how far it is. Until it is complete the file
    /// is called `PATH.HEX.part`; the next call for the same address and path goes on with it. The key of the login
    /// goes only to the service's own hosts. `timeout_ms` is time without progress (default 30 s). `cancel` ends it
    /// at once and removes what it received; a call that was still waiting to begin leaves what an earlier one
    /// received.
    ///
    /// Gives `path`.
    ///
    /// - `url`: its address, as a message's `file` has it: https, or http where `api_host` is http
    /// - `path`: where it is to be; the folder is there already
    ///
    /// It may have [`overwrite`](Action::overwrite), [`max_bytes`](Action::max_bytes).
    pub fn download_file(url: &str, path: &str) -> Action {
        Action::new("download_file").set("url", quoted(url)).set("path", quoted(path))
    }

    /// `file_url`. Collections: none.
    ///
    /// Gives `url`: the address with the key of the login, for hosts that load files by themselves; valid for as
    /// long as the service says. Where the file is not at the service, the address as it is.
    ///
    /// - `url`: its address, as a message's `file` has it: https, or http where `api_host` is http
    pub fn file_url(url: &str) -> Action {
        Action::new("file_url").set("url", quoted(url))
    }

    /// `resend_failed_messages`. Collections: own messages that failed go from the list `failed` to `pending`,
    /// `local_message_resend_started`, and are sent in their order; without a connection they wait for one, or fail
    /// again, as the resend policy says.
    ///
    /// Gives `count`: how many.
    ///
    /// It may have [`channel_url`](Action::channel_url), [`request_id`](Action::request_id).
    pub fn resend_failed_messages() -> Action {
        Action::new("resend_failed_messages")
    }

    /// `remove_failed_messages`. Collections: own messages that failed are given up: `remove` from the list
    /// `failed`, `remove_manual_action`.
    ///
    /// Gives `count`: how many.
    ///
    /// It may have [`channel_url`](Action::channel_url), [`request_id`](Action::request_id).
    pub fn remove_failed_messages() -> Action {
        Action::new("remove_failed_messages")
    }

    /// `set_draft`. Collections: the channel is told again, `draft_changed`: its `draft`, or `thread_drafts`, has
    /// these keys and `updated_at` (ms since the epoch); an empty text alone is no draft. It is on the disk within
    /// a second, however often it is set. It goes with the message that is sent there with a text, with the
    /// channel, and with the user who signs out. TOO_LARGE: over 65,536 bytes of JSON, or all drafts over 1,048,576
    /// bytes or 1,000.
    ///
    /// - `channel_url`: the channel
    ///
    /// It may have [`parent_message_id`](Action::parent_message_id), [`message`](Action::message),
    /// [`data`](Action::data), [`reply_to`](Action::reply_to).
    pub fn set_draft(channel_url: &str) -> Action {
        Action::new("set_draft").set("channel_url", quoted(channel_url))
    }

    /// `statistics`. Collections: none.
    ///
    /// Gives `cached_channels`, `cached_messages`, `cache_bytes` (of the file), `cache_used_bytes` (of the rows of
    /// messages), `cache_limit_bytes` (of those; null: none), `pending_messages`, `failed_messages`, `connected`,
    /// `waiting_calls`; of the channel `channel_messages`, `channel_bytes`, `channel_used_at` (ms since the epoch,
    /// to an hour), all 0 when nothing of it is cached.
    ///
    /// It may have [`channel_url`](Action::channel_url).
    pub fn statistics() -> Action {
        Action::new("statistics")
    }

    /// `options`. Collections: none.
    ///
    /// Gives the configuration as it is in effect, with the defaults and without the access token: the keys of
    /// `sm_setup()`, among them `app_id` and `user_id`.
    pub fn options() -> Action {
        Action::new("options")
    }

    /// `cancel`. Collections: that call completes with CANCELED if it waits for the service: an action, a fetch, a
    /// start, a connect, a send. A message that is canceled is given up: `remove` from `pending` or `failed`,
    /// `local_message_canceled`. The service may do all the same what it was asked already, and then collections
    /// are told. Connecting goes on. NOT_FOUND when no such call waits.
    ///
    /// - `request`: the number of the call
    pub fn cancel(request: i64) -> Action {
        Action::new("cancel").set("request", request.to_string())
    }

    /// `acknowledge`. Collections: none. That event and all with a smaller id are not told again, but for those
    /// that wait in the queue. NOT_FOUND when no event has had so large an id.
    ///
    /// - `id`: `id` of an event `message_received`
    pub fn acknowledge(id: i64) -> Action {
        Action::new("acknowledge").set("id", id.to_string())
    }

    /// `evict`. Collections: the answer to the event `cache_full`, within 5 s: those of its candidates lose their
    /// oldest messages first, then others in the order of last use, each `cache_trimmed`. One that a collection
    /// shows by then keeps its own. NOT_FOUND when the cache does not wait for an answer, or not any more.
    ///
    /// Gives `count`: how many of them are candidates.
    ///
    /// - `channel_urls`: the channels that lose messages first, in this order
    pub fn evict(channel_urls: &[impl AsRef<str>]) -> Action {
        Action::new("evict").set("channel_urls", quoted_list(channel_urls))
    }

    /// `export`. Collections: none. What is cached is written as lines of JSON (docs/export.md), behind all that
    /// syncs; `export_progress` tells how far it is. Until it is complete the file is called `PATH.HEX.part`. It is
    /// on the disk, for its owner alone, when the call completes; one that is canceled or fails leaves no file.
    /// Without `timeout_ms` it takes as long as it takes. Messages that are not sent yet are not exported. Signing
    /// out cancels it.
    ///
    /// Gives `channels`, `messages`, `bytes`: how many were written.
    ///
    /// - `path`: the file to write; its folder is there already
    ///
    /// It may have [`channel_url`](Action::channel_url), [`overwrite`](Action::overwrite).
    pub fn export(path: &str) -> Action {
        Action::new("export").set("path", quoted(path))
    }

    /// `encrypt`. Collections: none. The files of this client are encrypted from now on, and `sm_setup()` needs the
    /// key. They are written again, about a second for 100 MB, while every other call waits; twice their space is
    /// needed meanwhile. What had been removed before may stay readable on the disk. NO_ENCRYPTION without a
    /// fitting library; STORAGE also when another program is reading the files; then they are as before. There is
    /// no way back: sign out, delete the directory and sync again.
    ///
    /// It may have [`encryption_key`](Action::encryption_key),
    /// [`encryption_passphrase`](Action::encryption_passphrase).
    pub fn encrypt() -> Action {
        Action::new("encrypt")
    }

    /// `rekey`. Collections: none. From now on `sm_setup()` needs the new key, and the old one opens nothing more.
    /// It takes some milliseconds; who had copied the directory, and has the old key, can read what the files have,
    /// unless `full` is true: then they are written again, as by `encrypt`.
    ///
    /// It may have [`encryption_key`](Action::encryption_key),
    /// [`encryption_passphrase`](Action::encryption_passphrase), [`full`](Action::full).
    pub fn rekey() -> Action {
        Action::new("rekey")
    }

    /// `service_info`. Collections: none. The service is asked for the emoji categories, once for each
    /// `emoji_hash`.
    ///
    /// Gives what the service tells of itself at login: `file_upload_size_limit` (MiB),
    /// `multiple_file_send_max_size` (files), `premium_feature_list`, `application_attributes`, `use_reaction`,
    /// `emoji_hash`; and `emoji_categories`: each with `id`, `name`, `url` and `emojis`, a list of `key` (of a
    /// reaction) and `url`.
    pub fn service_info() -> Action {
        Action::new("service_info")
    }

    /// `clear_channels`. Collections: the cached channels are gone: channel lists are told `clear`
    /// (`cache_cleared`), their fetches end with `"short":"reset"`; with a connection all is listed again. Messages
    /// stay, see sm_clear_cache().
    pub fn clear_channels() -> Action {
        Action::new("clear_channels")
    }

    /// `set_limit`. Collections: each further fetch of that collection brings so many, in either direction.
    /// NOT_FOUND when there is no such collection.
    ///
    /// - `collection`: its number, as sm_collection_number() gives it
    /// - `limit`: 1 to 200 messages, or 1 to 100 channels
    pub fn set_limit(collection: i64, limit: i64) -> Action {
        Action::new("set_limit").set("collection", collection.to_string()).set("limit", limit.to_string())
    }
}

/// The keys that actions may have. Since 0.1.
impl Action {
    /// Of `edit_message`, `update_scheduled_message`, `set_draft`: the new text; or its text; or what the user has
    /// written; missing or null: there is no draft any more.
    pub fn message(self, message: &str) -> Action {
        self.set("message", quoted(message))
    }

    /// Of `edit_message`, `create_poll`, `update_poll`, `schedule_message`, `update_scheduled_message`,
    /// `create_channel`, `update_channel`, `set_draft`: the new data; or the poll's data; or its data; or text for
    /// programs; or what the host wants to have with it.
    pub fn data(self, data: &str) -> Action {
        self.set("data", quoted(data))
    }

    /// Of `edit_message`, `schedule_message`, `update_scheduled_message`, `create_channel`, `update_channel`,
    /// `search_messages`: the new custom type; or its custom type; or its type; or only messages of this custom
    /// type.
    pub fn custom_type(self, custom_type: &str) -> Action {
        self.set("custom_type", quoted(custom_type))
    }

    /// Of `edit_message`, `schedule_message`, `update_scheduled_message`: whom it mentions: the users named, or all
    /// members (`users`, `channel`).
    pub fn mention_type(self, mention_type: &str) -> Action {
        self.set("mention_type", quoted(mention_type))
    }

    /// Of `edit_message`, `schedule_message`, `update_scheduled_message`: the users it mentions; replaces those it
    /// mentioned before; or the users it mentions.
    pub fn mentioned_user_ids(self, mentioned_user_ids: &[impl AsRef<str>]) -> Action {
        self.set("mentioned_user_ids", quoted_list(mentioned_user_ids))
    }

    /// Of `create_poll`, `update_poll`: whether other members may add options.
    pub fn allow_user_suggestion(self, allow_user_suggestion: bool) -> Action {
        self.set("allow_user_suggestion", allow_user_suggestion.to_string())
    }

    /// Of `create_poll`, `update_poll`: whether a member may choose several options.
    pub fn allow_multiple_votes(self, allow_multiple_votes: bool) -> Action {
        self.set("allow_multiple_votes", allow_multiple_votes.to_string())
    }

    /// Of `create_poll`, `update_poll`: when it closes by itself, in seconds since the epoch as the poll has it;
    /// -1: never.
    pub fn close_at(self, close_at: i64) -> Action {
        self.set("close_at", close_at.to_string())
    }

    /// Of `list_polls`, `list_poll_voters`, `list_poll_changes`, `list_scheduled_messages`, `list_public_channels`,
    /// `list_members`, `list_operators`, `list_muted_users`, `list_banned_users`, `list_users`,
    /// `list_blocked_users`, `search_messages`: how many a page has; 20.
    pub fn limit(self, limit: i64) -> Action {
        self.set("limit", limit.to_string())
    }

    /// Of `list_polls`, `list_poll_voters`, `list_poll_changes`, `list_scheduled_messages`, `list_public_channels`,
    /// `list_members`, `list_operators`, `list_muted_users`, `list_banned_users`, `list_users`,
    /// `list_blocked_users`, `search_messages`: `next` of the page before; the first page without it.
    pub fn token(self, token: &str) -> Action {
        self.set("token", quoted(token))
    }

    /// Of `update_poll`: the question.
    pub fn title(self, title: &str) -> Action {
        self.set("title", quoted(title))
    }

    /// Of `list_poll_changes`, `search_messages`: what has changed since; everything without it and a token; or
    /// only messages from this time on.
    pub fn since(self, since: i64) -> Action {
        self.set("since", since.to_string())
    }

    /// Of `schedule_message`, `update_scheduled_message`: whether members are notified of it (`default`,
    /// `suppress`).
    pub fn push_option(self, push_option: &str) -> Action {
        self.set("push_option", quoted(push_option))
    }

    /// Of `list_scheduled_messages`, `create_channel`, `report_user`, `search_messages`, `resend_failed_messages`,
    /// `remove_failed_messages`, `statistics`, `export`: only those of this channel; or its URL; the service makes
    /// one when it is missing; or where it happened; or only messages of this channel; without it of all that this
    /// user is in; or what its messages take is told, too; or only this channel; NOT_FOUND when nothing of it is
    /// cached.
    pub fn channel_url(self, channel_url: &str) -> Action {
        self.set("channel_url", quoted(channel_url))
    }

    /// Of `list_scheduled_messages`: only those of these states, as JSON text.
    pub fn status(self, status: &str) -> Action {
        self.set("status", status.to_owned())
    }

    /// Of `list_scheduled_messages`, `list_public_channels`, `list_members`: by which time; `scheduled_at`
    /// (`scheduled_at`, `created_at`); or in which order; `chronological` (`chronological`,
    /// `channel_name_alphabetical`, `latest_last_message`, `metadata_value_alphabetical`); or by name (default), or
    /// operators first (`member_nickname_alphabetical`, `operator_then_member_alphabetical`).
    pub fn order(self, order: &str) -> Action {
        self.set("order", quoted(order))
    }

    /// Of `list_scheduled_messages`, `search_messages`: whether the latest comes first; or whether the oldest come
    /// first.
    pub fn reverse(self, reverse: bool) -> Action {
        self.set("reverse", reverse.to_string())
    }

    /// Of `update_scheduled_message`: when it is sent.
    pub fn scheduled_at(self, scheduled_at: i64) -> Action {
        self.set("scheduled_at", scheduled_at.to_string())
    }

    /// Of `mark_all_as_read`, `list_public_channels`: only these channels; or only these.
    pub fn channel_urls(self, channel_urls: &[impl AsRef<str>]) -> Action {
        self.set("channel_urls", quoted_list(channel_urls))
    }

    /// Of `mark_as_delivered`: messages up to then have arrived; now when it is missing.
    pub fn time(self, time: i64) -> Action {
        self.set("time", time.to_string())
    }

    /// Of `create_channel`, `list_users`: members beside this user; whom the service does not let in at once is
    /// invited; or only these.
    pub fn user_ids(self, user_ids: &[impl AsRef<str>]) -> Action {
        self.set("user_ids", quoted_list(user_ids))
    }

    /// Of `create_channel`: a supergroup channel.
    pub fn is_super(self, is_super: bool) -> Action {
        self.set("is_super", is_super.to_string())
    }

    /// Of `create_channel`: a supergroup channel where operators write.
    pub fn is_broadcast(self, is_broadcast: bool) -> Action {
        self.set("is_broadcast", is_broadcast.to_string())
    }

    /// Of `create_channel`: a supergroup channel of its own kind.
    pub fn is_exclusive(self, is_exclusive: bool) -> Action {
        self.set("is_exclusive", is_exclusive.to_string())
    }

    /// Of `create_channel`: its messages are not kept.
    pub fn is_ephemeral(self, is_ephemeral: bool) -> Action {
        self.set("is_ephemeral", is_ephemeral.to_string())
    }

    /// Of `create_channel`: refuse it when one of the users does not exist.
    pub fn strict(self, strict: bool) -> Action {
        self.set("strict", strict.to_string())
    }

    /// Of `create_channel`, `update_channel`: its name.
    pub fn name(self, name: &str) -> Action {
        self.set("name", quoted(name))
    }

    /// Of `create_channel`, `update_channel`: where its picture is.
    pub fn cover_url(self, cover_url: &str) -> Action {
        self.set("cover_url", quoted(cover_url))
    }

    /// Of `create_channel`, `update_channel`: there is only one such channel of these members.
    pub fn is_distinct(self, is_distinct: bool) -> Action {
        self.set("is_distinct", is_distinct.to_string())
    }

    /// Of `create_channel`, `update_channel`: anybody may join.
    pub fn is_public(self, is_public: bool) -> Action {
        self.set("is_public", is_public.to_string())
    }

    /// Of `create_channel`, `update_channel`: a public one is found by others.
    pub fn is_discoverable(self, is_discoverable: bool) -> Action {
        self.set("is_discoverable", is_discoverable.to_string())
    }

    /// Of `create_channel`, `update_channel`, `accept_invitation`, `join`: what has to be known to join a public
    /// one; or of a channel that asks for one.
    pub fn access_code(self, access_code: &str) -> Action {
        self.set("access_code", quoted(access_code))
    }

    /// Of `create_channel`, `update_channel`: messages are deleted after so many seconds; -1: never.
    pub fn message_survival_seconds(self, message_survival_seconds: i64) -> Action {
        self.set("message_survival_seconds", message_survival_seconds.to_string())
    }

    /// Of `create_channel`, `update_channel`: users who become operators.
    pub fn operator_ids(self, operator_ids: &[impl AsRef<str>]) -> Action {
        self.set("operator_ids", quoted_list(operator_ids))
    }

    /// Of `hide_channel`: this user sees its messages from now on only; false.
    pub fn hide_previous_messages(self, hide_previous_messages: bool) -> Action {
        self.set("hide_previous_messages", hide_previous_messages.to_string())
    }

    /// Of `hide_channel`: the next message shows it again; true.
    pub fn allow_auto_unhide(self, allow_auto_unhide: bool) -> Action {
        self.set("allow_auto_unhide", allow_auto_unhide.to_string())
    }

    /// Of `list_public_channels`: whether only those that this user is in; `all` (`all`, `joined`).
    pub fn membership(self, membership: &str) -> Action {
        self.set("membership", quoted(membership))
    }

    /// Of `list_public_channels`: only those of these types.
    pub fn custom_types(self, custom_types: &[impl AsRef<str>]) -> Action {
        self.set("custom_types", quoted_list(custom_types))
    }

    /// Of `list_public_channels`: only those whose type begins with it.
    pub fn custom_type_starts_with(self, custom_type_starts_with: &str) -> Action {
        self.set("custom_type_starts_with", quoted(custom_type_starts_with))
    }

    /// Of `list_public_channels`: only those whose name has it.
    pub fn channel_name_contains(self, channel_name_contains: &str) -> Action {
        self.set("channel_name_contains", quoted(channel_name_contains))
    }

    /// Of `list_public_channels`: the metadata that the order goes by.
    pub fn metadata_order_key(self, metadata_order_key: &str) -> Action {
        self.set("metadata_order_key", quoted(metadata_order_key))
    }

    /// Of `list_public_channels`: whether those without a message are among them; true.
    pub fn include_empty(self, include_empty: bool) -> Action {
        self.set("include_empty", include_empty.to_string())
    }

    /// Of `list_public_channels`: whether frozen ones are among them; true.
    pub fn include_frozen(self, include_frozen: bool) -> Action {
        self.set("include_frozen", include_frozen.to_string())
    }

    /// Of `leave`: coming back later as no operator; false.
    pub fn should_remove_operator_status(self, should_remove_operator_status: bool) -> Action {
        self.set("should_remove_operator_status", should_remove_operator_status.to_string())
    }

    /// Of `list_members`: which members (`all`, `operator`, `nonoperator`).
    pub fn operator_filter(self, operator_filter: &str) -> Action {
        self.set("operator_filter", quoted(operator_filter))
    }

    /// Of `list_members`: which members (`all`, `muted`, `unmuted`).
    pub fn muted_member_filter(self, muted_member_filter: &str) -> Action {
        self.set("muted_member_filter", quoted(muted_member_filter))
    }

    /// Of `list_members`: which members (`all`, `joined_only`, `invited_only`).
    pub fn member_state_filter(self, member_state_filter: &str) -> Action {
        self.set("member_state_filter", quoted(member_state_filter))
    }

    /// Of `list_members`, `list_users`: only names that begin with it.
    pub fn nickname_startswith(self, nickname_startswith: &str) -> Action {
        self.set("nickname_startswith", quoted(nickname_startswith))
    }

    /// Of `mute_user`, `ban_user`: for how long; without end when it is missing.
    pub fn seconds(self, seconds: i64) -> Action {
        self.set("seconds", seconds.to_string())
    }

    /// Of `mute_user`, `ban_user`, `report_user`, `report_channel`, `report_message`: why; or in the user's words.
    pub fn description(self, description: &str) -> Action {
        self.set("description", quoted(description))
    }

    /// Of `update_metadata`, `update_counters`: make keys that do not exist; false: they are left out.
    pub fn upsert(self, upsert: bool) -> Action {
        self.set("upsert", upsert.to_string())
    }

    /// Of `delete_metadata`, `get_metadata`, `delete_counters`, `get_counters`: only these; all when it is missing.
    pub fn keys(self, keys: &[impl AsRef<str>]) -> Action {
        self.set("keys", quoted_list(keys))
    }

    /// Of `update_counters`: what the numbers are for; `set` (`set`, `increase`, `decrease`).
    pub fn mode(self, mode: &str) -> Action {
        self.set("mode", quoted(mode))
    }

    /// Of `list_users`, `update_profile`: only those of this name; or the new name.
    pub fn nickname(self, nickname: &str) -> Action {
        self.set("nickname", quoted(nickname))
    }

    /// Of `list_users`: only those with such metadata.
    pub fn metadata_key(self, metadata_key: &str) -> Action {
        self.set("metadata_key", quoted(metadata_key))
    }

    /// Of `list_users`: and one of these values.
    pub fn metadata_values(self, metadata_values: &[impl AsRef<str>]) -> Action {
        self.set("metadata_values", quoted_list(metadata_values))
    }

    /// Of `update_profile`: where the new picture is.
    pub fn profile_url(self, profile_url: &str) -> Action {
        self.set("profile_url", quoted(profile_url))
    }

    /// Of `update_profile`: languages to translate messages to, the first one first.
    pub fn preferred_languages(self, preferred_languages: &[impl AsRef<str>]) -> Action {
        self.set("preferred_languages", quoted_list(preferred_languages))
    }

    /// Of `register_push_token`: whether this user's other tokens of the type go.
    pub fn is_unique(self, is_unique: bool) -> Action {
        self.set("is_unique", is_unique.to_string())
    }

    /// Of `report_channel`, `report_message`: who is to blame; or who sent it.
    pub fn user_id(self, user_id: &str) -> Action {
        self.set("user_id", quoted(user_id))
    }

    /// Of `search_messages`: only messages up to this time.
    pub fn until(self, until: i64) -> Action {
        self.set("until", until.to_string())
    }

    /// Of `search_messages`: whether the words have to stand together as they are.
    pub fn exact(self, exact: bool) -> Action {
        self.set("exact", exact.to_string())
    }

    /// Of `search_messages`: where to look; in `message`, as JSON text.
    pub fn fields(self, fields: &str) -> Action {
        self.set("fields", fields.to_owned())
    }

    /// Of `download_file`, `export`: replaces a file that has the name (default: refused).
    pub fn overwrite(self, overwrite: bool) -> Action {
        self.set("overwrite", overwrite.to_string())
    }

    /// Of `download_file`: a larger file is refused (TOO_LARGE).
    pub fn max_bytes(self, max_bytes: i64) -> Action {
        self.set("max_bytes", max_bytes.to_string())
    }

    /// Of `resend_failed_messages`, `remove_failed_messages`: only this one; NOT_FOUND when it has not failed.
    pub fn request_id(self, request_id: &str) -> Action {
        self.set("request_id", quoted(request_id))
    }

    /// Of `set_draft`: the message that a thread answers: the draft is the thread's.
    pub fn parent_message_id(self, parent_message_id: impl Display) -> Action {
        self.set("parent_message_id", quoted(&parent_message_id.to_string()))
    }

    /// Of `set_draft`: the message that it is to answer in the channel, as JSON text.
    pub fn reply_to(self, reply_to: &str) -> Action {
        self.set("reply_to", reply_to.to_owned())
    }

    /// Of `encrypt`, `rekey`: 64 hexadecimal digits: the key's 32 bytes. One of both is needed.
    pub fn encryption_key(self, encryption_key: &str) -> Action {
        self.set("encryption_key", quoted(encryption_key))
    }

    /// Of `encrypt`, `rekey`: a text that is not empty: the key is derived of it.
    pub fn encryption_passphrase(self, encryption_passphrase: &str) -> Action {
        self.set("encryption_passphrase", quoted(encryption_passphrase))
    }

    /// Of `rekey`: the files are written again under another data key, too; false.
    pub fn full(self, full: bool) -> Action {
        self.set("full", full.to_string())
    }
}
