"""A list on the screen that draws only the rows that are visible."""

from __future__ import annotations

from typing import ClassVar, Protocol

from rich.console import Console
from rich.text import Text
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from .lines import Row
from .view import Place, View

#: Lines of a turn of the mouse's wheel.
WHEEL = 3
#: Makes lines of texts; it writes nowhere.
WRAPPING = Console()


class Rows(Protocol):
    """What a list shows. A row is made when it is drawn."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Row: ...


class Pane(Widget):
    """A list. What is typed goes to the line below the lists, so it has no focus; the mouse chooses and scrolls."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"pane--chosen"}
    DEFAULT_CSS = """
    Pane { height: 1fr; border: round $primary; }
    Pane > .pane--chosen { background: $primary-muted; }
    """

    class Clicked(Message):
        """The mouse has chosen a row."""

        def __init__(self, pane: Pane, index: int) -> None:
            super().__init__()
            self.pane = pane
            self.index = index

    class Scrolled(Message):
        """The window was moved."""

        def __init__(self, pane: Pane, is_at_top: bool, is_at_end: bool) -> None:
            super().__init__()
            self.pane = pane
            self.is_at_top = is_at_top
            self.is_at_end = is_at_end

    def __init__(self, rows: Rows, pane_id: str, is_history: bool = False) -> None:
        super().__init__(id=pane_id)
        self.rows = rows
        self.view = View(is_history)
        # What is drawn since the last change, for this width.
        self._strips: dict[int, list[Strip]] = {}
        self._places: list[Place] | None = None
        self._drawn_for = self.size

    # What is drawn

    def __len__(self) -> int:
        return len(self.rows)

    def __bool__(self) -> bool:
        return True  # a list is there when it is empty, too

    def height(self, index: int) -> int:
        """The lines of a row."""
        return len(self._drawn(index))

    def _drawn(self, index: int) -> list[Strip]:
        if index not in self._strips:
            row = self.rows[index]
            above = [strip for line in row.above for strip in self._wrapped(line)]
            own = self._wrapped(row.line)
            if index == self.view.chosen:
                style = self.get_component_rich_style("pane--chosen")
                own = [strip.apply_style(style) for strip in own]
            self._strips[index] = above + own
        return self._strips[index]

    def _wrapped(self, line: Text) -> list[Strip]:
        width = max(self.size.width, 1)
        options = WRAPPING.options.update(width=width, height=None)
        return [Strip(segments, width) for segments in WRAPPING.render_lines(line, options, pad=True)]

    def places(self) -> list[Place]:
        """The row of each line that is visible, and which of its lines that is."""
        if self._drawn_for != self.size:
            self._forget()
            self._drawn_for = self.size
        if self._places is None:
            self._places = self.view.visible(self, self.size.height)
        return self._places

    def render_line(self, y: int) -> Strip:
        """Draws a line of the window."""
        places = self.places()
        if y >= len(places):
            return Strip.blank(self.size.width)
        index, line = places[y]
        return self._drawn(index)[line]

    def redraw(self) -> None:
        """Draws the rows as they are now, once for however many changes."""
        self._forget()
        self.refresh()

    def _forget(self) -> None:
        self._strips.clear()
        self._places = None

    # What is done with it

    def show(self, index: int) -> None:
        """Moves the window to a row."""
        self._forget()
        self.view.show(self, self.size.height, index)
        self.redraw()

    def choose(self, index: int | None) -> None:
        """Chooses a row, and shows it; or none, and shows where one reads on."""
        self._forget()
        if index is None:
            self.view.leave()
        else:
            self.view.chosen = index
            self.show(index)
        self.redraw()
        self._tell()

    def scroll_lines(self, by: int) -> None:
        """Moves the window by so many lines."""
        self.view.scroll(self, self.size.height, by)
        self.redraw()
        self._tell()

    def _tell(self) -> None:
        places, last = self.places(), len(self.rows) - 1
        is_at_end = not places or places[-1] == (last, self.height(last) - 1)
        self.post_message(self.Scrolled(self, not places or places[0] == (0, 0), is_at_end))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        self.scroll_lines(-WHEEL)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        self.scroll_lines(WHEEL)

    def on_click(self, event: events.Click) -> None:
        """Chooses the row under the mouse."""
        offset = event.get_content_offset(self)
        places = self.places()
        if offset is not None and offset.y < len(places):
            self.post_message(self.Clicked(self, places[offset.y][0]))
