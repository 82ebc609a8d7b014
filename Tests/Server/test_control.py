"""The control endpoint, and how the server begins and ends."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import time
from typing import Any

import pytest

from running import Server, program
from wire import Rest, quote


def test_it_is_off_unless_asked_for() -> None:
    process = subprocess.Popen([program(), "--exit-with-stdin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout and process.stdin
    ready = json.loads(process.stdout.readline())
    Rest(int(ready["api_host"].rsplit(":", 1)[1]), {}).refused(400404, "POST", "/control/drop_sockets")
    process.stdin.close()
    assert process.wait(10) == 0


def test_faults(server: Server) -> None:
    ann = server.user("ann")
    channel = ann.channel(name="c")
    path = channel.path + "/messages?message_ts=1&prev_limit=1"
    server.control("fault", path_contains="/messages", kind="429", count=2, retry_after=7)
    for _ in range(2):
        answer = ann.rest.refused(500910, "GET", path)
        assert answer.status == 429 and answer.headers["Retry-After"] == "7"
    ann.rest.ok("GET", path)
    server.control("fault", path_contains="/messages", kind="5xx", status=503)
    assert ann.rest.refused(500901, "GET", path).status == 503
    server.control("fault", path_contains="/messages", kind="garbage")
    with pytest.raises(ValueError):
        ann.rest.call("GET", path).json
    server.control("fault", path_contains=quote(channel), kind="half_body")
    with pytest.raises(http.client.IncompleteRead):
        ann.rest.call("GET", path)
    ann.rest.close()
    server.control("fault", path_contains="/messages", kind="close", count=2)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        ann.rest.call("GET", path)
    ann.rest.close()
    server.control("clear_faults")
    # An answer that is lost after its request was executed.
    server.control("fault", path_contains="/messages", kind="close", executes=True)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        ann.rest.call("POST", channel.path + "/messages", {"message": "m", "req_id": "lost"})
    ann.rest.close()
    ann.rest.post(channel.path + "/messages", {"message": "m", "req_id": "lost"})
    assert Rest(server.port, {}).get("/control/channel_messages", channel_url=channel)["count"] == 1
    Rest(server.port, {}).refused(400111, "POST", "/control/fault", {"kind": "sulk"})


def test_refusals_with_a_given_code(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    a, b = ann.connect(), bob.connect()
    server.control("fault", kind="refuse", command="MESG", user_id="ann", code=900060, message="rude", count=2)
    server.control("fault", kind="ignore", command="MESG", user_id="bob")
    b.send("MESG", channel_url=channel, message="unheard", req_id="0")
    for request in ("1", "2"):
        a.send("MESG", channel_url=channel, message="x", req_id=request)
        assert a.wait("EROR") == {"error": True, "code": 900060, "message": "rude", "req_id": request}
    a.send("MESG", channel_url=channel, message="x", req_id="2")
    assert a.wait("MESG")["req_id"] == "2"
    # A command that was ignored has left no trace, nor an answer.
    b.send("MESG", channel_url=channel, message="heard", req_id="1")
    assert b.wait("MESG", lambda m: m.get("req_id"))["message"] == "heard"
    assert b.count("EROR") == 0
    assert server.control_get("channel_messages", channel_url=channel)["count"] == 2

    server.control("fault", kind="refuse", path_contains="/messages", code=900050, status=403)
    assert ann.rest.refused(900050, "POST", channel.path + "/messages", {"message": "y"}).status == 403
    ann.rest.post(channel.path + "/messages", {"message": "y"})
    # A fault of commands does not touch requests, nor the other way round.
    server.control("fault", kind="refuse", path_contains="")
    a.send("MESG", channel_url=channel, message="z", req_id="3")
    assert a.wait("MESG", lambda m: m.get("req_id"))["message"] == "z"
    ann.rest.refused(400920, "GET", ann.me)
    for wrong in ({"kind": "ignore"}, {"kind": "429", "command": "MESG"}):
        server.admin.refused(400111, "POST", "/control/fault", wrong)
    server.admin.refused(400113, "POST", "/control/fault", {"kind": "refuse", "status": 200})


def test_an_overloaded_service_says_so(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    server.control("busy", retry_after=7, reason_code=3, message="later", user_id="ann", count=2)
    for _ in range(2):
        put_off = ann.connect(greeting="BUSY")
        assert put_off.logi == {"retry_after": 7, "reason_code": 3, "message": "later"}
        # It is nobody's socket.
        put_off.send("MESG", channel_url="x", message="x", req_id="1")
        assert put_off.wait("EROR")["code"] == 900010
    assert "error" not in bob.connect().logi
    a = ann.connect()
    assert server.control("busy", retry_after=1, open_sockets=True, user_id="ann") == {"sent": 1}
    assert a.wait("BUSY")["retry_after"] == 1
    # A login is refused with any code, or never answered; so is the renewal of a session.
    server.control("fault", kind="refuse", command="LOGI", user_id="ann", code=500901, message="broken")
    refused = ann.connect()
    assert refused.logi == {"error": True, "code": 500901, "message": "broken"}
    refused.wait_closed()
    server.control("fault", kind="ignore", command="LOGI")
    assert ann.connect(greeting="").count("LOGI") == 0
    server.control("fault", kind="refuse", command="LOGI", code=400302)
    a.send("LOGI", token=ann.token, req_id="s")
    assert a.wait("EROR") == {
        "error": True, "code": 400302, "message": "Refused by the control endpoint.", "req_id": "s",
    }
    server.control("busy", retry_after=1)
    server.control("clear_faults")
    ann.connect()
    server.admin.refused(400105, "POST", "/control/busy", {})


def test_delay_holds_only_what_it_names(server: Server) -> None:
    ann = server.user("ann")
    channel = ann.channel(name="c")
    a = ann.connect()
    server.control("delay", path_prefix="/v3/users", ms=1000)
    begun = time.monotonic()
    ann.rest.get(channel.path)
    assert time.monotonic() - begun < 1
    slow = Rest(server.port, ann.rest.headers)
    import threading

    done: list[float] = []
    thread = threading.Thread(target=lambda: (slow.get(ann.me), done.append(time.monotonic() - begun)))
    thread.start()
    a.settle()
    ann.rest.get(channel.path)
    assert not done, "others are served meanwhile"
    thread.join(10)
    assert done and done[0] >= 1
    server.control("delay", path_prefix="/v3/users", ms=0)
    ann.rest.get(ann.me)


def test_stops_while_an_answer_is_held_back(start: Any) -> None:
    server = start()
    ann = server.user("ann")
    server.control("delay", ms=60_000)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", ann.me, headers=ann.rest.headers)
    Rest(server.port, {}).get("/control/state")
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(10) == 0


def test_sockets_are_dropped_and_refused(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    assert server.control("drop_sockets", user_id="ann")["dropped"] == 1
    a.wait_closed()
    b.settle()
    assert server.control("drop_sockets", code=4321)["dropped"] == 1
    b.wait_closed()
    assert b.close_code == 4321 and a.close_code is None
    server.control("refuse_connections", on=True)
    with pytest.raises((ConnectionError, OSError)):
        ann.connect()
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        Rest(server.port, ann.rest.headers).call("GET", ann.me)
    server.control("refuse_connections", on=False)
    ann.connect().settle()


def test_what_was_received(server: Server) -> None:
    ann = server.user("ann")
    a = ann.connect()
    channel = ann.channel(name="c")
    Rest(server.port, {}).post("/control/clear_received")
    ann.rest.post(channel.path + "/messages", {"message": "hello"})
    a.send("READ", channel_url=channel, req_id="1")
    a.wait("READ")
    got = Rest(server.port, {}).get("/control/received")["received"]
    assert [e["kind"] for e in got] == ["request", "frame"]
    assert got[0]["method"] == "POST" and got[0]["target"] == channel.path + "/messages" and got[0]["status"] == 200
    assert json.loads(got[0]["body"])["message"] == "hello"
    assert got[1]["user_id"] == "ann" and got[1]["text"].startswith("READ{")


def test_flood_is_told_like_any_message(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    b = bob.connect()
    made = server.control("post_messages", channel_url=channel, user_id="ann", count=500, text="t")["message_ids"]
    got = [b.wait("MESG") for _ in range(500)]
    assert [m["msg_id"] for m in got] == made == sorted(made)
    assert [m["previous_message_id"] for m in got[1:]] == made[:-1]
    assert bob.rest.get(channel.path)["unread_message_count"] == 500


def test_many_large_messages_at_once(server: Any) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    b = bob.connect()
    server.control("post_messages", channel_url=channel, user_id="ann", count=3, data_bytes=70_000)
    assert [len(b.wait("MESG")["data"]) for _ in range(3)] == [70_000] * 3
    for bad in (-1, (64 << 20) // 3 + 1, 1 << 62):
        server.admin.refused(400113, "POST", "/control/post_messages", {
            "channel_url": channel, "user_id": "ann", "count": 3, "data_bytes": bad})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_cleanly(start: Any, number: int) -> None:
    server = start()
    ann = server.user("ann")
    sockets = [ann.connect() for _ in range(5)]
    ann.rest.get(ann.me)
    server.process.send_signal(number)
    assert server.process.wait(10) == 0
    for socket in sockets:
        socket.wait_closed()
        assert socket.close_code == 1001


def test_a_port_in_use_is_an_error(server: Server) -> None:
    ended = subprocess.run([program(), "--port", str(server.port)], capture_output=True, text=True, timeout=10)
    assert ended.returncode == 1 and "cannot listen" in ended.stderr and not ended.stdout


def test_bad_frames_end_only_their_socket(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    a._send(1, b"MESG\xff\xfe")
    a.wait_closed()
    assert a.close_code == 1007
    huge = ann.connect()
    huge._send(1, b"x" * (5 << 20))
    huge.wait_closed()
    b.settle()


def test_two_hundred_sockets_hear_every_message_in_order(server: Server) -> None:
    users = [server.user(f"u{i}") for i in range(40)]
    channel = users[0].channel(*users[1:])
    sockets = [user.connect() for user in users for _ in range(5)]
    for number in range(20):
        sockets[0].send("MESG", channel_url=channel, message=str(number), req_id=str(number))
    for socket in sockets:
        assert [socket.wait("MESG")["message"] for _ in range(20)] == [str(n) for n in range(20)]
