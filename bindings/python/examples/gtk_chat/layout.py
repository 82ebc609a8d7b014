"""How the parts of a row stand beside each other.

A horizontal ``Gtk.Box`` around a text that wraps looks for the least width of each height, again and again: 20 ms for a
message of three lines, where this takes one. A list of chat messages cannot afford that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .toolkit import Gdk, Gtk

if TYPE_CHECKING:
    from typing import Any as _LayoutManager
else:
    _LayoutManager = Gtk.LayoutManager


class LineLayout(_LayoutManager):  # type: ignore[misc]
    """Children beside each other. The one that wraps gets its natural width, or what is left of the line; the others
    have theirs always. ``at_end``: all of them stand at the end of the line, in reverse order."""

    def __init__(self, wraps: Any, spacing: int, fills: bool = False) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._wraps, self._spacing, self._fills = wraps, spacing, fills
        self.at_end = False

    def do_get_request_mode(self, _: Any) -> Any:
        """The height depends on the width."""
        return Gtk.SizeRequestMode.HEIGHT_FOR_WIDTH

    def _others(self, line: Any) -> Iterator[tuple[Any, int]]:
        """The other children that are seen, with their widths."""
        child = line.get_first_child()
        while child is not None:
            if child is not self._wraps and child.should_layout():
                yield child, child.measure(Gtk.Orientation.HORIZONTAL, -1).natural
            child = child.get_next_sibling()

    def _rest(self, line: Any, width: int) -> int:
        """The width of the child that wraps."""
        rest = width - sum(other + self._spacing for _, other in self._others(line))
        least, natural, *_ = self._wraps.measure(Gtk.Orientation.HORIZONTAL, -1)
        return int(max(least, rest if self._fills else min(natural, rest)))

    def do_measure(self, line: Any, orientation: Any, for_size: int) -> tuple[int, int, int, int]:
        """The least and the natural size; there is no base line."""
        if orientation == Gtk.Orientation.HORIZONTAL:
            others = sum(width + self._spacing for _, width in self._others(line))
            least, natural, *_ = self._wraps.measure(orientation, -1)
            return least + others, natural + others, -1, -1
        width = self._wraps.measure(Gtk.Orientation.HORIZONTAL, -1).natural if for_size < 0 else for_size
        height = self._wraps.measure(orientation, self._rest(line, width) if for_size >= 0 else width).natural
        for child, other in self._others(line):
            height = max(height, child.measure(orientation, other).minimum)
        return height, height, -1, -1

    def do_allocate(self, line: Any, width: int, height: int, _: int) -> None:
        """Gives each its place."""
        widths = dict(self._others(line))
        place, child = 0, line.get_first_child()
        is_reversed = self.at_end != (line.get_direction() == Gtk.TextDirection.RTL)
        while child is not None:
            if child is self._wraps or child in widths:
                at = Gdk.Rectangle()
                at.width = self._rest(line, width) if child is self._wraps else widths[child]
                at.height = height
                at.x = width - place - at.width if is_reversed else place
                child.size_allocate(at, -1)
                place += at.width + self._spacing
            child = child.get_next_sibling()
