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

    def __init__(self, chosen: Path) -> None:
        self.program = chosen
        libraries = [str(LIBRARY.parent), os.environ.get("LD_LIBRARY_PATH", "")]
        environment = dict(
            os.environ, SYNCMANAGER_LIBRARY=str(LIBRARY), LD_LIBRARY_PATH=os.pathsep.join(filter(None, libraries)))
        self.process = subprocess.Popen(
            [chosen], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        self.rest = b""
        self.number = 0
        self.hello = self._read(START)
        assert {"host", "version", "items"} <= self.hello.keys(), f"the host's first line is {self.hello}"

    def _read(self, patience: float) -> dict:
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], patience)
            assert ready, f"the host did not answer in {patience:.0f} s"
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            assert data, f"the host ended with status {self.process.wait()}"
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
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
