"""What the tests of the terminal chat share: a server with two channels, and the chat in a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
os.environ.setdefault("SYNCMANAGER_LIBRARY", str(ROOT / "build/lib/libsyncmanager.so.0"))
os.environ.setdefault("SYNCMANAGER_SERVER", str(ROOT / "build/bin/syncmanager-server"))
sys.path.insert(0, str(ROOT / "bindings/python"))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [sys.path[0], os.environ.get("PYTHONPATH")]))

from terminal import Terminal  # noqa: E402

from syncmanager.testing import Server  # noqa: E402
from syncmanager.testing.plugin import syncmanager_server  # noqa: E402, F401  (a fixture)


@pytest.fixture
def lunch(syncmanager_server: Server) -> Any:  # noqa: F811
    server: Any = syncmanager_server
    server.mei = server.create_user("mei", "Mei")
    server.create_user("bo", "Bo")
    for url, name in (("plans", "Plans"), ("lunch", "Lunch today")):
        server.create_channel(url, "mei", "bo", name=name)
        server.control("advance_clock", ms=1)
        server.post(url, "bo", f"welcome to {name}")
    return server


@pytest.fixture
def start(lunch: Any, tmp_path: Path) -> Iterator[Any]:
    config = json.dumps(lunch.config(lunch.mei, tmp_path / "data"))
    started: list[Any] = []

    def start(columns: int = 110) -> Any:
        started.append(Terminal([sys.executable, "-m", "syncmanager.demo", config], columns))
        return started[-1]

    yield start
    for terminal in started:
        terminal.close()
