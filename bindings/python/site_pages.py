"""mkdocs calls this (mkdocs.yml, hooks): the site has the pages of docs/ at the root of the repository, too, and what
is written elsewhere is put where a page asks for it, so that nothing stands twice.

    <!-- actions: add_reaction remove_reaction -->    these sections of docs/actions.md
    <!-- configuration -->                            the keys of sm_setup(), from include/syncmanager.h
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parents[1]
#: Where the pages of docs/ are on the site, and where the package's own lie in the repository.
COMMON = "common/"
OWN = "bindings/python/docs/"
#: In docs/, and of no use here: `index.md` lists files of the repository.
LEFT_OUT = {"index.md"}
ASKED = re.compile(r"^<!-- (actions|configuration)(?:: ([\w ]+))? -->$", re.MULTILINE)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
KEY = re.compile(r'^ \*   ("\w+"(?:, "\w+")*) +(.*)$')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages and pictures of docs/."""
    for path in sorted((ROOT / "docs").iterdir()):
        if path.suffix in (".md", ".svg", ".png", ".sql") and path.name not in LEFT_OUT:
            files.append(File.generated(config, COMMON + path.name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Puts in what the page asks for, and turns links into the repository to links of the site, or to paths."""
    address = page.file.src_uri
    parts = FENCE.split(ASKED.sub(lambda found: asked_for(found[1], found[2], address), markdown))
    for index in range(0, len(parts), 2):  # the others are programs
        parts[index] = LINK.sub(lambda found: of_site(found, address, files), parts[index])
    return "".join(parts)


def asked_for(what: str, names: str | None, address: str) -> str:
    if what == "configuration":
        return configuration()
    found = sections()
    missing = [name for name in (names or "").split() if name not in found]
    if missing:
        raise ValueError(f"{address}: docs/actions.md has no section for {missing}")
    return "\n\n".join(found[name] for name in (names or "").split())


def sections() -> dict[str, str]:
    """Of docs/actions.md, by action; headings become those of a part of another page."""
    text = (ROOT / "docs/actions.md").read_text(encoding="utf-8")
    parts = re.split(r"^#{2,3} `?(\w+)`?$", text, flags=re.MULTILINE)
    pairs = zip(parts[1::2], parts[2::2])
    return {name: f"### {name}\n\n{re.split(r'^## ', body, flags=re.MULTILINE)[0].strip()}" for name, body in pairs}


def configuration() -> str:
    """The keys of sm_setup() as a table."""
    header = (ROOT / "include/syncmanager.h").read_text(encoding="utf-8")
    comment = re.search(r"/\* Opens the cache of one user.*? \* Errors:", header, re.DOTALL)
    if comment is None:
        raise ValueError("include/syncmanager.h: the comment of sm_setup() is not where it was")
    rows: list[list[str]] = []
    for line in comment[0].splitlines():
        if key := KEY.match(line):
            rows.append([key[1], key[2]])
        elif rows and line.startswith(" *    "):
            rows[-1][1] += " " + line[2:].strip()
    table = ["| key | |", "|---|---|"]
    for keys, meaning in rows:
        names = ", ".join(f"`{name}`" for name in re.findall(r"\w+", keys))
        table.append(f"| {names} | {meaning.replace('|', '&#124;')} |")
    return "\n".join(table)


def of_site(found: re.Match[str], address: str, files: Files) -> str:
    picture, label, link = found.groups()
    path, _, anchor = link.partition("#")
    if re.match(r"[a-z]+:", link) or not path:
        return found[0]
    place = "docs/" + address[len(COMMON) :] if address.startswith(COMMON) else OWN + address
    target = posixpath.normpath(posixpath.join(posixpath.dirname(place), path))
    for folder, base in ((OWN, ""), ("docs/", COMMON)):
        uri = base + target[len(folder) :]
        if target.startswith(folder) and files.get_file_from_path(uri) is not None:
            there = posixpath.relpath(uri, posixpath.dirname(address) or ".")
            return f"{picture}[{label}]({there}{'#' + anchor if anchor else ''})"
    name = label.strip("`")
    return f"`{target}`" if name in (target, posixpath.basename(target)) else f"{label} (`{target}`)"
