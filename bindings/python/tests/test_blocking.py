"""The client without an event loop: waiting, iterating, listeners, threads."""

from __future__ import annotations

import asyncio
import functools
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from syncmanager import errors, snippet_spans
from syncmanager.blocking import SyncManager
from syncmanager.events import Change

PATIENCE = 30


def config(tmp_path: Path, **more: Any) -> Any:
    return {"app_id": "A", "user_id": "mei", "data_dir": str(tmp_path), **more}


def test_lists_follow_the_chat(lunch: Any, tmp_path: Path) -> None:
    with SyncManager(**lunch.config(lunch.mei, tmp_path)) as sm:
        sm.connect(timeout=PATIENCE)
        channels, chat = sm.channels(), sm.messages("lunch")
        channels.fetch(timeout=PATIENCE)
        chat.fetch(timeout=PATIENCE)
        assert chat.send("hi", timeout=PATIENCE) == chat.items[-1]
        lunch.post("lunch", "bo", "hello")
        for change in chat:
            assert isinstance(change, Change)
            if len(chat.items) == 2:
                break
        assert [message["message"] for message in chat.items] == ["hi", "hello"]
        assert sm.call("mark_as_read", channel_url="lunch", timeout=PATIENCE) is None
        sm.disconnect()
        with pytest.raises(errors.NotConnectedError):
            sm.call("mark_as_read", channel_url="lunch", timeout=PATIENCE)
        assert chat.items == chat.snapshot()["succeeded"]
        for _ in channels.changes(timeout=1):
            pass  # ends when nothing came for a second
        assert channels.items == channels.snapshot()["channels"]


def test_a_condition_is_waited_for(lunch: Any, tmp_path: Path) -> None:
    with SyncManager(**lunch.config(lunch.mei, tmp_path)) as sm:
        sm.connect(timeout=PATIENCE)
        chat = sm.messages("lunch")
        chat.fetch(timeout=PATIENCE)
        sm.wait_until(lambda: not chat.items, timeout=PATIENCE)  # holds at once
        with pytest.raises(TimeoutError, match=r"within 0\.05 s"):
            sm.wait_until(lambda: chat.items, timeout=0.05)
        lunch.post("lunch", "bo", "one")
        sm.wait_until(lambda: chat.items, timeout=PATIENCE)
        assert [message["message"] for message in chat.items] == ["one"]
        with pytest.raises(ZeroDivisionError):
            sm.wait_until(lambda: 1 // 0)


def test_a_search_follows_the_cache(lunch: Any, tmp_path: Path) -> None:
    lunch.post("lunch", "bo", "🙂 Lunch tomorrow?")
    with SyncManager(**lunch.config(lunch.mei, tmp_path, search=True)) as sm:
        sm.connect(timeout=PATIENCE)
        chat = sm.messages("lunch")
        chat.fetch(timeout=PATIENCE)
        found = sm.search("lunch tomor", channel_urls=["lunch"], limit=5)
        assert found.items == [] and "results" in repr(found)
        page = found.fetch(timeout=PATIENCE)
        assert (page.has_more, page.short) == (False, None)
        (result,) = found.items
        text = result["snippet"]["text"]
        assert [text[start:end] for start, end in snippet_spans(result)] == ["Lunch", "tomorrow"]
        assert snippet_spans(result) == snippet_spans(result["snippet"])
        assert result["message"] == chat.items[0]
        assert found.contains(result) and not found.contains("lunch/0")
        lunch.post("lunch", "bo", "or lunch the day after tomorrow")
        for change in found:
            assert (change.list, change.action) == ("results", "insert")
            break
        assert len(found.items) == 2
        assert found.items == found.snapshot()["results"]
        info = found.info()
        assert (info["kind"], info["count"], info["query"]["limit"]) == ("search", 2, 5)


def test_a_search_needs_the_configuration(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)) as sm, pytest.raises(errors.InvalidArgumentError):
        sm.search("lunch")


def test_a_wait_has_a_time_and_the_call_goes_on(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)) as sm:
        chat = sm.messages("c")
        with pytest.raises(TimeoutError) as caught:
            chat.send("waits for a connection", timeout=0.05)
        assert isinstance(caught.value, errors.CallTimeoutError)
        sm.wait_until(lambda: chat.pending, timeout=PATIENCE)  # a busy machine may need longer than the wait above
        assert [message["message"] for message in chat.pending] == ["waits for a connection"]
        call = chat.start.send("too")
        assert not call.done()
        chat.delete(chat.pending[0], timeout=PATIENCE)
    with pytest.raises(errors.ClosedError):
        call.result()


def test_listeners_hear_on_the_thread_that_waits_and_may_use_everything_that_does_not(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)) as sm:
        chat = sm.messages("c")
        heard, refused = [], []

        @chat.on_change
        def listener(change: Any) -> None:
            heard.append((change.list, change.action, threading.get_ident(), len(chat.pending)))
            if len(heard) == 1:
                chat.start.send("from the listener")
                sm.pause_sync()
                chat.info()
                for wait in (sm.next_event, chat.fetch, lambda: next(chat.changes())):
                    try:
                        wait()
                    except errors.ReentrantError as error:
                        refused.append(error.name)

        chat.start.send("first")
        while len(heard) < 2:
            sm.dispatch(timeout=PATIENCE)
        me = threading.get_ident()
        assert heard == [("pending", "insert", me, 1), ("pending", "insert", me, 2)]
        assert refused == ["SM_ERR_REENTRANT"] * 3
        chat.remove_listener(listener)
        chat.start.send("not heard")
        while len(chat.pending) < 3:
            sm.dispatch(timeout=PATIENCE)
        assert len(heard) == 2


def test_a_listener_may_close(tmp_path: Path) -> None:
    sm = SyncManager(**config(tmp_path))
    sm.on_event(lambda event: sm.close())
    with pytest.raises(errors.ClosedError):
        sm.messages("c").send("x")
    assert sm.closed
    SyncManager(**config(tmp_path)).close()  # the files are free


def test_many_threads_use_one_client(lunch: Any, tmp_path: Path) -> None:
    with SyncManager(**lunch.config(lunch.mei, tmp_path)) as sm:
        sm.connect(timeout=PATIENCE)
        chat = sm.messages("lunch")
        chat.fetch(timeout=PATIENCE)
        failed, followed = [], []

        def follow() -> None:
            for _ in chat:
                if len(chat.items) == 40:
                    break
            followed.append(len(chat.items))

        def send(number: Any) -> None:
            try:
                for step in range(10):
                    chat.send(f"{number}.{step}", timeout=PATIENCE)
                    view = sm.messages("lunch", limit=5)
                    view.fetch(timeout=PATIENCE)
                    assert len(view.items) >= 1
                    view.remove()
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=follow)]
        threads += [threading.Thread(target=send, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(2 * PATIENCE)
            assert not thread.is_alive()
        assert failed == []
        assert followed == [40]
        assert chat.items == chat.snapshot()["succeeded"]


def test_close_ends_what_waits_on_other_threads(tmp_path: Path) -> None:
    for _ in range(20):
        sm = SyncManager(**config(tmp_path))
        chat = sm.messages("c")
        ended: list[Any] = []

        def wait(name: str, body: Any, ended: Any = ended) -> None:
            try:
                ended.append((name, body()))
            except errors.ClosedError as error:
                ended.append((name, error.name))

        def changes(chat: Any = chat) -> Any:
            return [None for change in chat if change.list == "none"]

        bodies = {
            "send": functools.partial(chat.send, "x"),
            "changes": changes,
            "run": sm.run,
        }
        threads = [threading.Thread(target=wait, args=item) for item in bodies.items()]
        for thread in threads:
            thread.start()
        while not chat.pending:
            time.sleep(0.001)
        sm.close()
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()
        outcome = dict(ended)
        assert outcome["send"] == "SM_ERR_CLOSED"
        assert outcome["changes"] == []
        assert outcome["run"] is None


def test_a_second_thread_that_pulls_is_refused(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)) as sm:
        heard = threading.Event()
        sm.on_event(lambda event: heard.set())

        def run() -> Any:
            while True:
                try:
                    return sm.run()
                except errors.BusyError:  # it met the test's own thread
                    continue

        thread = threading.Thread(target=run)
        thread.start()
        fetching = sm.channels().start.fetch()
        assert heard.wait(PATIENCE)
        with pytest.raises(errors.BusyError):
            while True:  # the other one may be between two events
                sm.next_event(0)
        assert fetching.result(PATIENCE).short == "offline"
        assert sm.messages("c").fetch(timeout=PATIENCE).short == "offline"  # waiting beside it is no matter
        sm.interrupt()
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_an_iteration_outside_a_loop_and_an_await_of_a_blocking_call_are_refused(tmp_path: Path) -> None:
    with SyncManager(**config(tmp_path)) as sm:

        async def main() -> None:
            with pytest.raises(RuntimeError, match="blocking"):
                await sm.start.connect()
            with pytest.raises(RuntimeError, match="blocking"):
                await sm.events().__anext__()

        asyncio.run(main())


def test_control_c_ends_a_wait(tmp_path: Path) -> None:
    program = (
        "import signal, sys; from syncmanager.blocking import SyncManager\n"
        # A background job of a shell ignores it, and so do all that it starts.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "with SyncManager(app_id='A', user_id='mei', data_dir=sys.argv[1]) as sm:\n"
        "    chat = sm.messages('c')\n"
        "    chat.on_change(lambda change: print('waits', flush=True))\n"
        "    try: chat.send('x')\n"
        "    except KeyboardInterrupt: print('interrupted')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "waits\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (out, err, process.returncode) == ("interrupted\n", "", 0)
