"""pyrebase4 and sseclient-py against the database."""

from __future__ import annotations

import json
from typing import Any, Callable

import pyrebase
import pytest
import requests
import sseclient
from conftest import Heard


@pytest.fixture
def database(url: str) -> Any:
    config = {"apiKey": "x", "authDomain": "x", "databaseURL": url, "storageBucket": "x"}
    return pyrebase.initialize_app(config).database()


def test_pyrebase_reads_and_writes(database: Any) -> None:
    name = database.child("users").push({"name": "Ann"})["name"]
    assert database.child("users").child(name).get().val() == {"name": "Ann"}
    assert database.child("users", "bob").set({"name": "Bob"}) == {"name": "Bob"}
    assert database.child("users").update({"bob/age": 30}) == {"bob/age": 30}
    assert set(database.child("users").shallow().get().val()) == {name, "bob"}
    assert database.child("users/bob").remove() is None
    assert database.child("users/bob").get().val() is None
    # Its own ids are in one order with the server's.
    mine = database.generate_key()
    assert len(mine) == 20 and name < mine


def test_pyrebase_asks_and_sorts(database: Any, rules: Callable[[Any], None]) -> None:
    rules({".read": True, ".write": True, "h": {".indexOn": "n"}})
    database.child("h").set({"a": {"n": 3}, "b": {"n": 1}, "c": {"n": 2}})
    assert list(database.child("h").order_by_child("n").get().val()) == ["b", "c", "a"]
    assert list(database.child("h").order_by_child("n").start_at(2).limit_to_last(1).get().val()) == ["a"]
    assert list(database.child("h").order_by_child("n").equal_to(2).get().val()) == ["c"]
    assert list(database.child("h").order_by_key().end_at("b").get().val()) == ["a", "b"]
    with pytest.raises(requests.exceptions.HTTPError, match="Index not defined"):
        database.child("h").order_by_child("m").get()


def test_pyrebase_conditions(database: Any) -> None:
    assert database.child("a").get_etag() == {"ETag": "null_etag", "value": None}
    assert database.child("a").conditional_set({"x": 1}, "null_etag") == {"x": 1}
    refused = database.child("a").conditional_set({"x": 2}, "null_etag")
    assert refused["value"] == {"x": 1}
    assert database.child("a").conditional_remove("null_etag") == refused
    assert database.child("a").conditional_remove(refused["ETag"]) is None


def test_pyrebase_with_a_users_session_key(database: Any, rules: Callable[[Any], None], server: Any) -> None:
    rules({"$u": {".read": "$u === auth.uid", ".write": "$u === auth.uid"}})
    key = server.user("ann").rest.headers["Session-Key"]
    database.child("ann").set("mine", key)
    assert database.child("ann").get(key).val() == "mine"
    for token in (None, key):
        with pytest.raises(requests.exceptions.HTTPError, match="Permission denied"):
            database.child("bob").get(token)


def test_pyrebase_listens(database: Any, server: Any) -> None:
    heard = Heard[Any]()
    # 307 leads it to the same place once more.
    server.control("fault", path_contains="/talk.json", kind="redirect")
    stream = database.child("talk").stream(heard.put, stream_id="s")
    try:
        assert heard.get(timeout=10) == {"event": "put", "path": "/", "data": None, "stream_id": "s"}
        database.child("talk/a").set({"text": "\u00e9"})
        assert heard.get(timeout=10) == {"event": "put", "path": "/a", "data": {"text": "\u00e9"}, "stream_id": "s"}
        database.child("talk").update({"a/text": "b", "c": 1})
        assert heard.get(timeout=10) == {
            "event": "patch", "path": "/", "data": {"a/text": "b", "c": 1}, "stream_id": "s"}
    finally:
        # Its own close() races with its thread for the response; it ends as well when it may not connect again.
        stream.sse.should_connect, stream.sse.retry = False, 0
        server.control("drop_streams")
        stream.thread.join(10)
        assert not stream.thread.is_alive()


def test_sseclient_listens(url: str) -> None:
    target = f"{url}/talk.json?ns=test"
    headers = {"Accept": "text/event-stream", "Authorization": "Bearer owner"}
    with requests.get(target, headers=headers, stream=True, timeout=10) as response:
        events = sseclient.SSEClient(response).events()

        def take() -> tuple[str, Any]:
            event = next(events)
            return event.event, json.loads(event.data)

        assert take() == ("put", {"path": "/", "data": None})
        requests.put(target, json={"a": [1, 2]}, timeout=10).raise_for_status()
        assert take() == ("put", {"path": "/", "data": {"a": [1, 2]}})
        requests.patch(f"{url}/talk/a.json?ns=test", json={"1": None, "x": True}, timeout=10).raise_for_status()
        assert take() == ("patch", {"path": "/a", "data": {"1": None, "x": True}})
        assert take() == ("keep-alive", None)
        closed = requests.put(f"{url}/.settings/rules.json?ns=test&auth=owner", json={"rules": {}}, timeout=10)
        closed.raise_for_status()
        # The administration reads on, whatever the rules say.
        assert take() == ("keep-alive", None)


def test_sseclient_is_told_why_a_stream_ends(url: str, rules: Callable[[Any], None], server: Any) -> None:
    rules({".read": "auth != null"})
    key = server.user("ann").rest.headers["Session-Key"]
    headers = {"Accept": "text/event-stream"}
    with requests.get(f"{url}/a.json?ns=test&auth={key}", headers=headers, stream=True, timeout=10) as response:
        events = sseclient.SSEClient(response).events()
        assert next(events).event == "put"
        server.control("expire_session_keys", user_id="ann")
        left = [(event.event, event.data) for event in events if event.event != "keep-alive"]
        assert left == [("auth_revoked", "credential is no longer valid")]
