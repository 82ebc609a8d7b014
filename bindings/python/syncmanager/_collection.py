"""What channels, messages and streams share: a collection of the library, its lists and its listeners."""

from __future__ import annotations

import ctypes
import dataclasses
import weakref
from collections.abc import Sequence
from typing import Any, Callable, Generic, TypeVar, cast

from . import errors
from ._calls import Call
from ._core import Core, remove_collection
from ._feeds import Feed
from ._ffi import check, describe, encode, lib, text
from ._results import answer
from ._shown import Listener
from ._targets import given
from .documents import CollectionInfo
from .events import Change, Event, StreamEvent
from .live_list import LiveList

C = TypeVar("C", bound=Callable[[Any], object])
#: What the collection tells.
Told = TypeVar("Told", bound=Event)


class Collection(Generic[Told]):
    """What all collections share. It ends when it is removed, or when the program has no reference to it any more.
    Since 0.1."""

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

        def create() -> Collection[Told]:
            handle = ctypes.c_void_p()
            check(function(client, *arguments, ctypes.byref(handle)))
            return self._made(handle)

        core.note(create)

    def _made(self, handle: ctypes.c_void_p) -> Collection[Told]:
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

    def apply(self, change: Change[Any] | StreamEvent) -> Change[Any] | StreamEvent:
        """Applies a change to its live list; returns the change as the program gets it, with the removed items."""
        shown = self._lists.get(change.list) if isinstance(change, Change) else None
        if shown is None or not isinstance(change, Change):
            raise errors.InternalError(f"a change of a list that {type(self).__name__} does not have: {change}")
        removed = shown._apply(change)
        return dataclasses.replace(change, removed=removed) if removed else change

    def full_changes(self, last: Event) -> Sequence[Event]:
        """The changes that replace any shown lists by the current ones."""
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
        """Removes a listener that ``on_event`` or ``on_change`` added; one that is not there is ignored."""
        for known in self.listeners.copy():
            if known == listener or getattr(known, "listener", None) == listener:
                self._core.unlisten(self.listeners, known, self)

    def events(self, timeout: float | None = None) -> Feed[Told]:
        """An iteration over all events of this collection from now on; a blocking one ends when none came for
        ``timeout`` seconds."""
        return Feed(self._core, self, False, timeout)

    def contains(self, item: str | int) -> bool:
        """Whether ``items`` has a channel, by its URL, or a message, by its ``message_id``."""
        return bool(check(lib.sm_collection_contains(self._use(), text(str(item)))))

    def info(self) -> CollectionInfo:
        """Counts, edges and the arguments it was opened with, as of the last drained event; for messages also their
        channel."""
        return cast(CollectionInfo, describe(lib.sm_collection_info, self._use()))


class Changes:
    """A listener that is called with changes only."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener

    def __call__(self, event: Event) -> None:
        if isinstance(event, Change):
            self.listener(event)


class Calls:
    """Calls on a collection."""

    def _target(self) -> Collection[Any]:
        raise NotImplementedError

    def _begin(self, name: str, read: Any, function: Any, *arguments: Any) -> Call[Any]:
        target = self._target()
        return target._core.begin(name, read, target, function, target._use(), *arguments)

    def _act(self, action: str, **arguments: Any) -> Call[Any]:
        core = self._target()._core
        return core.begin("call", answer, None, lib.sm_call, core.handle.use(), encode(given(action, arguments)))
