"""A hostile server: answers logins as a chat service would, and then floods, stalls or never ends, as its mode says."""

import base64
import hashlib
import json
import os
import socket
import struct
import threading
import time

PIECE = 1 << 16
LOGIN = {
    "user_id": "a", "key": "k", "ekey": "e", "nickname": "a", "profile_url": "", "reconnect": {
        "interval": 1, "max_interval": 2, "mul": 1, "retry_cnt": 5}, "ping_interval": 15, "pong_timeout": 5,
    "login_ts": 1700000000000, "unread_cnt": {"all": 0, "custom_types": {}, "ts": 1}, "config_ts": 0}


def frame(text):
    size = len(text)
    if size < 126:
        head = struct.pack(">BB", 0x81, size)
    elif size < 65536:
        head = struct.pack(">BBH", 0x81, 126, size)
    else:
        head = struct.pack(">BBQ", 0x81, 127, size)
    return head + text


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


class Hostile:
    """mode: what to do with each kind of connection."""

    def __init__(self, mode):
        self.mode, self.sent, self.requests, self.stopped = mode, 0, 0, False
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.stopped:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.sockets.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def stop(self):
        self.stopped = True
        self.listener.close()
        for each in self.sockets:
            each.close()

    def head(self, connection):
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return None
            data += piece
        return data

    def put(self, connection, data):
        connection.sendall(data)
        self.sent += len(data)

    def serve(self, connection):
        try:
            while not self.stopped:
                data = self.head(connection)
                if data is None:
                    return
                self.requests += 1
                self.answer(connection, data)
        except OSError:
            pass
        finally:
            connection.close()

    def answer(self, connection, data):
        low = data.lower()
        if b"upgrade: websocket" in low:
            self.socket(connection, data)
        elif b"text/event-stream" in low:
            self.stream(connection)
        elif self.mode.startswith("http") and b"/v3/" in data.split(b"\r\n", 1)[0]:
            getattr(self, self.mode)(connection)
        else:
            self.plain(connection, {"channels": [], "next": "", "messages": [], "updated": [], "deleted": [],
                                    "has_more": False, "unread_count": 0})

    def plain(self, connection, body):
        text = json.dumps(body).encode()
        self.put(connection, b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                 % (len(text), text))

    # ---- the socket

    def socket(self, connection, data):
        if self.mode == "socket_no_handshake":
            time.sleep(3600)
        if self.mode == "socket_header_flood":
            self.forever(connection, b"HTTP/1.1 101 Switching Protocols\r\n", b"X-A: " + b"a" * 1000 + b"\r\n")
        key = [line for line in data.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:")][0]
        accept = base64.b64encode(hashlib.sha1(key.split(b":", 1)[1].strip()
                                               + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
        self.put(connection, b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n" + frame(b"LOGI" + json.dumps(LOGIN).encode()))
        self.flood_socket(connection)

    def flood_socket(self, connection):
        if self.mode == "socket_messages":
            number = 0
            while not self.stopped:
                number += 1
                message = {"msg_id": number, "ts": 1700000000000 + number, "channel_url": f"c{number % 5}",
                           "channel_type": "group", "message": "x" * 500, "user": {"user_id": "b", "name": "b"}}
                self.put(connection, frame(b"MESG" + json.dumps(message).encode()))
        elif self.mode == "socket_one_frame":
            self.forever(connection, struct.pack(">BBQ", 0x81, 127, 1 << 40), b"x" * PIECE)
        elif self.mode == "socket_fragments":
            self.forever(connection, struct.pack(">BB", 0x01, 4) + b"MESG",
                         struct.pack(">BBH", 0x00, 126, 60000) + b"x" * 60000)
        elif self.mode == "socket_pings":
            self.forever(connection, b"", (struct.pack(">BB", 0x89, 100) + b"p" * 100) * 100)
        elif self.mode == "socket_garbage":
            self.forever(connection, b"", frame(b"XXXX" + os.urandom(50).hex().encode()) * 100)
        else:
            while not self.stopped and connection.recv(65536):
                pass

    # ---- HTTP

    def forever(self, connection, first, piece):
        self.put(connection, first)
        while not self.stopped:
            self.put(connection, piece)

    def http_endless(self, connection):
        self.forever(connection, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(b" " * PIECE))

    def http_length(self, connection):
        self.forever(connection, b"HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n", b"[" * PIECE)

    def http_headers(self, connection):
        self.forever(connection, b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"a" * 4000 + b"\r\n")

    def http_one_header(self, connection):
        self.forever(connection, b"HTTP/1.1 200 OK\r\nX-A: ", b"a" * PIECE)

    def http_continue(self, connection):
        self.forever(connection, b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100)

    def http_slow(self, connection):
        self.put(connection, b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while not self.stopped:
            self.put(connection, b" ")
            time.sleep(0.5)

    def http_slow_headers(self, connection):
        self.put(connection, b"HTTP/1.1 200 OK\r\n")
        while not self.stopped:
            self.put(connection, b"X")
            time.sleep(0.5)

    def http_silent(self, connection):
        while not self.stopped:
            time.sleep(0.5)

    def http_redirect(self, connection):
        self.put(connection, b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /v3/again\r\nContent-Length: 0\r\n\r\n")

    def http_deep(self, connection):
        text = b"[" * 5000000
        self.put(connection, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))

    def http_gzip(self, connection):
        import zlib
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        text = packer.compress(b" " * (1 << 28)) + packer.flush()
        self.put(connection, b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s"
                 % (len(text), text))

    # ---- event streams

    def stream(self, connection):
        self.put(connection, b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        first = b"event: put\ndata: {\"path\":\"/\",\"data\":{}}\n\n"
        if self.mode == "stream_events":
            number = 0
            self.put(connection, first)
            while not self.stopped:
                number += 1
                self.put(connection, b"event: put\ndata: {\"path\":\"/k%d\",\"data\":\"%s\"}\n\n"
                         % (number % 1000, b"y" * 1000))
        elif self.mode == "stream_new_keys":
            number = 0
            self.put(connection, first)
            while not self.stopped:
                number += 1
                self.put(connection, b"event: patch\ndata: {\"path\":\"/\",\"data\":{\"k%d\":\"%s\"}}\n\n"
                         % (number, b"y" * 1000))
        elif self.mode == "stream_one_line":
            self.forever(connection, b"event: put\ndata: ", b"z" * PIECE)
        elif self.mode == "stream_many_lines":
            self.forever(connection, b"event: put\n", b"data: zzzzzzzzzzzzzzz\n" * 1000)
        elif self.mode == "stream_comments":
            self.forever(connection, first, b": comment\n\n" * 1000)
        elif self.mode == "stream_nothing":
            self.forever(connection, first, b"\n" * 10000)
        else:
            self.put(connection, first)
            while not self.stopped:
                time.sleep(0.5)
