"""Actions as methods, against a server: what they do, and what they give."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from syncmanager import SyncManager, blocking, errors

PATIENCE = 30


@pytest.fixture(name="lunch")
def lunch_with_a_message(lunch: Any) -> Any:
    lunch.post("lunch", "bo", "noodles?")
    return lunch


def test_a_channel_has_its_actions(lunch: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**lunch.config(lunch.mei, tmp_path)) as sm:
            await sm.connect()
            chat = sm.messages("lunch")
            await chat.fetch()
            message = chat.items[0]
            assert (await chat.add_reaction(message, "heart"))["reaction"] == "heart"
            assert chat.items[0]["reactions"][0]["user_ids"] == ["mei"]
            await chat.remove_reaction(message["message_id"], "heart")
            assert not chat.items[0].get("reactions")
            await chat.mark_as_read()
            assert (await chat.get_channel())["unread_message_count"] == 0
            await chat.start_typing()
            await chat.end_typing()
            own = await chat.send("dumplings")
            assert (await chat.edit_message(own, message="dumplings!"))["message"] == "dumplings!"
            await chat.delete_message(str(own["message_id"]))
            assert [message["message"] for message in chat.items] == ["noodles?"]
            page = await chat.list_members(limit=1, order="member_nickname_alphabetical")
            assert [member["user_id"] for member in page["members"]] == ["bo"]
            rest = await chat.list_members(token=page["next"])
            assert [member["user_id"] for member in rest["members"]] == ["mei"]
            await chat.set_limit(1)
            assert chat.info()["previous_limit"] == 1
            with pytest.raises(errors.CallTimeoutError):
                lunch.delay(5000, "/v3/group_channels/lunch")
                await chat.update_channel(name="x", timeout_ms=50)

    asyncio.run(asyncio.wait_for(main(), 2 * PATIENCE))


def test_a_client_has_all_actions(lunch: Any, tmp_path: Path) -> None:
    with blocking.SyncManager(**lunch.config(lunch.mei, tmp_path)) as sm:
        with pytest.raises(errors.NotConnectedError):
            sm.mark_as_read("lunch")
        sm.connect(timeout=PATIENCE)
        made = sm.create_channel(user_ids=["bo"], name="Plans", is_distinct=True, timeout=PATIENCE)
        assert made["name"] == "Plans"
        chat = sm.messages(made["channel_url"])
        assert chat.create_metadata({"colour": "red"}) == {"colour": "red"}
        assert sm.get_metadata(made["channel_url"]) == {"colour": "red"}
        assert sm.start.statistics().result(PATIENCE)["pending_messages"] == 0
        assert [user["user_id"] for user in sm.list_users(user_ids=["bo"])["users"]] == ["bo"]
        assert sm.options()["user_id"] == "mei"
        assert sm.remove_failed_messages() == {"count": 0}
        chat.leave()
        assert sm.call("get_channel", channel_url="lunch", timeout=PATIENCE)["channel_url"] == "lunch"


def test_a_message_that_was_not_sent_has_no_actions(tmp_path: Path) -> None:
    with blocking.SyncManager(app_id="A", user_id="mei", data_dir=str(tmp_path)) as sm:
        chat = sm.messages("lunch")
        chat.start.send("later")
        for _ in chat.changes(PATIENCE):
            break
        with pytest.raises(errors.InvalidArgumentError, match="the message is pending"):
            chat.add_reaction(chat.pending[0], "heart")
