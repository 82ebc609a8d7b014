import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
os.environ.setdefault("SYNCMANAGER_LIBRARY", str(ROOT / "build/lib/libsyncmanager.so.0"))
os.environ.setdefault("SYNCMANAGER_SERVER", str(ROOT / "build/bin/syncmanager-server"))
sys.path.insert(0, str(ROOT / "bindings/python"))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [sys.path[0], os.environ.get("PYTHONPATH")]))

from syncmanager.testing.plugin import pytest_configure, syncmanager_server  # noqa: E402, F401  (its marker, a fixture)
