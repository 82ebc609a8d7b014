"""Parts of programs that pages show are those of the programs, which other tests compile and run."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_bot_of_the_page_on_rust() -> None:
    """Indented there: scripts/test takes the page's blocks in fences for programs of their own."""
    program = (ROOT / "bindings/rust/syncmanager/examples/bot.rs").read_text(encoding="utf-8")
    part = re.search(r"^fn answer\(.*?(?=^fn main\()", program, re.MULTILINE | re.DOTALL)
    assert part
    indented = re.sub(r"^(?=.)", "    ", part[0].rstrip(), flags=re.MULTILINE)
    assert indented in (ROOT / "docs/rust.md").read_text(encoding="utf-8")
