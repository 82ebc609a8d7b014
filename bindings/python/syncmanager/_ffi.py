"""The shared library and its functions, typed for ctypes."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from pathlib import Path

from ._errors import SyncManagerError

SONAME = "libsyncmanager.so.0"


def _load() -> ctypes.CDLL:
    """Loads the library: SYNCMANAGER_LIBRARY, else the one beside this file (wheels), else by its SONAME."""
    chosen = os.environ.get("SYNCMANAGER_LIBRARY")
    bundled = Path(__file__).with_name(SONAME)
    return ctypes.CDLL(chosen or (str(bundled) if bundled.exists() else SONAME))


lib = _load()

_out_request = POINTER(c_uint64)
_completion = [c_void_p, c_void_p, c_void_p, _out_request]


def _declare(name: str, result: object, arguments: list[object]) -> None:
    function = getattr(lib, name)
    function.restype = result
    function.argtypes = arguments


_declare("sm_api_version", c_int32, [])
_declare("sm_version_string", c_char_p, [])
_declare("sm_status_name", c_char_p, [c_int32])
_declare("sm_last_error", c_char_p, [])
_declare("sm_string_free", None, [c_void_p])
_declare("sm_setup", c_int32, [c_char_p, POINTER(c_void_p)])
_declare("sm_connect", c_int32, [c_void_p, *_completion])
for _name in ("sm_disconnect", "sm_resume_sync", "sm_pause_sync", "sm_get_fd", "sm_interrupt"):
    _declare(_name, c_int32, [c_void_p])
_declare("sm_set_token", c_int32, [c_void_p, c_char_p])
_declare("sm_clear_cache", c_int32, [c_void_p, c_char_p, *_completion])
_declare("sm_close", None, [c_void_p])
_declare("sm_next_event", c_int32, [c_void_p, c_int32, POINTER(c_char_p), POINTER(c_size_t)])
_declare("sm_channel_collection_new", c_int32, [c_void_p, c_char_p, POINTER(c_void_p)])
_declare("sm_message_collection_new", c_int32, [c_void_p, c_char_p, c_char_p, c_int64, POINTER(c_void_p)])
_declare("sm_collection_number", c_uint64, [c_void_p])
_declare("sm_fetch", c_int32, [c_void_p, c_int32, *_completion])
_declare("sm_reset_viewpoint", c_int32, [c_void_p, c_int64])
_declare("sm_collection_info", c_int32, [c_void_p, POINTER(c_void_p)])
_declare("sm_collection_snapshot", c_int32, [c_void_p, POINTER(c_void_p)])
_declare("sm_collection_remove", None, [c_void_p])
for _name in ("sm_send_message", "sm_append_message", "sm_update_message", "sm_delete_message"):
    _declare(_name, c_int32, [c_void_p, c_char_p, *_completion])
_declare("sm_handle_send_response", c_int32, [c_void_p, c_char_p, c_int32, *_completion])


def status_name(code: int) -> str:
    """The constant of a status code."""
    return str(lib.sm_status_name(code).decode())


def check(code: int) -> int:
    """Turns a negative status into an exception with the library's own words."""
    if code >= 0:
        return code
    error = json.loads(lib.sm_last_error() or b"null") or {}
    raise SyncManagerError(code, status_name(code), error.get("message", ""), error.get("path"))
