"""One process of calls.py: replay with --seed N --calls N [--server]."""

import argparse
import collections
import ctypes
import faulthandler
import json
import os
import random
import sys
import tempfile
import threading
import time

import calls_rules
import calls_makers
import server
import sm

ROUND = 10000


class Round:
    """One client from sm_setup() to sm_close(), and what was accepted by it."""

    def __init__(self, folder, config, kind):
        self.folder, self.kind = folder, kind
        self.asked = {}          # user_data -> function, of calls with a callback
        self.plain = {}          # request -> function, of accepted calls without
        self.ran, self.gone = collections.Counter(), collections.Counter()
        self.refused, self.accepted = set(), set()
        self.heard = collections.Counter()
        self.problems, self.closed = [], 0
        self.next_data = 1
        self.lock = threading.Lock()
        self.callbacks = (sm.RESULT_CALLBACK(self.on_result), sm.DESTROY_CALLBACK(self.on_destroy),
                          sm.EVENT_CALLBACK(self.on_event), sm.STREAM_FUNCTION(lambda *_: 1))
        self.pointers = [ctypes.cast(each, ctypes.c_void_p).value for each in self.callbacks]
        self.inside = None
        self.client = sm.PTR()
        status = sm.lib().sm_setup(sm.encode(config), ctypes.byref(self.client))
        if status:
            raise RuntimeError(f"sm_setup: {status} {sm.last_error()}")
        sm.lib().sm_set_callback(self.client, self.pointers[2], self.data("sm_set_callback"), self.pointers[1])

    def problem(self, text):
        with self.lock:
            self.problems.append(text)

    def data(self, function):
        with self.lock:
            number = self.next_data
            self.next_data += 1
        self.asked[number] = function
        return number

    def on_result(self, data, status, text, length):
        self.ran[data] += 1
        function = self.asked.get(data)
        if self.gone[data]:
            self.problem(f"{function}: callback after destroy")
        if len(text) != length:
            self.problem(f"{function}: length {length} of {len(text)} bytes")
        event = json.loads(text)
        self.heard[event["request"]] += 1
        self.complete(function, status, event)
        if self.inside and self.ran[data] == 1 and data % 7 == 0:
            self.inside()

    def complete(self, function, status, event):
        allowed = calls_rules.COMPLETION.get(function)
        if event["status"] != status:
            self.problem(f"{function}: status {status}, in the event {event['status']}")
        if allowed is None or status not in allowed:
            self.problem(f"{function} completed with {sm.NAME.get(status, status)}: {json.dumps(event)[:300]}")

    def on_destroy(self, data):
        self.gone[data] += 1

    def on_event(self, _, text, length):
        self.take(json.loads(text))
        if len(text) != length:
            self.problem("event: wrong length")

    def take(self, event):
        if event["type"] == "closed":
            self.closed += 1
        if event["type"] == "result":
            self.heard[event["request"]] += 1
            function = "sm_" + {"call": "call", "fetch": "fetch"}.get(event["call"], event["call"])
            if event["status"] == -99:
                self.problem(f"{function}: INTERNAL {event}")

    def finish(self):
        for data, function in self.asked.items():
            if self.gone[data] != 1:
                self.problem(f"{function}: destroy ran {self.gone[data]} times "
                             f"({data in self.accepted and 'accepted'})")
            if data in self.refused and self.ran[data]:
                self.problem(f"{function}: refused, and its callback ran")
        for request, function in self.plain.items():
            if self.heard[request] != 1 and self.kind != "pull":
                self.problem(f"{function}: call {request} completed {self.heard[request]} times")
            elif self.heard[request] > 1:
                self.problem(f"{function}: call {request} completed {self.heard[request]} times")


class Caller:
    """A thread's calls."""

    def __init__(self, current, seed, figures):
        self.current, self.random, self.figures = current, random.Random(seed), figures
        self.makers = calls_makers.Makers(current, self.random)

    def one(self):
        current = self.current
        name, arguments, data, out, outputs = self.makers.call()
        before = [bytes(each) for each in outputs]
        status = getattr(sm.lib(), name)(*arguments)
        self.figures[0] += 1
        if name in calls_rules.NO_STATUS:
            return
        allowed = calls_rules.ERRORS[name]
        if status < 0 and status not in allowed:
            current.problem(f"{name} gave {sm.NAME.get(status, status)}: {sm.last_error()} {repr(arguments)[:300]}")
        if status > 0 and name not in calls_rules.NUMBERS:
            current.problem(f"{name} gave {status}")
        if status < 0:
            self.refused(name, status, data, before, outputs)
            return
        self.figures[1] += 1
        self.accepted(name, data, out, outputs)

    def refused(self, name, status, data, before, outputs):
        if data:
            self.current.refused.add(data)
        if before != [bytes(each) for each in outputs]:
            self.current.problem(f"{name} gave {status} and wrote to an output")
        if self.random.random() < 0.02:
            error = sm.last_error()
            if error["code"] != status or error["name"] != "SM_ERR_" + sm.NAME[status]:
                self.current.problem(f"{name} gave {status}, sm_last_error {error}")

    def accepted(self, name, data, out, outputs):
        if data:
            self.current.accepted.add(data)
        elif out is not None and name in calls_rules.COMPLETION:
            self.current.plain[out.value] = name
        self.makers.keep(name, outputs)

    def run(self, count):
        for _ in range(count):
            self.one()


def drain(current, stop, random):
    """The owner's thread: by dispatch, or by pulling."""
    text, length = sm.TEXT(), sm.SIZE()
    while not stop.is_set():
        if current.kind == "pull":
            status = sm.lib().sm_next_event(current.client, random.choice([0, 1, 20]), ctypes.byref(text),
                                            ctypes.byref(length))
            if status == 0 and text.value:
                current.take(json.loads(text.value))
        else:
            status = sm.lib().sm_dispatch(current.client, random.choice([0, 1, 50]), random.choice([0, 1, 20, 200]))
        if status in (sm.STATUS["CLOSED"], sm.STATUS["INVALID_HANDLE"]):
            return
        if status == 0 and current.kind == "thread":
            time.sleep(0.01)
        if status < 0:
            time.sleep(0.002)


def one_round(current, seed, figures, threads, count):
    choice = random.Random(seed)
    stop = threading.Event()
    workers = [Caller(current, seed * 100 + index, figures) for index in range(threads)]
    inside = Caller(current, seed * 100 + 99, figures)
    inside.makers.inside = True
    current.inside = inside.one
    lines = [threading.Thread(target=worker.run, args=(count // threads,)) for worker in workers]
    owner = threading.Thread(target=drain, args=(current, stop, choice))
    for line in lines + [owner]:
        line.start()
    early = choice.random() < 0.5
    if early:
        target = figures[0] + int(count * choice.random())
        while figures[0] < target and any(line.is_alive() for line in lines):
            time.sleep(0.001)
    else:
        for line in lines:
            line.join()
    sm.lib().sm_close(current.client)
    for line in lines:
        line.join()
    stop.set()
    owner.join()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and sm.lib().sm_get_fd(current.client) != sm.STATUS["INVALID_HANDLE"]:
        time.sleep(0.001)
    current.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--calls", type=int, default=50000)
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--server", action="store_true", help="with a server; offline without")
    arguments = parser.parse_args()
    faulthandler.enable()
    faulthandler.dump_traceback_later(280)
    choice = random.Random(arguments.seed)
    host = server.Server(users=["u0", "u1"]) if arguments.server else None
    if host:
        for url in ("c0", "c1"):
            host.channel(url, ["u0", "u1"])
            host.control("post_messages", channel_url=url, user_id="u1", count=50)
    figures, problems, rounds = [0, 0], [], 0
    with tempfile.TemporaryDirectory(prefix="attack-calls-") as folder:
        os.chdir(folder)  # some actions write the file that a document names
        while figures[0] < arguments.calls:
            kind = choice.choice(["dispatch", "dispatch", "pull", "thread"])
            config = calls_makers.configuration(host, folder, kind, choice)
            current = Round(folder, config, kind)
            one_round(current, choice.randrange(1 << 30), figures, arguments.threads, ROUND)
            problems += current.problems
            rounds += 1
            if any("INTERNAL" in each for each in problems):
                break
    if host:
        host.stop()
    for text, number in collections.Counter(problems).most_common(30):
        print(f"PROBLEM x{number}: {text}")
    print(json.dumps({"calls": figures[0], "accepted": figures[1], "rounds": rounds,
                      "problems": len(problems)}))
    sys.exit(3 if problems else 0)


main()
