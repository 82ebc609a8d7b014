"""A chat service that answers from a file of pages: the network side of an ingest, cheap enough not to dominate it.

It holds one channel of messages, written by pages.c, and as many empty ones as wanted. Requests for messages are
answered by time as the service does it: all messages of exactly that time, and up to the limits before and after it.
Nothing is parsed or serialized while it answers: each message goes out as the bytes of the file.
"""

import base64
import hashlib
import json
import mmap
import re
import socketserver
import struct
import threading
from array import array
from bisect import bisect_left, bisect_right
from urllib.parse import parse_qs, urlsplit

CHANNEL = "benchmark"
MESSAGE = re.compile(rb'\{"type":"MESG","message_id":(\d+),')
TIME = re.compile(rb'"created_at":(\d+),"updated_at"')
HANDSHAKE = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Messages:
    """Where each of the newest `count` messages lies in the file, oldest first."""

    def __init__(self, path, count):
        with open(path, "rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.starts, self.ends, self.times = array("q"), array("q"), array("q")
        lines, offset = [], 0
        while count > 0 and offset < len(self.data):
            end = self.data.find(b"\n", offset)
            # The newest page comes first, each page oldest first.
            found = [match.start() for match in MESSAGE.finditer(self.data, offset, end)][-count:]
            lines.append([*found, end - 1])  # behind the last message stands "]}"
            count -= len(found)
            offset = end + 1
        for line in reversed(lines):
            for start, end in zip(line, line[1:]):
                self.starts.append(start)
                self.ends.append(end - 1)  # without the comma or bracket
                self.times.append(int(TIME.search(self.data, start, end)[1]))
        self.bytes = sum(self.ends) - sum(self.starts)

    def around(self, time, before, after, reverse):
        low, high = bisect_left(self.times, time), bisect_right(self.times, time)
        places = range(max(0, low - before), min(len(self.times), high + after))
        if reverse:
            places = reversed(places)
        return b",".join(self.data[self.starts[place]:self.ends[place]] for place in places)


def channel(number):
    """A group channel as the service lists it; number 0 is the one with messages."""
    url = CHANNEL if number == 0 else f"{CHANNEL}-{number:05}"
    members = [
        {"user_id": user, "nickname": user.title(), "profile_url": f"https://example.org/p/{user}.png", "metadata": {},
         "is_active": True, "is_online": False, "last_seen_at": 0, "state": "joined", "role": "", "is_muted": False}
        for user in ("user", f"user_{number % 200:03}")]
    last = {
        "type": "MESG", "message_id": 5_000_000 + number, "message": f"see the notes of meeting {number} before noon",
        "data": "", "custom_type": "", "created_at": 1_750_000_000_000 + number * 1000, "updated_at": 0,
        "channel_url": url, "channel_type": "group", "user": members[1], "mention_type": "users",
        "mentioned_users": [], "reactions": [], "sorted_metaarray": [], "silent": False}
    return {
        "channel_url": url, "name": f"Channel {number}", "cover_url": "", "data": "", "custom_type": "",
        "created_at": 1_700_000_000 + number, "is_distinct": False, "is_super": False, "is_public": False,
        "is_broadcast": False, "freeze": False, "member_count": 2, "joined_member_count": 2, "members": members,
        "unread_message_count": number % 7, "unread_mention_count": 0, "is_hidden": False, "hidden_state": "unhidden",
        "member_state": "joined", "my_role": "", "count_preference": "all", "push_trigger_option": "default",
        "read_receipt": {}, "delivery_receipt": {}, "metadata": {}, "last_message": last if number else None}


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        try:
            while request := self.rfile.readline():
                headers = {}
                while (line := self.rfile.readline()) not in (b"\r\n", b""):
                    name, _, value = line.partition(b":")
                    headers[name.strip().lower()] = value.strip()
                self.rfile.read(int(headers.get(b"content-length", 0)))
                if b"sec-websocket-key" in headers:
                    return self.socket(headers[b"sec-websocket-key"])
                body = self.server.answer(urlsplit(request.split()[1].decode()))
                self.wfile.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
                self.wfile.write(body)
        except (ConnectionError, TimeoutError):
            pass  # the client has gone

    def socket(self, key):
        accept = base64.b64encode(hashlib.sha1(key + HANDSHAKE).digest())
        self.wfile.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                         b"Sec-WebSocket-Accept: %s\r\n\r\n" % accept)
        login = {
            "user_id": "user", "nickname": "User", "profile_url": "", "key": "session", "login_ts": 1_760_000_100_000,
            "ping_interval": 15, "pong_timeout": 5, "reconnect": {"interval": 3, "max_interval": 24, "mul": 2}}
        self.send(b"LOGI" + json.dumps(login).encode())
        while head := self.rfile.read(2):
            length = head[1] & 127
            if length > 125:
                length = int.from_bytes(self.rfile.read(2 if length == 126 else 8), "big")
            mask, data = self.rfile.read(4), self.rfile.read(length)
            text = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data[:4]))
            if head[0] & 15 == 8:
                return
            if text == b"PING":
                self.send(b"PONG{}")

    def send(self, text):
        size = bytes([len(text)]) if len(text) < 126 else b"\x7e" + struct.pack(">H", len(text))
        self.wfile.write(b"\x81" + size + text)


class Canned(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, messages=None, channels=1):
        super().__init__(("127.0.0.1", 0), Handler)
        self.messages = messages
        self.channels = [json.dumps(channel(number)).encode() for number in range(channels)]
        self.threads = threading.Thread(target=self.serve_forever, daemon=True)
        self.threads.start()

    def config(self, folder):
        port = self.server_address[1]
        return json.dumps({
            "app_id": CHANNEL, "user_id": "user", "access_token": "token", "data_dir": str(folder),
            "api_host": f"http://127.0.0.1:{port}", "ws_host": f"ws://127.0.0.1:{port}"})

    def answer(self, url):
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path.endswith("/changelogs"):
            return b'{"updated":[],"deleted":[],"has_more":false,"next":"t"}'
        if url.path.endswith("/messages_gap"):
            return (b'{"is_huge_gap":false,"prev_messages":[],"prev_hasmore":false,"next_messages":[],'
                    b'"next_hasmore":false}')
        if url.path.endswith("/my_group_channels"):
            start = int(query.get("token", 0))
            end = start + int(query.get("limit", 10))
            # The latest message comes first; the one channel with messages is last.
            page = b",".join(self.channels[::-1][start:end])
            token = str(end) if end < len(self.channels) else ""
            return b'{"channels":[' + page + b'],"next":"' + token.encode() + b'"}'
        if url.path.endswith("/messages"):
            page = b""
            if self.messages and url.path.endswith(f"/{CHANNEL}/messages"):
                page = self.messages.around(
                    int(query["message_ts"]), int(query.get("prev_limit", 0)), int(query.get("next_limit", 0)),
                    query.get("reverse") == "true")
            return b'{"messages":[' + page + b"]}"
        return self.channels[0]

    def close(self):
        self.shutdown()
        self.server_close()
