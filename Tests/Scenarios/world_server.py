"""The server of a scenario that runs in a world: in the process of the host, which is asked for it."""

from __future__ import annotations

import os
from typing import Any

from harness import ROOT  # noqa: F401  (makes the package known)
from host import Host
from syncmanager.testing import Service


class WorldServer(Service):
    """What `Server` is, over the steps of a host."""

    #: Options of the server's command line that a world has.
    OPTIONS = {"--huge-gap": "huge_gap"}
    #: Of the steps those that a world cannot do: what is a process of its own, and what goes past REST.
    SERVER_STEPS = frozenset({"kill", "restart", "file"})

    def __init__(self, host: Host, options: list[str], seed: int) -> None:
        self.host = host
        given = {self.OPTIONS[name]: int(value) for name, value in zip(options[::2], options[1::2])
                 if name in self.OPTIONS}
        host.step("world", seed=seed, options=given)

    @classmethod
    def takes(cls, document: dict) -> bool:
        """Whether the scenario can run in a world."""
        options = document.get("server", [])
        if set(options[::2]) - {*cls.OPTIONS, "--database-port"} or "needs" in document:
            return False
        asked = {step.get("server") for step in document["steps"]}
        if "burst" in asked and "overflow" in map(cls.awaited, document["steps"]):
            return False  # Time passes only while the host waits for events, so a burst never fills its queue.
        return not asked & cls.SERVER_STEPS

    @staticmethod
    def awaited(step: dict) -> str | None:
        """What an event that the step awaits has to do with."""
        event = step.get("event", {})
        return event.get("source", event.get("type"))

    def config(self, user: dict, data_dir: os.PathLike, **more: Any) -> dict:
        # All of http, as the addresses that scenarios make up.
        return {
            "app_id": "syncmanager", "user_id": user["user_id"], "access_token": user["access_token"],
            "data_dir": os.fspath(data_dir), "api_host": "http://world", "ws_host": "ws://world",
            "database": {"url": "http://database", "name": "test"}, **more}

    def ask(self, method: str, target: str, body: str | None = None, *, database: bool = False) -> tuple[int, str]:
        answer = self.host.step("ask_world", method=method, target=target, body=body, database=database)
        return answer["status"], answer["body"]

    def end(self) -> None:
        self.host.step("end_world")
