"""Lists for GTK 4: a ``Gio.ListModel`` over channels, messages or results, for ``Gtk.ListView`` and its kin.

    channels = sm.channels()
    model = gtk.ListModel(channels)             # its rows have ``item``, the channel
    gtk.attach(sm)                              # a blocking client: the main loop drains its events
    channels.start.fetch()
    view = Gtk.ListView(model=Gtk.NoSelection(model=model), factory=factory)

Needs PyGObject (Debian: python3-gi, gir1.2-gtk-4.0). Since 0.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._steps import Shown, is_of, steps
from .blocking import SyncManager
from .events import Change

if TYPE_CHECKING:
    # To a type checker the model is whatever the program's own stubs want it to be.
    from typing import Any as _ListModel
    from typing import Any as _Object

    GLib: Any = None
else:
    from gi.repository import GLib
    from gi.repository.Gio import ListModel as _ListModel
    from gi.repository.GObject import Object as _Object


# Events taken before the main loop looks for what is more urgent.
_AT_ONCE = 64


class Row(_Object):  # type: ignore[misc]
    """A row of the model. Since 0.1."""

    def __init__(self, item: Any) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        #: The channel, message or result.
        self.item = item


class ListModel(_Object, _ListModel):  # type: ignore[misc]
    """The list of a collection: ``items``, ``pending`` or ``failed``. Every change of it is told as ``items-changed``,
    index for index, when it is drained; a row that was updated or moved is a new object. Since 0.1."""

    def __init__(self, collection: Any, shown: Shown = "items") -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._shown: Shown = shown
        #: What it shows; it lives as long as the model.
        self.collection = collection
        self._rows = [Row(item) for item in getattr(collection, shown)]
        collection.on_change(self._changed)

    def do_get_item_type(self) -> Any:
        """Rows."""
        return Row.__gtype__

    def do_get_n_items(self) -> int:
        """How many there are."""
        return len(self._rows)

    def do_get_item(self, position: int) -> Row | None:
        """The row at a position."""
        return self._rows[position] if position < len(self._rows) else None

    def _changed(self, change: Change[Any]) -> None:
        if not is_of(change, self._shown):
            return
        rows = self._rows
        for step in steps(change):
            fresh = [Row(item) for item in step.items]
            if step.kind == "insert":
                rows[step.index : step.index] = fresh
                self.items_changed(step.index, 0, len(fresh))
            elif step.kind == "update":
                rows[step.index] = fresh[0]
                self.items_changed(step.index, 1, 1)
            elif step.kind == "remove":
                del rows[step.index]
                self.items_changed(step.index, 1, 0)
            elif step.kind == "move":
                del rows[step.index]
                self.items_changed(step.index, 1, 0)
                rows.insert(step.to, fresh[0])
                self.items_changed(step.to, 0, 1)
            else:
                count = len(rows)
                rows.clear()
                self.items_changed(0, count, 0)


def attach(sm: SyncManager) -> int:
    """Lets the default main loop drain the client's events: some at once, and only while no input and no frame is due,
    so that a window goes on while thousands of messages come. Gives the number of the source: ``GLib.source_remove``
    ends it, which has to come before the client is closed, since its descriptor may be another file's afterwards."""

    def drain(*_: Any) -> bool:
        sm.dispatch(_AT_ONCE, timeout=0)
        return True

    # GTK lays out and draws at up to PRIORITY_HIGH_IDLE + 20.
    return int(GLib.unix_fd_add_full(GLib.PRIORITY_HIGH_IDLE + 30, sm.fileno(), GLib.IOCondition.IN, drain))


__all__ = ["ListModel", "Row", "attach"]
