"""Calls that were accepted and are not complete yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from . import errors
from ._ffi import status_name

if TYPE_CHECKING:
    from ._core import Core
    from .collections import Collection

Value = TypeVar("Value")
ResultDocument = dict[str, Any]


class Call(Generic[Value]):
    """A call that the library has accepted; it goes on whether or not somebody waits for it.

    In an asyncio program ``await`` it; in a blocking one ask for ``result``. Both may be done several times, and raise
    the call's error. An error nobody asks for is not reported. Since 0.1.
    """

    def __init__(
        self,
        core: Core,
        request: int,
        name: str,
        read: Callable[[ResultDocument], Value],
        owner: Collection | None,
    ) -> None:
        #: The number of the call in the event ``Result``.
        self.request = request
        #: Its name there, as "send_message".
        self.name = name
        self._core = core
        self._owner = owner
        self._read: Callable[[ResultDocument], Value] | None = read
        self._done = False
        self._value: Value | None = None
        self._error: errors.SyncManagerError | None = None
        self._waiters: list[asyncio.Future[None]] = []

    def __repr__(self) -> str:
        return f"<{self.name} {self.request}: {'under way' if not self._done else self._error or 'done'}>"

    def done(self) -> bool:
        """Whether the call is complete."""
        return self._done

    def result(self, timeout: float | None = None) -> Value:
        """What the call gave. In a blocking program waits for it, up to ``timeout`` seconds; in an asyncio program the
        call must be done, as with ``asyncio.Future``. Raises the call's error, or CallTimeoutError: then it goes on."""
        if not self._done:
            self._core.wait_for(self, timeout)
        if self._error is not None:
            raise self._error
        return cast(Value, self._value)

    def error(self) -> errors.SyncManagerError | None:
        """The error of a call that is done, or None."""
        return self._error

    def __await__(self) -> Generator[Any, None, Value]:
        if not self._done:
            loop = self._core.running_loop()
            waiter: asyncio.Future[None] = loop.create_future()
            self._waiters.append(waiter)
            yield from waiter
        return self.result()

    def _settle(self, document: ResultDocument | None) -> None:
        """Completes the call with its result, or with None because the client was closed."""
        read, self._read, self._owner = self._read, None, None
        if document is None:
            self._error = errors.ClosedError("the client was closed before the call was done")
        elif document["status"] == 0 and read is not None:
            self._value = read(document)
        else:
            status, message = document["status"], document.get("message", "")
            self._error = errors.make(
                status, status_name(status), message if isinstance(message, str) else "", result=document
            )
        self._done = True
        for waiter in self._waiters:
            if not waiter.done():  # else the task that waited was cancelled
                waiter.set_result(None)
        self._waiters.clear()
