#!/usr/bin/env python3
"""Runs a client whose cache is at its bound for hours, and looks whether anything grows.

usage: benchmarks/soak.py [--json] [--rate N] [--channels N] [--bound MB] [HOURS]     an hour unless told otherwise

A server has 300 channels. A client with a bound of 64 MB fills its cache to nine tenths of it by prefetching. Then
others write 100 messages a second into ten channels of which the client shows collections, one after the other, while
every few seconds the host closes one of them and opens another channel: pages come in, and channels that were used
longest ago are evicted. Every ten seconds the files, the client's resident memory and its descriptors are looked at.

Ends with 1 when there were fewer than ten evictions (a lasting run; of a short one fewer are expected), or when files,
memory or descriptors of the last third are above those of the second one by more than a tenth. Needs build/lib and
build/bin (scripts/build).
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("SYNCMANAGER_LIBRARY", str(ROOT / "build/lib/libsyncmanager.so.0"))
os.environ.setdefault("SYNCMANAGER_SERVER", str(ROOT / "build/bin/syncmanager-server"))
sys.path.insert(0, str(ROOT / "bindings/python"))

from syncmanager import blocking  # noqa: E402
from syncmanager.events import CacheTrimmed  # noqa: E402
from syncmanager.testing import Server  # noqa: E402

OPEN = 10  # collections at the same time
ROTATION = 5.0  # seconds between one that goes and one that comes
SAMPLE = 10.0  # seconds
QUIET = 5.0  # seconds in which nothing more comes before the cache counts as filled
BATCH = 0.1  # seconds between two batches of messages
ROW = 870  # bytes of a message of the server's, with its row, about
PAUSE = 3.0  # seconds without an eviction between two of them
GROWTH = 1.1  # how much larger the last third may be


def resident(pid):
    """Bytes."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS"))


def client(config, hours, names):
    """The client's process: writes a line for each sample, and what went wrong as an exception."""
    collections, order, trims = [], list(names), []
    order.reverse()
    with blocking.SyncManager(**config) as sm:
        sm.connect(timeout=60)
        # Prefetching ends with the last channel, or where the cache has no room for more.
        before, found = -1, sm.statistics(timeout=60)
        while found["cache_used_bytes"] > before:
            before = found["cache_used_bytes"]
            end = time.monotonic() + QUIET
            while (left := end - time.monotonic()) > 0:
                sm.dispatch(timeout=left)
            found = sm.statistics(timeout=60)
        print(json.dumps({"filled": found}), flush=True)
        start = time.monotonic()
        end, rotation, sample = start + hours * 3600, start, start + SAMPLE
        while (now := time.monotonic()) < end:
            if now >= rotation:
                rotation = now + ROTATION
                if len(collections) == OPEN:
                    collections.pop(0).remove()
                url = order.pop()
                order.insert(0, url)
                collections.append(sm.messages(url, limit=50))
                collections[-1].fetch(timeout=60)
                print(json.dumps({"open": url}), flush=True)
            event = sm.next_event(timeout=max(0, min(rotation, sample, end) - now))
            if isinstance(event, CacheTrimmed):
                if not trims or now - trims[-1][1] > PAUSE:
                    trims.append([now, now])
                trims[-1][1] = now
            if now >= sample:
                sample = now + SAMPLE
                folder = Path(config["data_dir"])
                print(json.dumps({
                    "seconds": round(now - start), "evictions": len(trims),
                    "files": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
                    "resident": resident(os.getpid()), "descriptors": len(os.listdir("/proc/self/fd")),
                    "used": sm.statistics(timeout=60)["cache_used_bytes"]}), flush=True)


def write(server, hot, rate, stop):
    """Others write into channels that are shown."""
    count = max(1, round(rate * BATCH))
    due = time.monotonic()
    while not stop.is_set():
        due += count / rate
        if hot:
            server.post_many(random.choice(hot), "bo", count)
        stop.wait(max(0, due - time.monotonic()))


def fill(server, channels, size):
    names = [f"c{number}" for number in range(channels)]
    server.create_user("bo")
    for name in names:
        server.create_channel(name, "mei", "bo")
        server.post_many(name, "bo", max(1, size // ROW // channels))
    return names


def thirds(samples, key):
    """The most of the second third, and of the last."""
    size = len(samples) // 3
    return max(it[key] for it in samples[size : 2 * size]), max(it[key] for it in samples[2 * size :])


def run(arguments):
    bound = arguments.bound << 20
    with tempfile.TemporaryDirectory() as folder, Server(db=Path(folder) / "server.db") as server:
        user = server.create_user("mei")
        names = fill(server, arguments.channels, bound)
        config = server.config(
            user, Path(folder) / "data", max_cache_mb=arguments.bound, prefetch={"channels": "all", "messages": 10_000})
        told = subprocess.Popen(
            [sys.executable, __file__, "--client", json.dumps([config, arguments.hours, names])],
            stdout=subprocess.PIPE, text=True)
        hot, stop, samples, filled = [], threading.Event(), [], None
        writer = threading.Thread(target=write, args=(server, hot, arguments.rate, stop))
        try:
            writer.start()
            for line in told.stdout:
                fact = json.loads(line)
                if "filled" in fact:
                    filled = fact["filled"]
                elif "open" in fact:
                    hot.append(fact["open"])
                    del hot[:-OPEN]
                else:
                    samples.append(fact)
                    if not arguments.json and len(samples) % 30 == 1:
                        print(" ".join(f"{key} {value:,}" for key, value in fact.items()), flush=True)
            if told.wait(60) != 0:
                raise RuntimeError(f"the client ended with {told.returncode}")
        finally:
            stop.set()
            writer.join()
            if told.poll() is None:
                told.kill()
                told.wait()
    return filled, samples


def main():
    parser = argparse.ArgumentParser(usage="benchmarks/soak.py [--json] [--rate N] [--channels N] [--bound MB] [HOURS]")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rate", type=int, default=100)
    parser.add_argument("--channels", type=int, default=300)
    parser.add_argument("--bound", type=int, default=64)
    parser.add_argument("--client", help=argparse.SUPPRESS)
    parser.add_argument("hours", type=float, nargs="?", default=1.0)
    arguments = parser.parse_args()
    if arguments.client:
        return client(*json.loads(arguments.client))
    filled, samples = run(arguments)
    if len(samples) < 6:
        sys.exit("too short: six samples of ten seconds are the least")
    grown = {key: thirds(samples, key) for key in ("files", "resident", "descriptors")}
    evictions = samples[-1]["evictions"]
    wanted = min(10, int(arguments.hours * 10))
    is_flat = all(late <= early * GROWTH for early, late in grown.values())
    if arguments.json:
        print(json.dumps({"filled": filled, "evictions": evictions, **grown}))
    else:
        print(f"filled to {filled['cache_used_bytes']:,} of {filled['cache_limit_bytes']:,} bytes, "
              f"{filled['cached_messages']:,} messages; {evictions} evictions in {samples[-1]['seconds']:,} s")
        for key, (early, late) in grown.items():
            print(f"{key}: at most {early:,} in the second third, {late:,} in the last")
    if not is_flat or evictions < wanted:
        sys.exit(f"not flat, or fewer than {wanted} evictions")
    return None


if __name__ == "__main__":
    main()
