"""MessageApi of the Platform API client."""

from __future__ import annotations

from typing import Any

import pytest
from platform_client import Platform, code, fault, lacks, operation
from sendbird_platform_sdk import models
from sendbird_platform_sdk.exceptions import ApiException, ApiTypeError, ApiValueError

ALWAYS = 2**53


@pytest.fixture
def where(platform: Platform) -> dict[str, str]:
    platform.users("ann", "bob", "cho")
    url = platform.channel("ann", "bob", operator_ids=["ann"], channel_url="tea").channel_url
    return dict(channel_type="group_channels", channel_url=url)


def request(**fields: Any) -> Any:
    return models.SendAMessageRequest(**{"message_type": "MESG", "user_id": "ann", **fields})


def array(**values: list[str]) -> Any:
    return models.SendbirdSortedMetaarray(
        [models.SendbirdSortedMetaarrayInner(key=key, value=value) for key, value in values.items()]
    )


def plain(sorted_metaarray: Any) -> dict[str, list[str]]:
    return {entry.key: entry.value for entry in sorted_metaarray.value}


@operation("Message.send_a_message")
def test_send_a_message(platform: Platform, where: dict[str, str]) -> None:
    def send(**fields: Any) -> Any:
        return platform.Message.send_a_message(**where, send_a_message_request=request(**fields))

    sent = send(
        message="hello",
        custom_type="t",
        data="d",
        mention_type="users",
        mentioned_user_ids=["bob"],
        sorted_metaarray=array(k=["1", "2"], j=["3"]),
        is_silent=False,
        send_push=True,
        mark_as_read=True,
        dedup_id="once",
    )
    assert (sent.type, sent.message, sent.custom_type, sent.data) == ("MESG", "hello", "t", "d")
    assert sent.user.user_id == "ann" and sent.user.role == "operator" and sent.is_op_msg is True
    assert [u.user_id for u in sent.mentioned_users] == ["bob"] and sent.channel_url == "tea"
    assert plain(sent.sorted_metaarray) == {"k": ["1", "2"], "j": ["3"]}
    assert sent.updated_at == 0 and sent.is_removed is False and sent.silent is False and sent.translations == {}
    assert sent.message_events.to_dict() == {
        "send_push_notification": "receivers",
        "update_unread_count": True,
        "update_mention_count": True,
        "update_last_message": True,
    }
    assert not lacks(
        models.SendbirdMessageResponse,
        platform.answer,
        *("parent_message_id", "parent_message_info", "is_reply_to_channel", "extended_message_payload", "files"),
        *("require_auth", "req_id", "reactions", "file", "thread_info"),
    )
    # The same dedup_id again is the same message; without one there are two.
    assert send(message="hello", dedup_id="once").message_id == sent.message_id
    assert send(message="hello").message_id != sent.message_id
    # A sender has read what it sends, unless the request says that it has not.
    read = platform.GroupChannel.get_a_group_channel(channel_url="tea", show_read_receipt=True).read_receipt
    assert read["ann"] >= sent.created_at
    unread = platform.send("tea", "bob", mark_as_read=False)
    read = platform.GroupChannel.get_a_group_channel(channel_url="tea", show_read_receipt=True).read_receipt
    assert read["bob"] < unread.created_at
    old = send(message="old", created_at=1_600_000_000_000)
    assert old.created_at == 1_600_000_000_000
    last = platform.GroupChannel.get_a_group_channel(channel_url="tea").to_dict()["last_message"]
    assert last["message_id"] == unread.message_id
    file = send(
        message_type="FILE",
        files=models.SendbirdFile(
            url="https://f/x.png",
            file_name="x.png",
            file_size=12,
            file_type="image/png",
            thumbnails=[models.SendbirdThumbnail(url="https://f/t", width=10, height=20, real_width=5, real_height=10)],
        ),
        require_auth=False,
    )
    assert file.type == "FILE" and file.file["url"] == "https://f/x.png" and file.file["name"] == "x.png"
    assert (file.file["size"], file.file["type"], file.files[0].file_name) == (12, "image/png", "x.png")
    note = send(message_type="ADMM", message="from the service")
    assert note.type == "ADMM" and note.message == "from the service" and "user" not in note.to_dict()
    silent = send(message="s", is_silent=True)
    assert silent.silent is True and silent.message_events.update_unread_count is False
    for fields, expected in (
        (dict(user_id="nobody", message="x"), 400201),
        (dict(user_id="cho", message="x"), 900020),
        (dict(message="x" * 65537), 400110),
    ):
        with pytest.raises(ApiException) as refused:
            send(**fields)
        assert code(refused) == expected and 400 <= refused.value.status < 500


@operation("Message.get_a_message")
def test_get_a_message(platform: Platform, where: dict[str, str]) -> None:
    parent = platform.send("tea", "ann", "parent", sorted_metaarray=array(k=["v"]))
    rest = platform.server.admin
    reply = {"user_id": "bob", "message": "re", "parent_message_id": parent.message_id}
    rest.post("/v3/group_channels/tea/messages", reply)
    rest.post(f"/v3/group_channels/tea/messages/{parent.message_id}/reactions", {"user_id": "bob", "reaction": "up"})
    bare = platform.Message.get_a_message(**where, message_id=parent.message_id)
    assert bare.message == "parent" and not {"reactions", "thread_info"} & set(platform.answer)
    full = platform.Message.get_a_message(
        **where,
        message_id=parent.message_id,
        include_reactions=True,
        include_thread_info=True,
        include_parent_message_info=True,
        include_poll_details=True,
        with_sorted_meta_array=True,
    )
    assert [(r.key, r.user_ids) for r in full.reactions] == [("up", ["bob"])]
    assert full.thread_info["reply_count"] == 1 and full.thread_info["most_replies"][0]["user_id"] == "bob"
    assert plain(full.sorted_metaarray) == {"k": ["v"]}
    with pytest.raises(ApiException) as nothing:
        platform.Message.get_a_message(**where, message_id=10**9)
    assert code(nothing) == 900300


@operation("Message.list_messages")
def test_list_messages(platform: Platform, where: dict[str, str]) -> None:
    sent = [platform.send("tea", "ann" if n % 2 else "bob", f"m{n}", custom_type=f"t{n % 3}") for n in range(40)]
    texts = [m.message for m in sent]

    def listed(**query: Any) -> list[str]:
        query = {"message_id": 0, "message_ts": ALWAYS, **query}
        return [m.message for m in platform.Message.list_messages(**where, **query).messages]

    assert listed() == texts[-15:]
    assert listed(prev_limit=5) == texts[-5:] and listed(prev_limit=5, reverse=True) == texts[:-6:-1]
    middle = sent[20]
    around = dict(message_id=middle.message_id, prev_limit=2, next_limit=2)
    assert listed(**around) == texts[18:23]
    assert listed(**around, include=False) == texts[18:20] + texts[21:23]
    # Fifteen of each side unless told otherwise.
    assert listed(message_id=middle.message_id) == texts[5:36]
    assert listed(prev_limit=100, sender_id="bob") == texts[::2]
    assert listed(prev_limit=100, sender_ids="ann,bob") == texts and listed(prev_limit=100, sender_ids="x,y") == []
    assert listed(prev_limit=100, operator_filter="operator") == texts[1::2]
    assert listed(prev_limit=100, operator_filter="nonoperator") == texts[::2]
    assert listed(prev_limit=100, custom_types="t0,t1") == [t for n, t in enumerate(texts) if n % 3 < 2]
    assert listed(prev_limit=100, message_type="FILE") == []
    platform.Message.delete_a_message(**where, message_id=sent[39].message_id)
    assert listed(prev_limit=2) == texts[37:39]
    removed = platform.Message.list_messages(
        **where, message_id=0, message_ts=ALWAYS, prev_limit=2, including_removed=True
    ).messages
    assert [m.message_id for m in removed] == [m.message_id for m in sent[38:40]]
    assert [m.is_removed for m in removed] == [False, True]
    parent = sent[0]
    rest = platform.server.admin
    reply = rest.post(
        "/v3/group_channels/tea/messages", {"user_id": "bob", "message": "re", "parent_message_id": parent.message_id}
    )
    assert "re" not in listed(prev_limit=1, include_reply_type="NONE")
    got = platform.Message.list_messages(
        **where,
        message_id=0,
        message_ts=ALWAYS,
        prev_limit=1,
        include_reply_type="ALL",
        include_parent_message_info=True,
        include_thread_info=True,
        include_reactions=True,
        with_sorted_meta_array=True,
    ).messages[0]
    assert got.message_id == reply["message_id"] and got.parent_message_id == parent.message_id
    assert got.parent_message_info.message == "m0" and got.parent_message_info.user.user_id == "bob"
    assert got.parent_message_info.ts == parent.created_at


@operation("Message.update_a_message")
def test_update_a_message(platform: Platform, where: dict[str, str]) -> None:
    sent = platform.send("tea", "ann", "one", data="d")

    def update(message_id: int, **fields: Any) -> Any:
        return platform.Message.update_a_message(
            **where, message_id=message_id, update_a_message_request=models.UpdateAMessageRequest(**fields)
        )

    changed = update(
        sent.message_id,
        message_type="MESG",
        message="two",
        custom_type="t",
        mention_type="users",
        mentioned_user_ids=["bob"],
    )
    assert (changed.message, changed.data, changed.custom_type) == ("two", "d", "t")
    assert changed.updated_at >= sent.created_at and [u.user_id for u in changed.mentioned_users] == ["bob"]
    assert platform.Message.get_a_message(**where, message_id=sent.message_id).message == "two"
    file = platform.Message.send_a_message(
        **where,
        send_a_message_request=request(message_type="FILE", files=models.SendbirdFile(url="https://f/1", file_name="n")),
    )
    moved = update(file.message_id, message_type="FILE", url="https://f/2")
    assert moved.file["url"] == "https://f/2" and moved.file["name"] == "n"


@operation("Message.delete_a_message")
def test_delete_a_message(platform: Platform, where: dict[str, str]) -> None:
    sent = platform.send("tea", "ann")
    platform.Message.delete_a_message(**where, message_id=sent.message_id)
    with pytest.raises(ApiException) as gone:
        platform.Message.get_a_message(**where, message_id=sent.message_id)
    assert code(gone) == 900300


@operation("Message.get_total_number_of_messages_in_a_channel")
def test_total_count(platform: Platform, where: dict[str, str]) -> None:
    for _ in range(3):
        platform.send("tea", "ann")
    assert platform.Message.get_total_number_of_messages_in_a_channel(**where).total == 3


@operation("Message.mark_channel_messages_as_read")
def test_mark_as_read(platform: Platform, where: dict[str, str]) -> None:
    platform.send("tea", "ann")
    assert platform.User.view_number_of_unread_messages(user_id="bob").unread_count == 1
    got = platform.Message.mark_channel_messages_as_read(
        channel_url="tea",
        mark_channel_messages_as_read_request=models.MarkChannelMessagesAsReadRequest(user_id="bob"),
    )
    assert got["unread_message_count"] == 0
    assert platform.User.view_number_of_unread_messages(user_id="bob").unread_count == 0


@operation("Message.add_extra_data_to_a_message")
@operation("Message.update_extra_data_in_a_message")
@operation("Message.remove_extra_data_from_a_message")
def test_extra_data(platform: Platform, where: dict[str, str]) -> None:
    one = dict(**where, message_id=platform.send("tea", "ann").message_id)

    def held() -> dict[str, list[str]]:
        got = platform.Message.get_a_message(**one, with_sorted_meta_array=True)
        return plain(got.sorted_metaarray)

    made = platform.Message.add_extra_data_to_a_message(
        **one,
        add_extra_data_to_a_message_request=models.AddExtraDataToAMessageRequest(
            sorted_metaarray=array(a=[], b=["1"], c=["2"])
        ),
    )
    assert plain(made.sorted_metaarray) == {"a": [], "b": ["1"], "c": ["2"]} == held()

    def update(values: Any, **more: Any) -> dict[str, list[str]]:
        got = platform.Message.update_extra_data_in_a_message(
            **one,
            update_extra_data_in_a_message_request=models.UpdateExtraDataInAMessageRequest(
                sorted_metaarray=values, **more
            ),
        )
        return plain(got.sorted_metaarray)

    assert update(array(b=["3"]), mode="add") == {"a": [], "b": ["1", "3"], "c": ["2"]}
    assert update(array(b=["1"]), mode="remove") == {"a": [], "b": ["3"], "c": ["2"]}
    assert update(array(x=["9"]), mode="add", upsert=False) == {"a": [], "b": ["3"], "c": ["2"]}
    assert update(array(x=["9"]), mode="add", upsert=True) == {"a": [], "b": ["3"], "c": ["2"], "x": ["9"]}
    platform.Message.remove_extra_data_from_a_message(**one, keys="a,x")
    assert held() == {"b": ["3"], "c": ["2"]}


@operation("Message.migrate_messages")
def test_migrate_messages(platform: Platform, where: dict[str, str]) -> None:
    platform.send("tea", "ann", "now")
    old = 1_500_000_000_000
    migrated = [
        models.MigrateMessagesTextMessageRequest(
            user_id="bob", message=f"old {n}", timestamp=old + n, dedup_id=f"d{n}"
        )
        for n in range(3)
    ]
    body = models.MigrateMessagesRequest(messages=migrated)
    platform.Message.migrate_messages(target_channel_url="tea", migrate_messages_request=body)
    platform.Message.migrate_messages(target_channel_url="tea", migrate_messages_request=body)
    got = platform.Message.list_messages(**where, message_id=0, message_ts=ALWAYS, prev_limit=9).messages
    assert [(m.message, m.created_at) for m in got[:3]] == [(f"old {n}", old + n) for n in range(3)]
    assert [m.message for m in got] == ["old 0", "old 1", "old 2", "now"]
    last = platform.GroupChannel.get_a_group_channel(channel_url="tea").to_dict()["last_message"]
    assert last["message"] == "now"
    # What is migrated is history: nobody has it before him unread.
    assert platform.User.view_number_of_unread_messages(user_id="bob").unread_count == 1


@fault("Message.list_messages", "demands message_ts and message_id together, of which the service takes one")
def test_the_client_demands_both_pivots(platform: Platform, where: dict[str, str]) -> None:
    for query in (dict(message_ts=ALWAYS), dict(message_id=1)):
        with pytest.raises((ApiTypeError, TypeError)):
            platform.Message.list_messages(**where, **query)


@fault("Message.migrate_messages", "its element type MigrateMessagesRequestMessagesInner cannot hold a text message")
def test_the_client_cannot_wrap_text_messages() -> None:
    for kind in ({}, {"message_type": "MESG"}):
        with pytest.raises(ApiValueError):
            models.MigrateMessagesRequestMessagesInner(user_id="bob", message="m", timestamp=1, **kind)
