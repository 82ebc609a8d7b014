"""What may be drawn of a text from outside; docs/display.md says why."""

from __future__ import annotations

# C0 and C1, which terminals obey, DEL, and what turns the direction of all that follows.
_CONTROLS = [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_DRAWN: dict[int, str | None] = {**dict.fromkeys(_CONTROLS), ord("\t"): " ", ord("\n"): " "}


def plain(text: object, newline: str = " ") -> str:
    """The text without what controls a terminal. A tab becomes a space, an end of line becomes ``newline``."""
    return newline.join(line.translate(_DRAWN) for line in str(text).split("\n"))
