"""What the library is doing, in words: the connection, the sync, what went wrong."""

from __future__ import annotations

import time

from ..events import Connection, Event, SearchProgress, SyncProgress, SyncState
from .plain import plain
from .words import counted


class Status:
    """What the client has told of itself."""

    def __init__(self) -> None:
        self._state = "offline"
        #: When the next attempt to connect is made, by the clock of `time.monotonic`.
        self._retry_at: float | None = None
        #: Why there is no connection.
        self._reason = ""
        self._sync = "idle"
        self._syncing = ""
        self._cached: dict[str, int] = {}
        #: How much of the cache can be searched, while that is not all of it.
        self.indexing = ""
        #: What went wrong last.
        self.problem = ""

    def heard(self, event: Event) -> bool:
        """Takes what an event tells; whether it does."""
        if isinstance(event, Connection):
            self._state = event.state
            self._retry_at = None if event.retry_in is None else time.monotonic() + event.retry_in / 1000
            self._reason = event.message or ""
        elif isinstance(event, SyncState):
            self._sync = event.state
        elif isinstance(event, SyncProgress):
            self._cached[event.channel_url] = event.done
            self._syncing = event.channel_url
        elif isinstance(event, SearchProgress):
            done = event.done * 100 // max(event.total, 1)
            self.indexing = "" if event.complete else f"{done} % of the cache is indexed"
        else:
            return False
        return True

    @property
    def is_connected(self) -> bool:
        """Whether the user is logged in."""
        return self._state == "connected"

    @property
    def is_off(self) -> bool:
        """Whether the user has ended the connection."""
        return self._state == "disconnected"

    @property
    def is_synced(self) -> bool:
        """Whether there is nothing to bring into the cache, and something was."""
        return self._sync == "idle" and bool(self._cached)

    def connection(self) -> str:
        """The connection, in words."""
        if self._retry_at is None:
            return self._state
        return f"offline, tries again in {max(self._retry_at - time.monotonic(), 0):.0f} s"

    def sync(self) -> str:
        """How far the sync is."""
        done = f"{counted(sum(self._cached.values()), 'message')} cached"
        if self._sync == "running":
            return f"syncing {self._syncing}, {done}"
        return f"in sync, {done}" if self._sync == "idle" and self.is_connected else f"sync {self._sync}, {done}"

    def line(self) -> str:
        """All of it, for the last line of the screen."""
        reason = "" if self._retry_at is None else self._reason  # last: it is long
        parts = (self.connection(), self.sync(), self.indexing, self.problem, reason)
        return plain("  │  ".join(part for part in parts if part))

    def offline(self) -> str:
        """What a user without a connection should know; nothing for one who has it, or is about to."""
        if self.is_off:
            return "You are offline. What you write is kept, and sent when ctrl+r has connected you."
        if self.is_connected or self._retry_at is None:
            return ""
        return f"No connection ({self.connection()}). What you write is kept, and sent when there is one."
