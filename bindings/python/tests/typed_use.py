"""No test is run here: mypy --strict checks it. Each line with an ignored error is a mistake that types must find."""

from __future__ import annotations

from typing import Optional, Union

from typing_extensions import assert_type

from syncmanager import (
    Call,
    Change,
    Channel,
    LiveList,
    Message,
    Page,
    SearchResult,
    SyncManager,
    User,
    blocking,
    errors,
    snippet_spans,
)
from syncmanager.actions import MemberPage, UserPage
from syncmanager.events import AnyChange, AnyEvent, CollectionEvent, Connection, Source


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
    found = sm.search("lunch", order="relevance", sender_ids=["bo"])
    assert_type(await found.fetch(), Page)
    assert_type(found.items[0], SearchResult)
    assert_type(snippet_spans(found.items[0]), "list[tuple[int, int]]")
    assert_type(snippet_spans(found.items[0]["snippet"]), "list[tuple[int, int]]")
    async for step in found:
        assert_type(step, Change[SearchResult])
    async for event in sm.events():
        assert_type(event, AnyEvent)
        if isinstance(event, Connection):
            assert_type(event.retry_in, Optional[int])
            assert_type(event.message, Optional[str])
        if isinstance(event, Change):
            assert_type(event, AnyChange)
    try:
        await sm.connect()
    except errors.ServiceError as error:
        assert_type(error.service_code, Optional[int])


async def events(sm: SyncManager) -> None:
    chat = sm.messages("c")
    async for event in chat.events():
        assert_type(event, CollectionEvent[Message])
        if isinstance(event, Change):
            assert_type(event, Change[Message])
            assert_type(event.removed[0], Message)
            for detail in event.detail:
                if detail["event"] == "event_user_joined":
                    assert_type(detail["users"], list[User])
                elif detail["event"] == "event_delivery_status_updated":
                    assert_type(detail["delivered_at"], dict[str, int])


async def actions(sm: SyncManager, message: Message) -> None:
    chat = sm.messages("c")
    assert_type(await chat.edit_message(message, message="hello"), Message)
    assert_type(chat.mark_as_read(), Call[None])
    assert_type(await chat.list_members(member_state_filter="joined_only"), MemberPage)
    assert_type(await sm.create_channel(user_ids=["bo"], is_distinct=True), Channel)
    assert_type(await sm.call("get_message", channel_url="c", message_id=4), Message)
    assert_type(await sm.call("mark_as_read", channel_url="c"), None)


def documents(message: Message, channel: Channel) -> None:
    assert_type(message["message_id"], Union[int, str])
    assert_type(message["reactions"][0]["user_ids"], list[str])
    assert_type(message["poll"]["options"][0].get("vote_count"), Optional[int])
    assert_type(message.get("parent_message_info", {}).get("ts"), Optional[int])
    assert_type(channel["read_receipt"], dict[str, int])
    assert_type(channel["members"][0]["user_id"], str)
    Message(message_id="m-1", created_at=1)
    Message(message="hi")  # type: ignore[typeddict-item]


def right_too(sm: blocking.SyncManager) -> None:
    chat = sm.messages("c")
    assert_type(chat.send("hi", timeout=3, custom_type="t"), Message)
    assert_type(chat.start.fetch("next"), Call[Page])
    for change in chat:
        assert_type(change, Change[Message])
    assert_type(chat.mark_as_read(timeout=3), None)
    assert_type(sm.list_users(nickname="Bo"), UserPage)
    assert_type(sm.call("list_users", limit=3, timeout=3), UserPage)
    assert_type(sm.start.get_channel("c"), Call[Channel])


async def wrong(sm: SyncManager) -> None:
    SyncManager(app_id="A")  # type: ignore[call-arg]
    SyncManager(app_id="A", user_id="mei", queue_limit="16")  # type: ignore[arg-type]
    sm.channels(order="random")  # type: ignore[arg-type]
    sm.channels(no_such_key=1)  # type: ignore[call-arg]
    sm.search("lunch", order="best")  # type: ignore[arg-type]
    sm.search()  # type: ignore[call-arg]
    chat = sm.messages("c")
    await chat.fetch("up")  # type: ignore[arg-type]
    await chat.send(1)  # type: ignore[arg-type]
    sm.call("mark_as_raed", channel_url="c")  # type: ignore[call-overload]
    sm.call("mark_as_read", channel="c")  # type: ignore[call-overload]
    await chat.list_members(order="random")  # type: ignore[arg-type]
    await chat.add_reaction("heart")  # type: ignore[call-arg]
    print(chat.items[0]["no_such_member"])  # type: ignore[typeddict-item]
    async for change in chat:
        print(change.source == "no_such_source")  # type: ignore[comparison-overlap]
