"""Errors of the library as exceptions."""

from __future__ import annotations

from typing import Any


class SyncManagerError(Exception):
    """A call was refused, or ended without success.

    ``code`` is the status of the C interface (negative), ``name`` its constant, ``path`` the JSON path of what was
    wrong in a document (or None), ``result`` the whole result event of a call that completed without success.
    Since 0.1.
    """

    def __init__(
        self, code: int, name: str, message: str, path: str | None = None, result: dict[str, Any] | None = None
    ) -> None:
        super().__init__(f"{name}: {message}" if message else name)
        self.code = code
        self.name = name
        self.message = message
        self.path = path
        self.result = result
