"""The thinnest path: log in, make a channel, send, list."""

from running import Server


def test_login_channel_send_list(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    for key in ("login_ts", "reconnect", "pong_timeout", "emoji_hash", "use_reaction", "key", "user_id", "nickname"):
        assert key in a.logi
    channel = ann.channel(bob, name="Tea")
    b.system(10020)
    a.send("MESG", channel_url=channel, message="hello", req_id="r1")
    ack = a.wait("MESG")
    assert ack["req_id"] == "r1" and ack["message"] == "hello" and ack["msg_id"] > 0
    got = b.wait("MESG")
    assert "req_id" not in got and got["msg_id"] == ack["msg_id"] and got["user"]["guest_id"] == "ann"
    listed = bob.rest.get(
        channel.path + "/messages",
        message_ts=2**62,
        prev_limit=10,
        next_limit=0,
        include=True,
        checking_has_next=True,
        checking_continuous_messages=True,
    )
    assert [m["message"] for m in listed["messages"]] == ["hello"]
    assert listed["has_next"] is False and listed["is_continuous_messages"] is True
    mine = bob.rest.get(bob.me + "/my_group_channels", limit=10)
    assert [c["channel_url"] for c in mine["channels"]] == [channel]
    assert mine["channels"][0]["unread_message_count"] == 1
    assert mine["channels"][0]["last_message"]["message"] == "hello"
