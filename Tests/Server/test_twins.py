"""Texts that look alike and differ in their bytes: they name two things, in every request."""

from __future__ import annotations

from typing import Any

import pytest
from running import Server, User
from wire import quote

#: An é of one scalar, and of a letter with an accent behind it; the sign of ohm, and the letter.
PAIRS = [("\u00e9", "e\u0301"), ("\u03a9", "\u2126")]


@pytest.fixture(params=PAIRS, ids=["accent", "ohm"])
def twins(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param


def ids(users: list[Any]) -> list[str]:
    return sorted(user["user_id"] for user in users)


def path(url: str) -> str:
    return "/v3/group_channels/" + quote(url)


def channel(server: Server, twins: tuple[str, str], **fields: Any) -> tuple[User, str]:
    """A user, and the path of a channel with both twins besides."""
    ann = server.user("ann")
    for twin in twins:
        server.user(twin, "n" + twin)
    server.admin.post("/v3/group_channels", {"channel_url": "c", "user_ids": ["ann", *twins], **fields})
    return ann, path("c")


def test_members_and_operators(server: Server, twins: tuple[str, str]) -> None:
    one, other = twins
    ann, c = channel(server, twins, operator_ids=[one])
    both = sorted(["ann", *twins])
    assert ids(server.admin.get(c, show_member=True)["members"]) == both
    assert ids(server.admin.get(c + "/operators")["operators"]) == [one]
    server.admin.post(c + "/operators", {"operator_ids": [other]})
    assert ids(server.admin.get(c + "/operators")["operators"]) == sorted(twins)
    server.admin.ok("DELETE", c + "/operators?operator_ids=" + quote(one))
    assert ids(server.admin.get(c + "/operators")["operators"]) == [other]
    server.admin.post(c + "/mute", {"user_id": other})
    assert ids(server.admin.get(c + "/mute")["muted_list"]) == [other]
    assert ids(server.admin.get("/v3/users", user_ids=one)["users"]) == [one]
    assert ids(server.admin.get("/v3/users", nickname="n" + other)["users"]) == [other]
    server.admin.put(c + "/leave", {"user_ids": [one]})
    assert ids(server.admin.get(c, show_member=True)["members"]) == sorted(["ann", other])
    server.admin.post(c + "/invite", {"user_ids": [one]})
    assert ids(server.admin.get(c, show_member=True)["members"]) == both
    ann.rest.post(ann.me + "/block", {"target_id": one})
    assert ids(ann.rest.get(ann.me + "/block")["users"]) == [one]


def test_members_by_nickname(server: Server, twins: tuple[str, str]) -> None:
    ann, c = channel(server, twins)
    third = "n" + twins[0] + "z"
    server.admin.put("/v3/users/ann", {"nickname": third})
    found = [member["nickname"] for member in server.admin.get(c + "/members")["members"]]
    # The order is that of the bytes of what is left when case is no matter.
    assert found == sorted(found, key=lambda name: (name.lower().encode(), name.encode()))
    listed = server.admin.get(c + "/members", nickname_startswith="n" + twins[0])["members"]
    same = [name for name in ("n" + twins[0], third, "n" + twins[1]) if name.lower().startswith(third[:-1].lower())]
    assert sorted(member["nickname"] for member in listed) == sorted(same)


def test_nobody_acts_for_its_twin(server: Server, twins: tuple[str, str]) -> None:
    one, other = (server.user(twin) for twin in twins)
    one.rest.refused(400108, "GET", other.me + "/my_group_channels?limit=5")
    server.admin.post("/v3/group_channels", {"channel_url": "c", "user_ids": [one.id, other.id]})
    sent = one.rest.post(path("c") + "/messages", {"message_type": "MESG", "user_id": one.id, "message": "x"})
    answer = other.rest.call("DELETE", f"{path('c')}/messages/{sent['message_id']}")
    assert answer.status >= 400, answer.body


def test_sockets(server: Server, twins: tuple[str, str]) -> None:
    one, other = (server.user(twin) for twin in twins)
    server.admin.post("/v3/group_channels", {"channel_url": "c", "user_ids": [one.id, other.id]})
    sockets = one.connect(), other.connect()
    server.admin.post(path("c") + "/messages", {"message_type": "MESG", "user_id": one.id, "message": "x"})
    for socket in sockets:
        socket.wait("MESG")
        assert socket.count("MESG") == 1
    assert server.admin.get(other.me)["is_online"] is True
    sockets[1].close()
    assert sockets[0].count("MESG") == 1
    assert server.admin.get(one.me)["is_online"] is True


def test_reactions(server: Server, twins: tuple[str, str]) -> None:
    _, c = channel(server, twins)
    sent = server.admin.post(c + "/messages", {"message_type": "MESG", "user_id": "ann", "message": "x"})
    at = f"{c}/messages/{sent['message_id']}"

    def reactions() -> list[tuple[str, list[str]]]:
        got = server.admin.get(at, include_reactions=True).get("reactions", [])
        return sorted((entry["key"], sorted(entry["user_ids"])) for entry in got)

    for key in twins:
        server.admin.post(at + "/reactions", {"user_id": "ann", "reaction": key})
    assert reactions() == sorted((key, ["ann"]) for key in twins)
    server.admin.ok("DELETE", f"{at}/reactions?user_id=ann&reaction={quote(twins[0])}")
    assert reactions() == [(twins[1], ["ann"])]
    for user in twins:
        server.admin.post(at + "/reactions", {"user_id": user, "reaction": "k"})
    assert ("k", sorted(twins)) in reactions()


@pytest.mark.parametrize(("kind", "values"), [("metadata", ("1", "2")), ("metacounter", (1, 2))])
def test_keys_of_a_channel(server: Server, twins: tuple[str, str], kind: str, values: tuple[Any, Any]) -> None:
    one, other = twins
    _, c = channel(server, twins)
    server.admin.post(f"{c}/{kind}", {kind: dict(zip(twins, values))})
    assert server.admin.get(f"{c}/{kind}") == dict(zip(twins, values))
    server.admin.put(f"{c}/{kind}/{quote(one)}", {"value": values[1]})
    assert server.admin.get(f"{c}/{kind}") == {one: values[1], other: values[1]}
    assert server.admin.get(f"{c}/{kind}", keys=other) == {other: values[1]}
    server.admin.delete(f"{c}/{kind}/{quote(one)}")
    assert server.admin.get(f"{c}/{kind}") == {other: values[1]}
    server.admin.post(f"{c}/{kind}", {kind: {one: values[0]}})
    assert server.admin.get(f"{c}/{kind}") == {one: values[0], other: values[1]}


def test_metadata_of_a_user(server: Server, twins: tuple[str, str]) -> None:
    one, other = twins
    ann = server.user("ann")
    ann.rest.post(ann.me + "/metadata", {"metadata": {one: "1", other: "2"}})
    assert ann.rest.get(ann.me + "/metadata", keys=one)["metadata"] == {one: "1"}
    ann.rest.delete(f"{ann.me}/metadata/{quote(one)}")
    assert ann.rest.get(ann.me + "/metadata")["metadata"] == {other: "2"}
    found = server.admin.get("/v3/users", metadatakey=other, metadatavalues_in="2")["users"]
    assert ids(found) == ["ann"]
    assert server.admin.get("/v3/users", metadatakey=one)["users"] == []


def test_filters_of_messages(server: Server, twins: tuple[str, str]) -> None:
    _, c = channel(server, twins)
    for twin in twins:
        server.admin.post(
            c + "/messages",
            {"message_type": "MESG", "user_id": twin, "message": "from " + twin, "custom_type": "t" + twin},
        )
    page = {"message_ts": 2**53, "prev_limit": 20, "next_limit": 0}
    for twin in twins:
        for query in ({"sender_ids": twin}, {"custom_types": "t" + twin}):
            found = server.admin.get(c + "/messages", **page, **query)["messages"]
            assert [message["message"] for message in found] == ["from " + twin], query
    asked = server.admin.ok("GET", f"{c}/messages?message_ts={2**53}&sender_ids=" + ",".join(map(quote, twins)))
    assert [message["message"] for message in asked["messages"]] == ["from " + twin for twin in twins]


def test_filters_of_channels(server: Server) -> None:
    # Of the accent alone: a search takes the sign of ohm and the letter for the same, as it does large and small ones.
    twins = PAIRS[0]
    ann = server.user("ann")
    for twin in twins:
        server.user(twin, "n" + twin)
        url = "c" + twin
        server.admin.post(
            "/v3/group_channels",
            {"channel_url": url, "name": "N" + twin, "custom_type": "t" + twin, "user_ids": ["ann", twin]},
        )
        server.admin.post(path(url) + "/metadata", {"metadata": {"key": "v" + twin, "k" + twin: "x"}})
        server.admin.post(path(url) + "/metacounter", {"metacounter": {"k" + twin: 1}})
    for twin in twins:
        for query in (
            {"custom_types": "t" + twin},
            {"custom_type_startswith": "t" + twin},
            {"channel_urls": "c" + twin},
            {"name": "N" + twin},
            {"name_contains": "n" + twin},
            {"name_startswith": "n" + twin},
            {"members_nickname": "n" + twin},
            {"members_nickname_contains": twin},
            {"members_nickname_startswith": "n" + twin},
            {"members_include_in": twin},
            {"members_exactly_in": ["ann", twin]},
            {"search_query": twin, "search_fields": "member_nickname"},
            {"metadata_key": "key", "metadata_values": "v" + twin},
            {"metadata_key": "key", "metadata_value_startswith": "v" + twin},
            {"metadata_key": "k" + twin, "metadata_values": "x"},
            {"metacounter_key": "k" + twin, "metacounter_value_gte": 1},
        ):
            got = ann.rest.get(ann.me + "/my_group_channels", show_empty=True, limit=50, **query)["channels"]
            assert [found["channel_url"] for found in got] == ["c" + twin], query
    # A text begins with every part of its bytes, also one that ends before an accent.
    bare = ann.rest.get(ann.me + "/my_group_channels", show_empty=True, limit=50, custom_type_startswith="te")
    assert [found["channel_url"] for found in bare["channels"]] == ["c" + twins[1]]


def test_distinct_channels(server: Server, twins: tuple[str, str]) -> None:
    for user in ("ann", *twins):
        server.user(user)
    made = [
        server.admin.post("/v3/group_channels", {"user_ids": ["ann", twin], "is_distinct": True}) for twin in twins
    ]
    assert made[0]["channel_url"] != made[1]["channel_url"]


def test_order_by_name(server: Server) -> None:
    ann = server.user("ann")
    names = ["a", "\u03a9", "\u2126", "\u1100\u1161", "\u200b", "\u212b", "\u00c5", "\u03a91", "\u21261", "A\u030a"]
    for name in names:
        server.admin.post("/v3/group_channels", {"channel_url": "c" + name, "name": name, "user_ids": ["ann"]})
    expected = sorted(names, key=str.encode)
    for limit in (100, 3):
        found: list[str] = []
        token = ""
        while True:
            got = ann.rest.get(
                ann.me + "/my_group_channels",
                limit=limit,
                order="channel_name_alphabetical",
                show_empty=True,
                token=token,
            )
            found += [one["name"] for one in got["channels"]]
            token = got["next"]
            if not token:
                break
        assert found == expected
