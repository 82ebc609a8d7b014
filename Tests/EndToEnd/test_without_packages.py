"""What a newcomer runs first: it must run where Python has no package but its own."""

import subprocess
import sys

import pytest
from harness import ROOT


@pytest.mark.parametrize(
    "program", ["demo/demo.py", "scripts/test.d/26-examples", "scripts/test.d/27-readme", "scripts/test.d/60-rust"])
def test_it_needs_no_python_package(program):
    """Its imports alone, and without the packages that are installed here."""
    lines = []
    for line in (ROOT / program).read_text(encoding="utf-8").splitlines():
        if line.startswith(("import ", "from ", "sys.path.insert", "ROOT = ")):
            lines.append(line.replace("__file__", repr(str(ROOT / program))))
    assert any("harness" in line for line in lines)
    command = [sys.executable, "-I", "-S", "-c", "\n".join(lines)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
