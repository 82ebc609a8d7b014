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

A stage whose file holds the line "# beside" waits much of its time: those run in their order beside the other stages,
which also keep their order (one after the other with --verbose). No two of the two rows use the same build directory.
One whose file holds the line "# unbuilt" uses nothing that scripts/build makes, and begins beside that.
Each stage's line ends with its time and how many processors it kept busy.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "test"
COUNT = re.compile(r"^stage: (\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$")
TIME = re.compile(r"^# time: (\d+) s\s*$", re.MULTILINE)
BESIDE = re.compile(r"^# beside\s*$", re.MULTILINE)
UNBUILT = re.compile(r"^# unbuilt\s*$", re.MULTILINE)
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


class Stages:
    """The stages that run now, each the leader of a process group of its own, so that all it started ends with it."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._lock = threading.Lock()
        self.stopped = False

    def run(self, path: Path, environment: dict[str, str], out, limit: int) -> tuple[int | None, float]:
        """Its exit status, None if it was stopped after `limit` seconds, and its seconds of processor time."""
        with self._lock:
            if self.stopped:
                raise KeyboardInterrupt
            # Not waited for by the object: os.wait4 has the processor time of this stage alone.
            process = subprocess.Popen(
                [path], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                env=environment, start_new_session=True)
            self._running.add(process.pid)
        late = threading.Event()
        timers = [threading.Timer(limit, lambda: (late.set(), self._end(process.pid, signal.SIGTERM))),
                  threading.Timer(limit + 10, lambda: self._end(process.pid, signal.SIGKILL))]
        for timer in timers:
            timer.daemon = True
            timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        with self._lock:
            self._running.discard(process.pid)
        for timer in timers:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        return None if late.is_set() else process.returncode, usage.ru_utime + usage.ru_stime

    def _end(self, group: int, number: int) -> None:
        with self._lock:
            if group in self._running:
                os.killpg(group, number)

    def stop(self) -> None:
        """Ends what runs, and lets nothing begin any more."""
        with self._lock:
            self.stopped = True
            for group in self._running:
                os.killpg(group, signal.SIGTERM)


def run(running: Stages, path: Path, long: bool, verbose: bool) -> tuple[int, int, int]:
    own_time = TIME.search(path.read_text(errors="replace"))
    limit = int(own_time[1]) if own_time else 900
    limit = max(limit, 3600) if long else limit
    # Nobody debugs what the stages build of Rust, and each builds it once.
    environment = {**os.environ, "CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_INCREMENTAL": "0"}
    environment.pop("SM_LONG", None)
    if long:
        environment["SM_LONG"] = "1"
    log_path = LOGS / f"{path.name}.log"
    started = time.monotonic()
    with open(log_path, "wb") as log:
        out = log
        if verbose:
            print(f"---- {path.name}", flush=True)
            tee = subprocess.Popen(["tee", log_path], stdin=subprocess.PIPE)
            out = tee.stdin
        status, used = running.run(path, environment, out, limit)
        if verbose:
            tee.stdin.close()
            tee.wait()
    seconds = time.monotonic() - started
    busy = used / seconds
    complaint = None
    if status is None:
        complaint = f"not done after {limit} s"
    elif status != 0:
        complaint = f"exit status {status}" if status > 0 else f"ended by signal {-status}"

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

    summary = f"{path.name:<16} {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
    ends = f"  [{complaint}]" if complaint else ""
    told = [f"{summary}  ({seconds:.0f} s, {busy:.1f} busy){ends}"]
    if failed and not verbose:
        told = [f"---- {path.name}: the last lines of {log_path.relative_to(ROOT)}", *lines[-SHOWN:], "----", *told]
    print("\n".join(told), flush=True)  # in one piece: another stage may print beside it
    return passed, failed, skipped


def says(path: Path, mark: re.Pattern[str]) -> bool:
    return mark.search(path.read_text(errors="replace")) is not None


def build() -> bool:
    return subprocess.run([ROOT / "scripts" / "build"], cwd=ROOT).returncode == 0


def run_all(picked: list[Path], long: bool, verbose: bool) -> list[tuple[int, int, int]] | None:
    """Builds, and runs both rows of stages, side by side; None when the build fails."""
    running = Stages()
    built = threading.Event()
    beside = [path for path in picked if not verbose and says(path, BESIDE)]
    rows = [beside, [path for path in picked if path not in beside]]
    counts: list[tuple[int, int, int]] = []
    errors: list[BaseException] = []

    def run_row(row: list[Path]) -> None:
        try:
            for path in row:
                if verbose or not says(path, UNBUILT):
                    built.wait()
                if running.stopped:
                    return
                counts.append(run(running, path, long, verbose))
        except BaseException as error:  # raised again below
            errors.append(error)

    threads = [threading.Thread(target=run_row, args=(row,)) for row in rows]
    try:
        for thread in threads:
            thread.start()
        is_built = build()
        if not is_built:
            running.stop()
        built.set()
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        running.stop()
        built.set()
        raise
    if not is_built:
        return None
    if errors:
        raise errors[0]
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    for option in ("--long", "--verbose", "--list"):
        parser.add_argument(option, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.list:
        for path in stages():
            purpose = re.search(r'^(?:# |""")(?!!)(.+)', path.read_text().split("\n", 1)[1], re.MULTILINE)
            print(f"{path.name:<16} {purpose[1] if purpose else ''}")
        return 0

    picked = chosen(options.names)
    LOGS.mkdir(parents=True, exist_ok=True)
    print("setup and build ...", flush=True)
    counts = run_all(picked, options.long, options.verbose)
    if counts is None:
        print("build            0 passed, 1 failed")
        print("0 passed, 1 failed")
        return 1
    total = [sum(column) for column in zip(*counts)]
    passed, failed, skipped = total
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


sys.exit(main())
