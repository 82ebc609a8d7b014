"""The runner's side of a host: a process that takes steps and answers them (PROTOCOL.md)."""

from __future__ import annotations

import json
import os
import select
import subprocess
from pathlib import Path

from harness import LIBRARY, PATIENCE

HOSTS = Path(__file__).parent / "hosts"
#: A host that is started may compile itself first.
START = 600.0


def program(name: str) -> Path:
    """The host of a name, or the program of a path."""
    known = HOSTS / name
    chosen = known if known.exists() else Path(name)
    if not os.access(chosen, os.X_OK) or chosen.is_dir():
        raise ValueError(f"there is no host {name!r}; there are: {', '.join(sorted(p.name for p in HOSTS.iterdir()))}")
    return chosen.resolve()


class Refused(Exception):
    """The library refused the step: the host told the error."""

    def __init__(self, error: dict) -> None:
        super().__init__(f"{error['name']} {error['message']}")
        self.error = error


class Host:
    """One host process."""

    def __init__(self, chosen: Path, in_world: bool = False) -> None:
        """`in_world`: with the library that has a world."""
        self.program = chosen
        libraries = [str(LIBRARY.parent), os.environ.get("LD_LIBRARY_PATH", "")]
        library = LIBRARY.with_name("libsyncmanager-testing.so.0") if in_world else LIBRARY
        environment = {
            **os.environ, "SYNCMANAGER_LIBRARY": str(library), "SM_WORLD": "1" if in_world else "",
            "LD_LIBRARY_PATH": os.pathsep.join(filter(None, libraries))}
        self.process = subprocess.Popen(
            [chosen], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.rest = b""
        self.number = 0
        #: How many scenarios it has been through.
        self.done = 0
        self.hello = self._read(START)
        assert {"host", "version", "items"} <= self.hello.keys(), f"the host's first line is {self.hello}"

    def _read(self, patience: float) -> dict:
        pieces = [self.rest]
        while b"\n" not in pieces[-1]:  # joined at the end: an answer may have many MiB
            ready, _, _ = select.select([self.process.stdout], [], [], patience)
            assert ready, f"the host did not answer in {patience:.0f} s"
            pieces.append(os.read(self.process.stdout.fileno(), 1 << 20))
            assert pieces[-1], f"the host ended with status {self.process.wait()}"
        line, self.rest = b"".join(pieces).split(b"\n", 1)
        return json.loads(line)

    def step(self, verb: str, **members) -> dict:
        """Lets the host do a step; gives its answer, raises Refused."""
        self.number += 1
        line = json.dumps({"id": self.number, "do": verb, **members}, ensure_ascii=False) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        answer = self._read(PATIENCE + members.get("timeout_ms", 0) / 1000)
        assert answer.pop("id", None) == self.number, f"an answer to another step than {self.number}: {answer}"
        if "error" in answer:
            raise Refused(answer["error"])
        return answer

    def end(self) -> int:
        """Ends its input, upon which it closes its client and ends; gives its exit status."""
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return status

    def kill(self) -> None:
        """Ends it at once, if it has not ended."""
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Hosts:
    """Processes that have closed their client and take the next scenario: a new one costs more than most scenarios."""

    #: What a process keeps from one scenario to the next is found within so many, and blamed on few.
    SCENARIOS = 20

    def __init__(self, in_world: bool = False) -> None:
        self.waiting: dict[Path, Host] = {}
        self.in_world = in_world

    def take(self, chosen: Path) -> Host:
        return self.waiting.pop(chosen, None) or Host(chosen, self.in_world)

    def give_back(self, host: Host, is_open: bool) -> None:
        """A scenario is through with it; `is_open`: it has a client, which the end of its input closes as well as a
        step does."""
        host.done += 1
        if host.done >= self.SCENARIOS or host.program in self.waiting:
            return self._end(host)
        if is_open:
            host.step("close")
        self.waiting[host.program] = host

    def end(self) -> None:
        while self.waiting:
            self._end(self.waiting.popitem()[1])

    @staticmethod
    def _end(host: Host) -> None:
        status = host.end()
        assert status == 0, f"the host ended with status {status} after {host.done} scenarios"
