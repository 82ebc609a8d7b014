"""The client of a program without an event loop: calls wait for their end, iterations wait for the next change.

Events are drained by whichever thread waits, so lists change only while some call waits; a program whose lists should
change in the background calls ``run`` on a thread of its own. Any number of threads may use a client at the same time.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from . import _time, errors
from ._actions_blocking import BlockingChannelActions, BlockingClientActions, BlockingCollectionActions
from ._calls import Call
from ._core import Core
from ._feeds import Feed
from ._ffi import encode
from ._handle import Handle
from .collections import (
    Around,
    ChannelCalls,
    Channels,
    ClientBase,
    ClientCalls,
    Collection,
    MessageCalls,
    Messages,
    OpenedMessages,
    Page,
    SearchCalls,
    SearchResults,
    Stored,
)
from .database import BlockingDatabase
from .documents import (
    LATEST,
    Channel,
    ChannelQuery,
    Config,
    Direction,
    Message,
    MessageFields,
    MessageFilter,
    OutgoingFile,
    SearchOptions,
    SearchResult,
)
from .events import AnyEvent, Change, StreamBatch, StreamRow
from .resources import Resources
from .streams import Condition, RowFunction, StreamCalls, Streams, StreamSpec

if TYPE_CHECKING:
    from typing_extensions import Unpack


class _StartChannels(ChannelCalls):
    def __init__(self, target: Collection[Any]) -> None:
        self._of = target

    def _target(self) -> Collection[Any]:
        return self._of


class _StartMessages(MessageCalls):
    def __init__(self, target: Collection[Any]) -> None:
        self._of = target

    def _target(self) -> Collection[Any]:
        return self._of


class _StartSearch(SearchCalls):
    def __init__(self, target: Collection[Any]) -> None:
        self._of = target

    def _target(self) -> Collection[Any]:
        return self._of


class _StartStream(StreamCalls):
    def __init__(self, target: Collection[Any]) -> None:
        self._of = target

    def _target(self) -> Collection[Any]:
        return self._of


class _StartClient(ClientCalls):
    def __init__(self, core: Core) -> None:
        self._of = core

    def _open_core(self) -> Core:
        return self._of


class ChannelCollection(Channels, BlockingCollectionActions):
    """A list of channels. ``for change in channels`` waits for its changes. Since 0.1."""

    @property
    def start(self) -> ChannelCalls:
        """The same calls without waiting: each gives a ``Call``."""
        return _StartChannels(self)

    def __iter__(self) -> Feed[Change[Channel]]:
        return self.changes()

    def fetch(self, *, timeout: float | None = None) -> Page:
        """Loads the next page: cached channels at once, the others as sync gets them."""
        return self.start.fetch().result(timeout)


class MessageCollection(Messages, BlockingChannelActions, BlockingCollectionActions):
    """The messages of a channel. ``for change in messages`` waits for the changes of its lists. Since 0.1.

    ``timeout`` (s) ends the wait with CallTimeoutError, not the call.
    """

    @property
    def start(self) -> MessageCalls:
        """The same calls without waiting: each gives a ``Call``. ``start.send`` accepts a message while offline."""
        return _StartMessages(self)

    def __iter__(self) -> Feed[Change[Message]]:
        return self.changes()

    def fetch(self, direction: Direction = "previous", *, timeout: float | None = None) -> Page:
        """Loads a page of older messages, or of newer ones with ``"next"``."""
        return self.start.fetch(direction).result(timeout)

    def fetch_all_next(self, *, timeout: float | None = None) -> Page:
        """Loads every newer message, until the newest is shown."""
        return self.start.fetch_all_next().result(timeout)

    def fetch_failed(self, *, timeout: float | None = None) -> int:
        """Shows in ``failed`` the messages that ``own_messages="on_fetch"`` held back; returns how many."""
        return self.start.fetch_failed().result(timeout)

    def fetch_pending(self, *, timeout: float | None = None) -> int:
        """Shows in ``pending`` the messages that ``own_messages="on_fetch"`` held back; returns how many."""
        return self.start.fetch_pending().result(timeout)

    def load(self, *, timeout: float | None = None) -> Around:
        """Loads the page around the viewpoint: cached messages at once, then the service's page, as changes."""
        return self.start.load().result(timeout)

    def send(
        self,
        message: str,
        *,
        request_id: str | None = None,
        timeout: float | None = None,
        **fields: Unpack[MessageFields],
    ) -> Message:
        """Sends a text message and waits until the service has it; gives the service's message. Offline, with the
        resend policy "automatic", it waits for a connection."""
        return self.start.send(message, request_id=request_id, **fields).result(timeout)

    def send_files(
        self,
        *files: OutgoingFile | str | os.PathLike[str],
        message: str | None = None,
        wait: bool = False,
        request_id: str | None = None,
        timeout: float | None = None,
        **fields: Unpack[MessageFields],
    ) -> Message:
        """Sends one file, or up to 30 as one message, perhaps with a text, and waits until the service has it; gives
        the service's message. ``UploadProgress`` tells how far it is."""
        call = self.start.send_files(*files, message=message, wait=wait, request_id=request_id, **fields)
        return call.result(timeout)

    def resend(self, failed: Message | str, *, timeout: float | None = None) -> Message:
        """Sends a message of ``failed`` again, given as it is there or by its ``request_id``."""
        return self.start.resend(failed).result(timeout)

    def append(self, document: Mapping[str, Any], *, timeout: float | None = None) -> Stored:
        """Shows a message as pending that the program sends by its own means."""
        return self.start.append(document).result(timeout)

    def handle_send_response(
        self, document: Mapping[str, Any], error_code: int = 0, *, timeout: float | None = None
    ) -> Stored:
        """Tells how such a send ended: with the service's message, or the appended document and its error code."""
        return self.start.handle_send_response(document, error_code).result(timeout)

    def update(
        self,
        target: Message | str,
        message: str | None = None,
        *,
        timeout: float | None = None,
        **fields: Unpack[MessageFields],
    ) -> Message | Stored:
        """Changes a message of ``failed`` in place, or tells how this program has edited a sent one."""
        return self.start.update(target, message, **fields).result(timeout)

    def delete(self, target: Message | int | str, *, timeout: float | None = None) -> Stored:
        """Gives up a message of ``pending`` or ``failed``, or tells that this program deleted a sent one."""
        return self.start.delete(target).result(timeout)


class OpenedCollection(MessageCollection, OpenedMessages):
    """A collection that ``open_messages`` made: ``opened`` tells whether the channel is in the cache. Since 0.1."""


class SearchCollection(SearchResults, BlockingCollectionActions):
    """What a search has found. ``for change in results`` waits for the changes of its list. Since 0.1."""

    @property
    def start(self) -> SearchCalls:
        """The same calls without waiting: each gives a ``Call``."""
        return _StartSearch(self)

    def __iter__(self) -> Feed[Change[SearchResult]]:
        return self.changes()

    def fetch(self, *, timeout: float | None = None) -> Page:
        """Loads the next page of results from the cache. Then ``items`` has them."""
        return self.start.fetch().result(timeout)


class Stream(Streams):
    """A live list of rows, perhaps in sections. ``for batch in stream`` waits for its batches. Since 0.1.

    ``timeout`` (s) ends a wait with CallTimeoutError, not the call.
    """

    @property
    def start(self) -> StreamCalls:
        """The same calls without waiting: each gives a ``Call``."""
        return _StartStream(self)

    def __iter__(self) -> Feed[StreamBatch]:
        return self.batches()

    def set_predicate(self, predicate: Condition | Literal["$host"] | None, *, timeout: float | None = None) -> None:
        """Sets the condition for the rows to show; None shows all."""
        self.start.set_predicate(predicate).result(timeout)

    def set_limit(self, limit: int | None, *, timeout: float | None = None) -> None:
        """Sets how many of the rows that the predicate takes are shown at most."""
        self.start.set_limit(limit).result(timeout)

    def fetch_more(
        self,
        count: int | None = None,
        direction: str | None = None,
        start: str | float | bool | None = None,
        *,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """Loads ``count`` more rows of channels, messages or the database, or a page; returns ``has_more`` and perhaps
        ``short``. With ``start``, for the database only: until ``count`` rows at or behind that value are loaded."""
        return self.start.fetch_more(count, direction, start).result(timeout)

    def add(self, rows: Mapping[str, Any], *, timeout: float | None = None) -> None:
        """Adds rows to a transient stream, by their keys; a key that is there gets the new item."""
        self.start.add(rows).result(timeout)

    def drop(self, *keys: str, timeout: float | None = None) -> None:
        """Removes rows of a transient stream; unknown keys are ignored."""
        self.start.drop(*keys).result(timeout)

    def reset(self, rows: Mapping[str, Any], *, timeout: float | None = None) -> None:
        """Replaces all rows of a transient stream by these, by their keys."""
        self.start.reset(rows).result(timeout)

    def find(self, key: str, *, timeout: float | None = None) -> StreamRow | None:
        """The row of a key, with its ``path``; None when it is not shown."""
        return self.start.find(key).result(timeout)

    def ask(self, request: Mapping[str, Any], *, timeout: float | None = None) -> Any:
        """Asks something of the stream, given as the document of ``sm_stream_call``; returns its result."""
        return self.start.ask(request).result(timeout)

    def item(self, path: Sequence[int], *, timeout: float | None = None) -> StreamRow | None:
        """The row at ``[section, row]``, with its ``path``; None when there is none."""
        return self.start.item(path).result(timeout)

    def slice(self, start: int, count: int, section: int = 0, *, timeout: float | None = None) -> list[StreamRow]:
        """At most ``count`` rows of a section, from the row ``start`` on."""
        return self.start.slice(start, count, section).result(timeout)

    def first_after(self, key: str, item: Any = None, *, timeout: float | None = None) -> StreamRow | None:
        """The first row behind the place that ``item`` would have under ``key``; without an item, behind the row of
        that key."""
        return self.start.first_after(key, item).result(timeout)

    def last_before(self, key: str, item: Any = None, *, timeout: float | None = None) -> StreamRow | None:
        """The last row before the place that ``item`` would have under ``key``; without an item, before the row of that
        key."""
        return self.start.last_before(key, item).result(timeout)


class SyncManager(ClientBase, BlockingClientActions):
    """The cache of one user and its connection to the chat service, in a program without an event loop.

        with SyncManager(app_id="A", user_id="mei", access_token="T") as sm:
            sm.start.connect()
            channels = sm.channels()
            channels.fetch()

    The arguments are those of ``Config``; the cache is opened at once, see ``syncmanager.SyncManager`` for the errors.
    ``timeout`` (s) ends a wait with CallTimeoutError, not the call. Since 0.1.
    """

    def __init__(self, **config: Unpack[Config]) -> None:
        self._user = config.get("user_id")
        self._core = Core(Handle(encode(dict(config))), None)
        self._interrupted = False

    def __repr__(self) -> str:
        return f"<SyncManager of {self._user}: {'closed' if self._core.closed else 'open'}>"

    def _open_core(self) -> Core:
        return self._core

    @property
    def start(self) -> ClientCalls:
        """The same calls without waiting: each gives a ``Call``."""
        return _StartClient(self._core)

    def close(self) -> None:
        """Ends the client: outstanding calls complete with ClosedError, iterations end. Safe to call twice."""
        if self._core.handle.close():
            self._core.ended()

    def __enter__(self) -> SyncManager:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def connect(self, *, timeout: float | None = None) -> None:
        """Connects and stays connected; returns at the login, raises when the first attempt failed (it goes on trying).
        A program that shows its cache meanwhile calls ``start.connect``."""
        self.start.connect().result(timeout)

    def sign_out(self, *, timeout: float | None = None) -> None:
        """Disconnects and removes all that is kept of the user on this machine, unsent messages included."""
        self.start.sign_out().result(timeout)

    def clear_cache(self, channel_url: str | None = None, *, timeout: float | None = None) -> None:
        """Removes cached messages of one channel, or of all; unsent messages stay."""
        self.start.clear_cache(channel_url).result(timeout)

    def channels(self, **query: Unpack[ChannelQuery]) -> ChannelCollection:
        """A list of channels, empty until the first ``fetch``. The arguments are those of ``ChannelQuery``."""
        return ChannelCollection(self._core, query)

    def messages(
        self, channel_url: str, viewpoint: int = LATEST, **filters: Unpack[MessageFilter]
    ) -> MessageCollection:
        """The messages of a channel around ``viewpoint`` (ms since the epoch). The other arguments are those of
        ``MessageFilter``."""
        return MessageCollection(self._core, channel_url, viewpoint, filters)

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchCollection:
        """The cached messages with all words of ``query``, empty until the first ``fetch``; needs ``search=True`` in
        the configuration. The other arguments are those of ``SearchOptions``. The action ``search_messages`` lets the
        service search what it has. Since 0.1."""
        return SearchCollection(self._core, query, options)

    def stream(self, source: Any, *, function: RowFunction | None = None, **spec: Unpack[StreamSpec]) -> Stream:
        """A stream over ``source``: ``"transient"``, ``{"channels": query}``, ``{"messages": {"channel_url": …}}``,
        ``{"database": {"path": …}}``, ``{"union": [streams]}`` or ``{"partition": {"stream": stream, "titles": […],
        "rule": …}}``. Other arguments are those of ``StreamSpec``. ``function(key, item)`` decides where the spec has
        ``"$host"``; it is called on whichever thread runs the engine, must return soon, and must not use the client."""
        return Stream(self._core, source, spec, function)

    @property
    def resources(self) -> Resources[Any]:
        """Objects of registered types over the realtime database, in contexts; each call waits for its end.
        ``start.resources`` has the same without waiting: a listener answers hooks with it."""
        return Resources(lambda document: self.start.call_document(document).result())

    @property
    def database(self) -> BlockingDatabase:
        """The realtime database that the configuration names; without one its calls raise InvalidDocumentError."""
        return BlockingDatabase(self._core)

    def open_messages(
        self, channel_url: str, viewpoint: int = LATEST, **filters: Unpack[MessageFilter]
    ) -> OpenedCollection:
        """The same for a channel that is in the cache. Its ``opened`` is a ``Call`` that gives the channel, or raises
        NotFoundError when the channel is not cached; then only ``remove`` is left to do."""
        return OpenedCollection(self._core, channel_url, viewpoint, filters)

    def wait_until(self, condition: Callable[[], object], *, timeout: float | None = None) -> None:
        """Waits until ``condition()`` is true, as ``lambda: chat.items``; it is called at once, and again after events.
        Raises CallTimeoutError after ``timeout`` seconds."""
        if not self._core.wait(lambda: bool(condition()), timeout):
            raise errors.CallTimeoutError(f"the condition did not hold within {timeout} s")

    def next_event(self, timeout: float | None = None) -> AnyEvent | None:
        """Drains one event and returns it; None when none came within ``timeout`` seconds or ``interrupt`` was called.

        For programs that drain on one thread. Raises BusyError while another thread does.
        """
        core = self._core
        handle = core.handle
        handle.use()
        if handle.drainer == threading.get_ident():
            raise errors.ReentrantError("this would wait for the listener that it is called from")
        if not handle.draining.acquire(blocking=False):
            raise errors.BusyError("another thread is draining this client's events")
        try:
            if _time.source.is_virtual:
                return core.take(_time.source.wait(timeout))
            end = None if timeout is None else time.monotonic() + timeout
            while True:
                event = core.take()
                left = None if end is None else end - time.monotonic()
                if event is not None or (left is not None and left <= 0):
                    return event
                if self._interrupted or (not core.sleep(left) and self._interrupted):
                    self._interrupted = False
                    return None
                handle.use()
        finally:
            handle.draining.release()

    def dispatch(self, max_events: int = 0, timeout: float | None = 0) -> int:
        """Drains the events that wait, at most ``max_events`` (0: at most 1000), so that lists change and listeners
        run; waits up to ``timeout`` seconds for the first event. Returns how many there were."""
        count = 0
        while count < (max_events or 1000) and self.next_event(timeout if count == 0 else 0) is not None:
            count += 1
        return count

    def run(self) -> None:
        """Drains events until ``interrupt`` or ``close`` is called, for a thread of its own."""
        # next_event() is not used here, so that other threads may wait and drain meanwhile.
        with contextlib.suppress(errors.ClosedError):  # that is how it ends
            self._core.wait(lambda: self._interrupted, None)
            self._interrupted = False

    def interrupt(self) -> None:
        """Ends a waiting ``next_event``, ``dispatch`` or ``run``, or the next one if none waits. Any thread."""
        self._core.handle.use()
        self._interrupted = True
        self._core.handle.wake()


__all__ = [
    "Call",
    "ChannelCollection",
    "MessageCollection",
    "OpenedCollection",
    "SearchCollection",
    "Stream",
    "SyncManager",
]
