#!/usr/bin/env python3
"""What a page waits for while the cache makes room, and while an older cache is indexed, beside the same without.

usage: benchmarks/beside.py [--messages N] [ROUNDS]     300,000 messages and 5 rounds unless told otherwise

A server has 30 channels, and a client's cache has all their messages by prefetching. Each round opens a copy of that
cache four times, in a process of its own (beside.c): with a bound of 64 MB; without one, as many pages; with a search
index, which is made then; and without one, as many pages. The first two are connected, the others offline. Prints the
medians of the rounds, and the medians of the ratios of each round. Needs build/lib and build/bin (scripts/build).
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("SYNCMANAGER_LIBRARY", str(ROOT / "build/lib/libsyncmanager.so.0"))
os.environ.setdefault("SYNCMANAGER_SERVER", str(ROOT / "build/bin/syncmanager-server"))
sys.path.insert(0, str(ROOT / "bindings/python"))

from syncmanager import blocking  # noqa: E402
from syncmanager.events import SyncProgress  # noqa: E402
from syncmanager.testing import Server  # noqa: E402

CHANNELS = 30
PAGED = "paged"  # the channel whose newest page is shown
PAGED_MESSAGES = 500
FIGURES = ("p50", "p99", "max")


def fill(server, config, messages):
    """Prefetches all that the server has."""
    names = [f"c{number}" for number in range(CHANNELS)]
    for name in names:
        server.create_channel(name, "mei", "bo")
        server.post_many(name, "bo", messages // CHANNELS)
    server.create_channel(PAGED, "mei", "bo")
    server.post_many(PAGED, "bo", PAGED_MESSAGES)
    with blocking.SyncManager(**config, prefetch={"channels": "all", "messages": 10_000}) as sm:
        sm.connect(timeout=60)
        while (event := sm.next_event(timeout=60)) is not None:
            told = event.prefetch if isinstance(event, SyncProgress) else None
            if told and told["done"] == told["total"]:
                return sm.statistics(timeout=60)
    raise RuntimeError("the cache was not filled")


def measure(program, filled, config, *arguments):
    """Of a copy of the cache."""
    with tempfile.TemporaryDirectory(dir=filled.parent) as folder:
        data = Path(folder) / "data"
        shutil.copytree(filled, data)
        done = subprocess.run(
            [program, json.dumps({**config, "data_dir": str(data)}), PAGED, *map(str, arguments)],
            stdout=subprocess.PIPE, check=True, timeout=900)
    return json.loads(done.stdout)


def show(name, rounds):
    """`rounds`: of each the figures with the work and without it."""
    print(f"{name}: {statistics.median(busy['pages'] for busy, _ in rounds):.0f} pages, "
          f"{statistics.median(busy['work'] for busy, _ in rounds):.0f} messages")
    for figure in FIGURES:
        busy, alone = (statistics.median(result[figure] for result in side) * 1e3 for side in zip(*rounds))
        ratio = statistics.median(one[figure] / other[figure] for one, other in rounds)
        print(f"  {figure}: {busy:.2f} ms, without {alone:.2f} ms: {ratio:.1f} times")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=300_000)
    parser.add_argument("rounds", type=int, nargs="?", default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp")) as folder, Server() as server:
        program, filled = Path(folder) / "beside", Path(folder) / "filled"
        subprocess.run(
            ["cc", "-O2", "-std=gnu99", "-Wall", "-Wextra", "-I", ROOT / "include", ROOT / "benchmarks/beside.c", "-o",
             program, "-L", ROOT / "build/lib", "-lsyncmanager", f"-Wl,-rpath,{ROOT / 'build/lib'}"], check=True)
        mei = server.create_user("mei")
        server.create_user("bo")
        config = server.config(mei, filled)
        found = fill(server, config, options.messages)
        print(f"{found['cached_messages']} messages cached, {found['cache_used_bytes'] >> 20} MiB of rows")
        trimmed, indexed = [], []
        for _ in range(options.rounds):
            busy = measure(program, filled, {**config, "max_cache_mb": 64}, "trimmed")
            trimmed.append((busy, measure(program, filled, config, busy["pages"], "connect")))
            busy = measure(program, filled, {**config, "search": True}, "indexed")
            indexed.append((busy, measure(program, filled, config, busy["pages"])))
        show("while the cache makes room", trimmed)
        show("while an older cache is indexed", indexed)
        print(f"load average {os.getloadavg()[0]:.1f}")


main()
