"""No test is run here: mypy --strict checks it. Each line with an ignored error is a mistake that types must find."""

from __future__ import annotations

from typing import Optional

from typing_extensions import assert_type

from syncmanager import Call, Change, Channel, LiveList, Message, Page, SyncManager, blocking, errors
from syncmanager.events import Connection, Event, Source


async def right(sm: SyncManager) -> None:
    channels = sm.channels(order="chronological", limit=20, custom_types=["a"])
    assert_type(channels.items, LiveList[Channel])
    assert_type(channels.items[0], Channel)
    assert_type(channels.items[0:2], "list[Channel]")
    assert_type(await channels.fetch(), Page)
    chat = sm.messages("c", message_type="user")
    assert_type(chat.send("hi", data="d"), Call[Message])
    assert_type(await chat.send("hi"), Message)
    assert_type(chat.items[-1]["message"], str)
    async for change in chat:
        assert_type(change, Change[Message])
        assert_type(change.source, Source)
        assert_type(change.items[0]["created_at"], int)
    async for event in sm.events():
        assert_type(event, Event)
        if isinstance(event, Connection):
            assert_type(event.retry_in, Optional[int])
    try:
        await sm.connect()
    except errors.ServiceError as error:
        assert_type(error.service_code, Optional[int])


def right_too(sm: blocking.SyncManager) -> None:
    chat = sm.messages("c")
    assert_type(chat.send("hi", timeout=3, custom_type="t"), Message)
    assert_type(chat.start.fetch("next"), Call[Page])
    for change in chat:
        assert_type(change, Change[Message])


async def wrong(sm: SyncManager) -> None:
    SyncManager(app_id="A")  # type: ignore[call-arg]
    SyncManager(app_id="A", user_id="mei", queue_limit="16")  # type: ignore[arg-type]
    sm.channels(order="random")  # type: ignore[arg-type]
    sm.channels(no_such_key=1)  # type: ignore[call-arg]
    chat = sm.messages("c")
    await chat.fetch("up")  # type: ignore[arg-type]
    await chat.send(1)  # type: ignore[arg-type]
    print(chat.items[0]["no_such_member"])  # type: ignore[typeddict-item]
    async for change in chat:
        print(change.source == "no_such_source")  # type: ignore[comparison-overlap]
