"""The list a program shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, cast, overload

from ._pages import PageItems, Unread
from .errors import InternalError
from .events import Change, Item


class LiveList(Sequence[Item], Generic[Item]):
    """Channels or messages in the order to be shown, kept up to date by applying every change that is drained.

    It reads like a list; an item is parsed when it is first read, with the page it came in. It only changes while
    events are drained: in an asyncio program never between two ``await``, in a blocking one while some call waits.
    Iterating goes over the list as it was at the beginning. Do not modify the items. Reading is allowed on any thread.
    Since 0.1.
    """

    __slots__ = ("_cells",)

    def __init__(self) -> None:
        # An item that was read, or (page, place) of one that was not.
        self._cells: list[Any] = []

    def __len__(self) -> int:
        return len(self._cells)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        if isinstance(index, slice):
            return [_read(cell) for cell in self._cells[index]]
        return cast(Item, _read(self._cells[index]))

    def __iter__(self) -> Iterator[Item]:
        return map(_read, self._cells.copy())

    def __reversed__(self) -> Iterator[Item]:
        return map(_read, self._cells[::-1])

    def __eq__(self, other: object) -> bool:
        """Equal to a live list or a list with equal items in the same order."""
        return list(self) == [*cast("Iterable[Any]", other)] if isinstance(other, (LiveList, list)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<LiveList of {len(self)}>"

    def _apply(self, change: Change[Any]) -> LiveList[Item]:
        """Applies one change; returns the items that a ``remove`` took out. Cells are replaced as a whole, so a reader
        on another thread finds a valid list."""
        removed: LiveList[Item] = LiveList()
        cells, action = self._cells, change.action
        places = cast("Sequence[dict[str, Any]]", change.changes)  # each has what its action needs
        if action == "insert":
            fresh = change.items.page.unread() if isinstance(change.items, PageItems) else change.items
            first = places[0]["index"] if places else 0
            if [place["index"] for place in places] == list(range(first, first + len(places))):
                _in_range(change, first, len(cells))
                cells[first:first] = fresh
                return removed
            for place, item in zip(places, fresh):
                _in_range(change, place["index"], len(cells))
                cells.insert(place["index"], item)
        elif action == "update":
            for place, item in zip(places, change.items):
                _in_range(change, place["index"], len(cells) - 1)
                cells[place["index"]] = item
        elif action == "remove":
            for place in places:
                _in_range(change, place["index"], len(cells) - 1)
                removed._cells.append(cells.pop(place["index"]))
        elif action == "move":
            for place, item in zip(places, change.items):
                _in_range(change, place["from"], len(cells) - 1)
                _in_range(change, place["to"], len(cells) - 1)
                del cells[place["from"]]
                cells.insert(place["to"], item)
        elif action == "clear":
            cells.clear()
        else:
            raise InternalError(f"a change of an unknown kind: {action}")
        return removed

    def _copy(self) -> LiveList[Item]:
        copy: LiveList[Item] = LiveList()
        copy._cells = self._cells.copy()
        return copy


def _in_range(change: Change[Any], index: int, limit: int) -> None:
    if not 0 <= index <= limit:
        raise InternalError(f"{change.action} at {index} in a list of collection {change.collection}: past its end")


def _read(cell: Any) -> Any:
    if type(cell) is not tuple:
        return cell
    page, place = cast(Unread, cell)
    return page.items()[place]
