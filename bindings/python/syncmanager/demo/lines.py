"""Channels and messages as lines of the terminal."""

from __future__ import annotations

import time
from dataclasses import dataclass

from rich.text import Text

from ..collections import snippet_spans
from ..documents import Channel, Message, SearchResult
from .attached import file_lines, instead_of_text, poll_lines
from .plain import plain
from .words import channel_name, is_own, reached, user_name

#: Between the lines of one message: as wide as the time.
LINE = "\n      "
#: Letters of a message that a reply shows of it.
QUOTED = 60


@dataclass(frozen=True)
class Row:
    """A row of a list."""

    line: Text
    #: Lines above it that are no part of it.
    above: tuple[Text, ...] = ()


def channel_line(channel: Channel, me: str, is_shown: bool) -> Text:
    """A channel as a line: its name, who types, how many messages are unread."""
    line = Text(channel_name(channel, me), style="reverse" if is_shown else "", no_wrap=True, overflow="ellipsis")
    if channel.get("typing_members"):
        line.append(" …", style="italic green")
    unread = channel.get("unread_message_count", 0)
    if unread:
        line.append(f" ({unread})", style="bold yellow")
    return line


def receipt(message: Message, channel: Channel | None, me: str) -> str:
    """How far an own message has come: sent, delivered to all others, read by some, read by all."""
    state, readers = reached(message, channel, me)
    if state == "read":
        return " ✓✓ read"
    if readers:
        return f" ✓✓ read by {readers}"
    return " ✓✓" if state == "delivered" else " ✓"


def message_line(message: Message, channel: Channel | None, me: str, progress: str = "") -> Text:
    """A message as lines: what it answers, when, who, what, its state, its files and poll, reactions and thread."""
    line = Text()
    told = message.get("parent_message_info")
    if told is not None:
        said = plain(told.get("message") or "(a file)")
        cut = said if len(said) <= QUOTED else said[:QUOTED] + "…"
        line.append(f"      ┌ {user_name(told.get('user'))}: {cut}\n", style="dim italic")
    line.append(time.strftime("%H:%M ", time.localtime(message["created_at"] / 1000)), style="dim")
    line.append(user_name(message.get("user")), style="bold cyan")
    # Further lines are set in, so that none looks like a message of somebody else.
    line.append(f" {plain(message.get('message') or instead_of_text(message), LINE)}")
    if message.get("updated_at"):
        line.append(" (edited)", style="dim")
    status = message.get("status")
    if status in ("pending", "sent"):
        line.append(" (sending)", style="yellow")
    elif status:
        line.append(" (not sent)", style="red")
    elif is_own(message, me):
        line.append(receipt(message, channel, me), style="dim green")
    for words, style in (*file_lines(message, progress), *poll_lines(message.get("poll"))):
        line.append(LINE + words, style=style)
    _append_answers(line, message, me)
    return line


def _append_answers(line: Text, message: Message, me: str) -> None:
    """What others made of the message, on a line of its own."""
    parts: list[tuple[str, str]] = []
    for reaction in message.get("reactions", []):
        users = reaction.get("user_ids", [])
        parts.append((f"{plain(reaction['key'])} {len(users)}", "bold" if me in users else "dim"))
    replies = message.get("thread_info", {}).get("reply_count", 0)
    if replies:
        parts.append((f"↳ {'1 reply' if replies == 1 else f'{replies} replies'}", "blue"))
    for number, (text, style) in enumerate(parts):
        line.append(LINE if number == 0 else "  ")
        line.append(text, style=style)


def result_line(found: SearchResult, channel: str) -> Text:
    """A message that was found: when, where, who, and around the words that were looked for, which stand out."""
    message, text = found["message"], found["snippet"]["text"]
    line = Text(time.strftime("%d %b %Y %H:%M ", time.localtime(message["created_at"] / 1000)), style="dim")
    line = Text.assemble(line, (channel, "bold"), "  ", (user_name(message.get("user")), "bold cyan"), " ")
    end = 0
    for start, stop in snippet_spans(found):  # places in the text as it is, so each part is made harmless by itself
        line.append(plain(text[end:start]))
        line.append(plain(text[start:stop]), style="bold yellow")
        end = stop
    return line.append(plain(text[end:]))


def rule(words: str, style: str) -> Text:
    """A line between messages."""
    return Text(f"──── {words} ────", style=style, justify="center", no_wrap=True)
