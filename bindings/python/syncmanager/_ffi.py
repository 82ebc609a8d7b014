"""The shared library and its functions, typed for ctypes."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Mapping
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any, cast

from . import errors
from ._version import __version__

SONAME = "libsyncmanager.so.0"
#: The interface these declarations are made for, major and minor.
API_VERSION = tuple(map(int, __version__.split(".")[:2]))


def _load() -> ctypes.CDLL:
    """Loads the library: SYNCMANAGER_LIBRARY, else the one in this package (wheels), else by its SONAME."""
    chosen = os.environ.get("SYNCMANAGER_LIBRARY")
    bundled = Path(__file__).with_name("lib") / SONAME
    try:
        return ctypes.CDLL(chosen or (str(bundled) if bundled.exists() else SONAME))
    except OSError as error:
        raise ImportError(
            f"{error}. Install libsyncmanager, or set SYNCMANAGER_LIBRARY to the path of {SONAME}"
        ) from error


lib = _load()

#: void (*)(void *user_data, int32_t level, const char *line)
LOG_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p)

#: int32_t (*)(void *user_data, const char *key, const char *item, size_t length)
STREAM_FUNCTION = ctypes.CFUNCTYPE(c_int32, c_void_p, c_char_p, c_void_p, c_size_t)
#: void (*)(void *user_data)
DESTROY_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p)

_completion: list[Any] = [c_void_p, c_void_p, c_void_p, POINTER(c_uint64)]


def declare(name: str, result: Any, arguments: list[Any]) -> None:
    """Tells ctypes the types of a function."""
    function = getattr(lib, name)
    function.restype = result
    function.argtypes = arguments


declare("sm_api_version", c_int32, [])
declare("sm_version_string", c_char_p, [])
declare("sm_status_name", c_char_p, [c_int32])
declare("sm_last_error", c_char_p, [])
declare("sm_string_free", None, [c_void_p])
declare("sm_set_log", c_int32, [c_int32, LOG_CALLBACK, c_void_p])
declare("sm_setup", c_int32, [c_char_p, POINTER(c_void_p)])
declare("sm_connect", c_int32, [c_void_p, *_completion])
for _name in ("sm_disconnect", "sm_resume_sync", "sm_pause_sync", "sm_get_fd"):
    declare(_name, c_int32, [c_void_p])
declare("sm_set_token", c_int32, [c_void_p, c_char_p])
declare("sm_set_foreground", c_int32, [c_void_p, c_int32])
declare("sm_sign_out", c_int32, [c_void_p, *_completion])
declare("sm_clear_cache", c_int32, [c_void_p, c_char_p, *_completion])
declare("sm_call", c_int32, [c_void_p, c_char_p, *_completion])
declare("sm_close", None, [c_void_p])
declare("sm_next_event", c_int32, [c_void_p, c_int32, POINTER(c_void_p), POINTER(c_size_t)])
declare("sm_channel_collection_new", c_int32, [c_void_p, c_char_p, POINTER(c_void_p)])
declare("sm_search_collection_new", c_int32, [c_void_p, c_char_p, POINTER(c_void_p)])
declare("sm_message_collection_new", c_int32, [c_void_p, c_char_p, c_char_p, c_int64, POINTER(c_void_p)])
declare(
    "sm_message_collection_open",
    c_int32,
    [c_void_p, c_char_p, c_char_p, c_int64, *_completion, POINTER(c_void_p)],
)
declare("sm_collection_number", c_uint64, [c_void_p])
declare("sm_fetch", c_int32, [c_void_p, c_int32, *_completion])
for _name in ("sm_fetch_all_next", "sm_fetch_failed", "sm_fetch_pending", "sm_collection_start"):
    declare(_name, c_int32, [c_void_p, *_completion])
declare("sm_collection_contains", c_int32, [c_void_p, c_char_p])
declare("sm_reset_viewpoint", c_int32, [c_void_p, c_int64])
declare("sm_collection_info", c_int32, [c_void_p, POINTER(c_void_p)])
declare("sm_collection_snapshot", c_int32, [c_void_p, POINTER(c_void_p)])
declare("sm_collection_remove", None, [c_void_p])
declare(
    "sm_stream_open",
    c_int32,
    [c_void_p, c_char_p, STREAM_FUNCTION, c_void_p, DESTROY_CALLBACK, POINTER(c_void_p)],
)
declare("sm_stream_call", c_int32, [c_void_p, c_char_p, *_completion])
for _name in ("sm_send_message", "sm_append_message", "sm_update_message", "sm_delete_message"):
    declare(_name, c_int32, [c_void_p, c_char_p, *_completion])
declare("sm_handle_send_response", c_int32, [c_void_p, c_char_p, c_int32, *_completion])


def _check_version() -> None:
    loaded = int(lib.sm_api_version())
    major, minor = loaded >> 16, loaded & 0xFFFF
    if (major, minor) < API_VERSION or major != API_VERSION[0]:
        wanted = ".".join(map(str, API_VERSION))
        raise ImportError(f"libsyncmanager {major}.{minor} is loaded, and this package needs {wanted}")


_check_version()


def status_name(code: int) -> str:
    """The constant of a status code, as ``"SM_ERR_CLOSED"``; ``"SM_ERR_UNKNOWN"`` for any other number. Since 0.1."""
    return str(lib.sm_status_name(code).decode())


def check(code: int) -> int:
    """Turns a negative status into an exception with the library's own words."""
    if code >= 0:
        return code
    error: dict[str, Any] = json.loads(lib.sm_last_error() or b"null") or {}
    raise errors.make(code, status_name(code), error.get("message", ""), error.get("path"))


def encode(document: Mapping[str, Any] | None) -> bytes | None:
    """A document as the library takes it."""
    return None if document is None else text(json.dumps(document, ensure_ascii=False, default=_file_path))


def _file_path(value: object) -> str:
    """The text of a path as pathlib has it; a TypeError for what JSON has no form for."""
    if isinstance(value, os.PathLike):
        return os.fspath(cast("os.PathLike[str]", value))
    raise TypeError(f"{value!r} of type {type(value).__name__} cannot be written as JSON")


def text(value: str) -> bytes:
    """A text as the library takes it: UTF-8, ended by NUL."""
    try:
        encoded = value.encode()
    except UnicodeEncodeError as error:
        raise errors.InvalidArgumentError(f"a text that is not Unicode: {error}") from None
    if b"\0" in encoded:
        raise errors.InvalidArgumentError("a text that holds NUL")
    return encoded


def describe(function: Any, handle: ctypes.c_void_p) -> dict[str, Any]:
    """Calls a function that gives an owned JSON text, and frees that."""
    owned = c_void_p()
    check(function(handle, ctypes.byref(owned)))
    return dict(json.loads(string_of(owned)))


def string_of(owned: c_void_p) -> bytes:
    """The text that the library has given out, which is freed; empty for NULL."""
    try:
        return ctypes.string_at(owned.value) if owned.value else b""
    finally:
        lib.sm_string_free(owned)
