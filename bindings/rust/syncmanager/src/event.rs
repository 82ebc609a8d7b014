//! The events of a client, typed.

use crate::change::Change;
use crate::item::{Channel, Message};
use crate::json::{Fields, Json};
use crate::outcome::Outcome;
use crate::resource_event::ResourceEvent;
use crate::stream_event::{StreamBatch, StreamRow, StreamStep};

/// An event. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Event {
    /// Counts from 1 per client, without gaps.
    pub seq: u64,
    /// Milliseconds since the epoch, this machine's clock; for display only.
    pub ts: i64,
    /// What happened.
    pub kind: EventKind,
    /// The number of the collection it belongs to, if it belongs to one.
    pub collection: Option<u64>,
    json: Json,
}

/// A channel that may lose messages to make room in the cache. Since 0.1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EvictionCandidate {
    pub channel_url: String,
    /// Milliseconds since the epoch, to an hour; 0: never.
    pub used_at: i64,
    pub messages: u64,
    /// Of the rows of its messages.
    pub bytes: u64,
}

impl EvictionCandidate {
    fn read(json: &Fields) -> Option<EvictionCandidate> {
        Some(EvictionCandidate {
            channel_url: json.text_at("channel_url")?,
            used_at: json.i64_at("used_at")?,
            messages: json.u64_at("messages")?,
            bytes: json.u64_at("bytes")?,
        })
    }
}

/// What happened. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EventKind {
    /// A collection's list changed.
    Change(Change),
    /// A call is complete.
    Result(Outcome),
    /// A message arrived that is not contiguous with what the collection shows; nothing was inserted.
    NewMessage { collection: u64, channel_url: String, message: Message },
    /// The channel of a message collection changed.
    ChannelUpdated { collection: u64, channel: Channel },
    /// The channel of a message collection is gone, or this user is out of it.
    ChannelRemoved { collection: u64, channel_url: String },
    /// A start has inserted so many messages from the cache; `request` is its number.
    CacheShown { collection: u64, request: u64, count: u64 },
    /// The message that a thread answers, as it is now.
    ParentUpdated { collection: u64, message: Message },
    /// The message that a thread answers is gone; its replies stay.
    ParentRemoved { collection: u64, message_id: String },
    /// More messages are missing after a reconnect than the service fills.
    HugeGap { collection: u64, has_next: bool },
    /// The connection's state.
    Connection(Connection),
    /// The state of background sync.
    SyncState(SyncState),
    /// How many unread messages this user has, over all channels and by channels' custom types (an object of numbers).
    UnreadCounts { all: u64, custom_types: Json },
    /// How much of a file of an own message has been sent, in bytes; `file` is which of its files, from 0 on.
    UploadProgress { channel_url: String, request_id: String, file: u64, sent: u64, total: u64 },
    /// How much of a file has been received, in bytes; `request` is the number of the call of `download_file`. The
    /// total is not always known.
    DownloadProgress { request: u64, received: u64, total: Option<u64> },
    /// How many messages an export has written, of so many; `request` is the number of the call of `export`.
    ExportProgress { request: u64, done: u64, total: u64 },
    /// How far an older cache is indexed for search: so many messages of so many, roughly.
    SearchProgress { done: u64, total: u64, complete: bool },
    /// How far background sync of a channel is.
    SyncProgress {
        channel_url: String,
        /// Messages cached by this run.
        done: u64,
        complete: bool,
        /// The channel is done with by the configuration's `prefetch`: so many channels are, of so many.
        prefetch: Option<(u64, u64)>,
    },
    /// A message of another user (configuration `notify`), whether a collection shows its channel or not. It is told
    /// again at the next start, with the same `id`, until it is acknowledged.
    MessageReceived {
        /// For [`Action::acknowledge`](crate::Action::acknowledge).
        id: i64,
        channel_url: String,
        /// As it is now, if it is cached.
        channel: Option<Channel>,
        message: Message,
        /// It mentions this user.
        mention: bool,
        /// So many messages of the channel before this one were let go, since too many waited.
        missed: u64,
        /// Beside those others may have come while away, which nobody counted.
        more_missed: bool,
    },
    /// The cache is over its bound, and `cache_order` is [`CacheOrder::Host`](crate::CacheOrder::Host): so many bytes
    /// of rows have to go. Answer within five seconds with [`Action::evict`](crate::Action::evict); else, and behind
    /// the channels that it names, it goes by last use.
    CacheFull {
        bytes_to_free: u64,
        /// The channels that may lose messages, at most 1,000, those used longest ago first.
        candidates: Vec<EvictionCandidate>,
        /// How many more there are.
        others: u64,
    },
    /// Messages of a channel left the cache to make room: so many, and so many bytes of rows. A page brings them again.
    CacheTrimmed { channel_url: String, messages: u64, bytes: u64 },
    /// The access token is missing or was revoked, or its user is gone: `code` and `message` are the service's. Answer
    /// with [`Client::set_token`](crate::Client::set_token).
    TokenNeeded { code: i64, message: String },
    /// The cache file was corrupt, was set aside, and is being rebuilt.
    CacheReset { file: String },
    /// The data directory could not be read or written. At the start also: messages and writes were found damaged and
    /// are not sent; `lost` has the first hundred, as far as they can be read (objects with `kind`), `lost_count` how
    /// many there are in all.
    StorageError { message: String, lost: Vec<Json>, lost_count: u64 },
    /// The program lagged behind; the full lists follow, as changes.
    Overflow { collection: u64, dropped: u64 },
    /// What one batch did to a stream.
    StreamBatch(StreamBatch),
    /// One step of a batch, with the delivery `delegate`.
    StreamStep(StreamStep),
    /// A stream has loaded its first rows; or it cannot, and `status` (an `SM_ERR_` number) and `message` say why.
    StreamLoaded { collection: u64, status: i32, message: Option<String> },
    /// An event of an operation on an object of the realtime database.
    Resource(ResourceEvent),
    /// The value of a listened place of the database; `null` when nothing is there. `listen` is the number of the call.
    /// `current`: the value comes from the service over an open connection.
    DatabaseValue { listen: u64, value: Json, current: bool },
    /// A listen has ended: the service refuses it, and `code` is the HTTP status.
    DatabaseListenEnded { listen: u64, code: i64, message: String },
    /// A transaction, named by the number of its call, asks for the new value in place of this one.
    DatabaseTransform { transaction: u64, value: Json },
    /// The service refused a write that no call waits for; the write is taken back.
    DatabaseWriteRefused { path: String, code: i64, message: String },
    /// The database does not accept the token any more. Answer with
    /// [`Database::set_token`](crate::Database::set_token).
    DatabaseTokenNeeded,
    /// Always the last one.
    Closed,
    /// An event that this version of the crate does not know; [`Event::json`] has all of it.
    Other(String),
}

/// The connection's state. Since 0.1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Connection {
    /// Offline until the next connect.
    Disconnected,
    /// An attempt is under way.
    Connecting,
    /// Logged in.
    Connected,
    /// The next attempt comes in `retry_in` milliseconds. `code` and `message` say why there is no connection: the
    /// service's, or those of docs/errors.md.
    #[non_exhaustive]
    Waiting { retry_in: u64, code: i64, message: String },
    /// Offline until a token is given.
    TokenNeeded,
    /// A state that this version of the crate does not know.
    Other(String),
}

/// The state of background sync. Since 0.1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncState {
    Idle,
    Running,
    Paused,
    /// A state that this version of the crate does not know.
    Other(String),
}

impl Event {
    pub(crate) fn read(text: &str) -> Event {
        let json = Json::new(text);
        let fields = json.fields();
        let name = fields.text_at("type").unwrap_or_default();
        let kind = EventKind::read(&name, &fields, &json).unwrap_or(EventKind::Other(name));
        Event {
            seq: fields.u64_at("seq").unwrap_or_default(),
            ts: fields.i64_at("ts").unwrap_or_default(),
            collection: fields.u64_at("collection"),
            kind,
            json,
        }
    }

    /// The whole event.
    pub fn json(&self) -> &Json {
        &self.json
    }
}

impl EventKind {
    /// `None` when a member is missing: then the event is one of a later version.
    fn read(name: &str, json: &Fields, whole: &Json) -> Option<EventKind> {
        let collection = || json.u64_at("collection");
        let channel_url = || json.text_at("channel_url");
        Some(match name {
            "change" => EventKind::Change(Change::read(json)?),
            "result" => EventKind::Result(Outcome::read(json, whole)?),
            "new_message" => EventKind::NewMessage {
                collection: collection()?,
                channel_url: channel_url()?,
                message: Message::from(json.get("message")?.clone()),
            },
            "channel_updated" => EventKind::ChannelUpdated {
                collection: collection()?,
                channel: Channel::from(json.get("channel")?.clone()),
            },
            "channel_removed" => EventKind::ChannelRemoved { collection: collection()?, channel_url: channel_url()? },
            "cache_shown" => EventKind::CacheShown {
                collection: collection()?,
                request: json.u64_at("request")?,
                count: json.u64_at("count")?,
            },
            "parent_updated" => EventKind::ParentUpdated {
                collection: collection()?,
                message: Message::from(json.get("message")?.clone()),
            },
            "parent_removed" => {
                EventKind::ParentRemoved { collection: collection()?, message_id: json.text_at("message_id")? }
            }
            "huge_gap" => EventKind::HugeGap { collection: collection()?, has_next: json.bool_at("has_next")? },
            "connection" => EventKind::Connection(Connection::read(json)?),
            "sync_state" => EventKind::SyncState(match json.text_at("state")? {
                state if state == "idle" => SyncState::Idle,
                state if state == "running" => SyncState::Running,
                state if state == "paused" => SyncState::Paused,
                state => SyncState::Other(state),
            }),
            "unread_counts" => {
                EventKind::UnreadCounts { all: json.u64_at("all")?, custom_types: json.get("custom_types")?.clone() }
            }
            "upload_progress" => EventKind::UploadProgress {
                channel_url: channel_url()?,
                request_id: json.text_at("request_id")?,
                file: json.u64_at("file")?,
                sent: json.u64_at("sent")?,
                total: json.u64_at("total")?,
            },
            "download_progress" => EventKind::DownloadProgress {
                request: json.u64_at("request")?,
                received: json.u64_at("received")?,
                total: json.u64_at("total"),
            },
            "export_progress" => EventKind::ExportProgress {
                request: json.u64_at("request")?,
                done: json.u64_at("done")?,
                total: json.u64_at("total")?,
            },
            "search_progress" => EventKind::SearchProgress {
                done: json.u64_at("done")?,
                total: json.u64_at("total")?,
                complete: json.bool_at("complete")?,
            },
            "sync_progress" => EventKind::SyncProgress {
                channel_url: channel_url()?,
                done: json.u64_at("done")?,
                complete: json.bool_at("complete")?,
                prefetch: json.get("prefetch").and_then(|it| Some((it.u64_at("done")?, it.u64_at("total")?))),
            },
            "message_received" => EventKind::MessageReceived {
                id: json.i64_at("id")?,
                channel_url: channel_url()?,
                channel: json.get("channel").cloned().map(Channel::from),
                message: Message::from(json.get("message")?.clone()),
                mention: json.bool_at("mention")?,
                missed: json.u64_at("missed")?,
                more_missed: json.bool_at("more_missed")?,
            },
            "cache_full" => EventKind::CacheFull {
                bytes_to_free: json.u64_at("bytes_to_free")?,
                candidates: json
                    .get("candidates")?
                    .elements()
                    .map(|it| EvictionCandidate::read(&it.fields()))
                    .collect::<Option<_>>()?,
                others: json.u64_at("others")?,
            },
            "cache_trimmed" => EventKind::CacheTrimmed {
                channel_url: channel_url()?,
                messages: json.u64_at("messages")?,
                bytes: json.u64_at("bytes")?,
            },
            "token_needed" => EventKind::TokenNeeded { code: json.i64_at("code")?, message: json.text_at("message")? },
            "cache_reset" => EventKind::CacheReset { file: json.text_at("file")? },
            "storage_error" => EventKind::StorageError {
                message: json.text_at("message")?,
                lost: json.get("lost").map_or_else(Vec::new, |lost| lost.elements().collect()),
                lost_count: json.u64_at("lost_count").unwrap_or_default(),
            },
            "overflow" => EventKind::Overflow { collection: collection()?, dropped: json.u64_at("dropped")? },
            "stream_batch" => EventKind::StreamBatch(StreamBatch::read(json)?),
            "stream_loaded" => EventKind::StreamLoaded {
                collection: collection()?,
                status: i32::try_from(json.i64_at("status")?).ok()?,
                message: json.text_at("message"),
            },
            "stream_will_change" | "stream_deleted" | "stream_added" | "stream_changed" | "stream_did_change" => {
                EventKind::StreamStep(StreamStep {
                    collection: collection()?,
                    step: name.trim_start_matches("stream_").to_owned(),
                    rows: StreamRow::list(json, "rows")?,
                })
            }
            name if name.starts_with("resource_") => EventKind::Resource(ResourceEvent::read(name, json)?),
            "database_value" => EventKind::DatabaseValue {
                listen: json.u64_at("listen")?,
                value: json.get("value")?.clone(),
                current: json.bool_at("current")?,
            },
            "database_listen_ended" => EventKind::DatabaseListenEnded {
                listen: json.u64_at("listen")?,
                code: json.i64_at("code")?,
                message: json.text_at("message")?,
            },
            "database_transform" => EventKind::DatabaseTransform {
                transaction: json.u64_at("transaction")?,
                value: json.get("value")?.clone(),
            },
            "database_write_refused" => EventKind::DatabaseWriteRefused {
                path: json.text_at("path")?,
                code: json.i64_at("code")?,
                message: json.text_at("message")?,
            },
            "database_token_needed" => EventKind::DatabaseTokenNeeded,
            "closed" => EventKind::Closed,
            _ => return None,
        })
    }
}

impl Connection {
    fn read(json: &Fields) -> Option<Connection> {
        Some(match json.text_at("state")? {
            state if state == "disconnected" => Connection::Disconnected,
            state if state == "connecting" => Connection::Connecting,
            state if state == "connected" => Connection::Connected,
            state if state == "waiting" => Connection::Waiting {
                retry_in: json.u64_at("retry_in")?,
                code: json.i64_at("code")?,
                message: json.text_at("message")?,
            },
            state if state == "token_needed" => Connection::TokenNeeded,
            state => Connection::Other(state),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_later_versions_are_kept_whole() {
        let event = Event::read(r#"{"type":"reaction_storm","seq":7,"ts":1,"force":9}"#);
        assert!(matches!(&event.kind, EventKind::Other(name) if name == "reaction_storm"));
        assert_eq!(event.json().i64_at("force"), Some(9));
    }
}
