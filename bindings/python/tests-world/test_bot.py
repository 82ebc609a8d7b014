"""The bot of docs/bots.md in 200 random weathers: each message of others is answered once, over kills and storms."""

import asyncio
import random
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from syncmanager import SyncManager
from syncmanager.testing import World

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
WEATHERS = 200


def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What bot.py defines, without running it."""
    with monkeypatch.context() as patched:
        patched.setattr(asyncio, "run", lambda main: main.close())
        patched.setattr(sys, "argv", ["bot.py", "{}"])
        return runpy.run_path(str(EXAMPLES / "bot.py"))


async def live(world: World, bot: Any, config: Any, choices: random.Random) -> None:
    """Half an hour of the bot: others write, connections break, the bot is killed and started again."""
    clients: list[SyncManager] = []

    class Noted(SyncManager):
        def __init__(self, **config: Any) -> None:
            super().__init__(**config)
            clients.append(self)

    bot["main"].__globals__["SyncManager"] = Noted
    running = asyncio.ensure_future(bot["main"](dict(config)))
    await asyncio.sleep(60)
    for number in range(choices.randint(1, 8)):
        await asyncio.sleep(choices.expovariate(1 / 30))
        world.post("lunch", "bo", f"message {number}")
        await asyncio.sleep(choices.expovariate(1 / 5))
        deed = choices.randrange(6)
        if deed == 0:
            world.disturb("reset")
        elif deed == 1:
            world.disturb("die")
        elif deed == 2:
            world.kill(clients[-1])
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            running = asyncio.ensure_future(bot["main"](dict(config)))
    world.set_weather("fair")
    await asyncio.sleep(600)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize("part", range(4))
def test_each_message_is_answered_once(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = load(monkeypatch)
    for seed in range(part, WEATHERS, 4):
        choices = random.Random(seed)
        weather: Any = {
            name: choices.choice([0, 0, 5, 20])
            for name in ("lost", "answer_lost", "reset", "half", "rate_limited", "broken", "garbage", "slow")
        }
        weather["refused"] = choices.choice([0, 30, 60])
        with World(seed) as world:
            mei = world.create_user("mei")
            world.create_user("bo")
            world.create_channel("lunch", "mei", "bo")
            world.run(first_login(world.config(mei, tmp_path / str(seed))))
            world.set_weather(weather)
            world.run(live(world, bot, world.config(mei, tmp_path / str(seed)), choices))
            texts = [message["message"] for message in world.messages("lunch")]
            said = [text for text in texts if text.startswith("message")]
            answers = [text for text in texts if text.startswith("You said")]
            assert said, seed
            assert sorted(answers) == sorted(f"You said: {text}" for text in said), (seed, weather)


async def first_login(config: Any) -> None:
    """At the very first login with `notify` nothing of the past is told: it is before the first message."""
    config["notify"] = "all"
    async with SyncManager(**config) as sm:
        await sm.connect()
