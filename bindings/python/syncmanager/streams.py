"""Streams: sorted, filtered, limited lists of any rows, perhaps in sections, told in batches (docs/streams.md)."""

from __future__ import annotations

import ctypes
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, ClassVar, Literal, TypedDict, cast

from . import errors
from ._calls import Call, ResultDocument
from ._collection import C, Calls, Changes, Collection
from ._core import Core
from ._feeds import Feed
from ._ffi import DESTROY_CALLBACK, STREAM_FUNCTION, describe, encode, lib
from ._results import answer, nothing
from .documents import Condition
from .events import Change, Event, StreamBatch, StreamEvent, StreamLoaded, StreamNotice, StreamRow, StreamStep

logger = logging.getLogger("syncmanager")

#: Decides about a row: whether it is shown, or its section.
RowFunction = Callable[[str, Any], int]


class Row(TypedDict):
    """A row of a stream. Since 0.1."""

    key: str
    item: Any


class StreamSpec(TypedDict, total=False):
    """The keys of a stream; docs/streams.md explains them. Since 0.1."""

    order_by: str
    descending: bool
    start: Any
    end: Any
    limit: int
    predicate: Condition | Literal["$host"]
    limit_after_predicate: int | None
    batch_delay: int | None
    batch_max_wait: int
    delivery: Literal["batch", "delegate"]
    section: int


class _Function:
    """A function of the program in the form that C calls. Kept until C says that it will not be called any more."""

    _kept: ClassVar[set[_Function]] = set()

    def __init__(self, function: RowFunction) -> None:
        self._function = function
        self.call = STREAM_FUNCTION(self._answer)
        self.destroy = DESTROY_CALLBACK(self._gone)
        _Function._kept.add(self)

    def _answer(self, _: Any, key: bytes, item: int, length: int) -> int:
        try:
            return int(self._function(key.decode(), json.loads(ctypes.string_at(item, length))))
        except Exception:
            # The caller is C, so the error can only be logged.
            logger.exception("the function of a stream failed at %r", key)
            return 0

    def _gone(self, _: Any) -> None:
        _Function._kept.discard(self)


class Streams(Collection[StreamNotice]):
    """A stream, without its calls. Since 0.1."""

    def __init__(self, core: Core, source: Any, spec: Mapping[str, Any], function: RowFunction | None) -> None:
        super().__init__(core)
        # Copied as a whole before it changes, so that a reader on another thread finds a valid list.
        self._sections: list[list[Row]] = []
        self._titles: list[str] = []
        #: Whether the first rows are loaded and shown.
        self.loaded = False
        document: dict[str, Any] = {"source": _source(source), **spec}
        kinds = document["source"]
        partition = cast("dict[str, Any]", kinds).get("partition") if isinstance(kinds, dict) else None
        self._titles = list(partition["titles"]) if partition and partition.get("titles") else [""]
        # The paths of a stream with a ``section`` count from that section.
        self._first = int(spec.get("section") or 0)
        self._sections = [[] for _ in self._titles]
        kept = None if function is None else _Function(function)
        call = STREAM_FUNCTION() if kept is None else kept.call
        destroy = DESTROY_CALLBACK() if kept is None else kept.destroy
        self._create(lib.sm_stream_open, encode(document), call, None, destroy)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.number}: {'removed' if self.removed else f'{len(self)} rows'}>"

    def __len__(self) -> int:
        return sum(map(len, self._sections))

    @property
    def titles(self) -> list[str]:
        """The titles of the sections; a stream that is not a partition has one, which is empty."""
        return self._titles.copy()

    @property
    def sections(self) -> list[list[Row]]:
        """The rows of each section, in order: a copy of what is shown now."""
        return [section.copy() for section in self._sections]

    @property
    def rows(self) -> list[Row]:
        """The rows of all sections, one section after the other: a copy of what is shown now."""
        return [row for section in self._sections for row in section]

    def apply(self, change: Change[Any] | StreamEvent) -> Change[Any] | StreamEvent:
        if isinstance(change, StreamBatch):
            moved = cast("list[dict[str, list[int]]]", change.moved)
            if change.reset:
                self._sections = [[] for _ in self._titles]
            self._take_out([row["path"] for row in change.deleted] + [row["from"] for row in moved])
            self._put_in([*change.added, *change.moved])
            self._replace(change.changed)
        elif isinstance(change, StreamStep):
            if change.step == "deleted":
                self._take_out([row["path"] for row in change.rows])
            elif change.step == "added":
                self._put_in(change.rows)
            elif change.step == "changed":
                self._replace(change.rows)
        elif isinstance(change, StreamLoaded):
            self.loaded = change.status == 0
        else:
            return super().apply(change)
        return change

    def _section(self, path: list[int], limit: int) -> list[Row]:
        section = path[0] - self._first
        if not 0 <= section < len(self._sections) or not 0 <= path[1] < len(self._sections[section]) + limit:
            raise errors.InternalError(f"no place {path} in stream {self.number}")
        return self._sections[section]

    def _take_out(self, paths: list[list[int]]) -> None:
        for path in sorted(paths, reverse=True):
            del self._section(path, 0)[path[1]]

    def _put_in(self, rows: Iterable[StreamRow]) -> None:
        for row in sorted(rows, key=lambda row: row["path"]):
            self._section(row["path"], 1).insert(row["path"][1], _row(row))

    def _replace(self, rows: Iterable[StreamRow]) -> None:
        for row in rows:
            self._section(row["path"], 0)[row["path"][1]] = _row(row)

    def full_changes(self, last: Event) -> list[Event]:
        rows: list[StreamRow] = [
            {"path": [self._first + section, index], "key": row["key"], "item": row["item"]}
            for section, shown in enumerate(self._sections)
            for index, row in enumerate(shown)
        ]
        return [StreamBatch(last.seq, last.ts, b"", self.number, True, [], rows, [], [])]

    def on_batch(self, listener: C) -> C:
        """Calls ``listener`` with every batch, after the stream has it, on the thread that drains.

        Can be used as a decorator. What it raises goes to the log ``syncmanager``.
        """
        self._core.listen(self.listeners, _Batches(listener), self)
        return listener

    def batches(self, timeout: float | None = None) -> Feed[StreamBatch]:
        """An iteration over the batches from now on; a blocking one ends when none came for ``timeout`` seconds."""
        return Feed(self._core, self, True, timeout)

    def snapshot(self) -> dict[str, Any]:
        """The library's own copy of ``sections``."""
        return describe(lib.sm_collection_snapshot, self._use())


class _Batches(Changes):
    def __call__(self, event: Event) -> None:
        if isinstance(event, StreamBatch):
            self.listener(event)


class StreamCalls(Calls):
    """The calls on a stream. Since 0.1."""

    def ask(self, request: Mapping[str, Any], read: Callable[[ResultDocument], Any] = answer) -> Call[Any]:
        """Asks something of the stream, given as the document of ``sm_stream_call``; gives its result."""
        return self._begin("stream_call", read, lib.sm_stream_call, encode(request))

    def set_predicate(self, predicate: Condition | Literal["$host"] | None) -> Call[None]:
        """Sets the condition for the rows to show; None shows all. Done when the stream shows them."""
        return self.ask({"action": "set_predicate", "predicate": predicate}, nothing)

    def set_limit(self, limit: int | None) -> Call[None]:
        """Sets how many of the rows that the predicate takes are shown at most. Done when the stream shows them."""
        return self.ask({"action": "set_limit", "limit_after_predicate": limit}, nothing)

    def fetch_more(
        self, count: int | None = None, direction: str | None = None, start: str | float | bool | None = None
    ) -> Call[dict[str, Any]]:
        """Loads ``count`` more rows of channels, messages or the database, or a page; gives ``has_more`` and perhaps
        ``short``. With ``start``, for the database only: until ``count`` rows at or behind that value are loaded."""
        return self.ask({"action": "fetch_more", "count": count, "direction": direction, "start": start})

    def add(self, rows: Mapping[str, Any]) -> Call[None]:
        """Adds rows to a transient stream, by their keys; a key that is there gets the new item."""
        return self.ask({"action": "add", "rows": _rows(rows)}, nothing)

    def drop(self, *keys: str) -> Call[None]:
        """Removes rows of a transient stream; unknown keys are ignored."""
        return self.ask({"action": "remove", "keys": list(keys)}, nothing)

    def reset(self, rows: Mapping[str, Any]) -> Call[None]:
        """Replaces all rows of a transient stream by these, by their keys."""
        return self.ask({"action": "reset", "rows": _rows(rows)}, nothing)

    def find(self, key: str) -> Call[StreamRow | None]:
        """The row of a key, with its ``path``; None when it is not shown."""
        return self.ask({"action": "find", "key": key})

    def item(self, path: Sequence[int]) -> Call[StreamRow | None]:
        """The row at ``[section, row]``, with its ``path``; None when there is none."""
        return self.ask({"action": "item", "path": list(path)})

    def slice(self, start: int, count: int, section: int = 0) -> Call[list[StreamRow]]:
        """At most ``count`` rows of a section, from the row ``start`` on."""
        return self.ask({"action": "slice", "section": section, "from": start, "count": count})

    def first_after(self, key: str, item: Any = None) -> Call[StreamRow | None]:
        """The first row behind the place that ``item`` would have under ``key``; without an item, behind the row of
        that key."""
        return self.ask({"action": "first_after", **_place(key, item)})

    def last_before(self, key: str, item: Any = None) -> Call[StreamRow | None]:
        """The last row before the place that ``item`` would have under ``key``; without an item, before the row of that
        key."""
        return self.ask({"action": "last_before", **_place(key, item)})


def _row(row: StreamRow) -> Row:
    """A row that is shown, so it has an item."""
    return {"key": row["key"], "item": cast("dict[str, Any]", row)["item"]}


def _rows(rows: Mapping[str, Any]) -> list[Row]:
    return [{"key": key, "item": item} for key, item in rows.items()]


def _place(key: str, item: Any) -> dict[str, Any]:
    return {"key": key} if item is None else {"key": key, "item": item}


def _source(source: Any) -> Any:
    """A source as C takes it: streams in it become their numbers."""
    if isinstance(source, Mapping):
        members = cast("Mapping[str, Any]", source)
        return {
            kind: _source(value) if kind in ("union", "partition", "stream") else value
            for kind, value in members.items()
        }
    if isinstance(source, (list, tuple)):
        return [_source(part) for part in cast("Sequence[Any]", source)]
    return source.number if isinstance(source, Streams) else source


__all__ = ["Condition", "Row", "RowFunction", "StreamCalls", "StreamSpec", "Streams"]
