"""A world: service, network and time in this process. A day of chat takes milliseconds, and is the same each time."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import selectors
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Literal, TypedDict, TypeVar, cast

from .. import _time
from .._ffi import check, declare, lib, string_of, text
from ..collections import ClientBase
from ..documents import Config
from .service import Account, Service

T = TypeVar("T")

#: Milliseconds of the longest time that passes while an event loop waits for anything to happen.
_LONGEST_IDLE = 30 * 86_400_000

Disturbance = Literal["reset", "die", "die_up", "die_down", "lose_pong"]


class Weather(TypedDict, total=False):
    """How bad network and service are, in percent of requests, connections or frames. Since 0.1.

    - ``lost``: requests never arrive
    - ``answer_lost``: answers never arrive; what was asked for is done
    - ``reset``: connections break, before or after the request was carried out
    - ``half``: half of an answer comes
    - ``rate_limited``: the service answers 429
    - ``broken``: the service answers 5xx
    - ``garbage``: an answer is no JSON
    - ``refused``: a socket cannot be opened
    - ``slow``: requests and frames take up to three seconds
    - ``token_expired``: page tokens are too old (access tokens are not)
    - ``change_refused``: requests that change something in a channel are refused
    """

    lost: int
    answer_lost: int
    reset: int
    half: int
    rate_limited: int
    broken: int
    garbage: int
    refused: int
    slow: int
    token_expired: int
    change_refused: int


def _functions() -> Any:
    if not hasattr(lib, "smt_world_new"):
        raise ImportError(
            "a World needs libsyncmanager-testing: set SYNCMANAGER_LIBRARY to libsyncmanager-testing.so.0 (its name, or"
            " its path) before syncmanager is imported"
        )
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    texts = [pointer, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p]
    answer = [ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(ctypes.c_void_p)]
    declare("smt_world_new", ctypes.c_int32, [ctypes.c_uint64, ctypes.c_char_p, ctypes.POINTER(pointer)])
    declare("smt_world_free", ctypes.c_int32, [pointer])
    declare("smt_now", number, [pointer])
    declare("smt_advance", ctypes.c_int32, [pointer, number])
    declare("smt_step", number, [pointer, number])
    declare("smt_request", ctypes.c_int32, [*texts, *answer])
    declare("smt_database_request", ctypes.c_int32, [*texts, *answer])
    declare("smt_set_weather", ctypes.c_int32, [pointer, ctypes.c_char_p])
    declare("smt_disturb", ctypes.c_int32, [pointer, ctypes.c_char_p, ctypes.c_char_p])
    declare("smt_kill", ctypes.c_int32, [pointer])
    return lib


class World(Service):
    """A chat service, the network that leads to it, and time, in this process.

        with World(seed) as world:
            mei = world.create_user("mei")
            world.run(bot(world.config(mei, tmp_path)))

    Clients that are opened while it is there are in it. Time stands still until ``advance`` lets it pass, or something
    waits: a blocking call or iteration, or the event loop of ``run``, whose clock is the world's, so that
    ``asyncio.sleep(3600)`` takes no time. The same calls with the same ``seed`` give the same events.

    There is one at a time, for one thread. ``start``: the time at the beginning, ms since the epoch. ``page_size``: how
    many channels or changes the service gives at once. ``huge_gap``: a gap of more messages is huge. Needs the library
    libsyncmanager-testing (ImportError). Since 0.1.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        start: int | None = None,
        weather: Weather | Literal["fair", "usual", "bad"] | None = None,
        page_size: int | None = None,
        huge_gap: int | None = None,
        file_limit_mb: int | None = None,
    ) -> None:
        self._lib = _functions()
        given = {
            "start": start,
            "weather": weather,
            "page_size": page_size,
            "huge_gap": huge_gap,
            "file_limit_mb": file_limit_mb,
        }
        options = {key: value for key, value in given.items() if value is not None}
        handle = ctypes.c_void_p()
        check(self._lib.smt_world_new(seed, json.dumps(options).encode(), ctypes.byref(handle)))
        self._handle = handle
        _time.source.now = lambda: self.now / 1000
        _time.source.is_virtual = True

    def close(self) -> None:
        """Ends the world. Clients that are left are killed. Safe to call twice."""
        if self._handle:
            check(self._lib.smt_world_free(self._handle))
            self._handle = ctypes.c_void_p()
            _time.source.reset()

    def __enter__(self) -> World:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Time

    @property
    def now(self) -> int:
        """The time, ms since the epoch."""
        return check(self._lib.smt_now(self._handle))

    def advance(self, ms: int) -> None:
        """Lets ``ms`` milliseconds pass. Not while ``run`` runs: there, ``await asyncio.sleep(seconds)``."""
        check(self._lib.smt_advance(self._handle, ms))

    def step(self, ms: int) -> int:
        """Lets time pass until a client has an event or a result more than before, at most ``ms`` milliseconds; gives
        how many have passed."""
        return check(self._lib.smt_step(self._handle, ms))

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine as ``asyncio.run`` does, on an event loop whose time is the world's."""
        loop = WorldLoop(self)
        try:
            asyncio.set_event_loop(loop)
            return loop.run_until_complete(main)
        finally:
            try:
                _cancel_all(loop)
                loop.run_until_complete(loop.shutdown_asyncgens())
            finally:
                asyncio.set_event_loop(None)
                loop.close()

    # What a test does

    def config(self, user: Account, data_dir: str | os.PathLike[str], **more: Any) -> Config:
        """The configuration of a client in this world, for ``SyncManager(**config)``, with its realtime database."""
        config = {
            "app_id": "syncmanager",
            "user_id": user["user_id"],
            "access_token": user["access_token"],
            "data_dir": os.fspath(data_dir),
            "database": {"url": "http://database", "name": "test"},
            **more,
        }
        return cast(Config, config)

    def ask(self, method: str, target: str, body: str | None = None, *, database: bool = False) -> tuple[int, str]:
        function = self._lib.smt_database_request if database else self._lib.smt_request
        status, answer = ctypes.c_int32(), ctypes.c_void_p()
        content = None if body is None else text(body)
        check(function(self._handle, text(method), text(target), content, ctypes.byref(status), ctypes.byref(answer)))
        return status.value, string_of(answer).decode("utf-8", "replace")

    def set_weather(self, weather: Weather | Literal["fair", "usual", "bad"]) -> None:
        """How bad network and service are from now on."""
        check(self._lib.smt_set_weather(self._handle, json.dumps(weather).encode()))

    def disturb(self, what: Disturbance, user_id: str | None = None) -> None:
        """Something happens to the connections of a user's clients, or of all: ``"reset"``, they break; ``"die"``,
        nothing arrives any more and nobody is told (``"die_up"``, ``"die_down"``: in one direction); ``"lose_pong"``:
        the answer to the next sign of life is lost."""
        check(self._lib.smt_disturb(self._handle, None if user_id is None else text(user_id), what.encode()))

    def kill(self, client: ClientBase) -> None:
        """Ends a client as when its process is killed: nothing more is stored, sent or told, and calls that wait end
        with ClosedError. A new client with the same ``data_dir`` goes on with what its files have."""
        core = client._open_core()
        if core.loop is not None:
            core.loop.remove_reader(core.handle.fd)
        codes: list[int] = []

        def end(handle: ctypes.c_void_p) -> None:
            codes.append(self._lib.smt_kill(handle))
            if codes[0] < 0:
                lib.sm_close(handle)  # one that was opened before the world

        core.handle.close(end)
        core.ended()
        for code in codes:
            check(code)


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


class _WorldSelector(selectors.SelectSelector):
    """Instead of waiting for descriptors, lets the world's time pass until one is ready."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        left = _LONGEST_IDLE if timeout is None else max(0, -int(-timeout * 1000 // 1))
        while not ready and left > 0:
            left -= self._world.step(left)
            ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("30 days have passed in the world, and nothing has happened that anybody waits for")
        return ready


class WorldLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is that of a world. It has no other threads, since those would not wait for it. Since
    0.1."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._start = world.now
        super().__init__(_WorldSelector(world))
        # asyncio's own is a nanosecond, which is lost in the rounding of sums after some weeks.
        self._clock_resolution = 1e-6

    def time(self) -> float:
        """The world's time in seconds, from the beginning of this loop on."""
        return (self._world.now - self._start) / 1000

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """Runs the function at once, on this thread."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future


__all__ = ["Disturbance", "Weather", "World", "WorldLoop"]
