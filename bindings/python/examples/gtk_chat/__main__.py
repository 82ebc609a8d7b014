"""``python3 -m gtk_chat``, or ``python3 path/to/gtk_chat``."""

import sys
from pathlib import Path

if not __package__:
    # Started by its path: then the package's own folder stands where the folder around it should.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from gtk_chat.app import main

main()
