"""Verbs and filters of the protocol that no story in the other files comes by."""

from __future__ import annotations

from typing import Any

from running import Server
from wire import Rest


def test_member_filters(server: Server) -> None:
    ann, bob, cho, dan = (server.user(n, n.title()) for n in ("ann", "bob", "cho", "dan"))
    server.admin.put(dan.me + "/channel_invitation_preference", {"auto_accept": False})
    channel = ann.channel(bob, cho, dan, operator_ids=["ann"])
    ann.rest.post(channel.path + "/mute", {"user_id": "bob"})

    def got(**query: Any) -> list[str]:
        return [m["user_id"] for m in ann.rest.get(channel.path + "/members", **query)["members"]]

    assert got() == ["ann", "bob", "cho", "dan"]
    assert got(operator_filter="nonoperator") == ["bob", "cho", "dan"] and got(operator_filter="all") == got()
    assert got(muted_member_filter="unmuted") == ["ann", "cho", "dan"]
    assert got(member_state_filter="invited_only") == ["dan"]
    assert got(member_state_filter="joined_only") == ["ann", "bob", "cho"]
    assert got(nickname_startswith="cH") == ["cho"] and got(nickname_startswith="x") == []
    assert got(operator_filter="nonoperator", muted_member_filter="muted", member_state_filter="joined_only") == ["bob"]
    for key in ("operator_filter", "muted_member_filter", "member_state_filter", "order"):
        ann.rest.refused(400111, "GET", f"{channel.path}/members?{key}=some")


def test_members_of_a_super_channel_are_asked_for_apart(server: Server) -> None:
    users = [server.user(f"u{number:02}") for number in range(15)]
    last = users[-1]
    channel = users[0].channel(*users[1:], is_super=True)
    document = last.rest.get(channel.path)
    assert document["is_super"] is True and document["member_count"] == 15 and len(document["members"]) == 10
    # What concerns the asking member is told, listed or not.
    assert document["member_state"] == "joined" and "u14" not in {m["user_id"] for m in document["members"]}
    listed = last.rest.get(last.me + "/my_group_channels")["channels"][0]
    assert len(listed["members"]) == 10
    members, token = [], ""
    while True:
        page = last.rest.get(channel.path + "/members", limit=4, token=token)
        members += [m["user_id"] for m in page["members"]]
        token = page["next"]
        if not token:
            break
    assert members == [user.id for user in users]
    usual = users[0].channel(*users[1:])
    assert len(last.rest.get(usual.path)["members"]) == 15


def test_login_and_token_over_rest(server: Server) -> None:
    ann = server.user("ann")
    plain = Rest(server.port, {"Access-Token": ann.token})
    document = plain.post(ann.me + "/login", {"expiring_session": False})
    assert document["user_id"] == "ann" and document["login_ts"] > 0 and document["reconnect"]["mul"] == 2
    assert Rest(server.port, {"Session-Key": document["key"]}).get(ann.me)["user_id"] == "ann"
    Rest(server.port, {"Access-Token": "other"}).refused(400302, "POST", ann.me + "/login", {})
    until = server.control("advance_clock", ms=0)["ts"] + 5000
    made = server.admin.post(ann.me + "/token", {"expires_at": until})
    key = Rest(server.port, {"Session-Key": made["token"]})
    assert made["expires_at"] == until and key.get(ann.me)["user_id"] == "ann"
    server.control("advance_clock", ms=6000)
    key.refused(400309, "GET", ann.me)
    ann.rest.refused(400108, "POST", ann.me + "/token", {})


def test_typing_and_delivery_over_rest(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a = ann.connect()
    channel = ann.channel(bob)
    bob.rest.post(channel.path + "/typing")
    assert a.system(10900)["data"]["user_id"] == "bob"
    server.admin.delete(channel.path + "/typing", {"user_ids": ["bob"]})
    assert a.system(10901)["data"]["user_id"] == "bob"
    sent = ann.rest.post(channel.path + "/messages", {"message": "m"})
    path = channel.path + "/messages/mark_as_delivered"
    bob.rest.put(path, {"user_id": "bob", "ts": sent["created_at"]})
    assert a.wait("DLVR")["updated"] == {"bob": sent["created_at"]}
    assert ann.rest.get(channel.path)["delivery_receipt"]["bob"] == sent["created_at"]
    bob.rest.refused(400108, "PUT", path, {"user_id": "ann", "ts": 1})


def test_read_marks_of_some_channels(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    one, two = ann.channel(bob), ann.channel(bob)
    for channel in (one, two):
        ann.rest.post(channel.path + "/messages", {"message": "m"})
    bob.rest.put(bob.me + "/mark_as_read_all", {"channel_urls": [one]})
    assert bob.rest.get(one.path)["unread_message_count"] == 0
    assert bob.rest.get(two.path)["unread_message_count"] == 1


def test_leaving_together_and_operators(server: Server) -> None:
    ann, bob, cho = (server.user(n) for n in ("ann", "bob", "cho"))
    channel = ann.channel(bob, cho, operator_ids=["ann", "bob"])
    ann.rest.delete(channel.path + "/operators", {"delete_all": True})
    assert bob.rest.get(channel.path + "/operators")["operators"] == []
    server.admin.refused(400105, "PUT", channel.path + "/leave", {})
    server.admin.put(channel.path + "/leave", {"user_ids": ["cho"]})
    cho.rest.refused(900020, "GET", channel.path)
    assert ann.rest.get(channel.path)["member_count"] == 2
    server.admin.put(channel.path + "/leave", {"should_leave_all": True})
    for user in (ann, bob):
        user.rest.refused(900020, "GET", channel.path)


def test_preferences_and_counts(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    path = f"{bob.me}/push_preference/{channel}"
    bob.rest.put(path, {"push_trigger_option": "mention_only"})
    assert bob.rest.get(path)["push_trigger_option"] == "mention_only"
    assert bob.rest.get(channel.path)["push_trigger_option"] == "mention_only"
    assert bob.rest.get(bob.me + "/group_channel_count", state="joined_only")["group_channel_count"] == 1
    assert bob.rest.get(bob.me + "/group_channel_count", state="invited_only")["group_channel_count"] == 0
    ann.rest.refused(400108, "GET", path)


def test_metadata_of_users(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    path = ann.me + "/metadata"
    ann.rest.post(path, {"metadata": {"a": "1"}})
    ann.rest.refused(400202, "POST", path, {"metadata": {"a": "2"}})
    assert bob.rest.get(ann.me)["metadata"] == {"a": "1"}
    bob.rest.refused(400108, "PUT", path, {"metadata": {"a": "2"}})
    ann.rest.delete(path + "/a")
    assert ann.rest.get(ann.me)["metadata"] == {}
