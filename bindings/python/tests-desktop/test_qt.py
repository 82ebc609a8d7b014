"""The list model for Qt, seen through its signals, with a proxy model between."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from random_changes import Collection, run

from syncmanager.blocking import SyncManager
from syncmanager.testing import Server

QtCore: Any = pytest.importorskip("PySide6.QtCore")
from syncmanager import qt  # noqa: E402

PATIENCE = 60
EXAMPLE = Path(__file__).resolve().parents[1] / "examples/desktop/qt_list.py"
#: Runs the example until its window shows what is asked for; a process has one application.
UNTIL = """
import json, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QListView
application = QApplication([])
import qt_list

def look():
    for view in application.topLevelWidgets():
        model = view.model() if isinstance(view, QListView) else None
        if model and sorted(model.index(row, 0).data() for row in range(model.rowCount())) == sys.argv[2:]:
            application.quit()

timer = QTimer(interval=20)
timer.timeout.connect(look)
timer.start()
qt_list.main(json.loads(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def application() -> Any:
    return QtCore.QCoreApplication.instance() or QtCore.QCoreApplication([])


def rows(model: Any) -> list[Any]:
    return [model.index(place, 0).data(qt.ItemRole) for place in range(model.rowCount())]


@pytest.mark.parametrize("seed", range(3))
def test_the_model_is_the_list_after_each_of_2000_changes(application: Any, seed: int) -> None:
    collection = Collection()
    model = qt.ListModel(collection)
    # A proxy keeps its own order by the signals alone, and asserts what Qt asks of a model.
    proxy = QtCore.QIdentityProxyModel()
    proxy.setSourceModel(model)
    kept = QtCore.QPersistentModelIndex(model.index(0, 0))
    mirror: list[Any] = []

    def inserted(_: Any, first: int, last: int) -> None:
        mirror[first:first] = [model.index(place, 0).data(qt.ItemRole) for place in range(first, last + 1)]

    def removed(_: Any, first: int, last: int) -> None:
        del mirror[first : last + 1]

    def moved(_: Any, first: int, last: int, __: Any, to: int) -> None:
        assert first == last
        mirror.insert(to - 1 if to > first else to, mirror.pop(first))

    def updated(first: Any, last: Any, *_: Any) -> None:
        for place in range(first.row(), last.row() + 1):
            mirror[place] = model.index(place, 0).data(qt.ItemRole)

    model.rowsInserted.connect(inserted)
    model.rowsRemoved.connect(removed)
    model.rowsMoved.connect(moved)
    model.dataChanged.connect(updated)
    model.modelReset.connect(mirror.clear)
    for _ in run(collection, 2000, seed):
        assert len(mirror) == len(collection.items)
    assert rows(model) == list(collection.items) == mirror == rows(proxy)
    assert not kept.isValid()
    assert qt.ListModel(collection, "pending").rowCount() == len(collection.pending) == 200


def test_a_chat(application: Any, syncmanager_server: Server, tmp_path: Path) -> None:
    server = syncmanager_server
    mei = server.create_user("mei")
    server.create_user("bo")
    server.create_channel("lunch", "mei", "bo")
    server.post("lunch", "bo", "hello")
    with SyncManager(**server.config(mei, tmp_path)) as sm:
        chat = sm.messages("lunch")
        model = qt.ListModel(chat)
        notifier = qt.attach(sm)
        sm.start.connect()
        chat.start.fetch()

        def until(*texts: str) -> None:
            end = time.monotonic() + PATIENCE
            while [model.index(place, 0).data() for place in range(model.rowCount())] != list(texts):
                assert time.monotonic() < end, rows(model)
                application.processEvents(QtCore.QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 100)

        until("hello")
        server.post("lunch", "bo", "noodles?")
        until("hello", "noodles?")
        server.delete("lunch", server.messages("lunch")[0]["message_id"])
        until("noodles?")
        notifier.setEnabled(False)


def test_the_example(syncmanager_server: Server, tmp_path: Path) -> None:
    server = syncmanager_server
    mei = server.create_user("mei")
    for name in ("Lunch", "Plans"):
        server.create_channel(name.lower(), "mei", name=name)
    config = json.dumps(server.config(mei, tmp_path))
    paths = os.pathsep.join([str(EXAMPLE.parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", UNTIL, config, "Lunch", "Plans"],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    page = EXAMPLE.parents[2] / "docs/api/desktop.md"
    assert f"```python\n{EXAMPLE.read_text(encoding='utf-8')}```" in page.read_text(encoding="utf-8")
