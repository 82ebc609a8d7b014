"""Friends: added by id, or discovered by keys; and what a list of channels makes of them."""

from __future__ import annotations

from typing import Any

from running import Server, User


def names(user: User, **query: Any) -> list[str]:
    return [found["user_id"] for found in user.rest.get(user.me + "/friends", **query)["users"]]


def test_friends_come_and_go(server: Server) -> None:
    ann, bob, cho = (server.user(name) for name in ("ann", "bob", "cho"))
    path = ann.me + "/friends"
    added = ann.rest.post(path, {"user_ids": ["cho", "bob"]})["users"]
    assert {user["user_id"] for user in added} == {"bob", "cho"}
    ann.rest.post(path, {"user_ids": ["bob"]})
    assert names(ann) == ["bob", "cho"] and names(bob) == []
    first = ann.rest.get(path, limit=1)
    assert first["users"][0]["user_id"] == "bob" and first["users"][0]["friend_name"] is None
    assert names(ann, limit=1, token=first["next"]) == ["cho"]
    ann.rest.refused(400201, "POST", path, {"user_ids": ["bob", "nobody"]})
    ann.rest.refused(400111, "POST", path, {"user_ids": ["ann"]})
    ann.rest.refused(400105, "POST", path, {})
    bob.rest.refused(400108, "GET", path)
    ann.rest.delete(path, {"user_ids": ["bob", "nobody"]})
    assert names(ann) == ["cho"]
    ann.rest.delete(path + "/cho")
    assert names(ann) == []
    # Who is deleted is nobody's friend.
    ann.rest.post(path, {"user_ids": ["cho"]})
    server.admin.delete(cho.me)
    server.user("cho")
    assert names(ann) == []


def test_friends_are_discovered(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    book = [{"friend_discovery_key": f"key-{n}", "friend_name": f"Friend {n}"} for n in range(3)]
    bob.rest.put(bob.me, {"discovery_keys": ["key-0", "other"]})
    ann.rest.post(ann.me + "/friend_discoveries", {"friend_discoveries": book})
    event = a.wait("USEV", lambda e: e["cat"] == 20900)["data"]["friend_discoveries"]
    assert [(u["user_id"], u["friend_discovery_key"], u["friend_name"]) for u in event] == [
        ("bob", "key-0", "Friend 0")
    ]
    # Who gets a key later is found then, once.
    server.admin.post("/v3/users", {"user_id": "cho", "nickname": "Cho", "discovery_keys": ["key-1", "key-2"]})
    event = a.wait("USEV", lambda e: e["cat"] == 20900)["data"]["friend_discoveries"]
    assert [(u["user_id"], u["nickname"], u["friend_name"]) for u in event] == [("cho", "Cho", "Friend 1")]
    hidden = {"user_id": "eve", "nickname": "", "discovery_keys": ["key-1"], "is_hide_me_from_friends": True}
    server.admin.post("/v3/users", hidden)
    assert a.count("USEV") == 2 and b.count("USEV") == 0
    found = ann.rest.get(ann.me + "/friends")["users"]
    assert [(u["user_id"], u["friend_name"]) for u in found] == [("bob", "Friend 0"), ("cho", "Friend 1")]
    ann.rest.delete(ann.me + "/friend_discoveries", {"friend_discovery_keys": ["key-0"]})
    ann.rest.delete(ann.me + "/friends", {"user_ids": ["bob"]})
    bob.rest.put(bob.me, {"discovery_keys": ["key-0"]})
    assert names(ann) == ["cho"] and a.count("USEV") == 2
    for wrong, code in (({}, 400105), ({"friend_discoveries": [1]}, 400103), ({"friend_discoveries": [{}]}, 400105)):
        ann.rest.refused(code, "POST", ann.me + "/friend_discoveries", wrong)


def test_invitations_of_friends(server: Server) -> None:
    ann, bob, cho = (server.user(name) for name in ("ann", "bob", "cho"))
    ann.rest.put(ann.me + "/channel_invitation_preference", {"auto_accept": False})
    ann.rest.post(ann.me + "/friends", {"user_ids": ["bob"]})
    by = {user.id: user.channel(ann, name=user.id) for user in (bob, cho)}
    own = ann.channel(bob)

    def urls(state: str) -> set[str]:
        found = ann.rest.get(ann.me + "/my_group_channels", member_state_filter=state)["channels"]
        count = ann.rest.get(ann.me + "/group_channel_count", state=state)["group_channel_count"]
        assert count == len(found)
        return {channel["channel_url"] for channel in found}

    assert urls("invited_by_friend") == {by["bob"]}
    assert urls("invited_by_non_friend") == {by["cho"]}
    assert urls("invited_only") == {by["bob"], by["cho"]} and urls("joined_only") == {own}
    ann.rest.delete(ann.me + "/friends/bob")
    assert urls("invited_by_friend") == set()
