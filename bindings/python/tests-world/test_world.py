"""A world in which programs are tested: time, repetition, weather, kills, files, the database."""

import asyncio
import contextlib
import ctypes
import json
import time
from pathlib import Path
from typing import Any, cast

import pytest

from syncmanager import SyncManager, blocking, errors
from syncmanager._ffi import check, lib
from syncmanager.documents import LATEST
from syncmanager.events import Connection
from syncmanager.testing import Account, Disturbance, Fault, ServerError, Weather, World

DAY = 86_400_000
FAULTS: list[Fault] = ["429", "5xx", "garbage", "half_body", "close"]


def lunch(world: World) -> Account:
    """A channel of two; gives the account of one of them."""
    mei = world.create_user("mei")
    world.create_user("bo")
    world.create_channel("lunch", "mei", "bo", name="Lunch")
    return mei


def story(seed: int, data_dir: Path) -> list[str]:
    """All that a client is told in an hour of bad weather."""
    told: list[str] = []
    # The service refuses nothing in it: a message that is refused fails for good.
    with World(seed, weather={"lost": 10, "answer_lost": 10, "reset": 10, "broken": 10, "refused": 50}) as world:
        mei = lunch(world)
        with blocking.SyncManager(**world.config(mei, data_dir)) as sm:
            sm.on_event(lambda event: told.append(repr(event)))
            sm.start.connect()
            chat = sm.messages("lunch")
            chat.start.fetch()
            for number in range(20):
                world.post("lunch", "bo", f"from bo {number}")
                chat.start.send(f"from mei {number}")
                world.advance(180_000)
                sm.dispatch(timeout=0)
            exported = sm.export(str(data_dir / "all.jsonl"), timeout=600)
            told.append(repr({**exported, "path": None}))
        assert sorted(message["message"] for message in world.messages("lunch")) == sorted(
            [f"from bo {number}" for number in range(20)] + [f"from mei {number}" for number in range(20)]
        )
    return told


def test_one_seed_is_one_story(tmp_path: Path) -> None:
    first, again, other = (story(seed, tmp_path / name) for seed, name in [(7, "a"), (7, "b"), (8, "c")])
    assert len(first) > 100
    assert first == again
    assert first != other


def test_a_day_takes_no_time(tmp_path: Path) -> None:
    began = time.monotonic()
    with World() as world:
        mei = lunch(world)
        start = world.now
        with blocking.SyncManager(**world.config(mei, tmp_path)) as sm:
            sm.connect(timeout=30)
            world.advance(DAY)
            assert world.now >= start + DAY
            # A wait for nothing lets its time pass, too.
            before = world.now
            assert list(sm.events(timeout=3600)) == [] or world.now - before >= 3_600_000
    assert time.monotonic() - began < 30


def test_time_goes_on_behind_what_is_due_at_once() -> None:
    with World(1) as world:
        world.create_user("mei")
        for close_at in (7, world.now // 1000):
            body = {"title": "T", "options": [{"text": "a"}], "user_id": "mei", "close_at": close_at}
            poll = world.request("POST", "/v3/polls", body)
            began = world.now
            world.advance(60_000)
            assert world.now == began + 60_000
            assert world.request("GET", f"/v3/polls/{poll['id']}")["status"] == "closed"


def test_time_passes_while_an_event_loop_waits(tmp_path: Path) -> None:
    async def main(world: World) -> list[str]:
        mei = lunch(world)
        async with SyncManager(**world.config(mei, tmp_path)) as sm:
            await sm.connect()
            chat = sm.messages("lunch")
            await chat.fetch()
            before = world.now
            await asyncio.sleep(3600)
            assert 3_600_000 <= world.now - before < 3_700_000
            world.post("lunch", "bo", "hello")
            async for _ in chat:
                if chat.items:
                    break
            await chat.send("hi")
            return [message["message"] for message in chat.items]

    with World(3) as world:
        assert world.run(main(world)) == ["hello", "hi"]


def test_a_step_ends_when_a_client_has_something_new(tmp_path: Path) -> None:
    with World() as world, blocking.SyncManager(**world.config(lunch(world), tmp_path)) as sm:
        sm.connect(timeout=30)
        chat = sm.messages("lunch")
        chat.fetch(timeout=30)
        while sm.next_event(timeout=10):
            pass
        world.post("lunch", "bo", "hello")
        passed = world.step(60_000)
        assert passed < 60_000
        assert sm.next_event(timeout=0)
        while sm.next_event(timeout=10):
            pass
        world.post("lunch", "bo", "not taken yet")
        assert world.step(60_000) < 60_000
        while world.step(60_000) < 60_000:
            pass  # more than one event may come of a message
        # What waits and is not taken ends no step.
        assert world.step(1000) == 1000
        assert sm.next_event(timeout=0)


def test_an_event_loop_that_waits_for_nothing_ends() -> None:
    async def main() -> None:
        await asyncio.Event().wait()

    with World() as world, pytest.raises(RuntimeError, match="nothing has happened"):
        world.run(main())


def test_a_killed_client_goes_on(tmp_path: Path) -> None:
    with World() as world:
        mei = lunch(world)
        config = world.config(mei, tmp_path)
        sm = blocking.SyncManager(**config)
        world.set_weather({"refused": 100, "lost": 100})
        chat = sm.messages("lunch")
        call = chat.start.send("kept", request_id="r")
        assert chat.start.fetch_pending().result(5) >= 0
        world.kill(sm)
        assert sm.closed
        with pytest.raises(errors.ClosedError):
            call.result(1)
        with pytest.raises(errors.ClosedError):
            sm.messages("lunch")
        world.set_weather("fair")
        with blocking.SyncManager(**config) as again:
            again.connect(timeout=60)
            world.advance(60_000)
            assert [message["message"] for message in world.messages("lunch")] == ["kept"]


def test_connections_are_disturbed(tmp_path: Path) -> None:
    with World() as world:
        mei = lunch(world)
        with blocking.SyncManager(**world.config(mei, tmp_path)) as sm:
            states: list[str] = []
            sm.on(Connection)(lambda event: states.append(event.state))
            sm.connect(timeout=30)
            disturbances: list[Disturbance] = ["reset", "die", "lose_pong"]
            for what in disturbances:
                states.clear()
                world.disturb(what)
                world.advance(120_000)
                sm.dispatch(timeout=0)
                assert "connected" in states, (what, states)
            world.disturb("reset", "bo")
            states.clear()
            world.advance(10_000)
            sm.dispatch(timeout=0)
            assert states == []


def test_files_come_and_go(tmp_path: Path) -> None:
    source, target = tmp_path / "here.txt", tmp_path / "there.txt"
    source.write_bytes(b"content\n" * 1000)
    with World(5) as world:
        mei = lunch(world)
        with blocking.SyncManager(**world.config(mei, tmp_path / "data")) as sm:
            sm.connect(timeout=30)
            chat = sm.messages("lunch")
            sent: Any = chat.send_files(source, timeout=60)
            sm.download_file(sent["file"]["url"], str(target), timeout=60)
    assert target.read_bytes() == source.read_bytes()


def test_files_are_received_in_the_same_weather(tmp_path: Path) -> None:
    source, target = tmp_path / "here.txt", tmp_path / "there.txt"
    source.write_bytes(bytes(range(256)) * 100)
    spoilt: list[tuple[Weather, type[errors.SyncManagerError]]] = [
        ({"lost": 100}, errors.CallTimeoutError), ({"reset": 100}, errors.NetworkError),
        ({"broken": 100}, errors.ServiceError), ({"rate_limited": 100}, errors.ServiceError),
        ({"half": 100}, errors.NetworkError),
    ]  # fmt: skip
    with World(5) as world:
        mei = lunch(world)
        with blocking.SyncManager(**world.config(mei, tmp_path / "data")) as sm:
            sm.connect(timeout=30)
            chat = sm.messages("lunch")
            sent: Any = chat.send_files(source, timeout=60)
            for weather, error in spoilt:
                world.set_weather(weather)
                with pytest.raises(error):
                    sm.download_file(sent["file"]["url"], str(target), timeout=600)
            assert not target.exists()
            left = [path for path in tmp_path.iterdir() if path.suffix == ".part"]
            assert [path.stat().st_size for path in left] == [12_800], "half of an answer is kept"
            world.set_weather("fair")
            sm.download_file(sent["file"]["url"], str(target), timeout=60)
    assert target.read_bytes() == source.read_bytes()


def test_the_database_is_there(tmp_path: Path) -> None:
    with World(6) as world:
        mei = lunch(world)
        world.database("PUT", "/.settings/rules", {"rules": {".read": True, ".write": True}})
        world.database("PUT", "/rooms/a", {"name": "A"})
        with blocking.SyncManager(**world.config(mei, tmp_path)) as sm:
            sm.connect(timeout=30)
            assert sm.database.get("/rooms/a", timeout=30) == {"name": "A"}
            sm.database.set("/rooms/b", {"name": "B"}, timeout=30)
        assert world.database("GET", "/rooms/b") == {"name": "B"}
        without = world.config(mei, tmp_path / "without", database=None)
        with blocking.SyncManager(**without) as sm, pytest.raises(errors.InvalidDocumentError):
            sm.database.get("/rooms/a", timeout=30)


@pytest.mark.parametrize("weather", [{"lost": 100}, {"answer_lost": 100}])
def test_a_write_that_is_done_late_brings_back_a_part_of_what_is_gone(weather: Weather, tmp_path: Path) -> None:
    """docs/database.md, and its way not to show that part."""
    with World(6) as world:
        mei = lunch(world)
        world.database("PUT", "/messages", {"a": {"text": "hello"}, "m": {"text": "removed by another client"}})
        with blocking.SyncManager(**world.config(mei, tmp_path)) as sm:
            everything = sm.stream({"database": {"path": "messages"}})
            whole = sm.stream({"database": {"path": "messages"}}, predicate={"!=": ["text", None]})
            world.advance(10_000)
            world.set_weather(weather)
            written = sm.start.call("database_set", path="messages/m/likes", value=3)
            world.advance(3_000)
            world.database("DELETE", "/messages/m")
            world.set_weather("fair")
            written.result(600)
            world.advance(10_000)
            sm.dispatch(timeout=0)
            assert world.database("GET", "/messages/m") == {"likes": 3}
            assert [row["key"] for row in everything.rows] == ["a", "m"]
            assert [row["key"] for row in whole.rows] == ["a"]


def test_a_world_is_not_ended_by_a_callback_in_it(tmp_path: Path) -> None:
    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
    with World(2) as world:
        mei = lunch(world)
        client = ctypes.c_void_p()
        check(lib.sm_setup(json.dumps(world.config(mei, tmp_path)).encode(), ctypes.byref(client)))
        refused: list[str] = []

        def end(*_: object) -> None:
            with pytest.raises(errors.ReentrantError) as caught:
                world.close()
            refused.append(caught.value.message)

        kept = callback(end)
        check(lib.sm_set_callback(client, kept, None, None))
        check(lib.sm_connect(client, None, None, None, None))
        assert check(lib.sm_dispatch(client, 1, 1000)) == 1
        assert "cannot be ended by a callback" in refused[0]
        assert world.create_user("kit")["user_id"] == "kit"
        lib.sm_close(client)


def test_no_timeout_is_lost_in_rounding(tmp_path: Path) -> None:
    with World(2) as world:
        mei = lunch(world)
        with blocking.SyncManager(**world.config(mei, tmp_path)) as sm:
            sm.connect(timeout=30)
            world.set_weather({"lost": 100, "refused": 100})
            world.disturb("reset")
            world.advance(1_000)
            call = sm.messages("lunch").start.send("never")
            for number in range(200):
                with pytest.raises(errors.CallTimeoutError):
                    call.result(0.7 + number / 997 if number else 0.0003)


def test_faults_of_the_service_are_there(tmp_path: Path) -> None:
    source, target = tmp_path / "here.txt", tmp_path / "there.txt"
    source.write_bytes(b"content\n" * 1000)
    with World(5) as world:
        mei = lunch(world)
        world.post("lunch", "bo", "hello")
        with blocking.SyncManager(**world.config(mei, tmp_path / "data")) as sm:
            sm.connect(timeout=30)
            chat = sm.messages("lunch")
            for kind in FAULTS:
                world.fault(kind, path_contains="/messages")
                chat.reset_viewpoint(LATEST)
                while not chat.items:
                    with contextlib.suppress(errors.RemoteError):
                        chat.fetch(timeout=600)
                assert [message["message"] for message in chat.items][:1] == ["hello"], kind
            sent: Any = chat.send_files(source, timeout=60)
            for kind in FAULTS:
                if kind == "garbage":
                    continue  # with status 200 it is a file, too, for all that anybody can see
                target.unlink(missing_ok=True)
                world.fault(kind, path_contains="/files/")
                with contextlib.suppress(errors.RemoteError):
                    sm.download_file(sent["file"]["url"], str(target), timeout=600)
                assert not target.exists() or target.read_bytes() == source.read_bytes(), kind
            # A delay without a bound ends nobody's process.
            world.control("delay", ms=2**63 - 1)
            with contextlib.suppress(errors.RemoteError):
                sm.mark_as_read("lunch", timeout=60)


def test_two_clients_talk(tmp_path: Path) -> None:
    with World(9, weather="usual") as world:
        mei = lunch(world)
        bo: Account = {"user_id": "bo", "access_token": "token-bo"}
        with (
            blocking.SyncManager(**world.config(mei, tmp_path / "mei")) as one,
            blocking.SyncManager(**world.config(bo, tmp_path / "bo")) as two,
        ):
            chats = []
            for sm in (one, two):
                sm.start.connect()
                chat = sm.messages("lunch")
                chat.start.fetch()
                chats.append(chat)
            chats[0].start.send("from mei")
            chats[1].start.send("from bo")
            world.advance(600_000)
            for sm in (one, two):
                sm.dispatch(timeout=0)
            texts = [sorted(message["message"] for message in chat.items) for chat in chats]
            assert texts == [["from bo", "from mei"]] * 2


def test_users_are_named_by_id_or_account() -> None:
    with World(1) as world:
        mei, bo = world.create_user("mei"), world.create_user("bo")
        world.create_channel("plans", mei, "bo")
        world.post("plans", mei, "one")
        world.post_many("plans", bo, 1)
        world.post("plans", "bo", "two")
        users = [message["user"] for message in world.messages("plans")]
        assert [user["user_id"] for user in users if user] == ["mei", "bo", "bo"]


def test_what_is_wrong_is_named() -> None:
    with World() as world:
        with pytest.raises(errors.BusyError):
            World()
        with pytest.raises(errors.InvalidDocumentError, match="lost"):
            world.set_weather({"lost": 101})
        with pytest.raises(errors.InvalidDocumentError, match="snow"):
            world.set_weather(cast(Any, {"snow": 1}))
        with pytest.raises(errors.InvalidArgumentError, match="reset, die"):
            world.disturb(cast(Any, "rain"))
        with pytest.raises(errors.InvalidArgumentError, match="ms must be"):
            world.advance(-1)
        with pytest.raises(ServerError) as caught:
            world.request("GET", "/v3/users/nobody")
        assert caught.value.status == 400 and caught.value.code == 400201
    with World(page_size=1):
        pass
    with pytest.raises(errors.InvalidDocumentError, match="page_size"):
        World(page_size=0)
