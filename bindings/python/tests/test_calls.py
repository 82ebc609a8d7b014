"""Calls as asyncio knows awaitables, and what becomes of an error that nobody asks for."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from syncmanager import Call, SyncManager, SyncManagerError, blocking, errors
from syncmanager.testing import Server

PATIENCE = 30


def config(tmp_path: Path, **more: Any) -> Any:
    return {"app_id": "A", "user_id": "mei", "data_dir": str(tmp_path), **more}


def with_client(tmp_path: Path, body: Any, **more: Any) -> Any:
    """Runs ``body(client, told)`` in a loop that says to ``told`` what its exception handler hears."""
    told: list[Any] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        async with SyncManager(**config(tmp_path, **more)) as sm:
            await body(sm, told)
        gc.collect()

    asyncio.run(asyncio.wait_for(main(), 2 * PATIENCE))
    gc.collect()
    return told


async def unknown_channel(sm: Any) -> Any:
    """A call that fails at once, offline."""
    return sm.call("mark_as_read", channel_url="c")


async def settled(sm: Any, call: Any) -> None:
    """Drains until the call is complete, without asking how."""
    events = sm.events()
    while not call.done():
        await events.__anext__()


# The forms that asyncio has


def test_tasks_are_made_of_calls(tmp_path: Path) -> None:
    async def body(sm: Any, _: Any) -> None:
        page = await asyncio.create_task(sm.channels().fetch(), name="page")
        assert page.short == "offline"
        task = asyncio.get_running_loop().create_task(sm.channels().fetch())
        assert (await task).short == "offline"
        failing = asyncio.create_task(sm.call("mark_as_read", channel_url="c"))
        with pytest.raises(errors.NotConnectedError):
            await failing
        assert (await asyncio.ensure_future(sm.channels().fetch())).short == "offline"
        waiting = asyncio.create_task(sm.messages("c").send("x"))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    assert with_client(tmp_path, body) == []


def test_tasks_are_made_of_calls_while_the_client_closes(tmp_path: Path) -> None:
    async def main() -> None:
        loop, gate = asyncio.get_running_loop(), threading.Event()
        sm: Any = await SyncManager(**config(tmp_path)).open()
        channels = sm.channels()
        loop.set_default_executor(ThreadPoolExecutor(1))
        busy = loop.run_in_executor(None, gate.wait, PATIENCE)  # so that closing waits
        closing = asyncio.create_task(sm.close())
        for _ in range(20):
            await asyncio.sleep(0)
        task = asyncio.create_task(channels.fetch())
        gate.set()
        await asyncio.gather(busy, closing)
        with pytest.raises(errors.ClosedError):
            await task
        with pytest.raises(errors.ClosedError):
            sm.channels()

    asyncio.run(asyncio.wait_for(main(), PATIENCE))


def test_calls_are_waited_for(tmp_path: Path) -> None:
    async def body(sm: Any, _: Any) -> None:
        fetched, refused, never = sm.channels().fetch(), await unknown_channel(sm), sm.messages("c").send("x")
        done, pending = await asyncio.wait({fetched, refused, never}, timeout=0.5)
        assert len(done) == 2
        assert len(pending) == 1
        assert never.done() is False
        assert fetched.result().short == "offline"
        assert isinstance(refused.exception(), errors.NotConnectedError)
        assert isinstance(refused.error(), errors.NotConnectedError)
        assert {type(each.exception()) for each in done} == {type(None), errors.NotConnectedError}
        if sys.version_info >= (3, 11):
            assert done == {fetched, refused}
            assert pending == {never}
        first, rest = await asyncio.wait([sm.channels().fetch(), never], return_when=asyncio.FIRST_COMPLETED)
        assert (len(first), len(rest)) == (1, 1)
        for each in pending | rest:  # before 3.11 it makes tasks of what is no future
            if isinstance(each, asyncio.Task):
                each.cancel()
        (left,), none = await asyncio.wait({await unknown_channel(sm)}, return_when=asyncio.FIRST_EXCEPTION)
        assert isinstance(left.exception(), errors.NotConnectedError)
        assert none == set()

    assert with_client(tmp_path, body) == []


def test_calls_are_gathered_and_have_deadlines(tmp_path: Path) -> None:
    async def body(sm: Any, _: Any) -> None:
        pages = await asyncio.gather(*(sm.channels().fetch() for _ in range(3)))
        assert [page.short for page in pages] == ["offline"] * 3
        both: Any = await asyncio.gather(sm.channels().fetch(), await unknown_channel(sm), return_exceptions=True)
        page, refused = both
        assert page.short == "offline"
        assert isinstance(refused, errors.NotConnectedError)
        never = sm.messages("c").send("x")
        for waiting in (never, asyncio.gather(never, sm.channels().fetch())):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(waiting, 0.05)
        assert (await asyncio.wait_for(sm.channels().fetch(), PATIENCE)).short == "offline"
        assert (await asyncio.shield(sm.channels().fetch())).short == "offline"
        for each in asyncio.as_completed([sm.channels().fetch(), sm.channels().fetch()]):
            assert (await each).short == "offline"
        assert not never.done()

    assert with_client(tmp_path, body) == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="asyncio.timeout and TaskGroup came with 3.11")
def test_calls_in_task_groups(tmp_path: Path) -> None:
    aio: Any = asyncio  # with what came with 3.11

    async def body(sm: Any, _: Any) -> None:
        async with aio.TaskGroup() as group:
            tasks = [group.create_task(sm.channels().fetch()) for _ in range(3)]
        assert [task.result().short for task in tasks] == ["offline"] * 3
        never = sm.messages("c").send("x")
        with pytest.raises(TimeoutError):
            async with aio.timeout(0.05):
                await never
        refused: Any = None
        try:
            async with aio.TaskGroup() as group:
                group.create_task(await unknown_channel(sm))
                group.create_task(never)
        except BaseException as error:  # an ExceptionGroup, which Python 3.9 has no word for
            refused = error
        assert [type(error) for error in refused.exceptions] == [errors.NotConnectedError]
        assert not never.done()

    assert with_client(tmp_path, body) == []


def test_the_loops_task_factory_is_kept(tmp_path: Path) -> None:
    made = []

    def factory(loop: Any, coroutine: Any, **more: Any) -> Any:
        made.append(coroutine)
        return asyncio.Task(coroutine, loop=loop, **more)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(factory)
        for folder in ("a", "b"):
            async with SyncManager(**config(tmp_path / folder)) as sm, SyncManager(**config(tmp_path / "c")) as other:
                fetch: Any = sm.channels().fetch  # to a type checker a call is no coroutine
                assert (await asyncio.create_task(fetch())).short == "offline"
                assert made
                await other.close()
                assert (await asyncio.create_task(fetch())).short == "offline"
            assert loop.get_task_factory() is factory
        async with SyncManager(**config(tmp_path / "d")):
            loop.set_task_factory(None)  # somebody else's business from now on
        assert loop.get_task_factory() is None

    asyncio.run(asyncio.wait_for(main(), PATIENCE))


def test_callbacks_of_calls(tmp_path: Path) -> None:
    async def body(sm: Any, _: Any) -> None:
        heard: list[Any] = []
        call = sm.channels().fetch()
        call.add_done_callback(heard.append)
        call.add_done_callback(heard.append)
        assert call.remove_done_callback(heard.append) == 2
        call.add_done_callback(heard.append)
        assert not call.cancelled()
        with pytest.raises(asyncio.InvalidStateError):
            call.exception()
        await call
        assert call.exception() is None
        await asyncio.sleep(0)
        assert heard == [call]
        call.add_done_callback(heard.append)
        assert heard == [call]
        await asyncio.sleep(0)
        assert heard == [call, call]

    assert with_client(tmp_path, body) == []


# Errors that nobody asks for


def test_an_error_that_nobody_asks_for_is_told(tmp_path: Path) -> None:
    async def body(sm: Any, told: Any) -> None:
        call = await unknown_channel(sm)
        await settled(sm, call)
        assert told == []  # it may be asked for as long as somebody has it
        del call
        gc.collect()
        (context,) = told
        assert context["message"] == "Call exception was never retrieved"
        assert isinstance(context["exception"], errors.NotConnectedError)
        assert isinstance(context["future"], Call)
        assert "source_traceback" not in context

    assert len(with_client(tmp_path, body)) == 1


def test_where_the_call_was_made_is_told_in_debug_mode(tmp_path: Path) -> None:
    async def body(sm: Any, told: Any) -> None:
        asyncio.get_running_loop().set_debug(True)
        await settled(sm, await unknown_channel(sm))
        gc.collect()
        (context,) = told
        assert any(frame.name == "unknown_channel" for frame in context["source_traceback"])

    with_client(tmp_path, body)


def test_the_default_handler_logs_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with SyncManager(**config(tmp_path)) as sm:
            await settled(sm, await unknown_channel(sm))
            gc.collect()

    asyncio.run(main())
    (record,) = [record for record in caplog.records if "never retrieved" in record.message]
    assert record.name == "asyncio"
    assert record.levelno == logging.ERROR
    assert isinstance((record.exc_info or (None, None))[1], errors.NotConnectedError)


def test_what_somebody_asked_for_is_not_told(tmp_path: Path) -> None:
    async def body(sm: Any, _: Any) -> None:
        for ask in (Call.result, Call.error, Call.exception):
            call = await unknown_channel(sm)
            await settled(sm, call)
            with contextlib.suppress(SyncManagerError):
                ask(call)
            del call
        with pytest.raises(errors.NotConnectedError):
            await (await unknown_channel(sm))

    assert with_client(tmp_path, body) == []


def test_the_programs_own_end_of_a_call_is_not_told(tmp_path: Path) -> None:
    async def body(sm: Any, _: Any) -> None:
        sm.messages("c").send("waits for a connection")  # ends with the client
        sm.channels().fetch()
        chat = sm.messages("c")
        chat.fetch()
        chat.remove()
        canceled = sm.messages("c").send("given up")
        await sm.call("cancel", request=canceled.request)
        del canceled

    assert with_client(tmp_path, body) == []


def test_a_first_attempt_without_a_network_is_not_told_and_a_refused_token_is(
    tmp_path: Path, syncmanager_server: Server
) -> None:
    mei = syncmanager_server.create_user("mei")

    async def offline(sm: Any, _: Any) -> None:
        await settled(sm, sm.connect())

    nowhere = {"api_host": "http://127.0.0.1:9", "ws_host": "ws://127.0.0.1:9"}
    assert with_client(tmp_path / "a", offline, access_token="T", **nowhere) == []

    async def refused(sm: Any, told: Any) -> None:
        await settled(sm, sm.connect())
        gc.collect()
        (context,) = told
        assert isinstance(context["exception"], errors.TokenRejectedError)
        assert context["exception"].message

    wrong = {**syncmanager_server.config(mei, tmp_path / "b"), "access_token": "wrong"}
    assert len(with_client(tmp_path / "b", refused, **wrong)) == 1


def test_a_blocking_program_finds_it_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with blocking.SyncManager(**config(tmp_path)) as sm:
        call = sm.start.call("mark_as_read", channel_url="c")
        while not call.done():
            sm.next_event(timeout=1)
        del call
        gc.collect()
        (record,) = [record for record in caplog.records if "never retrieved" in record.message]
        assert record.name == "syncmanager"
        assert isinstance((record.exc_info or (None, None))[1], errors.NotConnectedError)
        with pytest.raises(errors.NotConnectedError):
            sm.call("mark_as_read", channel_url="c")
    gc.collect()
    assert len([record for record in caplog.records if "never retrieved" in record.message]) == 1
