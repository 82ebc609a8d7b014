"""The realtime database: its calls, live values, transactions. Scenarios prove what is in them."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

import syncmanager
from syncmanager import blocking, errors
from syncmanager.database import LEAVE
from syncmanager.events import DatabaseTokenNeeded, DatabaseWriteRefused
from syncmanager.testing import Server

served = pytest.mark.syncmanager_server("--database-port", "0")


@pytest.fixture
def config(syncmanager_server: Server, tmp_path: Path) -> Any:
    return syncmanager_server.config(syncmanager_server.create_user("mei"), tmp_path / "data")


@served
def test_calls_of_a_blocking_client(config: Any, syncmanager_server: Server) -> None:
    with blocking.SyncManager(**config) as client:
        database = client.database
        database.set("a", {"b": 1}, timeout=20)
        database.update("a", {"c/d": 2})
        first, second = database.push("log", "x"), database.push("log", "y", when="kept")
        assert first < second
        database.count("n", 3)
        database.remove("a/b")
        assert database.get("a") == {"c": {"d": 2}}
        assert database.get("a", shallow=True) == {"c": True}
        assert database.get("log", start_after=first) == {second: "y"}
        assert syncmanager_server.database("GET", "/n") == 3
        with pytest.raises(errors.InvalidDocumentError) as refused:
            database.set("a.b", 1)
        assert refused.value.path == "$.path"
        database.go_offline()
        with pytest.raises(errors.NotConnectedError):
            database.get("elsewhere")
        database.go_online()


@served
def test_the_address_alone_is_enough(config: Any, syncmanager_server: Server) -> None:
    """docs/database-server.md: the instance is then `default`; a session key says to the rules who the user is."""
    config["database"] = {"url": config["database"]["url"]}
    with blocking.SyncManager(**config) as client:
        client.database.set("a", 1, timeout=20)
        assert client.database.get("a", timeout=20) == 1
    assert syncmanager_server.database("GET", "/a") is None  # of the instance `test`
    syncmanager_server.database("PUT", "/.settings/rules", {"rules": {"$user": {".read": "auth.uid == $user"}}})
    key = syncmanager_server.session_key("mei")
    config["database"] = {"url": config["database"]["url"], "name": "test", "token": key}
    with blocking.SyncManager(**config) as client:
        assert client.database.get("mei", timeout=20) is None
        with pytest.raises(errors.ServiceError):
            client.database.get("bo", timeout=20)


@served
def test_live_values(config: Any, syncmanager_server: Server) -> None:
    with blocking.SyncManager(**config) as client:
        listen = client.database.listen("a")
        values = listen.values(timeout=20)
        assert next(values).value is None
        client.database.set("a", 1)
        assert any(event.value == 1 and event.current for event in values)
        assert (listen.value, listen.current) == (1, True)
        listen.close()
        listen.close()
        assert next(values, None) is None
        syncmanager_server.database("PUT", "/.settings/rules", {"rules": {".read": False}})
        refused = client.database.listen("b")
        assert list(refused.values(timeout=20)) == []
        assert refused.error is not None
        assert refused.error.code == 401


@served
def test_an_asyncio_client(config: Any, syncmanager_server: Server) -> None:
    async def run() -> None:
        async with syncmanager.SyncManager(**config) as client:
            listen = client.database.listen("n")
            values = listen.values()
            await client.database.set("n", 4)
            assert await client.database.get("n") == 4
            assert await client.database.transaction("n", lambda n: n + 1) == {"committed": True, "value": 5}
            async for event in values:
                if event.value == 5:
                    break
            listen.close()
            assert [event async for event in listen] == []

    asyncio.run(asyncio.wait_for(run(), 60))


@served
def test_transactions(config: Any, syncmanager_server: Server, caplog: pytest.LogCaptureFixture) -> None:
    with blocking.SyncManager(**config) as client:
        seen: list[Any] = []

        def change(value: Any) -> Any:
            seen.append(value)
            if len(seen) == 1:
                syncmanager_server.database("PUT", "/n", 10)  # somebody else is faster
            return value + 1 if value else 1

        assert client.database.transaction("n", change, timeout=30) == {"committed": True, "value": 11}
        assert seen == [None, 10]
        assert client.database.transaction("n", lambda _: LEAVE, timeout=30) == {"committed": False}
        with caplog.at_level(logging.CRITICAL, "syncmanager"):
            assert client.database.transaction("n", lambda n: n / 0, timeout=30) == {"committed": False}
            assert client.database.transaction("n", lambda _: {"a.b": 1}, timeout=30) == {"committed": False}
            assert client.database.transaction("n", lambda _: object(), timeout=30) == {"committed": False}
        assert client.database.get("n") == 11


@served
def test_events(config: Any, syncmanager_server: Server) -> None:
    syncmanager_server.database("PUT", "/.settings/rules", {"rules": {".write": False, ".read": "auth != null"}})
    with blocking.SyncManager(**config) as client:
        events = client.events(timeout=20)
        client.database.set("a", 1, when="kept")
        refused = next(event for event in events if isinstance(event, DatabaseWriteRefused))
        assert (refused.path, refused.code, refused.message) == ("/a", 401, "Permission denied")
        client.database.set_token("nonsense")
        with pytest.raises(errors.TokenRejectedError):
            client.database.get("a")
        assert any(isinstance(event, DatabaseTokenNeeded) for event in events)
        client.database.set_token(syncmanager_server.session_key("mei"))
        assert client.database.get("a") is None


def test_without_a_database(tmp_path: Path) -> None:
    with blocking.SyncManager(app_id="A", user_id="mei", data_dir=str(tmp_path)) as client:
        call = client.database.start
        with pytest.raises(errors.InvalidDocumentError):
            call.get("a")
