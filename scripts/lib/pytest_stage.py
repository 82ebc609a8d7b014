"""A stage that runs pytest in a virtual environment of its own, and counts."""

import fcntl
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: What the tests of Tests/ and bindings/python need; several stages share the environment build/venv.
NEEDED = ["pytest", "pytest-timeout", "pytest-xdist", "websockets", "jsonschema"]


def count(passed: int, failed: int, skipped: int = 0) -> None:
    print(f"stage: {passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed else 0)


def environment(folder: Path, needed: list[str]) -> Path | None:
    """The Python of a virtual environment that has these packages; None when they cannot be installed."""
    python = folder / "bin" / "python"
    stamp = folder / "installed.txt"
    wanted = "\n".join([sys.version, *needed])
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_name(f".lock-{folder.name}"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the stage beside this one may make the same
        if not stamp.exists() or stamp.read_text() != wanted:
            make = [sys.executable, "-m", "venv", "--clear", folder]
            install = [python, "-m", "pip", "install", "-q", "--retries", "1", *needed]
            for command in (make, install):
                if subprocess.run(command).returncode != 0:
                    return None
            stamp.write_text(wanted)
    return python


def run(python: Path, name: str, arguments: Sequence[str | Path]) -> None:
    """Runs pytest with these arguments and ends with the count of its tests."""
    count(*run_pytest(python, name, arguments))


def run_side_by_side(python: Path, name: str, arguments: Sequence[str | Path], workers: int, unit: str) -> None:
    """The same by so many workers a processor, see `side_by_side`."""
    count(*side_by_side(python, name, arguments, workers, unit))


def side_by_side(
    python: Path, name: str, arguments: Sequence[str | Path], workers: int, unit: str
) -> tuple[int, int, int]:
    """Runs pytest by so many workers a processor, since tests mostly wait; gives how many passed, failed and were
    skipped. What a worker takes at once (`unit`) is a "test", or a "file", whose tests may share what is costly to
    make."""
    number = workers * (os.cpu_count() or 1)
    return run_pytest(
        python, name, ["-n", str(number), "--dist", "loadfile" if unit == "file" else "load", *arguments])


def run_pytest(python: Path, name: str, arguments: Sequence[str | Path]) -> tuple[int, int, int]:
    """How many tests passed, failed and were skipped. What pytest says is printed when it has ended."""
    report = ROOT / "build" / "test" / f"{name}.xml"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    paths = [str(ROOT / "bindings" / "python"), os.environ.get("PYTHONPATH", "")]
    libraries = [str(ROOT / "build" / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    # Thousands of scenarios start a Python host: compiled once, outside the tree, and by no way round a shim.
    environ = dict(
        os.environ,
        PATH=os.pathsep.join([str(python.parent), os.environ.get("PATH", "")]),
        PYTHONPYCACHEPREFIX=str(ROOT / "build" / "pycache"),
        PYTHONPATH=os.pathsep.join(filter(None, paths)),
        LD_LIBRARY_PATH=os.pathsep.join(filter(None, libraries)),
    )
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    ran = subprocess.run(
        [python, "-m", "pytest", "-q", "-ra", "--timeout", "300", "-o", "junit_family=xunit2", "-p",
         "no:cacheprovider", "--rootdir", ROOT, "--junit-xml", report, *arguments],
        cwd=ROOT, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(f"---- pytest {name}\n{ran.stdout}", flush=True)

    passed = failed = skipped = 0
    if report.exists():
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
            elif case.find("skipped") is not None:
                skipped += 1
            else:
                passed += 1
    if ran.returncode != 0 and failed == 0:
        print(f"pytest {name}: exit status {ran.returncode}, and no test that says why")
        failed = 1
    return passed, failed, skipped
