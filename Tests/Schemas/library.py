"""The C interface with documents as texts, for tests that judge documents: nothing stands between."""

from __future__ import annotations

import ctypes
import json
from typing import Any

from syncmanager import _ffi

lib = _ffi.lib
EVENT_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
lib.sm_set_callback.argtypes = [ctypes.c_void_p, EVENT_CALLBACK, ctypes.c_void_p, ctypes.c_void_p]


def text(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def last_error() -> dict[str, Any]:
    return json.loads(lib.sm_last_error())


class Client:
    """One client; functions give the error they were refused with, or None."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.handle = ctypes.c_void_p()
        self.error = self.judged(lib.sm_setup(text(config), ctypes.byref(self.handle)))

    @staticmethod
    def judged(status: int) -> dict[str, Any] | None:
        return None if status >= 0 else last_error()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        lib.sm_close(self.handle)

    def channels(self, query: Any) -> tuple[ctypes.c_void_p, dict[str, Any] | None]:
        made = ctypes.c_void_p()
        return made, self.judged(lib.sm_channel_collection_new(self.handle, text(query), ctypes.byref(made)))

    def search(self, query: Any) -> tuple[ctypes.c_void_p, dict[str, Any] | None]:
        made = ctypes.c_void_p()
        return made, self.judged(lib.sm_search_collection_new(self.handle, text(query), ctypes.byref(made)))

    def messages(self, channel_url: str, filter: Any) -> tuple[ctypes.c_void_p, dict[str, Any] | None]:
        made = ctypes.c_void_p()
        return made, self.judged(lib.sm_message_collection_new(
            self.handle, channel_url.encode(), text(filter), 2**63 - 1, ctypes.byref(made)))

    def own(self, function: str, collection: ctypes.c_void_p, document: Any) -> dict[str, Any] | None:
        """A function of own messages; what it leads to is drained and dropped."""
        more = (1,) if function == "sm_handle_send_response" else ()
        error = self.judged(getattr(lib, function)(collection, text(document), *more, None, None, None, None))
        while self.next_event(0) is not None:
            pass
        return error

    def call(self, document: Any) -> dict[str, Any] | None:
        """An action; what it leads to is drained and dropped."""
        error = self.judged(lib.sm_call(self.handle, text(document), None, None, None, None))
        while self.next_event(0) is not None:
            pass
        return error

    def stream(self, spec: Any) -> tuple[ctypes.c_void_p, dict[str, Any] | None]:
        made = ctypes.c_void_p()
        return made, self.judged(lib.sm_stream_open(
            self.handle, text(spec), _ffi.STREAM_FUNCTION(), None, _ffi.DESTROY_CALLBACK(), ctypes.byref(made)))

    def ask(self, stream: ctypes.c_void_p, request: Any) -> dict[str, Any] | None:
        """Something of a stream; what it leads to is drained and dropped."""
        error = self.judged(lib.sm_stream_call(stream, text(request), None, None, None, None))
        while self.next_event(0) is not None:
            pass
        return error

    def next_event(self, timeout_ms: int = 30_000) -> dict[str, Any] | None:
        got = ctypes.c_void_p()
        assert lib.sm_next_event(self.handle, timeout_ms, ctypes.byref(got), None) == 0, last_error()
        return json.loads(ctypes.string_at(got.value)) if got.value else None

    def wait(self, kind: str, **members: Any) -> dict[str, Any]:
        """The next event of a kind with these members."""
        while (event := self.next_event()) is not None:
            if event["type"] == kind and all(event.get(key) == value for key, value in members.items()):
                return event
        raise AssertionError(f"no {kind} came")

    def ended(self) -> list[dict[str, Any]]:
        """Closes; gives what the callbacks hear of it, `closed` last."""
        heard: list[dict[str, Any]] = []
        callback = EVENT_CALLBACK(lambda _, json_text, __: heard.append(json.loads(json_text)))
        assert lib.sm_set_callback(self.handle, callback, None, None) == 0, last_error()
        lib.sm_close(self.handle)
        self.handle = ctypes.c_void_p()
        return heard
