"""The channels of a user in a window of Qt 6, kept up to date: ``qt_list.py CONFIG_JSON``."""

import json
import sys

from PySide6.QtWidgets import QApplication, QListView

from syncmanager import Config, qt
from syncmanager.blocking import SyncManager


def main(config: Config) -> None:
    application = QApplication.instance() or QApplication([])
    with SyncManager(**config) as sm:
        channels = sm.channels()
        model = qt.ListModel(channels)
        view = QListView()
        view.setModel(model)
        view.show()
        notifier = qt.attach(sm)  # from here on Qt's event loop drains the events
        sm.start.connect()
        channels.start.fetch()
        application.exec()
        notifier.setEnabled(False)  # before the client is closed


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
