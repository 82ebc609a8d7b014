"""The library in an asyncio loop: results are awaited, events are iterated over. No thread, no polling."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any

from ._errors import SyncManagerError
from .client import LATEST, Client, Collection, status_name


class AsyncClient:
    """A client whose events are drained by the running loop. Use with ``async with``. Since 0.1."""

    def __init__(self, **config: Any) -> None:
        self.client = Client(**config)
        self._results: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def __aenter__(self) -> AsyncClient:
        asyncio.get_running_loop().add_reader(self.client.fileno(), self._drain)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.get_running_loop().remove_reader(self.client.fileno())
        self.client.close()
        for future in self._results.values():
            if not future.done():
                future.set_exception(SyncManagerError(-4, status_name(-4), "the client was closed"))

    def _drain(self) -> None:
        while (event := self.client.next_event(0)) is not None:
            future = self._results.pop(event.get("request", 0), None) if event["type"] == "result" else None
            if future is None:
                self._events.put_nowait(event)
            elif not future.done():
                self._settle(future, event)

    @staticmethod
    def _settle(future: asyncio.Future[dict[str, Any]], event: dict[str, Any]) -> None:
        status = int(event["status"])
        if status == 0:
            future.set_result(event)
        else:
            name = status_name(status)
            future.set_exception(SyncManagerError(status, name, str(event.get("message", "")), result=event))

    async def result(self, request: int) -> dict[str, Any]:
        """Waits for the result of a call by its number; raises SyncManagerError when it ended without success."""
        future = asyncio.get_running_loop().create_future()
        # The result cannot have been drained yet: draining happens in this loop, and nothing was awaited since the
        # call.
        self._results[request] = future
        return await future

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """Every event that is not an awaited result, for ever, also after close.

        Skip those that a snapshot's "seq" covers.
        """
        while True:
            yield await self._events.get()

    async def connect(self) -> dict[str, Any]:
        """Connects; returns at the login."""
        return await self.result(self.client.connect())

    async def fetch_next(self, collection: Collection) -> dict[str, Any]:
        """Loads the next page and waits for its end."""
        return await self.result(collection.fetch_next())


__all__ = ["LATEST", "AsyncClient"]
