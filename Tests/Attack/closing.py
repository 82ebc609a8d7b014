"""Closes, or signs out, while everything is under way, many times.

Before it: connecting, paging, sends, actions, database writes, streams, a flood of events, sync, a thread that waits
in sm_next_event() for ever, collections that are removed by another thread. Checked: it returns in time; every
accepted call completes exactly once; nothing comes after; other threads see CLOSED or INVALID_HANDLE; nothing of the
user is left after a sign-out that was done; what was accepted before a close is there at the next start."""

import collections
import ctypes
import json
import random
import sys
import threading
import time

import common
import server
import sm

END = {sm.STATUS["CLOSED"], sm.STATUS["INVALID_HANDLE"]}


class Guest:
    """A client whose events come by callbacks, on whatever thread."""

    def __init__(self, run, config, choice):
        self.run, self.choice = run, choice
        self.accepted, self.done = {}, collections.Counter()
        self.status, self.late, self.after, self.closed = {}, 0, False, 0
        self.sends, self.shown = {}, set()
        self.lock = threading.Lock()
        self.callback = sm.EVENT_CALLBACK(self.hear)
        self.handle = sm.PTR()
        sm.check("sm_setup", sm.lib().sm_setup(sm.encode(config), ctypes.byref(self.handle)))
        sm.lib().sm_set_callback(self.handle, self.callback, None, None)
        self.collections = []

    def hear(self, _, text, length):
        event = json.loads(text)
        if self.after:
            self.late += 1
        if event["type"] == "closed":
            self.closed += 1
        elif event["type"] == "result":
            self.done[event["request"]] += 1
            self.status[event["request"]] = event["status"]
        elif event["type"] == "change" and event["list"] in ("pending", "failed") and event["action"] == "insert":
            self.shown.update(change["id"] for change in event["changes"])

    def ask(self, function, *arguments):
        number = sm.U64()
        status = getattr(sm.lib(), function)(*arguments, None, None, None, ctypes.byref(number))
        if status == 0:
            with self.lock:
                self.accepted[number.value] = function
            return number.value
        if status not in END | {sm.STATUS["TOO_MANY_CALLS"], sm.STATUS["DUPLICATED_FETCH"]}:
            self.run.found(f"{function} gave {sm.NAME[status]}", error=sm.last_error())
        return None

    def open(self, url):
        out = sm.PTR()
        if url is None:
            sm.lib().sm_channel_collection_new(self.handle, None, ctypes.byref(out))
        elif isinstance(url, dict) and "query" in url:
            sm.lib().sm_search_collection_new(self.handle, sm.encode(url), ctypes.byref(out))
            self.ask("sm_fetch", out, sm.NEXT)
        elif isinstance(url, dict):
            sm.lib().sm_stream_open(self.handle, sm.encode(url), None, None, None, ctypes.byref(out))
        else:
            sm.lib().sm_message_collection_new(self.handle, url.encode(), None, sm.LATEST, ctypes.byref(out))
        self.collections.append(out)
        return out

    def send(self, name):
        request = self.ask("sm_send_message", self.collections[1], sm.encode({"message": name, "request_id": name}))
        if request:
            self.sends[name] = request

    def step(self, name):
        choice = self.choice
        way = choice.randrange(9)
        if way < 3:
            self.send(name)
        elif way == 3:
            place = choice.randrange(2)
            self.ask("sm_fetch", self.collections[place], sm.PREVIOUS if place else sm.NEXT)
        elif way == 4:
            self.ask("sm_call", self.handle, sm.encode(choice.choice([
                {"action": "statistics"}, {"action": "list_users"}, {"action": "mark_as_read", "channel_url": "c0"},
                {"action": "create_channel", "user_ids": ["b"]}, {"action": "database_transaction", "path": "t"},
                {"action": "database_listen", "path": "w"}, {"action": "database_get", "path": ""}])))
        elif way == 5:
            self.ask("sm_call", self.handle, sm.encode({"action": "database_set", "path": f"w/{name}", "value": name,
                                                        "when": choice.choice(["kept", "answered"])}))
        elif way == 6:
            self.ask("sm_clear_cache", self.handle, None)
        elif way == 7:
            self.open(choice.choice([None, "c0", {"source": {"messages": {"channel_url": "c0"}}},
                                     {"source": {"database": {"path": "w"}}}, {"query": "m"}]))
        elif len(self.collections) > 3:
            sm.lib().sm_collection_remove(self.collections.pop())


def wait_for_ever(guest):
    text, length = sm.TEXT(), sm.SIZE()
    while True:
        status = sm.lib().sm_dispatch(guest.handle, 1, -1)
        if status in END:
            return
        if status == sm.STATUS["BUSY"]:
            time.sleep(0.001)
        if status < 0 and status != sm.STATUS["BUSY"]:
            guest.run.found("sm_dispatch while closing gave " + sm.NAME[status])
            return


def work(guest, seed, steps):
    for number in range(steps):
        guest.step(f"m-{seed}-{threading.get_ident() % 1000}-{number}")


def timed_close(run, guest, seconds=8):
    begun = time.monotonic()
    sm.lib().sm_close(guest.handle)
    guest.after = True
    took = time.monotonic() - begun
    run.counts["slowest_close_ms"] = max(run.counts.get("slowest_close_ms", 0), round(took * 1000))
    if took > seconds:
        run.found("sm_close took long", seconds=round(took, 1))


def finish(run, guest, number, signed):
    for request, function in guest.accepted.items():
        if guest.done[request] != 1:
            run.found(f"{function} completed {guest.done[request]} times", round=number, request=request, signed=signed)
    if guest.closed != 1:
        run.found(f"closed was told {guest.closed} times", round=number)
    status = sm.lib().sm_disconnect(guest.handle)
    if status not in END:
        run.found("a call after sm_close gave " + sm.NAME[status])
    time.sleep(0.01)
    if guest.late:
        run.found("callbacks ran after sm_close", count=guest.late, round=number)
    run.count("calls", len(guest.accepted))


def reopen(run, host, config, guest, signed, number):
    """What the next start finds."""
    client = sm.Client(**config)
    collection = client.messages("c0")
    client.wait(client.call("statistics"))
    lists = collection.snapshot()
    own = {each["request_id"] for each in lists["pending"] + lists["failed"]}
    there = {each["message"] for each in host.all_messages("c0")}
    client.close()
    if signed:
        left = own & set(guest.sends)
        if left:
            run.found("own messages are left after a sign-out", round=number, left=sorted(left)[:5])
        return
    for name, request in guest.sends.items():
        status = guest.status.get(request)
        known = name in own or name in there
        if not known and status in (0, sm.STATUS["CLOSED"], sm.STATUS["NETWORK"], sm.STATUS["TIMEOUT"]):
            run.found("an accepted message is lost at close", round=number, name=name, status=sm.NAME[status])


def one(run, host, choice, number):
    folder = run.folder / "data"
    config = host.config("a", folder, request_timeout_ms=2000, queue_limit=choice.choice([16, 1000, 100000]),
                         delivery=choice.choice(["host", "thread"]), search=choice.choice([True, True, False]))
    guest = Guest(run, config, random.Random(run.seed * 1000 + number))
    guest.open(None), guest.open("c0")
    if choice.random() < 0.85:
        guest.ask("sm_connect", guest.handle)
    if choice.random() < 0.3:
        host.control("delay", path_prefix="/", ms=choice.choice([50, 3000]))
    threads = [threading.Thread(target=work, args=(guest, number, choice.randrange(1, 150))) for _ in range(2)]
    if config["delivery"] == "host":
        threads.append(threading.Thread(target=wait_for_ever, args=(guest,)))
    for thread in threads:
        thread.start()
    time.sleep(choice.random() ** 2 * 0.3)
    signed = choice.random() < 0.4 and guest.ask("sm_sign_out", guest.handle)
    if signed and choice.random() < 0.5:
        threads[0].join()
        threads[1].join()
        end = time.monotonic() + 15
        while not guest.done[signed] and time.monotonic() < end:
            time.sleep(0.005)
        if not guest.done[signed]:
            run.found("a sign-out did not complete within 15 s", round=number)
    timed_close(run, guest)
    for thread in threads:
        thread.join(10)
        if thread.is_alive():
            run.found("a thread hangs after sm_close", round=number)
    host.control("clear_faults")
    finish(run, guest, number, bool(signed))
    done = bool(signed) and guest.status.get(signed) == 0
    if done or not signed:
        before = done and {name: request for name, request in guest.sends.items() if request < signed}
        guest.sends = before if done else guest.sends
        reopen(run, host, dict(config, delivery="host"), guest, done, number)
    run.count("signed_out" if signed else "closed")


def main():
    parser = common.options(__doc__.splitlines()[0], rounds=(200, "how many"))
    run = common.Run("closing", parser.parse_args())
    choice = random.Random(run.seed)
    host = server.Server(users=["a", "b"])
    host.channel("c0", ["a", "b"])
    host.control("post_messages", channel_url="c0", user_id="b", count=400)
    for number in range(run.arguments.rounds):
        one(run, host, choice, number)
        if len(run.findings) > 30:
            break
    host.stop()
    sys.exit(run.end())


main()
