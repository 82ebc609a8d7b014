"""Events that wait for an iteration."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Any, Generic, Protocol, TypeVar, cast

from ._calls import Drains
from ._handle import Handle
from ._shown import Shown
from .errors import ClosedError
from .events import Change, Event, Overflow, StreamBatch

E = TypeVar("E", bound=Event, covariant=True)

#: How many events may wait for one iteration. One that lags further behind starts over from the current lists.
LIMIT = 10_000

_CHANGES: tuple[type[Event], ...] = (Change, StreamBatch)


class FeedSource(Drains, Protocol):
    """The source of an iteration's events."""

    handle: Handle

    @property
    def closed(self) -> bool:
        """Whether no more events come."""
        ...

    def add_feed(self, feed: Feed[Any]) -> None:
        """From now on the iteration is given every event."""

    def remove_feed(self, feed: Feed[Any]) -> None:
        """The iteration gets no further events."""

    def shown(self) -> list[Shown]:
        """The collections that are open."""
        ...


class Feed(AsyncIterator[E], Iterator[E], Generic[E]):
    """An iteration over events, from the moment it was asked for: ``async for`` in an asyncio program, ``for`` in a
    blocking one. It ends when the client is closed or the collection removed.

    A program that lags 10,000 events behind gets ``Overflow``, and then for each list a clear and one full insert; an
    iteration over changes alone gets only these. Several tasks may share one iteration: each event goes to one of
    them, and all of them end with it. Since 0.1.
    """

    def __init__(self, core: FeedSource, collection: Shown | None, only_changes: bool, timeout: float | None):
        core.handle.check_process()
        self._core = core
        self._collection = collection
        self._only_changes = only_changes
        self._timeout = timeout
        self._waiting: deque[Event] = deque()
        self._waiters: set[asyncio.Future[None]] = set()
        self._ended = core.closed or (collection is not None and collection.removed)
        core.add_feed(self)

    def __iter__(self) -> Feed[E]:
        return self

    def __aiter__(self) -> Feed[E]:
        return self

    def __next__(self) -> E:
        try:
            while not self._waiting:
                if self._ended or not self._core.wait(self._has_come, self._timeout):
                    self.close()
                    raise StopIteration
        except ClosedError:
            raise StopIteration from None
        return cast(E, self._waiting.popleft())

    async def __anext__(self) -> E:
        while not self._waiting:
            if self._ended:
                raise StopAsyncIteration
            waiter: asyncio.Future[None] = self._core.running_loop().create_future()
            self._waiters.add(waiter)
            try:
                await waiter
            finally:
                self._waiters.discard(waiter)
        return cast(E, self._waiting.popleft())

    def close(self) -> None:
        """Ends the iteration, also for a task or thread that waits for its next event."""
        self._ended = True
        self._core.remove_feed(self)
        self._wake()

    def _has_come(self) -> bool:
        return bool(self._waiting) or self._ended

    def _wake(self) -> None:
        # All waiters are woken, since a single one may be canceled before it takes the event.
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def _push(self, event: Event, collection: Shown | None) -> None:
        if self._ended or (self._collection is not None and collection is not self._collection):
            return
        if self._only_changes and not isinstance(event, _CHANGES):
            return
        self._waiting.append(event)
        if len(self._waiting) > LIMIT:
            self._start_over(event)
        self._wake()

    def _start_over(self, last: Event) -> None:
        dropped = len(self._waiting)
        self._waiting.clear()
        shown = self._core.shown() if self._collection is None else [self._collection]
        for collection in shown:
            if not self._only_changes:
                self._waiting.append(Overflow(last.seq, last.ts, b"", collection.number, dropped))
            self._waiting.extend(collection.full_changes(last))
