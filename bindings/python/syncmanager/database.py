"""The realtime database beside the chat: values at paths, live, online and offline (docs/database.md).

The configuration's ``database`` says where it is. ``sm.database`` of a client has the calls; those of an asyncio client
are awaited, those of a blocking one wait.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

from . import errors
from ._calls import Call, ResultDocument
from ._core import Core
from ._feeds import Feed
from ._ffi import encode, lib
from ._shown import Shown
from .events import DatabaseListenEnded, DatabaseValue, Event

if TYPE_CHECKING:
    from typing_extensions import Unpack

logger = logging.getLogger("syncmanager")

Value = TypeVar("Value")
#: When a write completes: when the service has answered, or as soon as it cannot be lost any more.
When = Literal["answered", "kept"]


class _Leave:
    def __repr__(self) -> str:
        return "LEAVE"


#: What the function of a transaction returns to leave the value as it is.
LEAVE: Any = _Leave()


class DatabaseQuery(TypedDict, total=False):
    """Which children of a place, in which order; docs/actions.md explains the keys. Since 0.1.

    A bound is a value that is no object or list, or a list of such a value and a key.
    """

    order_by: str
    start_at: Any
    start_after: Any
    end_at: Any
    end_before: Any
    equal_to: Any
    limit_to_first: int
    limit_to_last: int


class Transaction(TypedDict, total=False):
    """The result of a transaction: whether it has written, and the value. Since 0.1."""

    committed: bool
    value: Any


class Values(Feed[DatabaseValue]):
    """An iteration over the values of a place. It ends with the listen. Since 0.1."""

    def __init__(self, listen: Listen, timeout: float | None) -> None:
        self._listen = listen
        super().__init__(listen._core, None, False, timeout)
        if listen.closed:
            self.close()

    def _push(self, event: Event, collection: Shown | None) -> None:
        if isinstance(event, DatabaseValue) and event.listen == self._listen.number:
            super()._push(event, collection)
        elif isinstance(event, DatabaseListenEnded) and event.listen == self._listen.number:
            self.close()

    def _start_over(self, last: Event) -> None:
        # Only the newest value is kept.
        while len(self._waiting) > 1:
            self._waiting.popleft()


class Listen:
    """A place that is listened to. ``async for`` (blocking: ``for``) goes over its values. Since 0.1."""

    def __init__(self, core: Core, document: dict[str, Any]) -> None:
        self._core = core
        #: The current value, with own writes; None when nothing is there, or nothing is known yet.
        self.value: Any = None
        #: Whether the value comes from the service over an open connection; False when it is cached or the connection
        #: is lost.
        self.current = False
        #: Whether it has ended: by ``close``, or because the service refuses it; then ``error`` says why.
        self.closed = False
        self.error: DatabaseListenEnded | None = None
        with core._noting:
            call = core.begin("call", _nothing, None, lib.sm_call, core.handle.use(), encode(document))
            #: The number of the listen in events.
            self.number = call.request
            core.listens[self.number] = self._apply

    def __repr__(self) -> str:
        return f"<Listen {self.number}: {'closed' if self.closed else self.value!r}>"

    def _apply(self, event: DatabaseValue | DatabaseListenEnded) -> None:
        if isinstance(event, DatabaseValue):
            self.value, self.current = event.value, event.current
        else:
            self.error, self.closed, self.current = event, True, False

    def values(self, timeout: float | None = None) -> Values:
        """An iteration from now on; a blocking one ends when nothing came for ``timeout`` seconds."""
        return Values(self, timeout)

    def __aiter__(self) -> Values:
        return self.values()

    def __iter__(self) -> Values:
        return self.values()

    def close(self) -> None:
        """Ends the listen, and its iterations. Safe to call twice."""
        if self.closed:
            return
        self.closed, self.current = True, False
        core = self._core
        with core._noting:
            core.listens.pop(self.number, None)
        if not core.closed:
            document = {"action": "database_unlisten", "listen": self.number}
            core.begin("call", _nothing, None, lib.sm_call, core.handle.use(), encode(document))
        for feed in core.feeds():
            if isinstance(feed, Values) and feed._listen is self:
                feed.close()


def _nothing(_: ResultDocument) -> None:
    return None


def _result(result: ResultDocument) -> Any:
    return result["result"]


def _value(result: ResultDocument) -> Any:
    return result["result"]["value"]


def _key(result: ResultDocument) -> str:
    return str(result["result"]["key"])


class _Base:
    """What both kinds of client share."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def _begin(self, action: str, read: Callable[[ResultDocument], Value], **arguments: Any) -> Call[Value]:
        core = self._core
        document = {"action": "database_" + action, **arguments}
        return core.begin("call", read, None, lib.sm_call, core.handle.use(), encode(document))

    def listen(self, path: str, **query: Unpack[DatabaseQuery]) -> Listen:
        """Listens to a place, or to some of its children. It goes on until ``close``."""
        return Listen(self._core, {"action": "database_listen", "path": path, **query})


class DatabaseCalls(_Base):
    """The calls on the database; each begins at once and gives a ``Call``. Since 0.1."""

    def get(self, path: str, *, shallow: bool = False, **query: Unpack[DatabaseQuery]) -> Call[Any]:
        """The value at a place; when the service does not answer, the last known one, or else NotConnectedError."""
        return self._begin("get", _value, path=path, **({"shallow": True} if shallow else {}), **query)

    def set(self, path: str, value: Any, *, when: When = "answered") -> Call[None]:
        """Writes a value; None removes the old one. ServiceError: the rules do not allow it."""
        return self._begin("set", _nothing, path=path, value=value, when=when)

    def update(self, path: str, values: Mapping[str, Any], *, when: When = "answered") -> Call[None]:
        """Writes values at paths below a place, all or none."""
        return self._begin("update", _nothing, path=path, values=dict(values), when=when)

    def push(self, path: str, value: Any, *, when: When = "answered") -> Call[str]:
        """Writes a value under a new key that is ordered after all earlier ones; gives the key."""
        return self._begin("push", _key, path=path, value=value, when=when)

    def remove(self, path: str, *, when: When = "answered") -> Call[None]:
        """Removes the value at a place."""
        return self._begin("remove", _nothing, path=path, when=when)

    def count(self, path: str, by: int = 1, *, when: When = "answered") -> Call[None]:
        """Adds to the whole number at a place. When there is none, the value becomes ``by``, or 0 if that is
        negative."""
        return self._begin("count", _nothing, path=path, by=by, when=when)

    def transaction(self, path: str, function: Callable[[Any], Any]) -> Call[Transaction]:
        """Replaces a value by one that ``function`` computes from it; ``LEAVE`` keeps the value. The function is called
        on the thread that drains, again when another client has written meanwhile, and must not wait for the client.
        What it raises goes to the log ``syncmanager``, and the value is kept."""
        core = self._core
        with core._noting:
            call: Call[Transaction] = self._begin("transaction", _result, path=path)
            core.transforms[call.request] = lambda value: _transform(self, call.request, function, value)
        return call

    def set_token(self, token: str | None) -> Call[None]:
        """Sets the token by which the service knows this user; the answer to ``DatabaseTokenNeeded``."""
        return self._begin("set_token", _nothing, token=token)

    def go_offline(self) -> Call[None]:
        """Stops all requests until ``go_online``; writes wait."""
        return self._begin("offline", _nothing)

    def go_online(self) -> Call[None]:
        """Resumes requests after ``go_offline``."""
        return self._begin("online", _nothing)


def _transform(calls: DatabaseCalls, transaction: int, function: Callable[[Any], Any], value: Any) -> None:
    try:
        made = function(value)
    except Exception:
        # The error is logged, and the transaction ends without having written.
        logger.exception("the function of a transaction failed")
        made = LEAVE
    answer = {"abort": True} if made is LEAVE else {"value": made}
    try:
        calls._begin("transformed", _nothing, transaction=transaction, **answer)
    except (TypeError, ValueError, errors.InvalidDocumentError):
        logger.exception("the function of a transaction gave no value of the database")
        calls._begin("transformed", _nothing, transaction=transaction, abort=True)


class BlockingDatabase(_Base):
    """The calls on the database in a program without an event loop: each waits for its end, up to ``timeout`` seconds,
    after which it goes on. Since 0.1."""

    @property
    def start(self) -> DatabaseCalls:
        """The same calls without waiting: each gives a ``Call``."""
        return DatabaseCalls(self._core)

    def get(
        self, path: str, *, shallow: bool = False, timeout: float | None = None, **query: Unpack[DatabaseQuery]
    ) -> Any:
        """The value at a place; when the service does not answer, the last known one, or else NotConnectedError."""
        return self.start.get(path, shallow=shallow, **query).result(timeout)

    def set(self, path: str, value: Any, *, when: When = "answered", timeout: float | None = None) -> None:
        """Writes a value; None removes the old one."""
        self.start.set(path, value, when=when).result(timeout)

    def update(
        self, path: str, values: Mapping[str, Any], *, when: When = "answered", timeout: float | None = None
    ) -> None:
        """Writes values at paths below a place, all or none."""
        self.start.update(path, values, when=when).result(timeout)

    def push(self, path: str, value: Any, *, when: When = "answered", timeout: float | None = None) -> str:
        """Writes a value under a new key that is ordered after all earlier ones; gives the key."""
        return self.start.push(path, value, when=when).result(timeout)

    def remove(self, path: str, *, when: When = "answered", timeout: float | None = None) -> None:
        """Removes the value at a place."""
        self.start.remove(path, when=when).result(timeout)

    def count(self, path: str, by: int = 1, *, when: When = "answered", timeout: float | None = None) -> None:
        """Adds to the whole number at a place."""
        self.start.count(path, by, when=when).result(timeout)

    def transaction(self, path: str, function: Callable[[Any], Any], *, timeout: float | None = None) -> Transaction:
        """Replaces a value by one computed from it, see ``DatabaseCalls.transaction``."""
        return self.start.transaction(path, function).result(timeout)

    def set_token(self, token: str | None, *, timeout: float | None = None) -> None:
        """Sets the token by which the service knows this user."""
        self.start.set_token(token).result(timeout)

    def go_offline(self, *, timeout: float | None = None) -> None:
        """Stops all requests until ``go_online``; writes wait."""
        self.start.go_offline().result(timeout)

    def go_online(self, *, timeout: float | None = None) -> None:
        """Resumes requests after ``go_offline``."""
        self.start.go_online().result(timeout)


__all__ = ["LEAVE", "BlockingDatabase", "DatabaseCalls", "DatabaseQuery", "Listen", "Transaction", "Values", "When"]
