import os
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
if "SYNCMANAGER_INSTALLED" not in os.environ:  # else the tests are run on an installed package
    os.environ.setdefault("SYNCMANAGER_LIBRARY", str(ROOT / "build/lib/libsyncmanager.so.0"))
    os.environ.setdefault("SYNCMANAGER_SERVER", str(ROOT / "build/bin/syncmanager-server"))
    sys.path.insert(0, str(ROOT / "bindings/python"))
    # Inherited by the programs that tests start.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [sys.path[0], os.environ.get("PYTHONPATH")]))
    from syncmanager.testing.plugin import syncmanager_server  # noqa: F401  (a fixture)

    sys.path.append(str(ROOT / "Tests/Schemas"))
    from checked import events_are_valid  # noqa: F401  (a fixture)


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "syncmanager_server(*options): options of the server")


@pytest.fixture
def lunch(syncmanager_server: Any) -> Any:
    """A server with a channel of two, ``lunch``; ``mei`` is whose client it is."""
    server = syncmanager_server
    server.mei = server.create_user("mei")
    server.create_user("bo")
    server.create_channel("lunch", "mei", "bo", name="Lunch")
    return server
