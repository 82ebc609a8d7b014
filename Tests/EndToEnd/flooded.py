"""A host under a flood, and what that costs it; a program of its own, since the memory of a process is measured.

    flooded.py CONFIG KIND TARGET...     CONFIG: JSON; KIND: database (TARGETs are paths) or messages (one channel URL)

`unread` is database too, but nothing is drained before a line comes by standard input. Listens, says `ready` and drains
until each target has told END; then prints as one line of JSON the resident memory before and at most (bytes), the
slowest of the calls that need nothing but this process (milliseconds), how many those were, and what is shown at the
end.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from pathlib import Path

import harness  # noqa: F401  (sets where the library is)
from library import Client, lib, text

PREVIOUS, NEXT = 1, 2
END = "this is the end of the flood"


def resident() -> int:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) * 1024


class Host:
    """Drains, and keeps the last value of each stream and the results of calls."""

    def __init__(self, config: dict) -> None:
        self.client = Client(config)
        assert self.client.error is None, self.client.error
        self.results: dict[int, dict] = {}
        self.ended: set[int] = set()
        self.event, self.length = ctypes.c_void_p(), ctypes.c_size_t()

    def drain(self, timeout_ms: int) -> None:
        assert lib.sm_next_event(
            self.client.handle, timeout_ms, ctypes.byref(self.event), ctypes.byref(self.length)) == 0
        if not self.event.value:
            return
        told = ctypes.string_at(self.event.value, self.length.value)
        # A flood's own events are too many to be read.
        if b'"type":"result"' in told[:200]:
            result = json.loads(told)
            self.results[result["request"]] = result
        if END.encode() in told:
            event = json.loads(told)
            self.ended.add(event.get("listen", 0))

    def ask(self, function, *arguments) -> dict:
        number = ctypes.c_uint64()
        status = function(*arguments, None, None, None, ctypes.byref(number))
        assert status == 0, (status, lib.sm_last_error())
        while number.value not in self.results:
            self.drain(1000)
        return self.results.pop(number.value)

    def call(self, **document) -> dict:
        return self.ask(lib.sm_call, self.client.handle, text(document))

    def listen(self, kind: str, targets: list[str]) -> None:
        if kind != "messages":
            for path in targets:
                assert self.call(action="database_listen", path=path)["status"] == 0
            return
        self.collection, error = self.client.messages(targets[0], {})
        assert error is None, error
        assert self.ask(lib.sm_connect, self.client.handle)["status"] == 0
        assert self.ask(lib.sm_fetch, self.collection, PREVIOUS)["status"] == 0

    def shown(self, kind: str, targets: list[str]) -> object:
        """What is known at the end: of each path its value, or the ids of the messages."""
        if kind != "messages":
            values = [self.call(action="database_get", path=path) for path in targets]
            return [value.get("result", {}).get("value") for value in values]
        while self.ask(lib.sm_fetch, self.collection, NEXT)["has_more"]:
            pass
        listed = ctypes.c_void_p()
        assert lib.sm_collection_snapshot(self.collection, ctypes.byref(listed)) == 0
        return [message["message_id"] for message in json.loads(ctypes.string_at(listed.value))["succeeded"]]


def main() -> None:
    config, kind, targets = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3:]
    host = Host(config)
    host.listen(kind, targets)
    before = peak = resident()
    slowest, calls, next_call = 0.0, 0, time.monotonic()
    print("ready", flush=True)
    if kind == "unread":
        sys.stdin.readline()
        peak = resident()
    while len(host.ended) < len(targets):
        host.drain(20)
        if time.monotonic() >= next_call:
            begun = time.monotonic()
            assert host.call(action="statistics")["status"] == 0
            slowest, calls = max(slowest, time.monotonic() - begun), calls + 1
            peak = max(peak, resident())
            next_call = time.monotonic() + 0.05
    result = {"before": before, "peak": peak, "slowest_ms": round(slowest * 1000, 1), "calls": calls}
    print(json.dumps({**result, "shown": host.shown(kind, targets)}), flush=True)


if __name__ == "__main__":
    main()
