"""The bot of bindings/python/docs/bots.md: each message of others is answered once, over kills and storms, in 200
random weathers; and what becomes of an answer that the service refuses."""

import asyncio
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from syncmanager import Config, SyncManager
from syncmanager.events import MessageReceived
from syncmanager.testing import World

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples"))
import bot

WEATHERS = 200


class Running:
    """A bot that can be killed."""

    def __init__(self, world: World, config: Config) -> None:
        config["notify"] = "all"
        self.world, self.config = world, config

    async def start(self) -> None:
        self.sm = await SyncManager(**self.config).open()
        self.task = asyncio.create_task(bot.serve(self.sm, self.config["user_id"]))

    async def kill(self) -> None:
        self.world.kill(self.sm)
        await self.stop()

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        await self.sm.close()


def world_of_two(seed: int, data_dir: Path) -> tuple[World, Running]:
    world = World(seed)
    mei = world.create_user("mei")
    world.create_user("bo")
    world.create_channel("lunch", "mei", "bo")
    return world, Running(world, world.config(mei, data_dir))


async def live(world: World, running: Running, choices: random.Random) -> None:
    """Half an hour of the bot: others write, connections break, the bot is killed and started again."""
    await running.start()
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
            await running.kill()
            await running.start()
    world.set_weather("fair")
    await asyncio.sleep(600)
    await running.stop()


async def first_login(config: Config) -> None:
    """At the very first login with `notify` nothing of the past is told: it is before the first message."""
    async with SyncManager(**config) as sm:
        await sm.connect()


@pytest.mark.parametrize("part", range(4))
def test_each_message_is_answered_once(part: int, tmp_path: Path) -> None:
    for seed in range(part, WEATHERS, 4):
        choices = random.Random(seed)
        weather: Any = {
            name: choices.choice([0, 0, 5, 20])
            for name in ("lost", "answer_lost", "reset", "half", "rate_limited", "broken", "garbage", "slow")
        }
        weather["refused"] = choices.choice([0, 30, 60])
        world, running = world_of_two(seed, tmp_path / str(seed))
        with world:
            world.run(first_login(running.config))
            world.set_weather(weather)
            world.run(live(world, running, choices))
            texts = [message["message"] for message in world.messages("lunch")]
            said = [text for text in texts if text.startswith("message")]
            answers = [text for text in texts if text.startswith("You said")]
            assert said, seed
            assert sorted(answers) == sorted(f"You said: {text}" for text in said), (seed, weather)


def texts(world: World, channel_url: str) -> list[str]:
    return [message["message"] for message in world.messages(channel_url)]


def freeze(world: World, channel_url: str, on: bool) -> None:
    world.request("PUT", f"{world.channel(channel_url)}/freeze", {"freeze": on})


def mute(world: World, channel_url: str, on: bool) -> None:
    path = f"{world.channel(channel_url)}/mute"
    if on:
        world.request("POST", path, {"user_id": "mei"})
    else:
        world.request("DELETE", f"{path}/mei")


@pytest.mark.parametrize("forbid", [freeze, mute])
def test_an_answer_that_is_refused_is_given_up(
    forbid: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        await running.start()
        await asyncio.sleep(60)
        forbid(world, "lunch", True)
        # Of somebody who may write there even so: the administration, by the Platform API.
        world.post("lunch", "bo", "anybody?")
        world.post("plans", "bo", "tomorrow?")
        await asyncio.sleep(10)
        assert texts(world, "plans") == ["tomorrow?", "You said: tomorrow?"]  # at once, not when it has tried again
        await asyncio.sleep(3600)
        forbid(world, "lunch", False)
        await asyncio.sleep(3600)
        await running.kill()
        await running.start()
        await asyncio.sleep(3600)
        world.post("lunch", "bo", "again")
        await asyncio.sleep(60)
        await running.stop()

    world, running = world_of_two(1, tmp_path)
    with world:
        world.create_channel("plans", "mei", "bo")
        world.run(story())
        assert texts(world, "lunch") == ["anybody?", "again", "You said: again"]
    log = [line for line in capsys.readouterr().err.splitlines() if line]
    assert len(log) == 1 and log[0].startswith("an answer failed: SM_ERR_SERVICE"), log


def test_answers_that_wait_in_a_frozen_channel_hold_nothing_up(tmp_path: Path) -> None:
    """The first may be on its way when the connection is lost; the second is written without a connection."""

    async def story() -> None:
        are_told = asyncio.Event()
        await running.start()

        @running.sm.on(MessageReceived)
        def hear(event: MessageReceived) -> None:
            if event.message.get("message") == "two":
                are_told.set()

        await asyncio.sleep(60)
        world.set_weather({"slow": 100})
        for text in ("one", "two"):
            world.post("lunch", "bo", text)
        await are_told.wait()
        world.set_weather({"refused": 100, "lost": 100})
        world.disturb("reset")
        freeze(world, "lunch", True)
        await asyncio.sleep(10)
        world.set_weather("fair")
        await asyncio.sleep(60)
        world.post("plans", "bo", "tomorrow?")
        await asyncio.sleep(120)
        assert texts(world, "plans") == ["tomorrow?", "You said: tomorrow?"]
        assert "You said: two" not in texts(world, "lunch")
        freeze(world, "lunch", False)
        await asyncio.sleep(600)
        await running.stop()

    world, running = world_of_two(1, tmp_path)
    with world:
        world.create_channel("plans", "mei", "bo")
        world.run(story())
        assert texts(world, "lunch") == ["one", "two", "You said: one", "You said: two"]


def test_a_channel_that_bans_the_bot_holds_nothing_up(tmp_path: Path) -> None:
    async def story() -> None:
        await running.start()
        await asyncio.sleep(60)
        world.delay(5_000)
        world.post("lunch", "bo", "hello")
        world.request("POST", f"{world.channel('lunch')}/ban", {"user_id": "mei"})
        world.post("plans", "bo", "tomorrow?")
        await asyncio.sleep(600)
        world.clear_faults()
        await asyncio.sleep(600)
        assert texts(world, "plans") == ["tomorrow?", "You said: tomorrow?"]
        await running.stop()

    world, running = world_of_two(1, tmp_path)
    with world:
        world.create_channel("plans", "mei", "bo")
        world.run(story())
        assert texts(world, "lunch") == ["hello"]
