"""Which lines of a long list are visible. Only rows in and around the window are measured, however many there are."""

from __future__ import annotations

from typing import Any, Protocol

from ..events import Change

#: A row, and a line in it.
Place = tuple[int, int]


class Heights(Protocol):
    """How many lines each row takes."""

    def __len__(self) -> int: ...
    def height(self, index: int) -> int: ...


def moved(rows: Heights, place: Place, by: int) -> Place:
    """The place so many lines further down (negative: up); not above the first line, nor below the end."""
    index, line = place[0], place[1] + by
    while line < 0 and index > 0:
        index -= 1
        line += rows.height(index)
    line = max(line, 0)
    while index < len(rows) and line >= rows.height(index):
        line -= rows.height(index)
        index += 1
    return (index, line) if index < len(rows) else (len(rows), 0)


class View:
    """A window over the rows. It stays where it is when rows come above it; at the end it follows the end."""

    def __init__(self, is_history: bool) -> None:
        #: Whether the newest is at the end, and what is read stays in place; else the list is read from its top on.
        self._is_history = is_history
        #: Whether more rows are known to come at the end; a window that is there does not follow them then.
        self.has_next = False
        #: The first visible line; None: the window is at the end, and stays there.
        self.top: Place | None = None if is_history else (0, 0)
        #: The row that the user has chosen.
        self.chosen: int | None = None

    def start(self, rows: Heights, height: int) -> Place:
        """The first visible line."""
        if self.top is not None and self.top[0] + height < len(rows):
            self.top = moved(rows, self.top, 0)
            return self.top
        end = moved(rows, (len(rows), 0), -height)
        if self.top is not None and self.top < end:
            return self.top
        self.top = None if self._is_history and not self.has_next else end
        return end

    def visible(self, rows: Heights, height: int) -> list[Place]:
        """What each line of the window shows."""
        index, line = self.start(rows, height)
        places: list[Place] = []
        while index < len(rows) and len(places) < height:
            places.extend((index, one) for one in range(line, rows.height(index)))
            index, line = index + 1, 0
        return places[:height]

    def scroll(self, rows: Heights, height: int, by: int) -> None:
        """Moves the window by so many lines."""
        self.top = moved(rows, self.start(rows, height), by)

    def show(self, rows: Heights, height: int, index: int) -> None:
        """Moves the window as little as it takes to show a row; the begin of one that is higher than the window."""
        start = self.start(rows, height)
        lowest = moved(rows, (index + 1, 0), -height)
        if (index, 0) < start:
            self.top = (index, 0)
        elif lowest > start:
            self.top = min(lowest, (index, 0))

    def leave(self) -> None:
        """Chooses nothing, and shows where the list begins to be read: its end if it follows that, else its top."""
        self.chosen = None
        self.top = None if self._is_history else (0, 0)

    def shift(self, change: Change[Any], offset: int = 0) -> None:
        """Keeps what is chosen and what is at the top, when the list has changed. `offset`: rows before the list."""
        if self.chosen is not None:
            self.chosen = shifted(self.chosen - offset, change, offset)
        if self.top is None or not self._is_history:
            return
        index = shifted(self.top[0] - offset, change, offset)
        if index is not None:
            self.top = (index, self.top[1])
        else:
            self.top = None if change.action == "clear" else (self.top[0], 0)


def shifted(index: int, change: Change[Any], offset: int = 0) -> int | None:
    """Where the row at an index of a list is after the change, counted from `offset` on; None: it is gone."""
    if index < 0:
        return index + offset  # a row of a list before this one
    if change.action == "clear":
        return None
    for place in change.changes:
        at = place.get("index", -1)
        if change.action == "insert" and at <= index:
            index += 1
        elif change.action == "remove":
            if at == index:
                return None
            index -= at < index
        elif change.action == "move":
            index = _after_move(index, place.get("from", -1), place.get("to", -1))
    return index + offset


def _after_move(index: int, start: int, to: int) -> int:
    if index == start:
        return to
    index -= start < index
    return index + (to <= index)
