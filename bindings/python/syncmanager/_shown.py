"""What the client's core and its iterations know of a collection: enough to give it its events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from .events import Change, Event, StreamEvent

Listener = Callable[[Any], object]


class Shown(Protocol):
    """A collection or a stream."""

    #: The number of the collection in events.
    number: int
    #: Whether it was removed.
    removed: bool
    listeners: list[Listener]

    def apply(self, change: Change[Any] | StreamEvent) -> Change[Any] | StreamEvent:
        """Applies a change to its live list; returns the change with the removed items. The core's lock is held."""
        ...

    def full_changes(self, last: Event) -> Sequence[Event]:
        """The changes that replace any shown lists by the current ones."""
        ...
