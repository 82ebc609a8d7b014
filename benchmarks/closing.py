"""Closing: how long a client with much to do takes to end, with the real server and its realtime database, or offline
(benchmarks/closing.c)."""

import json
import statistics
import subprocess
from contextlib import contextmanager

PATIENCE = 600  # seconds until a program counts as hanging
KEPT, WAITING, LISTENS, MANY = 1_000, 4_000, 20, 20_000
#: What waits for the database, how many of it, how the client ends, and the seconds that it may take.
CASES = [("writes", WAITING, "close", 1), ("writes", MANY, "close", 1), ("reads", MANY, "close", 1),
         ("writes", WAITING, "sign_out", 1), ("writes", MANY, "sign_out", 2), ("reads", MANY, "sign_out", 2)]


@contextmanager
def database_server(executable):
    """A server with a realtime database; gives what it says when it is ready."""
    process = subprocess.Popen(
        [executable, "--exit-with-stdin", "--database-port", "0", "--user", "mei:token"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(10)


def measure(program, folder, kind, kept, waiting, listens, end, ready=None):
    """What the program prints. `ready`: of the server; nobody answers without one."""
    url = ready["database_url"] if ready else "http://127.0.0.1:9"
    config = {
        "app_id": "benchmark", "user_id": "mei", "data_dir": str(folder), "queue_limit": 2 * MANY,
        "database": {"url": url, "name": "benchmark"}}
    done = subprocess.run(
        [str(part) for part in (program, json.dumps(config), kind, kept, waiting, listens, end)], capture_output=True,
        text=True, timeout=PATIENCE)
    if done.returncode != 0:
        raise RuntimeError(f"closing {kind} ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-200:]}")
    return json.loads(done.stdout)


def rows(program, executable, folders, repeats):
    """A line of each case: its name, the median of the seconds until the client has ended, and the aim."""
    for kind, waiting, end, aim in CASES:
        taken = []
        for _ in range(repeats):
            with database_server(executable) as ready:
                found = measure(program, folders(), kind, KEPT, waiting, LISTENS, end, ready)
            taken.append(found["sign_out_seconds"] + found["close_seconds"])
        name = "sign-out and close" if end == "sign_out" else "close"
        label = (f"{name} with {KEPT:,} kept writes, {LISTENS} listens with a query, "
                 f"{waiting:,} {kind} {'to' if kind == 'writes' else 'of'} the database waiting")
        yield label, statistics.median(taken), aim
