"""No test is run here: mypy --strict and pyright check it. ``match`` (Python 3.10) tells events apart."""

from __future__ import annotations

from typing_extensions import assert_never, assert_type

from syncmanager import Change, Message, SyncManager
from syncmanager.events import Connection, NewMessage, Overflow, StreamBatch, StreamLoaded, StreamRow, StreamStep


async def of_a_client(sm: SyncManager) -> None:
    async for event in sm.events():
        match event:
            case Connection(state="waiting", retry_in=time):
                assert_type(time, int | None)
            case NewMessage(message=message):
                assert_type(message, Message)
            case Change(list="failed", reason=reason):
                assert reason is not None and reason != "none"
            case _:
                pass


async def of_a_stream(sm: SyncManager) -> None:
    async for event in sm.stream("transient").events():
        match event:
            case StreamBatch(added=rows):
                assert_type(rows, list[StreamRow])
            case StreamStep() | StreamLoaded() | Overflow():
                assert_type(event.collection, int)
            case _:
                assert_never(event)
