"""Polls: making, sending, voting over REST and the socket, options, closing, changelogs."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from running import Channel, Server, User


def made(user: User, *options: str, **fields: Any) -> dict[str, Any]:
    answer = user.rest.post("/v3/polls", {"title": "Tea?", "options": list(options) or ["yes", "no"], **fields})
    assert isinstance(answer, dict)
    return answer


def sent(user: User, channel: Channel, poll: dict[str, Any]) -> Any:
    return user.rest.post(channel.path + "/messages", {"message": "poll", "poll_id": poll["id"]})


def counts(poll: dict[str, Any]) -> list[int]:
    return [option["vote_count"] for option in poll["options"]]


def test_a_poll_from_its_making_to_its_end(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    a, b = ann.connect(), bob.connect()
    poll = made(ann, "yes", "no", data={"text": "d"}, allow_multiple_votes=True)
    path = f"/v3/polls/{poll['id']}"
    assert (poll["title"], poll["status"], poll["voter_count"], poll["close_at"]) == ("Tea?", "open", 0, -1)
    assert [o["text"] for o in poll["options"]] == ["yes", "no"] and poll["data"] == {"text": "d"}
    # Nobody sees a poll before it is sent, and it is sent once.
    bob.rest.refused(400201, "GET", path)
    bob.rest.refused(400111, "PUT", path + "/vote", {"option_ids": [1]})
    bob.rest.refused(400108, "POST", channel.path + "/messages", {"message": "x", "poll_id": poll["id"]})
    message = sent(ann, channel, poll)
    assert b.wait("MESG")["poll"]["id"] == poll["id"] == message["poll"]["id"]
    ann.rest.refused(400111, "POST", channel.path + "/messages", {"message": "x", "poll_id": poll["id"]})
    yes, no = (option["id"] for option in poll["options"])
    # Over the socket: the voter learns what it chose, the others the counts.
    b.send("VOTE", channel_url=channel, channel_type="group", poll_id=poll["id"], option_ids=[yes], req_id="v")
    own = b.wait("VOTE")
    assert own["req_id"] == "v" and own["voted_option_ids"] == [yes] and own["message_id"] == message["message_id"]
    told = a.wait("VOTE")
    assert told["updated_vote_counts"] == [{"option_id": yes, "vote_count": 1}, {"option_id": no, "vote_count": 0}]
    assert "voted_option_ids" not in told and "req_id" not in told
    ann.rest.put(path + "/vote", {"option_ids": [yes, no], "channel_url": channel, "channel_type": "group_channels"})
    seen = bob.rest.get(path)
    assert counts(seen) == [2, 1] and seen["voter_count"] == 2 and seen["voted_option_ids"] == [yes]
    assert a.wait("VOTE", lambda f: f["voter_count"] == 2)["voted_option_ids"] == [yes, no]
    # A message has each user's own votes in its poll, wherever it is told, and an edit for all has nobody's.
    for user, own in ((ann, [yes, no]), (bob, [yes])):
        listed = user.rest.get(channel.path + "/messages", message_ts=2**62, prev_limit=1)["messages"][0]
        assert counts(listed["poll"]) == [2, 1] and listed["poll"]["voted_option_ids"] == own
        one = user.rest.get(f"{channel.path}/messages/{message['message_id']}")
        last = user.rest.get(channel.path)["last_message"]
        log = user.rest.get(channel.path + "/polls/changelogs", change_ts=0)["updated"][0]
        polls = user.rest.get("/v3/polls", channel_url=channel, channel_type="group")["polls"]
        for poll in (one["poll"], last["poll"], log, polls[0]):
            assert poll["voted_option_ids"] == own
    ann.rest.put(f"{channel.path}/messages/{message['message_id']}", {"message_type": "MESG", "message": "edited"})
    assert "voted_option_ids" not in b.wait("MEDI")["poll"]
    short = bob.rest.get(channel.path + "/messages", message_ts=2**62, prev_limit=1, include_poll_details="false")
    assert "voted_option_ids" not in short["messages"][0]["poll"]
    voters = bob.rest.get(f"{path}/options/{yes}/voters")
    assert [v["user_id"] for v in voters["voters"]] == ["ann", "bob"] and voters["vote_count"] == 2
    # A vote replaces the one before.
    bob.rest.put(path + "/vote", {"option_ids": []})
    assert counts(bob.rest.get(path)) == [1, 1]
    changed = ann.rest.put(path, {"title": "Coffee?"})
    assert changed["title"] == "Coffee?" and b.wait("PEDI")["poll"]["title"] == "Coffee?"
    bob.rest.refused(400108, "PUT", path, {"title": "x"})
    assert ann.rest.put(path + "/close")["status"] == "closed" and b.wait("PEDI")["poll"]["status"] == "closed"
    bob.rest.refused(400111, "PUT", path + "/vote", {"option_ids": [yes]})
    ann.rest.delete(path)
    assert b.wait("PEDI")["poll"]["status"] == "removed"
    bob.rest.refused(400201, "GET", path)


def test_options_and_rights(server: Server) -> None:
    ann, bob, eve = server.user("ann"), server.user("bob"), server.user("eve")
    channel = ann.channel(bob)
    poll = made(ann, allow_user_suggestion=True)
    sent(ann, channel, poll)
    path = f"/v3/polls/{poll['id']}"
    eve.rest.refused(900020, "GET", path)
    eve.rest.refused(900020, "PUT", path + "/vote", {"option_ids": [poll["options"][0]["id"]]})
    bob.rest.refused(400111, "PUT", path + "/vote", {"option_ids": [999]})
    bob.rest.refused(400111, "PUT", path + "/vote", {"option_ids": [o["id"] for o in poll["options"]]})
    grown = bob.rest.post(path + "/options", {"text": "perhaps"})
    third = grown["options"][2]
    assert third["text"] == "perhaps" and third["created_by"] == "bob"
    bob.rest.put(f"{path}/options/{third['id']}", {"text": "maybe"})
    assert bob.rest.get(f"{path}/options/{third['id']}")["text"] == "maybe"
    bob.rest.refused(400108, "DELETE", f"{path}/options/{poll['options'][0]['id']}")
    bob.rest.put(path + "/vote", {"option_ids": [third["id"]]})
    ann.rest.delete(f"{path}/options/{third['id']}")
    seen = ann.rest.get(path)
    assert len(seen["options"]) == 2 and seen["voter_count"] == 0
    ann.rest.put(path, {"allow_user_suggestion": False})
    bob.rest.refused(400108, "POST", path + "/options", {"text": "x"})
    for wrong, code in (({}, 400105), ({"title": "x"}, 400105), ({"title": "x", "options": [1]}, 400100)):
        ann.rest.refused(code, "POST", "/v3/polls", wrong)
    ann.rest.refused(400113, "POST", "/v3/polls", {"title": "x", "options": ["a"], "close_at": 2**62})


def test_changelog_and_closing_time(start: Any, tmp_path: Any) -> None:
    where = ("--db", str(tmp_path / "chat.db"))
    server = start(*where)
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    b = bob.connect()
    now = server.control("advance_clock", ms=0)["ts"] // 1000
    one, two = made(ann, close_at=now + 100), made(ann)
    logs = channel.path + "/polls/changelogs"
    token = bob.rest.get(logs, change_ts=0)["next"]
    for poll in (one, two):
        sent(ann, channel, poll)
    log = bob.rest.get(logs, token=token, limit=1)
    assert [p["id"] for p in log["updated"]] == [one["id"]] and log["has_more"] is True
    log = bob.rest.get(logs, token=log["next"])
    assert [p["id"] for p in log["updated"]] == [two["id"]] and log["has_more"] is False
    token = log["next"]
    assert bob.rest.get(logs, token=token)["updated"] == []
    ann.rest.delete(f"/v3/polls/{two['id']}")
    server.control("advance_clock", ms=101_000)
    assert b.wait("PEDI", lambda f: f["poll"]["status"] == "closed")["poll"]["id"] == one["id"]
    log = bob.rest.get(logs, token=token)
    assert [(p["id"], p["status"]) for p in log["updated"]] == [(one["id"], "closed")]
    assert log["deleted"] == [two["id"]]
    assert server.stop() == 0
    again = start(*where)
    bob = User(again, "bob", bob.token)
    assert bob.rest.get(logs, token=log["next"])["updated"] == []
    assert [p["id"] for p in bob.rest.get("/v3/polls", channel_url=channel)["polls"]] == [one["id"]]


def test_voters_come_latest_first(start: Any, tmp_path: Any) -> None:
    """However many votes one millisecond holds, and also in a file that did not number them."""
    where = ("--db", str(tmp_path / "chat.db"))
    server = start(*where)
    ann = server.user("ann")
    others = [server.user(f"u{number}") for number in (3, 1, 4, 2, 5, 0)]
    channel = ann.channel(*others)
    poll = made(ann)
    sent(ann, channel, poll)
    path, yes = f"/v3/polls/{poll['id']}", poll["options"][0]["id"]
    voters = f"{path}/options/{yes}/voters"
    for user in others:
        user.rest.put(path + "/vote", {"option_ids": [yes]})
    latest_first = [user.id for user in reversed(others)]
    assert [voter["user_id"] for voter in ann.rest.get(voters)["voters"]] == latest_first
    assert server.stop() == 0
    with sqlite3.connect(where[1]) as old:
        old.execute("ALTER TABLE votes RENAME TO present")
        old.execute(
            "CREATE TABLE votes (poll_id INTEGER NOT NULL, option_id INTEGER NOT NULL, user_id TEXT NOT NULL,"
            " at INTEGER NOT NULL, PRIMARY KEY (poll_id, option_id, user_id)) STRICT, WITHOUT ROWID"
        )
        old.execute("INSERT INTO votes SELECT poll_id, option_id, user_id, 1000 * number FROM present")
        old.execute("DROP TABLE present")
        for later in ("INDEX members_by_mute", "TABLE friends", "TABLE discoveries", "TABLE leaves"):
            old.execute(f"DROP {later}")
        for column in ("silent_id", "silent_at"):
            old.execute(f"ALTER TABLE members DROP COLUMN {column}")
        for column in ("size", "is_apart"):
            old.execute(f"ALTER TABLE files DROP COLUMN {column}")
        old.execute("DELETE FROM marks WHERE name = 'file_bytes'")
        old.execute("PRAGMA user_version = 2")
    old.close()
    ann = User(start(*where), "ann", ann.token)
    assert [voter["user_id"] for voter in ann.rest.get(voters)["voters"]] == latest_first


@pytest.mark.parametrize("is_deleted", [False, True])
def test_no_change_is_left_out_over_a_restart(start: Any, tmp_path: Any, is_deleted: bool) -> None:
    """A poll takes a number of a change, and may take it away with it; no later change has that number again."""
    where = ("--db", str(tmp_path / "chat.db"))
    server = start(*where)
    ann = server.user("ann")
    channel = ann.channel()
    sent_before = ann.rest.post(channel.path + "/messages", {"message": "before"})["message_id"]
    poll = made(ann)
    if is_deleted:
        ann.rest.delete(f"/v3/polls/{poll['id']}")
    logs, mine = channel.path + "/messages/changelogs", ann.me + "/my_group_channels/changelogs"
    token, channels = ann.rest.get(logs, change_ts=0)["next"], ann.rest.get(mine, change_ts=0)["next"]
    server.process.kill()
    server.process.wait()
    again = start(*where)
    ann = User(again, "ann", ann.token)
    ann.rest.put(f"{channel.path}/messages/{sent_before}", {"message_type": "MESG", "message": "after"})
    assert [m["message"] for m in ann.rest.get(logs, token=token)["updated"]] == ["after"]
    assert [c["channel_url"] for c in ann.rest.get(mine, token=channels)["updated"]] == [channel]
