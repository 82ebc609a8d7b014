"""A write that is in flight when its client closes ends there: the next client sends it again, and others behind it."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from harness import PATIENCE

from syncmanager.blocking import SyncManager


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body: bytes):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(b"null")

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.holds:
            self.server.come.set()
            # Its client closes the connection, or it is written in the end, behind all others.
            if self.rfile.read(1) == b"":
                self.server.gone.set()
                self.close_connection = True
                return
        self.server.written.append(body)
        self.answer(body)


@pytest.fixture
def database():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.holds, server.written = True, []
    server.come, server.gone = threading.Event(), threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(PATIENCE)


def test_a_write_in_flight_ends_with_its_client(database, tmp_path):
    def client(user):
        return SyncManager(
            app_id="app", user_id=user, data_dir=str(tmp_path), access_token="t", api_host="http://127.0.0.1:9",
            ws_host="ws://127.0.0.1:9", request_timeout_ms=120_000,
            database={"url": f"http://127.0.0.1:{database.server_port}"})

    # Somebody else in the process keeps the network's thread.
    with client("bo") as other:
        assert other.database.get("a") is None
        with client("mei") as first:
            first.start.call("database_set", path="a", value=1, when="kept").result(PATIENCE)
            assert database.come.wait(PATIENCE)
        assert database.gone.wait(PATIENCE), "the write of the closed client is still in flight"
        database.holds = False
        with client("mei") as second:
            second.start.call("database_set", path="a", value=2).result(PATIENCE)
    assert database.written == [b"1", b"2"]
