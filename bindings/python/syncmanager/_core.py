"""What asyncio and blocking programs share: taking events, and giving each to its listeners."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import select
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar, cast

from . import _time, errors
from ._calls import Call, ResultDocument
from ._feeds import Feed
from ._ffi import check, lib
from ._handle import Handle
from ._shown import Listener, Shown
from .events import (
    AnyEvent,
    Change,
    DatabaseListenEnded,
    DatabaseTransform,
    DatabaseValue,
    Result,
    StreamEvent,
    decode,
)

Value = TypeVar("Value")
#: Gets the values of a place of the database that is listened to.
ListenFunction = Callable[["DatabaseValue | DatabaseListenEnded"], None]

logger = logging.getLogger("syncmanager")

#: A waiting thread waits this long (ms) in the library, for events that come at once, and then in poll(), which signals
#: can interrupt.
_IN_LIBRARY = 2


class Core:
    """One open client. Since 0.1."""

    def __init__(self, handle: Handle, loop: asyncio.AbstractEventLoop | None) -> None:
        self.handle = handle
        self.loop = loop
        # A result or change may be drained on one thread before another has noted its call or collection, so both do
        # that with this lock held. With it nothing is called but the library.
        self._noting = threading.RLock()
        self._calls: dict[int, Call[Any]] = {}
        self._collections: weakref.WeakValueDictionary[int, Shown] = weakref.WeakValueDictionary()
        self._feeds: weakref.WeakSet[Feed[Any]] = weakref.WeakSet()
        #: Places of the database that are listened to, and what gives the values of transactions, by their calls.
        self.listens: dict[int, ListenFunction] = {}
        self.transforms: dict[int, Callable[[Any], None]] = {}
        self.listeners: list[Listener] = []
        # A collection with a listener is kept as long as the listener, even without another reference.
        self._listened: set[Shown] = set()
        self._drained = threading.Condition(threading.Lock())

    # Calls

    @property
    def closed(self) -> bool:
        return self.handle.closed

    def begin(
        self,
        name: str,
        read: Callable[[ResultDocument], Value],
        owner: object,
        function: Any,
        *arguments: Any,
    ) -> Call[Value]:
        """Makes a call that completes by a result event; ``owner`` lives until then."""
        number = ctypes.c_uint64()
        with self._noting:
            check(function(*arguments, None, None, None, ctypes.byref(number)))
            call = Call(self, number.value, name, read, owner)
            self._calls[number.value] = call
        return call

    def note(self, create: Callable[[], Shown]) -> None:
        """Makes a collection, before any event of it is applied."""
        with self._noting:
            self.note_locked(create())

    def note_locked(self, collection: Shown) -> None:
        """The same for a caller that has the lock already."""
        self._collections[collection.number] = collection

    def forget(self, collection: Shown) -> None:
        with self._noting:
            self._collections.pop(collection.number, None)
            self._listened.discard(collection)
        for feed in self.feeds():
            if feed._collection is collection:
                feed.close()

    def shown(self) -> list[Shown]:
        with self._noting:
            return list(self._collections.values())

    # Listeners and iterations

    def listen(self, listeners: list[Listener], listener: Listener, collection: Shown | None) -> None:
        listeners.append(listener)
        if collection is not None:
            self._listened.add(collection)

    def unlisten(self, listeners: list[Listener], listener: Listener, collection: Shown | None) -> None:
        if listener in listeners:
            listeners.remove(listener)
        if collection is not None and not listeners:
            self._listened.discard(collection)

    def add_feed(self, feed: Feed[Any]) -> None:
        with self._noting:
            self._feeds.add(feed)

    def remove_feed(self, feed: Feed[Any]) -> None:
        with self._noting:
            self._feeds.discard(feed)

    def feeds(self) -> list[Feed[Any]]:
        with self._noting:
            return list(self._feeds)

    # Draining

    def take(self, timeout_ms: int = 0) -> AnyEvent | None:
        """Takes one event and gives it to its listeners. The caller holds ``handle.draining``."""
        handle = self.handle
        handle.drainer = threading.get_ident()
        try:
            text = handle.next_text(timeout_ms)
            if text is None:
                return None
            return self._deliver(decode(text))
        finally:
            handle.drainer = None

    def _deliver(self, event: AnyEvent) -> AnyEvent:
        number = getattr(event, "collection", None)
        call: Call[Any] | None = None
        transform: Callable[[Any], None] | None = None
        with self._noting:
            collection = None if number is None else self._collections.get(number)
            if isinstance(event, (Change, StreamEvent)):
                if collection is not None:
                    event = cast(AnyEvent, collection.apply(event))
            elif isinstance(event, Result):
                call = self._calls.pop(event.request, None)
                self.transforms.pop(event.request, None)
            elif isinstance(event, (DatabaseValue, DatabaseListenEnded)):
                listen = self.listens.get(event.listen)
                if listen is not None:
                    listen(event)
                    if isinstance(event, DatabaseListenEnded):
                        del self.listens[event.listen]
            elif isinstance(event, DatabaseTransform):
                transform = self.transforms.get(event.transaction)
        if call is not None:
            call._settle(event.document)
        if transform is not None and isinstance(event, DatabaseTransform):
            transform(event.value)
        for feed in self.feeds():
            feed._push(event, collection)
        listeners = self.listeners if collection is None else self.listeners + collection.listeners
        for listener in listeners.copy():
            try:
                listener(event)
            except Exception:
                # No caller waits for a listener, so its error is logged; the other listeners still get the event. What
                # is in the event may be private.
                logger.exception("a listener failed at %s number %d", type(event).__name__, event.seq)
        return event

    def running_loop(self) -> asyncio.AbstractEventLoop:
        """The running loop, which must be the client's."""
        loop = asyncio.get_running_loop()
        if self.loop is None:
            raise RuntimeError("this client is a blocking one (syncmanager.blocking): nothing of it can be awaited")
        if loop is not self.loop:
            raise RuntimeError("this SyncManager belongs to another event loop")
        return loop

    def wait(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Blocks until ``condition`` holds, draining events unless another thread does; False after ``timeout`` s."""
        if self.loop is not None:
            raise RuntimeError("this would block the event loop: use await or async for")
        handle = self.handle
        if handle.drainer == threading.get_ident():
            raise errors.ReentrantError("this would wait for the listener that it is called from")
        now = _time.source.now
        end = None if timeout is None else now() + timeout
        while not condition():
            left = None if end is None else end - now()
            if left is not None and left <= 0:
                return False
            handle.check_process()
            if handle.draining.acquire(blocking=False):
                try:
                    if not condition() and not handle.closed:
                        self._take_or_sleep(left)
                finally:
                    handle.draining.release()
                    with self._drained:
                        self._drained.notify_all()
            else:
                with self._drained:
                    if handle.draining.locked() and not condition():
                        self._drained.wait(left)
            if handle.closed and not condition():
                raise errors.ClosedError("the client was closed")
        return True

    def _take_or_sleep(self, left: float | None) -> None:
        if _time.source.is_virtual:
            if self.take(_time.source.wait(left)) is None and left is None:
                raise RuntimeError("a day has passed in the world, and nothing has happened that is waited for")
            return
        if self.take(_IN_LIBRARY if left is None else min(_IN_LIBRARY, int(left * 1000))) is None:
            self.sleep(left)

    def sleep(self, left: float | None) -> bool:
        """Blocks until an event waits, another thread wakes this one, or the time is up. False if it was woken."""
        poller = select.poll()
        poller.register(self.handle.fd, select.POLLIN)
        poller.register(self.handle.wake_out, select.POLLIN)
        ready = poller.poll(None if left is None else max(0, left * 1000))
        if not any(descriptor == self.handle.wake_out for descriptor, _ in ready):
            return True
        os.read(self.handle.wake_out, 4096)
        return False

    # The end

    def ended(self) -> None:
        """After the client was closed: completes outstanding calls."""
        with self._noting:
            calls = list(self._calls.values())
            self._calls.clear()
            self._listened.clear()
            self.listens.clear()
            self.transforms.clear()
        for call in calls:
            call._settle(None)
        for feed in self.feeds():
            feed.close()
        with self._drained:
            self._drained.notify_all()


def remove_collection(collection: ctypes.c_void_p, process: int) -> None:
    """Ends a C collection whose object is gone, unless this is a fork."""
    if os.getpid() == process:
        lib.sm_collection_remove(collection)
