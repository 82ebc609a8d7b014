"""Tasks of calls: ``asyncio.create_task(chat.fetch())``.

asyncio makes tasks only of coroutines, and ``asyncio.wait`` takes anything but coroutines; a call has to work with
both. So a call is not a coroutine, and the loop's task factory, which asyncio has for this, makes one of it. For
everything else it calls the previous factory. It is removed with the loop's last client.
"""

from __future__ import annotations

import asyncio
from typing import Any

from ._calls import Call


class _Factory:
    def __init__(self, before: Any) -> None:
        self.before = before
        self.clients = 0

    def __call__(self, loop: asyncio.AbstractEventLoop, coroutine: Any, **more: Any) -> Any:
        awaited: Any = coroutine
        if isinstance(coroutine, Call):
            awaited = _result(awaited)
        if self.before is not None:
            return self.before(loop, awaited, **more)
        return asyncio.Task(awaited, loop=loop, **more)


async def _result(call: Call[Any]) -> Any:
    return await call


def take_calls(loop: asyncio.AbstractEventLoop) -> None:
    """Lets the loop make tasks of calls, too."""
    factory: Any = loop.get_task_factory()
    if not isinstance(factory, _Factory):
        factory = _Factory(factory)
        loop.set_task_factory(factory)
    factory.clients += 1


def leave_calls(loop: asyncio.AbstractEventLoop) -> None:
    """Ends that, to be called once for each client. A factory that was set meanwhile by other code stays."""
    factory: Any = loop.get_task_factory()
    if isinstance(factory, _Factory):
        factory.clients -= 1
        if factory.clients == 0:
            loop.set_task_factory(factory.before)
