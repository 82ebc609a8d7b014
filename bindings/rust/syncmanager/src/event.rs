//! What a client has to tell, with types.

use std::collections::VecDeque;

use crate::error::{Error, ErrorKind, Result};
use crate::item::{Channel, Message};
use crate::json::{Fields, Json};

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
    /// More is missing after a reconnect than the service fills.
    HugeGap { collection: u64, has_next: bool },
    /// The connection's state.
    Connection(Connection),
    /// The state of background sync.
    SyncState(SyncState),
    /// How many messages wait for this user, over all channels and by channels' custom types (an object of numbers).
    UnreadCounts { all: u64, custom_types: Json },
    /// How far background sync of a channel is.
    SyncProgress { channel_url: String, done: u64, complete: bool },
    /// The access token is missing or was revoked, or its user is gone: `code` and `message` are the service's. Answer
    /// with [`Client::set_token`](crate::Client::set_token).
    TokenNeeded { code: i64, message: String },
    /// The cache file was corrupt, was set aside, and is being rebuilt.
    CacheReset { file: String },
    /// The data directory could not be read or written. At the start also: what was to be sent, was found damaged and
    /// is not sent; `lost` has the first hundred as far as they can be read (objects with `kind`), `lost_count` how
    /// many they are in all.
    StorageError { message: String, lost: Vec<Json>, lost_count: u64 },
    /// The program lagged behind; the lists follow whole, as changes.
    Overflow { collection: u64, dropped: u64 },
    /// What one batch did to a stream.
    StreamBatch(StreamBatch),
    /// One step of a batch, with the delivery `delegate`.
    StreamStep(StreamStep),
    /// A stream shows what there was at first; or it will not, and `status` (an `SM_ERR_` number) and `message` say
    /// why.
    StreamLoaded { collection: u64, status: i32, message: Option<String> },
    /// Something of an operation on an object of the realtime database.
    Resource(ResourceEvent),
    /// What is at a place of the database that is listened to; `listen` is the number of the call, `current` whether
    /// the service is being heard. A `null` is nothing.
    DatabaseValue { listen: u64, value: Json, current: bool },
    /// Nothing more is told of a place: the service refuses it, and `code` is the HTTP status.
    DatabaseListenEnded { listen: u64, code: i64, message: String },
    /// A transaction, by the number of its call, asks what a value becomes.
    DatabaseTransform { transaction: u64, value: Json },
    /// A write to the database that no call waits for was refused, and is taken back.
    DatabaseWriteRefused { path: String, code: i64, message: String },
    /// The database does not take the token any more. Answer with
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
    /// The next attempt comes in so many milliseconds.
    Waiting { retry_in: u64 },
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

/// One of a collection's lists. Since 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum List {
    Channels,
    Succeeded,
    Pending,
    Failed,
}

/// Changes of one list, to be applied in order. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The collection's number.
    pub collection: u64,
    /// Which of its lists.
    pub list: List,
    /// Why.
    pub source: Source,
    /// Whether a realtime event is the reason.
    pub from_event: bool,
    /// Why the list of failed messages changed: `none`, `remove_resend_succeeded`, `remove_exceeded_max_count`,
    /// `remove_manual_action`.
    pub reason: Option<String>,
    /// What to do, in order; every index is valid at the moment it is applied.
    pub steps: Vec<Step>,
}

/// One change of a list. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Step {
    Insert {
        index: usize,
        id: String,
        item: Json,
    },
    Update {
        index: usize,
        id: String,
        item: Json,
    },
    /// Take the element out at `from`, then put it in at `to`.
    Move {
        from: usize,
        to: usize,
        id: String,
        item: Json,
    },
    Remove {
        index: usize,
        id: String,
    },
    Clear,
}

/// Why a list changed. Since 0.1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    Cache,
    Sync,
    /// Missed while away.
    MessageFill,
    MessageChangelog,
    ChannelChangelog,
    ChannelRefresh,
    /// Trimmed.
    Capacity,
    Overflow,
    ViewpointReset,
    CacheCleared,
    LocalMessagePendingCreated,
    LocalMessageFailed,
    LocalMessageCanceled,
    LocalMessageResendStarted,
    /// An optimistic action is shown, or taken back.
    LocalAction,
    /// A realtime event; its name without `event_`.
    Event(String),
    /// To be treated as [`Source::Sync`].
    Other(String),
}

impl Source {
    fn named(name: String) -> Source {
        match name.as_str() {
            "cache" => Source::Cache,
            "sync" => Source::Sync,
            "message_fill" => Source::MessageFill,
            "message_changelog" => Source::MessageChangelog,
            "channel_changelog" => Source::ChannelChangelog,
            "channel_refresh" => Source::ChannelRefresh,
            "capacity" => Source::Capacity,
            "overflow" => Source::Overflow,
            "viewpoint_reset" => Source::ViewpointReset,
            "cache_cleared" => Source::CacheCleared,
            "local_message_pending_created" => Source::LocalMessagePendingCreated,
            "local_message_failed" => Source::LocalMessageFailed,
            "local_message_canceled" => Source::LocalMessageCanceled,
            "local_message_resend_started" => Source::LocalMessageResendStarted,
            "local_action" => Source::LocalAction,
            _ => match name.strip_prefix("event_") {
                Some(event) => Source::Event(event.to_owned()),
                None => Source::Other(name),
            },
        }
    }
}

impl Step {
    /// Does to `items` what happened to the library's list. Fails with [`ErrorKind::Internal`] when the list is not as
    /// long as it should be, that is, when a change was left out before.
    pub fn apply<T: From<Json>>(&self, items: &mut VecDeque<T>) -> Result<()> {
        let length = items.len();
        let misfit = |index: usize| {
            let message = format!("a change at {index} does not fit a list of {length}: {self:?}");
            Err(Error::new(ErrorKind::Internal, message))
        };
        match self {
            Step::Insert { index, .. } if *index > length => misfit(*index),
            Step::Insert { index, item, .. } => {
                items.insert(*index, T::from(item.detached()));
                Ok(())
            }
            Step::Update { index, item, .. } => match items.get_mut(*index) {
                Some(place) => {
                    *place = T::from(item.detached());
                    Ok(())
                }
                None => misfit(*index),
            },
            Step::Move { from, to, .. } if *from >= length || *to >= length => misfit(*from.max(to)),
            Step::Move { from, to, item, .. } => {
                items.remove(*from);
                items.insert(*to, T::from(item.detached()));
                Ok(())
            }
            Step::Remove { index, .. } => items.remove(*index).map_or_else(|| misfit(*index), |_| Ok(())),
            Step::Clear => {
                items.clear();
                Ok(())
            }
        }
    }
}

impl Change {
    /// Does to `items` what happened to the library's list; see [`Step::apply`].
    pub fn apply<T: From<Json>>(&self, items: &mut VecDeque<T>) -> Result<()> {
        self.steps.iter().try_for_each(|step| step.apply(items))
    }

    fn read(json: &Fields) -> Option<Change> {
        let list = match json.text_at("list")?.as_str() {
            "channels" => List::Channels,
            "succeeded" => List::Succeeded,
            "pending" => List::Pending,
            "failed" => List::Failed,
            _ => return None,
        };
        let action = json.text_at("action")?;
        let items = json.get(if list == List::Channels { "channels" } else { "messages" });
        let mut items = items.into_iter().flat_map(Json::elements);
        let mut steps = Vec::new();
        if action == "clear" {
            steps.push(Step::Clear);
        }
        for change in json.get("changes")?.elements() {
            let change = change.fields();
            let id = change.text_at("id")?;
            let at = |key: &str| change.u64_at(key).and_then(|index| usize::try_from(index).ok());
            steps.push(match action.as_str() {
                "insert" => Step::Insert { index: at("index")?, id, item: items.next()? },
                "update" => Step::Update { index: at("index")?, id, item: items.next()? },
                "move" => Step::Move { from: at("from")?, to: at("to")?, id, item: items.next()? },
                "remove" => Step::Remove { index: at("index")?, id },
                _ => return None,
            });
        }
        Some(Change {
            collection: json.u64_at("collection")?,
            list,
            source: Source::named(json.text_at("source")?),
            from_event: json.bool_at("from_event").unwrap_or(false),
            reason: json.text_at("reason"),
            steps,
        })
    }
}

/// A row of a stream in an event. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamRow {
    /// Section and place there: before the batch for a deleted row, after it for any other.
    pub path: (usize, usize),
    /// Where a row that moved was before.
    pub from: Option<(usize, usize)>,
    /// Unique within the stream.
    pub key: String,
    /// The row; `None` for a deleted one.
    pub item: Option<Json>,
}

/// What one batch did to a stream. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamBatch {
    /// The stream's number.
    pub collection: u64,
    /// The list begins again, empty.
    pub reset: bool,
    pub deleted: Vec<StreamRow>,
    pub added: Vec<StreamRow>,
    pub moved: Vec<StreamRow>,
    pub changed: Vec<StreamRow>,
}

/// One step of a batch, with the delivery `delegate`. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamStep {
    /// The stream's number.
    pub collection: u64,
    /// `will_change`, `deleted`, `added`, `changed` or `did_change`.
    pub step: String,
    pub rows: Vec<StreamRow>,
}

/// Something of an operation on an object of the realtime database (`docs/resources.md`); what a step has besides is in
/// [`Event::json`]. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResourceEvent {
    /// `will`, `did`, `persisted`, `action` or `error`.
    pub step: String,
    /// `create`, `update` or `destroy`.
    pub change: String,
    /// The number of the call that asked for it.
    pub request: u64,
    pub resource_type: String,
    pub key: String,
    pub path: String,
    pub context: String,
    /// What the object is to be, or members of an update.
    pub value: Option<Json>,
    /// Of `will`: for [`Client::continue_resource`](crate::Client::continue_resource).
    pub hook: Option<u64>,
}

impl ResourceEvent {
    fn read(name: &str, json: &Fields) -> Option<ResourceEvent> {
        Some(ResourceEvent {
            step: name.split('_').nth(1)?.to_owned(),
            change: json.text_at("change")?,
            request: json.u64_at("request")?,
            resource_type: json.text_at("resource_type")?,
            key: json.text_at("key")?,
            path: json.text_at("path")?,
            context: json.text_at("context")?,
            value: json.get("value").cloned(),
            hook: json.u64_at("hook"),
        })
    }
}

impl StreamRow {
    fn read(json: &Json) -> Option<StreamRow> {
        let fields = json.fields();
        let path = |key: &str| {
            let path: Vec<usize> =
                fields.get(key)?.elements().filter_map(|part| usize::try_from(part.as_u64()?).ok()).collect();
            Some((*path.first()?, *path.get(1)?))
        };
        Some(StreamRow {
            path: path("path")?,
            from: path("from"),
            key: fields.text_at("key")?,
            item: fields.get("item").cloned(),
        })
    }

    fn list(json: &Fields, key: &str) -> Option<Vec<StreamRow>> {
        json.get(key).map_or(Some(Vec::new()), |rows| rows.elements().map(|row| StreamRow::read(&row)).collect())
    }
}

impl StreamBatch {
    fn read(json: &Fields) -> Option<StreamBatch> {
        Some(StreamBatch {
            collection: json.u64_at("collection")?,
            reset: json.bool_at("reset").unwrap_or(false),
            deleted: StreamRow::list(json, "deleted")?,
            added: StreamRow::list(json, "added")?,
            moved: StreamRow::list(json, "moved")?,
            changed: StreamRow::list(json, "changed")?,
        })
    }
}

/// How a call ended. Since 0.1.
#[derive(Clone, Debug)]
pub struct Outcome {
    request: u64,
    status: i32,
    json: Json,
}

impl Outcome {
    fn read(fields: &Fields, json: &Json) -> Option<Outcome> {
        let status = i32::try_from(fields.i64_at("status")?).ok()?;
        Some(Outcome { request: fields.u64_at("request")?, status, json: json.clone() })
    }

    /// The number of the call.
    pub fn request(&self) -> u64 {
        self.request
    }

    /// What failed, or the outcome itself.
    pub fn ok(self) -> Result<Outcome> {
        match self.error() {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// What failed, with the service's own code and words where it gave them.
    pub fn error(&self) -> Option<Error> {
        if self.status >= 0 {
            return None;
        }
        let words = self.json.text_at("message").unwrap_or_default();
        Some(Error::of_service(ErrorKind::from_code(self.status), words, self.json.i64_at("code")))
    }

    /// Of a fetch: whether more can be fetched in that direction.
    pub fn has_more(&self) -> bool {
        self.json.bool_at("has_more").unwrap_or(false)
    }

    /// Of a start: whether older messages can be fetched.
    pub fn has_previous(&self) -> bool {
        self.json.bool_at("has_previous").unwrap_or(false)
    }

    /// Of a start: whether newer messages can be fetched.
    pub fn has_next(&self) -> bool {
        self.json.bool_at("has_next").unwrap_or(false)
    }

    /// Of a fetch or a start: why nothing more can come for now, `offline`, `paused`, `error` or `reset`.
    pub fn short(&self) -> Option<String> {
        self.json.text_at("short")
    }

    /// Of a send or an edit that succeeded: the service's message.
    pub fn message(&self) -> Option<Message> {
        self.json.get("message").filter(|message| message.as_text().starts_with('{')).map(Message::from)
    }

    /// Of own messages that were fetched: how many were inserted.
    pub fn count(&self) -> Option<u64> {
        self.json.u64_at("count")
    }

    /// Of messages opened from the cache: their channel.
    pub fn channel(&self) -> Option<Channel> {
        self.json.get("channel").map(Channel::from)
    }

    /// Of calls on own messages: the message's request id.
    pub fn request_id(&self) -> Option<String> {
        self.json.text_at("request_id")
    }

    /// Of an action, or a request to a stream, that succeeded: what it gave, if it gives something.
    pub fn result(&self) -> Option<Json> {
        self.json.get("result")
    }

    /// The whole result event.
    pub fn json(&self) -> &Json {
        &self.json
    }
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
            "sync_progress" => EventKind::SyncProgress {
                channel_url: channel_url()?,
                done: json.u64_at("done")?,
                complete: json.bool_at("complete")?,
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
            state if state == "waiting" => Connection::Waiting { retry_in: json.u64_at("retry_in")? },
            state if state == "token_needed" => Connection::TokenNeeded,
            state => Connection::Other(state),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(action: &str, changes: &str, items: &str) -> Change {
        let text = format!(
            r#"{{"type":"change","seq":1,"ts":2,"collection":3,"list":"channels","action":"{action}","source":"sync",
                "from_event":false,"changes":{changes},"channels":{items}}}"#
        );
        match Event::read(&text).kind {
            EventKind::Change(change) => change,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn changes_are_applied_in_order() -> Result<()> {
        let mut list: VecDeque<Json> = VecDeque::new();
        change("insert", r#"[{"index":0,"id":"a"},{"index":1,"id":"b"},{"index":2,"id":"c"}]"#, "[1,2,3]")
            .apply(&mut list)?;
        change("move", r#"[{"from":2,"to":0,"id":"c"}]"#, "[33]").apply(&mut list)?;
        change("update", r#"[{"index":1,"id":"a"}]"#, "[11]").apply(&mut list)?;
        change("remove", r#"[{"index":2,"id":"b"}]"#, "[]").apply(&mut list)?;
        assert_eq!(list.iter().map(Json::as_text).collect::<Vec<_>>(), ["33", "11"]);
        change("clear", "[]", "[]").apply(&mut list)?;
        assert!(list.is_empty());
        Ok(())
    }

    #[test]
    fn a_change_that_does_not_fit_is_an_error() {
        for (action, changes) in [
            ("insert", r#"[{"index":1,"id":"a"}]"#),
            ("update", r#"[{"index":0,"id":"a"}]"#),
            ("remove", r#"[{"index":0,"id":"a"}]"#),
            ("move", r#"[{"from":0,"to":0,"id":"a"}]"#),
        ] {
            let mut list: VecDeque<Json> = VecDeque::new();
            let outcome = change(action, changes, "[1]").apply(&mut list);
            assert_eq!(outcome.map_err(|error| error.kind()), Err(ErrorKind::Internal), "{action}");
        }
    }

    #[test]
    fn events_of_later_versions_are_kept_whole() {
        let event = Event::read(r#"{"type":"reaction_storm","seq":7,"ts":1,"force":9}"#);
        assert!(matches!(&event.kind, EventKind::Other(name) if name == "reaction_storm"));
        assert_eq!(event.json().i64_at("force"), Some(9));
    }

    #[test]
    fn a_result_is_an_error_with_the_words_of_the_service() {
        let event =
            Event::read(r#"{"type":"result","seq":1,"ts":1,"request":4,"status":-14,"code":900060,"message":"no"}"#);
        let error = match event.kind {
            EventKind::Result(outcome) => outcome.ok().err(),
            other => panic!("{other:?}"),
        };
        let error = error.expect("a negative status is an error");
        assert_eq!((error.kind(), error.message(), error.service_code()), (ErrorKind::Service, "no", Some(900060)));
    }
}
