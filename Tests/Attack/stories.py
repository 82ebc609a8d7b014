"""Random stories: three users with four clients, the real server, and a proxy with bad weather between them.

Others write through REST, the server is killed and started again, clients close and start again. While it runs each
list that only applies changes equals the snapshot. When the weather is good again every list must become what REST
says, each message that was accepted is on the server exactly once (or visibly failed, or given up), and the database
holds what its writers wrote last."""

import collections
import os
import random
import sys
import time
import traceback

import common
import lists
import proxy
import server
import stories_check
from stories_actor import Actor


class Story:
    def __init__(self, run, seed, number):
        self.run, self.number, self.seed = run, number, seed
        self.random = random.Random(seed)
        self.urls = ["c0", "c1", "c2", "c/3&%"]
        self.deleting = set()
        for name in os.listdir(run.folder):
            common.shutil.rmtree(run.folder / name, ignore_errors=True)
        folder = run.folder / "server"
        folder.mkdir()
        self.host = server.Server("--huge-gap", "60", "--keep-alive", "2", "--ping-interval", "3",
                                  "--pong-timeout", "2",
                                  file=folder / "chat.db", users=["a", "b", "c"])
        for url in self.urls:
            self.host.channel(url, ["a", "b", "c"], is_public=True, operator_ids=["a", "b"])
            self.host.control("post_messages", channel_url=url, user_id="c", count=self.random.choice([0, 3, 80, 300]))
        self.api = proxy.Proxy(self.host.ports[0], seed)
        self.data = proxy.Proxy(self.host.ports[1], seed + 1)
        self.actors = [Actor(self, "a", 1), Actor(self, "a", 2), Actor(self, "b", 1, queue_limit=16),
                       Actor(self, "c", 1)]
        self.posted = 0

    def others(self):
        """What others do, by REST and by the control endpoint."""
        way, url = self.random.randrange(12), self.random.choice(self.urls)
        if way < 5:
            self.posted += 1
            self.host.ask("POST", f"/v3/group_channels/{server.quote(url)}/messages", {
                "message_type": "MESG", "user_id": self.random.choice("abc"), "message": f"rest {self.posted}"})
        elif way == 5:
            self.host.ask("POST", "/control/post_messages", {
                "channel_url": url, "user_id": "c", "count": self.random.choice([1, 2, 5, 30, 100])})
        elif way == 6:
            self.host.control("drop_sockets")
        elif way == 7:
            self.host.control("lose_next_ack", count=self.random.randrange(1, 4))
        elif way == 8:
            self.host.control("drop_streams")
        elif way == 9:
            self.host.control("expire_session_keys", notify=self.random.random() < 0.5)
        elif way == 10:
            self.host.data("shared/k1", "PUT", self.posted)
        elif self.random.random() < 0.2:
            self.host.kill()
            self.host.start()

    def weather(self):
        for each in (self.api, self.data):
            way = self.random.random()
            if way < 0.3:
                each.storm()
            elif way < 0.7:
                each.calm()
            else:
                each.cut_all()

    def play(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            actor = self.random.choice(self.actors)
            actor.step()
            if self.random.random() < 0.08:
                self.others()
            if self.random.random() < 0.03:
                self.weather()
            for each in self.actors:
                if self.random.random() < 0.7:
                    for _ in range(self.random.choice([1, 5, 200])):
                        if not each.client.next(0):
                            break
            actor.client.next(self.random.choice([0, 1, 5, 20]))
            if self.random.random() < 0.1:
                actor.mirror.compare()
            self.run.count("steps")

    def heal(self):
        for each in (self.api, self.data):
            each.calm()
        self.host.control("clear_faults")
        self.thaw()
        for actor in self.actors:
            actor.heal()

    def thaw(self):
        """Nothing goes out into a frozen channel. A client's own freeze may arrive late."""
        for url in self.urls:
            self.host.rest("PUT", f"group_channels/{server.quote(url)}/freeze", {"freeze": False})

    def settle(self, seconds):
        """Drains all until everything is as the server has it; what differs at the end."""
        end = time.monotonic() + seconds
        wrong = ["nothing was compared"]
        while wrong and time.monotonic() < end:
            pause = time.monotonic() + 1
            self.thaw()
            for actor in self.actors:
                actor.load()
            while time.monotonic() < pause:
                for actor in self.actors:
                    actor.client.drain()
                    actor.client.next(5)
            wrong = stories_check.compare(self)
        self.run.counts["slowest_settling_s"] = max(self.run.counts.get("slowest_settling_s", 0),
                                                    round(seconds - (end - time.monotonic()), 1))
        return wrong

    def end(self):
        for actor in self.actors:
            actor.client.close()
        for each in (self.api, self.data):
            each.stop()
        self.host.stop()


def one(run, seed, number, arguments):
    story = Story(run, seed, number)
    try:
        story.play(random.Random(seed).uniform(0.3, 1) * arguments.play)
        story.heal()
        for words in story.settle(arguments.settle)[:12]:
            run.found(words, seed=seed)
        for actor in story.actors:
            actor.mirror.compare()
            run.count("events", actor.client.events)
            run.count("sends", len(actor.sends))
    except lists.Wrong as wrong:
        run.found(str(wrong), seed=seed)
    except Exception:
        run.found("the program itself failed", seed=seed, trace=traceback.format_exc()[-1500:])
    finally:
        run.count("connections", story.api.counts["connections"] + story.data.counts["connections"])
        run.count("faults", story.api.counts["faults"] + story.data.counts["faults"])
        story.end()
    run.count("stories")


def main():
    parser = common.options(__doc__.splitlines()[0], minutes=(60.0, "how long in all"),
                            play=(15.0, "seconds of a story"),
                            settle=(90.0, "seconds for everything to become right"), stories=(100000, "how many"))
    arguments = parser.parse_args()
    run = common.Run("stories", arguments)
    number = 0
    while number < arguments.stories and run.seconds() < arguments.minutes * 60 and len(run.findings) < 60:
        one(run, run.seed + number, number, arguments)
        number += 1
    sys.exit(run.end())


main()
