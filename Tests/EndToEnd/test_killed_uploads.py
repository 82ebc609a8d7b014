"""Processes that are killed while they send a file: the message is sent once, and what the service has is not uploaded
again once that is on the disk."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import time

import pytest
from harness import PATIENCE, ROOT, Server

#: Sends the file, and dies at the k-th event from that on which tells of the pending message, since then it is promised
#: to be sent (0: not by itself). Without a file it only waits for what is left to be sent.
HOST = """
import json, os, signal, sys
from library import Client, lib

config, path, deaths = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with Client(config) as client:
    assert client.error is None, client.error
    opened, error = client.messages("c", {})
    assert error is None, error
    assert lib.sm_connect(client.handle, None, None, None, None) == 0
    client.wait("result", call="connect", status=0)
    assert lib.sm_fetch(opened, 1, None, None, None, None) == 0
    if path:
        message = json.dumps({"message": "look", "request_id": "r", "file": {"path": path}}).encode()
        assert lib.sm_send_message(opened, message, None, None, None, None) == 0
    print("sending", flush=True)
    events = 0
    while True:
        event = client.next_event()
        assert event is not None, "nothing happens any more"
        told = (event.get("list"), event.get("action")) if event["type"] == "change" else None
        if events or told == ("pending", "insert"):
            events += 1
        if deaths and events == deaths:
            os.kill(os.getpid(), signal.SIGKILL)
        if told == ("succeeded", "insert") and any(shown["message"] == "look" for shown in event["messages"]):
            break
print("sent", flush=True)
"""


def start(config: dict, path: str, deaths: int) -> subprocess.Popen:
    folders = [ROOT / "bindings/python", ROOT / "Tests/Schemas"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    return subprocess.Popen(
        [sys.executable, "-c", HOST, json.dumps(config), path, str(deaths)], stdout=subprocess.PIPE, text=True,
        env=environment)


def uploads(server: Server) -> int:
    return sum("/storage/file" in entry.get("target", "") for entry in server.received())


def await_received(server: Server, text: str) -> None:
    end = time.monotonic() + PATIENCE
    while not any(text in entry.get("target", entry.get("text", "")) for entry in server.received()):
        assert time.monotonic() < end, f"{text} does not arrive"


def acknowledged(data) -> bool:
    """Whether the device has on its disk that the service has the file, or that the message is sent."""
    with contextlib.closing(sqlite3.connect(next(data.rglob("intents.db")))) as outbox:
        return all("url" in json.loads(body)["file"] for (body,) in outbox.execute("SELECT body FROM intent"))


#: At the k-th event; or when the server has the file, and its answer is held back; or when it has the
#: message, and its acknowledgement is lost.
POINTS = [*range(1, 15), *["upload"] * 3, *["message"] * 3]


@pytest.mark.parametrize("point", POINTS, ids=[f"{number}-{point}" for number, point in enumerate(POINTS)])
def test_a_kill_ends_with_one_message(tmp_path, point):
    file = tmp_path / "a.bin"
    file.write_bytes(os.urandom(3_000_000))
    with Server() as server:
        mei = server.create_user("mei")
        server.create_channel("c", "mei", "bo")
        config = server.config(mei, tmp_path / "data")
        if point == "upload":
            server.control("delay", path_prefix="/v3/storage", ms=60_000)
        elif point == "message":
            server.control("lose_next_ack", count=1)
        host = start(config, str(file), point if isinstance(point, int) else 0)
        assert host.stdout.readline() == "sending\n"
        if not isinstance(point, int):
            await_received(server, "/storage/file" if point == "upload" else "FILE")
            host.kill()
        # Fewer events than that: it has sent the message.
        is_done = host.stdout.read() == "sent\n"
        host.wait(PATIENCE)
        assert not is_done or isinstance(point, int)
        was_acknowledged = is_done or acknowledged(tmp_path / "data")
        before = uploads(server)
        server.control("clear_faults")
        again = start(config, "", 0)
        assert again.communicate(timeout=PATIENCE)[0] == "sending\nsent\n"
        assert again.returncode == 0
        sent = [message for message in server.messages("c") if message["message"] == "look"]
        assert len(sent) == 1 and sent[0]["file"]["size"] == 3_000_000, sent
        assert uploads(server) <= (before if was_acknowledged else before + 1), "it is uploaded again"
