"""A chat client of the bare wire: HTTP and WebSocket over plain sockets, nothing decoded behind the test's back."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import socket
import struct
import threading
import time
import urllib.parse
from collections import deque
from typing import Any, Callable

DEADLINE = 10.0


class Answer:
    def __init__(self, status: int, body: bytes, headers: dict[str, str]):
        self.status = status
        self.body = body
        self.headers = headers

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def quote(text: str) -> str:
    return urllib.parse.quote(text, safe="")


class Rest:
    """REST calls with one set of credentials over one kept connection."""

    def __init__(self, port: int, headers: dict[str, str]):
        self.port = port
        self.headers = headers
        self.connection: http.client.HTTPConnection | None = None

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        for attempt in range(2):
            connection = self.connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
            fresh = self.connection is None
            self.connection = connection
            try:
                connection.putrequest(method, path, skip_accept_encoding=True)
                for name, value in {**self.headers, **headers}.items():
                    connection.putheader(name.replace("_", "-"), value)
                if data is not None:
                    connection.putheader("Content-Length", str(len(data)))
                    connection.putheader("Content-Type", "application/json")
                connection.endheaders(data)
                response = connection.getresponse()
                return Answer(response.status, response.read(), dict(response.getheaders()))
            except http.client.IncompleteRead:
                self.close()
                raise
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self.close()
                # A kept connection may have been closed meanwhile; a fresh one that breaks is news.
                if fresh or method != "GET":
                    raise
        raise AssertionError("unreachable")

    def close(self) -> None:
        if self.connection:
            self.connection.close()
        self.connection = None

    def ok(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        answer = self.call(method, path, body, **headers)
        assert answer.status == 200, (method, path, answer.status, answer.body)
        return answer.json

    def get(self, path: str, **query: Any) -> Any:
        text = urllib.parse.urlencode(
            {k: str(v).lower() if isinstance(v, bool) else v for k, v in query.items()}, doseq=True
        )
        return self.ok("GET", path + ("?" + text if text else ""))

    def post(self, path: str, body: Any = None) -> Any:
        return self.ok("POST", path, {} if body is None else body)

    def put(self, path: str, body: Any = None) -> Any:
        return self.ok("PUT", path, {} if body is None else body)

    def delete(self, path: str, body: Any = None) -> Any:
        return self.ok("DELETE", path, body)

    def refused(self, code: int, method: str, path: str, body: Any = None) -> Answer:
        answer = self.call(method, path, body)
        assert answer.status >= 400, answer.body
        assert answer.body.startswith(b'{"error":true'), answer.body
        assert answer.json["code"] == code, answer.body
        return answer


class Socket:
    """A WebSocket with its own reader thread; commands can be waited for."""

    def __init__(self, port: int, target: str, headers: dict[str, str] | None = None, greeting: str = "LOGI"):
        self.raw = socket.create_connection(("127.0.0.1", port), DEADLINE)
        self.raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        head = f"GET {target} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
        head += "".join(f"{k}: {v}\r\n" for k, v in (headers or {}).items())
        self.raw.sendall((head + "\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            piece = self.raw.recv(65536)
            if not piece:
                raise ConnectionError("closed during the handshake")
            self.buffer += piece
        answer, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self.answer = answer.decode()
        if " 101 " not in self.answer.split("\r\n")[0]:
            raise ConnectionError(self.answer)
        expected = base64.b64encode(
            hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        ).decode()
        assert f"Sec-WebSocket-Accept: {expected}" in self.answer
        self.commands: deque[tuple[str, Any]] = deque()
        self.history: list[tuple[str, Any]] = []
        self.changed = threading.Condition()
        self.closed = False
        self.close_code: int | None = None
        self.raw.settimeout(None)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        self.logi = self.wait(greeting) if greeting else None

    def _take(self, count: int) -> bytes:
        while len(self.buffer) < count:
            piece = self.raw.recv(262144)
            if not piece:
                raise ConnectionError
            self.buffer += piece
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def _read(self) -> None:
        try:
            while True:
                first, second = self._take(2)
                length = second & 127
                assert not second & 128, "a server does not mask"
                if length == 126:
                    (length,) = struct.unpack(">H", self._take(2))
                elif length == 127:
                    (length,) = struct.unpack(">Q", self._take(8))
                payload = self._take(length)
                opcode = first & 15
                if opcode == 8:
                    self.close_code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 1005
                    self._send(8, payload)
                    continue
                if opcode != 1:
                    continue
                with self.changed:
                    for line in payload.decode().split("\n"):
                        if line:
                            entry = (line[:4], json.loads(line[4:]))
                            self.commands.append(entry)
                            self.history.append(entry)
                    self.changed.notify_all()
        except (OSError, ConnectionError):
            with self.changed:
                self.closed = True
                self.changed.notify_all()

    def _send(self, opcode: int, payload: bytes) -> None:
        mask = os.urandom(4)
        length = len(payload)
        head = bytes([0x80 | opcode])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", length)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", length)
        masked = bytes(b ^ mask[i & 3] for i, b in enumerate(payload))
        try:
            self.raw.sendall(head + mask + masked)
        except OSError:
            pass

    def text(self, text: str) -> None:
        self._send(1, text.encode())

    def send(self, command: str, **payload: Any) -> None:
        self.text(command + json.dumps(payload) + "\n")

    def wait(self, command: str, test: Callable[[Any], bool] = lambda _: True) -> Any:
        """The next such command; what came before it stays for later waits."""
        end = time.monotonic() + DEADLINE
        with self.changed:
            while True:
                for index, (name, body) in enumerate(self.commands):
                    if name == command and test(body):
                        del self.commands[index]
                        return body
                left = end - time.monotonic()
                assert (
                    left > 0 and not self.closed
                ), f"no {command}; got {list(self.commands)[-20:]}, closed: {self.closed}"
                self.changed.wait(left)

    def system(self, category: int) -> Any:
        return self.wait("SYEV", lambda body: body["cat"] == category)

    def settle(self) -> None:
        """Everything the server had to say before now is here afterwards."""
        self.send("PING", id=int(time.time() * 1000))
        self.wait("PONG")

    def count(self, command: str, test: Callable[[Any], bool] = lambda _: True) -> int:
        self.settle()
        return sum(1 for name, body in self.history if name == command and test(body))

    def wait_closed(self) -> None:
        end = time.monotonic() + DEADLINE
        with self.changed:
            while not self.closed:
                left = end - time.monotonic()
                assert left > 0, "the socket stays open"
                self.changed.wait(left)

    def close(self) -> None:
        try:
            self.raw.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.thread.join(DEADLINE)
        self.raw.close()
