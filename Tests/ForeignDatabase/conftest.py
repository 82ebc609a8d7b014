"""Clients of the realtime database that nobody here wrote, as they come out of the package index.

Run by scripts/test.d/92-foreign-database in a virtual environment of its own.
"""

from __future__ import annotations

import queue
import sys
from pathlib import Path
from typing import Any, Callable, Iterator

import firebase_admin
import pytest
from firebase_admin import db

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Server"))

from running import Server  # noqa: E402

#: What listeners have heard, one by one.
Heard = queue.Queue


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server("--database-port", "0", "--keep-alive", "1")
    yield running
    assert running.stop() == 0


@pytest.fixture
def url(server: Server) -> str:
    return str(server.ready["database_url"])


@pytest.fixture
def rules(url: str) -> Callable[[Any], None]:
    """Sets the rules of the instance that the clients use, as its administration."""
    import requests

    def put(rules: Any) -> None:
        for name in ("test", "default"):
            answer = requests.put(f"{url}/.settings/rules.json?ns={name}&auth=owner", json={"rules": rules}, timeout=10)
            assert answer.status_code == 200, answer.text

    return put


@pytest.fixture
def app(url: str) -> Iterator[Callable[..., Any]]:
    """Makes an app of firebase-admin with further options, and gives its root."""
    made: list[firebase_admin.App] = []

    def make(**options: Any) -> db.Reference:
        # An address of plain HTTP is an emulator's: no credentials are looked for.
        app = firebase_admin.initialize_app(
            options={"databaseURL": f"{url}?ns=test", **options}, name=f"app {len(made)}")
        made.append(app)
        return db.reference("/", app)

    yield make
    for app in made:
        firebase_admin.delete_app(app)


@pytest.fixture
def root(app: Callable[..., db.Reference]) -> db.Reference:
    return app()
