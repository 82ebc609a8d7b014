"""The C client. Makes sure that it is closed once, and not used by several threads or by a fork where that is not
allowed."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import warnings
import weakref
from collections.abc import Callable

from . import errors
from ._ffi import check, lib


class Handle:
    """One ``sm_client``. Its events are drained with the lock ``draining``, and it is closed with it, too, since the
    text that ``sm_next_event`` lends is freed with the client."""

    def __init__(self, config: bytes | None) -> None:
        client = ctypes.c_void_p()
        check(lib.sm_setup(config, ctypes.byref(client)))
        self.client = client
        self.process = os.getpid()
        self.draining = threading.Lock()
        self.drainer: int | None = None
        self._over = threading.Event()
        self.fd = check(lib.sm_get_fd(client))
        # Wakes a thread that waits for events, when another one closes or interrupts.
        self.wake_out, self.wake_in = os.pipe()
        os.set_blocking(self.wake_in, False)
        os.set_blocking(self.wake_out, False)
        # Held while the pipe is used or closed, since its number may be another file's after it was closed. Reentrant:
        # a signal handler may take it again on the same thread.
        self._pipe = threading.RLock()
        self._text, self._length = ctypes.c_void_p(), ctypes.c_size_t()
        # Runs when there is no reference to this object any more, or at the interpreter's exit.
        self._forgotten = weakref.finalize(
            self, _close_forgotten, client, self.process, self._over, self.draining, self.wake_in
        )

    @property
    def closed(self) -> bool:
        """Whether the client was closed, or is being closed."""
        return self._over.is_set()

    def check_process(self) -> None:
        """Refuses a fork, before any lock: another thread may have held it when the process was forked."""
        if os.getpid() != self.process:
            raise errors.ForkedError("this process is a fork of the one that opened the client")

    def use(self) -> ctypes.c_void_p:
        """The client, for a call."""
        self.check_process()
        if self.closed:
            raise errors.ClosedError("the client was closed")
        return self.client

    def next_text(self, timeout_ms: int) -> bytes | None:
        """The next event, copied. The caller holds ``draining``."""
        check(lib.sm_next_event(self.use(), timeout_ms, ctypes.byref(self._text), ctypes.byref(self._length)))
        if self._text.value is None:
            return None
        return ctypes.string_at(self._text.value, self._length.value)

    def wake(self) -> None:
        """Ends a wait for events on another thread."""
        with self._pipe:
            if not self.closed:
                _wake(self.wake_in)

    def close(self, end: Callable[[ctypes.c_void_p], object] = lib.sm_close) -> bool:
        """Closes the client; blocks until its threads have ended. False if that was done before. ``end``: the function
        of the library that does it."""
        self.check_process()
        with self._pipe:
            if self.closed:
                return False
            # From here on no thread begins to wait. One that waits now is woken, and no other may follow it.
            self._over.set()
            self._forgotten.detach()
            _wake(self.wake_in)
        own = self.drainer == threading.get_ident()
        if not own:
            self.draining.acquire()
        try:
            end(self.client)
            with self._pipe:
                os.close(self.wake_in)
                os.close(self.wake_out)
            return True
        finally:
            if not own:
                self.draining.release()


def _wake(pipe: int) -> None:
    with contextlib.suppress(BlockingIOError):  # full: whoever waits is woken anyway
        os.write(pipe, b"x")


def _close_forgotten(
    client: ctypes.c_void_p, process: int, over: threading.Event, draining: threading.Lock, wake_in: int
) -> None:
    """Closes a client that the program has no reference to any more; in a fork there is nothing to close."""
    if os.getpid() != process:
        return
    warnings.warn("a SyncManager was not closed", ResourceWarning, stacklevel=2)
    over.set()
    _wake(wake_in)
    # At exit daemon threads may be draining or waiting for their turn. One that does not come back within seconds keeps
    # its client.
    if draining.acquire(timeout=5):
        try:
            lib.sm_close(client)
        finally:
            draining.release()
