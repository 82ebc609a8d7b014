"""A client of the database over plain HTTP: requests, and event streams read line by line."""

from __future__ import annotations

import http.client
import json
import queue
import socket
import threading
import time
from typing import Any

from wire import DEADLINE, Answer, Rest

EVENT_STREAM = {"Accept": "text/event-stream"}


class Database:
    """One instance, in the name of the administration unless another token is given."""

    def __init__(self, server: Any, name: str = "test", token: str | None = "owner"):
        self.port = int(server.ready["database_url"].rsplit(":", 1)[1])
        self.query = f"ns={name}" + (f"&auth={token}" if token else "")
        self.rest = Rest(self.port, {})

    def target(self, path: str, query: str = "") -> str:
        return f"/{path}.json?{self.query}" + (f"&{query}" if query else "")

    def call(self, method: str, path: str, body: Any = None, query: str = "", **headers: str) -> Answer:
        return self.rest.call(method, self.target(path, query), body, **headers)

    def ok(self, method: str, path: str, body: Any = None, query: str = "", **headers: str) -> Any:
        answer = self.call(method, path, body, query, **headers)
        assert answer.status == 200, (method, path, answer.status, answer.body)
        return answer.json

    def get(self, path: str, query: str = "") -> Any:
        return self.ok("GET", path, query=query)

    def put(self, path: str, body: Any) -> Any:
        # None is a body of its own here.
        return self.ok("PUT", path, json.dumps(body).encode())

    def rules(self, rules: Any) -> None:
        self.ok("PUT", ".settings/rules", {"rules": rules})

    def listen(self, path: str, query: str = "") -> Listener:
        return Listener(self.port, self.target(path, query))


class Listener:
    """An event stream; its events can be waited for in their order."""

    def __init__(self, port: int, target: str):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
        self.connection.request("GET", target, headers=EVENT_STREAM)
        self.sock = self.connection.sock
        self.response = self.connection.getresponse()
        self.events: queue.Queue[tuple[str, Any] | None] = queue.Queue()
        self.end: str | None = None
        if self.response.status == 200:
            assert self.response.getheader("Content-Type") == "text/event-stream; charset=utf-8"
            self.thread = threading.Thread(target=self._read, daemon=True)
            self.thread.start()

    def _read(self) -> None:
        name = ""
        buffer = b""
        try:
            # Not by readline, which takes a connection that breaks for the end of the body.
            while piece := self.response.read1(1 << 20):
                *lines, buffer = (buffer + piece).split(b"\n")
                for line in lines:
                    if line.startswith(b"event: "):
                        name = line[7:].decode()
                    elif line.startswith(b"data: "):
                        self.events.put((name, json.loads(line[6:])))
            self.end = "complete"
        except (OSError, http.client.HTTPException) as error:
            self.end = type(error).__name__
        self.events.put(None)

    def next(self, keeps_alive: bool = False) -> tuple[str, Any]:
        """The next event; signs of life are passed over unless they are asked for."""
        end = time.monotonic() + DEADLINE
        while True:
            event = self.events.get(timeout=max(0.01, end - time.monotonic()))
            assert event is not None, f"the stream has ended: {self.end}"
            if keeps_alive or event[0] != "keep-alive":
                return event

    def put(self) -> tuple[str, Any]:
        name, data = self.next()
        assert name == "put", (name, data)
        return data["path"], data["data"]

    def wait_end(self) -> str:
        """How it has ended: "complete", or the error."""
        end = time.monotonic() + DEADLINE
        while self.events.get(timeout=max(0.01, end - time.monotonic())) is not None:
            pass
        assert self.end
        return self.end

    def close(self) -> None:
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.thread.join(DEADLINE)
        self.connection.close()
