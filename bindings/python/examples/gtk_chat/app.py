"""The program: its command line, and the application around the window."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from pathlib import Path
from typing import Any, cast

from syncmanager.documents import Config

from .toolkit import Adw, Gio, GLib
from .trial import trial
from .window import ChatWindow, load_style


class ChatApp:
    """One window for one user."""

    def __init__(self, config: Config) -> None:
        # What the window needs besides: search, and lists that keep all pages that one has scrolled to.
        wanted: Any = {"search": True, "message_collection_capacity": "infinite"}
        self.config = cast(Config, {**wanted, **config})
        if GLib.get_application_name() is None:
            GLib.set_application_name("Chat")  # the chooser of files notes who has used one
        self.application = Adw.Application(
            application_id="org.syncmanager.GtkChat", flags=Gio.ApplicationFlags.NON_UNIQUE
        )
        self.main: ChatWindow | None = None
        self.application.connect("activate", self._activate)
        quits = Gio.SimpleAction.new("quit", None)
        quits.connect("activate", lambda *_: self.main.window.close() if self.main is not None else None)
        self.application.add_action(quits)
        self.application.set_accels_for_action("app.quit", ["<Control>q"])

    def _activate(self, _: Any) -> None:
        if self.main is None:
            load_style()
            self.main = ChatWindow(self.application, self.config)
        self.main.window.present()

    def run(self) -> int:
        """Runs until the window is closed; gives the exit status."""
        return int(self.application.run([]))


def read_config(path: str) -> Config:
    """The configuration in a file."""
    try:
        config = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(f"CONFIG: {error}")
    if not isinstance(config, dict) or "app_id" not in config or "user_id" not in config:
        sys.exit("CONFIG is not a JSON object with app_id and user_id")
    return cast(Config, config)


def main() -> None:
    """Reads the command line and runs the program."""
    parser = argparse.ArgumentParser(prog="python3 -m gtk_chat", description="A chat with a window.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("config", nargs="?", metavar="CONFIG", help="a JSON file: the configuration of a user")
    what.add_argument("--try", dest="trying", action="store_true", help="sample data on a server of its own")
    options = parser.parse_args()
    with trial() if options.trying else contextlib.nullcontext(read_config(options.config)) as config:
        status = ChatApp(config).run()
    sys.exit(status)
