"""firebase-admin's own integration suite for the database (Apache-2.0), unmodified, as its project runs it upstream
against the emulator.

The package index has the client but not its integration tests: FIREBASE_ADMIN_SOURCE names a copy of the project's
repository. Nothing of it is kept here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

#: How many tests the suite has had; fewer means that it was not found whole.
COUNT = 41


def test_the_projects_own_suite_passes_whole(server: Any, url: str, tmp_path: Path) -> None:
    source = Path(os.environ.get("FIREBASE_ADMIN_SOURCE", ""))
    if not (source / "integration" / "test_db.py").is_file():
        pytest.skip("FIREBASE_ADMIN_SOURCE names no copy of firebase-admin's repository")
    report = tmp_path / "report.xml"
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junit-xml", report,
         "integration/test_db.py"],
        cwd=source, capture_output=True, text=True, timeout=240,
        env={**os.environ, "FIREBASE_DATABASE_EMULATOR_HOST": url.removeprefix("http://"), "PYTHONPATH": "",
             "PYTHONDONTWRITEBYTECODE": "1"})
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]
    suite = ElementTree.parse(report).getroot().find("testsuite")
    assert suite is not None
    assert int(suite.attrib["tests"]) >= COUNT and suite.attrib["skipped"] == "0", suite.attrib
