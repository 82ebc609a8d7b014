"""Handlers of one class of events, and the bot of the documentation, which answers once however it is killed."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from syncmanager import SyncManager, blocking
from syncmanager.events import Connection, MessageReceived, SyncState
from syncmanager.testing import Server

PATIENCE = 30
BOT = Path(__file__).resolve().parents[1] / "examples/bot.py"


def run(body: Any) -> Any:
    return asyncio.run(asyncio.wait_for(body, 2 * PATIENCE))


@pytest.fixture
def lunch(syncmanager_server: Server) -> Any:
    server: Any = syncmanager_server
    server.bot = server.create_user("bot")
    server.create_user("bo")
    server.create_channel("lunch", "bot", "bo", name="Lunch")
    return server


def test_a_handler_gets_the_events_of_its_class(lunch: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**lunch.config(lunch.bot, tmp_path)) as sm:
            states: list[str] = []

            @sm.on(Connection)
            def tell(event: Connection) -> None:
                states.append(event.state)

            await sm.connect()
            assert states == ["connecting", "connected"]
            sm.remove_listener(tell)
            events = sm.events()
            sm.disconnect()
            async for event in events:
                if isinstance(event, Connection):
                    break
            assert states == ["connecting", "connected"]

    run(main())


def test_a_coroutine_handles_one_event_after_another(lunch: Any, tmp_path: Path) -> None:
    async def main() -> None:
        async with SyncManager(**lunch.config(lunch.bot, tmp_path, notify="all")) as sm:
            steps: list[str] = []
            done = asyncio.Event()

            @sm.on(MessageReceived)
            async def receive(event: MessageReceived) -> None:
                text = event.message.get("message", "")
                steps.append("begin " + text)
                await sm.acknowledge(event.id)  # others wait meanwhile
                steps.append("end " + text)
                if text == "2":
                    done.set()

            await sm.connect()
            for text in "012":
                await asyncio.to_thread(lunch.post, "lunch", "bo", text)
            await done.wait()
            assert steps == [f"{step} {text}" for text in "012" for step in ("begin", "end")]

    run(main())


def test_what_a_handler_raises_is_logged(lunch: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with SyncManager(**lunch.config(lunch.bot, tmp_path, notify="all")) as sm:
            heard: asyncio.Queue[str] = asyncio.Queue()

            @sm.on(MessageReceived)
            async def receive(event: MessageReceived) -> None:
                heard.put_nowait(event.message.get("message", ""))
                raise ValueError("of the program")

            await sm.connect()
            for text in ("one", "two"):
                await asyncio.to_thread(lunch.post, "lunch", "bo", text)
                assert await heard.get() == text

    with caplog.at_level(logging.ERROR, "syncmanager"):
        run(main())
    logged = [record.getMessage().rstrip("0123456789") for record in caplog.records]
    assert logged == ["a handler failed at MessageReceived number "] * 2, "and no text of a message"


def test_closing_cancels_what_is_handled(lunch: Any, tmp_path: Path) -> None:
    steps: list[str] = []

    async def main() -> None:
        begun = asyncio.Event()
        async with SyncManager(**lunch.config(lunch.bot, tmp_path, notify="all")) as sm:

            @sm.on(MessageReceived)
            async def receive(event: MessageReceived) -> None:
                steps.append(event.message.get("message", ""))
                begun.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    await sm.acknowledge(event.id)  # the client is still open
                    steps.append("ended")

            await sm.connect()
            await asyncio.to_thread(lunch.post, "lunch", "bo", "one")
            await begun.wait()
            told = sm.events()
            await asyncio.to_thread(lunch.post, "lunch", "bo", "two")
            async for event in told:
                if isinstance(event, MessageReceived):
                    break
        assert steps == ["one", "ended"]

    run(main())
    assert steps == ["one", "ended"]  # what waited was not begun


def test_a_handler_may_close_its_client(lunch: Any, tmp_path: Path) -> None:
    async def main() -> None:
        closed = asyncio.Event()
        sm = await SyncManager(**lunch.config(lunch.bot, tmp_path)).open()

        @sm.on(SyncState)
        async def close(event: SyncState) -> None:
            await sm.close()
            closed.set()

        sm.connect()
        await closed.wait()
        assert sm.closed

    run(main())


def test_a_blocking_client_has_handlers_without_coroutines(lunch: Any, tmp_path: Path) -> None:
    with blocking.SyncManager(**lunch.config(lunch.bot, tmp_path, notify="all")) as sm:
        texts: list[str] = []

        @sm.on(MessageReceived)
        def receive(event: MessageReceived) -> None:
            texts.append(event.message.get("message", ""))
            sm.start.acknowledge(event.id)

        async def wrong(event: MessageReceived) -> None:
            raise AssertionError

        with pytest.raises(TypeError, match="no event loop"):
            sm.on(MessageReceived)(wrong)
        sm.connect(timeout=PATIENCE)
        lunch.post("lunch", "bo", "hello")
        for _ in sm.events(timeout=PATIENCE):
            if texts:
                break
        assert texts == ["hello"]


# The bot


def test_the_bot_is_that_of_the_page() -> None:
    page = BOT.parents[1] / "docs/bots.md"
    if not page.exists():
        pytest.skip("the package is tested outside of the repository")
    assert f"```python\n{BOT.read_text(encoding='utf-8')}```" in page.read_text(encoding="utf-8")


def start(config: str) -> subprocess.Popen[str]:
    bot = subprocess.Popen([sys.executable, BOT, config], stdout=subprocess.PIPE, text=True)
    assert bot.stdout is not None and bot.stdout.readline() == "ready\n"
    return bot


def end(bot: subprocess.Popen[str]) -> None:
    bot.kill()
    bot.wait()
    assert bot.stdout is not None
    bot.stdout.close()


class Watcher:
    """Bo's program: waits for answers."""

    def __init__(self, server: Any, folder: Path) -> None:
        self.sm = blocking.SyncManager(**server.config({"user_id": "bo", "access_token": "token-bo"}, folder))
        self.sm.connect(timeout=PATIENCE)
        self.chat = self.sm.messages("lunch", sender_ids=["bot"], limit=100)
        self.chat.fetch(timeout=PATIENCE)

    def wait_for(self, answers: int) -> None:
        if len(self.chat.items) < answers:
            for _ in self.chat.changes(timeout=PATIENCE):
                if len(self.chat.items) >= answers:
                    return
            raise AssertionError(f"{len(self.chat.items)} of {answers} answers came")


@pytest.fixture
def bo(lunch: Any, tmp_path: Path) -> Any:
    watcher = Watcher(lunch, tmp_path / "bo")
    yield watcher
    watcher.sm.close()


def answers(server: Any) -> list[str]:
    return [message["message"] for message in server.messages("lunch") if message["user"]["user_id"] == "bot"]


def test_the_bot_answers_once_when_it_dies_behind_its_answer(lunch: Any, bo: Any, tmp_path: Path) -> None:
    """The service has the answer, the bot never hears of it, and so it has acknowledged nothing."""
    config = json.dumps(lunch.config(lunch.bot, tmp_path / "bot"))
    bot = start(config)
    for number in range(3):
        lunch.lose_next_ack()
        lunch.post("lunch", "bo", str(number))
        bo.wait_for(number + 1)
        end(bot)
        bot = start(config)
    lunch.post("lunch", "bo", "last")
    bo.wait_for(4)
    end(bot)
    assert answers(lunch) == ["You said: 0", "You said: 1", "You said: 2", "You said: last"]


@pytest.mark.parametrize("seed", range(2))
def test_the_bot_answers_once_however_it_is_killed(seed: int, lunch: Any, bo: Any, tmp_path: Path) -> None:
    """Kills after a random number of answers, with messages on their way, and messages while it is down."""
    chance = random.Random(seed)
    config = json.dumps(lunch.config(lunch.bot, tmp_path / "bot"))
    posted: list[str] = []
    bot = start(config)
    for _ in range(5):
        before = len(posted)
        for _ in range(chance.randint(2, 6)):
            posted.append(str(len(posted)))
            lunch.post("lunch", "bo", posted[-1])
        bo.wait_for(before + chance.randint(0, len(posted) - before))
        end(bot)
        posted.append(str(len(posted)))
        lunch.post("lunch", "bo", posted[-1])
        bot = start(config)
    bo.wait_for(len(posted))
    end(bot)
    assert answers(lunch) == [f"You said: {text}" for text in posted], f"seed {seed}"


def test_the_bot_says_what_is_wrong(lunch: Any, tmp_path: Path) -> None:
    config = lunch.config({"user_id": "bot", "access_token": "wrong"}, tmp_path)
    command = [sys.executable, str(BOT), json.dumps(config)]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert refused.returncode == 1 and refused.stderr.startswith("SM_ERR_TOKEN_REJECTED"), refused
