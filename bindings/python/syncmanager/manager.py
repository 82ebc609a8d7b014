"""The client of an asyncio program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import errors
from ._calls import Call
from ._core import Core
from ._feeds import Feed
from ._ffi import encode
from ._handle import Handle
from ._handlers import end_handlers
from ._tasks import leave_calls, take_calls
from .collections import (
    ChannelCalls,
    Channels,
    ClientBase,
    ClientCalls,
    Collection,
    MessageCalls,
    Messages,
    OpenedMessages,
    SearchCalls,
    SearchResults,
)
from .database import DatabaseCalls
from .documents import LATEST, Channel, ChannelQuery, Config, Message, MessageFilter, SearchOptions, SearchResult
from .events import Change, StreamBatch
from .streams import RowFunction, StreamCalls, Streams, StreamSpec

if TYPE_CHECKING:
    from typing_extensions import Unpack

# Events taken before other callbacks of the loop get their turn.
_AT_ONCE = 64


class ChannelCollection(ChannelCalls, Channels):
    """A list of channels. ``async for change in channels`` goes over its changes. Since 0.1."""

    def _target(self) -> Collection[Any]:
        return self

    def __aiter__(self) -> Feed[Change[Channel]]:
        return self.changes()


class MessageCollection(MessageCalls, Messages):
    """The messages of a channel. ``async for change in messages`` goes over the changes of its lists. Since 0.1."""

    def _target(self) -> Collection[Any]:
        return self

    def __aiter__(self) -> Feed[Change[Message]]:
        return self.changes()


class OpenedCollection(MessageCollection, OpenedMessages):
    """A collection that ``open_messages`` made: ``opened`` tells whether the channel is in the cache. Since 0.1."""


class SearchCollection(SearchCalls, SearchResults):
    """What a search has found. ``async for change in results`` goes over the changes of its list. Since 0.1."""

    def _target(self) -> Collection[Any]:
        return self

    def __aiter__(self) -> Feed[Change[SearchResult]]:
        return self.changes()


class Stream(StreamCalls, Streams):
    """A live list of rows, perhaps in sections. ``async for batch in stream`` goes over its batches. Since 0.1."""

    def _target(self) -> Collection[Any]:
        return self

    def __aiter__(self) -> Feed[StreamBatch]:
        return self.batches()


class SyncManager(ClientBase, ClientCalls):
    """The cache of one user and its connection to the chat service, in an asyncio program.

        async with SyncManager(app_id="A", user_id="mei", access_token="T") as sm:
            sm.connect()
            channels = sm.channels()
            await channels.fetch()

    The arguments are those of ``Config``. It belongs to the event loop it was opened in, which drains its events; it
    starts no thread of Python but a worker for opening and closing. A call begins when the method is called; awaiting
    it only waits for its end. Opening raises LockedError, StorageError, NewerSchemaError, CorruptIntentsError and
    InvalidDocumentError. Since 0.1.
    """

    def __init__(self, **config: Unpack[Config]) -> None:
        self._config = config
        self._core: Core | None = None
        self._makes_tasks = False

    def __repr__(self) -> str:
        state = "not open" if self._core is None else "closed" if self._core.closed else "open"
        return f"<SyncManager of {self._config.get('user_id')}: {state}>"

    def _open_core(self) -> Core:
        if self._core is None:
            raise RuntimeError("this SyncManager is not open: use async with, or await open()")
        return self._core

    async def open(self) -> SyncManager:
        """Opens the cache; waits for the disk, but not for a connection. ``async with`` does it."""
        if self._core is not None:
            raise RuntimeError("a SyncManager is opened once")
        loop = asyncio.get_running_loop()
        opening = loop.run_in_executor(None, Handle, encode(dict(self._config)))
        try:
            handle = await asyncio.shield(opening)
        except asyncio.CancelledError:
            opening.add_done_callback(_close_unwanted)
            raise
        self._core = Core(handle, loop)
        loop.add_reader(handle.fd, self._drain)
        take_calls(loop)
        self._makes_tasks = True
        return self

    async def close(self) -> None:
        """Ends the client: handlers are cancelled, outstanding calls complete with ClosedError, iterations end. Safe to
        call twice."""
        core = self._core
        if core is None:
            return
        # Checked before the loop is used: a fork shares the loop's epoll with its parent, and would remove the parent's
        # reader.
        core.handle.check_process()
        loop = core.running_loop()
        try:
            await end_handlers(core)  # first, so that what they do at their end can still be done
        finally:
            if not core.closed:
                loop.remove_reader(core.handle.fd)
            makes_tasks, self._makes_tasks = self._makes_tasks, False
            try:
                await asyncio.shield(loop.run_in_executor(None, core.handle.close))
            finally:
                core.ended()
                if makes_tasks:
                    leave_calls(loop)  # only now: until the client is closed it takes calls, and tasks are made of them

    async def __aenter__(self) -> SyncManager:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _drain(self) -> None:
        core = self._open_core()
        handle = core.handle
        if handle.closed or not handle.draining.acquire(blocking=False):
            return  # it is being closed
        try:
            for _ in range(_AT_ONCE):
                if core.take() is None:
                    break
        except errors.ForkedError:
            raise  # see close()
        except errors.SyncManagerError:
            # Nothing can be drained any more, so the loop must not report the descriptor again and again.
            asyncio.get_running_loop().remove_reader(handle.fd)
            core.ended()
            raise
        finally:
            handle.draining.release()

    async def wait_until(self, condition: Callable[[], object]) -> None:
        """Waits until ``condition()`` is true, as ``lambda: chat.items``; it is called at once, and again after events.
        Raises ClosedError when the client is closed meanwhile."""
        events = self.events()
        while not condition():
            try:
                await events.__anext__()
            except StopAsyncIteration:
                raise errors.ClosedError("the client was closed") from None

    def channels(self, **query: Unpack[ChannelQuery]) -> ChannelCollection:
        """A list of channels, empty until the first ``fetch``. The arguments are those of ``ChannelQuery``."""
        return ChannelCollection(self._open_core(), query)

    def messages(
        self, channel_url: str, viewpoint: int = LATEST, **filters: Unpack[MessageFilter]
    ) -> MessageCollection:
        """The messages of a channel around ``viewpoint`` (ms since the epoch). The other arguments are those of
        ``MessageFilter``."""
        return MessageCollection(self._open_core(), channel_url, viewpoint, filters)

    def search(self, query: str, **options: Unpack[SearchOptions]) -> SearchCollection:
        """The cached messages with all words of ``query``, empty until the first ``fetch``; needs ``search=True`` in
        the configuration. The other arguments are those of ``SearchOptions``. The action ``search_messages`` lets the
        service search what it has. Since 0.1."""
        return SearchCollection(self._open_core(), query, options)

    def stream(self, source: Any, *, function: RowFunction | None = None, **spec: Unpack[StreamSpec]) -> Stream:
        """A stream over ``source``: ``"transient"``, ``{"channels": query}``, ``{"messages": {"channel_url": …}}``,
        ``{"database": {"path": …}}``, ``{"union": [streams]}`` or ``{"partition": {"stream": stream, "titles": […],
        "rule": …}}``. Other arguments are those of ``StreamSpec``. ``function(key, item)`` decides where the spec has
        ``"$host"``; it is called on whichever thread runs the engine, must return soon, and must not use the client."""
        return Stream(self._open_core(), source, spec, function)

    @property
    def database(self) -> DatabaseCalls:
        """The realtime database that the configuration names; without one its calls raise InvalidDocumentError."""
        return DatabaseCalls(self._open_core())

    def open_messages(
        self, channel_url: str, viewpoint: int = LATEST, **filters: Unpack[MessageFilter]
    ) -> OpenedCollection:
        """The same for a channel that is in the cache. Its ``opened`` is a ``Call`` that gives the channel, or raises
        NotFoundError when the channel is not cached; then only ``remove`` is left to do."""
        return OpenedCollection(self._open_core(), channel_url, viewpoint, filters)


def _close_unwanted(opening: asyncio.Future[Handle]) -> None:
    """Closes what was opened for a task that was cancelled meanwhile."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


__all__ = [
    "Call",
    "ChannelCollection",
    "MessageCollection",
    "OpenedCollection",
    "SearchCollection",
    "Stream",
    "SyncManager",
]
