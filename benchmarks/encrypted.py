#!/usr/bin/env python3
"""What a key costs: the same cache filled and paged through without one and with one, in turn.

usage: benchmarks/encrypted.py SYNC_BENCHMARK PAGES COUNT [ROUNDS]

SYNC_BENCHMARK is the program of benchmarks/engine, PAGES a file made by benchmarks/pages.c with COUNT messages or more.
Needs SQLCipher 4.6 and build/lib. Prints the medians and their ratios: filling the cache without a network, and all
pages of 30 from the newest to the oldest message, offline, through the C interface, in a new process each time.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KEY = "5a" * 32


def main() -> None:
    program, pages, count, *rounds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        page_all = Path(folder) / "page_all"
        subprocess.run(
            ["cc", "-O2", "-I", ROOT / "include", ROOT / "benchmarks/page_all.c", "-o", page_all, "-L",
             ROOT / "build/lib", "-lsyncmanager", f"-Wl,-rpath,{ROOT / 'build/lib'}"], check=True)
        times: dict[str, list[float]] = {}
        sizes: dict[str, int] = {}
        for _ in range(int(rounds[0]) if rounds else 5):
            for name in ("plain", "key"):
                data = Path(folder) / name
                shutil.rmtree(data, ignore_errors=True)
                environ = {**os.environ, "SM_ENCRYPTED": "1" if name == "key" else "0"}
                config = {"app_id": "benchmark", "user_id": "user", "data_dir": str(data),
                          "message_collection_capacity": "infinite"}
                if name == "key":
                    config["encryption_key"] = KEY
                for what, command in [
                    ("ingest", [program, data, pages, count]),
                    ("pages", [page_all, json.dumps(config), "benchmark", "30"]),
                ]:
                    told = json.loads(subprocess.run(
                        command, env=environ, stdout=subprocess.PIPE, check=True).stdout)
                    assert told["messages"] == int(count), told
                    times.setdefault(f"{what} {name}", []).append(told["seconds"])
                sizes[name] = sum(file.stat().st_size for file in data.rglob("cache.db"))
    middle = {what: statistics.median(taken) for what, taken in times.items()}
    for what in ("ingest", "pages"):
        plain, key = middle[f"{what} plain"], middle[f"{what} key"]
        each = 1e6 / int(count)
        print(f"{what}: {plain * each:.2f} µs a message, with a key {key * each:.2f}: {key / plain:.2f} times")
    print(f"cache.db: {sizes['plain']} bytes, with a key {sizes['key']}: {sizes['key'] / sizes['plain']:.3f} times")


main()
