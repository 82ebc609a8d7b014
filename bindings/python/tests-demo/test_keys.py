"""The keys of the terminal chat: one table, which the help screen, the command line and the documentation show."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from terminal import Terminal

from syncmanager.demo import keys

PAGE = Path(__file__).resolve().parents[1] / "docs/chat.md"
HELP, ESCAPE, JUMP = "\x1bOP", "\x1b", "\x0b"


def test_the_documentation_has_every_key() -> None:
    _, _, section = PAGE.read_text(encoding="utf-8").partition("\n## Keys\n")
    rows = re.findall(r"^\| `(.+)` \| (.+) \|$", section.partition("\n## ")[0], re.M)
    assert [(key.replace("`", ""), told) for key, told in rows] == keys.table()


def test_the_command_line_tells_them() -> None:
    """Also where there is no Textual, so that one learns what one would get."""
    told = subprocess.run(
        [sys.executable, "-S", "-m", "syncmanager.demo", "--help"], capture_output=True, text=True, check=True)
    assert keys.text() in told.stdout
    without = subprocess.run(
        [sys.executable, "-S", "-m", "syncmanager.demo", "--try"], capture_output=True, text=True, check=False)
    assert without.returncode != 0 and "pip install textual" in without.stderr
    assert subprocess.run([sys.executable, "-S", "-c", "import syncmanager"], check=False).returncode == 0


def test_they_are_shown_above_the_chat(lunch: Any, start: Any) -> None:
    terminal: Terminal = start()
    terminal.wait("Bo welcome to Lunch today", "in sync")
    terminal.type(HELP)
    text = terminal.wait("╭─ Keys ─", "Escape closes this")
    assert all(key in text and told in text for key, told in keys.table())
    # What happens meanwhile is drawn behind it; what is typed does nothing.
    lunch.post("lunch", "bo", "behind the keys")
    terminal.type("nothing" + JUMP)
    terminal.type(ESCAPE)
    terminal.wait("Bo behind the keys", "Write a message", without="─ Keys ─")
    terminal.type(HELP)
    terminal.wait("╭─ Keys ─")
    terminal.type(HELP)
    terminal.wait("Write a message", without="─ Keys ─")
