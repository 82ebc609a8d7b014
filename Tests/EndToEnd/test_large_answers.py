"""A database whose answers are huge or never end: each call ends by itself, and memory stays small."""

from __future__ import annotations

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from harness import PATIENCE

from syncmanager.blocking import SyncManager
from syncmanager.errors import CallTimeoutError, SyncManagerError, TooLargeError

MIB = 1 << 20
CALLS = 30
PIECE = b"100000\r\n" + b"x" * MIB + b"\r\n"


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 2 * CALLS


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        if self.path.startswith("/small"):
            self.send_header("Content-Length", "1")
            self.end_headers()
            self.wfile.write(b"1")
            return
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            if self.path.startswith("/slow"):
                for _ in range(3):
                    self.wfile.write(PIECE)
                self.server.come.release()
                # Says no more until the other end has closed.
                self.rfile.read(1)
            else:
                self.wfile.write(b'1\r\n"\r\n')
                while True:
                    self.wfile.write(PIECE)
        except OSError:
            pass
        self.close_connection = True
        self.server.gone.release()


@pytest.fixture
def database():
    server = Server(("127.0.0.1", 0), Handler)
    server.come = threading.Semaphore(0)
    server.gone = threading.Semaphore(0)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(PATIENCE)


@pytest.fixture
def client(database, tmp_path):
    url = f"http://127.0.0.1:{database.server_port}"
    with SyncManager(
        app_id="app", user_id="mei", data_dir=str(tmp_path), access_token="t", api_host="http://127.0.0.1:9",
        ws_host="ws://127.0.0.1:9", database={"url": url}
    ) as client:
        assert client.database.get("small") == 1
        yield client


def memory(name):
    """Of this process, in bytes: VmRSS now, VmHWM at most since `forget_peak`."""
    return int(re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) << 10


def forget_peak():
    Path("/proc/self/clear_refs").write_text("5")


def outcome(call):
    with pytest.raises(SyncManagerError) as caught:
        call.result(PATIENCE)
    return caught.value


def ask(client, prefix, timeout):
    """As many reads at once, with how each ended."""
    calls = [
        client.start.call("database_get", path=f"{prefix}{number}", timeout_ms=timeout) for number in range(CALLS)]
    return [outcome(call) for call in calls]


def test_answers_that_never_end_are_bounded(database, client):
    before = memory("VmRSS")
    forget_peak()
    errors = ask(client, "endless", 60_000)
    assert {type(error) for error in errors} == {TooLargeError}, errors
    messages = {error.message for error in errors}
    assert messages <= {
        "the answer is larger than 67108864 bytes",
        "the answers in flight hold more than 134217728 bytes together"}
    peak = memory("VmHWM") - before
    for _ in errors:
        assert database.gone.acquire(timeout=PATIENCE)
    left = memory("VmRSS") - before
    print(f"peak {peak / MIB:.0f} MiB, left {left / MIB:.0f} MiB, {len(messages)} messages")
    assert peak < 200 * MIB
    assert left < 64 * MIB
    assert client.database.get("small") == 1


def test_a_request_ends_with_its_call(database, client):
    """Not with its own time, which is 30 s."""
    before = memory("VmRSS")
    errors = ask(client, "slow", 2000)
    assert {type(error) for error in errors} == {CallTimeoutError}, errors
    assert all(error.result for error in errors), "the calls have not ended"
    assert database.come.acquire(timeout=PATIENCE)
    come = 1
    while database.come.acquire(blocking=False):
        come += 1
    for _ in range(come):
        assert database.gone.acquire(timeout=min(PATIENCE, 20)), "a request outlives its call"
    left = memory("VmRSS") - before
    print(f"{come} were answered, left {left / MIB:.0f} MiB")
    assert left < 64 * MIB
    assert client.database.get("small") == 1


def test_what_the_host_cancels_ends(database, client):
    calls = [client.start.call("database_get", path=f"slow{number}", timeout_ms=60_000) for number in range(CALLS)]
    for _ in calls:
        assert database.come.acquire(timeout=PATIENCE)
    for call in calls:
        client.call("cancel", request=call.request)
    for _ in calls:
        assert database.gone.acquire(timeout=min(PATIENCE, 20)), "a request outlives its call"
    assert client.database.get("small") == 1
