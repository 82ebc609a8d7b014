//! The JSON documents that calls take: builders for what is known, and a way in for text of one's own.

use std::ffi::CString;
use std::fmt::Write as _;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

/// The members of an object, or a text that was given as it is.
#[derive(Clone, Debug)]
enum Content {
    Members(String),
    Text(String),
}

/// A JSON object for a call. What is in it is checked by the library: an unknown key or a wrong type is
/// [`ErrorKind::InvalidDocument`] with the path.
#[derive(Clone, Debug)]
pub(crate) struct Document(Content);

impl Document {
    pub(crate) fn new() -> Document {
        Document(Content::Members(String::new()))
    }

    pub(crate) fn of_text(text: String) -> Document {
        Document(Content::Text(text))
    }

    /// Adds a member whose value is JSON already.
    pub(crate) fn set(&mut self, key: &str, value: &str) {
        let mut members = match &self.0 {
            Content::Members(members) => members.clone(),
            Content::Text(text) => match text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                Some(members) => members.trim().to_owned(),
                None => return, // no object: the library will say so
            },
        };
        if !members.is_empty() {
            members.push(',');
        }
        members.push_str(&quoted(key));
        members.push(':');
        members.push_str(value);
        self.0 = Content::Members(members);
    }

    pub(crate) fn to_text(&self) -> String {
        match &self.0 {
            Content::Members(members) => format!("{{{members}}}"),
            Content::Text(text) => text.clone(),
        }
    }

    pub(crate) fn to_c(&self) -> Result<CString> {
        c_text(&self.to_text())
    }
}

/// A text for the C interface, where a NUL would be its end.
pub(crate) fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::new(ErrorKind::InvalidArgument, "a text with a NUL in it"))
}

pub(crate) fn quoted(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + 2);
    result.push('"');
    for character in text.chars() {
        match character {
            '"' => result.push_str("\\\""),
            '\\' => result.push_str("\\\\"),
            '\u{0}'..='\u{1f}' => {
                let _ = write!(result, "\\u{:04x}", u32::from(character)); // writing to a String cannot fail
            }
            _ => result.push(character),
        }
    }
    result.push('"');
    result
}

fn quoted_list<T: AsRef<str>>(texts: &[T]) -> String {
    let parts: Vec<String> = texts.iter().map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", parts.join(","))
}

/// A kind of document: its own setters, and those that every kind has.
macro_rules! document {
    ($(#[$about:meta])* $name:ident {
        $($(#[$meaning:meta])* $setter:ident($($argument:ident: $type:ty),*) $body:block)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        #[must_use]
        pub struct $name(pub(crate) Document);

        impl $name {
            $($(#[$meaning])*
            pub fn $setter(mut self, $($argument: $type),*) -> Self {
                let (key, value): (&str, String) = $body;
                self.0.set(key, &value);
                self
            })*

            /// A document written elsewhere. The library checks it when it is used.
            pub fn from_json(text: impl Into<String>) -> Self {
                $name(Document::of_text(text.into()))
            }

            /// Adds a member that has no method here; `json` is JSON text.
            pub fn with(mut self, key: &str, json: &str) -> Self {
                self.0.set(key, json);
                self
            }

            /// The document's JSON text.
            pub fn to_json(&self) -> String {
                self.0.to_text()
            }

            /// A document from a type of one's own. Feature `serde`.
            #[cfg(feature = "serde")]
            pub fn from_serialize(value: &impl serde::Serialize) -> Result<Self> {
                serde_json::to_string(value)
                    .map(Self::from_json)
                    .map_err(|error| Error::new(ErrorKind::InvalidDocument, error.to_string()))
            }
        }
    };
}

document! {
    /// What [`Client::open`](crate::Client::open) needs to know; the keys are those of `sm_setup`. Since 0.1.
    ///
    /// ```
    /// let config = syncmanager::Config::new("A", "mei").access_token("T").data_dir("/tmp/mei").queue_limit(5000);
    /// assert_eq!(
    ///     config.to_json(),
    ///     r#"{"app_id":"A","user_id":"mei","access_token":"T","data_dir":"/tmp/mei","queue_limit":5000}"#
    /// );
    /// ```
    Config {
        /// Where the files go; default `$XDG_STATE_HOME/syncmanager` or `~/.local/state/syncmanager`. A path that is
        /// not UTF-8 is taken with replacement characters.
        data_dir(path: impl AsRef<Path>) { ("data_dir", quoted(&path.as_ref().to_string_lossy())) }
        /// May come later by [`Client::set_token`](crate::Client::set_token).
        access_token(token: &str) { ("access_token", quoted(token)) }
        /// Begins with `http://` or `https://`; default: the service's own for the app.
        api_host(url: &str) { ("api_host", quoted(url)) }
        /// Begins with `ws://` or `wss://`; default: the service's own for the app.
        ws_host(url: &str) { ("ws_host", quoted(url)) }
        /// PEM file of trusted roots; default: the system's.
        ca_file(path: impl AsRef<Path>) { ("ca_file", quoted(&path.as_ref().to_string_lossy())) }
        /// Whether callbacks run on a thread of the library instead of on the one that calls
        /// [`Client::dispatch`](crate::Client::dispatch); then nothing can be pulled.
        threaded_delivery(on: bool) { ("delivery", quoted(if on { "thread" } else { "host" })) }
        /// Events that may wait, 16 to 1,000,000; default 1,000.
        queue_limit(events: u32) { ("queue_limit", events.to_string()) }
        /// Messages a collection holds, 200 to 1,000,000; default 1,000.
        message_collection_capacity(messages: u32) { ("message_collection_capacity", messages.to_string()) }
        /// What becomes of messages that failed; default [`ResendPolicy::Automatic`].
        resend_policy(policy: ResendPolicy) { ("resend_policy", quoted(policy.name())) }
        /// 1 to 50; default 10.
        resend_retry_count(times: u32) { ("resend_retry_count", times.to_string()) }
        /// 1 to 365; default 7.
        failed_retention_days(days: u32) { ("failed_retention_days", days.to_string()) }
        /// 1 to 1,000,000; default 1,000.
        max_failed_per_channel(messages: u32) { ("max_failed_per_channel", messages.to_string()) }
        /// 1,000 to 120,000 milliseconds; default 10,000.
        request_timeout_ms(milliseconds: u32) { ("request_timeout_ms", milliseconds.to_string()) }
        /// 0 to 3,600,000 milliseconds; default 5,000. See [`Client::set_foreground`](crate::Client::set_foreground).
        background_grace_ms(milliseconds: u32) { ("background_grace_ms", milliseconds.to_string()) }
        /// The version of the program, for the service's records.
        app_version(version: &str) { ("app_version", quoted(version)) }
        /// The realtime database: scheme and host, which one where a host has several, and what it knows the user by.
        database(url: &str, name: Option<&str>, token: Option<&str>) {
            let mut database = Document::new();
            database.set("url", &quoted(url));
            for (key, value) in [("name", name), ("token", token)] {
                if let Some(value) = value {
                    database.set(key, &quoted(value));
                }
            }
            ("database", database.to_text())
        }
    }
}

impl Config {
    /// The two that are required.
    pub fn new(app_id: &str, user_id: &str) -> Config {
        let mut document = Document::new();
        document.set("app_id", &quoted(app_id));
        document.set("user_id", &quoted(user_id));
        Config(document)
    }
}

/// What becomes of messages that could not be sent. Since 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResendPolicy {
    /// They are sent again when that can help.
    Automatic,
    /// They wait for [`MessageCollection::resend`](crate::MessageCollection::resend).
    Manual,
    /// They are not kept.
    None,
}

impl ResendPolicy {
    fn name(self) -> &'static str {
        match self {
            ResendPolicy::Automatic => "automatic",
            ResendPolicy::Manual => "manual",
            ResendPolicy::None => "none",
        }
    }
}

document! {
    /// Which channels, in which order. What has no method here is set by [`with`](ChannelQuery::with);
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

/// The order of channels; ties end in the channel URL. Since 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChannelOrder {
    /// The one with the latest message first.
    LatestLastMessage,
    /// The youngest first.
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

document! {
    /// A message to be sent. Since 0.1.
    Draft {
        /// Text for programs, kept with the message.
        data(text: &str) { ("data", quoted(text)) }
        /// The message's type.
        custom_type(name: &str) { ("custom_type", quoted(name)) }
        /// Users to be told of it.
        mention_users(users: &[impl AsRef<str>]) { ("mentioned_user_ids", quoted_list(users)) }
        /// The message this one replies to.
        reply_to(message_id: i64) { ("parent_message_id", message_id.to_string()) }
        /// Whether nobody is to be notified of it, and nothing counted.
        silent(flag: bool) { ("silent", flag.to_string()) }
        /// Whether the channel is to pin it.
        pin(flag: bool) { ("pin_message", flag.to_string()) }
        /// Languages to translate it to.
        target_languages(languages: &[impl AsRef<str>]) { ("target_langs", quoted_list(languages)) }
        /// Names the message before the service does; default: a fresh one.
        request_id(id: &str) { ("request_id", quoted(id)) }
    }
}

impl Draft {
    /// A message with this text.
    pub fn new(text: &str) -> Draft {
        let mut document = Document::new();
        document.set("message", &quoted(text));
        Draft(document)
    }
}

document! {
    /// What to change of a message of one's own that failed, or what became of a sent one. Since 0.1.
    Edit {
        /// The new text.
        text(text: &str) { ("message", quoted(text)) }
        /// The new text for programs.
        data(text: &str) { ("data", quoted(text)) }
        /// The new type.
        custom_type(name: &str) { ("custom_type", quoted(name)) }
    }
}

document! {
    /// An action for [`Client::call`](crate::Client::call); `docs/actions.md` has all, with their keys. Since 0.1.
    ///
    /// ```
    /// let action = syncmanager::Action::new("add_reaction").text("channel_url", "c").number("message_id", 42);
    /// assert_eq!(action.to_json(), r#"{"action":"add_reaction","channel_url":"c","message_id":42}"#);
    /// ```
    Action {
        /// A key whose value is a text.
        text(key: &str, value: &str) { (key, quoted(value)) }
        /// A key whose value is a list of texts.
        texts(key: &str, values: &[impl AsRef<str>]) { (key, quoted_list(values)) }
        /// A key whose value is a whole number.
        number(key: &str, value: i64) { (key, value.to_string()) }
        /// A key whose value is true or false.
        flag(key: &str, value: bool) { (key, value.to_string()) }
        /// When the call completes with `Timeout`, 1 to 86,400,000 milliseconds; default: the client's
        /// `request_timeout_ms`.
        timeout_ms(milliseconds: u32) { ("timeout_ms", milliseconds.to_string()) }
    }
}

impl Action {
    /// An action without arguments yet.
    pub fn new(name: &str) -> Action {
        let mut document = Document::new();
        document.set("action", &quoted(name));
        Action(document)
    }
}

document! {
    /// Which children of a place of the database, in which order (docs/actions.md). A bound is the JSON text of a value
    /// without members, or of a list of such a one and a key. Since 0.1.
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
        /// So many from the beginning.
        limit_to_first(children: u32) { ("limit_to_first", children.to_string()) }
        /// So many from the end.
        limit_to_last(children: u32) { ("limit_to_last", children.to_string()) }
        /// Of the children only the names, each with true; for [`Database::get`](crate::Database::get) alone.
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

document! {
    /// Which message of one's own is meant. Since 0.1.
    Target {}
}

fn of_request(id: &str) -> Document {
    let mut document = Document::new();
    document.set("request_id", &quoted(id));
    document
}

document! {
    /// What a stream is to be (docs/streams.md). Since 0.1.
    ///
    /// ```
    /// let spec = syncmanager::StreamSpec::transient().order_by("n").limit_after_predicate(5);
    /// assert_eq!(spec.to_json(), r#"{"source":"transient","order_by":"n","limit_after_predicate":5}"#);
    /// ```
    StreamSpec {
        /// `$key`, `$value`, `$source`, or names from the row down, divided by slashes.
        order_by(field: &str) { ("order_by", quoted(field)) }
        /// The other way round, keys of level rows included.
        descending(on: bool) { ("descending", on.to_string()) }
        /// Where the list begins, JSON text, in its own direction.
        start(value: &str) { ("start", value.to_owned()) }
        /// Where the list ends, JSON text, in its own direction.
        end(value: &str) { ("end", value.to_owned()) }
        /// How many rows of channels or messages are loaded at first.
        limit(rows: u32) { ("limit", rows.to_string()) }
        /// Which rows are shown: a condition, JSON text, or `"$host"`.
        predicate(condition: &str) { ("predicate", condition.to_owned()) }
        /// How many of the rows that the predicate leaves are shown.
        limit_after_predicate(rows: u32) { ("limit_after_predicate", rows.to_string()) }
        /// Milliseconds for which changes are gathered.
        batch_delay(milliseconds: u32) { ("batch_delay", milliseconds.to_string()) }
        /// Changes are told at once.
        at_once() { ("batch_delay", "null".to_owned()) }
        /// Milliseconds after the first change of a batch at the latest.
        batch_max_wait(milliseconds: u32) { ("batch_max_wait", milliseconds.to_string()) }
        /// One batch is a sequence of events.
        delegate() { ("delivery", quoted("delegate")) }
        /// The section that is told for every row.
        section(number: u32) { ("section", number.to_string()) }
    }
}

impl StreamSpec {
    fn of(source: &str) -> StreamSpec {
        let mut document = Document::new();
        document.set("source", source);
        StreamSpec(document)
    }

    /// The program adds and removes the rows.
    pub fn transient() -> StreamSpec {
        StreamSpec::of(r#""transient""#)
    }

    /// Channels of a query.
    pub fn channels(query: &ChannelQuery) -> StreamSpec {
        StreamSpec::of(&format!(r#"{{"channels":{}}}"#, query.to_json()))
    }

    /// Messages of a channel, the newest first loaded.
    pub fn messages(channel_url: &str, filter: Option<&MessageFilter>) -> StreamSpec {
        let filter = filter.map_or("{}".to_owned(), MessageFilter::to_json);
        StreamSpec::of(&format!(r#"{{"messages":{{"channel_url":{},"filter":{filter}}}}}"#, quoted(channel_url)))
    }

    /// The children of a place of the database, or some of them.
    pub fn database(path: &str, query: Option<&DatabaseQuery>) -> StreamSpec {
        let mut document = query.map_or_else(Document::new, |query| query.0.clone());
        document.set("path", &quoted(path));
        StreamSpec::of(&format!(r#"{{"database":{}}}"#, document.to_text()))
    }

    /// The rows of other streams together, by their numbers; the first one's order holds.
    pub fn union(streams: &[u64]) -> StreamSpec {
        StreamSpec::of(&format!(r#"{{"union":{streams:?}}}"#))
    }

    /// The rows of another stream in sections; `rule` is JSON text.
    pub fn partition<T: AsRef<str>>(stream: u64, titles: &[T], rule: &str) -> StreamSpec {
        let titles = quoted_list(titles);
        StreamSpec::of(&format!(r#"{{"partition":{{"stream":{stream},"titles":{titles},"rule":{rule}}}}}"#))
    }
}

document! {
    /// What a stream is asked (docs/streams.md). Since 0.1.
    StreamRequest {
    }
}

impl StreamRequest {
    fn of(action: &str) -> StreamRequest {
        let mut document = Document::new();
        document.set("action", &quoted(action));
        StreamRequest(document)
    }

    /// Another predicate, JSON text; `null` shows all rows.
    pub fn set_predicate(condition: &str) -> StreamRequest {
        StreamRequest::of("set_predicate").with("predicate", condition)
    }

    /// Another limit of shown rows, or none.
    pub fn set_limit(rows: Option<u32>) -> StreamRequest {
        let limit = rows.map_or("null".to_owned(), |rows| rows.to_string());
        StreamRequest::of("set_limit").with("limit_after_predicate", &limit)
    }

    /// So many more rows of channels or messages, or a page. [`Outcome::result`](crate::Outcome::result) has
    /// `has_more`.
    pub fn fetch_more(rows: Option<u32>) -> StreamRequest {
        let request = StreamRequest::of("fetch_more");
        match rows {
            Some(rows) => request.with("count", &rows.to_string()),
            None => request,
        }
    }

    /// A row of a transient stream: new, or with another item; `item` is JSON text.
    pub fn add(key: &str, item: &str) -> StreamRequest {
        StreamRequest::of("add").with("rows", &format!(r#"[{{"key":{},"item":{item}}}]"#, quoted(key)))
    }

    /// Rows that leave a transient stream.
    pub fn remove<T: AsRef<str>>(keys: &[T]) -> StreamRequest {
        StreamRequest::of("remove").with("keys", &quoted_list(keys))
    }

    /// The row of a key, as the result.
    pub fn find(key: &str) -> StreamRequest {
        StreamRequest::of("find").with("key", &quoted(key))
    }
}

impl Edit {
    /// A message that failed.
    pub fn request_id(id: &str) -> Edit {
        Edit(of_request(id))
    }

    /// The service's object, as JSON, of a message that the program edited by its own means.
    pub fn told(message: &str) -> Edit {
        Edit::from_json(message)
    }
}

impl Target {
    /// A message that was sent.
    pub fn message_id(id: i64) -> Target {
        let mut document = Document::new();
        document.set("message_id", &id.to_string());
        Target(document)
    }

    /// A message that is pending or failed.
    pub fn request_id(id: &str) -> Target {
        Target(of_request(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(Draft::new("a\"b\\c\n\u{1}é").to_json(), r#"{"message":"a\"b\\c\u000a\u0001é"}"#);
    }

    #[test]
    fn members_are_added_to_a_text_too() {
        assert_eq!(Config::from_json(r#" {"a":1} "#).with("b", "[2]").to_json(), r#"{"a":1,"b":[2]}"#);
        assert_eq!(Config::from_json("{}").with("b", "2").to_json(), r#"{"b":2}"#);
        assert_eq!(Config::from_json("[]").with("b", "2").to_json(), "[]");
    }

    #[test]
    fn a_nul_is_an_error() {
        assert_eq!(c_text("a\0b").map_err(|error| error.kind()), Err(ErrorKind::InvalidArgument));
    }
}
