"""Bad input whose answer is known to the digit: which code for which mistake. Rubbish at random is in test_fuzz.py.
The `server` fixture asserts that the process ends with status 0, so a trap anywhere fails the test that caused it."""

from __future__ import annotations

import socket as plain
import struct
from typing import Any, Iterator

import pytest

from running import Server, User
from wire import DEADLINE, Answer

CHANNEL = "/v3/group_channels/C"
MESSAGE = CHANNEL + "/messages/1"
ME = "/v3/users/ann"

# Every route that reads a body.
WITH_BODY = [
    ("POST", "/v3/users"),
    ("PUT", ME),
    ("POST", ME + "/session_key"),
    ("POST", ME + "/login"),
    ("POST", ME + "/token"),
    ("PUT", ME + "/mark_as_read_all"),
    ("PUT", ME + "/channel_invitation_preference"),
    ("PUT", ME + "/count_preference/C"),
    ("PUT", ME + "/push_preference/C"),
    ("POST", ME + "/block"),
    ("POST", ME + "/metadata"),
    ("PUT", ME + "/metadata"),
    ("POST", "/v3/group_channels"),
    ("PUT", CHANNEL),
    ("POST", CHANNEL + "/invite"),
    ("PUT", CHANNEL + "/accept"),
    ("PUT", CHANNEL + "/join"),
    ("PUT", CHANNEL + "/decline"),
    ("PUT", CHANNEL + "/leave"),
    ("PUT", CHANNEL + "/hide"),
    ("PUT", CHANNEL + "/freeze"),
    ("PUT", CHANNEL + "/reset_user_history"),
    ("POST", CHANNEL + "/typing"),
    ("POST", CHANNEL + "/mute"),
    ("POST", CHANNEL + "/ban"),
    ("POST", CHANNEL + "/operators"),
    ("POST", CHANNEL + "/metadata"),
    ("PUT", CHANNEL + "/metadata"),
    ("POST", CHANNEL + "/metacounter"),
    ("PUT", CHANNEL + "/metacounter"),
    ("POST", CHANNEL + "/messages"),
    ("PUT", CHANNEL + "/messages/mark_as_read"),
    ("PUT", CHANNEL + "/messages/mark_as_delivered"),
    ("PUT", MESSAGE),
    ("POST", MESSAGE + "/reactions"),
    ("POST", MESSAGE + "/sorted_metaarray"),
]


@pytest.fixture
def ann(server: Server) -> Iterator[User]:
    """A user with a channel `C` in which a message stands; bob is in it too."""
    made = server.user("ann")
    made.channel(server.user("bob"), channel_url="C", operator_ids=["ann"])
    made.rest.post(CHANNEL + "/messages", {"message": "stays"})
    yield made
    # Whatever came before, the server works as ever.
    sent = made.rest.post("/v3/group_channels", {"user_ids": ["ann"], "name": "after"})
    assert made.rest.get("/v3/group_channels/" + sent["channel_url"])["name"] == "after"


def documented(answer: Answer, of: Any) -> None:
    """An error has its body as documented, all else is JSON; nothing is an internal error."""
    assert answer.status in (200, 400, 401, 403, 404, 413), (of, answer.status, answer.body)
    body = answer.json if answer.body else {}
    if answer.status != 200:
        assert answer.body.startswith(b'{"error":true'), (of, answer.body)
        assert type(body["code"]) is int and 400_000 <= body["code"] < 1_000_000, (of, body)
        assert body["code"] < 500_000 or body["code"] >= 900_000, (of, body)
        assert isinstance(body["message"], str) and body["message"], (of, body)


BROKEN = [
    b"{",
    b"}",
    b'{"a":1}}',
    b'{"a":1,}',
    b"{'a':1}",
    b'{"a":01}',
    b'{"a":NaN}',
    b'{"a":"\xff\xfe"}',
    b'{"a":"\xed\xa0\x80"}',
    b'{"a":"\\ud800"}',
    b"\xff\xfe{\x00}\x00",
    b"[]",
    b"1",
    b"null",
    b'"text"',
    b"[" * 100_000,
    b'{"a":' * 100_000,
]


def test_broken_bodies(server: Server, ann: User) -> None:
    for method, path in WITH_BODY:
        rest = server.admin if path in ("/v3/users", ME + "/token") else ann.rest
        for body in BROKEN:
            answer = rest.call(method, path, body)
            documented(answer, (method, path, body[:20]))
            assert answer.json.get("code") == 400_403, (method, path, body[:20], answer.body)
    # None of them did anything.
    listed = ann.rest.get(CHANNEL + "/messages", message_ts=2**62, prev_limit=9)["messages"]
    assert [m["message"] for m in listed] == ["stays"]
    assert ann.rest.get(CHANNEL)["member_count"] == 2


WRONG = [
    ("POST", CHANNEL + "/messages", "message", ["x"], 400_100),
    ("POST", CHANNEL + "/messages", "custom_type", {}, 400_100),
    ("POST", CHANNEL + "/messages", "mention_type", "all", 400_111),
    ("POST", CHANNEL + "/messages", "message_type", "VIDE", 400_111),
    ("POST", CHANNEL + "/messages", "parent_message_id", "first", 400_101),
    ("POST", CHANNEL + "/messages", "parent_message_id", 1e300, 400_101),
    ("POST", CHANNEL + "/messages", "mentioned_user_ids", 7, 400_102),
    ("POST", CHANNEL + "/messages", "mentioned_user_ids", [[]], 400_100),
    ("POST", CHANNEL + "/messages", "silent", "perhaps", 400_104),
    ("POST", CHANNEL + "/messages", "metaarray", 1, 900_029),
    ("POST", CHANNEL + "/messages", "metaarray", [{"value": []}], 900_027),
    ("POST", CHANNEL + "/messages", "metaarray", [{"key": "k", "value": "x"}], 900_028),
    ("PUT", MESSAGE, "message", True, 400_100),
    ("POST", "/v3/group_channels", "user_ids", 1, 400_102),
    ("POST", "/v3/group_channels", "name", [], 400_100),
    ("POST", "/v3/group_channels", "is_distinct", [], 400_104),
    ("PUT", CHANNEL, "is_public", "maybe", 400_104),
    ("POST", CHANNEL + "/invite", "user_ids", None, 400_105),
    ("POST", CHANNEL + "/invite", "user_ids", {"a": 1}, 400_102),
    ("PUT", CHANNEL + "/freeze", "freeze", None, 400_105),
    ("PUT", CHANNEL + "/freeze", "freeze", "x", 400_104),
    ("PUT", CHANNEL + "/hide", "hide_previous_messages", [1], 400_104),
    ("POST", CHANNEL + "/mute", "seconds", "long", 400_101),
    ("POST", CHANNEL + "/mute", "user_id", None, 400_105),
    ("POST", CHANNEL + "/ban", "seconds", {}, 400_101),
    ("POST", CHANNEL + "/operators", "operator_ids", None, 400_105),
    ("POST", CHANNEL + "/metadata", "metadata", [1], 400_103),
    ("POST", CHANNEL + "/metadata", "metadata", None, 400_105),
    ("POST", CHANNEL + "/metacounter", "metacounter", {"n": "many"}, 400_101),
    ("PUT", CHANNEL + "/metacounter", "metacounter", {"n": 1.5}, 400_101),
    ("PUT", CHANNEL + "/messages/mark_as_delivered", "ts", "now", 400_101),
    ("PUT", CHANNEL + "/messages/mark_as_read", "is_excluded", True, 400_105),
    ("PUT", ME, "nickname", {}, 400_100),
    ("PUT", ME, "metadata", "x", 400_103),
    ("PUT", ME + "/count_preference/C", "count_preference", "some", 400_111),
    ("PUT", ME + "/push_preference/C", "push_trigger_option", "some", 400_111),
    ("POST", ME + "/block", "target_id", None, 400_105),
]


@pytest.mark.parametrize(("method", "path", "field", "value", "code"), WRONG)
def test_wrong_types(ann: User, method: str, path: str, field: str, value: Any, code: int) -> None:
    body = {"user_id": "bob"} if field == "seconds" else {}
    answer = ann.rest.call(method, path, {**body, field: value})
    documented(answer, field)
    assert answer.json.get("code") == code, answer.body


def test_limits_and_numbers_of_queries(ann: User) -> None:
    pages = {
        ME + "/my_group_channels": ["limit", "created_after", "created_before"],
        ME + "/my_group_channels/changelogs": ["limit", "change_ts"],
        CHANNEL + "/members": ["limit"],
        "/v3/users": ["limit"],
        "/v3/group_channels": ["limit"],
        CHANNEL + "/messages": ["prev_limit", "next_limit", "message_ts"],
        CHANNEL + "/messages/changelogs": ["limit", "change_ts"],
        CHANNEL + "/messages_gap": ["prev_start_ts", "prev_end_ts", "next_cache_count"],
    }
    needed = {CHANNEL + "/messages": "message_ts=1&", ME + "/my_group_channels/changelogs": "change_ts=1&",
              CHANNEL + "/messages/changelogs": "change_ts=1&"}
    for path, keys in pages.items():
        for key in keys:
            start = path + "?" + ("" if key in needed.get(path, "") else needed.get(path, ""))
            for word in ("x", "1x", "%zz", "1,2", "NaN", "%FF"):
                answer = ann.rest.call("GET", f"{start}{key}={word}")
                documented(answer, (path, key, word))
                assert answer.status == 400 and answer.json["code"] == 400_111, (path, key, word, answer.body)
            for number in (2**63 - 1, 2**63, 10**30, "1e300"):
                answer = ann.rest.call("GET", f"{start}{key}={number}")
                assert answer.status == 200, (path, key, number, answer.body)
            if key.endswith("limit"):
                for number in (-1, -(2**63), -(10**30)):
                    answer = ann.rest.call("GET", f"{start}{key}={number}")
                    assert answer.json.get("code") == 400_113, (path, key, number, answer.body)


def test_bad_escapes_and_bad_utf8(ann: User) -> None:
    for word in ("%", "%f", "%zz", "%ff%fe", "%ed%a0%80", "%c0%af", "%00", "%F4%90%80%80", "a%", "%25%"):
        for path in (f"/v3/group_channels/{word}", f"/v3/group_channels/{word}/messages?message_ts=1"):
            answer = ann.rest.call("GET", path)
            documented(answer, path)
            assert answer.status == 404 and answer.json["code"] == 400_201, (path, answer.body)
        answer = ann.rest.call("GET", f"/v3/users/{word}")
        assert answer.status == 400 and answer.json["code"] == 400_201, answer.body
        answer = ann.rest.call("GET", f"{MESSAGE}{word}")
        assert answer.status == 404 and answer.json["code"] == 400_930, answer.body
        answer = ann.rest.call("GET", f"{ME}/my_group_channels?{word}={word}&name_contains={word}&custom_types={word}")
        documented(answer, word)
        assert answer.status == 200 and answer.json["channels"] == [], (word, answer.body)


def test_numbers_of_the_largest_size_do_not_overflow(server: Server, ann: User) -> None:
    for number in (2**63 - 1, -(2**63), 10**18):
        for method, path, body in (
            ("POST", CHANNEL + "/mute", {"user_id": "bob", "seconds": number}),
            ("DELETE", CHANNEL + "/mute", {"user_id": "bob"}),
            ("PUT", CHANNEL + "/messages/mark_as_delivered", {"ts": number}),
            ("PUT", CHANNEL + "/metacounter", {"metacounter": {"n": number}, "upsert": True}),
            ("PUT", CHANNEL + "/metacounter", {"metacounter": {"n": number}, "mode": "increase"}),
            ("PUT", CHANNEL + "/metacounter", {"metacounter": {"n": number}, "mode": "decrease"}),
            ("PUT", CHANNEL, {"message_survival_seconds": number}),
            ("PUT", f"{CHANNEL}/messages/{number}", {"message": "x"}),
            ("POST", f"{CHANNEL}/messages/{number}/reactions", {"reaction": "x"}),
            ("POST", CHANNEL + "/messages", {"message": "x", "parent_message_id": number}),
            ("PUT", CHANNEL + "/messages/mark_as_read", {"message_id": number, "is_excluded": True}),
        ):
            documented(ann.rest.call(method, path, body), (path, number))
        documented(server.admin.call("POST", ME + "/token", {"expires_at": number}), number)
        gap = "&".join(f"{side}_{key}={number}" for side in ("prev", "next")
                       for key in ("start_ts", "end_ts", "cache_count"))
        documented(ann.rest.call("GET", f"{CHANNEL}/messages_gap?{gap}"), number)


def test_too_much(server: Server, ann: User) -> None:
    """A list that would keep everybody else waiting, and a body of no told length."""
    many = 1_000_000
    for path, field in (("/invite", "user_ids"), ("/messages", "mentioned_user_ids"), ("/operators", "operator_ids")):
        for value in (b"[" + b"1," * many + b"1]", b'"' + b"1," * many + b'1"'):
            answer = ann.rest.call("POST", CHANNEL + path, b'{"' + field.encode() + b'":' + value + b"}")
            documented(answer, (path, field))
            assert answer.json["code"] == 400_203, answer.body
    # More than the server takes, and no length told: refused when it is too much, not before all of it is held.
    with plain.create_connection(("127.0.0.1", server.port), DEADLINE) as raw:
        key = ann.rest.headers["Session-Key"]
        raw.sendall(f"POST {CHANNEL}/messages HTTP/1.1\r\nHost: x\r\nSession-Key: {key}\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n".encode())
        piece = b"x" * (1 << 20)
        for _ in range(34):
            raw.sendall(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        raw.sendall(b"0\r\n\r\n")
        answer = raw.recv(4096)
    assert b" 413 " in answer.split(b"\r\n")[0] and b'{"error":true,"code":400110' in answer


def frame(first: int, payload: bytes, masked: bool = True) -> bytes:
    size = len(payload)
    head = bytes([first, (0x80 if masked else 0) | size]) if size < 126 else (
        bytes([first, (0x80 if masked else 0) | 126]) + struct.pack(">H", size))
    return head + (b"\0\0\0\0" if masked else b"") + payload


def test_broken_frames(server: Server, ann: User) -> None:
    witness = ann.connect()
    for broken, code in (
        (frame(0x81, b"\xff\xfe"), 1007),
        (frame(0x81, b"MESG{}", masked=False), 1002),
        (frame(0x83, b"x"), 1002),
        (frame(0xC1, b"x"), 1002),
        (frame(0x80, b"goes on from nothing"), 1002),
        (frame(0x09, b"ping in parts"), 1002),
        (b"\x89\xfe\x00\x7e\0\0\0\0" + b"x" * 126, 1002),
        (b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0x", 1009),
    ):
        doomed = ann.connect()
        doomed.raw.sendall(broken)
        doomed.wait_closed()
        # What libwslay finds wrong in a frame's head alone it ends with an empty close frame (read as 1005).
        assert doomed.close_code in (code, 1005), (broken[:12], doomed.close_code)
    half = ann.connect()
    half.raw.sendall(frame(0x81, b"PING{}\n")[:5])
    half.close()
    witness.settle()
