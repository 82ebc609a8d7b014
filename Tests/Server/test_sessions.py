"""Logging in by every way, session keys, tokens, the administration."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from running import Server, User
from wire import Rest, quote


def refusal(server: Server, query: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
    socket = server.socket(query, headers)
    socket.wait_closed()
    assert socket.logi["error"] is True and socket.logi["message"]
    return socket.logi


def test_ways_to_log_in(server: Server) -> None:
    ann = server.user("ann/ü +&")
    query = "user_id=" + quote(ann.id)
    first = server.socket(query, {"SENDBIRD-WS-TOKEN": ann.token})
    key = first.logi["key"]
    assert first.logi["user_id"] == ann.id == first.logi["guest_id"] and first.logi["nickname"] == first.logi["name"]
    for entry in (
        dict(query=query, headers={"SENDBIRD-WS-TOKEN": quote(ann.token)}),
        dict(query="", headers={"SENDBIRD-WS-AUTH": key}),
        dict(query=query, headers={"SENDBIRD-WS-AUTH": quote(key), "SENDBIRD-WS-TOKEN": "wrong"}),
        dict(query=query + "&access_token=" + ann.token),
        dict(query=query, headers={"Sec-WebSocket-Protocol": quote(json.dumps({"token": ann.token}))}),
        dict(query="", headers={"Sec-WebSocket-Protocol": quote(json.dumps({"auth": key}))}),
    ):
        socket = server.socket(**entry)  # type: ignore[arg-type]
        assert socket.logi["user_id"] == ann.id and "error" not in socket.logi
        if "Sec-WebSocket-Protocol" in entry.get("headers", {}):
            assert "Sec-WebSocket-Protocol: " + entry["headers"]["Sec-WebSocket-Protocol"] in socket.answer
    for name, kind in (
        ("login_ts", int),
        ("reconnect", dict),
        ("ping_interval", int),
        ("pong_timeout", int),
        ("emoji_hash", str),
        ("use_reaction", bool),
        ("ekey", str),
        ("unread_cnt", dict),
    ):
        assert isinstance(first.logi[name], kind), name
    assert isinstance(first.logi["reconnect"]["interval"], float) and isinstance(first.logi["reconnect"]["mul"], int)


def test_refused_logins(server: Server) -> None:
    ann = server.user("ann")
    assert refusal(server, "user_id=ann", {"SENDBIRD-WS-TOKEN": "wrong"})["code"] == 400302
    assert refusal(server, "user_id=ann")["code"] == 400302
    assert refusal(server, "user_id=nobody", {"SENDBIRD-WS-TOKEN": "t"})["code"] == 400301
    assert refusal(server, "", {"SENDBIRD-WS-AUTH": "wrong"})["code"] == 400303
    assert refusal(server, "")["code"] == 400105
    assert refusal(server, "user_id=ann&ai=other", {"SENDBIRD-WS-TOKEN": ann.token})["code"] == 400304
    server.admin.put(ann.me, {"is_active": False})
    assert refusal(server, "user_id=ann", {"SENDBIRD-WS-TOKEN": ann.token})["code"] == 400300
    # Somebody new without a token is made a user.
    assert server.socket("user_id=newcomer&nickname=New").logi["nickname"] == "New"


def test_handshake_is_checked(server: Server) -> None:
    import socket as plain

    for head in (
        "GET /?user_id=x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
        "GET /?user_id=x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n",
        "GET /?user_id=x HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
    ):
        with plain.create_connection(("127.0.0.1", server.port), 5) as raw:
            raw.sendall((head + "\r\n").encode())
            # It is an ordinary request then, and there is nothing at that address.
            answer = raw.recv(4096)
            assert answer.startswith(b"HTTP/1.1 404 ") and b'{"error":true,"code":400404,' in answer, answer


def test_session_keys_run_out_and_are_renewed(start: Any) -> None:
    server = start("--session-ttl", "60")
    ann = server.user("ann")
    renew = Rest(server.port, {"App-Id": server.ready["app_id"], "Access-Token": ann.token})
    key = renew.post(ann.me + "/session_key", {"expiring_session": True})["key"]
    rest = Rest(server.port, {"Session-Key": key})
    rest.get(ann.me)
    server.control("advance_clock", ms=61_000)
    rest.refused(400309, "GET", ann.me)
    assert refusal(server, "", {"SENDBIRD-WS-AUTH": key})["code"] == 400309
    fresh = renew.post(ann.me + "/session_key", {"expiring_session": True})
    Rest(server.port, {"Session-Key": fresh["key"]}).get(ann.me)
    Rest(server.port, {"App-Id": server.ready["app_id"], "Access-Token": "x"}).refused(
        400302, "POST", ann.me + "/session_key", {}
    )
    Rest(server.port, {"App-Id": "x", "Access-Token": ann.token}).refused(400304, "POST", ann.me + "/session_key", {})
    renew.refused(400301, "POST", "/v3/users/nobody/session_key", {})


def test_expiry_is_told_and_renewed_over_the_socket(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    a, b = ann.connect(), bob.connect()
    server.control("expire_session_keys", user_id="ann")
    assert a.wait("EXPR")["expires_in"] == 0
    assert b.count("EXPR") == 0
    Rest(server.port, {"Session-Key": a.logi["key"]}).refused(400309, "GET", ann.me)
    a.send("LOGI", token=ann.token, expiring_session=1, req_id="s")
    renewed = a.wait("LOGI")
    assert renewed["req_id"] == "s" and renewed["new_key"] == renewed["key"] and "login_ts" not in renewed
    Rest(server.port, {"Session-Key": renewed["key"]}).get(ann.me)
    a.send("LOGI", token="wrong", req_id="w")
    assert a.wait("EROR")["code"] == 400302


def test_revoked_tokens(server: Server) -> None:
    ann = server.user("ann")
    a = ann.connect()
    fresh = server.control("revoke_tokens", user_id="ann")["users"][0]
    assert a.wait("EXPR")["reason"] == 400310
    a.wait_closed()
    ann.rest.refused(400310, "GET", ann.me)
    assert refusal(server, "user_id=ann", {"SENDBIRD-WS-TOKEN": ann.token})["code"] == 400310
    assert "error" not in server.socket("user_id=ann", {"SENDBIRD-WS-TOKEN": fresh["access_token"]}).logi


def test_a_revoked_token_that_is_given_again(start: Any, tmp_path: pathlib.Path) -> None:
    """What the ready line says is true, also after a token was revoked in an earlier run."""
    options = ("--db", str(tmp_path / "server.db"), "--user", "ann:sesame")
    first = start(*options)
    first.control("revoke_tokens", user_id="ann")
    assert refusal(first, "user_id=ann", {"SENDBIRD-WS-TOKEN": "sesame"})["code"] == 400310
    assert first.stop() == 0
    again = start(*options)
    assert [(user["user_id"], user["access_token"]) for user in again.ready["users"]] == [("ann", "sesame")]
    assert "error" not in again.socket("user_id=ann", {"SENDBIRD-WS-TOKEN": "sesame"}).logi


def test_administration(server: Server) -> None:
    anonymous = Rest(server.port, {})
    anonymous.refused(400402, "GET", "/v3/users")
    Rest(server.port, {"Api-Token": "wrong"}).refused(400401, "GET", "/v3/users")
    Rest(server.port, {"Session-Key": "wrong"}).refused(400303, "GET", "/v3/users")
    for number in range(5):
        server.user(f"user{number}", f"N{number}")
    server.admin.refused(400202, "POST", "/v3/users", {"user_id": "user1", "nickname": "x"})
    server.admin.refused(400105, "POST", "/v3/users", {"nickname": "x"})
    seen, token = [], ""
    while True:
        got = server.admin.get("/v3/users", limit=2, token=token)
        seen += [u["user_id"] for u in got["users"]]
        token = got["next"]
        if not token:
            break
    assert seen == [f"user{n}" for n in range(5)]
    user = User(server, "user1", server.admin.put("/v3/users/user1", {"issue_access_token": True})["access_token"])
    assert "access_token" not in user.rest.put(
        user.me, {"nickname": "Renamed", "profile_url": "p", "issue_access_token": True}
    )
    assert user.rest.get(user.me)["nickname"] == "Renamed"
    user.rest.refused(400108, "PUT", "/v3/users/user2", {"nickname": "x"})
    user.rest.refused(400108, "POST", "/v3/users", {"user_id": "y"})
    user.rest.refused(400201, "GET", "/v3/users/none")
    user.rest.refused(400930, "GET", "/v3/unknown")
    anonymous.refused(400404, "GET", "/nothing")
    assert user.rest.get("/v3/sdk/applications/settings")["has_more"] is False
    server.admin.delete("/v3/users/user2")
    server.admin.refused(400201, "GET", "/v3/users/user2")
    channel = server.admin.post("/v3/group_channels", {"user_ids": ["user1", "user3"], "name": "made from above"})
    sent = server.admin.post(
        f"/v3/group_channels/{channel['channel_url']}/messages", {"user_id": "user3", "message": "as three"}
    )
    assert sent["user"]["user_id"] == "user3"
    assert user.rest.get(f"/v3/group_channels/{channel['channel_url']}")["last_message"]["message"] == "as three"


def test_tokens_of_a_new_user(server: Server) -> None:
    given = server.admin.post("/v3/users", {"user_id": "given", "access_token": "mine", "issue_access_token": True})
    assert given["access_token"] == "mine" and given["session_tokens"] == []
    assert User(server, "given", "mine").rest.get("/v3/users/given")["user_id"] == "given"
    assert refusal(server, "user_id=given", {"SENDBIRD-WS-TOKEN": "other"})["code"] == 400302
    issued = server.admin.post("/v3/users", {"user_id": "issued", "issue_access_token": True})["access_token"]
    assert issued and User(server, "issued", issued).connect().logi["user_id"] == "issued"
    assert refusal(server, "user_id=issued")["code"] == 400302
    assert server.admin.post("/v3/users", {"user_id": "bare"})["access_token"] == ""
    for method, path in (("POST", "/v3/users"), ("PUT", "/v3/users/timed")):
        until = server.control("advance_clock", ms=0)["ts"] + 60_000
        body = {"user_id": "timed", "issue_session_token": True, "session_token_expires_at": until}
        (session,) = server.admin.ok(method, path, body)["session_tokens"]
        assert session["expires_at"] == until
        rest = Rest(server.port, {"Session-Key": session["session_token"]})
        assert "session_tokens" not in rest.put("/v3/users/timed", {"issue_session_token": True})
        assert server.socket("", {"SENDBIRD-WS-AUTH": session["session_token"]}).logi["user_id"] == "timed"
        server.control("advance_clock", ms=60_000)
        rest.refused(400309, "GET", "/v3/users/timed")
    server.admin.refused(
        400113, "POST", "/v3/users", {"user_id": "x", "issue_session_token": True, "session_token_expires_at": -1}
    )
    server.admin.refused(400201, "GET", "/v3/users/x")


@pytest.mark.parametrize("options", [("--port", "70000"), ("--unknown",), ("--scale", "x"), ("stray",)])
def test_wrong_options(options: tuple[str, ...]) -> None:
    import subprocess

    from running import program

    ended = subprocess.run([program(), *options], capture_output=True, text=True, timeout=10)
    assert ended.returncode == 2 and "--port" in ended.stderr and not ended.stdout
