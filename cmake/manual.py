#!/usr/bin/env python3
"""Writes the manual page syncmanager(3) from the header, and for each function a page that leads to it.

    manual.py HEADER DIRECTORY

The header is the manual: its first comment becomes the sections, each declaration with its comment a paragraph. What is
aligned there stays as it is.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path


def roff(text: str) -> str:
    """Text as it is: backslashes and hyphens are written out, and no line is taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def undecorated(comment: str) -> str:
    """A comment's lines without the stars."""
    return "\n".join(re.sub(r"^ \* ?", "", line).rstrip() for line in comment.strip("\n").split("\n")).strip("\n")


def block(text: str) -> list[str]:
    return [".nf", roff(text), ".fi"]


def sections(comment: str) -> list[str]:
    """The first comment: a title in capitals begins a section."""
    out: list[str] = []
    parts = re.split(r"^([A-Z][A-Z ]+)$", comment, flags=re.MULTILINE)
    introduction = re.sub(r"^Copyright.*\n?", "", parts[0].split("\n", 1)[1], flags=re.MULTILINE).strip("\n")
    out += [".SH DESCRIPTION", *block(introduction)]
    for title, body in zip(parts[1::2], parts[2::2]):
        out += [f".SH {title}", *block(body.strip("\n"))]
    return out


def declarations(text: str) -> tuple[list[str], list[str], list[str]]:
    """The page's parts on types and constants, and on functions; and the functions' names."""
    types: list[str] = []
    functions: list[str] = []
    names: list[str] = []
    declaration = re.compile(
        r"(?P<comment>/\*(?:(?!\*/).)*\*/\n)?(?P<code>"
        r"(?:typedef [^;]+;\n)+|enum \{[^}]*\};|#define SM_LATEST [^\n]+|(?:SM_EXPORT [^;]+;\n?)+)", re.DOTALL)
    body = text.split('extern "C" {', 1)[1].split("#ifdef __cplusplus", 1)[0]
    for match in declaration.finditer(body):
        code = match["code"].replace("SM_EXPORT ", "").rstrip("\n")
        comment = undecorated(match["comment"][2:].strip().removesuffix("*/")) if match["comment"] else ""
        found = re.findall(r"\b(sm_\w+)\s*\(", code) if "SM_EXPORT" in match["code"] else []
        names += found
        out = functions if found else types
        if found:
            out.append(f".SS {', '.join(found)}")
        else:
            out.append(".PP")
        out += [".nf", *("\\fB" + roff(line) + "\\fR" for line in code.split("\n")), ".fi"]
        if comment:
            out += [".RS 2", *block(comment), ".RE"]
        if not found:
            out.append(".PP")
    return types, functions, names


def main() -> int:
    header, directory = Path(sys.argv[1]), Path(sys.argv[2])
    text = header.read_text()
    version = ".".join(re.search(rf"^#define SM_VERSION_{part} (\d+)$", text, re.MULTILINE)[1]
                       for part in ("MAJOR", "MINOR", "PATCH"))
    first = undecorated(re.match(r"/\*(.*?)\*/", text, re.DOTALL)[1])
    types, functions, names = declarations(text)
    page = [
        '.\\" Written by cmake/manual.py from syncmanager.h.',
        f'.TH SYNCMANAGER 3 "" "libsyncmanager {version}" "Library functions"',  # no date: the same bytes every day
        ".nh",
        ".ad l",
        ".SH NAME",
        f"syncmanager, {', '.join(names)} \\- offline\\-first chat for any host language",
        ".SH LIBRARY",
        "libsyncmanager (\\fI\\-lsyncmanager\\fR), \\fIpkg\\-config \\-\\-cflags \\-\\-libs syncmanager\\fR",
        ".SH SYNOPSIS",
        ".B #include <syncmanager.h>",
        *sections(first),
        ".SH TYPES AND CONSTANTS",
        *types,
        ".SH FUNCTIONS",
        *functions,
        ".SH SEE ALSO",
        ".BR syncmanager\\-server (1)",
    ]
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "syncmanager.3").write_text("\n".join(page) + "\n")
    for name in names:
        (directory / f"{name}.3").write_text(".so man3/syncmanager.3\n")
    return 0


sys.exit(main())
