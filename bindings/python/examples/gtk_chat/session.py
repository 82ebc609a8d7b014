"""The client behind the window. It is opened and closed on a thread, since that waits for the disk; the main loop
drains its events; nothing else of the program waits for anything."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from syncmanager import gtk
from syncmanager.blocking import Call, SyncManager
from syncmanager.documents import Config
from syncmanager.errors import ClosedError, SyncManagerError
from syncmanager.events import AnyEvent, Connection, Result

from .toolkit import GLib, later

Done = Callable[[Any], object]
Failed = Callable[[SyncManagerError], object]


class Session:
    """One user's client, for as long as the window is open."""

    def __init__(self, config: Config, failed: Failed) -> None:
        self.config = config
        self.me = config["user_id"]
        self.is_open = self.is_connected = False
        #: Called with every error that nobody else has asked for.
        self._failed = failed
        self._client: SyncManager | None = None
        self._source = 0
        self._calls: dict[int, tuple[Call[Any], Done | None, Failed | None]] = {}
        self._listeners: list[Callable[[AnyEvent], object]] = []

    @property
    def client(self) -> SyncManager:
        """The open client; there is none before ``open`` has said so."""
        if self._client is None:
            raise ClosedError("the session is not open")
        return self._client

    def open(self, opened: Callable[[], object], refused: Failed) -> None:
        """Opens the cache; then calls one of the two, from the main loop."""

        def work() -> None:
            try:
                client = SyncManager(**self.config)
            except SyncManagerError as error:
                later(refused, error)
            else:
                later(self._begin, client, opened)

        threading.Thread(target=work, name="open").start()

    def _begin(self, client: SyncManager, opened: Callable[[], object]) -> None:
        self._client, self.is_open = client, True
        client.on_event(self._heard)
        self._source = gtk.attach(client)
        opened()

    def on_event(self, listener: Callable[[AnyEvent], object]) -> None:
        """Calls the listener with every event of the client."""
        self._listeners.append(listener)

    def ask(self, call: Call[Any], done: Done | None = None, failed: Failed | None = None) -> None:
        """Lets the call go on by itself; when it is complete, calls ``done`` with its result, or ``failed``."""
        self._calls[call.request] = (call, done, failed)

    def _heard(self, event: AnyEvent) -> None:
        if isinstance(event, Result) and event.request in self._calls:
            call, done, failed = self._calls.pop(event.request)
            error = call.error()
            if error is not None:
                (failed or self._failed)(error)
            elif done is not None:
                done(call.result())
        if isinstance(event, Connection):
            self.is_connected = event.state == "connected"
        for listener in self._listeners:
            listener(event)

    def close(self, closed: Callable[[], object]) -> None:
        """Ends the client; then calls ``closed``, from the main loop."""
        client, self._client = self._client, None
        self.is_open = self.is_connected = False
        self._calls.clear()
        if client is None:
            later(closed)
            return
        GLib.source_remove(self._source)

        def work() -> None:
            client.close()
            later(closed)

        threading.Thread(target=work, name="close").start()
