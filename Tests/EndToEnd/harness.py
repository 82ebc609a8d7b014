"""Real parts for tests and the demo: the server (syncmanager.testing), and the C program as a process.

The demo runs where no Python package is installed: nothing here needs one.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.setdefault("SYNCMANAGER_LIBRARY", str(ROOT / "build/lib/libsyncmanager.so.0")))
os.environ.setdefault("SYNCMANAGER_SERVER", str(ROOT / "build/bin/syncmanager-server"))
sys.path[:0] = [str(ROOT / "bindings/python"), str(ROOT / "Tests/Schemas")]

from syncmanager.testing import Server  # noqa: E402

PATIENCE = float(os.environ.get("SM_TEST_PATIENCE", "30"))
__all__ = ["LIBRARY", "PATIENCE", "ROOT", "Server", "Watch", "build_watch", "drain_until", "fetch_all"]


class Watch:
    """The C program `watch` as a process: its lines are read as they come. `libraries` is where the dynamic loader
    looks before it looks elsewhere."""

    def __init__(
        self, program: Path, config: dict, channel: str | None = None, echo=None, libraries: Path | None = None
    ) -> None:
        command = [str(program), json.dumps(config), *([channel] if channel else [])]
        path = [str(folder) for folder in (libraries, LIBRARY.parent) if folder]
        environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(path)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.echo = echo
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def next_line(self) -> str:
        line = self.lines.get(timeout=PATIENCE)
        if line is None:
            raise AssertionError(f"the program ended with {self.process.wait()}")
        if self.echo and not line.startswith("{"):
            self.echo(line)
        return line

    def wait(self, *texts: str) -> str:
        """The next line that holds all the texts."""
        while True:
            line = self.next_line()
            if all(text in line for text in texts):
                return line

    def say(self, command: str) -> None:
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def ask(self, command: str) -> dict:
        self.say(command)
        return json.loads(self.wait('{"seq"'))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def quit(self) -> int:
        self.say("quit")
        return self.process.wait(PATIENCE)


def build_watch(target: Path) -> Path:
    """Compiles the C program against the public header and the built library."""
    subprocess.run(
        ["cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include",
         str(ROOT / "bindings/c/watch.c"), "-o", str(target), f"-L{LIBRARY.parent}", "-lsyncmanager", "-ljansson"],
        check=True)
    return target


def drain_until(client, condition, patience: float = PATIENCE):
    """Drains events of a blocking client until `condition` is true of one, as the library told it; returns that."""
    end = time.monotonic() + patience
    seen = []
    while (left := end - time.monotonic()) > 0:
        event = client.next_event(left)
        if event is None:
            continue
        document = event.document
        seen.append(document)
        if condition(document):
            return document
    kinds = [(e["type"], e.get("action"), e.get("list"), e.get("source"), e.get("status")) for e in seen[-15:]]
    raise AssertionError(f"what was waited for did not come; the last events: {kinds}")


def fetch_all(fetch) -> None:
    """Fetches to the end of a direction: `fetch` is a collection's method."""
    while fetch(timeout=PATIENCE).has_more:
        pass
