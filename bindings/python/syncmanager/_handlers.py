"""Handlers of one class of events: functions that are called as listeners, and coroutine functions, which run one event
after another on a task of the client's loop."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import deque
from collections.abc import Awaitable
from typing import Any

from ._core import Core
from ._shown import Listener
from .errors import ClosedError
from .events import Event

logger = logging.getLogger("syncmanager")


class Handler:
    """A listener that is called with the events of one class only."""

    def __init__(self, kind: type[Any], listener: Listener) -> None:
        self.kind = kind
        self.listener = listener

    def __call__(self, event: Event) -> None:
        if isinstance(event, self.kind):
            self.listener(event)

    async def end(self) -> None:
        """Ends what it still does."""


class TaskHandler(Handler):
    """The same for a function that may be a coroutine function: what it gives is awaited before the next one begins."""

    def __init__(self, kind: type[Any], listener: Listener, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(kind, listener)
        self._loop = loop
        self._waiting: deque[tuple[Event, Awaitable[Any]]] = deque()
        self._task: asyncio.Task[None] | None = None

    def __call__(self, event: Event) -> None:
        if not isinstance(event, self.kind):
            return
        # A coroutine begins when it is awaited.
        given: object = self.listener(event)
        if inspect.isawaitable(given):
            self._waiting.append((event, given))
            if self._task is None:
                self._task = self._loop.create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._waiting:
                event, given = self._waiting.popleft()
                try:
                    await given
                except ClosedError:
                    pass  # the program has closed the client
                except Exception:
                    # Nobody waits for a handler, so its error is logged; the next event is handled all the same. What
                    # is in the event may be private.
                    logger.exception("a handler failed at %s number %d", type(event).__name__, event.seq)
        finally:
            self._task = None
            self._drop()

    def _drop(self) -> None:
        for _, given in self._waiting:
            if inspect.iscoroutine(given):
                given.close()  # it has not begun, and asyncio would warn that it never will
        self._waiting.clear()

    async def end(self) -> None:
        self._drop()
        task = self._task
        if task is not None and task is not asyncio.current_task():
            task.cancel()
            await asyncio.wait({task})


def add_handler(core: Core, kind: type[Any], listener: Listener) -> None:
    """Adds a handler to a client. TypeError: a blocking client has no loop that could run a coroutine function."""
    if core.loop is None:
        if inspect.iscoroutinefunction(listener):
            raise TypeError("a blocking client takes no coroutine function: its program has no event loop")
        core.listen(core.listeners, Handler(kind, listener), None)
    else:
        core.listen(core.listeners, TaskHandler(kind, listener, core.loop), None)


async def end_handlers(core: Core) -> None:
    """Takes the handlers off the client, cancels what they still do, and waits for its end."""
    handlers = [listener for listener in core.listeners.copy() if isinstance(listener, Handler)]
    for handler in handlers:
        core.unlisten(core.listeners, handler, None)
    for handler in handlers:
        await handler.end()
