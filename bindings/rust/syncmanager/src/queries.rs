//! Queries: for channels, for messages, and for children of a place of the database.

use crate::action::Action;
use crate::document::{document, quoted, quoted_list, Document};

document! {
    /// Which channels, in which order. Keys without a method here are set by [`with`](ChannelQuery::with);
    /// `docs/queries.md` has all keys. Since 0.1.
    ChannelQuery {
        /// Channels a fetch brings, 1 to 100; default 20.
        limit(channels: u32) { ("limit", channels.to_string()) }
        /// Default [`ChannelOrder::LatestLastMessage`].
        order(order: ChannelOrder) { ("order", quoted(order.name())) }
        /// Whether channels without a message are in it; default true.
        include_empty(yes: bool) { ("include_empty", yes.to_string()) }
        /// Whether frozen channels are in it; default true.
        include_frozen(yes: bool) { ("include_frozen", yes.to_string()) }
        /// Only these channels.
        channel_urls(urls: &[impl AsRef<str>]) { ("channel_urls", quoted_list(urls)) }
        /// Only channels of these types.
        custom_types(types: &[impl AsRef<str>]) { ("custom_types", quoted_list(types)) }
        /// Only channels whose name holds the text.
        channel_name_contains(text: &str) { ("channel_name_contains", quoted(text)) }
    }
}

impl ChannelQuery {
    /// All channels of the user that are not hidden, the one with the latest message first.
    pub fn new() -> ChannelQuery {
        ChannelQuery(Document::new())
    }
}

impl Default for ChannelQuery {
    fn default() -> ChannelQuery {
        ChannelQuery::new()
    }
}

/// The order of channels; equal ones are ordered by URL. Since 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChannelOrder {
    /// The one with the latest message first.
    LatestLastMessage,
    /// The channel created last first.
    Chronological,
    /// By name.
    ChannelNameAlphabetical,
    /// By the value of the metadata key that `metadata_order_key` names.
    MetadataValueAlphabetical,
}

impl ChannelOrder {
    fn name(self) -> &'static str {
        match self {
            ChannelOrder::LatestLastMessage => "latest_last_message",
            ChannelOrder::Chronological => "chronological",
            ChannelOrder::ChannelNameAlphabetical => "channel_name_alphabetical",
            ChannelOrder::MetadataValueAlphabetical => "metadata_value_alphabetical",
        }
    }
}

document! {
    /// Which messages of a channel; `docs/queries.md` has all keys. Since 0.1.
    MessageFilter {
        /// Messages a fetch brings, 1 to 200; default 30.
        limit(messages: u32) { ("limit", messages.to_string()) }
        /// `at_once`, or `on_fetch`: pending and failed messages from before wait for
        /// [`fetch_pending`](crate::MessageCollection::fetch_pending) and
        /// [`fetch_failed`](crate::MessageCollection::fetch_failed).
        own_messages(when: &str) { ("own_messages", quoted(when)) }
        /// `all`, `user`, `file` or `admin`; default `all`.
        message_type(kind: &str) { ("message_type", quoted(kind)) }
        /// Only these types; the empty text means messages without one.
        custom_types(types: &[impl AsRef<str>]) { ("custom_types", quoted_list(types)) }
        /// Only messages of these users.
        sender_ids(users: &[impl AsRef<str>]) { ("sender_ids", quoted_list(users)) }
        /// `none`, `only_reply_to_channel` or `all`; default `none`.
        reply_type(kind: &str) { ("reply_type", quoted(kind)) }
        /// Only the replies to the message of this id; not together with `reply_type`.
        parent_message_id(id: &str) { ("parent_message_id", quoted(id)) }
        /// Messages a fetch towards older brings, when it is not `limit`.
        previous_limit(messages: u32) { ("previous_limit", messages.to_string()) }
        /// Messages a fetch towards newer brings, when it is not `limit`.
        next_limit(messages: u32) { ("next_limit", messages.to_string()) }
        /// Whether messages at the viewpoint's own time come with the older ones; default true.
        is_inclusive(flag: bool) { ("is_inclusive", flag.to_string()) }
        /// Whether the list is newest first; default false.
        reverse(flag: bool) { ("reverse", flag.to_string()) }
        /// Whether `reactions` are told; default true, as all the following.
        include_reactions(flag: bool) { ("include_reactions", flag.to_string()) }
        /// Whether `thread_info` is told.
        include_thread_info(flag: bool) { ("include_thread_info", flag.to_string()) }
        /// Whether `sorted_metaarray` is told.
        include_meta_array(flag: bool) { ("include_meta_array", flag.to_string()) }
        /// Whether `parent_message_info` is told.
        include_parent_message_info(flag: bool) { ("include_parent_message_info", flag.to_string()) }
        /// Whether more of a poll is told than its id.
        include_poll_details(flag: bool) { ("include_poll_details", flag.to_string()) }
    }
}

impl MessageFilter {
    /// All messages of the channel but replies in threads.
    pub fn new() -> MessageFilter {
        MessageFilter(Document::new())
    }
}

impl Default for MessageFilter {
    fn default() -> MessageFilter {
        MessageFilter::new()
    }
}

document! {
    /// What is looked for among the cached messages; `docs/search.md` has all keys. Since 0.1.
    SearchQuery {
        /// Results a fetch brings, 1 to 200; default 20.
        limit(results: u32) { ("limit", results.to_string()) }
        /// Whether the last word may go on; default true.
        prefix(yes: bool) { ("prefix", yes.to_string()) }
        /// Only in these channels.
        channel_urls(urls: &[impl AsRef<str>]) { ("channel_urls", quoted_list(urls)) }
        /// Only messages of these users.
        sender_ids(users: &[impl AsRef<str>]) { ("sender_ids", quoted_list(users)) }
        /// `all`, `user`, `file` or `admin`; default `all`.
        message_type(kind: &str) { ("message_type", quoted(kind)) }
        /// Only these types; the empty text means messages without one.
        custom_types(types: &[impl AsRef<str>]) { ("custom_types", quoted_list(types)) }
        /// Not from before this time, in milliseconds since the epoch.
        since(time: i64) { ("since", time.to_string()) }
        /// Not from behind this time, in milliseconds since the epoch.
        until(time: i64) { ("until", time.to_string()) }
        /// `newest` or `relevance`; default `newest`.
        order(order: &str) { ("order", quoted(order)) }
    }
}

impl SearchQuery {
    /// Messages with all words of a text: `"in quotes"` in this order, `begin*` what begins so.
    pub fn new(text: &str) -> SearchQuery {
        let mut document = Document::new();
        document.set("query", &quoted(text));
        SearchQuery(document)
    }
}

document! {
    /// Which children of a place of the database, in which order (docs/actions.md). A bound is the JSON text of a value
    /// that is no object or list, or of a list of such a value and a key. Since 0.1.
    DatabaseQuery {
        /// `$key` (default), `$value`, `$priority`, or a path below each child.
        order_by(order: &str) { ("order_by", quoted(order)) }
        /// The least value.
        start_at(bound: &str) { ("start_at", bound.to_owned()) }
        /// The same, left out itself.
        start_after(bound: &str) { ("start_after", bound.to_owned()) }
        /// The greatest value.
        end_at(bound: &str) { ("end_at", bound.to_owned()) }
        /// The same, left out itself.
        end_before(bound: &str) { ("end_before", bound.to_owned()) }
        /// Only children with this value.
        equal_to(bound: &str) { ("equal_to", bound.to_owned()) }
        /// At most so many from the beginning.
        limit_to_first(children: u32) { ("limit_to_first", children.to_string()) }
        /// At most so many from the end.
        limit_to_last(children: u32) { ("limit_to_last", children.to_string()) }
        /// Only the names of the children, each with the value true; for [`Database::get`](crate::Database::get) only.
        shallow() { ("shallow", true.to_string()) }
    }
}

impl DatabaseQuery {
    /// All children, in the order of their keys.
    pub fn new() -> DatabaseQuery {
        DatabaseQuery(Document::new())
    }

    pub(crate) fn action(name: &str, path: &str, query: Option<&DatabaseQuery>) -> Action {
        let mut action = query.map_or_else(|| Action(Document::new()), |query| Action(query.0.clone()));
        action.0.set("action", &quoted(name));
        action.0.set("path", &quoted(path));
        action
    }
}

impl Default for DatabaseQuery {
    fn default() -> DatabaseQuery {
        DatabaseQuery::new()
    }
}
