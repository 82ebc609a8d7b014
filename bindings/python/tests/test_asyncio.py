"""The client in an event loop: natural use, and what may go wrong around it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

from syncmanager import Change, SyncManager, SyncManagerError, _feeds, errors
from syncmanager.events import Connection

PATIENCE = 30


def run(body: Any) -> Any:
    return asyncio.run(asyncio.wait_for(body, 2 * PATIENCE))


def config(tmp_path: Path, **more: Any) -> Any:
    return {"app_id": "A", "user_id": "mei", "data_dir": str(tmp_path), **more}


def test_lists_follow_the_chat(lunch: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**lunch.config(lunch.mei, tmp_path)) as sm:
            await sm.connect()
            channels = sm.channels(order="latest_last_message")
            chat = sm.messages("lunch")
            assert not (await channels.fetch()).has_more
            await chat.fetch()
            assert [channel["name"] for channel in channels.items] == ["Lunch"]
            assert not chat.items
            sent = await chat.send("hi", data="d")
            assert chat.items == [sent]
            assert (sent["message"], sent["data"]) == ("hi", "d")
            changes = chat.changes()
            await asyncio.to_thread(lunch.post, "lunch", "bo", "hello")
            async for change in changes:
                assert isinstance(change, Change)
                if [message["message"] for message in chat.items] == ["hi", "hello"]:
                    break
            nothing: Any = sm.call("mark_as_read", channel_url="lunch")
            assert await nothing is None
            reaction = await sm.call(
                "add_reaction", channel_url="lunch", message_id=sent["message_id"], key="heart", timeout_ms=9000
            )
            assert reaction["reaction"] == "heart"
            assert chat.items[0]["reactions"][0]["user_ids"] == ["mei"]
            first = {"channel_url": "lunch", "message_id": chat.items[0]["message_id"]}
            edited = await sm.call_document({"action": "edit_message", "message": "hi!", **first})
            assert edited["message"] == "hi!"
            told: Any = await chat.update(edited)
            assert told["message"] == "hi!"
            changes, shown = chat.changes(), chat.items[0]
            await sm.call_document({"action": "delete_message", **first})
            change = await changes.__anext__()
            while change.action != "remove":
                change = await changes.__anext__()
            assert (list(change.removed), list(change.items)) == ([shown], [])
            assert "removed" not in change.document
            assert chat.items == chat.snapshot()["succeeded"]
            assert channels.items == channels.snapshot()["channels"]

    run(main())


def test_what_happened_in_particular(lunch: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**lunch.config(lunch.mei, tmp_path)) as sm:
            await sm.connect()
            chat = sm.messages("lunch")
            await chat.fetch()
            sent = await chat.send("hi")
            changes = chat.changes()
            path = f"{lunch.channel('lunch')}/messages/{sent['message_id']}/reactions"
            await asyncio.to_thread(lunch.request, "POST", path, {"reaction": "heart", "user_id": "bo"})
            change = await changes.__anext__()
            while change.source != "event_reaction_updated":
                change = await changes.__anext__()
            (detail,) = change.detail
            assert detail["event"] == "event_reaction_updated"
            assert (detail["key"], detail["user"], detail["is_added"]) == ("heart", {"user_id": "bo"}, True)
            assert detail["message_id"] == str(sent["message_id"])

    run(main())


def test_a_message_written_offline_is_sent_later(lunch: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**lunch.config(lunch.mei, tmp_path)) as sm:
            await sm.connect()
            chat = sm.messages("lunch")
            events = sm.events()
            await asyncio.to_thread(lunch.kill)
            async for event in events:
                if isinstance(event, Connection) and event.state == "waiting":
                    break
            call = chat.send("written offline")
            async for _ in chat:
                break
            assert [message["message"] for message in chat.pending] == ["written offline"]
            await asyncio.to_thread(lunch.restart)
            assert (await call)["message"] == "written offline"
            assert not chat.pending

    run(main())
    assert [message["message"] for message in lunch.messages("lunch")] == ["written offline"]


def test_a_condition_is_waited_for(lunch: Any, tmp_path: Path) -> None:
    async def main() -> None:
        sm = await SyncManager(**lunch.config(lunch.mei, tmp_path)).open()
        await sm.connect()
        chat = sm.messages("lunch")
        await chat.fetch()
        await sm.wait_until(lambda: not chat.items)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(sm.wait_until(lambda: chat.items), 0.05)
        await asyncio.to_thread(lunch.post, "lunch", "bo", "one")
        await asyncio.wait_for(sm.wait_until(lambda: chat.items), PATIENCE)
        assert [message["message"] for message in chat.items] == ["one"]
        waiting = asyncio.create_task(sm.wait_until(lambda: len(chat.items) > 1))
        await asyncio.sleep(0)
        await sm.close()
        with pytest.raises(errors.ClosedError):
            await waiting

    run(main())


def test_a_cancelled_task_leaves_the_call_and_the_client_alone(lunch: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**lunch.config(lunch.mei, tmp_path)) as sm:
            chat = sm.messages("lunch")
            call = chat.send("sent all the same")
            waiting = asyncio.create_task(asyncio.wait_for(call, PATIENCE))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(call, 0.01)
            assert call._waiters == []  # a program may wait like this for as long as the call is under way
            following = asyncio.create_task(chat.changes().__anext__())
            await asyncio.sleep(0)
            following.cancel()
            await sm.connect()
            assert (await call)["message"] == "sent all the same"
            assert (await call) is call.result()
            assert sm._open_core()._calls == {}

    run(main())


def test_closing_completes_calls_and_ends_iterations(tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**config(tmp_path)) as sm:
            chat = sm.messages("c")
            call = chat.send("waits for a connection")
            waiting = asyncio.create_task(asyncio.wait_for(call, PATIENCE))

            async def follow(iteration: Any) -> Any:
                return [change async for change in iteration]

            following = [asyncio.create_task(follow(each)) for each in (chat.changes(), sm.events(), chat.events())]
            await asyncio.sleep(0)
        with pytest.raises(errors.ClosedError):
            await waiting
        for iteration in following:
            await iteration
        for use in (sm.connect, sm.channels, sm.fileno, chat.fetch, chat.snapshot):
            with pytest.raises(errors.ClosedError):
                use()
        await sm.close()
        assert [change async for change in chat] == []

    run(main())


def test_tasks_that_share_an_iteration_share_its_events(tmp_path: Path) -> None:
    """Each event goes to one of them, one that is cancelled loses none for the others, and all end with the client."""

    async def main() -> None:
        async with SyncManager(**config(tmp_path)) as sm:
            shared = sm.events()
            alone = sm.events()
            heard: list[list[int]] = [[], [], [], []]

            async def follow(events: Any, seen: Any) -> None:
                async for event in events:
                    seen.append(event.seq)

            tasks = [asyncio.create_task(follow(shared, seen)) for seen in heard[:3]]
            tasks.append(asyncio.create_task(follow(alone, heard[3])))
            for _ in range(3):
                await asyncio.sleep(0)
            tasks[0].cancel()
            for _ in range(5):
                await sm.call("statistics")
            with pytest.raises(SyncManagerError):
                await sm.connect()
        done, waiting = await asyncio.wait(tasks, timeout=PATIENCE)
        assert not waiting
        assert len(done) == len(tasks)
        assert heard[3]
        assert sorted(heard[0] + heard[1] + heard[2]) == heard[3]

    run(main())


def test_cancelling_the_main_task_closes_the_client(tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**config(tmp_path)) as sm:
            await sm.messages("c").send("never sent")

    async def outer() -> None:
        task = asyncio.create_task(main())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(outer())
    run(SyncManager(**config(tmp_path)).open())  # the files are free


def test_a_task_cancelled_while_it_opens_leaves_no_lock(tmp_path: Path) -> None:
    async def main() -> None:
        for _ in range(20):
            opening = asyncio.create_task(SyncManager(**config(tmp_path)).open())
            await asyncio.sleep(0)
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
            while True:  # the worker closes what it opened
                try:
                    async with SyncManager(**config(tmp_path)):
                        break
                except errors.LockedError:
                    await asyncio.sleep(0.01)

    run(main())


def test_a_removed_collection_is_quiet(tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**config(tmp_path)) as sm:
            chat = sm.messages("c")
            iteration = chat.changes()
            call = chat.fetch()
            chat.remove()
            chat.remove()
            with contextlib.suppress(errors.RemovedError):  # unless the page was quicker
                await call
            assert [change async for change in iteration] == []
            with pytest.raises(errors.InvalidHandleError):
                chat.send("x")

    run(main())


def test_a_collection_nobody_has_is_removed_and_its_calls_complete(tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**config(tmp_path)) as sm:
            heard: list[Any] = []
            page = await sm.channels().fetch()  # lives as long as its call
            assert page.short == "offline"
            sm.messages("c").on_change(heard.append)  # lives as long as its listener
            gc.collect()
            assert [type(shown).__name__ for shown in sm._open_core().shown()] == ["MessageCollection"]
            call = sm.messages("c").send("x")
            async for event in sm.events():
                if isinstance(event, Change) and event.collection == 2:
                    break
            assert [change.list for change in heard] == ["pending"]
            assert not call.done()

    run(main())


def test_it_belongs_to_one_loop(tmp_path: Path) -> None:
    async def other(sm: Any, channels: Any) -> None:
        for use in (sm.connect(), channels.fetch()):
            with pytest.raises(RuntimeError, match="another event loop"):
                await use
        with pytest.raises(RuntimeError, match="another event loop"):
            await channels.changes().__anext__()

    async def main() -> None:
        sm = SyncManager(**config(tmp_path))
        with pytest.raises(RuntimeError, match="not open"):
            sm.channels()
        async with sm:
            channels = sm.channels()
            await asyncio.to_thread(asyncio.run, other(sm, channels))
            with pytest.raises(RuntimeError, match="block the event loop"):
                sm.messages("c").send("x").result()
            with pytest.raises(RuntimeError, match="block the event loop"):
                next(channels.changes())
            with pytest.raises(RuntimeError, match="opened once"):
                await sm.open()

    run(main())


def test_loops_on_several_threads_have_clients_of_their_own(lunch: Any, tmp_path: Path) -> None:
    failed = []

    def one(number: Any) -> None:
        async def main() -> None:
            async with SyncManager(**lunch.config(lunch.mei, tmp_path / str(number))) as sm:
                await sm.connect()
                chat = sm.messages("lunch")
                await chat.fetch()
                await asyncio.gather(*(asyncio.wait_for(chat.send(f"{number}.{n}"), PATIENCE) for n in range(5)))
                while len(chat.items) < 20:
                    await chat.changes().__anext__()
                assert chat.items == chat.snapshot()["succeeded"]

        try:
            run(main())
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_forgotten_client_is_closed_when_its_loop_is_gone(tmp_path: Path) -> None:
    async def main() -> None:
        sm = await SyncManager(**config(tmp_path)).open()
        sm.messages("c").send("x")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(main())
        gc.collect()
    told = [str(warning.message) for warning in caught if "SyncManager" in str(warning.message)]
    assert told == ["a SyncManager was not closed"]
    run(SyncManager(**config(tmp_path)).open())  # the files are free


def test_whoever_lags_behind_starts_over_from_the_lists(
    lunch: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_feeds, "LIMIT", 10)

    async def main() -> None:
        async with SyncManager(**lunch.config(lunch.mei, tmp_path)) as sm:
            await sm.connect()
            chat = sm.messages("lunch")
            await chat.fetch()
            changes, everything = chat.changes(), sm.events()
            await asyncio.to_thread(lunch.post_many, "lunch", "bo", 100)
            quick = chat.changes()
            while len(chat.items) < 100:
                await quick.__anext__()
            assert len(changes._waiting) <= 12
            shown: list[Any] = []
            while len(shown) < 100:
                change = await changes.__anext__()
                if change.action == "clear" and change.list == "succeeded":
                    shown.clear()
                for place, message in zip(change.changes, change.items):
                    assert change.action in ("insert", "update")
                    shown[place["index"] : place["index"] + (change.action == "update")] = [message]
            assert shown == chat.items
            kinds = {type(event).__name__ for event in everything._waiting}
            assert "Overflow" in kinds

    run(main())


def test_a_listener_that_fails_is_logged_and_the_others_hear(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with SyncManager(**config(tmp_path)) as sm:
            heard: list[Any] = []

            @sm.on_event
            def fails(event: Any) -> None:
                raise ValueError("of the listener")

            sm.on_event(heard.append)
            await sm.channels().fetch()
            assert heard
            sm.remove_listener(fails)
            before = len(caplog.records)
            await sm.channels().fetch()
            assert len(caplog.records) == before

    run(main())
    assert "of the listener" in caplog.text
    assert {record.name for record in caplog.records} >= {"syncmanager"}


def test_opening_raises_what_is_wrong(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(errors.InvalidDocumentError):
            async with SyncManager(**config(tmp_path, queue_limit=3)):
                pass
        async with SyncManager(**config(tmp_path)):
            with pytest.raises(SyncManagerError) as caught:
                await SyncManager(**config(tmp_path)).open()
            assert isinstance(caught.value, errors.LockedError)

    run(main())
