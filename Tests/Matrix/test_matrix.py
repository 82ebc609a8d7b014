"""The library as a client of a real homeserver, with other users beside it who ask by plain REST."""

from __future__ import annotations

import time

import pytest

from syncmanager import errors
from syncmanager.blocking import SyncManager

PATIENCE = 20


def client(user, folder, **more):
    return SyncManager(
        service="matrix", api_host=user.server.url, user_id=user.id, access_token=user.token, data_dir=str(folder),
        **more)


def until(sm, condition, shown=lambda: ""):
    """Waits for events until something holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"it never came: {shown()}"
        sm.next_event(timeout=1)


def texts(chat):
    return [message["message"] for message in chat.items]


def all_pages(chat):
    while chat.fetch("previous", timeout=PATIENCE).has_more:
        pass


@pytest.fixture
def room(alice, mei):
    room = alice.room("Lunch", invite=(mei,))
    mei.join(room)
    return room


def test_rooms_are_channels(alice, mei, room, tmp_path):
    direct = alice.room(invite=(mei,), is_direct=True)
    mei.join(direct)
    alice.say(room, "hello")
    with client(mei, tmp_path) as sm:
        sm.connect(timeout=PATIENCE)
        channels = sm.channels()
        channels.fetch(timeout=PATIENCE)
        until(sm, lambda: len(channels.items) == 2)
        named = {channel["channel_url"]: channel for channel in channels.items}
        assert named[room]["name"] == "Lunch"
        assert named[room]["last_message"]["message"] == "hello"
        assert named[room]["unread_message_count"] == 1
        assert named[room]["joined_member_count"] == 2
        assert named[direct]["name"] == alice.id.split(":")[0][1:]

        alice.ask("PUT", f"rooms/{room}/state/m.room.name", {"name": "Dinner"})
        until(sm, lambda: "Dinner" in [channel["name"] for channel in channels.items])
        new = alice.room("Invited", invite=(mei,))
        until(sm, lambda: new in [channel["channel_url"] for channel in channels.items])
        sm.call("accept_invitation", channel_url=new, timeout=PATIENCE)
        alice.say(new, "welcome")
        until(sm, lambda: any((channel.get("last_message") or {}).get("message") == "welcome"
                              for channel in channels.items))
        sm.call("leave", channel_url=new, timeout=PATIENCE)
        until(sm, lambda: new not in [channel["channel_url"] for channel in channels.items])
        sm.call("mark_as_read", channel_url=room, timeout=PATIENCE)
        until(sm, lambda: all(channel["unread_message_count"] == 0 for channel in channels.items
                              if channel["channel_url"] == room))


def test_messages_come_live_and_in_pages(alice, mei, room, tmp_path):
    for number in range(130):
        alice.say(room, f"m{number}")
    with client(mei, tmp_path) as sm:
        sm.connect(timeout=PATIENCE)
        chat = sm.messages(room)
        chat.fetch(timeout=PATIENCE)
        alice.say(room, "live")
        until(sm, lambda: texts(chat)[-1:] == ["live"])
        all_pages(chat)
        assert texts(chat) == alice.texts(room) == [f"m{number}" for number in range(130)] + ["live"]
        assert chat.items == chat.snapshot()["succeeded"]
    # Without a server the cache has it all.
    with client(mei, tmp_path) as sm:
        chat = sm.messages(room)
        all_pages(chat)
        assert len(chat.items) == 131


def test_own_messages_are_sent_once(alice, mei, room, tmp_path):
    with client(mei, tmp_path) as sm:
        chat = sm.messages(room)
        call = chat.start.send("written offline")
        sm.connect(timeout=PATIENCE)
        call.result(PATIENCE)
        chat.send("second", timeout=PATIENCE)
        chat.fetch(timeout=PATIENCE)
        until(sm, lambda: texts(chat) == ["written offline", "second"])
        assert not chat.pending
    assert alice.texts(room) == ["written offline", "second"]


def test_edits_reactions_and_redactions(alice, mei, room, tmp_path):
    first, second = alice.say(room, "first"), alice.say(room, "second")
    with client(mei, tmp_path) as sm:
        sm.connect(timeout=PATIENCE)
        chat = sm.messages(room)
        chat.fetch(timeout=PATIENCE)
        until(sm, lambda: texts(chat) == ["first", "second"])
        edit = alice.edit(room, first, "better")
        reaction = alice.react(room, second, "👍")
        until(sm, lambda: texts(chat) == ["better", "second"] and chat.items[1].get("reactions"))
        assert chat.items[0]["updated_at"] > 0
        sm.call("add_reaction", channel_url=room, message_id=second, key="👍", timeout=PATIENCE)
        until(sm, lambda: chat.items[1]["reactions"][0]["user_ids"] == [alice.id, mei.id])
        sm.call("remove_reaction", channel_url=room, message_id=second, key="👍", timeout=PATIENCE)
        alice.redact(room, reaction)
        until(sm, lambda: not chat.items[1].get("reactions"))
        alice.redact(room, edit)
        until(sm, lambda: texts(chat) == ["first", "second"])
        own = chat.send("own", timeout=PATIENCE)
        sm.call("edit_message", channel_url=room, message_id=own["message_id"], message="own, edited",
                timeout=PATIENCE)
        until(sm, lambda: texts(chat)[-1:] == ["own, edited"])
        sm.call("delete_message", channel_url=room, message_id=own["message_id"], timeout=PATIENCE)
        alice.redact(room, second)
        until(sm, lambda: texts(chat) == ["first"])


def test_nothing_is_missing_after_being_away(alice, mei, room, tmp_path):
    """More came than the stream tells at once: there is a hole, which pages fill."""
    old = [alice.say(room, f"old {number}") for number in range(10)]
    with client(mei, tmp_path) as sm:
        sm.connect(timeout=PATIENCE)
        chat = sm.messages(room)
        all_pages(chat)
        until(sm, lambda: len(chat.items) == 10)
    for number in range(120):
        alice.say(room, f"new {number}")
        if number == 20:
            alice.edit(room, old[3], "edited while away")
            alice.redact(room, old[4])
    wanted = alice.texts(room)
    wanted[3] = "edited while away"
    with client(mei, tmp_path) as sm:
        chat = sm.messages(room)
        chat.fetch(timeout=PATIENCE)
        sm.connect(timeout=PATIENCE)
        until(sm, lambda: texts(chat)[-1:] == ["new 119"])
        all_pages(chat)
        until(sm, lambda: texts(chat) == wanted, lambda: texts(chat))
        assert chat.items == chat.snapshot()["succeeded"]


def test_threads_have_pages(alice, mei, room, tmp_path):
    root, other = alice.say(room, "root"), alice.say(room, "other")

    def reply(parent, text):
        return alice.say(room, text, **{"m.relates_to": {"rel_type": "m.thread", "event_id": parent}})

    replies = [reply(root, f"r{number}") for number in range(130)]
    reply(other, "elsewhere")
    alice.say(room, "beside")
    alice.edit(room, replies[3], "r3 edited")
    alice.react(room, replies[4], "👍")
    alice.redact(room, replies[5])
    wanted = [f"r{number}" if number != 3 else "r3 edited" for number in range(130) if number != 5]
    with client(mei, tmp_path) as sm:
        sm.connect(timeout=PATIENCE)
        thread = sm.messages(room, parent_message_id=root)
        thread.fetch(timeout=PATIENCE)
        reply(root, "live")
        until(sm, lambda: texts(thread)[-1:] == ["live"])
        all_pages(thread)
        until(sm, lambda: texts(thread) == [*wanted, "live"], lambda: texts(thread))
        assert thread.items[4]["reactions"][0]["user_ids"] == [alice.id]
        assert texts(sm.messages(room)) == []
        old = sm.messages(room, parent_message_id=root, viewpoint=thread.items[20]["created_at"])
        old.fetch("next", timeout=PATIENCE)
        assert set(texts(old)) <= set(wanted)
        mine = thread.send("mine", timeout=PATIENCE)
        assert mine["parent_message_id"] == root
        until(sm, lambda: texts(thread) == [*wanted, "live", "mine"])
    for number in range(60):
        reply(root, f"away {number}")
    with client(mei, tmp_path) as sm:
        thread = sm.messages(room, parent_message_id=root)
        thread.fetch(timeout=PATIENCE)
        assert texts(thread)[-1:] == ["mine"]
        sm.connect(timeout=PATIENCE)
        all_pages(thread)
        until(sm, lambda: texts(thread) == [*wanted, "live", "mine", *(f"away {number}" for number in range(60))],
              lambda: texts(thread))


def test_nothing_goes_in_clear_to_an_encrypted_room(alice, mei, room, tmp_path):
    alice.ask("PUT", f"rooms/{room}/state/m.room.encryption", {"algorithm": "m.megolm.v1.aes-sha2"})
    with client(mei, tmp_path) as sm:
        sm.connect(timeout=PATIENCE)
        chat = sm.messages(room)
        with pytest.raises(errors.ServiceError, match="encrypted"):
            chat.send("secret", timeout=PATIENCE)
    assert alice.texts(room) == []


def test_members_and_what_operators_do(alice, mei, tmp_path):
    with client(mei, tmp_path) as sm:
        sm.connect(timeout=PATIENCE)

        def call(action, **arguments):
            return sm.call(action, timeout=PATIENCE, **arguments)

        room = call("create_channel", name="Lunch", user_ids=[alice.id])["channel_url"]
        state = {"member_state_filter": "invited_only"}
        invited = call("list_members", channel_url=room, **state)["members"]
        assert [member["user_id"] for member in invited] == [alice.id]
        alice.join(room)
        page = call("list_members", channel_url=room, order="operator_then_member_alphabetical", limit=1)
        assert [(member["user_id"], member["role"]) for member in page["members"]] == [(mei.id, "operator")]
        assert call("get_channel", channel_url=room)["my_role"] == "operator"
        page = call("list_members", channel_url=room, order="operator_then_member_alphabetical", token=page["next"])
        assert [(member["user_id"], member["state"]) for member in page["members"]] == [(alice.id, "joined")]
        assert page["next"] == ""

        call("add_operators", channel_url=room, user_ids=[alice.id])
        users = call("list_operators", channel_url=room)["users"]
        assert {user["user_id"] for user in users} == {alice.id, mei.id}
        call("remove_operators", channel_url=room, user_ids=[alice.id])
        assert [user["user_id"] for user in call("list_operators", channel_url=room)["users"]] == [mei.id]

        call("ban_user", channel_url=room, user_id=alice.id, description="why not")
        banned = call("list_banned_users", channel_url=room)["users"]
        assert [(user["user_id"], user["description"]) for user in banned] == [(alice.id, "why not")]
        call("unban_user", channel_url=room, user_id=alice.id)
        assert call("list_banned_users", channel_url=room)["users"] == []
        with pytest.raises(errors.SyncManagerError, match="not offered with Matrix yet"):
            call("ban_user", channel_url=room, user_id=alice.id, seconds=60)


def test_rooms_users_and_reports(alice, mei, room, tmp_path):
    bad = alice.say(room, "bad")
    public = alice.room("Open to all", preset="public_chat", visibility="public")
    with client(mei, tmp_path) as sm:
        sm.connect(timeout=PATIENCE)

        def found():
            page = sm.call("list_public_channels", channel_name_contains="Open", timeout=PATIENCE)
            return [channel["channel_url"] for channel in page["channels"]]

        # The server brings its directory up to date by and by.
        until(sm, lambda: found() == [public], found)
        channels = sm.channels()
        channels.fetch(timeout=PATIENCE)
        sm.call("join", channel_url=public, timeout=PATIENCE)
        until(sm, lambda: public in [channel["channel_url"] for channel in channels.items])
        mine = sm.call("create_channel", name="Mine", timeout=PATIENCE)["channel_url"]
        sm.call("update_channel", channel_url=mine, name="Ours", timeout=PATIENCE)
        until(sm, lambda: "Ours" in [channel["name"] for channel in channels.items])
        assert sm.call("update_profile", nickname="Mei", timeout=PATIENCE)["nickname"] == "Mei"
        report = sm.call("report_message", channel_url=room, message_id=bad, category="spam", timeout=PATIENCE)
        assert report["report_category"] == "spam"


def test_a_wrong_token_is_refused(mei, tmp_path):
    mei.token = "wrong"
    with client(mei, tmp_path) as sm, pytest.raises(errors.TokenRejectedError):
        sm.connect(timeout=PATIENCE)


def test_what_is_not_offered_says_so(mei, room, tmp_path):
    with client(mei, tmp_path) as sm:
        sm.connect(timeout=PATIENCE)
        with pytest.raises(errors.SyncManagerError, match="not offered with Matrix yet"):
            sm.call("freeze_channel", channel_url=room, timeout=PATIENCE)


def test_a_homeserver_is_needed(mei, tmp_path):
    with pytest.raises(errors.InvalidDocumentError, match="api_host"):
        SyncManager(service="matrix", user_id=mei.id, data_dir=str(tmp_path))
