//! The documents that streams are opened with and asked with.

use crate::document::{document, quoted, quoted_list, Document};
use crate::queries::{ChannelQuery, DatabaseQuery, MessageFilter};

document! {
    /// The keys of a stream (docs/streams.md). Since 0.1.
    ///
    /// ```
    /// let spec = syncmanager::StreamSpec::transient().order_by("n").limit_after_predicate(5);
    /// assert_eq!(spec.to_json(), r#"{"source":"transient","order_by":"n","limit_after_predicate":5}"#);
    /// ```
    StreamSpec {
        /// `$key`, `$value`, `$source`, or names from the row down, divided by slashes.
        order_by(field: &str) { ("order_by", quoted(field)) }
        /// In reverse order; rows with equal values are then in the reverse order of their keys, too.
        descending(on: bool) { ("descending", on.to_string()) }
        /// Where the list begins, JSON text, in its own direction.
        start(value: &str) { ("start", value.to_owned()) }
        /// Where the list ends, JSON text, in its own direction.
        end(value: &str) { ("end", value.to_owned()) }
        /// How many rows of channels or messages are loaded at first.
        limit(rows: u32) { ("limit", rows.to_string()) }
        /// Which rows are shown: a condition, JSON text, or `"$host"`.
        predicate(condition: &str) { ("predicate", condition.to_owned()) }
        /// How many of the rows that the predicate takes are shown.
        limit_after_predicate(rows: u32) { ("limit_after_predicate", rows.to_string()) }
        /// Milliseconds for which changes are gathered into one batch.
        batch_delay(milliseconds: u32) { ("batch_delay", milliseconds.to_string()) }
        /// Changes are told at once.
        at_once() { ("batch_delay", "null".to_owned()) }
        /// Milliseconds after its first change at which a batch is told at the latest.
        batch_max_wait(milliseconds: u32) { ("batch_max_wait", milliseconds.to_string()) }
        /// One batch is a sequence of events.
        delegate() { ("delivery", quoted("delegate")) }
        /// The section number in the path of every row.
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

    /// The rows of other streams together, by their numbers, in the order of the first one.
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
    /// A request to a stream (docs/streams.md). Since 0.1.
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

    /// Loads `count` more rows of channels, messages or the database, or a page.
    /// [`Outcome::result`](crate::Outcome::result) has `has_more`.
    pub fn fetch_more(rows: Option<u32>) -> StreamRequest {
        let request = StreamRequest::of("fetch_more");
        match rows {
            Some(rows) => request.with("count", &rows.to_string()),
            None => request,
        }
    }

    /// For a stream over the database: loads rows until so many, or a page, at or behind a value of its order are
    /// there; `start` is JSON text.
    pub fn fetch_more_from(start: &str, rows: Option<u32>) -> StreamRequest {
        StreamRequest::fetch_more(rows).with("start", start)
    }

    /// A row of a transient stream: new, or with another item; `item` is JSON text.
    pub fn add(key: &str, item: &str) -> StreamRequest {
        StreamRequest::of("add").with("rows", &format!(r#"[{{"key":{},"item":{item}}}]"#, quoted(key)))
    }

    /// Removes rows of a transient stream.
    pub fn remove<T: AsRef<str>>(keys: &[T]) -> StreamRequest {
        StreamRequest::of("remove").with("keys", &quoted_list(keys))
    }

    /// The row of a key, as the result.
    pub fn find(key: &str) -> StreamRequest {
        StreamRequest::of("find").with("key", &quoted(key))
    }

    /// The row at a place of a section, as the result.
    pub fn item(section: u32, row: u32) -> StreamRequest {
        StreamRequest::of("item").with("path", &format!("[{section},{row}]"))
    }

    /// At most so many rows of a section from one on, as the result.
    pub fn slice(section: u32, from: u32, count: u32) -> StreamRequest {
        let request = StreamRequest::of("slice").with("section", &section.to_string());
        request.with("from", &from.to_string()).with("count", &count.to_string())
    }
}
