"""The desktop chat under a test: its window on the display, hands that click and type there (xdotool: what the X server
sends is what a user's mouse and keyboard would send), and eyes that read what the widgets show."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

os.environ.update({"GDK_BACKEND": "x11", "GSETTINGS_BACKEND": "memory", "GTK_A11Y": "none", "ADW_DISABLE_PORTAL": "1"})
os.environ.setdefault("GSK_RENDERER", "cairo")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

gi: Any = pytest.importorskip("gi")
try:
    gi.require_version("Gtk", "4.0")
    gi.require_version("GdkX11", "4.0")
    gi.require_version("Adw", "1")
except ValueError as problem:
    pytest.skip(str(problem), allow_module_level=True)
from gtk_chat.app import ChatApp  # noqa: E402
from gtk_chat.chat import ChatView  # noqa: E402
from gtk_chat.rows import MessageRow  # noqa: E402
from gtk_chat.toolkit import Adw, GLib, Gtk  # noqa: E402
from gtk_chat.window import ChatWindow  # noqa: E402

from syncmanager.documents import Config  # noqa: E402

__import__("gi.repository", fromlist=["GdkX11"])

PATIENCE = 60


def usable() -> str:
    """Why there can be no window; empty when there can."""
    if shutil.which("xdotool") is None:
        return "no xdotool"
    return "" if Gtk.init_check() else "no display"


class Screen:
    """A program with its window, and the hands and eyes for it."""

    def __init__(self, config: Config) -> None:
        Adw.init()
        Gtk.Settings.get_default().set_property("gtk-enable-animations", False)
        self.app = ChatApp(config)
        self.app.application.register(None)
        self.app.application.activate()
        #: Besides the program's own events: a second client, whose events are drained here.
        self.others: list[Any] = []
        self._tick = GLib.timeout_add(20, lambda: True)
        assert self.app.main is not None
        self.main: ChatWindow = self.app.main
        self.until(lambda: self.main.window.get_mapped(), "the window")
        self.point(self.main.window)
        self.hand("windowfocus", str(self._xid(self.main.window)))
        self.until(lambda: self.main.window.is_active(), "the focus")

    def until(self, condition: Callable[[], Any], what: str = "") -> Any:
        """Runs the main loop until the condition holds; gives what it gave."""
        end = time.monotonic() + PATIENCE
        while not (found := condition()):
            assert time.monotonic() < end, f"{what or condition}: not within {PATIENCE} s; shown: {self.texts()}"
            GLib.MainContext.default().iteration(True)
            for other in self.others:
                other.dispatch()
        return found

    def close(self) -> None:
        """Closes the window, as its button does, and waits for the end of the client."""
        self.main.window.close()
        self.until(lambda: self.main.is_closed, "the end")
        self.app.application.quit()
        GLib.source_remove(self._tick)

    # Hands

    def hand(self, *arguments: str) -> None:
        """Lets the X server send events."""
        subprocess.run(["xdotool", *arguments], check=True, timeout=PATIENCE, stdout=subprocess.DEVNULL)

    def _xid(self, widget: Any) -> int:
        return int(widget.get_native().get_surface().get_xid())

    def point(self, widget: Any) -> None:
        """Moves the mouse to the middle of a widget."""
        native = widget.get_native()
        known, place = widget.compute_bounds(native)
        assert known and widget.get_mapped()
        left, top = native.get_surface_transform()
        x, y = place.get_x() + left + place.get_width() / 2, place.get_y() + top + place.get_height() / 2
        self.hand("mousemove", "--window", str(self._xid(widget)), str(int(x)), str(int(y)))

    def click(self, wanted: Any) -> None:
        """Clicks on a widget, once it has its place; or on what a function finds, since lists change their widgets."""

        def placed() -> Any:
            widget: Any = wanted() if callable(wanted) else wanted
            return widget is not None and widget.get_mapped() and widget.get_width() > 0 and widget

        self.until(placed, "something to click")
        self.settle()
        self.point(self.until(placed, "something to click"))
        self.hand("click", "1")

    def settle(self) -> None:
        """Until the frame that is due is drawn: before it, widgets stand where they stood."""
        frames: list[int] = []

        def tick(_: Any, clock: Any) -> bool:
            frames.append(clock.get_frame_counter())
            return len(frames) < 3

        self.main.window.add_tick_callback(tick)
        self.until(lambda: len(frames) >= 3, "frames")

    def type(self, text: str, *keys: str) -> None:
        """Types a text, and then keys by their names."""
        if text:
            self.hand("type", "--delay", "2", text)
        for key in keys:
            self.hand("key", key)

    def write(self, text: str, view: ChatView | None = None) -> None:
        """Writes a message with the keyboard and sends it by Enter."""
        composer = (view or self.chat).composer
        self.click(composer.text)
        self.type(text)
        self.until(lambda: composer.written == text, f"{text!r} in the field")
        assert composer.text.get_visible_rect().height > 10, "nobody sees what is written"
        self.type("", "Return")
        self.until(lambda: composer.written == "", "an empty field")

    def choose(self, text: str, entry: str) -> None:
        """Opens the menu of the message with that text, and clicks an entry."""
        self.click(lambda: button(self.row(text).tools, "More"))
        self.click(lambda: button(self.chat.widget, entry))

    def wheel(self, widget: Any, turn: str, times: int = 10) -> None:
        """Turns the mouse's wheel over a widget: "4" is up, "5" down."""
        self.point(widget)
        self.hand("click", "--repeat", str(times), "--delay", "5", turn)
        self.settle()

    def answer_chooser(self, path: str) -> None:
        """Types a path into the window that asks for one."""
        chooser = self.until(
            lambda: next((one for one in Gtk.Window.list_toplevels() if one is not self.main.window
                          and isinstance(one, Gtk.FileChooserDialog) and one.get_mapped()), None), "the chooser",
        )  # fmt: skip
        self.settle()
        self.hand("windowfocus", str(self._xid(chooser)))
        self.until(chooser.is_active, "the chooser's focus")
        if chooser.get_action() == Gtk.FileChooserAction.OPEN:
            self.type("", "ctrl+l")
        else:
            self.type("", "ctrl+a")
        self.type(path)
        self.settle()
        self.type("", "Return")
        self.until(lambda: not chooser.get_mapped(), "the chooser's end")
        self.hand("windowfocus", str(self._xid(self.main.window)))
        self.until(lambda: self.main.window.is_active(), "the focus")

    # Eyes

    def is_seen(self, widget: Any) -> bool:
        """Whether a part of the widget is in the visible part of its list."""
        around = self.chat.pane.scrolled
        known, place = widget.compute_bounds(around)
        return bool(known and widget.get_mapped() and -place.get_height() < place.get_y() < around.get_height())

    @property
    def chat(self) -> ChatView:
        """The chat that is shown."""
        return self.until(lambda: self.main.chat, "a chat")  # type: ignore[no-any-return]

    def rows(self, view: ChatView | None = None) -> list[MessageRow]:
        """The rows that have widgets, in their order."""
        pane = (view or self.chat).pane
        return [row for _, row in sorted(pane._bound.items(), key=lambda pair: pair[0].get_position())]

    def row(self, text: str, view: ChatView | None = None) -> MessageRow:
        """The row with a text, once there is one."""

        def found() -> Any:
            return next((row for row in self.rows(view) if row.text.get_text() == text), None)

        return self.until(found, text)  # type: ignore[no-any-return]

    def texts(self) -> list[str]:
        """What the rows of the chat say."""
        return [] if self.main.chat is None else [row.text.get_text() for row in self.rows(self.main.chat)]


def walk(widget: Any) -> Iterator[Any]:
    """A widget and all in it, those that are seen."""
    if widget.get_mapped():
        yield widget
        child = widget.get_first_child()
        while child is not None:
            yield from walk(child)
            child = child.get_next_sibling()


def labels(widget: Any) -> list[str]:
    """All words that are seen in a widget."""
    return [part.get_text() for part in walk(widget) if isinstance(part, Gtk.Label)]


def button(widget: Any, name: str) -> Any:
    """The button in a widget with that label or tooltip; None when there is none."""
    for part in walk(widget):
        if isinstance(part, Gtk.Button) and name in (part.get_label(), part.get_tooltip_text(), *labels(part)):
            return part
    return None


def found_label(widget: Any, text: str) -> Any:
    """The label in a widget with that text; None when there is none."""
    return next((one for one in walk(widget) if isinstance(one, Gtk.Label) and one.get_text() == text), None)


__all__ = ["Adw", "Screen", "button", "found_label", "labels", "usable", "walk"]
