"""Events, typed. Every one is immutable, and says with ``document`` what the library said, member by member."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypedDict, TypeVar, Union, cast, get_args

from ._pages import Page, PageItems
from .documents import Channel, Message

Item = TypeVar("Item", Channel, Message)

ListName = Literal["channels", "succeeded", "pending", "failed"]
Action = Literal["insert", "update", "move", "remove", "clear"]
#: Why a list changed.
Source = Literal[
    "cache",
    "sync",
    "message_fill",
    "message_changelog",
    "channel_changelog",
    "channel_refresh",
    "capacity",
    "overflow",
    "viewpoint_reset",
    "cache_cleared",
    "local_message_pending_created",
    "local_message_failed",
    "local_message_canceled",
    "local_message_resend_started",
    "local_action",
    "event_message_received",
    "event_message_sent",
    "event_message_updated",
    "event_message_deleted",
    "event_reaction_updated",
    "event_thread_info_updated",
    "event_mention",
    "event_channel_created",
    "event_channel_changed",
    "event_channel_deleted",
    "event_channel_hidden",
    "event_channel_unhidden",
    "event_channel_reset_history",
    "event_channel_frozen",
    "event_channel_unfrozen",
    "event_channel_member_count_changed",
    "event_user_muted",
    "event_user_unmuted",
    "event_user_banned",
    "event_user_unbanned",
    "event_user_joined",
    "event_user_left",
    "event_user_received_invitation",
    "event_user_declined_invitation",
    "event_operator_updated",
    "event_user_marked_read",
    "event_user_marked_unread",
    "event_current_user_marked_read",
    "event_current_user_marked_unread",
    "event_delivery_status_updated",
    "event_typing_status_updated",
    "event_meta_data_created",
    "event_meta_data_updated",
    "event_meta_data_deleted",
    "event_meta_counter_created",
    "event_meta_counter_updated",
    "event_meta_counter_deleted",
    "event_pinned_message_updated",
]
#: Why a message left the list ``failed``, or came to it.
FailedReason = Literal["none", "remove_resend_succeeded", "remove_exceeded_max_count", "remove_manual_action"]
ConnectionName = Literal["disconnected", "connecting", "connected", "waiting", "token_needed"]
SyncName = Literal["idle", "running", "paused"]
Short = Literal["offline", "paused", "error", "reset"]

_SOURCES = frozenset(get_args(Source))


#: Where one item of a change is: ``index``, or ``from`` and ``to`` of a move; and its id, a text.
Position = TypedDict("Position", {"index": int, "from": int, "to": int, "id": str}, total=False)


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
        members = {item.name: getattr(self, item.name) for item in dataclasses.fields(self) if item.name[0] != "_"}
        return {"type": "change" if isinstance(self, Change) else "overflow", **members}


@dataclass(frozen=True)
class Change(Event, Generic[Item]):
    """A list of a collection changed. The collection's live list has it already. Since 0.1."""

    #: The number of the collection.
    collection: int
    list: ListName
    action: Action
    #: Why; a source that a later version of the library adds is "sync" here, and itself in ``document``.
    source: Source
    #: Whether ``source`` is a realtime event.
    from_event: bool
    #: Only for the list ``failed``.
    reason: FailedReason | None
    #: To be applied in order; empty for ``clear``.
    changes: Sequence[Position]
    #: The new content of each change, in the same order; empty for ``remove`` and ``clear``.
    items: Sequence[Item]


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


@dataclass(frozen=True)
class ChannelUpdated(Event):
    """The channel of a message collection changed. Since 0.1."""

    collection: int
    channel: Channel


@dataclass(frozen=True)
class ChannelRemoved(Event):
    """The channel of a message collection is gone, or this user is out of it. Since 0.1."""

    collection: int
    channel_url: str


@dataclass(frozen=True)
class CacheShown(Event):
    """``load`` has inserted what the cache had; what the service says comes next. Since 0.1."""

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


@dataclass(frozen=True)
class ParentRemoved(Event):
    """The message that a thread answers is gone; its replies stay. Since 0.1."""

    collection: int
    message_id: str


@dataclass(frozen=True)
class HugeGap(Event):
    """More is missing after a reconnect than the service fills: ``fetch("next")`` goes on, ``reset_viewpoint`` jumps.

    Since 0.1.
    """

    collection: int
    has_next: bool


@dataclass(frozen=True)
class Connection(Event):
    """The connection's state. Since 0.1."""

    state: ConnectionName
    #: ms until the next attempt, while ``waiting``.
    retry_in: int | None


@dataclass(frozen=True)
class SyncState(Event):
    """Background sync runs, pauses, or has nothing to do. Since 0.1."""

    state: SyncName


@dataclass(frozen=True)
class UnreadCounts(Event):
    """How many messages wait for this user; after a login, and whenever it changes. Since 0.1."""

    #: Over all channels.
    all: int
    #: The same by channels' custom types.
    custom_types: dict[str, int]


@dataclass(frozen=True)
class SyncProgress(Event):
    """How far the background sync of a channel is. Since 0.1."""

    channel_url: str
    #: Messages cached by this run.
    done: int
    complete: bool


@dataclass(frozen=True)
class TokenNeeded(Event):
    """The access token is missing or was revoked, or its user is gone; answer with ``set_token``. Since 0.1."""

    code: int
    message: str


@dataclass(frozen=True)
class CacheReset(Event):
    """The cache file was corrupt, was set aside as ``file``, and is being rebuilt. Since 0.1."""

    file: str


class Lost(TypedDict, total=False):
    """A message or a write to the database that is damaged and will not be sent. Since 0.1."""

    #: "message", with ``channel_url`` and ``request_id``, or "database_write", with all others.
    kind: str
    channel_url: str
    request_id: str
    url: str
    name: str
    path: str
    #: "set", "update" or "count"; absent where that cannot be read.
    write: str
    id: int


@dataclass(frozen=True)
class StorageProblem(Event):
    """The data directory could not be read or written; what is shown stays, sync tries again. Since 0.1."""

    message: str
    #: At the start: what was to be sent, was found damaged and is not sent, as far as it can be read; the first 100.
    lost: list[Lost]
    #: How many in all.
    lost_count: int


@dataclass(frozen=True)
class Overflow(Event):
    """The program lagged behind; a clear and a full insert follow for each list of the collection. Since 0.1."""

    collection: int
    dropped: int


#: A row of a stream: ``path`` is [section, row], ``from`` that of a row that moved; a deleted one has no ``item``.
StreamRow = TypedDict("StreamRow", {"path": list[int], "from": list[int], "key": str, "item": Any}, total=False)


@dataclass(frozen=True)
class StreamEvent(Event):
    """What changed a stream. The stream has it already. Since 0.1."""

    collection: int


@dataclass(frozen=True)
class StreamBatch(StreamEvent):
    """What one batch did to a stream. Since 0.1."""

    #: Whether the list begins again, empty.
    reset: bool
    #: At the places before the batch.
    deleted: list[StreamRow]
    #: At the places after the batch, as in ``moved`` and ``changed``.
    added: list[StreamRow]
    moved: list[StreamRow]
    changed: list[StreamRow]


@dataclass(frozen=True)
class StreamStep(StreamEvent):
    """One step of a batch, with the delivery "delegate". Since 0.1."""

    step: Literal["will_change", "deleted", "added", "changed", "did_change"]
    #: Those that were deleted, added or changed.
    rows: list[StreamRow]


@dataclass(frozen=True)
class StreamLoaded(StreamEvent):
    """A stream shows what there was at first; or it will not, and ``status`` and ``message`` say why. Since 0.1."""

    status: int
    message: str | None


@dataclass(frozen=True)
class ResourceEvent(Event):
    """Something of an operation on an object of the realtime database (docs/resources.md). Since 0.1."""

    #: Before it (answer with ``resources.proceed``), after the local commit, after the remote one; the log of actions;
    #: a refusal after the call was complete.
    step: Literal["will", "did", "persisted", "action", "error"]
    change: Literal["create", "update", "destroy"]
    #: The number of the call that asked for it.
    request: int
    resource_type: str
    key: str
    path: str
    context: str
    #: What the object is to be, or members of an update; None for a destroy.
    value: Any
    #: Of ``will``; 0 of others.
    hook: int
    #: Of ``action``: what was there before and is there now; None for nothing.
    old: Any
    new: Any
    #: Of ``action``: what the context has and the path does not tell.
    extra: dict[str, Any]
    #: Of ``persisted``: each with ``path`` and ``by``, and a ``status`` if it was refused.
    counters: list[dict[str, Any]]
    #: What was refused; 0 and None when nothing was.
    status: int
    message: str | None


@dataclass(frozen=True)
class DatabaseValue(Event):
    """What is at a place of the database that is listened to. The ``Listen`` has it already. Since 0.1."""

    #: The number of the listen.
    listen: int
    #: As JSON gives it; None is nothing.
    value: Any
    #: Whether the service is being heard.
    current: bool


@dataclass(frozen=True)
class DatabaseListenEnded(Event):
    """Nothing more is told of a place: the service refuses it (``code`` is the HTTP status). Since 0.1."""

    listen: int
    code: int
    message: str


@dataclass(frozen=True)
class DatabaseTransform(Event):
    """A transaction asks what a value becomes; its function answers. Since 0.1."""

    transaction: int
    value: Any


@dataclass(frozen=True)
class DatabaseWriteRefused(Event):
    """A write to the database that no call waits for was refused, and is taken back. Since 0.1."""

    path: str
    code: int
    message: str


@dataclass(frozen=True)
class DatabaseTokenNeeded(Event):
    """The database does not take the token any more; answer with ``database.set_token``. Since 0.1."""


@dataclass(frozen=True)
class UnknownEvent(Event):
    """An event of a later version of the library; ``document`` has it. Since 0.1."""

    type: str


AnyChange = Union["Change[Channel]", "Change[Message]"]

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
    )


def _long_change(text: bytes) -> Change[Any] | None:
    """A change whose items stay text until they are read; None if the event does not have the expected shape."""
    key = b'"messages":[' if text.find(b'"list":"channels"', 0, 200) < 0 else b'"channels":['
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


def _resource_event(event: dict[str, Any], text: bytes) -> ResourceEvent:
    return ResourceEvent(
        event["seq"],
        event["ts"],
        text,
        cast(Any, event["type"].split("_")[1]),
        event["change"],
        event["request"],
        event["resource_type"],
        event["key"],
        event["path"],
        event["context"],
        event.get("value"),
        event.get("hook", 0),
        event.get("old"),
        event.get("new"),
        event.get("extra", {}),
        event.get("counters", []),
        event.get("status", 0),
        event.get("message"),
    )


def decode(text: bytes) -> Event:
    """The event of a JSON text of the library."""
    if len(text) > _LONG and text.startswith(_CHANGE):
        change = _long_change(text)
        if change is not None:
            return change
    event: dict[str, Any] = json.loads(text)
    seq, ts, kind = event["seq"], event["ts"], event["type"]
    if kind == "change":
        return _change(event, cast(list[Any], event.get("channels") or event.get("messages") or []), text)
    if kind == "result":
        return Result(seq, ts, text, event["request"], event["call"], event["status"])
    if kind == "new_message":
        return NewMessage(seq, ts, text, event["collection"], event["channel_url"], event["message"])
    if kind == "channel_updated":
        return ChannelUpdated(seq, ts, text, event["collection"], event["channel"])
    if kind == "channel_removed":
        return ChannelRemoved(seq, ts, text, event["collection"], event["channel_url"])
    if kind == "cache_shown":
        return CacheShown(seq, ts, text, event["collection"], event["request"], event["count"])
    if kind == "parent_updated":
        return ParentUpdated(seq, ts, text, event["collection"], event["message"])
    if kind == "parent_removed":
        return ParentRemoved(seq, ts, text, event["collection"], event["message_id"])
    if kind == "huge_gap":
        return HugeGap(seq, ts, text, event["collection"], event["has_next"])
    if kind == "connection":
        return Connection(seq, ts, text, event["state"], event.get("retry_in"))
    if kind == "sync_state":
        return SyncState(seq, ts, text, event["state"])
    if kind == "unread_counts":
        return UnreadCounts(seq, ts, text, event["all"], event["custom_types"])
    if kind == "sync_progress":
        return SyncProgress(seq, ts, text, event["channel_url"], event["done"], event["complete"])
    if kind == "token_needed":
        return TokenNeeded(seq, ts, text, event["code"], event["message"])
    if kind == "cache_reset":
        return CacheReset(seq, ts, text, event["file"])
    if kind == "storage_error":
        return StorageProblem(seq, ts, text, event["message"], event.get("lost", []), event.get("lost_count", 0))
    if kind == "overflow":
        return Overflow(seq, ts, text, event["collection"], event["dropped"])
    if kind == "stream_batch":
        rows = (event["deleted"], event["added"], event["moved"], event["changed"])
        return StreamBatch(seq, ts, text, event["collection"], event.get("reset", False), *rows)
    if kind == "stream_loaded":
        return StreamLoaded(seq, ts, text, event["collection"], event["status"], event.get("message"))
    if kind.startswith("stream_"):
        step = cast(Any, kind[len("stream_") :])
        return StreamStep(seq, ts, text, event["collection"], step, event.get("rows", []))
    if kind.startswith("resource_"):
        return _resource_event(event, text)
    if kind == "database_value":
        return DatabaseValue(seq, ts, text, event["listen"], event["value"], event["current"])
    if kind == "database_listen_ended":
        return DatabaseListenEnded(seq, ts, text, event["listen"], event["code"], event["message"])
    if kind == "database_transform":
        return DatabaseTransform(seq, ts, text, event["transaction"], event["value"])
    if kind == "database_write_refused":
        return DatabaseWriteRefused(seq, ts, text, event["path"], event["code"], event["message"])
    if kind == "database_token_needed":
        return DatabaseTokenNeeded(seq, ts, text)
    return UnknownEvent(seq, ts, text, kind)
