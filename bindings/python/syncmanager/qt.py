"""Lists for Qt 6: a ``QAbstractListModel`` over channels, messages or results, for ``QListView`` and QML.

    channels = sm.channels()
    model = qt.ListModel(channels)              # the role ItemRole (QML: ``item``) is the channel
    notifier = qt.attach(sm)                    # a blocking client: the event loop drains its events
    channels.start.fetch()
    view.setModel(model)

Needs PySide6. Since 0.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._steps import Shown, is_of, steps
from .blocking import SyncManager
from .events import Change

if TYPE_CHECKING:
    # To a type checker the model is whatever the program's own stubs want it to be.
    from typing import Any as _Model

    QByteArray: Any = None
    QModelIndex: Any = None
    QSocketNotifier: Any = None
    Qt: Any = None
else:
    from PySide6.QtCore import QAbstractListModel as _Model
    from PySide6.QtCore import QByteArray, QModelIndex, QSocketNotifier, Qt

#: The role of the channel, message or result itself.
ItemRole: int = int(Qt.ItemDataRole.UserRole) if not TYPE_CHECKING else 0


class ListModel(_Model):  # type: ignore[misc]
    """The list of a collection: ``items``, ``pending`` or ``failed``. Every change of it is told as rows that were
    inserted, removed, moved or changed, index for index, when it is drained. Since 0.1."""

    def __init__(self, collection: Any, shown: Shown = "items") -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self._shown: Shown = shown
        #: What it shows; it lives as long as the model.
        self.collection = collection
        self._items: list[Any] = list(getattr(collection, shown))
        collection.on_change(self._changed)

    def rowCount(self, parent: Any = None) -> int:
        """How many rows there are; a row has none below it."""
        return 0 if parent is not None and parent.isValid() else len(self._items)

    def data(self, index: Any, role: int = 0) -> Any:
        """The channel, message or result under ``ItemRole``; its name, text or snippet as the text to show."""
        if not index.isValid() or index.row() >= len(self._items):
            return None
        item = self._items[index.row()]
        if role == ItemRole:
            return item
        if role != int(Qt.ItemDataRole.DisplayRole):
            return None
        return item["snippet"]["text"] if "snippet" in item else item.get("message", item.get("name"))

    def roleNames(self) -> dict[int, Any]:
        """What QML calls the roles."""
        return {ItemRole: QByteArray(b"item"), int(Qt.ItemDataRole.DisplayRole): QByteArray(b"display")}

    def _changed(self, change: Change[Any]) -> None:
        if not is_of(change, self._shown):
            return
        items, top = self._items, QModelIndex()
        for step in steps(change):
            if step.kind == "insert":
                self.beginInsertRows(top, step.index, step.index + len(step.items) - 1)
                items[step.index : step.index] = step.items
                self.endInsertRows()
            elif step.kind == "update":
                self._update(step.index, step.items[0])
            elif step.kind == "remove":
                self.beginRemoveRows(top, step.index, step.index)
                del items[step.index]
                self.endRemoveRows()
            elif step.kind == "move":
                # Qt names the row before which it comes, as the rows stood before.
                before = step.to + 1 if step.to > step.index else step.to
                is_moved = step.to != step.index and self.beginMoveRows(top, step.index, step.index, top, before)
                items.insert(step.to, items.pop(step.index))
                if is_moved:
                    self.endMoveRows()
                self._update(step.to, step.items[0])
            else:
                self.beginResetModel()
                items.clear()
                self.endResetModel()

    def _update(self, place: int, item: Any) -> None:
        self._items[place] = item
        index = self.index(place)
        self.dataChanged.emit(index, index)


def attach(sm: SyncManager) -> Any:
    """Lets Qt's event loop drain the client's events, as long as the notifier lives that this gives. Before the client
    is closed, ``setEnabled(False)`` has to end it, since the descriptor may be another file's afterwards."""
    notifier = QSocketNotifier(sm.fileno(), QSocketNotifier.Type.Read)

    def drain(*_: Any) -> None:
        sm.dispatch(timeout=0)

    notifier.activated.connect(drain)
    return notifier


__all__ = ["ItemRole", "ListModel", "attach"]
