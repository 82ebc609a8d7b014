"""Every document that the library can tell is made to occur here, and compared with its schema."""

from __future__ import annotations

import ctypes
import json
import sqlite3

import checked
import pytest
from harness import Server
from library import Client, lib

#: Parts of other schemas: nothing is told as one of them alone.
PARTS = {"common", "own-message/fields", "own-message/reference", "objects/user", "objects/message", "objects/channel",
         "objects/search-result", "objects/unsent-message", "objects/unsent-file", "objects/poll", "own-message/file",
         "action-result", "objects/draft", "condition"}
#: What hosts give; test_judgement.py meets each of them.
GIVEN = {"configuration", "action", "channel-query", "message-filter", "search-query", "own-message/send",
         "own-message/append", "own-message/response", "own-message/update", "own-message/delete", "stream",
         "stream-request"}


class Stage:
    """A server with one channel of messages, and a client of its own for each occurrence."""

    def __init__(self, server: Server, folder) -> None:
        self.server, self.folder = server, folder
        self.mei = server.create_user("mei")
        server.create_user("bo")
        server.create_channel("c", "mei", "bo")
        self.first = server.post("c", "bo", "first")

    def client(self, **more) -> Client:
        client = Client(self.server.config(self.mei, self.folder / "data", **more))
        assert client.error is None
        return client

    def connected(self, **more) -> Client:
        client = self.client(**more)
        assert lib.sm_connect(client.handle, None, None, None, None) == 0
        client.wait("result", call="connect", status=0)
        return client

    def open(self, client: Client, filter=None, url="c", fetches=True) -> ctypes.c_void_p:
        made, error = client.messages(url, filter or {})
        assert error is None
        if fetches:
            assert lib.sm_fetch(made, 1, None, None, None, None) == 0
            client.wait("result", call="fetch")
        return made


@pytest.fixture
def stage(tmp_path):
    with Server("--huge-gap", "10", "--database-port", "0", db=tmp_path / "server.db") as server:
        yield Stage(server, tmp_path)


def told_by(function, handle) -> dict:
    text = ctypes.c_void_p()
    assert function(handle, ctypes.byref(text)) == 0
    try:
        return json.loads(ctypes.string_at(text.value))
    finally:
        lib.sm_string_free(text)


# One function for each schema, named after it; each gives documents that must be valid by it.

def connection(stage):
    with stage.connected() as client:
        stage.server.kill()
        return [client.wait("connection", state="waiting")]


def change(stage):
    with stage.connected() as client:
        made, _ = client.messages("c", {})
        assert lib.sm_fetch(made, 1, None, None, None, None) == 0
        return [client.wait("change", action="insert", list="succeeded")]


def result(stage):
    with stage.connected() as client:
        stage.open(client)
        assert lib.sm_clear_cache(client.handle, b"c", None, None, None, None) == 0
        made, _ = client.messages("c", {})
        assert lib.sm_collection_start(made, None, None, None, None) == 0
        return [client.wait("result", call="clear_cache"), client.wait("result", call="start")]


def new_message(stage):
    for number in range(5):
        stage.server.advance_clock(10)
        stage.server.post("c", "bo", f"m{number}")
    with stage.connected() as client:
        made = ctypes.c_void_p()
        at = stage.first["created_at"]
        assert lib.sm_message_collection_new(client.handle, b"c", b'{"limit":1}', at, ctypes.byref(made)) == 0
        assert lib.sm_fetch(made, 1, None, None, None, None) == 0
        client.wait("result", call="fetch")
        stage.server.post("c", "bo", "far")
        return [client.wait("new_message")]


def channel_updated(stage):
    with stage.connected() as client:
        stage.open(client)
        stage.server.set_typing("c", "bo")
        return [client.wait("channel_updated")]


def channel_removed(stage):
    with stage.connected() as client:
        stage.open(client, url="nowhere", fetches=False)
        return [client.wait("channel_removed", channel_url="nowhere")]


def cache_shown(stage):
    with stage.connected() as client:
        made, _ = client.messages("c", {})
        assert lib.sm_collection_start(made, None, None, None, None) == 0
        return [client.wait("cache_shown")]


def thread(stage, client):
    """The collection of a thread, once the message that it answers was told."""
    root = stage.server.post("c", "bo", "root")["message_id"]
    client.messages("c", {"parent_message_id": root})
    return root, client.wait("parent_updated")


def parent_updated(stage):
    with stage.connected() as client:
        return [thread(stage, client)[1]]


def parent_removed(stage):
    with stage.connected() as client:
        root, _ = thread(stage, client)
        stage.server.delete("c", root)
        return [client.wait("parent_removed")]


def huge_gap(stage):
    with stage.connected() as client:
        stage.open(client)
        lib.sm_disconnect(client.handle)
        client.wait("connection", state="disconnected")
        stage.server.post_many("c", "bo", 30)
        assert lib.sm_connect(client.handle, None, None, None, None) == 0
        return [client.wait("huge_gap")]


def unread_counts(stage):
    with stage.connected() as client:
        return [client.wait("unread_counts", all=1)]


def upload_progress(stage):
    (stage.folder / "a.png").write_bytes(b"x" * 1000)
    with stage.connected() as client:
        made = stage.open(client)
        assert client.own("sm_send_message", made, {"file": {"path": str(stage.folder / "a.png")}}) is None
        return [client.wait("upload_progress", sent=1000)]


def download_progress(stage):
    url = stage.server.upload(b"x" * 1000)
    with stage.connected() as client:
        assert client.call({"action": "download_file", "url": url, "path": str(stage.folder / "b.png")}) is None
        return [client.wait("download_progress", received=1000, total=1000)]


def export_progress(stage):
    with stage.connected() as client:
        assert client.call({"action": "export", "path": str(stage.folder / "all.jsonl")}) is None
        return [client.wait("export_progress")]


def search_progress(stage):
    with stage.connected() as client:
        stage.open(client)
    with stage.client(search=True) as client:
        return [client.wait("search_progress")]


def sync_state(stage):
    with stage.connected() as client:
        assert lib.sm_pause_sync(client.handle) == 0
        return [client.wait("sync_state", state="paused")]


def sync_progress(stage):
    with stage.connected() as client:
        stage.open(client, fetches=False)
        return [client.wait("sync_progress")]


def fill(stage):
    """More than the smallest bound of the cache, at the service."""
    for _ in range(2):
        stage.server.control("post_messages", channel_url="c", user_id="bo", count=140, data_bytes=256 << 10)


def cache_all(stage, client):
    """All of it in the cache, and no longer shown."""
    made = stage.open(client, fetches=False)
    has_more = True
    while has_more:
        assert lib.sm_fetch(made, 1, None, None, None, None) == 0
        has_more = client.wait("result", call="fetch", status=0)["has_more"]
    lib.sm_collection_remove(made)


def cache_trimmed(stage):
    fill(stage)
    with stage.connected(max_cache_mb=64) as client:
        cache_all(stage, client)
        return [client.wait("cache_trimmed")]


def cache_full(stage):
    fill(stage)
    with stage.connected(max_cache_mb=64, cache_order="host") as client:
        cache_all(stage, client)
        return [client.wait("cache_full")]


def message_received(stage):
    with stage.connected(notify="all") as client:
        client.wait("sync_state", state="idle")
        stage.server.post("c", "bo", "hello")
        return [client.wait("message_received", missed=0)]


def token_needed(stage):
    with stage.client(access_token="no such token") as client:
        assert lib.sm_connect(client.handle, None, None, None, None) == 0
        return [client.wait("token_needed")]


def cache_reset(stage):
    with stage.connected() as client:
        stage.open(client)
    cache = next((stage.folder / "data").rglob("cache.db"))
    cache.write_bytes(b"no database at all " * 1000)
    with stage.client() as client:
        return [client.wait("cache_reset")]


def storage_error(stage):
    with stage.client() as client:
        made = stage.open(client, fetches=False)
        assert client.own("sm_send_message", made, {"message": "waits"}) is None
        intents = next((stage.folder / "data").rglob("intents.db"))
    # Gone although it was used: what it held is lost.
    for file in intents.parent.glob("intents.db*"):
        file.unlink()
    with stage.client() as client:
        gone = client.wait("storage_error")
        made = stage.open(client, fetches=False)
        assert client.own("sm_send_message", made, {"message": "waits"}) is None
        call = {"action": "database_set", "path": "a", "value": 1, "when": "kept"}
        assert client.call({"action": "database_offline"}) is None and client.call(call) is None
    # Damaged: what is lost is named.
    with sqlite3.connect(intents) as file:
        file.execute("UPDATE intent SET channel_url = 'd'")
        file.execute("UPDATE database_write SET kind = 1")
    file.close()
    with stage.client() as client:
        damaged = client.wait("storage_error")
        assert {entry["kind"] for entry in damaged["lost"]} == {"message", "database_write"}
        return [gone, damaged]


def overflow(stage):
    with stage.connected(queue_limit=16) as client:
        stage.open(client)
        for _ in range(100):  # until the client has received more between two drains than its queue holds
            stage.server.post_many("c", "bo", 60)
            while (event := client.next_event(0)) is not None:
                if event["type"] == "overflow":
                    return [event]
        raise AssertionError("the queue never overflowed")


def rows(stage, *requests, **spec):
    """What a transient stream tells of requests."""
    with stage.client() as client:
        stream, error = client.stream({"source": "transient", "order_by": "$value", **spec})
        assert error is None
        told = []
        for request in requests:
            assert lib.sm_stream_call(stream, json.dumps(request).encode(), None, None, None, None) == 0
        while len([event for event in told if event["type"] == "result"]) < len(requests):
            told.append(client.next_event())
        return told


def changes(stage, kind, **spec):
    add = {"action": "add", "rows": [{"key": key, "item": item} for key, item in (("a", 1), ("b", 2), ("c", 3))]}
    reset = {"action": "reset", "rows": [{"key": "d", "item": None}, {"key": "b", "item": 9}, {"key": "c", "item": 3}]}
    change = {"action": "add", "rows": [{"key": "b", "item": 10}]}
    return [event for event in rows(stage, add, reset, change, **spec) if event["type"] == kind]


def stream_batch(stage):
    return changes(stage, "stream_batch")


def stream_loaded(stage):
    return changes(stage, "stream_loaded")


def stream_will_change(stage):
    return changes(stage, "stream_will_change", delivery="delegate")


def stream_deleted(stage):
    return changes(stage, "stream_deleted", delivery="delegate")


def stream_added(stage):
    return changes(stage, "stream_added", delivery="delegate")


def stream_changed(stage):
    return changes(stage, "stream_changed", delivery="delegate")


def stream_did_change(stage):
    return changes(stage, "stream_did_change", delivery="delegate")


def database(stage, *documents, rules=None, **more):
    """A client that was asked these things of the database."""
    if rules:
        stage.server.database("PUT", "/.settings/rules", {"rules": rules})
    client = stage.client(**more)
    for document in documents:
        assert lib.sm_call(client.handle, json.dumps(document).encode(), None, None, None, None) == 0
    return client


def database_value(stage):
    write = {"action": "database_set", "path": "a", "value": {"b": 1}}
    with database(stage, {"action": "database_listen", "path": "a"}, write) as client:
        return [client.wait("database_value", current=True)]


def database_listen_ended(stage):
    with database(stage, {"action": "database_listen", "path": "a"}, rules={".read": False}) as client:
        return [client.wait("database_listen_ended")]


def database_transform(stage):
    with database(stage, {"action": "database_transaction", "path": "a"}) as client:
        return [client.wait("database_transform")]


def database_write_refused(stage):
    write = {"action": "database_set", "path": "a", "value": 1, "when": "kept"}
    with database(stage, write, rules={".write": False}) as client:
        return [client.wait("database_write_refused")]


def database_token_needed(stage):
    config = {"url": stage.server.ready["database_url"], "token": "no such token"}
    with database(stage, {"action": "database_get", "path": "a"}, database=config) as client:
        return [client.wait("database_token_needed")]


#: Of every hook that a type can have.
HOOKS = ["will_create", "will_update", "will_destroy", "did_create", "did_update", "did_destroy", "persisted_create",
         "persisted_update", "persisted_destroy", "action"]


def resource(stage, change: str, wanted: str, hooks=HOOKS, **more) -> list[dict]:
    """What is told of an operation on an object; a hook that is asked is answered."""
    register = {"action": "resource_register", "resource_type": "Note", "path": "/note/@", "hooks": hooks}
    push = {"action": "resource_push", "context": "root", "resources": {"user": {"key": "mei", "value": 1}}}
    document = {"action": f"resource_{change}", "context": "root", "resource_type": "Note", "key": "n", **more}
    with database(stage, register, push, document) as client:
        if f"will_{change}" in hooks:
            asked = client.wait(f"resource_will_{change}")
            if wanted == asked["type"]:
                return [asked]
            answer = json.dumps({"action": "resource_continue", "hook": asked["hook"]}).encode()
            assert lib.sm_call(client.handle, answer, None, None, None, None) == 0
        return [client.wait(wanted)]


def resource_will_create(stage):
    return resource(stage, "create", "resource_will_create", value={"a": 1})


def resource_will_update(stage):
    return resource(stage, "update", "resource_will_update", value={"a": 1})


def resource_will_destroy(stage):
    return resource(stage, "destroy", "resource_will_destroy")


def resource_did_create(stage):
    return resource(stage, "create", "resource_did_create", value={"a": 1})


def resource_did_update(stage):
    return resource(stage, "update", "resource_did_update", value={"a": 1})


def resource_did_destroy(stage):
    return resource(stage, "destroy", "resource_did_destroy")


def resource_persisted_create(stage):
    return resource(stage, "create", "resource_persisted_create", value={"a": 1})


def resource_persisted_update(stage):
    return resource(stage, "update", "resource_persisted_update", value={"a": 1})


def resource_persisted_destroy(stage):
    return resource(stage, "destroy", "resource_persisted_destroy")


def resource_action(stage):
    return resource(stage, "create", "resource_action", value={"a": 1})


def resource_error(stage):
    stage.server.database("PUT", "/.settings/rules", {"rules": {".write": False}})
    return resource(stage, "create", "resource_error", [], value=1, when="kept")


def closed(stage):
    client = stage.client()
    heard = client.ended()
    assert heard[-1]["type"] == "closed"
    return heard[-1:]


def last_error(stage):
    return [Client({"app_id": "A"}).error, Client([]).error]


def collection_info(stage):
    with stage.connected() as client:
        channels, error = client.channels({"limit": 5})
        assert error is None
        stream, error = client.stream({"source": "transient", "section": 2, "batch_delay": None})
        assert error is None
        return [told_by(lib.sm_collection_info, handle) for handle in (stage.open(client), channels, stream)]


def collection_snapshot(stage):
    with stage.connected() as client:
        channels, error = client.channels({})
        assert error is None
        assert lib.sm_fetch(channels, 2, None, None, None, None) == 0
        client.wait("result", call="fetch")
        stream, _ = client.stream({"source": {"channels": {}}, "batch_delay": None})
        client.wait("stream_batch")
        return [told_by(lib.sm_collection_snapshot, handle) for handle in (stage.open(client), channels, stream)]


@pytest.mark.parametrize("name", [name for name in checked.names() if name not in PARTS | GIVEN])
def test_it_occurs_and_is_valid(name, stage):
    occurrences = globals()[name.removeprefix("events/").replace("-", "_")](stage)
    assert occurrences
    for document in occurrences:
        assert not name.startswith("events/") or document["type"] == name.removeprefix("events/")
        checked.told(name, document)


def test_parts_are_parts():
    """Nothing lies in docs/schema that nothing uses."""
    text = "".join((checked.SCHEMAS / f"{name}.json").read_text() for name in checked.names())
    assert [name for name in PARTS if f'{name.split("/")[-1]}.json#' not in text
            and f'{name.split("/")[-1]}.json"' not in text] == []
