"""Events, typed. Every event is immutable; its ``document`` has all members that the library told."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, Union, cast, get_args

from ._pages import Page, PageItems
from ._words import Action as Action
from ._words import ConnectionName as ConnectionName
from ._words import FailedReason as FailedReason
from ._words import ListName as ListName
from ._words import Short as Short
from ._words import Source as Source
from ._words import SyncName as SyncName
from .details import Detail as Detail
from .documents import Channel, Message, SearchResult
from .documents import EvictionCandidate as EvictionCandidate
from .documents import Lost as Lost
from .documents import Position as Position
from .documents import Prefetched as Prefetched
from .documents import StreamRow as StreamRow

Item = TypeVar("Item", Channel, Message, SearchResult)

_SOURCES = frozenset(get_args(Source))


@dataclass(frozen=True)
class Event:
    """What all events have. Since 0.1."""

    #: Counts from 1 per client, without gaps.
    seq: int
    #: ms since the epoch, this machine's clock, for display only.
    ts: int
    _text: bytes = field(repr=False, compare=False)

    @property
    def document(self) -> dict[str, Any]:
        """The event as the library told it."""
        if self._text:
            return cast("dict[str, Any]", json.loads(self._text))
        # One that this package made, see Change.full().
        unsaid = ("_text", "detail", "removed")
        members = {item.name: getattr(self, item.name) for item in dataclasses.fields(self) if item.name not in unsaid}
        return {"type": _TYPES.get(type(self), "change"), **members}


@dataclass(frozen=True)
class Change(Event, Generic[Item]):
    """A list of a collection changed. The collection's live list has it already. Since 0.1."""

    #: The number of the collection.
    collection: int
    list: ListName
    action: Action
    #: Why the list changed. A source that this version does not know is "sync" here; ``document`` has its name.
    source: Source
    #: Whether ``source`` is a realtime event.
    from_event: bool
    #: Only for the list ``failed``.
    reason: FailedReason | None
    #: To be applied in order; empty for ``clear``.
    changes: Sequence[Position]
    #: The new content of each change, in the same order; empty for ``remove`` and ``clear``.
    items: Sequence[Item]
    #: What happened in particular, oldest first; empty when there is nothing to say (docs/events.md).
    detail: Sequence[Detail] = ()
    #: What the live list had at each change of a ``remove``, in the same order; empty for others, ``clear`` included.
    #: Each is parsed when it is read.
    removed: Sequence[Item] = ()


@dataclass(frozen=True)
class Result(Event):
    """A call is complete; whoever awaits it has been told. Since 0.1."""

    request: int
    call: str
    status: int


@dataclass(frozen=True)
class NewMessage(Event):
    """A message arrived that is not contiguous with what the collection shows; nothing was inserted. Since 0.1."""

    collection: int
    channel_url: str
    message: Message
    #: Why, as in ``Change``.
    source: Source
    from_event: bool
    #: What happened in particular, oldest first (docs/events.md).
    detail: Sequence[Detail] = ()


@dataclass(frozen=True)
class ChannelUpdated(Event):
    """The channel of a message collection changed. Since 0.1."""

    collection: int
    channel: Channel
    #: Why, as in ``Change``.
    source: Source
    from_event: bool
    #: What happened in particular, oldest first (docs/events.md).
    detail: Sequence[Detail] = ()


@dataclass(frozen=True)
class ChannelRemoved(Event):
    """The channel of a message collection is gone, or this user is out of it. Since 0.1."""

    collection: int
    channel_url: str
    #: Why, as in ``Change``.
    source: Source
    from_event: bool
    #: What happened in particular, oldest first (docs/events.md).
    detail: Sequence[Detail] = ()


@dataclass(frozen=True)
class CacheShown(Event):
    """``load`` has inserted the cached messages; the service's page comes next. Since 0.1."""

    collection: int
    #: The number of the call.
    request: int
    #: Messages that were inserted.
    count: int


@dataclass(frozen=True)
class ParentUpdated(Event):
    """The message that a thread answers, as it is now. Since 0.1."""

    collection: int
    message: Message
    #: Why, as in ``Change``.
    source: Source
    from_event: bool
    #: What happened in particular, oldest first (docs/events.md).
    detail: Sequence[Detail] = ()


@dataclass(frozen=True)
class ParentRemoved(Event):
    """The message that a thread answers is gone; its replies stay. Since 0.1."""

    collection: int
    message_id: str
    #: Why, as in ``Change``.
    source: Source
    from_event: bool
    #: What happened in particular, oldest first (docs/events.md).
    detail: Sequence[Detail] = ()


@dataclass(frozen=True)
class HugeGap(Event):
    """More messages are missing after a reconnect than the service fills: ``fetch("next")`` goes on,
    ``reset_viewpoint`` jumps.

    Since 0.1.
    """

    collection: int
    has_next: bool


@dataclass(frozen=True)
class Connection(Event):
    """The connection's state. Since 0.1."""

    state: ConnectionName
    #: ms until the next attempt, while ``waiting``.
    retry_in: int | None = None
    #: Why there is no connection: while ``waiting``, and when it ended without `disconnect()`. The service's code, or
    #: one of docs/errors.md.
    code: int | None = None
    #: The same in words.
    message: str | None = None


@dataclass(frozen=True)
class SyncState(Event):
    """Background sync runs, is paused, or has nothing to do. Since 0.1."""

    state: SyncName


@dataclass(frozen=True)
class UnreadCounts(Event):
    """How many unread messages this user has; after a login, and whenever it changes. Since 0.1."""

    #: Over all channels.
    all: int
    #: The same by channels' custom types.
    custom_types: dict[str, int]


@dataclass(frozen=True)
class UploadProgress(Event):
    """How much of a file of an own message has been sent. Since 0.1."""

    channel_url: str
    request_id: str
    #: Which of the message's files, from 0 on.
    file: int
    #: Bytes.
    sent: int
    total: int


@dataclass(frozen=True)
class DownloadProgress(Event):
    """How much of a file has been received. Since 0.1."""

    #: The number of the call of the action ``download_file``.
    request: int
    #: Bytes, also those that an earlier call has received.
    received: int
    #: None when the server does not say.
    total: int | None = None


@dataclass(frozen=True)
class ExportProgress(Event):
    """How many messages an export has written. Since 0.1."""

    #: The number of the call of the action ``export``.
    request: int
    #: Messages that are written.
    done: int
    #: Messages that are cached of what is exported.
    total: int


@dataclass(frozen=True)
class SearchProgress(Event):
    """How far an older cache is indexed for search. Since 0.1."""

    #: Messages that are indexed, roughly.
    done: int
    #: Messages that are cached, roughly.
    total: int
    complete: bool


@dataclass(frozen=True)
class SyncProgress(Event):
    """How far the background sync of a channel is. Since 0.1."""

    channel_url: str
    #: Messages cached by this run.
    done: int
    complete: bool
    #: The channel is done with by the configuration's ``prefetch``: how many channels are.
    prefetch: Prefetched | None = None


@dataclass(frozen=True)
class MessageReceived(Event):
    """A message of another user (configuration ``notify``), whether a collection shows its channel or not. It is told
    again at the next start, with the same ``id``, until it is acknowledged. Since 0.1."""

    id: int
    channel_url: str
    message: Message
    #: It mentions this user.
    mention: bool
    #: So many messages of the channel before this one were let go, since too many waited.
    missed: int
    #: Beside those others may have come while away, which nobody counted.
    more_missed: bool
    #: As it is now, if it is cached.
    channel: Channel | None = None


@dataclass(frozen=True)
class CacheFull(Event):
    """The cache is over its bound, and the configuration's ``cache_order`` is "host": answer within 5 seconds with the
    action ``evict``. Else, and behind the channels that it names, it goes by last use. Since 0.1."""

    #: Of rows of messages, so many have to go.
    bytes_to_free: int
    #: The channels that may lose messages, at most 1,000, those used longest ago first.
    candidates: list[EvictionCandidate]
    #: How many more there are.
    others: int


@dataclass(frozen=True)
class CacheTrimmed(Event):
    """Messages of a channel left the cache to make room; a page brings them again. Since 0.1."""

    channel_url: str
    messages: int
    #: Of their rows.
    bytes: int


@dataclass(frozen=True)
class TokenNeeded(Event):
    """The access token is missing or was revoked, or its user is gone; answer with ``set_token``. Since 0.1."""

    code: int
    message: str


@dataclass(frozen=True)
class CacheReset(Event):
    """The cache file was corrupt, was set aside as ``file``, and is being rebuilt. Since 0.1."""

    file: str


@dataclass(frozen=True)
class StorageProblem(Event):
    """The data directory could not be read or written; what is shown stays, sync tries again. Since 0.1."""

    message: str
    #: At the start: messages and writes that were found damaged and are not sent, as far as they can be read; the first
    #: 100.
    lost: list[Lost] = field(default_factory=list)
    #: How many in all.
    lost_count: int = 0


@dataclass(frozen=True)
class Overflow(Event):
    """The program lagged behind; a clear and a full insert follow for each list of the collection. Since 0.1."""

    collection: int
    dropped: int


@dataclass(frozen=True)
class StreamEvent(Event):
    """What changed a stream. The stream has it already. Since 0.1."""

    collection: int


@dataclass(frozen=True)
class StreamBatch(StreamEvent):
    """What one batch did to a stream. Since 0.1."""

    #: Whether the list begins again, empty.
    reset: bool = False
    #: At the places before the batch.
    deleted: list[StreamRow] = field(default_factory=list)
    #: At the places after the batch, as in ``moved`` and ``changed``.
    added: list[StreamRow] = field(default_factory=list)
    moved: list[StreamRow] = field(default_factory=list)
    changed: list[StreamRow] = field(default_factory=list)


@dataclass(frozen=True)
class StreamStep(StreamEvent):
    """One step of a batch, with the delivery "delegate". Since 0.1."""

    step: Literal["will_change", "deleted", "added", "changed", "did_change"]
    #: Those that were deleted, added or changed.
    rows: list[StreamRow] = field(default_factory=list)


@dataclass(frozen=True)
class StreamLoaded(StreamEvent):
    """A stream has loaded its first rows; or it cannot, and ``status`` and ``message`` say why. Since 0.1."""

    status: int
    message: str | None = None


@dataclass(frozen=True)
class ResourceEvent(Event):
    """An event of an operation on an object of the realtime database (docs/resources.md). Since 0.1."""

    #: ``will`` comes before anything is written (answer with ``resources.proceed``), ``did`` after the local commit,
    #: ``persisted`` after the remote one; ``action`` is the action log, ``error`` a refusal after the call was
    #: complete.
    step: Literal["will", "did", "persisted", "action", "error"]
    change: Literal["create", "update", "destroy"]
    #: The number of the call that asked for it.
    request: int
    resource_type: str
    key: str
    path: str
    context: str
    #: The given value, or the members of an update; None for a destroy.
    value: Any = None
    #: The number to answer a ``will`` with; 0 in other events.
    hook: int = 0
    #: Of ``action``: the value before and after; None for none.
    old: Any = None
    new: Any = None
    #: Of ``action``: resources of the context that are not in the path.
    extra: dict[str, Any] = field(default_factory=dict)
    #: Of ``persisted``: each with ``path`` and ``by``, and a ``status`` if it was refused.
    counters: list[dict[str, Any]] = field(default_factory=list)
    #: What was refused; 0 and None when nothing was.
    status: int = 0
    message: str | None = None


@dataclass(frozen=True)
class DatabaseValue(Event):
    """The value of a listened place of the database. The ``Listen`` has it already. Since 0.1."""

    #: The number of the listen.
    listen: int
    #: As JSON gives it; None is nothing.
    value: Any
    #: Whether the value comes from the service over an open connection.
    current: bool


@dataclass(frozen=True)
class DatabaseListenEnded(Event):
    """A listen has ended: the service refuses it (``code`` is the HTTP status). Since 0.1."""

    listen: int
    code: int
    message: str


@dataclass(frozen=True)
class DatabaseTransform(Event):
    """A transaction asks for the new value in place of this one; its function answers. Since 0.1."""

    transaction: int
    value: Any


@dataclass(frozen=True)
class DatabaseWriteRefused(Event):
    """The service refused a write that no call waits for; the write is taken back. Since 0.1."""

    path: str
    code: int
    message: str


@dataclass(frozen=True)
class DatabaseTokenNeeded(Event):
    """The database does not accept the token any more; answer with ``database.set_token``. Since 0.1."""


@dataclass(frozen=True)
class UnknownEvent(Event):
    """An event of a later version of the library; ``document`` has it. Since 0.1."""

    type: str


AnyChange = Union["Change[Channel]", "Change[Message]", "Change[SearchResult]"]
#: What a collection of channels, messages or results tells; ``isinstance`` and ``match`` narrow it.
CollectionEvent = Union[
    Change[Item],
    NewMessage,
    ChannelUpdated,
    ChannelRemoved,
    CacheShown,
    ParentUpdated,
    ParentRemoved,
    HugeGap,
    Overflow,
]
#: What a stream tells.
StreamNotice = Union[StreamBatch, StreamStep, StreamLoaded, Overflow]
#: What a client tells: every event there is.
AnyEvent = Union[
    CollectionEvent[Channel],
    CollectionEvent[Message],
    CollectionEvent[SearchResult],
    StreamNotice,
    Result,
    Connection,
    SyncState,
    UnreadCounts,
    UploadProgress,
    DownloadProgress,
    ExportProgress,
    SearchProgress,
    SyncProgress,
    MessageReceived,
    CacheFull,
    CacheTrimmed,
    TokenNeeded,
    CacheReset,
    StorageProblem,
    ResourceEvent,
    DatabaseValue,
    DatabaseListenEnded,
    DatabaseTransform,
    DatabaseWriteRefused,
    DatabaseTokenNeeded,
    UnknownEvent,
]

#: The class of each type of event; those of steps, and changes, are told apart by more than that.
_KINDS: dict[str, type[Event]] = {
    "result": Result,
    "new_message": NewMessage,
    "channel_updated": ChannelUpdated,
    "channel_removed": ChannelRemoved,
    "cache_shown": CacheShown,
    "parent_updated": ParentUpdated,
    "parent_removed": ParentRemoved,
    "huge_gap": HugeGap,
    "connection": Connection,
    "sync_state": SyncState,
    "unread_counts": UnreadCounts,
    "upload_progress": UploadProgress,
    "download_progress": DownloadProgress,
    "export_progress": ExportProgress,
    "search_progress": SearchProgress,
    "sync_progress": SyncProgress,
    "message_received": MessageReceived,
    "cache_full": CacheFull,
    "cache_trimmed": CacheTrimmed,
    "token_needed": TokenNeeded,
    "cache_reset": CacheReset,
    "storage_error": StorageProblem,
    "overflow": Overflow,
    "stream_batch": StreamBatch,
    "stream_loaded": StreamLoaded,
    "database_value": DatabaseValue,
    "database_listen_ended": DatabaseListenEnded,
    "database_transform": DatabaseTransform,
    "database_write_refused": DatabaseWriteRefused,
    "database_token_needed": DatabaseTokenNeeded,
}
_TYPES: dict[type[Event], str] = {kind: name for name, kind in _KINDS.items()}
_MEMBERS: dict[type[Event], list[str]] = {
    kind: [item.name for item in dataclasses.fields(kind)[3:]]  # behind those that all have
    for kind in (*_KINDS.values(), StreamStep, ResourceEvent)
}

# A change longer than this is split before it is parsed; the pages of a fetch are, single messages are not.
_LONG = 4096
_CHANGE = b'{"type":"change"'


def _source(name: str) -> Source:
    return cast(Source, name if name in _SOURCES else "sync")


def _change(head: dict[str, Any], items: Sequence[Any], text: bytes) -> Change[Any]:
    return Change(
        head["seq"],
        head["ts"],
        text,
        head["collection"],
        head["list"],
        head["action"],
        _source(head["source"]),
        head["from_event"],
        head.get("reason"),
        head["changes"],
        items,
        head.get("detail", ()),
    )


def _long_change(text: bytes) -> Change[Any] | None:
    """A change whose items stay text until they are read; None if the event does not have the expected shape."""
    key = b'"messages":['
    for name in (b"channels", b"results"):
        if text.find(b'"list":"' + name + b'"', 0, 200) >= 0:
            key = b'"' + name + b'":['
    # Behind a quote that no backslash precedes: in a JSON text that is a key or a whole string, never inside of one.
    start = text.find(key)
    if start < 0 or not text.endswith(b"]}"):
        return None
    try:
        head = json.loads(text[: start - 1] + b"}")
        page = Page(text, start + len(key) - 1, len(head["changes"]))
        return _change(head, PageItems(page), text)
    except (ValueError, KeyError):
        return None


def decode(text: bytes) -> AnyEvent:
    """The event of a JSON text of the library."""
    if len(text) > _LONG and text.startswith(_CHANGE):
        change = _long_change(text)
        if change is not None:
            return change
    event: dict[str, Any] = json.loads(text)
    name: str = event["type"]
    if name == "change":
        items: list[Any] = event.get("channels") or event.get("messages") or event.get("results") or []
        return _change(event, items, text)
    kind = _KINDS.get(name)
    group, _, rest = name.partition("_")
    if kind is None and group == "resource":
        kind, event["step"] = ResourceEvent, rest.partition("_")[0]
    elif kind is None and group == "stream":
        kind, event["step"] = StreamStep, rest
    if kind is None:
        return UnknownEvent(event["seq"], event["ts"], text, name)
    members = {member: event[member] for member in _MEMBERS[kind] if member in event}
    if "source" in members:
        members["source"] = _source(members["source"])
    return cast(AnyEvent, kind(event["seq"], event["ts"], text, **members))
