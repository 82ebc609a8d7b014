"""What programs of the administration ask for beside what chat clients do."""

from __future__ import annotations

from typing import Any

from running import Server


def ids(listed: list[dict[str, Any]]) -> list[str]:
    return [entry["user_id"] for entry in listed]


def test_metadata_of_a_user_key_by_key(server: Server) -> None:
    ann = server.user("ann")
    path = ann.me + "/metadata"
    server.admin.post(path, {"metadata": {"a": "1", "b": "2", "c": "3", "d": "4"}})
    assert server.admin.get(path, key="b") == {"metadata": {"b": "2"}}
    assert server.admin.get(path, keys="a,c,none") == {"metadata": {"a": "1", "c": "3"}}
    server.admin.delete(path + "?key=a")
    assert server.admin.get(path)["metadata"] == {"b": "2", "c": "3", "d": "4"}
    server.admin.delete(path + "?keys=b,c")
    assert ann.rest.get(path)["metadata"] == {"d": "4"}
    server.admin.delete(path)
    assert ann.rest.get(path)["metadata"] == {}


def test_members_as_a_user_sees_them(server: Server) -> None:
    ann, bob, cid = (server.user(name) for name in ("ann", "bob", "cid"))
    channel = ann.channel(bob, cid)
    server.admin.post(ann.me + "/block", {"target_id": "bob"})
    server.admin.post(cid.me + "/block", {"target_id": "ann"})

    def blocks(viewer: str | None) -> dict[str, tuple[bool, bool]]:
        query = {} if viewer is None else {"user_id": viewer}
        members = server.admin.get(channel.path + "/members", **query)["members"]
        return {m["user_id"]: (m["is_blocked_by_me"], m["is_blocking_me"]) for m in members}

    nothing = (False, False)
    assert blocks("ann") == {"ann": nothing, "bob": (True, False), "cid": (False, True)}
    assert blocks("bob") == {"ann": (False, True), "bob": nothing, "cid": nothing}
    assert blocks(None) == {"ann": nothing, "bob": nothing, "cid": nothing}
    plain = server.admin.get(
        channel.path + "/members", show_read_receipt=False, show_delivery_receipt=False, show_member_is_muted=False)
    assert not {"read_ts", "delivered_ts", "is_muted", "muted_end_at"} & set(plain["members"][0])


def test_members_by_who_invited_them(server: Server) -> None:
    ann, bob, cid, dan = (server.user(name) for name in ("ann", "bob", "cid", "dan"))
    for user in (bob, cid):
        user.rest.put(user.me + "/channel_invitation_preference", {"auto_accept": False})
    # Friends are one-sided: bob counts ann among his, cid does not.
    server.admin.post(bob.me + "/friends", {"user_ids": ["ann"]})
    server.admin.post(ann.me + "/friends", {"user_ids": ["cid"]})
    channel = ann.channel(dan)
    ann.rest.post(channel.path + "/invite", {"user_ids": ["bob", "cid"]})

    def members(state: str) -> list[str]:
        return ids(server.admin.get(channel.path + "/members", member_state_filter=state)["members"])

    assert members("invited_by_friend") == ["bob"] and members("invited_by_non_friend") == ["cid"]
    assert members("invited_only") == ["bob", "cid"] and members("joined_only") == ["ann", "dan"]
    server.admin.refused(400111, "GET", channel.path + "/members?member_state_filter=invited_by_nobody")


def test_a_ban_is_changed_and_listed_with_its_user(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel, other = ann.channel(bob, operator_ids=["ann"]), ann.channel(bob)
    socket = bob.connect()
    bans = channel.path + "/ban"
    server.admin.refused(400201, "POST", bans, {"user_id": "bob", "agent_id": "nobody"})
    made = server.admin.post(bans, {"user_id": "bob", "agent_id": "ann", "seconds": 60, "description": "spam"})
    assert made["end_at"] - made["start_at"] == 60_000 and made["description"] == "spam"
    socket.wait("SYEV", lambda f: f["cat"] == 10601)
    changed = server.admin.put(bans + "/bob", {"seconds": 600, "description": "more spam"})
    assert changed["end_at"] > made["end_at"] and changed["start_at"] == made["start_at"]
    assert server.admin.put(bans + "/bob", {"description": "still"})["end_at"] == changed["end_at"]
    assert ann.rest.put(bans + "/bob", {"seconds": -1})["end_at"] == -1
    bob.rest.refused(900020, "PUT", bans + "/bob", {"seconds": 1})
    server.admin.refused(400201, "PUT", bans + "/ann", {"seconds": 1})
    listed = server.admin.get("/v3/users/bob/ban")
    assert [(b["channel"]["channel_url"], b["description"], b["end_at"]) for b in listed["banned_channels"]] == [
        (channel, "still", -1)]
    assert listed == server.admin.get("/v3/users/bob/banned_group_channels")
    server.admin.post(other.path + "/mute", {"user_id": "bob", "seconds": 60, "description": "loud"})
    muted = server.admin.get("/v3/users/bob/mute")["muted_channels"]
    assert [(m["channel"]["channel_url"], m["description"]) for m in muted] == [(other, "loud")]
    for topic, count in (("ban", "total_ban_count"), ("mute", "total_mute_count")):
        path = (channel if topic == "ban" else other).path + "/" + topic
        assert server.admin.get(path)[count] == 1
        assert count not in server.admin.get(path, **{"show_" + count: False})
    server.admin.delete(bans + "/bob")
    server.admin.refused(400201, "PUT", bans + "/bob", {"seconds": 1})


def test_unread_counts_of_all_members(server: Server) -> None:
    ann, bob, cid = (server.user(name) for name in ("ann", "bob", "cid"))
    channel = ann.channel(bob, cid)
    for _ in range(2):
        ann.rest.post(channel.path + "/messages", {"message": "x"})
    cid.rest.put(channel.path + "/messages/mark_as_read", {"user_id": "cid"})
    counts = channel.path + "/messages/unread_count"
    assert server.admin.get(counts)["unread"] == {"ann": 0, "bob": 2, "cid": 0}
    assert server.admin.get(counts, user_ids="bob,nobody")["unread"] == {"bob": 2}


def test_a_channel_becomes_super(server: Server) -> None:
    users = [server.user(f"u{number:02}") for number in range(12)]
    channel = users[0].channel(*users[1:], is_distinct=True)
    assert len(server.admin.get(channel.path)["members"]) == 12
    changed = server.admin.put(channel.path, {"is_super": True})
    assert (changed["is_super"], changed["is_distinct"], len(changed["members"])) == (True, False, 10)
    assert server.admin.put(channel.path, {"is_super": False})["is_super"] is False
    wide = users[0].channel(users[1], is_broadcast=True)
    assert server.admin.put(wide.path, {"is_super": False})["is_super"] is True


def test_parts_of_messages_that_are_left_out(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    poll = ann.rest.post("/v3/polls", {"title": "Lunch", "options": ["yes", "no"]})["id"]
    sent = server.admin.post(channel.path + "/messages", {
        "message_type": "MESG", "user_id": "ann", "message": "vote", "poll_id": poll, "include_poll_details": False,
        "sorted_metaarray": [{"key": "k", "value": ["v"]}]})
    short = {"id": poll, "title": "Lunch"}
    assert sent["poll"] == short
    one = f"{channel.path}/messages/{sent['message_id']}"
    page = {"message_ts": 2**62, "prev_limit": 5}
    assert ann.rest.get(one)["poll"]["voter_count"] == 0
    assert ann.rest.get(one, include_poll_details=False)["poll"] == short
    assert ann.rest.get(channel.path + "/messages", **page)["messages"][0]["poll"]["voter_count"] == 0
    assert ann.rest.get(channel.path + "/messages", include_poll_details=False, **page)["messages"][0]["poll"] == short
    mine = ann.me + "/my_group_channels"
    assert ann.rest.get(mine)["channels"][0]["last_message"]["sorted_metaarray"]
    without = ann.rest.get(mine, include_sorted_metaarray_in_last_message=False)
    assert "sorted_metaarray" not in without["channels"][0]["last_message"]


def test_a_bot_mentions_by_either_name(server: Server) -> None:
    ann = server.user("ann")
    server.admin.post("/v3/bots", {
        "bot_userid": "bot", "bot_nickname": "B", "bot_profile_url": "", "bot_callback_url": "",
        "is_privacy_mode": False})
    channel = ann.channel()
    server.admin.post("/v3/bots/bot/channels", {"channel_urls": [channel]})
    for key in ("mentioned", "mentioned_user_ids"):
        server.admin.post("/v3/bots/bot/send", {"channel_url": channel, "message": "hi", key: ["ann"]})
    assert ann.rest.get(channel.path)["unread_mention_count"] == 2
