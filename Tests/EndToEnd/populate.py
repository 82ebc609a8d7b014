"""A user's files with something in every table, made by the library and a real server."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from harness import Server
from library import Client, lib

#: A text that stands in everything that is kept of the user.
SECRET = "Quendolin"
CHANNEL, OTHER, EMPTY = f"{SECRET}-main", f"{SECRET}-other", f"{SECRET}-empty"
OPTIONS = ("--database-port", "0")


def fill_server(server: Server, messages: int = 130) -> None:
    """Users, channels, threads and a database."""
    server.create_user("mei")
    server.create_user("bo")
    for url in (CHANNEL, OTHER, EMPTY):
        server.create_channel(url, "mei", "bo", name=f"Name {url}")
    root = server.post(CHANNEL, "bo", f"{SECRET} root")["message_id"]
    for number in range(6):
        server.post(CHANNEL, "bo", f"{SECRET} reply {number}", parent_message_id=root)
    server.post_many(CHANNEL, "bo", messages)
    server.post(OTHER, "bo", f"{SECRET} other")
    server.database("PUT", "/rooms", {f"room{number}": {"title": f"{SECRET} {number}", "rank": number}
                                      for number in range(10)})
    server.database("PUT", "/people", {f"{SECRET}{number}": number for number in range(5)})
    server.database("PUT", "/count", 5)


def config_of(server: Server, data_dir: Path, **more) -> dict:
    """Of the user whose files these are."""
    return server.config({"user_id": "mei", "access_token": "token-mei"}, data_dir, **more)


def call(client: Client, document: dict) -> None:
    assert lib.sm_call(client.handle, json.dumps(document).encode(), None, None, None, None) == 0, document


def fill(server: Server, config: dict, unsent: dict | None = None) -> None:
    """Fills the files of `config`: the server has what `fill_server` gave it. `unsent`: a message more in the outbox.
    Another client cannot add it later: it would also send the writes that wait for the database."""
    root = next(m["message_id"] for m in server.messages(CHANNEL) if m["message"] == f"{SECRET} root")
    with Client(config) as client:
        assert client.error is None, client.error
        assert lib.sm_connect(client.handle, None, None, None, None) == 0
        client.wait("result", call="connect", status=0)
        made, _ = client.channels({})
        assert lib.sm_fetch(made, 2, None, None, None, None) == 0
        client.wait("result", call="fetch")
        opened = []
        for url, filter in ((CHANNEL, {"reply_type": "all"}), (CHANNEL, {"parent_message_id": root}), (OTHER, {})):
            messages, error = client.messages(url, filter)
            assert error is None, error
            assert lib.sm_fetch(messages, 1, None, None, None, None) == 0
            client.wait("result", call="fetch")
            opened.append(messages)
        if config.get("search"):
            found, error = client.search({"query": SECRET})
            assert error is None, error
            assert lib.sm_fetch(found, 2, None, None, None, None) == 0
            # Everything is indexed before it ends.
            client.wait("result", call="fetch", has_more=False)
        for place in ({"path": "rooms"}, {"path": "count"}, {"path": "people", "order_by": "$key", "limit_to_last": 3}):
            call(client, {"action": "database_listen", **place})
            client.wait("database_value", current=True)
        assert lib.sm_disconnect(client.handle) == 0
        call(client, {"action": "database_offline"})
        for number in range(3):
            assert client.own("sm_send_message", opened[0], {"message": f"{SECRET} unsent {number}",
                                                             "request_id": f"{SECRET}-r{number}"}) is None
        assert unsent is None or client.own("sm_send_message", opened[2], unsent) is None
        failed = json.dumps({"message": f"{SECRET} failed", "request_id": f"{SECRET}-f"}).encode()
        assert lib.sm_handle_send_response(opened[2], failed, 800120, None, None, None, None) == 0
        client.wait("result", call="handle_send_response", status=0)
        for draft in ({}, {"parent_message_id": root}, {"channel_url": OTHER}):
            call(client, {"action": "set_draft", "channel_url": CHANNEL, "message": f"{SECRET} draft", **draft})
            client.wait("result", action="set_draft", status=0)
        for write in ({"action": "database_set", "path": "written", "value": {"a": f"{SECRET} written"}},
                      {"action": "database_update", "path": "rooms/room1", "values": {"rank": 77}},
                      {"action": "database_count", "path": "count", "by": 2}):
            call(client, {**write, "when": "kept"})
            client.wait("result", action=write["action"], status=0)


def files(data_dir: Path) -> Path:
    """Where the user's files are."""
    return next(data_dir.rglob("cache.db")).parent


def tables(path: Path) -> dict[str, list[str]]:
    """The tables of a file with their columns, whatever they are; of the full-text index those that hold its rows."""
    with sqlite3.connect(path) as database:
        names = [row[0] for row in database.execute("""
            SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'""")]
        return {name: [row[1] for row in database.execute(f"PRAGMA table_info({name})")] for name in names}
