"""Names, times and states in words, as every program with a screen needs them; nothing here draws."""

from __future__ import annotations

import time
from typing import Literal

from ..documents import Channel, Message, User
from .plain import plain

#: Members named where a channel has no name of its own.
NAMED = 4


def _visible(text: str | None) -> str:
    """A name as it may be drawn; empty when nothing of it would be seen (spaces, characters without width)."""
    drawn = plain(text or "")
    return drawn if any(letter.isprintable() and not letter.isspace() for letter in drawn) else ""


def user_name(user: User | None) -> str:
    """The name of a user, as it may be drawn; never empty."""
    return "?" if user is None else _visible(user.get("nickname")) or _visible(user["user_id"]) or "?"


def channel_name(channel: Channel, me: str) -> str:
    """The name of a channel, as it may be drawn; of one without a name, those of its other members."""
    name = _visible(channel.get("name"))
    others = [user_name(member) for member in channel.get("members", []) if member["user_id"] != me]
    if not name and others:
        more = f" +{len(others) - NAMED}" if len(others) > NAMED else ""
        name = ", ".join(others[:NAMED]) + more
    return name or plain(channel["channel_url"])


def counted(number: int, one: str) -> str:
    """A number of things."""
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def key_of(message: Message) -> str:
    """What tells a message apart from those that are shown beside it."""
    return f"r{message.get('request_id')}" if "status" in message else f"m{message['message_id']}"


def is_own(message: Message, me: str) -> bool:
    """Whether the message is the user's."""
    sender = message.get("user")
    return sender is not None and sender["user_id"] == me


def reached(message: Message, channel: Channel | None, me: str) -> tuple[Literal["sent", "delivered", "read"], int]:
    """How far an own message has come: sent, delivered to all others, read by all others; and how many have read it."""
    if channel is None:
        return "sent", 0

    def others(times: dict[str, int]) -> list[bool]:
        return [time >= message["created_at"] for user, time in times.items() if user != me]

    read, delivered = others(channel.get("read_receipt", {})), others(channel.get("delivery_receipt", {}))
    if read and all(read):
        return "read", len(read)
    return "delivered" if any(read) or (delivered and all(delivered)) else "sent", sum(read)


def day_of(message: Message) -> str:
    """The day of a message, where this machine is."""
    return time.strftime("%A, %d %B %Y", time.localtime(message["created_at"] / 1000))
