"""A chat in the terminal.

Keys: Enter sends; up and down choose a message (so does the mouse), Escape goes back. Of the chosen message: ctrl+y
answers it, ctrl+t opens its thread, F2 edits it, F3 reacts to it, F5 sends it again, F6 saves its files (pressed again,
it stops), F7 answers its poll, F8 deletes it; of one that is being sent, F8 stops that. Without a chosen message F7
asks something. F4 sends a file. ctrl+k jumps to a channel by a part of its name, ctrl+n to the next one; ctrl+o loads
older messages; ctrl+r goes offline and back; ctrl+q ends.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import cast

from ..documents import Config


def _config(text: str) -> Config:
    try:
        config = json.loads(Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text)
    except (OSError, ValueError) as error:
        sys.exit(f"CONFIG: {error}")
    if not isinstance(config, dict):
        sys.exit("CONFIG is not a JSON object")
    return cast(Config, config)


def main() -> None:
    """Reads the command line and runs the program."""
    parser = argparse.ArgumentParser(
        prog="python -m syncmanager.demo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "config", nargs="?", metavar="CONFIG", help="a user of a service: a JSON object, or @FILE that holds one"
    )
    what.add_argument(
        "--try",
        dest="trying",
        action="store_true",
        help="a generated account on a server of its own, which ends with the program",
    )
    options = parser.parse_args()
    try:
        from .app import ChatApp
    except ModuleNotFoundError as error:
        sys.exit(f"{error}. The demo needs Textual: pip install textual")
    if not options.trying:
        app = ChatApp(_config(options.config))
        app.run()
        sys.exit(app.return_code)
    from ..testing import Server

    with tempfile.TemporaryDirectory() as folder, Server("--generate", "1") as server:
        ChatApp(server.config(server.user(), folder)).run()


if __name__ == "__main__":
    main()
