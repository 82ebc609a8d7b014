"""A chat in the terminal."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import cast

from ..documents import Config
from .keys import text


def _config(given: str) -> Config:
    try:
        config = json.loads(Path(given[1:]).read_text(encoding="utf-8") if given.startswith("@") else given)
    except (OSError, ValueError) as error:
        sys.exit(f"CONFIG: {error}")
    if not isinstance(config, dict):
        sys.exit("CONFIG is not a JSON object")
    return cast(Config, config)


def main() -> None:
    """Reads the command line and runs the program."""
    parser = argparse.ArgumentParser(
        prog="python -m syncmanager.demo",
        description=f"{__doc__}\n\n{text()}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
