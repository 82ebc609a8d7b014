"""Small windows over the large one: what to do with a message, which reaction, which file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .toolkit import Gdk, Gtk, box, later

REACTIONS = ("👍", "❤️", "😂", "🎉", "😮", "🙏")


def _popover(parent: Any, button: Any, child: Any) -> Any:
    """A popover at a button. It belongs to the parent, which outlives the rows of a list."""
    popover = Gtk.Popover(child=child)
    popover.set_parent(parent)
    found, place = button.compute_bounds(parent)
    if found:
        at = Gdk.Rectangle()
        at.x, at.y = int(place.get_x()), int(place.get_y())
        at.width, at.height = int(place.get_width()), int(place.get_height())
        popover.set_pointing_to(at)
    popover.connect("closed", lambda closed: later(closed.unparent))
    return popover


def show_menu(parent: Any, button: Any, entries: Sequence[tuple[str, Callable[[], object]]]) -> Any:
    """Shows entries; the one that is clicked is done."""
    column = box(vertical=True)
    popover = _popover(parent, button, column)
    popover.add_css_class("menu")

    def chosen(_: Any, action: Callable[[], object]) -> None:
        popover.popdown()
        later(action)

    for words, action in entries:
        entry = Gtk.Button(child=Gtk.Label(label=words, xalign=0), css_classes=["flat", "entry"])
        entry.connect("clicked", chosen, action)
        column.append(entry)
    popover.popup()
    return popover


def choose_reaction(parent: Any, button: Any, chosen: Callable[[str], object]) -> Any:
    """Shows some reactions, and all emoji behind the last button."""
    row = box(spacing=2)
    popover = _popover(parent, button, row)

    def picked(_: Any, key: str) -> None:
        popover.popdown()
        chosen(key)

    for key in REACTIONS:
        choice = Gtk.Button(label=key, css_classes=["flat", "circular", "reaction"])
        choice.connect("clicked", picked, key)
        row.append(choice)
    more = Gtk.MenuButton(icon_name="view-more-horizontal-symbolic", css_classes=["flat", "circular"])
    more.set_popover(Gtk.EmojiChooser())
    more.get_popover().connect("emoji-picked", picked)
    row.append(more)
    popover.popup()
    return popover


def ask_path(window: Any, title: str, accept: str, action: Any, chosen: Callable[[str], object], name: str = "") -> Any:
    """Asks for the path of a file."""
    chooser = Gtk.FileChooserNative(title=title, accept_label=accept, action=action, transient_for=window, modal=True)
    if name:
        chooser.set_current_name(name)

    def answered(_: Any, response: int) -> None:
        file = chooser.get_file() if response == Gtk.ResponseType.ACCEPT else None
        chooser.destroy()
        if file is not None and file.get_path() is not None:
            chosen(file.get_path())

    chooser.connect("response", answered)
    chooser.show()
    return chooser
