"""A program in a real terminal: a pseudo terminal on its side, an emulator (pyte) on ours."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import termios
import time
from collections.abc import Callable

import pyte


class Terminal:
    """The program, and what its screen shows."""

    def __init__(self, command: list[str], columns: int = 110, lines: int = 30, **environment: str) -> None:
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        #: All that the program wrote.
        self.written = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **environment}
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.status: int | None = None

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def _read(self, patience: float) -> bool:
        if not select.select([self.fd], [], [], patience)[0]:
            return False
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:  # the program has ended
            data = b""
        if not data:
            return False
        self.written += data
        self.stream.feed(data)
        return True

    def wait(self, *wanted: str, without: str = "", patience: float = 60) -> str:
        """Waits until the screen shows all of `wanted` and not `without`; gives the screen."""

        def shows(_: pyte.Screen) -> bool:
            text = self.text()
            return all(part in text for part in wanted) and (not without or without not in text)

        return self.wait_for(shows, f"{wanted} (without {without!r})", patience)

    def wait_for(self, holds: Callable[[pyte.Screen], bool], what: str = "it", patience: float = 60) -> str:
        """Waits until that holds of the screen; gives its text."""
        end = time.monotonic() + patience
        while not holds(self.screen):
            left = end - time.monotonic()
            assert left > 0, f"{what} did not come; the screen is:\n{self.text()}"
            assert self._read(min(left, 1)) or self.running(), f"the program ended; the screen is:\n{self.text()}"
        return self.text()

    def type(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def running(self) -> bool:
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is None

    def end(self, patience: float = 30) -> int:
        """Waits for the program's end; gives its status."""
        end = time.monotonic() + patience
        while self.running():
            assert time.monotonic() < end, f"it goes on; the screen is:\n{self.text()}"
            self._read(0.1)
        assert self.status is not None
        return self.status

    def close(self) -> None:
        if self.running():
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
