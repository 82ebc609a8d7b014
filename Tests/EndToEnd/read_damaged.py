"""Damages copies of a user's files and does with each all that a host can do with what is kept; a program of its own,
since a trap of the library ends the process.

    read_damaged.py CONFIG PRISTINE STATEMENT...      CONFIG: JSON; PRISTINE: the data_dir that is copied

Prints each STATEMENT (FILE: SQL) before it is tried. Ends with an error where a call never completes, and where a
message or a write is not taken even after the files were opened once more.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import shutil
import sqlite3
import sys
import tempfile
from pathlib import Path

import harness  # noqa: F401  (sets where the library is)
from library import Client, lib, text
from populate import CHANNEL, EMPTY, OTHER, files

#: Seconds for one damaged copy. They take a tenth of one.
PATIENCE = 60
LATEST = 2**63 - 1
ORDERS = ("latest_last_message", "chronological", "channel_name_alphabetical", "metadata_value_alphabetical")
STREAMS = (
    {"source": {"database": {"path": "rooms"}}}, {"source": {"database": {"path": "count"}}},
    {"source": {"channels": {}}, "order_by": "name"}, {"source": {"messages": {"channel_url": CHANNEL}}},
)
STORAGE, CORRUPT_INTENTS = -9, -11


class Reader:
    """A client that never waits for ever."""

    def __init__(self, config: dict) -> None:
        self.client = Client(config)
        self.searches = bool(config.get("search"))
        self.results: dict[int, dict] = {}

    def drain(self, timeout_ms: int = 0) -> bool:
        event = self.client.next_event(timeout_ms)
        if event is not None and event["type"] == "result":
            self.results[event["request"]] = event
        return event is not None

    def ask(self, function, *arguments) -> dict | None:
        """The result of a call; None when it was refused."""
        number = ctypes.c_uint64()
        if function(*arguments, None, None, None, ctypes.byref(number)) < 0:
            return None
        while number.value not in self.results:
            self.drain(1000)
        return self.results.pop(number.value)

    def call(self, **document) -> dict | None:
        return self.ask(lib.sm_call, self.client.handle, text(document))

    def look(self, collection) -> None:
        told = ctypes.c_void_p()
        for function in (lib.sm_collection_info, lib.sm_collection_snapshot):
            if function(collection, ctypes.byref(told)) == 0:
                json.loads(ctypes.string_at(told.value))
                lib.sm_string_free(told)

    def messages(self, url: str, filter: dict, viewpoint: int) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        assert lib.sm_message_collection_new(
            self.client.handle, url.encode(), text(filter), viewpoint, ctypes.byref(made)) == 0
        return made

    def read(self, times: list[int], parent: str) -> None:
        """Lists, pages in both directions, streams, values."""
        for order in ORDERS:
            more = {"metadata_order_key": "k"} if order.startswith("metadata") else {}
            made, _ = self.client.channels({"order": order, "limit": 2, "hidden_channels": "all", **more})
            for _ in range(3):
                self.ask(lib.sm_fetch, made, 2)
            self.look(made)
        places = [(CHANNEL, {"limit": 60, "reply_type": "all"}, time) for time in (LATEST, LATEST - 1, 0, *times)]
        places += [(CHANNEL, {"parent_message_id": parent}, LATEST), (OTHER, {"reverse": True}, LATEST), (EMPTY, {}, 5)]
        for url, filter, viewpoint in places:
            made = self.messages(url, filter, viewpoint)
            for direction in (1, 2, 1):
                self.ask(lib.sm_fetch, made, direction)
            for function in (lib.sm_collection_start, lib.sm_fetch_all_next, lib.sm_fetch_failed, lib.sm_fetch_pending):
                self.ask(function, made)
            lib.sm_reset_viewpoint(made, 7)
            self.ask(lib.sm_fetch, made, 2)
            self.look(made)
        if self.searches:
            for query in ({"query": "reply"}, {"query": "re", "limit": 2}, {"query": "root", "order": "relevance"},
                          {"query": "post", "channel_urls": [CHANNEL]}):
                made, error = self.client.search(query)
                assert error is None, error
                for _ in range(2):
                    self.ask(lib.sm_fetch, made, 2)
                self.look(made)
        for place in ({"path": "rooms"}, {"path": "rooms/room1"}, {"path": "count"}, {"path": "written"},
                      {"path": "people", "order_by": "$key", "limit_to_last": 3}):
            self.call(action="database_listen", **place)
            self.call(action="database_get", timeout_ms=2000, **place)
        for spec in STREAMS:
            made, error = self.client.stream({**spec, "batch_delay": None})
            assert error is None, error
            self.ask(lib.sm_stream_call, made, text({"action": "fetch_more", "count": 5, "direction": "next"}))
            self.look(made)
        for action in ("statistics", "options"):
            assert self.call(action=action)
        while self.drain():
            pass

    def write(self, name: str) -> list[dict | None]:
        """The results of sending a message and of writing a value."""
        made = self.messages(OTHER, {}, LATEST)
        self.call(action="database_online")
        sent = self.ask(lib.sm_send_message, made, text({"message": name}))
        return [sent, self.call(action="database_set", path=f"sent/{name}", value=name),
                self.call(action="database_count", path=f"counted/{name}", by=1)]

    def close(self) -> None:
        lib.sm_close(self.client.handle)


def refused(reader: Reader) -> bool:
    """Refused for a file that is told to be damaged: what a host can decide about."""
    if reader.client.error is None:
        return False
    assert reader.client.error["code"] in (STORAGE, CORRUPT_INTENTS), reader.client.error
    return True


def live(config: dict, name: str, times: list[int], parent: str) -> None:
    """Offline, online, and once more after a restart, which has to mend what can be mended."""
    reader = Reader(config)
    if refused(reader):
        return
    reader.read(times, parent)
    reader.ask(lib.sm_connect, reader.client.handle)
    reader.read(times, parent)
    reader.write(name)
    reader.close()
    reader = Reader(config)
    if refused(reader):
        return
    assert reader.ask(lib.sm_connect, reader.client.handle)["status"] == 0
    for result in reader.write(name + "-again"):
        assert result is not None and result["status"] == 0, result
    reader.ask(lib.sm_clear_cache, reader.client.handle, CHANNEL.encode())
    assert reader.ask(lib.sm_sign_out, reader.client.handle)["status"] == 0
    reader.close()


def main() -> None:
    config, pristine = json.loads(sys.argv[1]), Path(sys.argv[2])
    for number, statement in enumerate(sys.argv[3:]):
        print(statement, flush=True)
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        file, sql = statement.split(": ", 1)
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            shutil.copytree(pristine, data)
            with sqlite3.connect(files(data) / "cache.db") as cache:
                times = [row[0] for row in cache.execute("SELECT ord FROM message ORDER BY ord LIMIT 1 OFFSET 70")]
                parent = cache.execute("SELECT parent_id FROM thread").fetchone()[0]
            cache.close()
            damaged = sqlite3.connect(files(data) / file)
            # One that no index allows, as twice the same key, is no damage that SQLite would not find.
            changed = damaged.execute(sql).rowcount
            damaged.commit()
            damaged.close()
            if changed > 0:
                live({**config, "data_dir": str(data)}, f"{abs(hash(statement))}-{number}", times, parent)
        faulthandler.cancel_dump_traceback_later()
    print("done", flush=True)


if __name__ == "__main__":
    main()
