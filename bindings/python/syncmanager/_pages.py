"""Pages of items that are parsed when one of them is first read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, overload

from .errors import InternalError

#: A place in a live list that was not read yet: its page, and its place there.
Unread = tuple["Page", int]


_decoder = json.JSONDecoder()


class Page:
    """The items of one change. The whole page is parsed when its first item is read, and the text is freed then."""

    __slots__ = ("_count", "_items", "_start", "_text")

    def __init__(self, text: bytes, start: int, count: int) -> None:
        """The array begins at ``start``; the text after it is not read."""
        self._text = text
        self._start = start
        self._count = count
        self._items: list[Any] | None = None

    def __len__(self) -> int:
        return self._count

    def items(self) -> list[Any]:
        """The parsed items. Several threads may parse at the same time: the result of the last one is kept, and all are
        equal."""
        items = self._items
        if items is None:
            read: list[Any] = _decoder.raw_decode(self._text[self._start :].decode())[0]
            if type(read) is not list or len(read) != self._count:
                raise InternalError(f"a change with {self._count} positions and other items")
            self._items = items = read
            self._text = b""
        return items

    def unread(self) -> list[Unread]:
        """A place for each item."""
        return [(self, index) for index in range(self._count)]


class PageItems(Sequence[Any]):
    """A page as the items of an event."""

    __slots__ = ("page",)

    def __init__(self, page: Page) -> None:
        self.page = page

    def __len__(self) -> int:
        return len(self.page)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self.page.items()[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.page.items())

    def __repr__(self) -> str:
        return f"<{len(self)} items>"
