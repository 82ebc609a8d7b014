"""Channels: making, listing with every filter and order, changelogs, members, moderation, metadata, counts."""

from __future__ import annotations

from typing import Any

from running import Channel, Server, User
from wire import quote


def names(user: User, **query: Any) -> list[str]:
    return [c["name"] for c in user.rest.get(user.me + "/my_group_channels", **{"limit": 100, **query})["channels"]]


def by_pages(user: User, **query: Any) -> list[str]:
    result: list[str] = []
    token = ""
    while True:
        got = user.rest.get(user.me + "/my_group_channels", token=token, **query)
        result += [c["name"] for c in got["channels"]]
        token = got["next"]
        if not token:
            return result


def test_create_get_update_delete(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    b = bob.connect()
    url = "a/b+c&d;e%2F é"
    made = ann.rest.post(
        "/v3/group_channels",
        {
            "user_ids": ["ann", "bob"],
            "channel_url": url,
            "name": "N",
            "cover_url": "u",
            "data": "d",
            "custom_type": "t",
            "is_public": False,
            "operator_ids": ["ann"],
        },
    )
    assert made["channel_url"] == url and made["is_created"] is True and made["my_role"] == "operator"
    assert made["created_at"] < 10**11 and made["member_count"] == 2 and made["joined_member_count"] == 2
    invited = b.system(10020)
    assert invited["channel_url"] == url and [i["user_id"] for i in invited["data"]["invitees"]] == ["bob"]
    for form in ("/v3/group_channels/", "/v3/sdk/group_channels/"):
        got = bob.rest.get(form + quote(url), show_member=True)
        assert got["channel_url"] == url and got["my_role"] == "none" and got["inviter"]["user_id"] == "ann"
        assert {m["user_id"]: m["role"] for m in got["members"]} == {"ann": "operator", "bob": "none"}
    assert "members" not in bob.rest.get("/v3/group_channels/" + quote(url), show_member=False)
    ann.rest.refused(400202, "POST", "/v3/group_channels", {"user_ids": ["ann"], "channel_url": url})
    changed = ann.rest.put("/v3/group_channels/" + quote(url), {"name": "M", "is_public": True})
    assert changed["name"] == "M" and changed["is_public"] is True and changed["data"] == "d"
    assert b.system(11000)["unique_id"]
    bob.rest.refused(400108, "PUT", "/v3/group_channels/" + quote(url), {"name": "x"})
    bob.rest.refused(400108, "DELETE", "/v3/group_channels/" + quote(url))
    ann.rest.delete("/v3/group_channels/" + quote(url))
    assert b.system(12000)["channel_url"] == url
    ann.rest.refused(400201, "GET", "/v3/group_channels/" + quote(url))
    # The name is free again.
    assert ann.rest.post("/v3/group_channels", {"user_ids": ["bob"], "channel_url": url})["is_created"] is True


def test_paths_that_differ_only_when_raw(server: Server) -> None:
    ann = server.user("ann")
    urls = ["a/b", "a%2Fb", "a+b", "a b", "a&b=c", "a;b", "100%", "ä?#"]
    for number, url in enumerate(urls):
        ann.rest.post("/v3/group_channels", {"user_ids": ["ann"], "channel_url": url, "name": str(number)})
    for number, url in enumerate(urls):
        assert ann.rest.get("/v3/group_channels/" + quote(url))["name"] == str(number)
        assert names(ann, channel_urls=url) == [str(number)]
    joined = ",".join(quote(u) for u in urls[:3])
    got = ann.rest.ok("GET", f"{ann.me}/my_group_channels?limit=9&order=chronological&channel_urls={joined}")
    assert sorted(c["channel_url"] for c in got["channels"]) == sorted(urls[:3])
    repeated = "&".join("channel_urls=" + quote(u) for u in urls[3:])
    got = ann.rest.ok("GET", f"{ann.me}/my_group_channels?limit=9&{repeated}")
    assert sorted(c["channel_url"] for c in got["channels"]) == sorted(urls[3:])


def test_distinct(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    first = ann.rest.post("/v3/group_channels", {"user_ids": ["bob"], "is_distinct": True})
    again = bob.rest.post("/v3/group_channels", {"user_ids": ["ann"], "is_distinct": True})
    assert again["channel_url"] == first["channel_url"] and first["is_created"] is True and again["is_created"] is False
    assert ann.rest.post("/v3/group_channels", {"user_ids": ["bob"]})["channel_url"] != first["channel_url"]


def test_orders_and_paging(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    made = {}
    for number, name in enumerate(["delta", "alpha", "", "charlie", "bravo"]):
        made[name] = ann.channel(bob, name=name)
        server.control("advance_clock", ms=1500)
        ann.rest.post(
            made[name].path + "/metadata",
            {"metadata": {"rank": str(9 - number)}} if name else {"metadata": {"other": "x"}},
        )
    for name in ("alpha", "bravo", "delta"):
        ann.rest.post(made[name].path + "/messages", {"message": "m"})
        server.control("advance_clock", ms=10)
    for size in (1, 2, 3, 100):
        assert by_pages(ann, limit=size) == ["delta", "bravo", "alpha", "charlie", ""]
        assert by_pages(ann, limit=size, order="latest_last_message") == ["delta", "bravo", "alpha", "charlie", ""]
        assert by_pages(ann, limit=size, order="chronological") == ["bravo", "charlie", "", "alpha", "delta"]
        assert by_pages(ann, limit=size, order="channel_name_alphabetical") == [
            "alpha",
            "bravo",
            "charlie",
            "delta",
            "",
        ]
        assert by_pages(ann, limit=size, order="metadata_value_alphabetical", metadata_order_key="rank") == [
            "bravo",
            "charlie",
            "alpha",
            "delta",
            "",
        ]
    ann.rest.refused(400111, "GET", ann.me + "/my_group_channels?order=random")
    ann.rest.refused(400109, "GET", ann.me + "/my_group_channels?token=zz")
    ann.rest.refused(400108, "GET", bob.me + "/my_group_channels")


def test_every_filter(server: Server) -> None:
    ann, bob, cho = server.user("ann", "Ann"), server.user("bob", "Bobby Tables"), server.user("cho", "초")
    server.admin.put(cho.me + "/channel_invitation_preference", {"auto_accept": False})
    ann.channel(bob, name="Work Group", custom_type="work.a")
    ann.channel(bob, cho, name="Three", custom_type="work.b")
    ann.channel(name="Alone")
    ann.channel(bob, name="Super", is_super=True)
    ann.channel(bob, name="News", is_broadcast=True)
    ann.channel(bob, name="Only", is_exclusive=True)
    opened = ann.channel(bob, name="Open", is_public=True)
    frozen = ann.channel(bob, name="Frozen")
    server.admin.put(frozen.path + "/freeze", {"freeze": True})
    auto, never = ann.channel(bob, name="Auto"), ann.channel(bob, name="Never")
    ann.rest.put(auto.path + "/hide", {"allow_auto_unhide": True})
    ann.rest.put(never.path + "/hide", {"allow_auto_unhide": False})
    bob.rest.post(opened.path + "/messages", {"message": "unread"})
    ann.rest.post(opened.path + "/metadata", {"metadata": {"city": "Köln"}})
    shown = {"Work Group", "Three", "Alone", "Super", "News", "Only", "Open", "Frozen"}

    def got(user: User = ann, **query: Any) -> set[str]:
        return set(names(user, **query))

    assert got() == shown
    assert got(show_empty=False) == {"Open"}
    assert got(show_frozen=False) == shown - {"Frozen"}
    assert got(super_mode="super") == {"Super", "News", "Only"} and got(super_mode="nonsuper") == shown - {
        "Super",
        "News",
        "Only",
    }
    assert got(super_mode="broadcast_only") == {"News"} and got(super_mode="exclusive_only") == {"Only"}
    assert got(public_mode="public") == {"Open"} and got(public_mode="private") == shown - {"Open"}
    assert got(hidden_mode="all") == shown | {"Auto", "Never"} and got(hidden_mode="hidden_only") == {"Auto", "Never"}
    assert got(hidden_mode="hidden_allow_auto_unhide") == got(hidden_mode="hidden_allow_auto_hide") == {"Auto"}
    assert got(hidden_mode="hidden_prevent_auto_unhide") == {"Never"}
    assert got(unread_filter="unread_message") == {"Open"}
    assert got(cho) == {"Three"} and got(cho, member_state_filter="invited_only") == {"Three"}
    assert got(cho, member_state_filter="joined_only") == set() and got(member_state_filter="joined_only") == shown
    assert (
        got(cho, member_state_filter="invited_by_non_friend") == {"Three"}
        and got(cho, member_state_filter="invited_by_friend") == set()
    )
    assert got(custom_types="work.a") == {"Work Group"} and got(custom_types=["work.a", "work.b"]) == {
        "Work Group",
        "Three",
    }
    assert got(custom_type_startswith="work") == {"Work Group", "Three"}
    assert got(name_contains="wORK g") == {"Work Group"}
    assert (
        got(members_nickname_contains="TABLES") == shown - {"Alone"} and got(members_nickname_contains="Ann") == set()
    )
    assert got(members_nickname_startswith="bob") == shown - {"Alone"} and got(members_nickname="초") == {"Three"}
    assert got(members_exactly_in=["bob", "cho"]) == {"Three"} and got(members_exactly_in=["ann", "bob", "cho"]) == {
        "Three"
    }
    assert got(members_include_in=["bob", "cho"]) == {"Three"}
    assert got(members_include_in=["bob", "cho"], query_type="or") == shown - {"Alone"}
    assert got(search_query="three", search_fields="channel_name,member_nickname") == {"Three"}
    assert (
        got(search_query="초", search_field="member_nick_name") == {"Three"}
        and got(search_query="초", search_fields="channel_name") == set()
    )
    assert (
        got(metadata_key="city", metadata_values="Köln") == {"Open"}
        and got(metadata_key="city", metadata_values="Bonn") == set()
    )
    assert got(metadata_key="city", metadata_value_startswith="Kö") == {"Open"}
    created = ann.rest.get(opened.path)["created_at"]
    server.control("advance_clock", ms=5000)
    ann.channel(name="Late")
    for unit in (1, 1000):
        assert got(created_after=(created + 3) * unit) == {"Late"} and got(created_before=(created + 3) * unit) == shown
    assert set(c["name"] for c in cho.rest.get("/v3/group_channels", public_mode="public")["channels"]) == {"Open"}


def test_channel_changelog(server: Server) -> None:
    ann, bob, cho = server.user("ann"), server.user("bob"), server.user("cho")
    one, two, three = (ann.channel(bob, name=n) for n in ("one", "two", "three"))
    path = bob.me + "/my_group_channels/changelogs"
    first = bob.rest.get(path, change_ts=0)
    assert {c["name"] for c in first["updated"]} == {"one", "two", "three"} and first["has_more"] is False

    def changes(token: str) -> tuple[list[str], list[str], str]:
        got = bob.rest.get(path, token=token)
        return sorted(c["name"] for c in got["updated"]), got["deleted"], got["next"]

    updated, deleted, token = changes(first["next"])
    assert (updated, deleted) == ([], [])
    ann.rest.post(one.path + "/messages", {"message": "m"})
    ann.rest.put(two.path, {"name": "second"})
    updated, deleted, token = changes(token)
    assert (updated, deleted) == (["one", "second"], [])
    bob.rest.put(one.path + "/leave")
    server.admin.delete(two.path)
    updated, deleted, token = changes(token)
    assert updated == [] and sorted(deleted) == sorted([one, two])
    # What happens in a channel one has left is no news.
    ann.rest.post(one.path + "/messages", {"message": "m"})
    assert changes(token)[:2] == ([], [])
    ann.rest.post(one.path + "/invite", {"user_ids": ["bob"]})
    updated, deleted, token = changes(token)
    assert (updated, deleted) == (["one"], [])
    fresh = [ann.channel(bob, name=f"n{i:02}") for i in range(25)]
    token2, seen, rounds = token, [], 0
    while True:
        got = bob.rest.get(path, token=token2, limit=4)
        seen += [c["channel_url"] for c in got["updated"]]
        token2, rounds = got["next"], rounds + 1
        if not got["has_more"]:
            break
    assert sorted(seen) == sorted(fresh) and rounds == 7
    cho.rest.refused(400108, "GET", path + "?change_ts=0")


def test_members_come_and_go(server: Server) -> None:
    ann, bob, cho, dan = (server.user(n) for n in ("ann", "bob", "cho", "dan"))
    server.admin.put(cho.me + "/channel_invitation_preference", {"auto_accept": False})
    server.admin.put(dan.me + "/channel_invitation_preference", {"auto_accept": False})
    a, c = ann.connect(), cho.connect()
    channel = ann.channel(bob)
    got = ann.rest.post(channel.path + "/invite", {"user_ids": ["cho", "dan"], "inviter_id": "ann"})
    assert got["member_count"] == 4 and got["joined_member_count"] == 2
    event = c.system(10020)
    assert event["data"]["inviter"]["user_id"] == "ann" and event["data"]["invited_at"] and event["member_count"] == 4
    assert cho.rest.get(channel.path)["member_state"] == "invited"
    cho.rest.refused(900020, "POST", channel.path + "/messages", {"message": "not yet"})
    assert cho.rest.put(channel.path + "/accept", {"user_id": "cho"})["member_state"] == "joined"
    joined = a.system(10000)
    assert (
        joined["data"]["user_id"] == "cho"
        and joined["data"]["users"][0]["user_id"] == "cho"
        and joined["data"]["joined_ts"]
    )
    assert (
        a.wait("MCNT", lambda m: m["group_channels"][0]["joined_member_count"] == 3)["group_channels"][0]["channel_url"]
        == channel
    )
    dan.rest.put(channel.path + "/decline")
    assert a.system(10022)["data"]["invitee"]["user_id"] == "dan"
    dan.rest.refused(900020, "PUT", channel.path + "/accept")
    dan.rest.refused(400108, "PUT", channel.path + "/join")
    dan.rest.refused(900020, "GET", channel.path)
    cho.rest.put(channel.path + "/leave")
    left = a.system(10001)
    assert left["data"]["user_id"] == "cho" and left["joined_member_count"] == 2
    assert c.system(10001)["data"]["guest_id"] == "cho"
    opened = ann.channel(name="open", is_public=True, access_code="42")
    dan.rest.refused(400108, "PUT", opened.path + "/join", {"access_code": "41"})
    assert dan.rest.put(opened.path + "/join", {"access_code": "42"})["is_access_code_required"] is True


def test_member_list(server: Server) -> None:
    users = [server.user(f"u{i}", f"Name {9 - i}") for i in range(8)]
    channel = users[0].channel(*users[1:], operator_ids=["u3"])
    got, token = [], ""
    while True:
        page = users[1].rest.get(channel.path + "/members", limit=3, token=token, order="member_nickname_alphabetical")
        got += [m["nickname"] for m in page["members"]]
        token = page["next"]
        if not token:
            break
    assert got == sorted(u and f"Name {9 - i}" for i, u in enumerate(users))
    first = users[1].rest.get(channel.path + "/members", order="operator_then_member_alphabetical")["members"][0]
    assert first["user_id"] == "u3" and first["role"] == "operator"
    assert [
        m["user_id"] for m in users[1].rest.get(channel.path + "/members", operator_filter="operator")["members"]
    ] == ["u3"]
    users[3].rest.post(channel.path + "/mute", {"user_id": "u5"})
    assert [
        m["user_id"] for m in users[1].rest.get(channel.path + "/members", muted_member_filter="muted")["members"]
    ] == ["u5"]


def test_moderation_events(server: Server) -> None:
    ann, bob, cho = (server.user(n) for n in ("ann", "bob", "cho"))
    channel = ann.channel(bob, cho, operator_ids=["ann"])
    b, c = bob.connect(), cho.connect()
    bob.rest.refused(400108, "POST", channel.path + "/mute", {"user_id": "cho"})
    ann.rest.post(channel.path + "/mute", {"user_id": "cho", "seconds": 30, "description": "d"})
    event = c.system(10201)["data"]
    assert event["user_id"] == "cho" and event["description"] == "d" and 0 < event["remaining_duration"] <= 30_000
    assert event["restriction_type"] == "muted" and cho.rest.get(channel.path)["is_muted"] is True
    info = cho.rest.get(channel.path + "/mute/cho")
    assert info["is_muted"] is True and info["description"] == "d" and info["end_at"] - info["start_at"] == 30_000
    assert [m["user_id"] for m in ann.rest.get(channel.path + "/mute")["muted_list"]] == ["cho"]
    ann.rest.delete(channel.path + "/mute/cho")
    c.system(10200)
    assert cho.rest.get(channel.path + "/mute/cho") == {"is_muted": False}
    ann.rest.put(channel.path + "/freeze", {"freeze": True})
    b.system(10701)
    ann.rest.put(channel.path + "/freeze", {"freeze": False})
    b.system(10700)
    ann.rest.post(channel.path + "/operators", {"operator_ids": ["bob"]})
    assert [o["user_id"] for o in c.system(10002)["data"]["operators"]] == ["ann", "bob"]
    assert b.wait("USEV")["data"]["my_role"] == "operator"
    bob.rest.delete(channel.path + "/operators?operator_ids=ann")
    assert [o["user_id"] for o in bob.rest.get(channel.path + "/operators")["operators"]] == ["bob"]
    bob.rest.post(channel.path + "/ban", {"user_id": "cho", "seconds": 9})
    assert c.system(10601)["data"]["user_id"] == "cho"
    assert [x["user"]["user_id"] for x in bob.rest.get(channel.path + "/ban")["banned_list"]] == ["cho"]
    assert bob.rest.get(channel.path)["member_count"] == 2
    bob.rest.delete(channel.path + "/ban/cho")
    b.system(10600)
    cho.rest.post(cho.me + "/block", {"target_id": "bob"})
    assert b.wait("USEV", lambda e: e["cat"] == 20001)["data"]["blocker"]["user_id"] == "cho"
    cho.rest.delete(cho.me + "/block/bob")
    assert b.wait("USEV", lambda e: e["cat"] == 20000)["data"]["blockee"]["user_id"] == "bob"


def test_hide_and_unhide(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    b = bob.connect()
    channel = ann.channel(bob, name="C")
    ann.rest.post(channel.path + "/messages", {"message": "old"})
    bob.rest.put(channel.path + "/hide", {"hide_previous_messages": True, "allow_auto_unhide": True})
    event = b.system(13000)
    assert (
        event["data"] == {"hide_previous_messages": True, "allow_auto_unhide": True} and event["ts_message_offset"] > 0
    )
    document = bob.rest.get(channel.path)
    assert (
        document["is_hidden"] is True
        and document["hidden_state"] == "hidden_allow_auto_unhide"
        and document["last_message"] is None
    )
    assert document["unread_message_count"] == 0
    new = ann.rest.post(channel.path + "/messages", {"message": "new"})
    document = bob.rest.get(channel.path)
    assert document["is_hidden"] is False and document["unread_message_count"] == 1
    got = bob.rest.get(channel.path + "/messages", message_ts=2**62, prev_limit=9)["messages"]
    assert [m["message_id"] for m in got] == [new["message_id"]]
    assert len(ann.rest.get(channel.path + "/messages", message_ts=2**62, prev_limit=9)["messages"]) == 2
    bob.rest.put(channel.path + "/hide", {"allow_auto_unhide": False})
    ann.rest.post(channel.path + "/messages", {"message": "newer"})
    assert bob.rest.get(channel.path)["hidden_state"] == "hidden_prevent_auto_unhide"
    bob.rest.delete(channel.path + "/hide")
    b.system(13001)
    assert bob.rest.get(channel.path)["hidden_state"] == "unhidden"


def test_reset_history(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    for _ in range(5):
        ann.rest.post(channel.path + "/messages", {"message": "before"})
    offset = bob.rest.put(channel.path + "/reset_user_history", {"user_id": "bob"})["ts_message_offset"]
    after = ann.rest.post(channel.path + "/messages", {"message": "after"})
    assert after["created_at"] >= offset
    got = bob.rest.get(channel.path + "/messages", message_ts=2**62, prev_limit=9)["messages"]
    assert [m["message"] for m in got] == ["after"]
    assert (
        bob.rest.get(channel.path)["ts_message_offset"] == offset
        and bob.rest.get(channel.path)["unread_message_count"] == 1
    )


def test_metadata_and_counters(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    b = bob.connect()
    channel = ann.channel(bob)
    path = channel.path + "/metadata"
    made = ann.rest.post(path + "?include_ts=true", {"metadata": {"a": "1", "b/ c": "ü"}})
    assert made["metadata"] == {"a": "1", "b/ c": "ü"} and made["ts"]
    assert b.system(11100)["data"] == {"created": {"a": "1", "b/ c": "ü"}}
    ann.rest.refused(400202, "POST", path, {"metadata": {"a": "2"}})
    assert ann.rest.put(path, {"metadata": {"a": "2", "new": "x"}}) == {"a": "2"}
    assert ann.rest.put(path, {"metadata": {"new": "x"}, "upsert": True}) == {"new": "x"}
    assert ann.rest.put(path + "/" + quote("b/ c"), {"value": "w"}) == {"b/ c": "w"}
    assert (
        bob.rest.get(path) == {"a": "2", "b/ c": "w", "new": "x"} and bob.rest.get(channel.path)["metadata"]["a"] == "2"
    )
    ann.rest.delete(path + "/a")
    assert b.wait("SYEV", lambda e: e["cat"] == 11100 and "deleted" in e["data"])["data"] == {"deleted": ["a"]}
    counter = channel.path + "/metacounter"
    assert ann.rest.post(counter, {"metacounter": {"n": 5}}) == {"n": 5}
    assert b.system(11200)["data"] == {"created": {"n": 5}}
    assert ann.rest.put(counter, {"metacounter": {"n": 3}, "mode": "increase"}) == {"n": 8}
    assert ann.rest.put(counter, {"metacounter": {"n": 10}, "mode": "decrease"}) == {"n": -2}
    assert bob.rest.get(counter) == {"n": -2}
    ann.rest.delete(counter)
    assert bob.rest.get(counter) == {}


def test_a_silent_message_is_the_last_one_to_its_sender_alone(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel, empty = ann.channel(bob), ann.channel(bob)

    def post(where: Any, by: str, text: str, **more: Any) -> int:
        server.control("advance_clock", ms=2)
        body = {"user_id": by, "message": text, **more}
        return server.admin.post(where.path + "/messages", body)["message_id"]

    def last(client: Any, where: Any = channel) -> str | None:
        message = client.rest.get(where.path)["last_message"]
        return message and message["message"]

    def listed(client: Any) -> list[str]:
        channels = client.rest.get(client.me + "/my_group_channels", show_empty="false")["channels"]
        return [entry["channel_url"] for entry in channels]

    sent = {"plain": post(channel, "ann", "plain")}
    post(empty, "ann", "first word", silent=True)
    assert listed(ann) == [empty, channel] and listed(bob) == [channel]
    for text in ("quiet", "more"):
        sent[text] = post(channel, "ann", text, silent=True)
    assert (last(ann), last(bob), last(bob, empty)) == ("more", "plain", None)
    assert server.admin.get(channel.path)["last_message"]["message"] == "plain"
    assert listed(ann) == [channel, empty]
    sent["forced"] = post(channel, "bob", "forced", silent=True, force_update_last_message=True)
    assert last(ann) == last(bob) == "forced"
    for text, anns, bobs in (
        ("forced", "more", "plain"), ("more", "quiet", "plain"), ("plain", "quiet", None), ("quiet", None, None),
    ):
        server.admin.delete(f"{channel.path}/messages/{sent[text]}")
        assert (last(ann), last(bob)) == (anns, bobs)
    # What is before a reset of the history is nobody's last message.
    post(channel, "ann", "again", silent=True)
    assert last(ann) == "again"
    ann.rest.put(channel.path + "/reset_user_history", {})
    assert last(ann) is None


def test_unread_counts(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    channel, other = ann.channel(bob, custom_type="t"), ann.channel(bob)
    sent = []
    for number in range(6):
        sent.append(
            ann.rest.post(
                channel.path + "/messages",
                {"message": str(number), "mentioned_user_ids": ["bob"] if number % 2 else []},
            )
        )
        server.control("advance_clock", ms=2)
    ann.rest.post(other.path + "/messages", {"message": "x"})
    ann.rest.post(other.path + "/messages", {"message": "silent", "silent": True})

    def counts() -> tuple[int, int]:
        document = bob.rest.get(channel.path)
        return document["unread_message_count"], document["unread_mention_count"]

    assert counts() == (6, 3) and ann.rest.get(channel.path)["unread_message_count"] == 0
    assert bob.rest.get(bob.me + "/unread_message_count")["unread_count"] == 7
    assert bob.rest.get(bob.me + "/unread_message_count", custom_types="t")["unread_count"] == 6
    assert bob.rest.get(bob.me + "/unread_channel_count")["unread_count"] == 2
    assert bob.rest.get(bob.me + "/unread_item_count")["group_channel_unread_mention_count"] == 3
    # Who sends by REST has read the channel, unless the request says otherwise.
    bob.rest.post(channel.path + "/messages", {"message": "mine", "mark_as_read": False})
    assert counts()[0] == 6
    ann.rest.delete(f"{channel.path}/messages/{sent[5]['message_id']}")
    assert counts()[0] == 5
    b.send("READ", channel_url=channel, req_id="r")
    # Ann's own sends by REST have marked the channel as read for her before.
    ack = b.wait("READ", lambda frame: "req_id" in frame)
    assert ack["req_id"] == "r" and ack["user"]["user_id"] == "bob" and ack["ts"]
    told = a.wait("READ", lambda frame: frame["user"]["user_id"] == "bob")
    assert "req_id" not in told and told["user"]["guest_id"] == "bob"
    assert counts() == (0, 0) and ann.rest.get(channel.path)["read_receipt"]["bob"] == ack["ts"]
    ann.rest.delete(f"{channel.path}/messages/{sent[4]['message_id']}")
    ann.rest.post(channel.path + "/messages", {"message": "new"})
    assert counts()[0] == 1
    back = bob.rest.put(
        channel.path + "/messages/mark_as_read",
        {"message_id": sent[2]["message_id"], "is_excluded": True, "unique_id": "u"},
    )
    assert back["unread_message_count"] == 3 == counts()[0]
    assert a.wait("READ", lambda r: r.get("is_excluded"))["unique_id"] == "u"
    assert bob.rest.put(channel.path + "/messages/mark_as_read", {"user_id": "bob"})["unread_message_count"] == 0
    bob.rest.put(bob.me + "/mark_as_read_all")
    assert bob.rest.get(bob.me + "/unread_message_count")["unread_count"] == 0
    bob.rest.put(f"{bob.me}/count_preference/{quote(channel)}", {"count_preference": "off"})
    ann.rest.post(channel.path + "/messages", {"message": "quiet"})
    assert counts() == (0, 0)


def test_delivery_and_typing(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    channel = ann.channel(bob)
    a.send("MESG", channel_url=channel, message="m", req_id="1")
    got = b.wait("MESG")
    b.send("MACK", channel_url=channel, msg_id=got["msg_id"])
    assert a.wait("DLVR")["updated"] == {"bob": got["ts"]}
    assert ann.rest.get(channel.path)["delivery_receipt"]["bob"] == got["ts"]
    b.send("TPST", channel_url=channel, time=1)
    assert a.system(10900)["data"]["user_id"] == "bob"
    b.send("TPEN", channel_url=channel, time=1)
    assert a.system(10901)["data"]["user_id"] == "bob"
    assert b.count("SYEV", lambda e: e["cat"] in (10900, 10901)) == 0


def test_pins(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    b = bob.connect()
    channel = ann.channel(bob)
    sent = ann.rest.post(channel.path + "/messages", {"message": "m"})
    ann.rest.post(f"{channel.path}/messages/{sent['message_id']}/pin")
    event = b.system(11300)["data"]
    assert (
        event["pinned_message_ids"] == [sent["message_id"]]
        and event["latest_pinned_message"]["msg_id"] == sent["message_id"]
    )
    assert bob.rest.get(channel.path)["latest_pinned_message"]["message_id"] == sent["message_id"]
    ann.rest.delete(f"{channel.path}/messages/{sent['message_id']}")
    assert b.system(11300)["data"] == {} and bob.rest.get(channel.path)["pinned_message_ids"] == []


def test_ids_and_times_go_on_after_a_restart(start: Any, tmp_path: Any) -> None:
    path = str(tmp_path / "chat.db")
    first = start("--db", path)
    ann = first.user("ann")
    channel, doomed = ann.channel(name="stays"), ann.channel(name="goes")
    first.control("advance_clock", ms=60_000)
    kept = ann.rest.post(channel.path + "/messages", {"message": "kept"})
    gone = ann.rest.post(doomed.path + "/messages", {"message": "gone"})
    token = ann.rest.get(ann.me + "/my_group_channels/changelogs", change_ts=0)["next"]
    first.admin.delete(doomed.path)
    first.process.kill()
    first.process.wait()
    second = start("--db", path)
    again = User(second, "ann", ann.token)
    changes = again.rest.get(again.me + "/my_group_channels/changelogs", token=token)
    assert changes["deleted"] == [doomed] and changes["updated"] == []
    sent = again.rest.post(channel.path + "/messages", {"message": "new"})
    assert sent["message_id"] > gone["message_id"] > kept["message_id"] and sent["created_at"] >= gone["created_at"]
    got = again.rest.get(channel.path + "/messages", message_ts=2**62, prev_limit=9)["messages"]
    assert [m["message"] for m in got] == ["kept", "new"]
