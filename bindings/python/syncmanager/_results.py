"""The results of calls, typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from ._calls import ResultDocument
from .documents import Channel, Message
from .events import Short


@dataclass(frozen=True)
class Page:
    """How a fetch ended. Since 0.1."""

    #: Whether a further fetch in that direction may bring more.
    has_more: bool
    #: Why the page is short though there may be more, or None.
    short: Short | None


@dataclass(frozen=True)
class Around:
    """How a load around the viewpoint ended. Since 0.1."""

    #: Whether a fetch of older messages may bring more.
    has_previous: bool
    #: Whether a fetch of newer messages may bring more.
    has_next: bool
    #: Why the page is short, or not the service's, or None.
    short: Short | None


@dataclass(frozen=True)
class Stored:
    """The result of a call on a message that the library keeps and the service does not have. Since 0.1."""

    request_id: str | None


def page(result: ResultDocument) -> Page:
    return Page(result["has_more"], result.get("short"))


def around(result: ResultDocument) -> Around:
    return Around(result["has_previous"], result["has_next"], result.get("short"))


def message(result: ResultDocument) -> Message:
    return cast(Message, result["message"])


def stored(result: ResultDocument) -> Stored:
    return Stored(result.get("request_id"))


def edited(result: ResultDocument) -> Message | Stored:
    return message(result) if "message" in result else stored(result)


def count(result: ResultDocument) -> int:
    return int(result["count"])


def channel(result: ResultDocument) -> Channel:
    return cast(Channel, result["channel"])


def nothing(_: ResultDocument) -> None:
    return None


def answer(result: ResultDocument) -> Any:
    return result.get("result")
