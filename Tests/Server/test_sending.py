"""What a send may ask for besides its text, and threads as lists of their own."""

from __future__ import annotations

from typing import Any

import pytest

from running import Server

LATEST = 2**62


def test_a_message_pinned_with_its_send(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    a, b = ann.connect(), bob.connect()
    a.send("MESG", channel_url=channel, message="first", pin_message=True, req_id="1")
    first = a.wait("MESG")["msg_id"]
    event = b.system(11300)["data"]
    assert event["pinned_message_ids"] == [first] and event["latest_pinned_message"]["message"] == "first"
    second = ann.rest.post(channel.path + "/messages", {"message": "second", "pin_message": True})["message_id"]
    assert b.system(11300)["data"]["pinned_message_ids"] == [first, second]
    document = bob.rest.get(channel.path)
    assert document["pinned_message_ids"] == [first, second]
    assert document["latest_pinned_message"]["message_id"] == second
    # A repeated send pins nothing twice.
    a.send("MESG", channel_url=channel, message="first", pin_message=True, req_id="1")
    assert a.wait("MESG", lambda m: m.get("req_id"))["msg_id"] == first
    assert bob.rest.get(channel.path)["pinned_message_ids"] == [first, second]


def test_translations_with_the_send(server: Server) -> None:
    """Clients name languages in target_langs, or as translations without a text."""
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    a, b = ann.connect(), bob.connect()
    a.send(
        "MESG", channel_url=channel, message="hello", req_id="1",
        target_langs=["es"], translations={"de": "", "ko": "given"},
    )
    sent = a.wait("MESG")
    expected = {"es": "[es] hello", "de": "[de] hello", "ko": "given"}
    assert sent["translations"] == expected == b.wait("MESG")["translations"]
    assert sent["target_langs"] == ["es"]
    path = f"{channel.path}/messages/{sent['msg_id']}"
    # The texts follow an edit; what the edit brings itself stands.
    edited = ann.rest.put(path, {"message": "bye", "translations": {"ko": "adieu"}, "target_langs": ["fr"]})
    assert edited["translations"] == {
        "es": "[es] bye", "de": "[de] bye", "ko": "adieu", "fr": "[fr] bye",
    }
    assert ann.rest.put(path, {"data": "d"})["translations"] == edited["translations"]
    ann.rest.refused(400100, "POST", channel.path + "/messages", {"message": "x", "translations": {"de": 1}})
    ann.rest.refused(400103, "POST", channel.path + "/messages", {"message": "x", "translations": ["de"]})


@pytest.mark.parametrize("field", [{"push_option": "suppress"}, {"send_push": False}])
def test_pushes_are_kept_back_when_asked(server: Server, field: dict[str, Any]) -> None:
    ann = server.user("ann")
    channel = ann.channel(name="c")
    path = channel.path + "/messages"
    assert ann.rest.post(path, {"message": "x", **field})["message_events"]["send_push_notification"] == "none"
    assert ann.rest.post(path, {"message": "x"})["message_events"]["send_push_notification"] == "receivers"


def test_a_send_goes_on_by_rest_when_its_socket_is_gone(server: Server) -> None:
    """The same request id over both ways is one message, told once, with everything the first send said."""
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    a, b = ann.connect(), bob.connect()
    meta = [{"key": "k", "value": ["1", "2"]}]
    body = {
        "message": "once", "req_id": "r", "metaarray": meta, "mentioned_user_ids": ["bob"], "data": "d",
        "custom_type": "t", "is_silent": True,
    }
    server.control("lose_next_ack")
    a.send("MESG", channel_url=channel, **body)
    told = b.wait("MESG")
    assert told["metaarray"] == {"k": ["1", "2"]} and told["silent"] is True and "req_id" not in told
    server.control("drop_sockets", user_id="ann")
    a.wait_closed()
    again = ann.rest.post(channel.path + "/messages", {"message_type": "MESG", "user_id": "ann", **body})
    assert again["message_id"] == told["msg_id"] and again["req_id"] == "r"
    assert again["sorted_metaarray"] == meta and again["custom_type"] == "t"
    fresh = ann.rest.post(channel.path + "/messages", {**body, "req_id": "s"})
    assert b.wait("MESG")["msg_id"] == fresh["message_id"] != told["msg_id"]
    assert b.count("MESG") == 2


def test_repeats_are_refused_when_asked(server: Server) -> None:
    """As by a service that does not show what it has: the first message stays, and is found among the sender's own."""
    ann = server.user("ann")
    channel = ann.channel(name="c")
    a = ann.connect()
    server.control("refuse_repeats", on=True)
    a.send("MESG", channel_url=channel, message="once", req_id="r")
    first = a.wait("MESG")["msg_id"]
    a.send("MESG", channel_url=channel, message="once", req_id="r")
    refusal = a.wait("EROR")
    assert refusal["code"] == 400202 and refusal["req_id"] == "r"
    path = channel.path + "/messages"
    found = ann.rest.get(path, message_ts=LATEST, prev_limit=9, next_limit=0, include=True, sender_ids="ann")
    assert [(m["message_id"], m["req_id"]) for m in found["messages"]] == [(first, "r")]
    server.control("clear_faults")
    a.send("MESG", channel_url=channel, message="once", req_id="r")
    assert a.wait("MESG")["msg_id"] == first


def test_threads_as_lists_of_their_own(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    path = channel.path + "/messages"
    parents = [ann.rest.post(path, {"message": f"parent {n}"}) for n in range(2)]
    replies: list[list[Any]] = [[], []]
    for number in range(10):
        server.control("advance_clock", ms=5)
        mine = number % 2
        body = {"message": str(number), "parent_message_id": parents[mine]["message_id"]}
        replies[mine].append((bob if number % 4 else ann).rest.post(path, {**body, "custom_type": "t" * (number % 3)}))
    thread, ids = parents[0]["message_id"], [m["message_id"] for m in replies[0]]

    def page(**query: Any) -> Any:
        flags = {"checking_continuous_messages": True, "checking_has_next": True, "parent_message_id": thread}
        return bob.rest.get(path, **{"prev_limit": 0, "next_limit": 0, "include": False, **flags, **query})

    # Continuous is what holds all of the thread, whatever else the channel has in between.
    found = page(message_ts=LATEST, prev_limit=3)
    assert [m["message_id"] for m in found["messages"]] == ids[2:]
    assert found["is_continuous_messages"] is True and found["has_next"] is False
    found = page(message_ts=replies[0][0]["created_at"], next_limit=2, reverse=True)
    assert [m["message_id"] for m in found["messages"]] == [ids[2], ids[1]]
    assert found["is_continuous_messages"] is True and found["has_next"] is True
    assert page(message_ts=LATEST, prev_limit=9, sender_ids="bob")["is_continuous_messages"] is False
    info = page(message_ts=LATEST, prev_limit=1, include_parent_message_info=True)["messages"][0]
    assert info["parent_message_info"]["message"] == "parent 0"

    first, last = replies[0][0]["created_at"], replies[0][-1]["created_at"]
    gap = bob.rest.get(
        channel.path + "/messages_gap", parent_message_id=thread, prev_start_ts=first, prev_end_ts=last,
        prev_cache_count=0, next_start_ts=last, next_end_ts=last, next_cache_count=1, reverse=False,
        checking_continuous_messages=True,
    )
    assert [m["message_id"] for m in gap["prev_messages"]] == ids and gap["is_huge_gap"] is False
    assert gap["is_continuous_prev_messages"] is True

    # The changelog of a thread: its replies, their parent, and whatever was deleted.
    start = bob.rest.get(path + "/changelogs", change_ts=server.control_get("state")["ts"] + 1)["next"]
    for message in (replies[0][0], replies[1][0], parents[0], parents[1]):
        owner = ann if message["user"]["user_id"] == "ann" else bob
        owner.rest.put(f"{path}/{message['message_id']}", {"data": "changed"})
    owner = ann if replies[0][1]["user"]["user_id"] == "ann" else bob
    owner.rest.delete(f"{path}/{ids[1]}")
    changes = bob.rest.get(path + "/changelogs", token=start, parent_message_id=thread, include_reply_type="none")
    assert {m["message_id"] for m in changes["updated"]} >= {ids[0], thread}
    others = {m["message_id"] for m in replies[1]} | {parents[1]["message_id"]}
    assert not others & {m["message_id"] for m in changes["updated"]}
    assert [d["message_id"] for d in changes["deleted"]] == [ids[1]]
