"""The mutations of docs/dev/simulation.md fit the code: one that does not breaks nothing, and so proves nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_mutation_fits() -> None:
    subprocess.run([ROOT / "scripts/mutation-check", "--fit"], check=True)


def test_every_mutation_stands_in_the_table() -> None:
    listed = subprocess.run([ROOT / "scripts/mutation-check", "--list"], check=True, text=True, capture_output=True)
    page = (ROOT / "docs/dev/simulation.md").read_text(encoding="utf-8")
    missing = [name for name in listed.stdout.split() if f" | {name} | " not in page]
    assert not missing, f"not in the table of docs/dev/simulation.md: {missing}"
