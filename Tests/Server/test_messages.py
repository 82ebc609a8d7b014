"""Messages: sending, paging, editing, deleting, reactions, threads, changelogs, gaps."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from running import Channel, Server, User
from wire import Rest, Socket, quote

FLAGS = dict(
    with_sorted_meta_array=True,
    include_reactions=True,
    include_thread_info=True,
    include_parent_message_info=True,
    include_reply_type="all",
)


def ids(messages: list[Any]) -> list[int]:
    return [m["message_id"] for m in messages]


def page(user: User, channel: Channel, **query: Any) -> Any:
    return user.rest.get(channel.path + "/messages", **{**FLAGS, **query})


def flood(server: Server, channel: Channel, user: User, count: int) -> list[int]:
    return server.control("post_messages", channel_url=channel, user_id=user.id, count=count)["message_ids"]


def test_order_and_every_page_around_a_time(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    for _ in range(4):
        flood(server, channel, ann, 25)  # many of one millisecond
        server.control("advance_clock", ms=5)
    truth = Rest(server.port, {}).get("/control/channel_messages", channel_url=channel)
    order = list(zip(truth["created_at"], truth["message_ids"]))
    assert order == sorted(order) and len(set(truth["created_at"])) < 100
    for pivot in (order[0][0], order[30][0], order[60][0] + 1, order[-1][0], 0, 2**63 - 1):
        older = [i for t, i in order if t < pivot]
        exact = [i for t, i in order if t == pivot]
        newer = [i for t, i in order if t > pivot]
        for prev, following, include, reverse in itertools.product(
            (0, 1, 7, 200), (0, 1, 7, 200), (True, False), (True, False)
        ):
            got = page(
                ann,
                channel,
                message_ts=pivot,
                prev_limit=prev,
                next_limit=following,
                include=include,
                reverse=reverse,
                checking_has_next=True,
                checking_continuous_messages=True,
            )
            want = (older[-prev:] if prev else []) + (exact if include else []) + newer[:following]
            assert ids(got["messages"]) == (want[::-1] if reverse else want)
            assert got["has_next"] is (len(newer) > following)
            assert got["is_continuous_messages"] is True


def test_page_around_a_message(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    all_ids = flood(server, channel, ann, 20)
    got = page(ann, channel, message_id=all_ids[10], prev_limit=3, next_limit=2, include=True)
    assert ids(got["messages"]) == all_ids[7:13]
    assert "has_next" not in got and "is_continuous_messages" not in got
    ann.rest.refused(900300, "GET", channel.path + "/messages?message_id=999999&prev_limit=1")
    ann.rest.refused(400105, "GET", channel.path + "/messages?prev_limit=1")


def test_filters(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    path = channel.path + "/messages"
    a = ann.rest.post(path, {"message": "a", "custom_type": "x"})
    b = bob.rest.post(path, {"message": "b", "custom_type": "a,b"})
    f = bob.rest.post(
        path,
        {"message_type": "FILE", "url": "https://f/1", "file_name": "n.png", "file_type": "image/png", "file_size": 7},
    )
    adm = server.admin.post(path, {"message_type": "ADMM", "message": "notice"})
    c = ann.rest.post(path, {"message": "c"})
    assert (
        f["type"] == "FILE" and f["file"]["type"] == "image/png" and f["file"]["name"] == "n.png" and "user" not in adm
    )

    def got(text: str) -> list[int]:
        answer = ann.rest.ok("GET", f"{path}?message_ts=9000000000000000&prev_limit=50&include=true{text}")
        return ids(answer["messages"])

    every = ids([a, b, f, adm, c])
    assert got("") == every
    assert got("&message_type=MESG") == ids([a, b, c])
    assert got("&message_type=FILE") == ids([f])
    assert got("&message_type=ADMM") == got("&message_type=ADMN") == ids([adm])
    assert got("&custom_types=x") == ids([a])
    assert got("&custom_types=x&custom_types=a%2Cb") == ids([a, b])
    assert got("&custom_types=x,a%2Cb") == ids([a, b])
    assert got("&custom_types=") == ids([f, adm, c])
    assert got("&sender_ids=bob") == got("&sender_user_id=bob") == ids([b, f])
    assert got("&sender_ids=ann,bob") == got("&sender_ids=ann&sender_ids=bob") == ids([a, b, f, c])
    part = ann.rest.get(path, message_ts=2**62, prev_limit=50, sender_ids="ann", checking_continuous_messages=True)
    assert part["is_continuous_messages"] is False
    one = ann.rest.get(path, message_ts=2**62, prev_limit=1, sender_ids="ann", checking_continuous_messages=True)
    assert ids(one["messages"]) == [c["message_id"]] and one["is_continuous_messages"] is True
    ann.rest.refused(400111, "GET", path + "?message_ts=1&message_type=NONE")


def test_same_request_id_is_one_message(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    channel = ann.channel(bob)
    other = ann.channel(bob, name="other")
    for _ in range(3):
        a.send("MESG", channel_url=channel, message="once", req_id="r")
    acks = [a.wait("MESG") for _ in range(3)]
    assert len({x["msg_id"] for x in acks}) == 1 and {x["req_id"] for x in acks} == {"r"}
    rest = ann.rest.post(channel.path + "/messages", {"message": "once", "req_id": "r"})
    assert rest["message_id"] == acks[0]["msg_id"]
    assert b.count("MESG") == 1
    # Another channel, another user: other messages.
    assert (
        ann.rest.post(other.path + "/messages", {"message": "once", "req_id": "r"})["message_id"] != rest["message_id"]
    )
    assert (
        bob.rest.post(channel.path + "/messages", {"message": "once", "req_id": "r"})["message_id"]
        != rest["message_id"]
    )
    # Deleted is deleted, a late retry does not bring it back.
    ann.rest.delete(f"{channel.path}/messages/{rest['message_id']}")
    a.send("MESG", channel_url=channel, message="once", req_id="r")
    assert a.wait("EROR")["code"] == 900300


def test_lost_acknowledgement_is_answered_by_the_retry(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    channel = ann.channel(bob)
    server.control("lose_next_ack", count=1)
    a.send("MESG", channel_url=channel, message="m", req_id="q1")
    got = b.wait("MESG")
    assert a.count("MESG") == 0
    a.send("MESG", channel_url=channel, message="m", req_id="q1")
    assert a.wait("MESG")["msg_id"] == got["msg_id"]
    assert b.count("MESG") == 1


@pytest.mark.parametrize("request_id", ["abc", 17, "", None, 0, 'ü"\\'])
def test_request_id_is_echoed_as_sent(server: Server, request_id: Any) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    second = ann.connect()
    channel = ann.channel(bob)
    a.send("MESG", channel_url=channel, message="m", req_id=request_id)
    ack = a.wait("MESG")
    assert ack["req_id"] == request_id and type(ack["req_id"]) is type(request_id)
    for other in (b, second):
        assert "req_id" not in other.wait("MESG")
    a.send("MESG", channel_url="nowhere", message="m", req_id=request_id)
    error = a.wait("EROR")
    assert error["req_id"] == request_id and error["code"] == 900500 and error["error"] is True


def test_older_client_counts_from_one_again(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    a = ann.connect()
    a.send("MESG", channel_url=channel, message="first run", req_id=1)
    first = a.wait("MESG")
    a.close()
    a = ann.connect()
    a.send("MESG", channel_url=channel, message="second run", req_id=1)
    assert a.wait("MESG")["msg_id"] != first["msg_id"]


def test_edit(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    channel = ann.channel(bob)
    sent = ann.rest.post(
        channel.path + "/messages", {"message": "one", "metaarray": [{"key": "k", "value": ["1"]}], "data": "d"}
    )
    path = f"{channel.path}/messages/{sent['message_id']}"
    edited = ann.rest.put(path, {"message": "two", "message_type": "MESG", "user_id": "ann"})
    assert edited["message"] == "two" and edited["updated_at"] >= sent["created_at"] and edited["data"] == "d"
    assert edited["created_at"] == sent["created_at"]
    for s in (a, b):
        frame = s.wait("MEDI")
        assert (
            frame["message"] == "two" and frame["metaarray"] == {"k": ["1"]} and frame["metaarray_key_order"] == ["k"]
        )
        assert frame["old_values"]["mention_type"] == "users" and frame["custom"] == "d"
    a.send("MEDI", channel_url=channel, msg_id=sent["message_id"], message="three", req_id="e")
    assert a.wait("MEDI")["req_id"] == "e"
    assert "req_id" not in b.wait("MEDI")
    a.send(
        "MEDI",
        channel_url=channel,
        msg_id=sent["message_id"],
        req_id="m",
        metaarray={
            "array": [{"key": "k", "value": ["2"]}, {"key": "n", "value": ["x"]}],
            "mode": "add",
            "upsert": True,
        },
    )
    assert a.wait("MEDI")["metaarray"] == {"k": ["1", "2"], "n": ["x"]}
    a.send(
        "MEDI",
        channel_url=channel,
        msg_id=sent["message_id"],
        req_id="m2",
        metaarray={"array": [{"key": "k", "value": ["1"]}], "mode": "remove"},
    )
    assert a.wait("MEDI")["metaarray"] == {"k": ["2"], "n": ["x"]}
    bob.rest.refused(900022, "PUT", path, {"message": "mine now"})
    ann.rest.refused(900300, "PUT", f"{channel.path}/messages/987654", {"message": "x"})
    got = bob.rest.get(path, with_sorted_meta_array=True)
    assert got["message"] == "three" and got["sorted_metaarray"] == [
        {"key": "k", "value": ["2"]},
        {"key": "n", "value": ["x"]},
    ]


def test_meta_arrays_of_their_own(server: Server) -> None:
    ann = server.user("ann")
    channel = ann.channel()
    sent = ann.rest.post(channel.path + "/messages", {"message": "m"})
    path = f"{channel.path}/messages/{sent['message_id']}/sorted_metaarray"
    ann.rest.post(path, {"sorted_metaarray": [{"key": "b", "value": ["1", "2"]}, {"key": "a", "value": ["x"]}]})
    ann.rest.put(path, {"sorted_metaarray": [{"key": "b", "value": ["3"]}]})
    left = ann.rest.delete(path, {"keys": ["a"]})
    assert left["sorted_metaarray"] == [{"key": "b", "value": ["1", "2", "3"]}]
    got = page(ann, channel, message_ts=2**62, prev_limit=1, with_sorted_meta_array=True)["messages"][0]
    assert got["sorted_metaarray"] == left["sorted_metaarray"]


def test_total_count_is_what_a_member_may_see(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    parent = ann.rest.post(channel.path + "/messages", {"message": "1"})
    ann.rest.post(channel.path + "/messages", {"message": "2", "parent_message_id": parent["message_id"]})
    assert bob.rest.get(channel.path + "/messages/total_count") == {"total": 2}
    bob.rest.put(channel.path + "/reset_user_history", {"user_id": "bob"})
    ann.rest.post(channel.path + "/messages", {"message": "3"})
    assert bob.rest.get(channel.path + "/messages/total_count") == {"total": 1}
    assert ann.rest.get(channel.path + "/messages/total_count") == {"total": 3}


def test_delete(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    b = bob.connect()
    channel = ann.channel(bob)
    first = ann.rest.post(channel.path + "/messages", {"message": "one"})
    second = ann.rest.post(channel.path + "/messages", {"message": "two"})
    bob.rest.refused(900022, "DELETE", f"{channel.path}/messages/{second['message_id']}")
    ann.rest.delete(f"{channel.path}/messages/{second['message_id']}")
    frame = b.wait("DELM")
    assert frame["msg_id"] == second["message_id"] and frame["channel_url"] == channel and frame["ts"]
    document = bob.rest.get(channel.path)
    assert document["last_message"]["message_id"] == first["message_id"] and document["unread_message_count"] == 1
    ann.rest.refused(900300, "DELETE", f"{channel.path}/messages/{second['message_id']}")


def test_reactions(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    b = bob.connect()
    channel = ann.channel(bob)
    sent = ann.rest.post(channel.path + "/messages", {"message": "m"})
    path = f"{channel.path}/messages/{sent['message_id']}"
    answer = bob.rest.post(path + "/reactions", {"reaction": "❤ / +", "user_id": "bob"})
    assert answer["operation"] == "ADD" and answer["msg_id"] == sent["message_id"]
    ann.rest.post(path + "/reactions", {"reaction": "❤ / +"})
    frame = b.wait("MRCT", lambda f: f["user_id"] == "ann")
    assert frame["reaction"] == "❤ / +" and frame["updated_at"]
    got = page(ann, channel, message_ts=2**62, prev_limit=1)["messages"][0]
    assert got["reactions"] == [
        {"key": "❤ / +", "user_ids": ["bob", "ann"], "updated_at": got["reactions"][0]["updated_at"]}
    ]
    assert "reactions" not in ann.rest.get(path)
    assert bob.rest.get(path + "/reactions") == {"❤ / +": ["bob", "ann"]}
    assert bob.rest.get(path + "/reactions", list_users=False) == {"❤ / +": 2}
    server.user("eve").rest.refused(900020, "GET", path + "/reactions")
    ann.rest.delete(path + "/reactions?reaction=" + quote("❤ / +"))
    bob.rest.delete(path + "/reactions", {"reaction": "❤ / +"})
    assert b.wait("MRCT", lambda f: f["operation"] == "DELETE" and f["user_id"] == "bob")
    assert "reactions" not in page(ann, channel, message_ts=2**62, prev_limit=1)["messages"][0]


def test_threads(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    b = bob.connect()
    channel = ann.channel(bob)
    parent = ann.rest.post(channel.path + "/messages", {"message": "parent"})
    reply = bob.rest.post(channel.path + "/messages", {"message": "reply", "parent_message_id": parent["message_id"]})
    shown = ann.rest.post(
        channel.path + "/messages",
        {"message": "shown", "parent_message_id": parent["message_id"], "reply_to_channel": True},
    )
    assert (
        reply["parent_message_info"]["message"] == "parent"
        and reply["parent_message_info"]["ts"] == parent["created_at"]
    )
    frame = b.wait("MTHD", lambda f: f["thread_info"]["reply_count"] == 2)
    assert frame["parent_message_id"] == parent["message_id"]
    assert [u["user_id"] for u in frame["thread_info"]["most_replies"]] == ["bob", "ann"]
    last = 2**62
    assert ids(page(ann, channel, message_ts=last, prev_limit=9, include_reply_type="none")["messages"]) == ids(
        [parent]
    )
    assert ids(
        page(ann, channel, message_ts=last, prev_limit=9, include_reply_type="only_reply_to_channel")["messages"]
    ) == ids([parent, shown])
    assert ids(page(ann, channel, message_ts=last, prev_limit=9)["messages"]) == ids([parent, reply, shown])
    thread = page(ann, channel, message_ts=0, next_limit=9, parent_message_id=parent["message_id"])
    assert ids(thread["messages"]) == ids([reply, shown])
    ann.rest.refused(
        400111, "POST", channel.path + "/messages", {"message": "x", "parent_message_id": reply["message_id"]}
    )
    ann.rest.put(f"{channel.path}/messages/{parent['message_id']}", {"message": "changed"})
    got = page(ann, channel, message_ts=last, prev_limit=9)["messages"]
    assert got[1]["parent_message_info"]["message"] == "changed" and got[0]["thread_info"]["reply_count"] == 2
    ann.rest.delete(f"{channel.path}/messages/{parent['message_id']}")
    got = page(ann, channel, message_ts=last, prev_limit=9)["messages"]
    assert [m["parent_message_info"]["type"] for m in got] == ["DELE", "DELE"]


def test_changelog_tells_each_change_once_and_loses_none(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    all_ids = flood(server, channel, ann, 120)
    path = channel.path + "/messages/changelogs"
    start = bob.rest.get(path, change_ts=0, **FLAGS)
    assert start["updated"] == [] and start["deleted"] == [] and start["has_more"] is False and start["next"]
    for number in all_ids[:50]:
        ann.rest.put(f"{channel.path}/messages/{number}", {"message": f"edited {number}"})
        ann.rest.put(f"{channel.path}/messages/{number}", {"message": f"edited twice {number}"})
    for number in all_ids[50:80]:
        ann.rest.delete(f"{channel.path}/messages/{number}")
    bob.rest.post(f"{channel.path}/messages/{all_ids[100]}/reactions", {"reaction": "x"})
    token, updated, deleted, rounds = start["next"], [], [], 0
    while True:
        got = bob.rest.get(path, token=token, limit=7, **FLAGS)
        updated += got["updated"]
        deleted += got["deleted"]
        token, rounds = got["next"], rounds + 1
        if not got["has_more"]:
            break
    assert rounds == 12
    assert sorted(ids(updated)) == sorted(all_ids[:50] + [all_ids[100]]) and len(updated) == 51
    assert all(m["message"].startswith("edited twice") for m in updated if m["message_id"] in all_ids[:50])
    assert sorted(d["message_id"] for d in deleted) == all_ids[50:80] and all(d["deleted_at"] for d in deleted)
    assert bob.rest.get(path, token=token)["updated"] == []
    bob.rest.refused(400111, "GET", path + "?token=rubbish")
    bob.rest.refused(400109, "GET", path + "?token=c99999999")
    bob.rest.refused(400105, "GET", path)
    moment = updated[-1]["updated_at"]
    assert all_ids[49] in ids(bob.rest.get(path, change_ts=moment - 1000, limit=200)["updated"])


def test_gap(start: Any) -> None:
    server = start("--huge-gap", "50")
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    path = channel.path + "/messages_gap"

    def at(message_id: int) -> int:
        return ann.rest.get(f"{channel.path}/messages/{message_id}")["created_at"]

    old = flood(server, channel, ann, 10)
    server.control("advance_clock", ms=1000)
    held = flood(server, channel, ann, 10)
    server.control("advance_clock", ms=1000)
    missed = flood(server, channel, ann, 40)
    query = dict(
        prev_start_ts=at(old[0]),
        prev_end_ts=at(old[-1]),
        prev_cache_count=10,
        next_start_ts=at(held[0]),
        next_end_ts=2**63 - 1,
        next_cache_count=10,
        checking_continuous_messages=True,
        **FLAGS,
    )
    got = bob.rest.get(path, **query)
    assert got["is_huge_gap"] is False
    assert ids(got["prev_messages"]) == old and ids(got["next_messages"]) == held + missed
    for key in ("prev_hasmore", "next_hasmore", "prev_has_more", "next_has_more"):
        assert got[key] is False
    assert got["is_continuous_prev_messages"] is True and got["is_continuous_next_messages"] is True
    assert ids(bob.rest.get(path, **query, reverse=True)["next_messages"]) == (held + missed)[::-1]
    flood(server, channel, ann, 11)
    got = bob.rest.get(path, **query)
    assert (
        got["is_huge_gap"] is True
        and got["prev_messages"] == []
        and got["next_messages"] == []
        and got["next_hasmore"] is True
    )
    # What is held does not count as missing, however much it is.
    query["next_cache_count"] = 40
    got = bob.rest.get(path, **query)
    assert got["is_huge_gap"] is False and len(got["next_messages"]) == 61


def test_rules_of_sending(server: Server) -> None:
    ann, bob, eve = server.user("ann"), server.user("bob"), server.user("eve")
    a, b = ann.connect(), bob.connect()
    channel = ann.channel(bob, operator_ids=["ann"])
    path = channel.path + "/messages"

    def refused(user: User, socket: Socket | None, code: int) -> None:
        user.rest.refused(code, "POST", path, {"message": "x"})
        if socket:
            socket.send("MESG", channel_url=channel, message="x", req_id="z")
            assert socket.wait("EROR")["code"] == code

    refused(eve, None, 900020)
    server.admin.put(channel.path + "/freeze", {"freeze": True})
    refused(bob, b, 900050)
    ann.rest.post(path, {"message": "operators may"})
    server.admin.put(channel.path + "/freeze", {"freeze": False})
    ann.rest.post(channel.path + "/mute", {"user_id": "bob", "seconds": 60, "description": "loud"})
    refused(bob, b, 900041)
    server.control("advance_clock", ms=61_000)
    bob.rest.post(path, {"message": "time heals"})
    ann.rest.post(channel.path + "/ban", {"user_id": "bob", "seconds": -1})
    refused(bob, b, 900100)
    bob.rest.refused(900100, "GET", path + "?message_ts=1")
    ann.rest.refused(400108, "POST", path, {"message": "as another", "user_id": "eve"})
    ann.rest.refused(400100, "POST", path, {"message": ["no", "text"]})
    ann.rest.refused(400403, "POST", path, b"{not json")
    a.text("MESG{broken\n")
    assert a.wait("EROR")["code"] == 400403
    a.send("XXXX", req_id="u")
    assert a.wait("EROR")["req_id"] == "u"


def test_several_commands_in_one_frame(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a = ann.connect()
    channel = ann.channel(bob)
    a.text(
        f'READ{{"channel_url":"{channel}","req_id":"1"}}\nPING{{"id":1}}\n'
        f'MESG{{"channel_url":"{channel}","message":"m","req_id":2}}\n'
    )
    assert a.wait("READ")["req_id"] == "1"
    assert a.wait("PONG")["ts"] and a.wait("MESG")["req_id"] == 2
