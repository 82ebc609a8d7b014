#!/usr/bin/env python3
"""Writes the manual pages of a header: one, as syncmanager(3), has all of it, and each function has a page of its own.

    manual.py HEADER VERSION DIRECTORY

The header is the manual: its first comment becomes the sections, each declaration with its comment a paragraph. What is
aligned there stays as it is. The library and its pkg-config module are called as the header, with hyphens.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple


def roff(text: str) -> str:
    """Text as it is: backslashes and hyphens are written out, and no line is taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.split("\n"))


def undecorated(comment: str) -> str:
    """A comment's lines without the stars."""
    return "\n".join(re.sub(r"^ \* ?", "", line).rstrip() for line in comment.strip("\n").split("\n")).strip("\n")


def block(text: str) -> list[str]:
    return [".nf", roff(text), ".fi"]


class Manual(NamedTuple):
    """What the pages of one header have in common."""

    header: str
    version: str

    @property
    def library(self) -> str:
        """How a program is linked."""
        name = roff(self.header.replace("_", "-"))
        return f"lib{name} (\\fI\\-l{name}\\fR), \\fIpkg\\-config \\-\\-cflags \\-\\-libs {name}\\fR"

    def head(self, title: str) -> list[str]:
        """The lines that begin a page."""
        return [
            f'.\\" Written by cmake/manual.py from {self.header}.h.',
            # No date: the same bytes every day.
            f'.TH {title.upper()} 3 "" "libsyncmanager {self.version}" "Library functions"', ".nh", ".ad l"]


def sections(comment: str) -> list[str]:
    """The first comment: a title in capitals begins a section."""
    out: list[str] = []
    parts = re.split(r"^([A-Z][A-Z ]+)$", comment, flags=re.MULTILINE)
    introduction = re.sub(r"^Copyright.*\n?", "", parts[0].split("\n", 1)[1], flags=re.MULTILINE).strip("\n")
    out += [".SH DESCRIPTION", *block(introduction)]
    for title, body in zip(parts[1::2], parts[2::2]):
        out += [f".SH {title}", *block(body.strip("\n"))]
    return out


class Group(NamedTuple):
    """Functions that one comment explains."""

    names: list[str]
    code: str
    comment: str

    def page(self, manual: Manual) -> str:
        """Their page."""
        mentioned = dict.fromkeys(re.findall(r"\b(smt?_\w+)\(\)", self.comment))
        whole = dict.fromkeys([manual.header, "syncmanager"])
        see = [f".BR {name} (3)," for name in mentioned if name not in self.names]
        see += [", ".join(f"\\fB{name}\\fR(3)" for name in whole)]
        return "\n".join([
            *manual.head(self.names[0]), ".SH NAME", f"{', '.join(self.names)} \\- {roff(self.summary())}",
            ".SH LIBRARY", manual.library, ".SH SYNOPSIS", ".nf", f"\\fB#include <{manual.header}.h>\\fR", "",
            *("\\fB" + roff(line) + "\\fR" for line in self.code.split("\n")), ".fi",
            ".SH DESCRIPTION", *block(self.comment), ".PP",
            "Where words in capitals are named as errors, they are the constants SM_ERR_...; what results, callbacks",
            "and events are, and which thread may call what, is in",
            ".BR syncmanager (3).", ".SH SEE ALSO", *see]) + "\n"

    def summary(self) -> str:
        """The first words of the comment, for lists of pages."""
        words = re.split(r"[.,:;](?=\s|$)|\(|\s-\s", " ".join(self.comment.split()), maxsplit=1)[0].strip()
        short = textwrap.shorten(words.replace("`", ""), 70, placeholder=" ...")
        return short if short[1:2].isupper() else short[:1].lower() + short[1:]


def declarations(text: str) -> tuple[list[str], list[str], list[Group]]:
    """The page's parts on types and constants, and on functions; and the functions."""
    types: list[str] = []
    functions: list[str] = []
    groups: list[Group] = []
    declaration = re.compile(
        r"(?P<comment>/\*(?:(?!\*/).)*\*/\n)?(?P<code>"
        r"(?:typedef [^;]+;\n)+|enum \{[^}]*\};|#define SM_LATEST [^\n]+|(?:SM_EXPORT [^;]+;\n?)+)", re.DOTALL)
    body = text.split('extern "C" {', 1)[1].split("#ifdef __cplusplus", 1)[0]
    for match in declaration.finditer(body):
        code = match["code"].replace("SM_EXPORT ", "").rstrip("\n")
        comment = undecorated(match["comment"][2:].strip().removesuffix("*/")) if match["comment"] else ""
        found = re.findall(r"\b(smt?_\w+)\s*\(", code) if "SM_EXPORT" in match["code"] else []
        if found:
            groups.append(Group(found, code, comment))
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
    return types, functions, groups


def main() -> int:
    header, directory = Path(sys.argv[1]), Path(sys.argv[3])
    manual = Manual(header.stem, sys.argv[2])
    text = header.read_text()
    first = undecorated(re.match(r"/\*(.*?)\*/", text, re.DOTALL)[1])
    purpose = first.split("\n", 1)[0].split(" - ", 1)[1]
    types, functions, groups = declarations(text)
    names = [name for group in groups for name in group.names]
    others = [".BR syncmanager (3)," if manual.header != "syncmanager" else "", ".BR syncmanager\\-server (1)"]
    page = [
        *manual.head(manual.header),
        ".SH NAME",
        f"{', '.join([manual.header, *names])} \\- {roff(purpose)}",
        ".SH LIBRARY",
        manual.library,
        ".SH SYNOPSIS",
        f".B #include <{manual.header}.h>",
        *sections(first),
        ".SH TYPES AND CONSTANTS",
        *types,
        ".SH FUNCTIONS",
        *functions,
        ".SH SEE ALSO",
        *filter(None, others),
    ]
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{manual.header}.3").write_text("\n".join(page) + "\n")
    for group in groups:
        first_name, *more = group.names
        (directory / f"{first_name}.3").write_text(group.page(manual))
        for name in more:
            (directory / f"{name}.3").write_text(f".so man3/{first_name}.3\n")
    return 0


sys.exit(main())
