"""The help screen, and the keys as Textual takes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from .keys import KEYS, table


def bindings() -> Iterator[Binding]:
    """The keys. They come before what the line to write in makes of them."""
    for key in KEYS:
        for name, action in zip(key.keys, key.actions):
            yield Binding(name, action, key.short or key.told, show=bool(key.short), priority=True)


class HelpScreen(ModalScreen[None]):
    """The keys, above the chat."""

    CSS: ClassVar[str] = """
    HelpScreen { align: center middle; }
    #help { width: 102; max-width: 96%; height: auto; max-height: 90%; border: round $primary; padding: 0 1; }
    """

    def compose(self) -> ComposeResult:
        """A box with all of them."""
        with VerticalScroll(id="help") as box:
            box.border_title = "Keys"
            box.border_subtitle = "Escape closes this"
            yield Static(_lines())


def _lines() -> Table:
    lines = Table.grid(padding=(0, 2, 0, 0))
    for keys, told in table():
        lines.add_row(Text(keys, style="bold"), Text(told))
    return lines
