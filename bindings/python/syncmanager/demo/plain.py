"""What may be drawn of a text from outside; docs/display.md says why."""

from __future__ import annotations

# C0 and C1, which terminals obey, DEL, and what changes the direction of other characters.
_CONTROLS = [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_DRAWN: dict[int, str | None] = {**dict.fromkeys(_CONTROLS), **dict.fromkeys(map(ord, "\t\u2028\u2029"), " ")}


def plain(text: object, newline: str = " ") -> str:
    """The text without what controls a terminal. A tab becomes a space, as do U+2028 and U+2029; a line feed becomes
    ``newline``."""
    return newline.join(line.translate(_DRAWN) for line in str(text).split("\n"))
