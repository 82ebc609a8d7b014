"""The host that kills.py kills: sends, edits, writes, signs out, closes, and says on standard output what it was told.

Each line of output is a fact that the parent may count on, written before anything else happens."""

import argparse
import ctypes
import json
import os
import random
import signal
import sys
import threading
import time

import sm


def say(**fact):
    os.write(1, (json.dumps(fact) + "\n").encode())


class Host:
    def __init__(self, arguments):
        self.arguments = arguments
        self.random = random.Random(arguments.seed)
        self.config = json.load(open(arguments.config, encoding="utf-8"))
        self.urls = arguments.channels.split(",")
        self.number = self.era = 0
        self.asked = {}       # request -> what to say when it is done
        self.open_ids = []    # request ids that were accepted and not yet shown
        self.sent = []        # (url, message_id)
        self.late = sm.EVENT_CALLBACK(self.at_close)

    def open(self):
        self.client = sm.Client(self.hear, **self.config)
        sm.lib().sm_set_callback(self.client.handle, self.late, None, None)
        self.collections = {}
        self.own = {}
        for url in self.urls:
            self.collections[url] = self.client.messages(url)
        opened = self.client.call("statistics")
        result = self.client.wait(opened, 20)
        if result is None or result["status"]:
            say(bad="statistics of a new client", result=result)
            sys.exit(1)
        say(opened=sorted(self.own), cached=result["result"]["cached_messages"])
        self.client.connect()
        for collection in self.collections.values():
            self.client.request("sm_fetch", collection.handle, sm.PREVIOUS)

    def at_close(self, _, text, length):
        event = json.loads(text)
        if event["type"] == "result":
            fact = self.asked.pop(event["request"], None)
            if fact and event["status"] == sm.STATUS["STORAGE"]:
                say(bad="STORAGE at close", event=event)
            if fact and event["status"] not in (0, sm.STATUS["CLOSED"]):
                say(unstored=fact, status=event["status"])

    def hear(self, event):
        if event["type"] == "change" and event["list"] in ("pending", "failed"):
            for index, change in enumerate(event["changes"]):
                if event["action"] == "insert":
                    self.own[change["id"]] = event["list"]
                    say(kept=change["id"], list=event["list"])
                elif event["action"] == "remove":
                    say(left=change["id"], reason=event.get("reason"), list=event["list"])
        elif event["type"] in ("cache_reset", "storage_error"):
            say(bad=event["type"], event=event)
        elif event["type"] == "result":
            self.done(event)

    def done(self, event):
        fact = self.asked.pop(event["request"], None)
        if event["status"] == sm.STATUS["INTERNAL"]:
            say(bad="INTERNAL", event=event)
        if not fact:
            return
        if event["status"] == 0:
            say(**fact)
            if "sent" in fact:
                self.sent.append((event["message"]["channel_url"], event["message"]["message_id"]))
        elif event["status"] in (sm.STATUS["REMOVED"], sm.STATUS["CANCELED"], sm.STATUS["STORAGE"]):
            say(refused=fact, status=event["status"])

    def send(self):
        self.number += 1
        name = f"q-{self.arguments.seed}-{self.number}"
        url = self.random.choice(self.urls)
        say(asked=name, url=url)
        self.asked[self.collections[url].send(message=name, request_id=name)] = {"sent": name}

    def edit(self):
        if self.sent:
            url, number = self.random.choice(self.sent)
            self.client.call("edit_message", channel_url=url, message_id=number, data=f"d{self.number}")

    def write(self):
        self.number += 1
        serial = self.arguments.serial * 100000 + self.number
        path, value = self.random.choice([(f"w/k{serial}", serial), ("w/last", serial)])
        say(writing=path, value=value)
        self.asked[self.client.call("database_set", path=path, value=value, when="kept")] = {
            "written": path, "value": value, "era": self.era}

    def count(self):
        say(counting=1)
        self.asked[self.client.call("database_count", path="n", by=1, when="kept")] = {"counted": 1, "era": self.era}

    def page(self):
        self.client.request("sm_fetch", self.random.choice(list(self.collections.values())).handle, sm.PREVIOUS)

    def sign_out(self):
        self.era += 1
        say(signing=1)
        number = self.client.sign_out()
        self.asked[number] = {"signed": 1}
        if self.random.random() < 0.8 and self.client.wait(number, 10):
            say(again=1)
            self.client.simple("sm_set_token", self.config["access_token"].encode())
            self.client.connect()

    def close(self):
        waiting = [fact for fact in self.asked.values() if "sent" in fact or "written" in fact]
        self.client.close()
        for fact in waiting:
            say(closed=fact)
        self.asked.clear()
        self.open()

    def die_closing(self):
        """Is killed while sm_close() has much to do, unless it is faster."""
        self.client.drain()
        room = 1000 - len(self.asked)
        for _ in range(self.random.randrange(room)):
            self.random.choice([self.send, self.write, self.write, self.count])()
        delay = self.random.random() ** 2 * 0.05
        # The call releases the interpreter's lock.
        killer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL))
        say(closing=len(self.asked))
        killer.start()
        sm.lib().sm_close(self.client.handle)
        say(survived=1)
        killer.join()

    def step(self):
        way = self.random.random()
        if len(self.asked) > 60:
            self.client.next(20)
            self.client.drain()
            return
        try:
            if way < 0.45:
                for _ in range(self.random.choice([1, 1, 1, 5, 30])):
                    self.send()
            elif way < 0.75:
                for _ in range(self.random.choice([1, 1, 1, 5, 30])):
                    self.write()
            elif way < 0.985:
                self.random.choice([self.edit, self.count, self.page])()
            elif way < 0.985 + self.arguments.sign_out:
                self.sign_out()
            else:
                self.close()
        except sm.Refused as refused:
            if refused.status not in (sm.STATUS["TOO_MANY_CALLS"], sm.STATUS["DUPLICATED_FETCH"]):
                say(bad="refused", words=str(refused))
        self.client.next(self.random.choice([0, 0, 1, 5, 20]))
        if self.random.random() < 0.5:
            self.client.drain()

    def settle(self, seconds):
        """Waits until nothing of its own is under way, and says what is shown and what failed."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.client.until(lambda: False, 0.3)
            lists = {url: each.snapshot() for url, each in self.collections.items()}
            result = self.client.wait(self.client.call("statistics"), 10)
            idle = not any(each["pending"] for each in lists.values()) and result["result"]["connected"]
            if idle and result["result"]["pending_messages"] == 0:
                break
        self.client.until(lambda: False, 2)
        for collection in self.collections.values():
            while (done := self.client.wait(collection.fetch(sm.PREVIOUS), 40)) and done.get("has_more"):
                if done.get("short"):
                    break
        marker = self.client.call("database_set", path="w/marker", value=self.arguments.seed)
        say(marker=bool(self.client.wait(marker, 60)))
        for url, each in self.collections.items():
            shown = each.snapshot()
            say(shown=url, messages=[[row["message_id"], row["message"], row["data"]] for row in shown["succeeded"]],
                failed=[row["request_id"] for row in shown["failed"]],
                pending=[row["request_id"] for row in shown["pending"]])
        self.client.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", required=True)
    parser.add_argument("--channels", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--serial", type=int, required=True)
    parser.add_argument("--settle", type=int, default=0)
    parser.add_argument("--sign-out", type=float, default=0.0)
    parser.add_argument("--close-after", type=float)
    arguments = parser.parse_args()
    host = Host(arguments)
    host.open()
    if arguments.settle:
        host.settle(arguments.settle)
        return
    begun = time.monotonic()
    while arguments.close_after is None or time.monotonic() - begun < arguments.close_after:
        host.step()
    host.die_closing()


main()
