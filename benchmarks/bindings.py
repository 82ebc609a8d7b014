#!/usr/bin/env python3
"""How fast programs of each language get cached messages into a live list, offline, page by page.

usage: benchmarks/bindings.py [--json] [COUNT]       100,000 messages unless told otherwise

A server makes the messages and a client caches them; then, in a new process for each figure and three times over (the
median counts), a program pages to the channel's oldest message: in C, which has no list and drops the events; in Rust;
in Python with the blocking client, with asyncio, and reading each message afterwards, which parses it. Needs build/lib
and build/bin (scripts/build), and cargo for Rust.
"""

import asyncio
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("SYNCMANAGER_LIBRARY", str(ROOT / "build/lib/libsyncmanager.so.0"))
os.environ.setdefault("SYNCMANAGER_SERVER", str(ROOT / "build/bin/syncmanager-server"))
sys.path.insert(0, str(ROOT / "bindings/python"))

from syncmanager import SyncManager, blocking  # noqa: E402
from syncmanager.events import SyncProgress  # noqa: E402
from syncmanager.testing import Server  # noqa: E402

OUT = ROOT / "build" / "benchmarks"
REPEATS = 3
PAGE = 200
WAYS = {
    "c": "C, events dropped", "rust": "Rust", "blocking": "Python, blocking client", "asyncio": "Python, asyncio",
    "read": "Python, each one read",
}


def fill(config, server, count):
    """Caches the messages of a channel."""
    server.create_user("bo")
    server.create_channel("c", config["user_id"], "bo")
    while count > 0:
        server.post_many("c", "bo", min(count, 10_000))
        count -= 10_000
    with blocking.SyncManager(**config) as sm:
        sm.connect()
        chat = sm.messages("c")  # its background sync starts
        for event in sm.events(timeout=60):
            if isinstance(event, SyncProgress) and event.complete:
                chat.remove()
                return
    raise RuntimeError("the messages were not synced")


def measure(way, config):
    """Pages to the oldest message; seconds of the paging, and what the list has."""
    if way == "asyncio":
        async def main():
            async with SyncManager(**config) as sm:
                chat = sm.messages("c", limit=PAGE)
                start = time.perf_counter()
                before = -1
                while before < len(chat.items):
                    before = len(chat.items)
                    await chat.fetch()
                return time.perf_counter() - start, len(chat.items)

        return asyncio.run(main())
    with blocking.SyncManager(**config) as sm:
        chat = sm.messages("c", limit=PAGE)
        start = time.perf_counter()
        before = -1
        while before < len(chat.items):
            before = len(chat.items)
            chat.fetch()
        if way == "read":
            total = sum(len(message["message"]) for message in chat.items)
            assert total > len(chat.items)
        return time.perf_counter() - start, len(chat.items)


def build(way):
    """The program of a language that is compiled."""
    if way == "c":
        OUT.mkdir(parents=True, exist_ok=True)
        library = ROOT / "build" / "lib"
        subprocess.run(
            ["cc", "-O2", "-std=gnu99", "-Wall", "-Wextra", "-I", ROOT / "include", ROOT / "benchmarks/page_all.c",
             "-o", OUT / "page_all", "-L", library, "-lsyncmanager", f"-Wl,-rpath,{library}"], check=True)
        return OUT / "page_all"
    subprocess.run([ROOT / "scripts/cargo", "build", "--quiet", "--release", "--example", "page_cache"], check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "build/rust")) / "release/examples/page_cache"


def compiled(program, way, config):
    """Seconds of the paging, and how many messages were shown."""
    command = [program, json.dumps(config), "c", *([str(PAGE)] if way == "c" else [])]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(ROOT / "build/lib")}
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    if way == "c":
        answer = json.loads(told)
        return answer["seconds"], answer["messages"]
    shown, speed = map(int, re.match(r"(\d+) messages, (\d+) a second", told).groups())
    return shown / speed, shown


def main():
    count = next((int(word.replace("_", "")) for word in sys.argv[1:] if word[0].isdigit()), 100_000)
    if "--measure" in sys.argv:
        print(json.dumps(measure(sys.argv[1], json.loads(sys.argv[2]))))
        return
    with tempfile.TemporaryDirectory() as folder, Server(db=Path(folder) / "server.db") as server:
        config = server.config(server.create_user("mei"), Path(folder) / "data", message_collection_capacity=1_000_000)
        fill(config, server, count)
        server.kill()
        size = sum(path.stat().st_size for path in (Path(folder) / "data").rglob("cache.db"))
        speeds = {}
        for way in WAYS:
            if way == "rust" and not shutil.which("cargo"):
                continue
            program = build(way) if way in ("c", "rust") else None
            seconds = []
            for _ in range(REPEATS):
                if program:
                    taken, shown = compiled(program, way, config)
                else:
                    command = [sys.executable, __file__, way, json.dumps(config), "--measure"]
                    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                    taken, shown = json.loads(told)
                if shown != count:
                    raise RuntimeError(f"{way}: {shown} messages where {count} are cached")
                seconds.append(taken)
            speeds[way] = count / statistics.median(seconds)
    if "--json" in sys.argv:
        print(json.dumps(speeds))
        return
    print(f"{count:,} cached messages ({size / count:.0f} bytes on disk each), {PAGE} a page, to a live list, offline:")
    for way, speed in speeds.items():
        print(f"  {WAYS[way]:<26} {speed:>10,.0f} messages/s")


main()
