"""Texts from outside, as they may be drawn (docs/display.md)."""

from __future__ import annotations

import time

from syncmanager.demo.attached import instead_of_text
from syncmanager.demo.plain import plain
from syncmanager.demo.words import user_name
from syncmanager.documents import Message, User

#: Of a message so much is laid out: a text of a megabyte would stop the main loop for seconds.
LONGEST, MOST_LINES = 4000, 60


def drawable(text: object) -> str:
    """One line of what may be drawn, in letters that UTF-8 has."""
    return encodable(plain(text))


def encodable(text: str) -> str:
    """Without what a text of GTK cannot hold: halves of letters, and NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def body(text: str) -> tuple[str, int]:
    """The lines of a message that are drawn, and how many letters are left out."""
    lines = text[:LONGEST].split("\n")[:MOST_LINES]
    kept = "\n".join(lines)
    return "\n".join(drawable(line) for line in lines), len(text) - len(kept)


def short(text: str, most: int = 120) -> str:
    """The beginning of a text, in one line."""
    cut = text[: most + 1]
    return drawable(cut if len(text) <= most else cut[:most] + "…")


def name_of(user: User | None) -> str:
    """A user's name within other words: between marks that keep its direction from turning theirs."""
    return f"\u2068{short(user_name(user), 40)}\u2069"


def summary(message: Message | None) -> str:
    """What a message says, in a few words."""
    if message is None:
        return ""
    text = message.get("message")
    return short(text) if text else instead_of_text(message)


def clock(milliseconds: int) -> str:
    """The time of day, where this machine is."""
    return time.strftime("%H:%M", time.localtime(milliseconds / 1000))


def day(milliseconds: int, now: float | None = None) -> str:
    """The day, as people name it."""
    then, today = time.localtime(milliseconds / 1000), time.localtime(now)
    days = _number(today) - _number(then)
    if days in (0, 1):
        return ("Today", "Yesterday")[days]
    words = "%A" if 1 < days < 7 else "%A, %-d %B" if then.tm_year == today.tm_year else "%-d %B %Y"
    return time.strftime(words, then)


def when(milliseconds: int, now: float | None = None) -> str:
    """The time of day, or the day of what is older; short enough for a list."""
    then, today = time.localtime(milliseconds / 1000), time.localtime(now)
    days = _number(today) - _number(then)
    date = "%-d %b" if then.tm_year == today.tm_year else "%-d %b %y"
    words = "%H:%M" if days == 0 else "%a" if 0 < days < 7 else date
    return time.strftime(words, then)


def _number(of: time.struct_time) -> int:
    """Of a day, so that those beside each other differ by one."""
    return round(time.mktime((of.tm_year, of.tm_mon, of.tm_mday, 12, 0, 0, 0, 0, -1)) / 86400)
