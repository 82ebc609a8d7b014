"""Collections: the lists a program shows, and what it does with them. Both flavours of a client share this."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar, cast

from . import errors
from ._calls import Call, ResultDocument
from ._core import Core, Listener, remove_collection
from ._feeds import Feed
from ._ffi import check, describe, encode, lib, text
from .documents import (
    LATEST,
    Channel,
    ChannelSnapshot,
    CollectionInfo,
    Direction,
    Message,
    MessageFields,
    MessageSnapshot,
)
from .events import Change, Event, Item, Short, StreamEvent
from .live_list import LiveList
from .resources import Resources

if TYPE_CHECKING:
    from typing_extensions import Unpack

C = TypeVar("C", bound=Callable[[Any], object])

_DIRECTIONS = {"previous": 1, "next": 2}


@dataclass(frozen=True)
class Page:
    """How a fetch ended. Since 0.1."""

    #: Whether a further fetch in that direction may bring more.
    has_more: bool
    #: Why the page is short though there may be more, or None.
    short: Short | None


@dataclass(frozen=True)
class Around:
    """How a load around the viewpoint ended. Since 0.1."""

    #: Whether a fetch of older messages may bring more.
    has_previous: bool
    #: Whether a fetch of newer messages may bring more.
    has_next: bool
    #: Why the page is short, or not the service's, or None.
    short: Short | None


@dataclass(frozen=True)
class Stored:
    """What was done to a message that the library keeps, and not the service. Since 0.1."""

    request_id: str | None


def _page(result: ResultDocument) -> Page:
    return Page(result["has_more"], result.get("short"))


def _around(result: ResultDocument) -> Around:
    return Around(result["has_previous"], result["has_next"], result.get("short"))


def _message(result: ResultDocument) -> Message:
    return cast(Message, result["message"])


def _stored(result: ResultDocument) -> Stored:
    return Stored(result.get("request_id"))


def _edited(result: ResultDocument) -> Message | Stored:
    return _message(result) if "message" in result else _stored(result)


def _count(result: ResultDocument) -> int:
    return int(result["count"])


def _channel(result: ResultDocument) -> Channel:
    return cast(Channel, result["channel"])


def _nothing(_: ResultDocument) -> None:
    return None


def _answer(result: ResultDocument) -> Any:
    return result.get("result")


class Collection:
    """What both kinds of collection share. Ends when it is removed, or when the program has it no more. Since 0.1."""

    def __init__(self, core: Core, *lists: str) -> None:
        self._core = core
        self._lists: dict[str, LiveList[Any]] = {name: LiveList() for name in lists}
        self.listeners: list[Listener] = []
        #: The number of the collection in events.
        self.number = 0
        #: Whether it was removed.
        self.removed = False

    def _create(self, function: Any, *arguments: Any) -> None:
        core = self._core
        client = core.handle.use()

        def create() -> Collection:
            handle = ctypes.c_void_p()
            check(function(client, *arguments, ctypes.byref(handle)))
            return self._made(handle)

        core.note(create)

    def _made(self, handle: ctypes.c_void_p) -> Collection:
        self._handle = handle
        self._gone = weakref.finalize(self, remove_collection, handle, self._core.handle.process)
        self._gone.atexit = False  # the client's end is enough
        self.number = int(lib.sm_collection_number(handle))
        return self

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(shown)} {name}" for name, shown in self._lists.items())
        return f"<{type(self).__name__} {self.number}: {'removed' if self.removed else counts}>"

    def _use(self) -> ctypes.c_void_p:
        self._core.handle.use()
        if self.removed:
            raise errors.InvalidHandleError("the collection was removed")
        return self._handle

    def apply(self, change: Change[Any] | StreamEvent) -> None:
        """Applies a change to the live list it is of."""
        shown = self._lists.get(change.list) if isinstance(change, Change) else None
        if shown is None or not isinstance(change, Change):
            raise errors.InternalError(f"a change of a list that {type(self).__name__} does not have: {change}")
        shown._apply(change)

    def full_changes(self, last: Event) -> Sequence[Event]:
        """The changes that give the lists as they stand to somebody who shows anything."""
        changes: list[Event] = []
        for name, shown in self._lists.items():
            content = shown._copy()
            head = (last.seq, last.ts, b"", self.number, name)
            changes.append(Change(*head, "clear", "overflow", False, None, [], []))  # type: ignore[arg-type]
            if content:
                # Ids are left out: to know them, every item would have to be parsed.
                places = [{"index": index} for index in range(len(content))]
                changes.append(
                    Change(*head, "insert", "overflow", False, None, places, content)  # type: ignore[arg-type]
                )
        return changes

    def remove(self) -> None:
        """Ends the collection: its events and iterations end, its fetches complete with RemovedError; sends, edits and
        deletions go on. Safe to call twice."""
        self._core.handle.check_process()
        if not self.removed:
            self.removed = True
            self._gone()
            self._core.forget(self)

    def on_event(self, listener: C) -> C:
        """Calls ``listener`` with every event of this collection, after the lists have it, on the thread that drains.

        Can be used as a decorator. What it raises goes to the log ``syncmanager``.
        """
        self._core.listen(self.listeners, listener, self)
        return listener

    def remove_listener(self, listener: Listener) -> None:
        """Ends what ``on_event`` or ``on_change`` began; without effect if there is no such listener."""
        for known in self.listeners.copy():
            if known == listener or getattr(known, "listener", None) == listener:
                self._core.unlisten(self.listeners, known, self)

    def events(self, timeout: float | None = None) -> Feed[Event]:
        """An iteration over all events of this collection from now on; a blocking one ends when none came for
        ``timeout`` seconds."""
        return Feed(self._core, self, False, timeout)

    def contains(self, item: str | int) -> bool:
        """Whether ``items`` has a channel, by its URL, or a message, by its ``message_id``."""
        return bool(check(lib.sm_collection_contains(self._use(), text(str(item)))))

    def info(self) -> CollectionInfo:
        """Counts, edges and what it was opened with, as of the last event drained; of messages also their channel."""
        return cast(CollectionInfo, describe(lib.sm_collection_info, self._use()))


class _Changes:
    """A listener that hears changes only."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener

    def __call__(self, event: Event) -> None:
        if isinstance(event, Change):
            self.listener(event)


class TypedCollection(Collection, Generic[Item]):
    """A collection with one kind of items. Since 0.1."""

    #: What is shown, in order: channels, or the messages that were sent, oldest first.
    items: LiveList[Item]

    def on_change(self, listener: C) -> C:
        """Calls ``listener`` with every change, after the lists have it, on the thread that drains.

        Can be used as a decorator. What it raises goes to the log ``syncmanager``.
        """
        self._core.listen(self.listeners, _Changes(listener), self)
        return listener

    def changes(self, timeout: float | None = None) -> Feed[Change[Item]]:
        """An iteration over the changes from now on; a blocking one ends when none came for ``timeout`` seconds."""
        return Feed(self._core, self, True, timeout)


class Channels(TypedCollection[Channel]):
    """A list of channels, without its calls. Since 0.1."""

    def __init__(self, core: Core, query: Mapping[str, Any]) -> None:
        super().__init__(core, "channels")
        self.items: LiveList[Channel] = self._lists["channels"]
        self._create(lib.sm_channel_collection_new, encode(query) if query else None)

    def snapshot(self) -> ChannelSnapshot:
        """The library's own copy of what ``items`` shows. Reads everything: ``items`` is what programs want."""
        return cast(ChannelSnapshot, describe(lib.sm_collection_snapshot, self._use()))


class Messages(TypedCollection[Message]):
    """The messages of a channel, without its calls. Since 0.1."""

    def __init__(
        self, core: Core, channel_url: str, viewpoint: int, filters: Mapping[str, Any], is_cached: bool = False
    ) -> None:
        super().__init__(core, "succeeded", "pending", "failed")
        #: The channel.
        self.channel_url = channel_url
        self.items: LiveList[Message] = self._lists["succeeded"]
        #: Own messages under way.
        self.pending: LiveList[Message] = self._lists["pending"]
        #: Own messages that failed.
        self.failed: LiveList[Message] = self._lists["failed"]
        #: Of a collection made by ``open_messages``: gives the channel as cached, or NotFoundError.
        self.opened: Call[Channel] | None = None
        place = (text(channel_url), encode(filters) if filters else None, _viewpoint(viewpoint))
        if is_cached:
            self._open(*place)
        else:
            self._create(lib.sm_message_collection_new, *place)

    def _open(self, *place: Any) -> None:
        client = self._core.handle.use()

        def create(*completion: Any) -> int:
            handle = ctypes.c_void_p()
            code = lib.sm_message_collection_open(client, *place, *completion, ctypes.byref(handle))
            if code >= 0:
                self._core.note_locked(self._made(handle))
            return int(code)

        self.opened = self._core.begin("message_collection_open", _channel, self, create)

    def reset_viewpoint(self, viewpoint: int = LATEST) -> None:
        """Empties the view and anchors it at ``viewpoint`` (ms since the epoch); fetch again afterwards."""
        check(lib.sm_reset_viewpoint(self._use(), _viewpoint(viewpoint)))

    def snapshot(self) -> MessageSnapshot:
        """The library's own copy of what the lists show. Reads everything: ``items`` is what programs want."""
        return cast(MessageSnapshot, describe(lib.sm_collection_snapshot, self._use()))


def _viewpoint(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise errors.InvalidArgumentError("viewpoint is past 64 bits")
    return value


class _Calls:
    """Calls on a collection."""

    def _target(self) -> Collection:
        raise NotImplementedError

    def _begin(self, name: str, read: Any, function: Any, *arguments: Any) -> Call[Any]:
        target = self._target()
        return target._core.begin(name, read, target, function, target._use(), *arguments)


class ChannelCalls(_Calls):
    """The calls on a list of channels. Since 0.1."""

    def fetch(self) -> Call[Page]:
        """Loads the next page; what is cached comes at once, the rest as sync brings it. ``items`` has it then."""
        return self._begin("fetch", _page, lib.sm_fetch, _DIRECTIONS["next"])


class MessageCalls(_Calls):
    """The calls on the messages of a channel. Since 0.1."""

    def fetch(self, direction: Direction = "previous") -> Call[Page]:
        """Loads a page of older messages, or of newer ones with ``"next"``. ``items`` has it then."""
        if direction not in _DIRECTIONS:
            raise errors.InvalidArgumentError(f"a direction is 'previous' or 'next', not {direction!r}")
        return self._begin("fetch", _page, lib.sm_fetch, _DIRECTIONS[direction])

    def fetch_all_next(self) -> Call[Page]:
        """Loads every newer message, until the newest is shown; counts as a fetch in the direction ``"next"``."""
        return self._begin("fetch_all_next", _page, lib.sm_fetch_all_next)

    def fetch_failed(self) -> Call[int]:
        """Shows in ``failed`` what ``own_messages="on_fetch"`` held back; gives how many."""
        return self._begin("fetch_failed", _count, lib.sm_fetch_failed)

    def fetch_pending(self) -> Call[int]:
        """Shows in ``pending`` what ``own_messages="on_fetch"`` held back; gives how many."""
        return self._begin("fetch_pending", _count, lib.sm_fetch_pending)

    def load(self) -> Call[Around]:
        """Loads the page around the viewpoint: what is cached at once (the event ``CacheShown`` follows), then what the
        service says, as changes of what is shown. ``fetch`` goes on from there."""
        return self._begin("start", _around, lib.sm_collection_start)

    def send(self, message: str, *, request_id: str | None = None, **fields: Unpack[MessageFields]) -> Call[Message]:
        """Sends a text message; gives the service's message.

        It is in ``pending`` until it is in ``items`` or ``failed``, and survives the end of the process. With the
        resend policy "automatic" it waits for a connection, and so does the call. Completes after the first attempt:
        NetworkError, CallTimeoutError, ServiceError; RemovedError when it was given up.
        """
        document: dict[str, Any] = {"message": message, **fields}
        if request_id is not None:
            document["request_id"] = request_id
        return self.send_document(document)

    def resend(self, failed: Message | str) -> Call[Message]:
        """Sends a message of ``failed`` again, given as it is there or by its ``request_id``."""
        return self.send_document({"resend": failed if isinstance(failed, str) else failed["request_id"]})

    def send_document(self, document: Mapping[str, Any]) -> Call[Message]:
        """Sends a message given as the document of ``sm_send_message``."""
        return self._begin("send_message", _message, lib.sm_send_message, encode(document))

    def append(self, document: Mapping[str, Any]) -> Call[Stored]:
        """Shows a message as pending that the program sends by its own means, with a ``request_id``;
        ``handle_send_response`` ends it. The service's object is one that was sent already."""
        return self._begin("append_message", _stored, lib.sm_append_message, encode(document))

    def handle_send_response(self, document: Mapping[str, Any], error_code: int = 0) -> Call[Stored]:
        """Tells how such a send ended: with the service's message, or the appended document and its error code."""
        return self._begin("handle_send_response", _stored, lib.sm_handle_send_response, encode(document), error_code)

    def update(
        self, target: Message | str, message: str | None = None, **fields: Unpack[MessageFields]
    ) -> Call[Message | Stored]:
        """Changes a message of ``failed`` in place, which does not send it; or tells what became of a sent one.

        ``target`` is a message of ``failed`` or its ``request_id`` with what to change; or the service's object of a
        message that was edited by other means, and nothing else. The library edits by ``call("edit_message", …)``.
        """
        is_sent = not isinstance(target, str) and "status" not in target
        document: dict[str, Any] = {**(cast(Message, target) if is_sent else _name(target)), **fields}
        if message is not None:
            document["message"] = message
        return self.update_document(document)

    def update_document(self, document: Mapping[str, Any]) -> Call[Message | Stored]:
        """Tells of an edit, given as the document of ``sm_update_message``."""
        return self._begin("update_message", _edited, lib.sm_update_message, encode(document))

    def delete(self, target: Message | int | str) -> Call[Stored]:
        """Gives up a message of ``pending`` or ``failed``, or tells that this program deleted a sent one.

        ``target`` is a message of a list, a ``message_id`` (number), or the ``request_id`` of an unsent one (text). The
        library deletes by ``call("delete_message", …)``.
        """
        return self.delete_document(_name(target))

    def delete_document(self, document: Mapping[str, Any]) -> Call[Stored]:
        """Tells of a deletion, given as the document of ``sm_delete_message``."""
        return self._begin("delete_message", _stored, lib.sm_delete_message, encode(document))


def _name(target: Message | int | str) -> dict[str, Any]:
    if isinstance(target, str):
        return {"request_id": target}
    if isinstance(target, int):
        return {"message_id": target}
    if "status" in target:
        return {"request_id": target["request_id"]}
    return {"message_id": target["message_id"]}


class ClientCalls:
    """The calls on a client. Since 0.1."""

    def _open_core(self) -> Core:
        raise NotImplementedError

    def connect(self) -> Call[None]:
        """Connects and stays connected: after a loss it tries again by itself.

        Completes at the first login, or when the first attempt failed: TokenRejectedError, or ServiceError and
        NetworkError, after which trying goes on. Without a connection the cache is shown, and what is sent waits.
        """
        core = self._open_core()
        return core.begin("connect", _nothing, None, lib.sm_connect, core.handle.use())

    def sign_out(self) -> Call[None]:
        """Disconnects and removes all that is kept of the user on this machine, unsent messages included. The client
        goes on with an empty cache. Since 0.1."""
        core = self._open_core()
        return core.begin("sign_out", _nothing, None, lib.sm_sign_out, core.handle.use())

    def clear_cache(self, channel_url: str | None = None) -> Call[None]:
        """Removes cached messages of one channel, or of all; unsent messages stay."""
        core = self._open_core()
        url = None if channel_url is None else text(channel_url)
        return core.begin("clear_cache", _nothing, None, lib.sm_clear_cache, core.handle.use(), url)

    def call(self, action: str, /, **arguments: Any) -> Call[Any]:
        """Asks for one of the actions of docs/actions.md; gives its result as JSON gives it, or None.

            await sm.call("mark_as_read", channel_url="lunch")

        ``timeout_ms`` is an argument of every action. NotConnectedError: nothing was sent, and nothing is queued;
        CallTimeoutError: whether it was done is not known; ServiceError: it was refused.
        """
        return self.call_document({"action": action, **arguments})

    def call_document(self, document: Mapping[str, Any]) -> Call[Any]:
        """Asks for an action, given as the document of ``sm_call``."""
        core = self._open_core()
        return core.begin("call", _answer, None, lib.sm_call, core.handle.use(), encode(document))

    @property
    def resources(self) -> Resources[Call[Any]]:
        """Objects of registered types over the realtime database, in contexts."""
        return Resources(self.call_document)


class ClientBase:
    """What an asyncio client and a blocking one share. Since 0.1."""

    def _open_core(self) -> Core:
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
        return self._open_core().closed

    def disconnect(self) -> None:
        """Closes the connection and stays offline; the cache and the collections stay."""
        check(lib.sm_disconnect(self._open_core().handle.use()))

    def resume_sync(self) -> None:
        """Lets background sync run, as it does from the start."""
        check(lib.sm_resume_sync(self._open_core().handle.use()))

    def set_foreground(self, is_foreground: bool) -> None:
        """Whether the program is in the foreground, as at the start. In the background the connection closes after
        ``background_grace_ms``; back in the foreground it is made again at once. Since 0.1."""
        check(lib.sm_set_foreground(self._open_core().handle.use(), int(is_foreground)))

    def pause_sync(self) -> None:
        """Pauses background sync; realtime events go on."""
        check(lib.sm_pause_sync(self._open_core().handle.use()))

    def set_token(self, access_token: str) -> None:
        """Gives a new access token, the answer to ``TokenNeeded``."""
        check(lib.sm_set_token(self._open_core().handle.use(), text(access_token)))

    def fileno(self) -> int:
        """A descriptor that is readable while events wait, for loops of other makes. Do not read from it."""
        handle = self._open_core().handle
        handle.use()
        return handle.fd

    def events(self, timeout: float | None = None) -> Feed[Event]:
        """An iteration over all events from now on; a blocking one ends when none came for ``timeout`` seconds."""
        return Feed(self._open_core(), None, False, timeout)

    def on_event(self, listener: C) -> C:
        """Calls ``listener`` with every event, after the lists have it, on the thread that drains.

        Can be used as a decorator. What it raises goes to the log ``syncmanager``.
        """
        core = self._open_core()
        core.listen(core.listeners, listener, None)
        return listener

    def remove_listener(self, listener: Listener) -> None:
        """Ends what ``on_event`` began; without effect if there is no such listener."""
        core = self._open_core()
        core.unlisten(core.listeners, listener, None)
