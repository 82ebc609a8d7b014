"""More than a host can take in: what waits is bounded, calls are answered, and nothing is missing afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from flooded import END
from harness import Server

#: Bytes of memory that a flood may cost a host.
ROOM = 40 << 20
PATIENCE = 300
CHANNEL = "flooded"


class FloodHandler(BaseHTTPRequestHandler):
    """A realtime database each of whose streams is a flood: 16 KiB a value, as fast as it is read."""

    protocol_version = "HTTP/1.1"
    #: Values of one stream.
    count = 4000
    #: Children of a place that grows.
    children = 6000

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:  # noqa: N802
        if self.headers.get("Accept") != "text/event-stream":
            return self.answer(json.dumps(END).encode())
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.put("the beginning")
        assert self.server.may_begin.wait(PATIENCE)
        if self.path.startswith("/growing"):
            self.grow()
        else:
            filler = "x" * (16 << 10)
            for number in range(self.count):
                self.put(f"{number} {filler}")
        self.put(END)
        self.server.is_told.set()
        # A stream that ended would begin again.
        self.server.may_end.wait(PATIENCE)

    def grow(self) -> None:
        """A child more each time, and the host is told of all of them."""
        for number in range(self.children):
            data = json.dumps({"path": f"/k{number}", "data": "y" * 1000})
            self.wfile.write(f"event: put\ndata: {data}\n\n".encode())

    def put(self, value: str) -> None:
        data = json.dumps({"path": "/", "data": value})
        self.wfile.write(f"event: put\ndata: {data}\n\n".encode())

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def flooding_database():
    server = ThreadingHTTPServer(("127.0.0.1", 0), FloodHandler)
    server.daemon_threads = True
    server.may_begin, server.may_end, server.is_told = (threading.Event() for _ in range(3))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.may_end.set()
    server.shutdown()
    thread.join()
    server.server_close()


def flood(config: dict, kind: str, targets: list[str], begin) -> dict:
    """What a host of its own process says of the flood that `begin` lets loose when it listens. It may read when that
    has returned."""
    program = Path(__file__).with_name("flooded.py")
    with subprocess.Popen(
        [sys.executable, str(program), json.dumps(config), kind, *targets], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        begin()
        told, _ = process.communicate("read\n", timeout=PATIENCE)
        assert process.returncode == 0
    result = json.loads(told)
    print({**result, "shown": None})
    return result


@pytest.mark.parametrize("streams", [1, 5])
def test_a_flood_of_database_events(streams, flooding_database, tmp_path):
    url = f"http://127.0.0.1:{flooding_database.server_address[1]}"
    config = {
        "app_id": "floods", "user_id": "mei", "data_dir": str(tmp_path), "api_host": url,
        "database": {"url": url, "name": "floods"}}
    targets = [f"place{number}" for number in range(streams)]
    result = flood(config, "database", targets, flooding_database.may_begin.set)
    assert result["peak"] - result["before"] <= ROOM, result
    assert result["calls"] > 0
    assert result["shown"] == [END] * streams


def test_values_that_nobody_reads(flooding_database, tmp_path):
    """Each is the whole place, which grows: 6,000 of them would take more than half a gigabyte."""
    url = f"http://127.0.0.1:{flooding_database.server_address[1]}"
    config = {
        "app_id": "floods", "user_id": "mei", "data_dir": str(tmp_path), "api_host": url, "queue_limit": 10000,
        "database": {"url": url, "name": "floods"}}

    def begin() -> None:
        flooding_database.may_begin.set()
        assert flooding_database.is_told.wait(PATIENCE)

    result = flood(config, "unread", ["growing"], begin)
    assert result["peak"] - result["before"] <= 2 * ROOM, result
    assert result["shown"] == [END]


def test_a_flood_of_messages(tmp_path):
    """The server ends the connection of a client that reads too slowly; then sync begins again."""
    with Server() as server:
        for user in ("mei", "bo"):
            server.create_user(user)
        server.create_channel(CHANNEL, "mei", "bo")
        server.post(CHANNEL, "bo", "first")

        def begin() -> None:
            for _ in range(20):
                server.post_many(CHANNEL, "bo", 1000)
            server.post(CHANNEL, "bo", END)

        config = server.config({"user_id": "mei", "access_token": "token-mei"}, tmp_path)
        result = flood(config, "messages", [CHANNEL], begin)
        assert result["peak"] - result["before"] <= ROOM, result
        assert result["calls"] > 0
        # A collection shows its newest thousand.
        shown = result["shown"]
        assert len(shown) == 1000
        assert shown == [message["message_id"] for message in server.messages(CHANNEL)][-1000:]
