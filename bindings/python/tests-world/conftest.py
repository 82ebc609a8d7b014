"""Tests in a world need the library that has one."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
if "SYNCMANAGER_INSTALLED" not in os.environ:  # else the tests are run on an installed package
    os.environ["SYNCMANAGER_LIBRARY"] = str(ROOT / "build/lib/libsyncmanager-testing.so.0")
    sys.path.insert(0, str(ROOT / "bindings/python"))
