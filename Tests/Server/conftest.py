"""Black-box tests of syncmanager-server over real HTTP and WebSocket."""

from __future__ import annotations

import pathlib
import sys
from typing import Any, Iterator

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.append(str(pathlib.Path(__file__).parents[1] / "EndToEnd"))  # what both share: edges

from running import Server  # noqa: E402


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    assert running.stop() == 0


@pytest.fixture
def start() -> Iterator[Any]:
    running: list[Server] = []

    def begin(*options: str) -> Server:
        running.append(Server(*options))
        return running[-1]

    yield begin
    for one in running:
        if one.process.poll() is None:
            assert one.stop() == 0
