"""Seeded rubbish on every route: the documented error body is all that may come of it, and the server lives."""

from __future__ import annotations

import json
import os
import random
import socket as plain
import struct
import time
from typing import Any

import pytest

from running import Server, quote
from wire import Answer

SECONDS = 2.5
BAD_NUMBERS = ["-1", "0", str(2**63 - 1), str(-(2**63)), "9" * 30, "1e400", "-1e400", "NaN", "0x10", "", "x", "١"]
BAD_TEXT = [b"%", b"%zz", b"%0", b"%00", b"%ff%fe", b"%c3", b"\xff\xfe", b"%ed%a0%80", b"..%2f..", b"a,b", b"+", b"=&="]
BAD_BODIES = [
    b"{",
    b"}",
    b"[]",
    b"null",
    b'"x"',
    b"{}{}",
    b"{,}",
    b'{"a":}',
    b'{"message":"\xff\xfe"}',
    b'{"message":"\\ud800"}',
    b'{"message":"\\u0000"}',
    b'{"user_id":1e999}',
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"\x00" * 64,
    b'{"message":"x","message":"y"}',
]
VALUES: list[Any] = [
    None, True, 0, -1, 2**63 - 1, -(2**63), 2**64, 1e308, "", "x", "x" * 70_000, "\0", "-1", [], [[]], [None], [1, "a"],
    {}, {"a": {}}, {"a": [1]}, [{"key": None}], [{"key": "k", "value": 5}], {"": ""},
]  # fmt: skip
FIELDS = """
    user_id user_ids nickname profile_url metadata access_token issue_access_token issue_session_token
    session_token_expires_at expires_at is_active auto_accept preferred_languages channel_url channel_urls
    name cover_url custom_type data is_distinct is_super is_public access_code operator_ids message
    message_type url file files thumbnails req_id parent_message_id reply_to_channel mentioned_user_ids
    mention_type metaarray sorted_metaarray created_at ts timestamp message_id reaction freeze seconds
    end_at description push_trigger_option count_preference enable target_id metacounter mode upsert
    message_survival_seconds allow_auto_unhide hide_previous_messages include_keys expiring_session
    mark_as_read users invitation_status hidden_status dedup_id poll_id title options close_at option_ids text
    allow_multiple_votes scheduled_at target_at target_list unique_id action bot_userid bot_nickname bot_metadata
    channel_urls gcm_reg_token push_trigger_option dnd_schedules start_hour snooze_enabled emojis emoji_categories
    messages channel_custom_types report_category target_langs query disappearing_message discovery_keys is_silent
    last_seen_at create_channel_options create_channel
""".split()
QUERIES = """
    message_ts message_id prev_limit next_limit limit token change_ts order include reverse custom_types
    sender_ids message_type include_reply_type prev_start_ts prev_end_ts prev_cache_count next_start_ts
    next_end_ts next_cache_count created_before created_after hidden_mode member_state_filter super_mode
    query_type members_include_in keys user_ids metadata_key metadata_values parent_message_id state
    item_keys show_member unread_filter channel_urls query date status metacounter_key metacounter_value_gt
    metacounter_value_lt metadatakey metadatavalues_in operator_filter including_removed members_exactly_in
    list_users include_unread_count exact_match message_ts_from reverse auth member_active_mode
""".split()


def routes(server: Server, user: str, channel: str, message: int) -> list[str]:
    of_user = """
        session_key login token my_group_channels my_group_channels/changelogs mark_as_read_all block
        block/x metadata metadata/k channel_invitation_preference unread_message_count
        unread_channel_count unread_item_count group_channel_count push push/gcm push/gcm/x push/template
        push_preference my_group_channels/leave banned_channel_custom_types muted_channel_custom_types
        banned_group_channels muted_group_channels
    """
    of_channel = """
        messages messages/changelogs messages_gap messages/total_count messages/mark_as_read
        messages/mark_as_delivered messages/mark_as_unread messages/{m} messages/{m}/reactions
        messages/{m}/sorted_metaarray messages/{m}/pin members invite join leave accept decline hide
        freeze mute mute/x ban ban/x metadata metadata/k metacounter metacounter/k operators
        reset_user_history typing scheduled_messages scheduled_messages/1 scheduled_messages/1/send_now
        pinned_messages polls/changelogs messages/{m}/translation messages/unread_count
    """
    paths = ["/v3/users", "/v3/group_channels", "/v3/sdk/applications/settings", "/v3/emoji_categories"]
    others = """
        announcements announcements/a applications/dau applications/mau applications/ccu applications/settings_global
        applications/default_channel_invitation_preference bots bots/robo bots/robo/channels bots/robo/send
        emojis emojis/up emoji_categories/1 polls polls/1 polls/1/vote polls/1/close polls/1/options
        polls/1/options/1 polls/1/options/1/voters push/device_tokens/gcm/x report report/users/x
        scheduled_messages scheduled_messages/count search/messages storage/file
    """
    paths += ["/v3/" + path for path in others.split()]
    paths += [f"/v3/migration/{channel}", f"/v3/report/group_channels/{channel}", "/files/x/y"]
    paths += [f"/v3/report/group_channels/{channel}/messages/{message}"]
    paths += ["/v3", "/", "//"]
    paths += [f"/v3/users/{user}/{rest}" for rest in of_user.split()] + [f"/v3/users/{user}"]
    for prefix in ("/v3/group_channels", "/v3/sdk/group_channels"):
        paths.append(f"{prefix}/{channel}")
        paths += [f"{prefix}/{channel}/{rest.format(m=message)}" for rest in of_channel.split()]
    return paths + [path + "/x/y" for path in paths[:3]]


class Raw:
    """Requests as bytes, over one kept connection."""

    def __init__(self, port: int, headers: dict[str, str]):
        self.port = port
        self.head = "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode()
        self.connection: plain.socket | None = None

    def ask(self, method: str, target: bytes, body: bytes | None) -> Answer:
        if not self.connection:
            self.connection = plain.create_connection(("127.0.0.1", self.port), 10)
            self.file = self.connection.makefile("rb")
        length = b"" if body is None else b"Content-Length: %d\r\n" % len(body)
        head = method.encode() + b" " + target + b" HTTP/1.1\r\nHost: x\r\n" + self.head + length + b"\r\n"
        self.connection.sendall(head + (body or b""))
        status = self.file.readline()
        assert status.startswith(b"HTTP/1.1 "), (method, target, status)
        headers: dict[str, str] = {}
        while line := self.file.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        answer = Answer(int(status.split()[1]), self.file.read(int(headers["content-length"])), headers)
        if headers.get("connection", "").lower() == "close":
            self.close()
        return answer

    def close(self) -> None:
        if self.connection:
            self.file.close()
            self.connection.close()
        self.connection = None


def judge(answer: Answer, *asked: Any) -> None:
    """Either it was fine, or it was refused in the documented words; nothing may be the server's own failure."""
    document = json.loads(answer.body)
    if answer.status == 200:
        assert isinstance(document, dict | list), (asked, answer.body)
        return
    assert 400 <= answer.status < 500, (asked, answer.status, answer.body)
    assert answer.body.startswith(b'{"error":true,'), (asked, answer.body)
    assert set(document) == {"error", "code", "message"}, (asked, answer.body)
    assert isinstance(document["code"], int) and document["code"] >= 400_000, (asked, answer.body)
    assert isinstance(document["message"], str) and document["message"], (asked, answer.body)


def lives(server: Server) -> None:
    assert server.process.poll() is None
    assert server.admin.call("GET", "/v3/users?limit=1").status == 200


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("as_admin", [False, True])
def test_rubbish_on_every_route(server: Server, seed: int, as_admin: bool) -> None:
    chance = random.Random(seed)
    ann, bob = server.user("ann"), server.user("bob")
    server.admin.post("/v3/bots", {"bot_userid": "robo", "bot_nickname": "Robo"})
    ann.rest.post("/v3/polls", {"title": "p", "options": ["a", "b"], "allow_multiple_votes": True})
    channel = ann.channel(bob)
    message = ann.rest.post(channel.path + "/messages", {"message": "m"})["message_id"]
    raw = Raw(server.port, server.admin.headers if as_admin else ann.rest.headers)
    paths = routes(server, "ann", quote(channel), message)
    end = time.monotonic() + SECONDS / 2
    refused = 0
    first = [(method, path) for path in paths for method in ("GET", "POST", "PUT", "DELETE")]
    chance.shuffle(first)
    while time.monotonic() < end:
        method, path = first.pop() if first else (chance.choice(["GET", "POST", "PUT", "DELETE", "PATCH"]), "")
        target = (path or chance.choice(paths)).encode()
        # What would take the ground away from under the rest of the run.
        if method == "DELETE" and target.rsplit(b"/", 1)[-1] in (b"ann", quote(channel).encode()):
            continue
        if chance.random() < 0.2:
            target = target.replace(b"ann" if b"users" in target else quote(channel).encode(), chance.choice(BAD_TEXT))
        parts = []
        for _ in range(chance.randint(0, 5)):
            value = chance.choice(BAD_NUMBERS).encode() if chance.random() < 0.6 else chance.choice(BAD_TEXT)
            parts.append(chance.choice(QUERIES).encode() + b"=" + value)
        target += b"?" + b"&".join(parts) if parts else b""
        body: bytes | None = None
        if method != "GET":
            if chance.random() < 0.2:
                body = chance.choice(BAD_BODIES)
            else:
                fields = {chance.choice(FIELDS): chance.choice(VALUES) for _ in range(chance.randint(0, 6))}
                # A revoked or deactivated self is a legal wish, but it ends the run's purpose.
                fields.pop("is_active", None)
                body = json.dumps(fields).encode()
        answer = raw.ask(method, target, body)
        judge(answer, method, target[:300], body and body[:300])
        refused += answer.status != 200
    raw.close()
    assert refused > 20
    lives(server)


def test_large_bodies_and_half_requests(server: Server) -> None:
    ann = server.user("ann")
    channel = ann.channel()
    raw = Raw(server.port, ann.rest.headers)
    large = b'{"message":"' + b"x" * (20 << 20) + b'"}'
    answer = raw.ask("POST", (channel.path + "/messages").encode(), large)
    judge(answer)
    assert answer.status == 400 and answer.json["code"] == 400110
    for body in (b"x" * (20 << 20), b"[" * (20 << 20)):
        answer = raw.ask("POST", b"/v3/group_channels", body)
        judge(answer)
        assert answer.json["code"] == 400403
    raw.close()
    request = (
        b"POST " + channel.path.encode() + b"/messages HTTP/1.1\r\nHost: x\r\nSession-Key: "
        + ann.rest.headers["Session-Key"].encode() + b'\r\nContent-Length: 15\r\n\r\n{"message":"h"}'
    )  # fmt: skip
    for end in range(1, len(request), 7):
        with plain.create_connection(("127.0.0.1", server.port), 5) as half:
            half.sendall(request[:end])
    lives(server)
    assert ann.rest.get(channel.path + "/messages", message_ts=2**62, prev_limit=10, next_limit=0)["messages"] == []


@pytest.mark.parametrize("seed", [1, 2])
def test_garbage_on_a_socket(server: Server, seed: int) -> None:
    chance = random.Random(seed)
    ann, bob = server.user("ann"), server.user("bob")
    server.admin.post("/v3/bots", {"bot_userid": "robo", "bot_nickname": "Robo"})
    ann.rest.post("/v3/polls", {"title": "p", "options": ["a", "b"], "allow_multiple_votes": True})
    channel = ann.channel(bob)
    b = bob.connect()
    end = time.monotonic() + SECONDS / 2
    rounds = 0
    while time.monotonic() < end or rounds < 5:
        rounds += 1
        a = ann.connect()
        # Proper frames with bad commands: each is answered or passed over, and the socket goes on.
        for _ in range(10):
            command = chance.choice("MESG FILE MEDI AEDI READ MACK TPST TPEN LOGI PING PONG ENTR EXIT X 🙂".split())
            fields = {chance.choice(FIELDS): chance.choice(VALUES) for _ in range(chance.randint(0, 4))}
            a.text(command + json.dumps({"channel_url": channel, **fields}))
            a.text(command + chance.choice(["", "{", "[]", "null", '{"req_id":', "[" * 3000, '"\\ud800"']))
        a.settle()
        for _, body in (entry for entry in list(a.history) if entry[0] == "EROR"):
            assert body["error"] is True and body["code"] > 0 and isinstance(body["message"], str)
        # Then bytes that are no frames, or frames that may not be.
        rubbish = chance.choice(
            [
                chance.randbytes(chance.randint(1, 3000)),
                b"\x81\x05hello",
                b"\x83\x80\0\0\0\0",
                b"\xf1\x80\0\0\0\0",
                b"\x80\x80\0\0\0\0",
                b"\x81\xff" + struct.pack(">Q", 2**63 + 5) + os.urandom(4),
                b"\x81\xff" + struct.pack(">Q", 1 << 40) + b"\0\0\0\0",
                b"\x81\x82\0\0\0\0\xff\xfe",
                b"\x89\xfe\x01\x00\0\0\0\0" + b"p" * 256,
                b"\x88\x81\0\0\0\0\x01",
                b"\x88\x82\0\0\0\0\0\0",
            ]
        )
        a.raw.sendall(rubbish)
        a.close()
    b.settle()
    lives(server)
