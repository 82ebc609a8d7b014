#!/usr/bin/env python3
"""Runs the stages of scripts/test.d, in order, and adds up what they counted.

    scripts/test                 all stages
    scripts/test header lint     these stages, by number, name or part of the name
    scripts/test --long          ten times the simulator's seeds and kill -9 rounds, more damaged input (SM_LONG=1)
    scripts/test --verbose       with everything the stages print; otherwise that is in build/test/<stage>.log
    scripts/test --list          the stages, one line each

A stage is an executable scripts/test.d/NN-name. It may print anything and ends with the line

    stage: P passed, F failed          or          stage: P passed, F failed, S skipped

A stage that fails without saying so, is silent about its count, counts nothing at all or exceeds its time counts as one
failure more. The time is 900 s (3600 s with --long) unless the file holds a line "# time: N s".
The last line is "N passed, N failed" (", N skipped" may follow); the exit status is 0 only if nothing failed.

Each stage's line ends with its time and how many processors it kept busy: one that keeps less than the machine has busy
waits for something, and could do more of its work side by side.
"""

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "test"
COUNT = re.compile(r"^stage: (\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$")
TIME = re.compile(r"^# time: (\d+) s\s*$", re.MULTILINE)
SHOWN = 200  # lines of a failed stage's log that are repeated on the terminal


def stages() -> list[Path]:
    found = sorted((ROOT / "scripts" / "test.d").iterdir())
    return [path for path in found if re.fullmatch(r"\d\d-[a-z0-9-]+", path.name)]


def chosen(names: list[str]) -> list[Path]:
    if not names:
        return stages()
    picked = []
    for name in names:
        matches = [path for path in stages() if name in (path.name, *path.name.split("-", 1))]
        matches = matches or [path for path in stages() if name in path.name]
        if not matches:
            sys.exit(f"no stage {name!r}; there are: {', '.join(path.name for path in stages())}")
        picked += matches
    return sorted(set(picked))


def stop(process: subprocess.Popen) -> None:
    """Ends a stage and what it started: it is the leader of a process group of its own."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=10)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def processor_time() -> float:
    """Seconds of processor time of all processes that this one started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(path: Path, long: bool, verbose: bool) -> tuple[int, int, int]:
    own_time = TIME.search(path.read_text(errors="replace"))
    limit = int(own_time[1]) if own_time else 900
    limit = max(limit, 3600) if long else limit
    environment = dict(os.environ)
    environment.pop("SM_LONG", None)
    if long:
        environment["SM_LONG"] = "1"
    log_path = LOGS / f"{path.name}.log"
    started = time.monotonic()
    used = processor_time()
    complaint = None
    with open(log_path, "wb") as log:
        out = None if verbose else log
        if verbose:
            print(f"---- {path.name}", flush=True)
            tee = subprocess.Popen(["tee", log_path], stdin=subprocess.PIPE)
            out = tee.stdin
        process = subprocess.Popen(
            [path], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            env=environment, start_new_session=True)
        try:
            status = process.wait(timeout=limit)
            if status != 0:
                complaint = f"exit status {status}" if status > 0 else f"ended by signal {-status}"
        except subprocess.TimeoutExpired:
            complaint = f"not done after {limit} s"
            stop(process)
        except KeyboardInterrupt:
            stop(process)
            raise
        if verbose:
            tee.stdin.close()
            tee.wait()
    seconds = time.monotonic() - started
    busy = (processor_time() - used) / seconds

    lines = log_path.read_text(errors="replace").splitlines()
    counts = [match for match in map(COUNT.match, lines) if match]
    passed, failed, skipped = (int(number or 0) for number in counts[-1].groups()) if counts else (0, 0, 0)
    if not counts:
        complaint = complaint or "no count"
    elif passed + failed + skipped == 0:
        complaint = complaint or "nothing was tested"
    if complaint and (failed == 0 or not complaint.startswith("exit status")):
        failed += 1  # a stage that counted its failures has said with them why it exits so
    else:
        complaint = None

    if failed and not verbose:
        print(f"---- {path.name}: the last lines of {log_path.relative_to(ROOT)}")
        print("\n".join(lines[-SHOWN:]))
        print("----")
    summary = f"{path.name:<16} {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
    ends = f"  [{complaint}]" if complaint else ""
    print(f"{summary}  ({seconds:.0f} s, {busy:.1f} busy){ends}", flush=True)
    return passed, failed, skipped


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    for option in ("--long", "--verbose", "--list"):
        parser.add_argument(option, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.list:
        for path in stages():
            says = re.search(r'^(?:# |""")(?!!)(.+)', path.read_text().split("\n", 1)[1], re.MULTILINE)
            print(f"{path.name:<16} {says[1] if says else ''}")
        return 0

    picked = chosen(options.names)
    LOGS.mkdir(parents=True, exist_ok=True)
    print("setup and build ...", flush=True)
    if subprocess.run([ROOT / "scripts" / "build"], cwd=ROOT).returncode != 0:
        print("build            0 passed, 1 failed")
        print("0 passed, 1 failed")
        return 1
    total = [sum(column) for column in zip(*(run(path, options.long, options.verbose) for path in picked))]
    passed, failed, skipped = total
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


sys.exit(main())
