import itertools
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bindings/python"), str(ROOT / "Tests/Schemas"), str(Path(__file__).parent)]
os.environ.setdefault("SYNCMANAGER_LIBRARY", str(ROOT / "build/lib/libsyncmanager.so.0"))

from checked import events_are_valid  # noqa: E402, F401  (a fixture)
from homeserver import Homeserver  # noqa: E402

numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    homeserver = Homeserver(tmp_path_factory.mktemp("synapse"))
    yield homeserver
    homeserver.stop()


@pytest.fixture
def alice(server):
    return server.user(f"alice{next(numbers)}")


@pytest.fixture
def mei(server):
    """The user whose client is the library."""
    return server.user(f"mei{next(numbers)}")
