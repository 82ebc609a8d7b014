"""What is refused, held back or ends by itself: rates, keys without effect, routes, blocks, bans, survival times."""

from __future__ import annotations

import json
import socket
import sqlite3
import subprocess
from typing import Any

import pytest
from running import Server, program
from wire import Rest


def clear(server: Server) -> None:
    """Lets every bucket fill up."""
    server.control("advance_clock", ms=2000)


def test_rate_limit(start: Any) -> None:
    server = start("--rate-limit", "5")
    ann, bob = server.user("ann"), server.user("bob")
    clear(server)
    # The clock stands still but for what real time passes, so of many requests at once some are too many.
    answers = [ann.rest.call("GET", ann.me) for _ in range(30)]
    refused = [a for a in answers if a.status == 429]
    assert [a.status for a in answers[:5]] == [200] * 5 and refused
    assert refused[0].json["code"] == 500910 and refused[0].headers["Retry-After"] == "1"
    assert refused[0].headers["X-RateLimit-Limit"] == "5" and refused[0].headers["X-RateLimit-Remaining"] == "0"
    # One caller's haste is not another's.
    assert bob.rest.call("GET", bob.me).status == 200
    clear(server)
    assert ann.rest.call("GET", ann.me).status == 200


def test_a_body_that_breaks_off_is_not_kept(server: Server) -> None:
    """libmicrohttpd may not see that the client has gone, and would keep what has come for 75 s."""
    head = b"POST /v3/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n"
    gone = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(8)]
    for connection in gone:
        connection.sendall(head + b"x" * 1_000_000)
        connection.shutdown(socket.SHUT_WR)
    for connection in gone:
        with connection:
            assert connection.recv(1) == b"", "it waits for more"


def test_rate_limit_of_the_socket(start: Any) -> None:
    server = start("--rate-limit", "5")
    ann = server.user("ann")
    clear(server)
    channel = ann.channel()
    a = ann.connect()
    clear(server)
    for number in range(30):
        a.send("MESG", channel_url=channel, message="m", req_id=str(number))
    assert a.wait("EROR")["code"] == 900200
    a.settle()
    stored = server.control_get("channel_messages", channel_url=channel)["count"]
    assert 5 <= stored < 30
    assert stored == a.count("MESG") and stored + a.count("EROR") == 30


def test_strict_refuses_and_does_nothing(start: Any) -> None:
    server = start("--strict")
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    b = bob.connect()
    path = channel.path + "/messages"
    answer = ann.rest.refused(400111, "POST", path, {"message": "no", "colour": "red"})
    assert "colour" in answer.json["message"]
    ann.rest.refused(400111, "GET", path + "?message_ts=1&shade=dark")
    ann.rest.refused(400111, "PUT", channel.path, {"name": "new", "nme": "x"})
    assert ann.rest.get(channel.path)["name"] == "" and ann.rest.get(path, message_ts=2**62)["messages"] == []
    ann.rest.post(path, {"message": "yes"})
    assert b.wait("MESG")["message"] == "yes"
    assert b.count("MESG") == 1 and b.count("SYEV", lambda f: f["cat"] == 11000) == 0


def test_keys_without_effect_are_logged_once() -> None:
    process = subprocess.Popen(
        [program(), "--exit-with-stdin", "--api-token", "t"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout
    port = int(json.loads(process.stdout.readline())["api_host"].rsplit(":", 1)[1])
    admin = Rest(port, {"Api-Token": "t"})
    for number in range(3):
        admin.post("/v3/users?what=1", {"user_id": f"u{number}", "nickname": "n", "colour": "red"})
    for number in range(3):
        admin.get(f"/v3/users/u{number}")
    admin.close()
    _, said = process.communicate()
    assert sorted(line.split(": ", 1)[1] for line in said.splitlines()) == [
        'POST users: nobody reads the key "colour"',
        'POST users: nobody reads the key "what"',
    ]


@pytest.mark.parametrize(
    "method, path",
    [
        ("GET", "/v3/open_channels"),
        ("POST", "/v3/open_channels/x/messages"),
        ("PATCH", "/v3/users/ann"),
        ("GET", "/v3/nothing/at/all?x=1"),
        ("PUT", "/v3/users/ann/nothing"),
    ],
)
def test_what_is_not_served_says_so(server: Server, method: str, path: str) -> None:
    server.user("ann")
    answer = server.admin.call(method, path)
    assert answer.status == 404 and answer.json["code"] == 400930
    assert answer.json["message"] == f"{method} {path.split('?')[0]} is not served by syncmanager-server."


def test_blocks_between_two(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    a, b = ann.connect(), bob.connect()
    ann.rest.post(ann.me + "/block", {"target_id": "bob"})
    bob.rest.refused(900080, "POST", channel.path + "/messages", {"message": "x"})
    b.send("MESG", channel_url=channel, message="x", req_id="1")
    assert b.wait("EROR")["code"] == 900080
    # Who blocks may still write.
    a.send("MESG", channel_url=channel, message="y", req_id="2")
    assert b.wait("MESG")["message"] == "y"
    ann.rest.delete(ann.me + "/block/bob")
    b.send("MESG", channel_url=channel, message="z", req_id="3")
    assert a.wait("MESG", lambda m: m["message"] == "z")


def test_blocks_in_a_group(server: Server) -> None:
    ann, bob, cho = (server.user(name) for name in ("ann", "bob", "cho"))
    channel = ann.channel(bob, cho)
    a, b, c = ann.connect(), bob.connect(), cho.connect()
    ann.rest.post(ann.me + "/block", {"user_ids": ["bob"]})
    b.send("MESG", channel_url=channel, message="x", req_id="1")
    assert c.wait("MESG")["message"] == "x" and b.wait("MESG")["req_id"] == "1"
    assert a.count("MESG") == 0
    members = {m["user_id"]: m for m in ann.rest.get(channel.path)["members"]}
    assert members["bob"]["is_blocked_by_me"] is True and members["cho"]["is_blocked_by_me"] is False


@pytest.mark.parametrize("persists", [False, True])
def test_messages_that_do_not_last(start: Any, tmp_path: Any, persists: bool) -> None:
    where = ("--db", str(tmp_path / "chat.db"))
    server = start(*where)
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob, message_survival_seconds=60)
    lasting = ann.channel(bob)
    for place in (channel, lasting):
        ann.rest.post(place.path + "/messages", {"message": "one"})
    b = bob.connect()
    assert bob.rest.get(bob.me + "/unread_message_count")["unread_count"] == 2
    server.control("advance_clock", ms=30_000)
    second = ann.rest.post(channel.path + "/messages", {"message": "two"})
    assert second["message_survival_seconds"] == 60
    if persists:
        assert server.stop() == 0
        server = start(*where)
        bob = type(bob)(server, "bob", bob.token)
        b = bob.connect()
    server.control("advance_clock", ms=31_000)

    def texts(place: Any) -> list[str]:
        page = bob.rest.get(place.path + "/messages", message_ts=2**62, prev_limit=9)
        return [m["message"] for m in page["messages"]]

    assert b.wait("DELM")["channel_url"] == channel
    assert texts(channel) == ["two"] and texts(lasting) == ["one"]
    assert bob.rest.get(bob.me + "/unread_message_count")["unread_count"] == 2
    server.control("advance_clock", ms=60_000)
    assert b.wait("DELM")["msg_id"] == second["message_id"]
    document = bob.rest.get(channel.path)
    assert document["last_message"] is None and document["unread_message_count"] == 0
    log = bob.rest.get(channel.path + "/messages/changelogs", change_ts=1)
    assert len(log["deleted"]) == 2


def test_bans_and_mutes_everywhere(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    tea, milk = ann.channel(bob, custom_type="tea"), ann.channel(bob, custom_type="milk")
    path = "/v3/users/bob/"
    body = {"channel_custom_types": ["tea"], "seconds": 60, "description": "loud"}
    got = server.admin.post(path + "muted_channel_custom_types", body)
    assert [(t["custom_type"], t["description"]) for t in got["channel_custom_types"]] == [("tea", "loud")]
    bob.rest.refused(900041, "POST", tea.path + "/messages", {"message": "x"})
    bob.rest.post(milk.path + "/messages", {"message": "x"})
    muted = bob.rest.get(tea.path + "/mute/bob")
    assert muted["is_muted"] is True and muted["description"] == "loud" and muted["remaining_duration"] > 0
    assert bob.rest.get(milk.path + "/mute/bob") == {"is_muted": False}
    server.control("advance_clock", ms=61_000)
    bob.rest.post(tea.path + "/messages", {"message": "x"})
    server.admin.post(path + "banned_channel_custom_types", {"channel_custom_types": ["tea"]})
    bob.rest.refused(900020, "GET", tea.path)
    assert bob.rest.get(milk.path)["member_count"] == 2
    ann.rest.post(tea.path + "/invite", {"user_ids": ["bob"]})
    assert ann.rest.get(tea.path)["member_count"] == 1
    server.admin.delete(path + "banned_channel_custom_types", {"channel_custom_types": ["tea"]})
    ann.rest.post(tea.path + "/invite", {"user_ids": ["bob"]})
    assert ann.rest.get(tea.path)["member_count"] == 2
    ann.rest.refused(400108, "POST", path + "banned_channel_custom_types", body)
    server.admin.post(milk.path + "/ban", {"user_id": "bob", "description": "why"})
    banned = server.admin.get(path + "banned_group_channels")["banned_channels"]
    assert [(b["channel"]["channel_url"], b["description"]) for b in banned] == [(milk, "why")]


def test_encoded_commas_and_keys_of_lists(server: Server) -> None:
    ann, bob, odd = server.user("ann"), server.user("bob"), server.user("x,y")
    both, other = ann.channel(bob, name="both"), ann.channel(odd, name="odd")

    def names(query: str) -> list[str]:
        return sorted(c["name"] for c in ann.rest.ok("GET", f"{ann.me}/my_group_channels?{query}")["channels"])

    for comma in (",", "%2C", "%2c"):
        assert names(f"members_exactly_in=ann{comma}bob") == ["both"]
        assert names(f"channel_urls={both}{comma}{other}") == ["both", "odd"]
    assert names("members_include_in=bob,x%2Cy&query_type=or") == ["both", "odd"]
    assert names("members_exactly_in=ann&members_exactly_in=x%2Cy") == ["odd"]
    assert names("members_include_in=x%2Cy") == ["odd"]
    path = both.path + "/metadata"
    ann.rest.post(path, {"metadata": {"a": "1", "b": "2", "c,d": "3"}})
    assert ann.rest.get(path, keys="a,b") == {"a": "1", "b": "2"}
    ann.rest.delete(path + "?key=c%2Cd")
    assert ann.rest.get(path) == {"a": "1", "b": "2"}
    ann.rest.delete(path + "?keys=a%2Cx")
    assert ann.rest.get(path) == {"b": "2"}
    ann.rest.put(path, {"metadata": {"n": "1"}, "upsert": False})
    assert ann.rest.get(path) == {"b": "2"}
    server.admin.post(both.path + "/operators", {"operator_ids": ["ann", "bob"]})
    server.admin.delete(both.path + "/operators?operator_ids=ann%2Cbob")
    assert ann.rest.get(both.path + "/operators")["operators"] == []


def test_pages_of_mutes_and_bans_and_unread_counts(server: Server) -> None:
    ann = server.user("ann")
    others = [server.user(f"u{number:02}") for number in range(12)]
    channel = ann.channel(*others, operator_ids=["ann"])
    for user in others:
        ann.rest.post(channel.path + "/mute", {"user_id": user.id})

    def listed(kind: str, name: str, id_of: Any) -> list[str]:
        first = ann.rest.get(f"{channel.path}/{kind}")
        assert len(first[name]) == 10 and first["next"] and first[f"total_{kind}_count"] == 12
        rest = ann.rest.get(f"{channel.path}/{kind}", token=first["next"], limit=5)
        assert rest["next"] == ""
        return [id_of(entry) for entry in first[name] + rest[name]]

    assert listed("mute", "muted_list", lambda e: e["user_id"]) == [u.id for u in others]
    ann.rest.post(channel.path + "/messages", {"message": "m"})
    path = channel.path + "/messages/unread_count"
    assert ann.rest.get(path, user_ids="u00,u01,ann,nobody") == {"unread": {"u00": 1, "u01": 1, "ann": 0}}
    for user in others:
        ann.rest.post(channel.path + "/ban", {"user_id": user.id})
    assert listed("ban", "banned_list", lambda e: e["user"]["user_id"]) == [u.id for u in others]


def test_the_login_tells_when_its_key_expires(start: Any) -> None:
    server = start("--session-ttl", "100")
    ann = server.user("ann")
    assert ann.connect().logi["expires_at"] == -1
    now = server.control("advance_clock", ms=0)["ts"]
    assert now + 100_000 <= ann.connect("&expiring_session=1").logi["expires_at"] <= now + 110_000


def test_joining_blocked_channels(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(is_public=True, block_sdk_user_channel_join=True)
    bob.rest.refused(400108, "PUT", channel.path + "/join", {})
    server.admin.put(channel.path + "/join", {"user_id": "bob"})
    assert bob.rest.get(channel.path)["member_count"] == 2


def test_a_file_of_the_schema_before(start: Any, tmp_path: Any) -> None:
    """A database of the first schema is brought up to the present one, with all it holds."""
    path = tmp_path / "chat.db"
    server = start("--db", str(path), "--api-token", "t")
    ann = server.user("ann")
    channel = ann.channel(name="kept")
    ann.rest.post(channel.path + "/messages", {"message": "kept"})
    assert server.stop() == 0
    with sqlite3.connect(path) as old:
        for table in (
            "removed", "devices", "activity", "restrictions", "documents", "votes", "files", "friends", "discoveries",
            "leaves",
        ):
            old.execute(f"DROP TABLE {table}")
        for index in ("channels_by_survival", "members_by_mute"):
            old.execute(f"DROP INDEX {index}")
        old.execute("ALTER TABLE users DROP COLUMN details")
        for column in ("push_sound", "silent_id", "silent_at"):
            old.execute(f"ALTER TABLE members DROP COLUMN {column}")
        old.execute("DELETE FROM marks WHERE name = 'file_bytes'")
        old.execute("PRAGMA user_version = 1")
    old.close()
    server = start("--db", str(path), "--api-token", "t")
    ann = type(ann)(server, "ann", ann.token)
    page = ann.rest.get(channel.path + "/messages", message_ts=2**62)
    assert [m["message"] for m in page["messages"]] == ["kept"]
    ann.rest.put(ann.me, {"discovery_keys": ["d"]})
    assert ann.rest.get(ann.me)["discovery_keys"] == ["d"]


def test_strict_knows_every_key_of_the_protocol(start: Any) -> None:
    """Clients send all they have with every request; none of the protocol's own keys is refused."""
    server = start("--strict")
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    parent = ann.rest.post(channel.path + "/messages", {"message": "parent"})["message_id"]
    sent = ann.rest.post(
        channel.path + "/messages",
        {
            "message_type": "MESG", "user_id": "ann", "message": "m", "data": "d", "custom_type": "t", "req_id": "r",
            "mention_type": "users", "mentioned_user_ids": ["bob"], "metaarray": [{"key": "k", "value": ["v"]}],
            "parent_message_id": parent, "reply_to_channel": True, "is_reply_to_channel": True,
            "push_option": "suppress", "send_push": False, "pin_message": True, "target_langs": ["de"],
            "translations": {"ko": ""}, "extended_message": {}, "extended_message_payload": {}, "is_silent": False,
            "silent": False, "apple_critical_alert_options": {"name": "n", "volume": 1}, "created_at": 1,
            "mentioned_message_template": "", "force_update_last_message": False, "mark_as_read": True,
            "channel_url": channel, "push_message_template": {}, "dedup_id": "x",
        },
    )
    assert sent["message"] == "m" and sent["created_at"] > 1
    ann.rest.put(
        f"{channel.path}/messages/{sent['message_id']}",
        {
            "message_type": "MESG", "user_id": "ann", "message": "n", "data": "d", "custom_type": "t",
            "mention_type": "users", "mentioned_user_ids": [], "mentioned_message_template": "", "target_langs": [],
            "translations": {}, "metaarray": {"array": [], "mode": "add", "upsert": True}, "channel_url": channel,
        },
    )
    flags = {
        key: True
        for key in (
            "include_reactions", "include_thread_info", "include_parent_message_info", "include_poll_details",
            "with_sorted_meta_array", "include_meta_array", "with_meta_array", "is_sdk",
            "show_subchannel_messages_only", "checking_continuous_messages",
        )
    }
    chosen = {"message_type": "MESG", "custom_types": "t", "sender_ids": "ann", "include_reply_type": "all"}
    for thread in ({}, {"parent_message_id": parent}):
        query = {**flags, **chosen, **thread}
        page = {"message_ts": 2**62, "prev_limit": 5, "next_limit": 5, "include": True, "reverse": True}
        found = ann.rest.get(channel.path + "/messages", checking_has_next=True, **page, **query)["messages"]
        assert [m["message"] for m in found] == ["n"]
        ann.rest.get(channel.path + "/messages/changelogs", change_ts=1, includeReplyType="all", **query)
        ends = {f"{side}_{end}": 1 for side in ("prev", "next") for end in ("start_ts", "end_ts", "cache_count")}
        ann.rest.get(channel.path + "/messages_gap", reverse=False, sender_user_id="ann", **ends, **query)
        ann.rest.get(f"{channel.path}/messages/{parent}", **flags)
    shown = {
        "show_member": True, "show_read_receipt": True, "show_delivery_receipt": True, "show_empty": True,
        "show_frozen": True, "show_metadata": True, "include_chat_notification": False, "is_explicit_request": True,
    }
    ann.rest.get(
        ann.me + "/my_group_channels", token="", limit=5, order="latest_last_message", is_feed_channel=False,
        distinct_mode="all", super_mode="all", public_mode="all", hidden_mode="all", unread_filter="all",
        member_state_filter="all", custom_type_startswith="", name_contains="", members_nickname_contains="",
        members_include_in="bob", query_type="or", search_query="x", search_fields="channel_name",
        metadata_key="k", metadata_values="v", metadata_value_startswith="", metadata_order_key="k",
        created_before=2, created_after=1, **shown,
    )
    ann.rest.get(ann.me + "/my_group_channels/changelogs", change_ts=1, custom_types="t", limit=5, **shown)
    ann.rest.get(channel.path, show_member=True, show_read_receipt=True, show_delivery_receipt=True, show_metadata=True)
    ann.rest.get(
        channel.path + "/members", limit=5, token="", order="operator_then_member_alphabetical", operator_filter="all",
        muted_member_filter="all", member_state_filter="all", nickname_startswith="", show_member_is_muted=True,
        show_read_receipt=True, show_delivery_receipt=True,
    )
    ann.rest.put(channel.path + "/messages/mark_as_read", {"user_id": "ann", "unique_id": "u"})
    ann.rest.put(channel.path + "/messages/mark_as_delivered", {"user_id": "ann", "ts": 1})
    ann.rest.put(ann.me + "/mark_as_read_all", {"channel_urls": [channel]})
    ann.rest.put(channel.path + "/leave", {"should_remove_operator_status": True})
