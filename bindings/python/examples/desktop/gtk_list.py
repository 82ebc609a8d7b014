"""The channels of a user in a window of GTK 4, kept up to date: ``gtk_list.py CONFIG_JSON``."""

import json
import sys
from typing import Any

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk

from syncmanager import Config, gtk
from syncmanager.blocking import SyncManager


def setup(_: Any, cell: Any) -> None:
    cell.set_child(Gtk.Label())


def bind(_: Any, cell: Any) -> None:
    cell.get_child().set_text(cell.get_item().item.get("name", ""))


def closed(_: Any, loop: Any) -> None:
    loop.quit()


def main(config: Config) -> None:
    factory = Gtk.SignalListItemFactory()
    factory.connect("setup", setup)
    factory.connect("bind", bind)
    loop = GLib.MainLoop()
    with SyncManager(**config) as sm:
        channels = sm.channels()
        model = gtk.ListModel(channels)
        window = Gtk.Window(child=Gtk.ListView(model=Gtk.NoSelection(model=model), factory=factory))
        window.connect("close-request", closed, loop)
        window.present()
        source = gtk.attach(sm)  # from here on the main loop drains the events
        sm.start.connect()
        channels.start.fetch()
        loop.run()
        GLib.source_remove(source)  # before the client is closed


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
