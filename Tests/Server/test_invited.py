"""Who is invited and has not come in sees and hears what members do: REST and the socket say the same."""

from __future__ import annotations

from typing import Any

import pytest
from running import Channel, Server, User
from wire import Socket


class Invitation:
    """ann's channel with bob; cid is invited to it, and it is hidden from cid until something new is said."""

    def __init__(self, server: Server) -> None:
        self.ann, self.bob, self.cid = (server.user(name) for name in ("ann", "bob", "cid"))
        self.socket: Socket = self.cid.connect()
        self.channel: Channel = self.ann.channel(self.bob)
        self.ann.rest.post(self.channel.path + "/invite", {
            "user_ids": ["cid"], "invitation_status": {"cid": "invited_by_friend"},
            "hidden_status": {"cid": "hidden_allow_auto_unhide"}})
        self.socket.system(10020)

    def shown(self) -> Any:
        return self.cid.rest.get(self.channel.path)

    def say(self, user: User, text: str, **fields: Any) -> Any:
        return user.rest.post(self.channel.path + "/messages", {"message": text, **fields})


@pytest.fixture
def invitation(server: Server) -> Invitation:
    return Invitation(server)


def test_what_is_said_is_told(invitation: Invitation) -> None:
    cid, socket, path = invitation.cid, invitation.socket, invitation.channel.path
    assert (invitation.shown()["is_hidden"], invitation.shown()["last_message"]) == (True, None)
    said = invitation.say(invitation.ann, "one", mentioned_user_ids=["cid"])
    told = socket.wait("MESG")
    shown = invitation.shown()
    assert told["msg_id"] == said["message_id"] == shown["last_message"]["message_id"]
    # News bring a hidden channel back, and nothing of it waits for who has not come in.
    assert (shown["is_hidden"], shown["hidden_state"], shown["member_state"]) == (False, "unhidden", "invited")
    assert (shown["unread_message_count"], shown["unread_mention_count"]) == (0, 0)
    assert told["unread_cnt"]["all"] == 0 == cid.rest.get(cid.me + "/unread_message_count")["unread_count"]
    assert [m["message"] for m in cid.rest.get(path + "/messages", message_ts=2**62)["messages"]] == ["one"]
    one = f"{path}/messages/{said['message_id']}"
    invitation.ann.rest.put(one, {"message_type": "MESG", "message": "uno"})
    assert socket.wait("MEDI")["message"] == "uno" == invitation.shown()["last_message"]["message"]
    invitation.bob.rest.post(one + "/reactions", {"reaction": "heart"})
    assert socket.wait("MRCT")["reaction"] == "heart"
    invitation.bob.rest.post(one + "/pin")
    assert socket.system(11300)["data"]["pinned_message_ids"] == invitation.shown()["pinned_message_ids"]
    invitation.say(invitation.bob, "reply", parent_message_id=said["message_id"])
    assert socket.wait("MTHD")["thread_info"]["reply_count"] == 1
    invitation.bob.rest.put(path + "/messages/mark_as_read", {"user_id": "bob"})
    mark = invitation.shown()["read_receipt"]["bob"]
    assert socket.wait("READ", lambda f: f["ts"] == mark)["user"]["user_id"] == "bob"
    invitation.ann.rest.delete(one)
    assert socket.wait("DELM")["msg_id"] == said["message_id"]
    poll = invitation.ann.rest.post("/v3/polls", {"title": "Lunch", "options": ["yes"]})
    invitation.say(invitation.ann, "vote", poll_id=poll["id"])
    invitation.bob.rest.put(f"/v3/polls/{poll['id']}/vote", {
        "option_ids": [poll["options"][0]["id"]], "channel_url": invitation.channel, "channel_type": "group"})
    assert socket.wait("VOTE")["updated_vote_counts"][0]["vote_count"] == 1


def test_who_comes_and_goes_is_told(server: Server, invitation: Invitation) -> None:
    socket, path = invitation.socket, invitation.channel.path
    dan = server.user("dan")
    invitation.ann.rest.post(path + "/invite", {"user_ids": ["dan"]})
    assert socket.system(10000)["data"]["user_id"] == "dan"
    dan.rest.put(path + "/leave")
    counts = {"member_count": 3, "joined_member_count": 2}
    told = socket.wait("MCNT", lambda f: f["group_channels"][0]["member_count"] == 3)["group_channels"][0]
    assert {key: told[key] for key in counts} == counts
    assert {key: invitation.shown()[key] for key in counts} == counts


def test_it_does_nothing_there_before_it_is_in(server: Server, invitation: Invitation) -> None:
    cid, socket, channel = invitation.cid, invitation.socket, invitation.channel
    said = invitation.say(invitation.ann, "one")
    socket.wait("MESG")
    # A mark that nobody waits for is passed over: an error without a request would be one of the connection.
    socket.send("MACK", channel_url=channel, msg_id=said["message_id"])
    socket.send("MACK", channel_url="nowhere", msg_id=1)
    assert socket.count("EROR") == 0
    socket.send("MESG", channel_url=channel, message="not yet", req_id="1")
    assert socket.wait("EROR")["code"] == 900020
    socket.send("READ", channel_url=channel, req_id="2")
    assert socket.wait("EROR")["code"] == 900020
    one = f"{channel.path}/messages/{said['message_id']}"
    cid.rest.refused(900020, "POST", one + "/reactions", {"reaction": "heart"})
    cid.rest.refused(900020, "POST", one + "/pin")
    server.control("advance_clock", ms=1000)
    assert "cid" not in invitation.shown()["delivery_receipt"]
    # It is in: what is said from now on waits for it.
    cid.rest.put(channel.path + "/accept")
    assert invitation.shown()["unread_message_count"] == 0
    invitation.say(invitation.ann, "two")
    assert socket.wait("MESG", lambda f: f["message"] == "two")["unread_cnt"]["all"] == 1
    assert invitation.shown()["unread_message_count"] == 1
    # Who declines or leaves hears no more.
    cid.rest.put(channel.path + "/leave")
    invitation.say(invitation.ann, "three")
    assert socket.count("MESG", lambda f: f["message"] == "three") == 0
