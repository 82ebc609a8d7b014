"""The terminal chat with ten thousand messages, through a terminal: as quick as with ten, wherever one reads."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest
from terminal import Terminal

from syncmanager.testing import Server

FIRST, NEWEST, PAGE_UP = "\x1b[1;5H", "\x1b[1;5F", "\x1b[5~"
COUNT = 10_000


@pytest.mark.parametrize("held", [1000, 20_000])
def test_ten_thousand_messages(syncmanager_server: Server, tmp_path: Path, held: int) -> None:
    """The collection holds all of them, or so few that what is scrolled away from is let go, and comes again."""
    mei = syncmanager_server.create_user("mei", "Mei")
    syncmanager_server.create_user("bo", "Bo")
    syncmanager_server.create_channel("long", "mei", "bo", name="Long")
    syncmanager_server.post_many("long", "bo", COUNT)
    config = syncmanager_server.config(mei, tmp_path / "data", message_collection_capacity=held)
    terminal = Terminal([sys.executable, "-m", "syncmanager.demo", json.dumps(config)])
    try:
        terminal.wait(f"message {COUNT}", f"in sync, {COUNT} messages cached")
        terminal.type(PAGE_UP)
        terminal.wait("below: ctrl+end", without=f"message {COUNT}")
        terminal.type(FIRST)
        terminal.wait("Bo message 1 ", "──── new ────")
        syncmanager_server.post("long", "bo", "while the first is read")
        begun = time.monotonic()
        terminal.type("keystroke")
        terminal.wait("▊  keystroke", "Bo message 1 ")
        assert time.monotonic() - begun < 5, "a key waits for what is not visible"
        terminal.type("\x15" + NEWEST)
        terminal.wait("Bo while the first is read", f"message {COUNT}")
    finally:
        terminal.close()
