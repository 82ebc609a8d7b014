"""Calls that were accepted and are not complete yet."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import sys
import traceback
from collections.abc import Callable, Generator
from typing import Any, Generic, Protocol, TypeVar, cast

from . import errors
from ._ffi import status_name

Value = TypeVar("Value")
ResultDocument = dict[str, Any]
Callback = Callable[["Call[Any]"], object]

logger = logging.getLogger("syncmanager")

#: How a call ends that the program ended itself: no error that somebody should have looked at.
_ENDED_BY_PROGRAM = (errors.ClosedError, errors.CanceledError, errors.RemovedError)
#: How the first attempt of a connect ends offline: trying goes on, and the events ``Connection`` tell of it.
_TRIED_AGAIN = (errors.NetworkError, errors.CallTimeoutError)


class Drains(Protocol):
    """Drains the events that complete calls."""

    #: The loop of an asyncio program; None in a blocking one.
    loop: asyncio.AbstractEventLoop | None

    def running_loop(self) -> asyncio.AbstractEventLoop:
        """The running loop, which must be the client's."""
        ...

    def wait(self, condition: Callable[[], bool], timeout: float | None) -> bool:
        """Blocks until ``condition`` holds; False after ``timeout`` s."""
        ...


class Call(Generic[Value]):
    """A call that the library has accepted; it goes on whether or not anything waits for it.

    In an asyncio program ``await`` it; in a blocking one ask for ``result``. Both may be done several times, and raise
    the call's error. ``asyncio.create_task``, ``gather``, ``wait``, ``wait_for`` and similar functions take it;
    cancelling what waits for it does not end the call. To a type checker it is an ``Awaitable``:
    ``asyncio.ensure_future`` makes a task of one.

    When a call with an error is freed and the error was never asked for, the loop's exception handler is told, in a
    blocking program the log ``syncmanager`` ("Call exception was never retrieved"). It is not told if the program
    itself ended the call (by closing the client, removing the collection, canceling), nor if a first ``connect`` found
    no network. Since 0.1.
    """

    def __init__(
        self,
        core: Drains,
        request: int,
        name: str,
        read: Callable[[ResultDocument], Value],
        owner: object,
    ) -> None:
        #: The number of the call in the event ``Result``.
        self.request = request
        #: Its name there, as "send_message".
        self.name = name
        self._core = core
        self._owner = owner  # lives as long as the call
        self._read: Callable[[ResultDocument], Value] | None = read
        self._done = False
        self._value: Value | None = None
        self._error: errors.SyncManagerError | None = None
        self._is_asked_for = False
        self._waiters: list[asyncio.Future[None]] = []
        self._callbacks: list[tuple[Callback, contextvars.Context]] = []
        is_debugged = core.loop is not None and core.loop.get_debug()
        self._source = traceback.extract_stack(sys._getframe(1)) if is_debugged else None

    def __repr__(self) -> str:
        return f"<{self.name} {self.request}: {'under way' if not self._done else self._error or 'done'}>"

    def __del__(self) -> None:
        # Where making it was interrupted there is no error.
        error = getattr(self, "_error", None)
        if error is None or self._is_asked_for or isinstance(error, _ENDED_BY_PROGRAM):
            return
        if self.name == "connect" and isinstance(error, _TRIED_AGAIN):
            return
        message = f"{type(self).__name__} exception was never retrieved"
        if self._core.loop is None:
            logger.error("%s: %r", message, self, exc_info=error)
            return
        context: dict[str, Any] = {"message": message, "exception": error, "future": self}
        if self._source is not None:
            context["source_traceback"] = self._source
        self._core.loop.call_exception_handler(context)

    def done(self) -> bool:
        """Whether the call is complete."""
        return self._done

    def cancelled(self) -> bool:
        """False: what waits for a call can be cancelled, the call cannot."""
        return False

    def result(self, timeout: float | None = None) -> Value:
        """The result of the call. In a blocking program this waits for it, up to ``timeout`` seconds; in an asyncio
        program the call must be done, as with ``asyncio.Future``. Raises the call's error, or CallTimeoutError: then
        the call goes on."""
        if not self._done and not self._core.wait(self.done, timeout):
            raise errors.CallTimeoutError(f"{self.name} was not done after {timeout} s; it goes on")
        error = self.error()
        if error is not None:
            raise error
        return cast(Value, self._value)

    def error(self) -> errors.SyncManagerError | None:
        """The error of a call that is done, or None."""
        self._is_asked_for = self._done
        return self._error

    def exception(self) -> errors.SyncManagerError | None:
        """The same, as ``asyncio.Future`` has it: raises ``asyncio.InvalidStateError`` while the call is under way."""
        if not self._done:
            raise asyncio.InvalidStateError("the call is under way")
        return self.error()

    def add_done_callback(self, callback: Callback, *, context: contextvars.Context | None = None) -> None:
        """Lets the loop call ``callback`` with this call when it is done, as ``asyncio.Future`` does."""
        loop = self._core.running_loop()
        context = contextvars.copy_context() if context is None else context
        if self._done:
            loop.call_soon(callback, self, context=context)
        else:
            self._callbacks.append((callback, context))

    def remove_done_callback(self, callback: Callback) -> int:
        """Removes a callback; returns how many times it was added."""
        left = [entry for entry in self._callbacks if entry[0] != callback]
        count = len(self._callbacks) - len(left)
        self._callbacks = left
        return count

    def __await__(self) -> Generator[Any, None, Value]:
        if not self._done:
            # One for each who waits: it is cancelled with the task, and the call is not.
            waiter: asyncio.Future[None] = self._core.running_loop().create_future()
            self._waiters.append(waiter)
            try:
                yield from waiter
            finally:
                if not self._done:
                    self._waiters.remove(waiter)
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
        for callback, context in self._callbacks:
            if self._core.loop is not None:
                self._core.loop.call_soon(callback, self, context=context)
        self._callbacks.clear()
