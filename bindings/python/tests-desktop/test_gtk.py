"""The list model for GTK, seen through its signals and through a window."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from random_changes import Collection, run

from syncmanager.blocking import SyncManager
from syncmanager.testing import Server

gi: Any = pytest.importorskip("gi")
try:
    gi.require_version("Gtk", "4.0")
except ValueError as error:
    pytest.skip(str(error), allow_module_level=True)
repository: Any = __import__("gi.repository", fromlist=["Gtk", "GLib"])
from syncmanager import gtk  # noqa: E402

PATIENCE = 60
EXAMPLE = Path(__file__).resolve().parents[1] / "examples/desktop/gtk_list.py"


def rows(model: Any) -> list[Any]:
    return [model.get_item(place).item for place in range(model.get_n_items())]


def mirror_of(model: Any) -> list[Any]:
    """A list that is kept by the model's signals alone."""
    mirror = rows(model)

    def changed(model: Any, position: int, removed: int, added: int) -> None:
        fresh = [model.get_item(place).item for place in range(position, position + added)]
        assert position + removed <= len(mirror)
        mirror[position : position + removed] = fresh

    model.connect("items-changed", changed)
    return mirror


@pytest.mark.parametrize("seed", range(3))
def test_the_model_is_the_list_after_each_of_2000_changes(seed: int) -> None:
    collection = Collection()
    model = gtk.ListModel(collection)
    mirror = mirror_of(model)
    for _ in run(collection, 2000, seed):
        assert len(mirror) == len(collection.items)
    assert rows(model) == list(collection.items) == mirror
    assert model.get_item(len(mirror)) is None
    assert len(gtk.ListModel(collection, "pending")._rows) == len(collection.pending) == 200


class Busy:
    """A client that always has events."""

    def __init__(self) -> None:
        self.readable, self._writable = os.pipe()
        os.write(self._writable, b"x")
        self.drained: list[int] = []

    def fileno(self) -> int:
        return self.readable

    def dispatch(self, max_events: int = 0, timeout: float | None = 0) -> int:
        assert timeout == 0
        self.drained.append(max_events)
        return max_events


def test_frames_come_before_events_and_events_come_in_between() -> None:
    GLib, busy, frames = repository.GLib, Busy(), [0]
    client: Any = busy
    source = gtk.attach(client)

    def frame() -> bool:
        frames[0] += 1
        assert busy.drained == []
        return frames[0] < 100

    GLib.idle_add(frame, priority=GLib.PRIORITY_HIGH_IDLE + 20)  # that of drawing
    context = GLib.MainContext.default()
    end = time.monotonic() + PATIENCE
    while len(busy.drained) < 3:
        assert time.monotonic() < end
        context.iteration(True)
    GLib.source_remove(source)
    assert frames == [100]
    assert all(0 < count < 1000 for count in busy.drained)


def test_a_window_shows_a_chat(syncmanager_server: Server, tmp_path: Path) -> None:
    server, Gtk, GLib = syncmanager_server, repository.Gtk, repository.GLib
    if not Gtk.init_check():
        pytest.skip("there is no display")
    mei = server.create_user("mei")
    server.create_user("bo")
    server.create_channel("lunch", "mei", "bo")
    server.post("lunch", "bo", "hello")
    shown: dict[int, str] = {}

    def setup(_: Any, cell: Any) -> None:
        cell.set_child(Gtk.Label())

    def bind(_: Any, cell: Any) -> None:
        shown[cell.get_position()] = cell.get_item().item["message"]
        cell.get_child().set_text(cell.get_item().item["message"])

    factory = Gtk.SignalListItemFactory()
    factory.connect("setup", setup)
    factory.connect("bind", bind)
    with SyncManager(**server.config(mei, tmp_path)) as sm:
        chat = sm.messages("lunch")
        model = gtk.ListModel(chat)
        window = Gtk.Window(child=Gtk.ListView(model=Gtk.NoSelection(model=model), factory=factory))
        window.present()
        source = gtk.attach(sm)
        sm.start.connect()
        chat.start.fetch()

        def until(*texts: str) -> None:
            end = time.monotonic() + PATIENCE
            while [shown.get(place) for place in range(len(texts))] != list(texts) or len(rows(model)) != len(texts):
                assert time.monotonic() < end, shown
                GLib.MainContext.default().iteration(True)

        GLib.timeout_add(100, lambda: True)
        until("hello")
        server.post("lunch", "bo", "noodles?")
        until("hello", "noodles?")
        server.edit("lunch", server.messages("lunch")[0]["message_id"], "hello!")
        until("hello!", "noodles?")
        server.delete("lunch", server.messages("lunch")[0]["message_id"])
        until("noodles?")
        GLib.source_remove(source)
        window.destroy()


def labels(widget: Any) -> list[str]:
    """The texts in a window; its title is empty."""
    found = [widget.get_text()] if isinstance(widget, repository.Gtk.Label) and widget.get_text() else []
    child = widget.get_first_child()
    while child is not None:
        found += labels(child)
        child = child.get_next_sibling()
    return found


def test_the_example(syncmanager_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server, Gtk, GLib = syncmanager_server, repository.Gtk, repository.GLib
    if not Gtk.init_check():
        pytest.skip("there is no display")
    monkeypatch.syspath_prepend(str(EXAMPLE.parent))
    import gtk_list

    mei = server.create_user("mei")
    for name in ("Lunch", "Plans"):
        server.create_channel(name.lower(), "mei", name=name)
    end = time.monotonic() + PATIENCE
    seen: list[list[str]] = []

    def look() -> bool:
        windows = Gtk.Window.get_toplevels()
        window = windows.get_item(windows.get_n_items() - 1)
        seen.append(sorted(labels(window)))
        if seen[-1] != ["Lunch", "Plans"] and time.monotonic() < end:
            return True
        window.close()
        return False

    GLib.timeout_add(20, look)
    gtk_list.main(server.config(mei, tmp_path))
    assert seen[-1] == ["Lunch", "Plans"]
    page = EXAMPLE.parents[2] / "docs/api/desktop.md"
    assert f"```python\n{EXAMPLE.read_text(encoding='utf-8')}```" in page.read_text(encoding="utf-8")
