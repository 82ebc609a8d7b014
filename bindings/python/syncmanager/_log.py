"""The library's log."""

from __future__ import annotations

import atexit
import logging
from typing import Any

from . import _ffi
from ._ffi import LOG_CALLBACK, check, lib

_LEVELS = {1: logging.ERROR, 2: logging.WARNING, 3: logging.INFO, 4: logging.DEBUG}
_NONE = LOG_CALLBACK()
#: The C function that is in use; it must live as long as the library may call it.
_callback: Any = None


def log_to(logger: logging.Logger | None) -> None:
    """Sends the log of the library, for the whole process, to ``logger``, up to the level that the logger has now; None
    ends it. Lines hold no message text, no name and no token.

    The logger's handlers run on the library's threads and must not call this package. Since 0.1.
    """
    global _callback
    if logger is None:
        check(lib.sm_set_log(0, _NONE, None))
        _callback = None
        return
    target = logger

    def told(_: int | None, level: int, line: bytes | None) -> None:
        target.log(_LEVELS.get(level, logging.INFO), "%s", (line or b"").decode("utf-8", "replace"))

    callback = LOG_CALLBACK(told)
    most = max((level for level, number in _LEVELS.items() if target.isEnabledFor(number)), default=0)
    check(lib.sm_set_log(most, callback if most else _NONE, None))
    _callback = callback  # the old one runs no more


def version() -> str:
    """The version of the loaded library, as "0.1.0". Since 0.1."""
    return str(lib.sm_version_string().decode())


def api_version() -> int:
    """SM_API_VERSION of the loaded library: major in the high, minor in the low 16 bits. Since 0.1."""
    return int(lib.sm_api_version())


def _at_exit() -> None:
    # No thread may call into an interpreter that ends. A fork has no such threads, and the library refuses the call
    # there.
    if _callback is not None:
        lib.sm_set_log(0, _NONE, None)


atexit.register(_at_exit)
status_name = _ffi.status_name
