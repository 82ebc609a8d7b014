"""Total unread counts ride on the commands that may change them."""

from __future__ import annotations

from typing import Any

from conftest import Server, User
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
