import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/python"))
sys.path.insert(0, str(Path(__file__).parent))

import harness  # noqa: E402  (sets where the library is)
from checked import events_are_valid  # noqa: E402, F401  (a fixture)


@pytest.fixture(scope="session")
def watch_program(tmp_path_factory):
    return harness.build_watch(tmp_path_factory.mktemp("bin") / "watch")
