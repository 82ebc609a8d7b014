"""Every link of every page leads to a file or heading of this tree, and every page for users is in docs/index.md."""

from __future__ import annotations

import re
import subprocess
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: What stands in code is no link.
CODE = re.compile(r"^```.*?^```$|^    [^\n]*$|(?<!\[)`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def pages() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            cwd=ROOT, check=True, capture_output=True, text=True)
    return sorted(ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists())


def links(page: Path) -> list[str]:
    return LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))


@lru_cache(maxsize=None)
def anchors(page: Path) -> set[str]:
    """Of the headings, as forges and mkdocs make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(text))
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def fault(page: Path, link: str) -> str | None:
    if re.match(r"[a-z]+:", link):
        return None  # of the web: not asked for, since tests need no network
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if ROOT != target and ROOT not in target.parents:
        return f"{link} leads out of the tree"
    if not target.exists():
        return f"there is no {link}"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return f"{path or page.name} has no heading #{anchor}"
    return None


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    faults = [found for link in links(page) if (found := fault(page, link))]
    assert not faults


def test_a_broken_link_is_found() -> None:
    readme = ROOT / "README.md"
    assert fault(readme, "docs/there-is-no-such-page.md")
    assert fault(readme, "docs/c.md#there-is-no-such-heading")
    assert fault(readme, "docs/which-service.md#your-own") is None


def test_the_index_has_every_page() -> None:
    index = ROOT / "docs/index.md"
    named = {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}
    missing = [page.name for page in (ROOT / "docs").glob("*.md") if page not in named | {index}]
    assert not missing


def test_the_readme_fits_one_screen() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 50
