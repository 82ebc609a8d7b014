"""Clients and collections. Objects may be shared between threads; events are drained by one thread at a time."""

from __future__ import annotations

import ctypes
import json
from types import TracebackType
from typing import Any

from . import _ffi
from ._ffi import check, lib

#: The newest point of a channel, as a viewpoint.
LATEST = 2**63 - 1
_PREVIOUS, _NEXT = 1, 2


def library_version() -> str:
    """The version of the loaded library, as "0.1.0". Since 0.1."""
    return str(lib.sm_version_string().decode())


def _text(document: dict[str, Any] | None) -> bytes | None:
    return None if document is None else json.dumps(document, ensure_ascii=False).encode()


class Client:
    """The cache of one user and its way to the chat service.

    ``config`` takes the keys of ``sm_setup`` (see syncmanager.h). Leave ``delivery`` at "host": with "thread" nothing
    can be drained from Python. Raises SyncManagerError. Use as a context manager, or call ``close``. Since 0.1.
    """

    def __init__(self, **config: Any) -> None:
        handle = ctypes.c_void_p()
        check(lib.sm_setup(_text(config), ctypes.byref(handle)))
        self._handle: ctypes.c_void_p | None = handle
        self.collections: dict[int, Collection] = {}

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the client; blocks until its threads have ended. Safe to call twice."""
        handle, self._handle = self._handle, None
        if handle is not None:
            lib.sm_close(handle)

    def _request(self, function: Any, *arguments: Any) -> int:
        number = ctypes.c_uint64()
        check(function(*arguments, None, None, None, ctypes.byref(number)))
        return number.value

    def connect(self) -> int:
        """Connects and stays connected. Returns the number of the call, whose result comes as an event."""
        return self._request(lib.sm_connect, self._handle)

    def disconnect(self) -> None:
        """Closes the connection and stays offline."""
        check(lib.sm_disconnect(self._handle))

    def resume_sync(self) -> None:
        """Lets background sync run."""
        check(lib.sm_resume_sync(self._handle))

    def pause_sync(self) -> None:
        """Pauses background sync; realtime events go on."""
        check(lib.sm_pause_sync(self._handle))

    def set_token(self, access_token: str) -> None:
        """Gives a new access token, the answer to a ``token_needed`` event."""
        check(lib.sm_set_token(self._handle, access_token.encode()))

    def clear_cache(self, channel_url: str | None = None) -> int:
        """Removes cached messages of one channel or of all; unsent ones stay. Returns the number of the call."""
        return self._request(lib.sm_clear_cache, self._handle, None if channel_url is None else channel_url.encode())

    def fileno(self) -> int:
        """A descriptor that is readable while events wait. Do not read from it."""
        return check(lib.sm_get_fd(self._handle))

    def interrupt(self) -> None:
        """Ends a waiting ``next_event``, or the next one if none waits. Any thread."""
        check(lib.sm_interrupt(self._handle))

    def next_event(self, timeout_ms: int = -1) -> dict[str, Any] | None:
        """The next event; None when none came within ``timeout_ms`` (negative: wait for ever). One thread at a time."""
        text, length = ctypes.c_char_p(), ctypes.c_size_t()
        check(lib.sm_next_event(self._handle, timeout_ms, ctypes.byref(text), ctypes.byref(length)))
        return None if text.value is None else dict(json.loads(text.value))

    def channels(self, **query: Any) -> ChannelCollection:
        """A list of channels; ``query`` takes the keys of docs/queries.md."""
        handle = ctypes.c_void_p()
        check(lib.sm_channel_collection_new(self._handle, _text(query), ctypes.byref(handle)))
        return ChannelCollection(self, handle)

    def messages(self, channel_url: str, viewpoint: int = LATEST, **filters: Any) -> MessageCollection:
        """The messages of a channel around ``viewpoint`` (ms since the epoch); ``filters`` as in docs/queries.md."""
        handle = ctypes.c_void_p()
        check(
            lib.sm_message_collection_new(
                self._handle, channel_url.encode(), _text(filters), viewpoint, ctypes.byref(handle)
            )
        )
        return MessageCollection(self, handle)


class Collection:
    """What both kinds of collection share. Since 0.1."""

    def __init__(self, client: Client, handle: ctypes.c_void_p) -> None:
        self.client = client
        self._handle = handle
        self.number = int(lib.sm_collection_number(handle))
        client.collections[self.number] = self

    def _describe(self, function: Any) -> dict[str, Any]:
        text = ctypes.c_void_p()
        check(function(self._handle, ctypes.byref(text)))
        try:
            return dict(json.loads(ctypes.string_at(text.value or 0)))
        finally:
            lib.sm_string_free(text)

    def info(self) -> dict[str, Any]:
        """Counts and edges, as of the last drained event."""
        return self._describe(lib.sm_collection_info)

    def snapshot(self) -> dict[str, Any]:
        """The lists, as of the last drained event."""
        return self._describe(lib.sm_collection_snapshot)

    def fetch_next(self) -> int:
        """Loads the next page. Returns the number of the call, whose result comes as an event."""
        return self.client._request(lib.sm_fetch, self._handle, _NEXT)

    def remove(self) -> None:
        """Ends the collection; no event of it is delivered afterwards."""
        self.client.collections.pop(self.number, None)
        lib.sm_collection_remove(self._handle)


class ChannelCollection(Collection):
    """A list of channels. Since 0.1."""

    def channels(self) -> list[dict[str, Any]]:
        """The channels shown."""
        return list(self.snapshot()["channels"])


class MessageCollection(Collection):
    """The messages of a channel. Since 0.1."""

    def messages(self) -> list[dict[str, Any]]:
        """The succeeded messages shown, oldest first."""
        return list(self.snapshot()["succeeded"])

    def fetch_previous(self) -> int:
        """Loads the page before. Returns the number of the call."""
        return self.client._request(lib.sm_fetch, self._handle, _PREVIOUS)

    def reset_viewpoint(self, viewpoint: int = LATEST) -> None:
        """Empties the view and anchors it anew (ms since the epoch)."""
        check(lib.sm_reset_viewpoint(self._handle, viewpoint))

    def send(self, message: str | None = None, **fields: Any) -> int:
        """Sends a text message, or one again with ``resend=request_id``. Returns the number of the call."""
        if message is not None:
            fields["message"] = message
        return self.client._request(lib.sm_send_message, self._handle, _text(fields))

    def append(self, message: dict[str, Any]) -> int:
        """Shows a message that the host sends by its own means. Returns the number of the call."""
        return self.client._request(lib.sm_append_message, self._handle, _text(message))

    def handle_send_response(self, message: dict[str, Any], error_code: int = 0) -> int:
        """Tells how such a send ended. Returns the number of the call."""
        return self.client._request(lib.sm_handle_send_response, self._handle, _text(message), error_code)

    def update(self, **fields: Any) -> int:
        """Edits an own message, named by ``message_id`` or ``request_id``. Returns the number of the call."""
        return self.client._request(lib.sm_update_message, self._handle, _text(fields))

    def delete(self, **fields: Any) -> int:
        """Deletes an own message, named by ``message_id`` or ``request_id``. Returns the number of the call."""
        return self.client._request(lib.sm_delete_message, self._handle, _text(fields))


status_name = _ffi.status_name
