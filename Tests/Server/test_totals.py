"""Total unread counts ride on the commands that may change them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from running import Channel, Server, User
from wire import quote


def totals(frame: Any) -> tuple[int, dict[str, int]]:
    assert frame["unread_cnt"]["feed"] == 0 and frame["unread_cnt"]["ts"] > 0
    return frame["unread_cnt"]["all"], frame["unread_cnt"]["custom_types"]


def served(user: User) -> int:
    return int(user.rest.get(user.me + "/unread_message_count")["unread_count"])


def test_totals_ride_on_commands(server: Server) -> None:
    ann, bob, cho = (server.user(name) for name in ("ann", "bob", "cho"))
    typed, plain = ann.channel(bob, custom_type="t"), ann.channel(bob, cho)
    a, b, other = ann.connect(), bob.connect(), bob.connect()
    assert totals(b.logi) == (0, {"t": 0})

    a.send("MESG", channel_url=typed, message="1", req_id="1")
    assert totals(a.wait("MESG")) == (0, {"t": 0})
    first = b.wait("MESG")
    assert totals(first) == (1, {"t": 1}) == totals(other.wait("MESG"))
    sent = [ann.rest.post(plain.path + "/messages", {"message": str(n)})["message_id"] for n in range(3)]
    assert [totals(b.wait("MESG"))[0] for _ in sent] == [2, 3, 4] and served(bob) == 4
    # What cannot change it does not carry it.
    b.send("TPST", channel_url=plain, time=1)
    assert "unread_cnt" not in a.system(10900)
    ann.rest.put(f"{plain.path}/messages/{sent[0]}", {"message": "edited"})
    assert "unread_cnt" not in b.wait("MEDI")

    ann.rest.delete(f"{plain.path}/messages/{sent[0]}")
    assert totals(b.wait("DELM")) == (3, {"t": 1})
    # Read on one device: its acknowledgement and the other device tell what is left.
    b.send("READ", channel_url=plain, req_id="r")
    assert totals(b.wait("READ", lambda f: f.get("req_id") == "r")) == (1, {"t": 1})
    assert totals(other.wait("READ", lambda f: f["user"]["user_id"] == "bob")) == (1, {"t": 1})
    assert totals(a.wait("READ", lambda f: f["user"]["user_id"] == "bob")) == (0, {"t": 0})
    bob.rest.put(plain.path + "/messages/mark_as_read", {"message_id": sent[1], "is_excluded": True})
    assert totals(b.wait("READ", lambda f: f.get("is_excluded"))) == (3, {"t": 1})
    # A reading of others says how it is for me, unchanged.
    cho.rest.put(cho.me + "/mark_as_read_all")
    assert totals(b.wait("READ", lambda f: f["user"]["user_id"] == "cho")) == (3, {"t": 1})
    bob.rest.put(bob.me + "/mark_as_read_all")
    seen = [totals(b.wait("READ", lambda f: f["user"]["user_id"] == "bob")) for _ in range(2)]
    assert seen[-1] == (0, {"t": 0}) and served(bob) == 0


def test_totals_obey_preferences_and_membership(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    loud, quiet = ann.channel(bob), ann.channel(bob, custom_type="q")
    b = bob.connect()
    for preference, counted in (("off", 0), ("unread_mention_count_only", 0), ("unread_message_count_only", 1)):
        bob.rest.put(f"{bob.me}/count_preference/{quote(quiet)}", {"count_preference": preference})
        bob.rest.put(bob.me + "/mark_as_read_all")
        ann.rest.post(quiet.path + "/messages", {"message": preference})
        assert totals(b.wait("MESG")) == (counted, {"q": counted}), preference
    ann.rest.post(loud.path + "/messages", {"message": "silent", "is_silent": True})
    assert totals(b.wait("MESG")) == (1, {"q": 1})
    ann.rest.post(loud.path + "/messages", {"message": "loud"})
    assert totals(b.wait("MESG")) == (2, {"q": 1})

    bob.rest.put(loud.path + "/hide", {})
    assert totals(b.system(13000)) == (1, {"q": 1})
    bob.rest.put(quiet.path + "/leave")
    assert totals(b.system(10001)) == (0, {})
    ann.rest.post(loud.path + "/messages", {"message": "back"})
    assert totals(b.wait("MESG")) == (1, {})
    server.admin.delete(loud.path)
    assert totals(b.system(12000)) == (0, {})
    flood = ann.channel(bob)
    server.control("post_messages", channel_url=flood, user_id="ann", count=20)
    last = b.wait("MESG", lambda m: m["message"] == "message 20")
    assert totals(last) == (20, {}) and served(bob) == 20


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_remembered_totals_are_those_of_the_channels(start: Any, seed: int) -> None:
    """Totals are remembered and brought up to date; counted from the channels they are the same after anything."""
    server = start("--strict")
    chance = random.Random(seed)
    users = [server.user(f"u{number}") for number in range(4)]
    channels: list[Channel] = [
        users[number % 4].channel(*users, custom_type=kind, is_super=number == 0)
        for number, kind in enumerate(["", "", "a", "a", "b"])
    ]
    sockets = [user.connect() for user in users]
    sent: dict[str, list[int]] = {channel: [] for channel in channels}

    def act() -> str:
        user, channel = chance.choice(users), chance.choice(channels)
        path, own = channel.path, {"user_id": user.id}
        message = chance.choice(sent[channel] or [0])
        match chance.randrange(12):
            case 0 | 1 | 2 | 3:
                body = {**own, "message": "m", "is_silent": chance.random() < 0.2, "mark_as_read": False}
                answer = server.admin.call("POST", path + "/messages", body)
                if answer.status == 200:
                    sent[channel].append(answer.json["message_id"])
            case 4:
                # Stored and undone: the misspelt key is refused.
                assert user.rest.call("POST", path + "/messages", {"message": "m", "mesage": "x"}).status >= 400
            case 5:
                server.admin.call("DELETE", f"{path}/messages/{message}")
            case 6:
                user.rest.call("PUT", path + "/messages/mark_as_read", own)
            case 7:
                unread = {**own, "message_id": message, "is_excluded": True}
                user.rest.call("PUT", path + "/messages/mark_as_read", unread)
            case 8:
                preference = chance.choice(["all", "off", "unread_message_count_only"])
                user.rest.call("PUT", f"{user.me}/count_preference/{quote(channel)}", {"count_preference": preference})
            case 9:
                user.rest.call("PUT", path + "/leave")
            case 10:
                server.admin.call("POST", path + "/invite", {"user_ids": [user.id]})
            case 11:
                user.rest.call("PUT", path + "/hide", {"hide_previous_messages": chance.random() < 0.5})
        return f"{user.id} in {channel}"

    for step in range(150):
        did = act()
        server.control("advance_clock", ms=chance.randrange(3))
        user = chance.choice(users)
        told = user.rest.post(user.me + "/login", {"access_token": user.token})["unread_cnt"]
        assert told["all"] == served(user), (seed, step, did)
        for kind, count in told["custom_types"].items():
            one = user.rest.get(user.me + "/unread_message_count", custom_types=kind)["unread_count"]
            assert count == one, (seed, step, did, kind)
    for user, socket in zip(users, sockets):
        socket.settle()
        carried = [body["unread_cnt"]["all"] for _, body in socket.history if "unread_cnt" in body]
        assert len(carried) > 10, user.id
