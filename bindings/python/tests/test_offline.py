"""What needs no server: the cache opens, refuses bad input, keeps what was accepted, and ends."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading

import pytest

from syncmanager import Client, SyncManagerError
from syncmanager.aio import AsyncClient


def config(tmp_path, **more):
    return {"app_id": "A", "user_id": "mei", "data_dir": str(tmp_path), **more}


def wait_for(client, kind, **members):
    while (event := client.next_event(10_000)) is not None:
        if event["type"] == kind and all(event.get(key) == value for key, value in members.items()):
            return event
    raise AssertionError(f"no {kind} came")


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"queue_limit": 3}, "$.queue_limit"),
        ({"no_such_key": 1}, "$.no_such_key"),
        ({"app_id": ""}, "$.app_id"),
        ({"delivery": "pigeon"}, "$.delivery"),
        ({"api_host": "ftp://x"}, "$.api_host"),
        ({"resend_policy": 5}, "$.resend_policy"),
    ],
)
def test_bad_configuration_is_named(tmp_path, change, path):
    with pytest.raises(SyncManagerError) as error:
        Client(**config(tmp_path, **change))
    assert error.value.name == "SM_ERR_INVALID_DOCUMENT"
    assert error.value.path == path


def test_second_owner_is_refused_with_the_pid(tmp_path):
    with Client(**config(tmp_path)):
        program = (
            "import sys; from syncmanager import Client, SyncManagerError\n"
            "try: Client(app_id='A', user_id='mei', data_dir=sys.argv[1])\n"
            "except SyncManagerError as e: print(e.name, e.message)"
        )
        out = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
        ).stdout
    assert out.startswith("SM_ERR_LOCKED") and str(os.getpid()) in out
    Client(**config(tmp_path)).close()


def test_an_accepted_message_survives(tmp_path):
    with Client(**config(tmp_path)) as client:
        view = client.messages("a/b+c;d%41")
        view.send("hello 你好 🙂")
        event = wait_for(client, "change", list="pending", action="insert")
        request = event["messages"][0]["request_id"]
    with Client(**config(tmp_path)) as client:
        view = client.messages("a/b+c;d%41")
        wait_for(client, "change", list="pending", action="insert")
        pending = view.snapshot()["pending"]
        assert [m["request_id"] for m in pending] == [request]
        assert pending[0]["message"] == "hello 你好 🙂"
        view.delete(request_id=request)
        assert wait_for(client, "result", call="delete_message")["status"] == 0
        assert view.snapshot()["pending"] == []


def test_second_fetch_is_refused_until_the_first_is_drained(tmp_path):
    with Client(**config(tmp_path)) as client:
        view = client.channels()
        view.fetch_next()
        with pytest.raises(SyncManagerError) as error:
            view.fetch_next()
        assert error.value.name == "SM_ERR_DUPLICATED_FETCH"
        assert wait_for(client, "result", call="fetch")["has_more"] is True
        view.fetch_next()


def test_fork_is_noticed(tmp_path):
    with Client(**config(tmp_path)) as client:
        pid = os.fork()
        if pid == 0:
            try:
                client.next_event(0)
            except SyncManagerError as error:
                os._exit(0 if error.name == "SM_ERR_FORKED" else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_interrupt_ends_a_wait(tmp_path):
    with Client(**config(tmp_path)) as client:
        seen = []
        waiter = threading.Thread(target=lambda: seen.append(client.next_event(-1)))
        waiter.start()
        client.interrupt()
        waiter.join(10)
        assert seen == [None]


def test_corrupt_cache_is_set_aside_and_told(tmp_path):
    Client(**config(tmp_path)).close()
    cache = tmp_path / "A" / "mei" / "cache.db"
    cache.write_bytes(b"this is no database " * 1000)
    with Client(**config(tmp_path)) as client:
        assert "corrupt-" in wait_for(client, "cache_reset")["file"]
    assert cache.stat().st_mode & 0o777 == 0o600


def test_newer_schema_and_corrupt_intents_are_errors(tmp_path):
    import sqlite3

    Client(**config(tmp_path)).close()
    folder = tmp_path / "A" / "mei"
    with sqlite3.connect(folder / "cache.db") as database:
        database.execute("PRAGMA user_version = 999")
    database.close()
    with pytest.raises(SyncManagerError) as error:
        Client(**config(tmp_path))
    assert error.value.name == "SM_ERR_NEWER_SCHEMA"
    (folder / "cache.db").unlink()
    (folder / "intents.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(SyncManagerError) as error:
        Client(**config(tmp_path))
    assert error.value.name == "SM_ERR_CORRUPT_INTENTS"
    assert (folder / "intents.db").read_bytes().startswith(b"not a database")


def test_asyncio(tmp_path):
    async def main():
        async with AsyncClient(**config(tmp_path)) as chat:
            view = chat.client.channels()
            result = await chat.fetch_next(view)
            assert result["short"] == "offline"

    asyncio.run(asyncio.wait_for(main(), 30))
