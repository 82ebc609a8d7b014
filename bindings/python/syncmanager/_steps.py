"""A change as the steps that list models of toolkits know: one index, or one range, at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

from .events import Change

#: The list that a model shows, by the name of the collection's attribute.
Shown = Literal["items", "pending", "failed"]


@dataclass(frozen=True)
class Step:
    """What to do to the rows."""

    kind: Literal["insert", "update", "remove", "move", "clear"]
    index: int = 0
    #: Of a move.
    to: int = 0
    #: Of an insert, an update and a move.
    items: tuple[Any, ...] = ()


def is_of(change: Change[Any], shown: Shown) -> bool:
    """Whether the change is one of the list."""
    return change.list == shown or (shown == "items" and change.list in ("channels", "succeeded", "results"))


def steps(change: Change[Any]) -> Iterator[Step]:
    """The steps, to be done in order. Inserts beside each other are one."""
    places = [cast("dict[str, int]", place) for place in change.changes]
    items = list(change.items)
    if change.action == "insert":
        start = 0
        for end in range(1, len(places) + 1):
            if end == len(places) or places[end]["index"] != places[end - 1]["index"] + 1:
                yield Step("insert", places[start]["index"], items=tuple(items[start:end]))
                start = end
    elif change.action == "clear":
        yield Step("clear")
    elif change.action == "remove":
        for place in places:
            yield Step("remove", place["index"])
    elif change.action == "update":
        for place, item in zip(places, items):
            yield Step("update", place["index"], items=(item,))
    else:
        for place, item in zip(places, items):
            yield Step("move", place["from"], place["to"], (item,))
