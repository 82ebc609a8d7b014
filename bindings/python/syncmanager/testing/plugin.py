"""The pytest plugin: fixture ``syncmanager_server``, marker ``syncmanager_server``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .server import Server


def pytest_configure(config: pytest.Config) -> None:
    """Declares the marker."""
    config.addinivalue_line(
        "markers", "syncmanager_server(*options): options of syncmanager-server for the fixture of that name"
    )


@pytest.fixture
def syncmanager_server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """A chat server for one test, with a database of its own that outlives ``kill`` and ``restart``.

    ``@pytest.mark.syncmanager_server("--huge-gap", "10")`` gives it options. Since 0.1.
    """
    marker = request.node.get_closest_marker("syncmanager_server")
    with Server(*(marker.args if marker else ()), db=tmp_path / "syncmanager-server.db") as server:
        yield server
