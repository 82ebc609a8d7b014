"""What an application has chosen: which replies count, and how long messages are kept."""

from __future__ import annotations

from typing import Any

import pytest

from running import Server, User
from wire import quote

EVERYTHING = "message_ts=9223372036854775807&prev_limit=100&next_limit=0&include_reply_type=all"


def unread(user: User, path: str) -> tuple[int, int]:
    document = user.rest.get(path)
    return document["unread_message_count"], document["unread_mention_count"]


@pytest.mark.parametrize(
    "policy, thread, shown", [(0, True, True), (1, True, True), (2, False, False), (3, False, True)]
)
def test_threading_policies(server: Server, policy: int, thread: bool, shown: bool) -> None:
    """Which replies count as unread, and which become the last message."""
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    server.control("settings", unread_cnt_threading_policy=policy)
    logi = bob.connect().logi
    assert logi["unread_cnt_threading_policy"] == policy and logi["last_msg_threading_policy"] == 1
    parent = ann.rest.post(channel.path + "/messages", {"message": "parent"})["message_id"]

    def reply(text: str, in_channel: bool) -> int:
        server.control("advance_clock", ms=5)
        body = {"message": text, "parent_message_id": parent, "reply_to_channel": in_channel}
        body |= {"mentioned_user_ids": ["bob"]}
        return int(ann.rest.post(channel.path + "/messages", body)["message_id"])

    first = reply("thread", False)
    assert unread(bob, channel.path) == (1 + thread, int(thread))
    second = reply("shown", True)
    assert unread(bob, channel.path) == (1 + thread + shown, thread + shown)
    assert bob.rest.get(channel.path)["last_message"]["message_id"] == second

    server.control("settings", unread_cnt_threading_policy=1, last_msg_threading_policy=policy)
    for message in (first, second):
        ann.rest.delete(f"{channel.path}/messages/{message}")
    assert unread(bob, channel.path) == (1, 0)
    first = reply("thread", False)
    assert bob.rest.get(channel.path)["last_message"]["message_id"] == (first if thread else parent)
    second = reply("shown", True)
    last = second if shown else parent
    assert bob.rest.get(channel.path)["last_message"]["message_id"] == last
    # The last message is found by the same rule once the newest one is deleted.
    plain = ann.rest.post(channel.path + "/messages", {"message": "plain"})["message_id"]
    assert bob.rest.get(channel.path)["last_message"]["message_id"] == plain
    ann.rest.delete(f"{channel.path}/messages/{plain}")
    assert bob.rest.get(channel.path)["last_message"]["message_id"] == last


@pytest.mark.parametrize(
    "body, code",
    [
        ({"unread_cnt_threading_policy": 4}, 400113),
        ({"last_msg_threading_policy": "x"}, 400101),
        ({"message_purge_offset": {"global": 2**60}}, 400113),
        ({"message_purge_offset": {"global": "x"}}, 400101),
        ({"message_purge_offset": 1}, 400103),
    ],
)
def test_bad_settings(server: Server, body: Any, code: int) -> None:
    before = server.control_get("settings")
    server.admin.refused(code, "POST", "/control/settings", body)
    assert server.control_get("settings") == before


def test_silent_messages_that_are_last_messages(server: Server) -> None:
    """A forced silent message is a last message, also when it is looked up after a later one went; no unread one."""
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    silent = {"message": "silent", "is_silent": True, "mentioned_user_ids": ["bob"]}
    forced = ann.rest.post(channel.path + "/messages", {**silent, "force_update_last_message": True})["message_id"]
    ann.rest.post(channel.path + "/messages", silent)
    assert bob.rest.get(channel.path)["last_message"]["message_id"] == forced
    assert unread(bob, channel.path) == (0, 0)
    plain = ann.rest.post(channel.path + "/messages", {"message": "plain"})["message_id"]
    assert bob.rest.get(channel.path)["last_message"]["message_id"] == plain
    ann.rest.delete(f"{channel.path}/messages/{plain}")
    assert bob.rest.get(channel.path)["last_message"]["message_id"] == forced


def test_mentions_follow_edits_deletions_and_marks(server: Server) -> None:
    ann, bob, cho = (server.user(name) for name in ("ann", "bob", "cho"))
    channel = ann.channel(bob, cho)
    path = channel.path + "/messages"
    sent = []
    for body in (
        {"message": "0", "mentioned_user_ids": ["bob", "cho"]},
        {"message": "1", "mention_type": "channel"},
        {"message": "2", "mentioned_user_ids": ["bob"]},
        {"message": "3"},
    ):
        server.control("advance_clock", ms=5)
        sent.append(ann.rest.post(path, body)["message_id"])
    cho.rest.put(cho.me + "/mark_as_read_all")
    assert (unread(bob, channel.path), unread(cho, channel.path)) == ((4, 3), (0, 0))
    ann.rest.delete(f"{path}/{sent[0]}")
    assert (unread(bob, channel.path), unread(cho, channel.path)) == ((3, 2), (0, 0))
    # An edit gives and takes mentions only where the message is unread.
    ann.rest.put(f"{path}/{sent[3]}", {"message": "3", "mentioned_user_ids": ["bob", "cho"]})
    assert (unread(bob, channel.path), unread(cho, channel.path)) == ((3, 3), (0, 0))
    ann.rest.put(f"{path}/{sent[2]}", {"message": "2", "mentioned_user_ids": []})
    assert unread(bob, channel.path) == (3, 2)
    # What becomes unread again brings its mentions.
    cho.rest.put(path + "/mark_as_read", {"message_id": sent[1], "is_excluded": True})
    assert unread(cho, channel.path) == (3, 2)
    bob.rest.put(f"{bob.me}/count_preference/{quote(channel)}", {"count_preference": "unread_mention_count_only"})
    assert unread(bob, channel.path) == (0, 2)
    bob.rest.put(f"{bob.me}/count_preference/{quote(channel)}", {"count_preference": "unread_message_count_only"})
    assert unread(bob, channel.path) == (3, 0)


def test_retention(start: Any, tmp_path: Any) -> None:
    where = ("--db", str(tmp_path / "chat.db"), "--strict")
    server = start(*where)
    ann, bob = server.user("ann"), server.user("bob")
    old, kept = ann.channel(bob, custom_type="old"), ann.channel(bob)
    sent: dict[str, list[Any]] = {}
    for channel in (old, kept):
        for number in range(4):
            server.control("advance_clock", ms=5)
            sent.setdefault(channel, []).append(ann.rest.post(channel.path + "/messages", {"message": str(number)}))
    ann.rest.post(f"{old.path}/messages/{sent[old][0]['message_id']}/pin")
    logi = bob.connect().logi
    assert logi["config_sync_needed"] is False and logi["config_ts"] == 0
    before = bob.rest.get("/v3/sdk/applications/settings", ts=0)
    nothing = {"message_purge_offset": {"global": 0}}
    assert before == {"configs": nothing, "has_more": False, "next": "s0", "ts": 0}
    changes = bob.rest.get(f"{bob.me}/my_group_channels/changelogs", change_ts=server.control_get("state")["ts"] + 1)

    b = bob.connect()
    offset = sent[old][1]["created_at"]
    server.control("settings", message_purge_offset={"old": offset})
    assert bob.rest.get(old.path + "/message_purge_offset") == {"message_purge_offset": offset}
    assert bob.rest.get(kept.path + "/message_purge_offset") == {"message_purge_offset": 0}
    # The messages are gone; nobody is told, but the channel has changed.
    left = bob.rest.get(f"{old.path}/messages?{EVERYTHING}")["messages"]
    assert [m["message"] for m in left] == ["2", "3"]
    assert len(bob.rest.get(f"{kept.path}/messages?{EVERYTHING}")["messages"]) == 4
    assert b.count("DELM") == 0
    updated = bob.rest.get(f"{bob.me}/my_group_channels/changelogs", token=changes["next"])["updated"]
    assert [(c["channel_url"], c["message_purge_offset"], c["unread_message_count"]) for c in updated] == [
        (old, offset, 2)
    ]
    assert updated[0]["pinned_message_ids"] == [] and updated[0]["last_message"]["message"] == "3"

    # All of a channel: no last message. A type's own time goes before the one for all.
    last = sent[kept][3]["created_at"]
    server.control("settings", message_purge_offset={"global": last})
    document = bob.rest.get(kept.path)
    assert document["last_message"] is None and document["unread_message_count"] == 0
    assert bob.rest.get(old.path)["last_message"]["message"] == "3"

    logi = bob.connect().logi
    assert logi["config_sync_needed"] is True
    assert bob.connect(f"&config_ts={logi['config_ts']}").logi["config_sync_needed"] is False
    first = bob.rest.get("/v3/sdk/applications/settings", ts=0, limit=1)
    assert first["configs"] == {"message_purge_offset": {"old": offset}} and first["has_more"] is True
    second = bob.rest.get("/v3/sdk/applications/settings", token=first["next"], limit=1)
    assert second["configs"] == {"message_purge_offset": {"global": last}} and second["has_more"] is False
    assert second["ts"] == logi["config_ts"]
    assert bob.rest.get("/v3/sdk/applications/settings", ts=second["ts"])["configs"] == {"message_purge_offset": {}}
    bob.rest.refused(400109, "GET", "/v3/sdk/applications/settings?token=x")

    assert server.stop() == 0
    again = start(*where)
    assert again.admin.get(old.path + "/message_purge_offset") == {"message_purge_offset": offset}
