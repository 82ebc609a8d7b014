"""What ends by itself: mutes and session keys."""

from __future__ import annotations

from typing import Any

from running import Server
from wire import Rest, quote


def test_a_mute_ends_by_itself(start: Any, tmp_path: Any) -> None:
    where = ("--db", str(tmp_path / "chat.db"))
    server = start(*where)
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob, operator_ids=["ann"])
    a, b = ann.connect(), bob.connect()
    info = f"{channel.path}/mute/bob"
    assert bob.rest.get(info) == {"is_muted": False}
    ann.rest.post(channel.path + "/mute", {"user_id": "bob", "seconds": 600, "description": "loud"})
    told = b.system(10201)["data"]
    assert told["user_id"] == "bob" and told["description"] == "loud" and told["restriction_type"] == "muted"
    muted = bob.rest.get(info)
    assert muted["is_muted"] is True and muted["end_at"] == told["end_at"] == muted["start_at"] + 600_000
    assert 0 < muted["remaining_duration"] <= told["remaining_duration"] == 600_000
    b.send("MESG", channel_url=channel, message="x", req_id="1")
    assert b.wait("EROR")["code"] == 900041
    bob.rest.refused(900041, "POST", channel.path + "/messages", {"message": "x"})
    changes = bob.rest.get(f"{bob.me}/my_group_channels/changelogs", change_ts=server.control_get("state")["ts"] + 1)

    server.control("advance_clock", ms=599_000)
    # A second is left. A longer mute takes the place of this one.
    ann.rest.post(channel.path + "/mute", {"user_id": "bob", "seconds": 100})
    assert b.system(10201)["data"]["remaining_duration"] == 100_000
    server.control("advance_clock", ms=50_000)
    assert a.count("SYEV", lambda e: e["cat"] == 10200) == 0
    server.control("advance_clock", ms=50_000)
    for socket in (a, b):
        ended = socket.system(10200)
        assert ended["data"]["user_id"] == "bob" and "end_at" not in ended["data"]
    assert bob.rest.get(info) == {"is_muted": False}
    assert bob.rest.get(channel.path)["is_muted"] is False
    b.send("MESG", channel_url=channel, message="y", req_id="2")
    assert a.wait("MESG")["message"] == "y"
    updated = bob.rest.get(f"{bob.me}/my_group_channels/changelogs", token=changes["next"])["updated"]
    assert [c["channel_url"] for c in updated] == [channel]

    # By the clock alone, and over a restart.
    ann.rest.post(channel.path + "/mute", {"user_id": "bob", "seconds": 1})
    assert b.system(10201)["data"]["remaining_duration"] == 1000
    b.system(10200)
    ann.rest.post(channel.path + "/mute", {"user_id": "bob", "seconds": 2})
    ann.rest.post(channel.path + "/mute", {"user_id": "ann", "seconds": -1})
    assert server.stop() == 0
    again = start(*where)
    b = again.socket("user_id=bob", {"SENDBIRD-WS-TOKEN": bob.token})
    again.control("advance_clock", ms=2000)
    assert again.admin.get(channel.path + "/mute")["total_mute_count"] == 1
    assert again.admin.get(channel.path + "/mute")["muted_list"][0]["user_id"] == "ann"


def test_a_session_key_runs_out_by_itself(start: Any) -> None:
    server = start("--session-ttl", "60")
    ann, bob = server.user("ann"), server.user("bob")
    a, lasting = ann.connect("&expiring_session=1"), bob.connect("&expiring_session=0")
    server.control("advance_clock", ms=30_000)
    second = ann.connect("&expiring_session=1")
    server.control("advance_clock", ms=30_000)
    assert a.wait("EXPR") == {"expires_in": 0}
    assert second.count("EXPR") == 0
    Rest(server.port, {"Session-Key": a.logi["key"]}).refused(400309, "GET", ann.me)
    # The socket goes on, and a key renewed over it has its own time.
    a.send("LOGI", token=ann.token, expiring_session=1, req_id="s")
    renewed = a.wait("LOGI")["new_key"]
    server.control("advance_clock", ms=31_000)
    assert second.wait("EXPR")["expires_in"] == 0
    assert a.count("EXPR") == 1
    Rest(server.port, {"Session-Key": renewed}).get(ann.me)
    server.control("advance_clock", ms=31_000)
    assert a.wait("EXPR")["expires_in"] == 0
    # Expired by the control endpoint: told once, or not at all.
    third = ann.connect("&expiring_session=1")
    server.control("expire_session_keys", user_id="ann", notify=False)
    server.control("advance_clock", ms=61_000)
    assert third.count("EXPR") == 0 and lasting.count("EXPR") == 0


def test_a_session_key_runs_out_by_the_clock(start: Any) -> None:
    server = start("--session-ttl", "1")
    ann = server.user("ann")
    a = ann.connect("&expiring_session=1")
    assert a.wait("EXPR")["expires_in"] == 0
    back = server.socket("", {"SENDBIRD-WS-AUTH": quote(a.logi["key"])})
    assert back.logi["code"] == 400309
