//! What opening a client needs to know.

use std::path::Path;

use crate::document::{document, quoted, Document};

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
        /// Whether cache and outbox are in files; without, they are in memory, nothing of them is ever on the disk, and
        /// what was not sent and drafts are lost when the client closes. Default: in files.
        cache_in_files(on: bool) { ("cache", quoted(if on { "file" } else { "none" })) }
        /// May come later by [`Client::set_token`](crate::Client::set_token).
        access_token(token: &str) { ("access_token", quoted(token)) }
        /// Which service; default [`Service::Sendbird`].
        service(service: Service) { ("service", quoted(service.name())) }
        /// Begins with `http://` or `https://`; default: the service's own for the app. With Matrix the homeserver.
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
        /// Without progress of a file that is sent or received, 1,000 to 600,000 milliseconds; default 30,000.
        file_timeout_ms(milliseconds: u32) { ("file_timeout_ms", milliseconds.to_string()) }
        /// Messages whose files are sent at once, 1 to 16; default 2. The files of one message go one after the other.
        uploads_at_once(files: u32) { ("uploads_at_once", files.to_string()) }
        /// Send messages by requests while a lost connection is made again; default off.
        send_by_rest(on: bool) { ("send_by_rest", on.to_string()) }
        /// The service gives session keys that run out; the program answers when a token is needed. Default off.
        expiring_session(on: bool) { ("expiring_session", on.to_string()) }
        /// 0 to 3,600,000 milliseconds; default 5,000. See [`Client::set_foreground`](crate::Client::set_foreground).
        background_grace_ms(milliseconds: u32) { ("background_grace_ms", milliseconds.to_string()) }
        /// MiB of the rows of cached messages, 64 to 1,048,576; default: without bound, and 256 where the cache is in
        /// memory. Over it messages go, of the channels that were used longest ago first.
        max_cache_mb(mebibytes: u32) { ("max_cache_mb", mebibytes.to_string()) }
        /// 1 to 36,500; default: without bound. Older messages leave the cache, not the service, while the user is
        /// logged in, but for those of a channel with an open collection.
        max_message_age_days(days: u32) { ("max_message_age_days", days.to_string()) }
        /// Which messages of others [`EventKind::MessageReceived`](crate::EventKind::MessageReceived) tells; default:
        /// none.
        notify(which: Notify) { ("notify", quoted(which.name())) }
        /// Which channels lose messages first when the cache is over its bound; default [`CacheOrder::LastOpened`].
        cache_order(order: CacheOrder) { ("cache_order", quoted(order.name())) }
        /// After each login, cache so many of the newest messages of so many channels (by last message; `None`: of
        /// all), whether a collection shows them or not: each 1 to 10,000; default: only what collections show.
        prefetch(channels: Option<u32>, messages: u32) {
            let channels = channels.map_or(quoted("all"), |count| count.to_string());
            let mut prefetch = Document::new();
            prefetch.set("channels", &channels);
            prefetch.set("messages", &messages.to_string());
            ("prefetch", prefetch.to_text())
        }
        /// Whether cached messages are indexed for [`Client::search`](crate::Client::search); default off.
        search(on: bool) { ("search", on.to_string()) }
        /// 64 hexadecimal digits: this user's files are encrypted with them. A plain directory needs
        /// [`Action::encrypt`](crate::Action::encrypt) first.
        encryption_key(digits: &str) { ("encryption_key", quoted(digits)) }
        /// The same with a text, of which the key is derived, 0.1 s at each opening. One of both.
        encryption_passphrase(text: &str) { ("encryption_passphrase", quoted(text)) }
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
    /// The two that are required. With Matrix the first one may be empty: then it is the user's server.
    pub fn new(app_id: &str, user_id: &str) -> Config {
        let mut document = Document::new();
        document.set("app_id", &quoted(app_id));
        document.set("user_id", &quoted(user_id));
        Config(document)
    }
}

/// Which service a client speaks to. Since 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Service {
    /// The Sendbird Platform, or the embedded server.
    Sendbird,
    /// A Matrix homeserver, which [`Config::api_host`] names. In the making.
    Matrix,
}

impl Service {
    fn name(self) -> &'static str {
        match self {
            Service::Sendbird => "sendbird",
            Service::Matrix => "matrix",
        }
    }
}

/// Which channels lose messages first to make room in the cache. Since 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheOrder {
    /// Those used longest ago.
    LastOpened,
    /// Those that the program names, see [`EventKind::CacheFull`](crate::EventKind::CacheFull).
    Host,
}

impl CacheOrder {
    fn name(self) -> &'static str {
        match self {
            CacheOrder::LastOpened => "last_opened",
            CacheOrder::Host => "host",
        }
    }
}

/// Which messages of others a client tells. Since 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notify {
    None,
    /// Those that mention the user.
    Mentions,
    All,
}

impl Notify {
    fn name(self) -> &'static str {
        match self {
            Notify::None => "none",
            Notify::Mentions => "mentions",
            Notify::All => "all",
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_added_to_a_text_too() {
        assert_eq!(Config::from_json(r#" {"a":1} "#).with("b", "[2]").to_json(), r#"{"a":1,"b":[2]}"#);
        assert_eq!(Config::from_json("{}").with("b", "2").to_json(), r#"{"b":2}"#);
        assert_eq!(Config::from_json("[]").with("b", "2").to_json(), "[]");
    }
}
