"""What needs no server: the cache opens, refuses bad input, keeps what was accepted, and ends."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from syncmanager import SyncManagerError, errors
from syncmanager.blocking import SyncManager
from syncmanager.events import CacheReset, Change


def config(tmp_path: Path, **more: Any) -> Any:
    return {"app_id": "A", "user_id": "mei", "data_dir": str(tmp_path), **more}


def wait_for(sm: Any, kind: Any, **members: Any) -> Any:
    while (event := sm.next_event(10)) is not None:
        if isinstance(event, kind) and all(getattr(event, key) == value for key, value in members.items()):
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
def test_bad_configuration_is_named(tmp_path: Path, change: Any, path: str) -> None:
    with pytest.raises(SyncManagerError) as error:
        SyncManager(**config(tmp_path, **change))
    assert error.value.name == "SM_ERR_INVALID_DOCUMENT"
    assert error.value.path == path


def test_paths_are_texts_or_paths(tmp_path: Path) -> None:
    with SyncManager(app_id="A", user_id="mei", data_dir=tmp_path / "data") as sm:
        assert (tmp_path / "data").is_dir()
        sm.export(tmp_path / "cache.jsonl")
        assert (tmp_path / "cache.jsonl").read_text("utf-8").startswith("{")
        with pytest.raises(TypeError, match=r"b'x' of type bytes cannot be written as JSON"):
            sm.start.export(b"x")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_relative_paths_are_of_the_directory_in_which_they_were_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "other"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "first")
    with SyncManager(app_id="A", user_id="mei", data_dir="data") as sm:
        monkeypatch.chdir(tmp_path / "other")
        chat = sm.messages("c")
        chat.start.send("hello")
        wait_for(sm, Change, list="pending")
        sm.export("cache.jsonl")
        assert [path.name for path in (tmp_path / "other").iterdir()] == ["cache.jsonl"]
        sm.sign_out()
    assert [path.name for path in (tmp_path / "first").iterdir()] == ["data"]


def test_second_owner_is_refused_with_the_pid(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)):
        program = (
            "import sys; from syncmanager.blocking import SyncManager; from syncmanager.errors import LockedError\n"
            "try: SyncManager(app_id='A', user_id='mei', data_dir=sys.argv[1])\n"
            "except LockedError as e: print(e.name, e.message)"
        )
        out = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
        ).stdout
    assert out.startswith("SM_ERR_LOCKED") and str(os.getpid()) in out
    SyncManager(**config(tmp_path)).close()


def test_an_accepted_message_survives(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)) as sm:
        chat = sm.messages("a/b+c;d%41")
        chat.start.send("hello 你好 🙂")
        event = wait_for(sm, Change, list="pending", action="insert")
        request = event.items[0]["request_id"]
    with SyncManager(**config(tmp_path)) as sm:
        chat = sm.messages("a/b+c;d%41")
        wait_for(sm, Change, list="pending", action="insert")
        assert [message["request_id"] for message in chat.pending] == [request]
        assert chat.pending[0]["message"] == "hello 你好 🙂"
        assert chat.delete(chat.pending[0], timeout=10).request_id == request
        assert chat.pending == [] == chat.snapshot()["pending"]


def test_second_fetch_is_refused_until_the_first_is_drained(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)) as sm:
        channels = sm.channels()
        first = channels.start.fetch()
        with pytest.raises(errors.DuplicatedFetchError):
            channels.fetch()
        page = first.result(10)
        assert page.has_more and page.short == "offline"
        channels.fetch(timeout=10)


def test_interrupt_ends_a_wait_and_the_next_one_if_none_waits(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)) as sm:
        while sm.next_event(0.5) is not None:
            pass
        seen: list[Any] = []
        waiter = threading.Thread(target=lambda: seen.append(sm.next_event()))
        waiter.start()
        sm.interrupt()
        waiter.join(10)
        assert seen == [None]
        sm.interrupt()
        assert sm.next_event() is None


def test_corrupt_cache_is_set_aside_and_told(tmp_path: Path) -> None:
    SyncManager(**config(tmp_path)).close()
    cache = tmp_path / "A" / "mei" / "cache.db"
    cache.write_bytes(b"this is no database " * 1000)
    with SyncManager(**config(tmp_path)) as sm:
        assert "corrupt-" in wait_for(sm, CacheReset).file
    assert cache.stat().st_mode & 0o777 == 0o600


def test_newer_schema_and_corrupt_intents_are_errors(tmp_path: Path) -> None:
    SyncManager(**config(tmp_path)).close()
    folder = tmp_path / "A" / "mei"
    with sqlite3.connect(folder / "cache.db") as database:
        database.execute("PRAGMA user_version = 999")
    database.close()
    with pytest.raises(errors.NewerSchemaError):
        SyncManager(**config(tmp_path))
    (folder / "cache.db").unlink()
    (folder / "intents.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(errors.CorruptIntentsError):
        SyncManager(**config(tmp_path))
    assert (folder / "intents.db").read_bytes().startswith(b"not a database")


def test_texts_that_c_cannot_take_are_refused(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)) as sm:
        for text in ("a\0b", "\ud800"):
            with pytest.raises(errors.InvalidArgumentError):
                sm.messages(text)
        with pytest.raises(errors.InvalidArgumentError):
            sm.messages("c", 2**63)


def test_what_was_sent_already_is_not_sent_again(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)) as sm, pytest.raises(errors.InvalidArgumentError):
        sm.messages("c").start.resend({"message_id": 7, "created_at": 1, "message": "hi"})
