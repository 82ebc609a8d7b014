"""Random changes for `list_mirror.c`: by the service and another user, by pages, by own messages and other viewpoints,
of a channel's messages, of two lists of channels, and of the results of a search."""

from __future__ import annotations

import json
import random
import subprocess
import threading
from collections.abc import Iterator


#: Commands that a line "done …" answers.
FETCHES = ("older", "newer", "newest", "channels", "names", "results")


class Mirror:
    """The program, which is told commands, and whose answers are waited for."""

    def __init__(self, *command: object, **more) -> None:
        self.process = subprocess.Popen([str(part) for part in command], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
        self.lines: list[str] = []
        #: Fetches that are under way.
        self.fetching = 0

    def say(self, command: str) -> None:
        self.fetching += command in FETCHES
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise AssertionError(f"it ended: {self.lines + self.process.stdout.readlines()}") from None

    def until(self, beginning: str = "") -> str:
        """The next line that begins so, or, without one, the line that ends the last fetch."""
        while beginning or self.fetching:
            line = self.process.stdout.readline()
            self.lines = [*self.lines[-20:], line]
            if not line or line.startswith("differs"):
                raise AssertionError(f"it ended: {self.lines}")
            self.fetching -= line.startswith("done ")
            if beginning and line.startswith(beginning):
                return line.rstrip("\n")
        return ""


class Story:
    """What happens to a channel `lunch` of `mei` and `bo`, and to their other channels."""

    def __init__(self, server, mirror: Mirror, channel_url: str, users: tuple[str, str], seed: int) -> None:
        self.server, self.mirror, self.channel_url, self.users = server, mirror, channel_url, users
        self.dice = random.Random(seed)
        self.messages: list[dict] = []
        self.channels: list[str] = []
        self.number = 0
        for _ in range(30):
            self.create()
        for _ in range(60):
            self.post()

    def fresh(self) -> int:
        self.number += 1
        return self.number

    def name(self) -> str:
        """Anywhere in the list of channels by name."""
        return f"{self.dice.choice('abcdefghij')} {self.fresh()}"

    def create(self) -> None:
        url = f"{self.channel_url}-{self.fresh()}"
        self.channels.append(self.server.create_channel(url, *self.users, name=self.name()))

    def post(self) -> None:
        text = f"message {self.fresh()}"
        self.messages.append(self.server.post(self.channel_url, self.dice.choice(self.users), text))

    def post_elsewhere(self) -> None:
        self.server.post(self.dice.choice(self.channels), self.users[1], f"elsewhere {self.fresh()}")

    def edit(self) -> None:
        message = self.dice.choice(self.messages[-40:])
        self.server.edit(self.channel_url, message["message_id"], f"edited {self.fresh()}")

    def delete(self) -> None:
        place = self.dice.randrange(max(0, len(self.messages) - 60), len(self.messages))
        if len(self.messages) > 20:
            self.server.delete(self.channel_url, self.messages.pop(place)["message_id"])

    def post_many(self) -> None:
        self.server.post_many(self.channel_url, self.users[1], self.dice.randint(2, 40))

    def rename(self) -> None:
        url = self.dice.choice(self.channels)
        self.server.request("PUT", self.server.channel(url), {"name": self.name()})

    def remove_channel(self) -> None:
        if len(self.channels) > 10:
            url = self.channels.pop(self.dice.randrange(len(self.channels)))
            self.server.request("DELETE", self.server.channel(url))

    def type(self) -> None:
        self.server.set_typing(self.dice.choice(self.channels), self.users[1], self.dice.random() < 0.5)

    def fetch(self) -> None:
        self.mirror.say(self.dice.choice(["older", "newer", "older", "newer", "channels", "names", "results"]))

    def send(self) -> None:
        self.mirror.say(f"send own {self.fresh()}")

    def reset(self) -> None:
        self.mirror.say(f"reset {self.dice.choice(self.messages)['created_at']}")
        self.mirror.say("older")

    def settle(self) -> dict[str, int]:
        """All that was done before is told. Gives how often what happened."""
        self.mirror.until()
        self.mirror.say("newest")
        self.mirror.until()
        mark = f"mark {self.fresh()}."
        self.server.post(self.channel_url, self.users[1], mark)
        self.mirror.until(f"row {mark}")
        self.mirror.say("count")
        return json.loads(self.mirror.until("count: ").removeprefix("count: "))

    def go_on(self) -> None:
        for act in self.dice.choices(*zip(
            (self.post, 6), (self.edit, 5), (self.delete, 2), (self.post_many, 0.3), (self.post_elsewhere, 6),
            (self.rename, 2), (self.create, 0.6), (self.remove_channel, 0.5), (self.type, 0.5), (self.fetch, 2),
            (self.send, 1), (self.reset, 0.3), strict=True), k=50):
            act()


def run(
    server, *command: object, config: dict, channel_url: str, users: tuple[str, str], seed: int, count: int, **more
) -> Iterator[tuple[str, bool, str]]:
    """At least `count` changes. Yields what is checked, whether it holds, and why not."""
    mirror = Mirror(*command, json.dumps(config), channel_url, **more)
    patience = threading.Timer(300, mirror.process.kill)
    patience.start()
    counts: dict[str, int] = {}
    actions = ("insert", "update", "move", "remove", "clear")
    try:
        story = Story(server, mirror, channel_url, users, seed)
        for command in ("channels", "names", "results", "older"):
            mirror.say(command)
        story.settle()
        mirror.say("wrong")
        wrong = mirror.until("wrong: ").split()
        yield "the model tells what does not fit, and leaves it out", wrong[1] == wrong[3] != "0", str(wrong)
        while (sum(counts.get(action, 0) for action in actions) < count
               or not all(counts.get(what) for what in (*actions, "moves by name"))):
            story.go_on()
            counts = story.settle()
        yield (f"a mirror equals the model after each of {count} changes, and the snapshot",
               counts["comparisons"] > count / 7, f"seed {seed}: {counts}")
        mirror.say("drop")
        yield "the last reference may go in a signal", mirror.until("dropped") == "dropped", ""
        rest = mirror.process.communicate()[0]
        good = mirror.process.returncode == 0 and rest.splitlines()[-1:] == ["finalized"]
        yield "it ends with calls under way, and nothing is left", good, f"{mirror.process.returncode}: {rest}"
    except AssertionError as error:
        yield "a mirror equals model and snapshot", False, f"seed {seed}: {error}"
    finally:
        patience.cancel()
        mirror.process.kill()
        mirror.process.communicate()
