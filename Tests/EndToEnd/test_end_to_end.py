"""C and Python programs against the real server: live, killed, restarted, flooded."""

from __future__ import annotations

import gzip
import json
import logging
import os
import random
from pathlib import Path

import checked
import pytest
from harness import PATIENCE, ROOT, Server, Watch, drain_until, fetch_all

from syncmanager import log_to
from syncmanager.blocking import SyncManager

REAL = ROOT.parent / "shared/data/chat-real.jsonl.gz"
LONG = "SM_LONG" in os.environ


@pytest.fixture
def server(tmp_path):
    with Server(db=tmp_path / "server.db") as server:
        server.mei, server.bo = server.create_user("mei"), server.create_user("bo")
        yield server


def texts(view):
    return [message["message"] for message in view.items]


def ask(program, command):
    snapshot = program.ask(command)
    checked.told("collection-snapshot", snapshot)
    return snapshot


def connected(server, tmp_path, **more):
    client = SyncManager(**server.config(server.mei, tmp_path / "data", **more))
    client.connect(timeout=PATIENCE)
    return client


@pytest.mark.parametrize("url", ["plain", "a/b", "a+b", "a&b=c", "a;b", "50%25", "日本"])
def test_every_channel_url_works(server, tmp_path, url):
    server.create_channel(url, "mei", "bo", name="N")
    server.post(url, "bo", "one")
    with connected(server, tmp_path) as client:
        view = client.messages(url)
        fetch_all(view.fetch)
        assert texts(view) == ["one"]
        assert view.send("two", timeout=PATIENCE)["message"] == "two"
        assert texts(view) == ["one", "two"]
        channels = client.channels()
        fetch_all(channels.fetch)
        assert [channel["channel_url"] for channel in channels.items] == [url]
    assert [message["message"] for message in server.messages(url)] == ["one", "two"]


def test_posts_edits_and_deletions_change_the_list_in_place(server, tmp_path):
    server.create_channel("c", "mei", "bo")
    first = server.post("c", "bo", "first")
    with connected(server, tmp_path) as client:
        view = client.messages("c")
        fetch_all(view.fetch)
        second = server.post("c", "bo", "second")
        drain_until(
            client,
            lambda e: e["type"] == "change" and e["source"] == "event_message_received" and "collection" in e)
        server.edit("c", first["message_id"], "FIRST")
        event = drain_until(client, lambda e: e.get("source") == "event_message_updated" and e["type"] == "change")
        assert event["action"] == "update" and event["changes"][0] == {"index": 0, "id": str(first["message_id"])}
        server.delete("c", second["message_id"])
        event = drain_until(
            client, lambda e: e.get("source") == "event_message_deleted" and e.get("list") == "succeeded")
        assert event["changes"] == [{"index": 1, "id": str(second["message_id"])}]
        assert texts(view) == ["FIRST"]


def test_the_server_dies_and_returns(server, tmp_path):
    server.create_channel("c", "mei", "bo")
    for number in range(50):
        server.post("c", "bo", f"m{number}")
    with connected(server, tmp_path) as client:
        view = client.messages("c", limit=100)
        fetch_all(view.fetch)
        assert len(texts(view)) == 50
        server.kill()
        drain_until(client, lambda e: e["type"] == "connection" and e["state"] in ("waiting", "disconnected"))
        call = view.start.send("written while the server was dead")
        drain_until(client, lambda e: e.get("list") == "pending" and e.get("action") == "insert")
        server.restart()
        for number in range(50, 60):
            server.post("c", "bo", f"m{number}")
        call.result(PATIENCE)
        if len(view.items) < 61:
            drain_until(client, lambda e: len(view.items) == 61)
        assert [m["message_id"] for m in view.items] == [m["message_id"] for m in server.messages("c")]


def test_a_new_process_shows_the_cache_without_a_server(server, tmp_path, watch_program):
    server.create_channel("c", "mei", "bo", name="Lunch")
    for number in range(5):
        server.post("c", "bo", f"m{number}")
    config = server.config(server.mei, tmp_path / "data")
    program = Watch(watch_program, config, "c")
    program.wait("synced c")
    live = ask(program, "snapshot")["succeeded"]
    program.kill()
    server.kill()
    program = Watch(watch_program, config, "c")
    program.wait("= fetch", "SM_OK")
    program.wait("= fetch", "SM_OK")
    assert ask(program, "snapshot")["succeeded"] == live and len(live) == 5
    assert [channel["name"] for channel in ask(program, "channels")["channels"]] == ["Lunch"]
    assert program.quit() == 0


def test_without_libcurl_the_cache_is_shown_and_the_connection_says_what_is_missing(server, tmp_path, watch_program):
    server.create_channel("c", "mei", "bo", name="Lunch")
    server.post("c", "bo", "one")
    config = server.config(server.mei, tmp_path / "data")
    program = Watch(watch_program, config, "c")
    program.wait("synced c")
    program.kill()
    libraries = tmp_path / "libraries"
    libraries.mkdir()
    for name in "libcurl.so.4", "libcurl-gnutls.so.4":
        (libraries / name).write_text("no library")
    program = Watch(watch_program, config, "c", libraries=libraries)
    results = {"= connect:": [], "= fetch:": []}
    while not results["= connect:"] or len(results["= fetch:"]) < 2:
        line = program.next_line()
        for kind, lines in results.items():
            if line.startswith(kind):
                lines.append(line)
    assert "SM_ERR_NETWORK" in results["= connect:"][0] and "libcurl.so.4" in results["= connect:"][0]
    assert all("SM_OK" in line for line in results["= fetch:"])
    assert [message["message"] for message in ask(program, "snapshot")["succeeded"]] == ["one"]
    assert program.quit() == 0


def test_a_lost_acknowledgement_makes_no_second_message(server, tmp_path):
    server.create_channel("c", "mei", "bo")
    with connected(server, tmp_path, request_timeout_ms=1000) as client:
        view = client.messages("c")
        fetch_all(view.fetch)
        server.control("lose_next_ack", count=1)
        view.start.send("once")
        drain_until(client, lambda e: e.get("list") == "succeeded" and e.get("action") == "insert")
        assert texts(view) == ["once"]
        assert view.pending == [] and view.failed == []
    assert [message["message"] for message in server.messages("c")] == ["once"]


def test_an_expired_session_key_is_renewed(server, tmp_path):
    server.create_channel("c", "mei", "bo")
    server.post("c", "bo", "one")
    with connected(server, tmp_path) as client:
        server.control("expire_session_keys")
        view = client.messages("c")
        fetch_all(view.fetch)
        assert texts(view) == ["one"]


@pytest.mark.parametrize("kind", ["429", "5xx", "garbage", "half_body", "close"])
def test_faults_of_the_service_are_overcome(server, tmp_path, kind):
    server.create_channel("c", "mei", "bo")
    for number in range(150):
        server.post("c", "bo", f"m{number}")
    with connected(server, tmp_path) as client:
        server.fault(kind, 2, path_contains="/messages")
        view = client.messages("c", limit=200)
        fetch_all(view.fetch)
        assert texts(view) == [f"m{number}" for number in range(150)]


def test_a_host_that_lags_gets_the_whole_view(server, tmp_path):
    server.create_channel("c", "mei", "bo")
    with connected(server, tmp_path, queue_limit=16) as client:
        view = client.messages("c")
        fetch_all(view.fetch)
        # Another client sees them all first: until then this one drains nothing, and its queue has room for 16.
        with SyncManager(**server.config(server.bo, tmp_path / "bo", queue_limit=10_000)) as other:
            other.connect(timeout=PATIENCE)
            seen = other.messages("c")
            fetch_all(seen.fetch)
            server.post_many("c", "bo", 200)
            drain_until(other, lambda e: len(seen.items) == 200)
        drain_until(client, lambda e: e["type"] == "overflow")
        drain_until(client, lambda e: len(view.items) == 200)
        assert view.items == view.snapshot()["succeeded"]
        assert [m["message_id"] for m in view.items] == [m["message_id"] for m in server.messages("c")]


@pytest.mark.skipif(not REAL.exists(), reason="the real messages are not beside this checkout")
@pytest.mark.parametrize("seed", range(7, 17 if LONG else 8))
def test_real_messages_arrive_in_order_and_byte_for_byte(tmp_path, seed):
    with gzip.open(REAL, "rt", encoding="utf-8") as file:
        expected = [json.loads(line) for line in file]
    with Server("--import", str(REAL)) as server:
        mei = server.user(0)
        url = server.ready["channels"][0]["channel_url"] if "channels" in server.ready else server.ready["channel_url"]
        config = server.config(mei, tmp_path / "data", message_collection_capacity=100_000)
        random_source = random.Random(seed)
        program = (
            "import sys, json\n"
            "from syncmanager.blocking import SyncManager; from syncmanager.events import SyncProgress\n"
            "config = json.loads(sys.argv[1])\n"
            "client = SyncManager(**config); client.start.connect()\n"
            "view = client.messages(sys.argv[2], reply_type='all')\n"
            "pages = 0\n"
            "while pages < int(sys.argv[3]):\n"
            "    pages += isinstance(client.next_event(30), SyncProgress)\n"
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        import subprocess
        import sys

        environment = {"PYTHONPATH": str(ROOT / "bindings/python")}
        for _ in range(50 if LONG else 20):
            pages = random_source.randint(0, 9 if LONG else 22)
            killed = subprocess.run(
                [sys.executable, "-c", program, json.dumps(config), url, str(pages)],
                env={**os.environ, **environment}, timeout=120)
            assert killed.returncode == -9
        with SyncManager(**config) as client:
            client.start.connect()
            view = client.messages(url, limit=200, reply_type="all")
            drain_until(client, lambda e: e["type"] == "sync_progress" and e["complete"], patience=300)
            fetch_all(view.fetch)
            got = [(m["created_at"], m["user"]["user_id"], m["message"]) for m in view.items]
    assert len(got) == len(expected) == 44_749
    nicknames = [(line["ts"], line["text"]) for line in expected]
    assert [(ts, text) for ts, _, text in got] == nicknames
    assert Path(REAL).exists()


def test_the_log_holds_no_secret(server, tmp_path, caplog):
    server.create_channel("c", "mei", "bo", name="The secret channel")
    logger = logging.getLogger("test.syncmanager")
    with caplog.at_level(logging.DEBUG, logger=logger.name):
        log_to(logger)
        try:
            with connected(server, tmp_path) as client:
                view = client.messages("c")
                fetch_all(view.fetch)
                view.send("a secret text", timeout=PATIENCE)
                server.revoke_tokens("mei")
                drain_until(client, lambda e: e["type"] == "token_needed")
                client.set_token("a secret token")
                drain_until(client, lambda e: e["type"] == "token_needed")
        finally:
            log_to(None)
    lines = "\n".join(caplog.messages)
    assert lines, "nothing was logged"
    for secret in ("secret", server.mei["access_token"], server.ready["api_token"]):
        assert secret not in lines, secret
