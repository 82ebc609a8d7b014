"""What both kinds of client can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ._actions import ClientActions
from ._calls import Call
from ._collection import C
from ._core import Core
from ._feeds import Feed
from ._ffi import check, encode, lib, text
from ._handlers import add_handler
from ._results import answer, nothing
from ._shown import Listener
from ._targets import given
from .events import AnyEvent, Event
from .resources import Resources

E = TypeVar("E", bound=Event)
R = TypeVar("R")


class ClientCalls(ClientActions):
    """The calls on a client. Since 0.1."""

    def _open_core(self) -> Core:
        raise NotImplementedError

    def connect(self) -> Call[None]:
        """Connects and stays connected: after a loss it tries again by itself.

        Completes at the first login, or when the first attempt failed: TokenRejectedError, or ServiceError and
        NetworkError, after which it goes on trying. Without a connection the cache is shown, and messages that are sent
        wait.
        """
        core = self._open_core()
        return core.begin("connect", nothing, None, lib.sm_connect, core.handle.use())

    def sign_out(self) -> Call[None]:
        """Disconnects and removes all that is kept of the user on this machine, unsent messages included. The client
        goes on with an empty cache. Since 0.1."""
        core = self._open_core()
        return core.begin("sign_out", nothing, None, lib.sm_sign_out, core.handle.use())

    def clear_cache(self, channel_url: str | None = None) -> Call[None]:
        """Removes cached messages of one channel, or of all; unsent messages stay."""
        core = self._open_core()
        url = None if channel_url is None else text(channel_url)
        return core.begin("clear_cache", nothing, None, lib.sm_clear_cache, core.handle.use(), url)

    def call_document(self, document: Mapping[str, Any]) -> Call[Any]:
        """Asks for an action, given as the document of ``sm_call``."""
        core = self._open_core()
        return core.begin("call", answer, None, lib.sm_call, core.handle.use(), encode(document))

    def _act(self, action: str, **arguments: Any) -> Call[Any]:
        return self.call_document(given(action, arguments))

    @property
    def resources(self) -> Resources[Call[Any]]:
        """Objects of registered types over the realtime database, in contexts."""
        return Resources(self.call_document)


class ClientBase:
    """What an asyncio client and a blocking one share. Since 0.1."""

    def _open_core(self) -> Core:
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
        return self._open_core().closed

    def disconnect(self) -> None:
        """Closes the connection and stays offline; the cache and the collections stay."""
        check(lib.sm_disconnect(self._open_core().handle.use()))

    def resume_sync(self) -> None:
        """Lets background sync run, as it does from the start."""
        check(lib.sm_resume_sync(self._open_core().handle.use()))

    def set_foreground(self, is_foreground: bool) -> None:
        """Whether the program is in the foreground, as at the start. In the background the connection closes after
        ``background_grace_ms``; back in the foreground it is made again at once. Since 0.1."""
        check(lib.sm_set_foreground(self._open_core().handle.use(), int(is_foreground)))

    def pause_sync(self) -> None:
        """Pauses background sync; realtime events go on."""
        check(lib.sm_pause_sync(self._open_core().handle.use()))

    def set_token(self, access_token: str) -> None:
        """Gives a new access token, the answer to ``TokenNeeded``."""
        check(lib.sm_set_token(self._open_core().handle.use(), text(access_token)))

    def fileno(self) -> int:
        """A descriptor that is readable while events wait, for other event loops. Do not read from it."""
        handle = self._open_core().handle
        handle.use()
        return handle.fd

    def events(self, timeout: float | None = None) -> Feed[AnyEvent]:
        """An iteration over all events from now on; a blocking one ends when none came for ``timeout`` seconds."""
        return Feed(self._open_core(), None, False, timeout)

    def on_event(self, listener: C) -> C:
        """Calls ``listener`` with every event, after the lists have it, on the thread that drains.

        Can be used as a decorator. What it raises goes to the log ``syncmanager``.
        """
        core = self._open_core()
        core.listen(core.listeners, listener, None)
        return listener

    def on(self, kind: type[E]) -> Callable[[Callable[[E], R]], Callable[[E], R]]:
        """A decorator: calls the function with every event of that class, after the lists have it.

            @sm.on(MessageReceived)
            async def answer(event: MessageReceived) -> None: ...

        With an asyncio client it may be a coroutine function: it runs on a task of the loop, for one event after
        another in their order. What waits for it stays in memory, and ``close`` cancels it. A plain function is called
        on the thread that drains and must not wait for the client; a blocking client takes no other (TypeError). What a
        handler raises goes to the log ``syncmanager``. Since 0.1.
        """
        core = self._open_core()

        def added(listener: Callable[[E], R]) -> Callable[[E], R]:
            add_handler(core, kind, listener)
            return listener

        return added

    def remove_listener(self, listener: Listener) -> None:
        """Removes a listener that ``on_event`` or ``on`` added; one that is not there is ignored. A coroutine function
        still handles what waits for it."""
        core = self._open_core()
        for known in core.listeners.copy():
            if known == listener or getattr(known, "listener", None) == listener:
                core.unlisten(core.listeners, known, None)
