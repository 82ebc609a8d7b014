"""A ctypes wrapper of libsyncmanager, written from include/syncmanager.h alone."""

import ctypes
import json
import os
import pathlib
import time

HERE = pathlib.Path(__file__).resolve().parent
I32, I64, U64, SIZE = ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64, ctypes.c_size_t
PTR, TEXT = ctypes.c_void_p, ctypes.c_char_p
LATEST = 2**63 - 1
PREVIOUS, NEXT = 1, 2

STATUS = {
    "OK": 0, "INVALID_ARGUMENT": -1, "INVALID_HANDLE": -2, "INVALID_DOCUMENT": -3, "CLOSED": -4, "REENTRANT": -5,
    "FORKED": -6, "DUPLICATED_FETCH": -7, "LOCKED": -8, "STORAGE": -9, "NEWER_SCHEMA": -10, "CORRUPT_INTENTS": -11,
    "NOT_CONNECTED": -12, "NETWORK": -13, "SERVICE": -14, "TIMEOUT": -15, "NOT_FOUND": -16, "NOT_OWN_MESSAGE": -17,
    "REMOVED": -18, "TOKEN_REJECTED": -19, "BUSY": -20, "TOO_MANY_CALLS": -21, "CANCELED": -22,
    "TOO_LARGE": -23, "WRONG_KEY": -24, "NO_ENCRYPTION": -25, "INTERNAL": -99,
}
NAME = {number: name for name, number in STATUS.items()}

EVENT_CALLBACK = ctypes.CFUNCTYPE(None, PTR, TEXT, SIZE)
RESULT_CALLBACK = ctypes.CFUNCTYPE(None, PTR, I32, TEXT, SIZE)
DESTROY_CALLBACK = ctypes.CFUNCTYPE(None, PTR)
LOG_CALLBACK = ctypes.CFUNCTYPE(None, PTR, I32, TEXT)
STREAM_FUNCTION = ctypes.CFUNCTYPE(I32, PTR, PTR, PTR, SIZE)

CALL = (PTR, PTR, PTR, PTR)  # callback, user_data, destroy, out_request
SIGNATURES = {
    "sm_api_version": (I32, ()),
    "sm_version_string": (TEXT, ()),
    "sm_status_name": (TEXT, (I32,)),
    "sm_last_error": (TEXT, ()),
    "sm_string_free": (None, (PTR,)),
    "sm_set_log": (I32, (I32, PTR, PTR)),
    "sm_setup": (I32, (TEXT, PTR)),
    "sm_connect": (I32, (PTR,) + CALL),
    "sm_disconnect": (I32, (PTR,)),
    "sm_resume_sync": (I32, (PTR,)),
    "sm_pause_sync": (I32, (PTR,)),
    "sm_set_token": (I32, (PTR, TEXT)),
    "sm_set_foreground": (I32, (PTR, I32)),
    "sm_sign_out": (I32, (PTR,) + CALL),
    "sm_clear_cache": (I32, (PTR, TEXT) + CALL),
    "sm_close": (None, (PTR,)),
    "sm_get_fd": (I32, (PTR,)),
    "sm_next_event": (I32, (PTR, I32, PTR, PTR)),
    "sm_dispatch": (I32, (PTR, I32, I32)),
    "sm_interrupt": (I32, (PTR,)),
    "sm_set_callback": (I32, (PTR, PTR, PTR, PTR)),
    "sm_channel_collection_new": (I32, (PTR, TEXT, PTR)),
    "sm_search_collection_new": (I32, (PTR, TEXT, PTR)),
    "sm_message_collection_new": (I32, (PTR, TEXT, TEXT, I64, PTR)),
    "sm_message_collection_open": (I32, (PTR, TEXT, TEXT, I64) + CALL + (PTR,)),
    "sm_collection_number": (U64, (PTR,)),
    "sm_collection_set_callback": (I32, (PTR, PTR, PTR, PTR)),
    "sm_fetch": (I32, (PTR, I32) + CALL),
    "sm_fetch_all_next": (I32, (PTR,) + CALL),
    "sm_fetch_failed": (I32, (PTR,) + CALL),
    "sm_fetch_pending": (I32, (PTR,) + CALL),
    "sm_collection_start": (I32, (PTR,) + CALL),
    "sm_reset_viewpoint": (I32, (PTR, I64)),
    "sm_collection_info": (I32, (PTR, PTR)),
    "sm_collection_snapshot": (I32, (PTR, PTR)),
    "sm_collection_contains": (I32, (PTR, TEXT)),
    "sm_collection_remove": (None, (PTR,)),
    "sm_stream_open": (I32, (PTR, TEXT, PTR, PTR, PTR, PTR)),
    "sm_stream_call": (I32, (PTR, TEXT) + CALL),
    "sm_send_message": (I32, (PTR, TEXT) + CALL),
    "sm_append_message": (I32, (PTR, TEXT) + CALL),
    "sm_handle_send_response": (I32, (PTR, TEXT, I32) + CALL),
    "sm_update_message": (I32, (PTR, TEXT) + CALL),
    "sm_delete_message": (I32, (PTR, TEXT) + CALL),
    "sm_call": (I32, (PTR, TEXT) + CALL),
}


class Refused(Exception):
    """A call gave an error."""

    def __init__(self, function, status, detail):
        super().__init__(f"{function}: {NAME.get(status, status)} {detail}")
        self.status = status
        self.detail = detail


def library():
    """The library that SM_LIB names, else the one of the tree that this directory stands in."""
    path = os.environ.get("SM_LIB") or str(HERE.parent.parent / "build" / "lib" / "libsyncmanager.so")
    lib = ctypes.CDLL(path)
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, list(arguments)
    return lib


_lib = None


def lib():
    global _lib
    if _lib is None:
        _lib = library()
    return _lib


def last_error():
    return json.loads(lib().sm_last_error().decode())


def encode(document):
    if document is None or isinstance(document, bytes):
        return document
    return (document if isinstance(document, str) else json.dumps(document)).encode()


def check(function, status):
    if status < 0:
        raise Refused(function, status, last_error())
    return status


class Client:
    """One client whose events are pulled. `on_event` hears each; results wait in `results` by their number."""

    def __init__(self, on_event=None, **config):
        out = PTR()
        check("sm_setup", lib().sm_setup(encode(config), ctypes.byref(out)))
        self.handle, self.config, self.on_event = out, config, on_event
        self.results, self.seq, self.events, self.collections = {}, 0, 0, {}
        self.calls = {}

    def request(self, function, *arguments):
        """A call that completes later; its number."""
        number = U64()
        status = getattr(lib(), function)(*arguments, None, None, None, ctypes.byref(number))
        check(function, status)
        self.calls[number.value] = function
        return number.value

    def connect(self):
        return self.request("sm_connect", self.handle)

    def sign_out(self):
        return self.request("sm_sign_out", self.handle)

    def clear_cache(self, url=None):
        return self.request("sm_clear_cache", self.handle, encode(url))

    def call(self, action, **keys):
        return self.request("sm_call", self.handle, encode({"action": action, **keys}))

    def simple(self, function, *arguments):
        return check(function, getattr(lib(), function)(self.handle, *arguments))

    def channels(self, query=None):
        out = PTR()
        check("sm_channel_collection_new", lib().sm_channel_collection_new(
            self.handle, encode(query), ctypes.byref(out)))
        return Collection(self, out)

    def messages(self, url, filter=None, viewpoint=LATEST):
        out = PTR()
        check("sm_message_collection_new", lib().sm_message_collection_new(
            self.handle, encode(url), encode(filter), viewpoint, ctypes.byref(out)))
        return Collection(self, out)

    def search(self, query):
        out = PTR()
        check("sm_search_collection_new", lib().sm_search_collection_new(
            self.handle, encode(query), ctypes.byref(out)))
        return Collection(self, out)

    def stream(self, spec):
        out = PTR()
        check("sm_stream_open", lib().sm_stream_open(
            self.handle, encode(spec), None, None, None, ctypes.byref(out)))
        return Collection(self, out)

    def next(self, timeout_ms=0):
        """The next event, or None."""
        text, length = TEXT(), SIZE()
        check("sm_next_event", lib().sm_next_event(
            self.handle, timeout_ms, ctypes.byref(text), ctypes.byref(length)))
        if not text.value:
            return None
        event = json.loads(text.value.decode())
        self.events += 1
        self.seq = event["seq"]
        if event["type"] == "result":
            self.results[event["request"]] = event
        if self.on_event:
            self.on_event(event)
        return event

    def drain(self, limit=100000):
        count = 0
        while count < limit and self.next(0):
            count += 1
        return count

    def wait(self, number, seconds=30):
        """The result of a call, or None when it does not come in time."""
        end = time.monotonic() + seconds
        while number not in self.results:
            left = end - time.monotonic()
            if left <= 0:
                return None
            self.next(max(1, int(min(left, 0.2) * 1000)))
        return self.results[number]

    def until(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                return False
            self.next(max(1, int(min(left, 0.1) * 1000)))
        return True

    def close(self):
        if self.handle:
            handle, self.handle = self.handle, None
            lib().sm_close(handle)


def own_text(function, handle):
    out = PTR()
    check(function, getattr(lib(), function)(handle, ctypes.byref(out)))
    text = ctypes.string_at(out.value).decode()
    lib().sm_string_free(out)
    return json.loads(text)


class Collection:
    """A collection or a stream."""

    def __init__(self, client, handle):
        self.client, self.handle = client, handle
        self.number = lib().sm_collection_number(handle)
        client.collections[self.number] = self

    def fetch(self, direction):
        return self.client.request("sm_fetch", self.handle, direction)

    def start(self):
        return self.client.request("sm_collection_start", self.handle)

    def send(self, **message):
        return self.client.request("sm_send_message", self.handle, encode(message))

    def ask(self, **request):
        return self.client.request("sm_stream_call", self.handle, encode(request))

    def snapshot(self):
        return own_text("sm_collection_snapshot", self.handle)

    def info(self):
        return own_text("sm_collection_info", self.handle)

    def reset_viewpoint(self, viewpoint=LATEST):
        check("sm_reset_viewpoint", lib().sm_reset_viewpoint(self.handle, viewpoint))

    def remove(self):
        handle, self.handle = self.handle, None
        self.client.collections.pop(self.number, None)
        lib().sm_collection_remove(handle)
