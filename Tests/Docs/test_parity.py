"""docs/dev/parity.md names what there is: every file, function, scenario and test in it exists."""

from __future__ import annotations

import re
import subprocess
from fnmatch import filter as matching
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARITY = ROOT / "docs/dev/parity.md"
#: What stands in the last column instead of names.
NO_PROOF = re.compile(r"^(not done|not applicable): \S.*$")
#: What stands before the names of tests that do not show the item as the peers have it; "where" says why not.
BUT = re.compile(r"^(deliberate|partly): ")
#: The groups of the peers' items, and how many items each has.
GROUPS = {"A": 21, "B": 12, "C": 17, "D": 7, "E": 34, "F": 26, "G": 9, "H": 61, "I": 50, "J": 12, "K": 14, "L": 15,
          "M": 34, "N": 51, "O": 10, "P": 30, "Q": 7, "R": 33, "S": 14, "T": 44, "U": 21, "V1": 40, "V2": 20, "W": 16,
          "X": 21, "Y1": 39, "Y2": 15, "Z": 8}
TESTS = ("Tests", "bindings/python/tests", "bindings/rust", "scripts/test.d")


def rows() -> list[tuple[str, str, str]]:
    """Item, where, shown by."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in PARITY.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert all(len(row) == 3 for row in cells), [row for row in cells if len(row) != 3]
    return [tuple(row) for row in cells if row[0] != "item"]


@lru_cache(maxsize=1)
def proofs() -> set[str]:
    """Names of scenarios, test files and stages, with and without suffix, and of test functions."""
    files = [ROOT / name for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *TESTS],
        cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()]
    found = set()
    for file in files:
        # As in "SimulationTests", a folder of tests has one target.
        found |= {file.name, file.stem, file.parent.name}
        if file.suffix in (".py", ".swift"):
            text = file.read_text(encoding="utf-8")
            found |= set(re.findall(r"^\s*(?:async )?(?:def|(?:\w+ )*func) (test\w+)\(", text, re.MULTILINE))
    return found


@lru_cache(maxsize=1)
def places() -> set[str]:
    """Functions and keys that hosts use, and Swift files."""
    header = (ROOT / "include/syncmanager.h").read_text(encoding="utf-8")
    queries = (ROOT / "docs/queries.md").read_text(encoding="utf-8")
    return (set(re.findall(r"\bsm_\w+", header)) | set(re.findall(r'"[a-z_]+"', header))
            | {f'"{key}"' for key in re.findall(r"`([a-z_]+)`", queries)}
            | {file.stem for file in (ROOT / "Sources").rglob("*.swift")})


def test_it_is_whole():
    found: dict[str, int] = {}
    group = ""
    for line in PARITY.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"## (?:([A-Z]\d?)\. )?", line):
            group = heading[1] or ""
        elif group and line.startswith("| ") and not line.startswith("| item |"):
            found[group] = found.get(group, 0) + 1
    assert found == GROUPS
    assert sum(GROUPS.values()) == 681
    assert len(rows()) > sum(GROUPS.values())  # what the library has besides stands behind them


def fault(item: str, where: str, shown: str) -> str | None:
    if not item or not shown:
        return "an empty cell"
    for name in re.findall(r"`([^`]+)`", where):
        if name not in places() and re.match(r'^("|sm_|[A-Z])', name):
            return f"there is no {name}"
    if NO_PROOF.match(shown):
        return None
    if BUT.match(shown):
        if len(where) < 10:
            return "does not say what is otherwise, or missing"
        shown = BUT.sub("", shown)
    names = re.findall(r"`([^`]+)`", shown)
    if ", ".join(f"`{name}`" for name in names) != shown:
        return f"neither names nor a known reason: {shown}"
    missing = [name for name in names if not matching(proofs(), name)]
    return f"there is no test {missing}" if missing else None


def test_every_line_says_where_and_by_what():
    faults = {row[0]: found for row in rows() if (found := fault(*row))}
    assert faults == {}
