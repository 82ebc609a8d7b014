"""docs/how-big.md has the figures of docs/dev/performance.md, which its own commands write."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UNIT = r"(?:µs|ms|MB|kB|bytes(?: of files)?|messages/s|pages/s|factor)"
#: "22.8 MB → 23.4 MB", "27 to 34 µs", "84,650 messages/s", "1.28 times": what was measured. "100 messages a second" is
#: not: it says what was done.
FIGURE = re.compile(rf"\d[\d,.]*(?: {UNIT})? (?:→|to) \d[\d,.]* {UNIT}|\d[\d,.]* {UNIT}"
                    r"|factor of \d[\d.]+|\d[\d.]+ times")


def figures() -> list[str]:
    page = (ROOT / "docs/how-big.md").read_text(encoding="utf-8").partition("## Bounds")[0]
    cells = [line.split("|")[2] for line in page.splitlines() if line.startswith("| ") and "| command |" not in line]
    found = [figure for cell in cells for figure in FIGURE.findall(cell)]
    return [re.sub(r"^factor of | times$| bytes of files$", "", figure) for figure in found]


def test_every_figure_was_measured() -> None:
    measured = (ROOT / "docs/dev/performance.md").read_text(encoding="utf-8")
    assert len(figures()) >= 30
    missing = [figure for figure in figures() if not re.search(rf"(?<![\d.,]){re.escape(figure)}", measured)]
    assert not missing, f"not in docs/dev/performance.md: {missing}"


def test_every_command_is_there() -> None:
    page = (ROOT / "docs/how-big.md").read_text(encoding="utf-8")
    commands = set(re.findall(r"`(benchmarks/\w+(?:\.py)?)`", page))
    assert len(commands) >= 5
    assert not [command for command in commands if not (ROOT / command).is_file()]
