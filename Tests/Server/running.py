"""A running syncmanager-server, for tests of it by whatever client. SYNCMANAGER_SERVER names the program."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any

import pytest
from wire import DEADLINE, Rest, Socket, quote

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program() -> str:
    named = os.environ.get("SYNCMANAGER_SERVER")
    if named:
        return named
    places = [ROOT / place / "syncmanager-server" for place in ("build/bin", ".build/release", ".build/debug")]
    built = [place for place in places if place.exists()]
    if built:
        return str(max(built, key=lambda place: place.stat().st_mtime))
    pytest.fail("syncmanager-server is not built: scripts/build makes it")
    raise AssertionError


class Server:
    """A running server, ended by closing its standard input."""

    def __init__(self, *options: str):
        self.process = subprocess.Popen(
            [program(), "--port", "0", "--exit-with-stdin", "--control", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "the server did not start"
        self.ready: dict[str, Any] = json.loads(line)
        assert self.ready["ready"] is True
        self.port = int(self.ready["api_host"].rsplit(":", 1)[1])
        self.admin = Rest(self.port, {"Api-Token": self.ready["api_token"]})
        self.sockets: list[Socket] = []

    def control(self, path: str, **body: Any) -> Any:
        return Rest(self.port, {}).post("/control/" + path, body)

    def control_get(self, path: str, **query: Any) -> Any:
        return Rest(self.port, {}).get("/control/" + path, **query)

    def user(self, user_id: str, nickname: str | None = None) -> "User":
        made = self.admin.post(
            "/v3/users", {"user_id": user_id, "nickname": nickname or user_id.title(), "issue_access_token": True}
        )
        return User(self, user_id, made["access_token"])

    def socket(self, query: str, headers: dict[str, str] | None = None, greeting: str = "LOGI") -> Socket:
        made = Socket(self.port, "/?" + query, headers, greeting)
        self.sockets.append(made)
        return made

    def stop(self) -> int:
        for open_socket in self.sockets:
            open_socket.close()
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(DEADLINE)


class User:
    def __init__(self, server: Server, user_id: str, token: str):
        self.server = server
        self.id = user_id
        self.token = token
        key = Rest(server.port, {"App-Id": server.ready["app_id"], "Access-Token": token}).post(
            f"/v3/users/{quote(user_id)}/session_key", {"expiring_session": False}
        )["key"]
        self.rest = Rest(server.port, {"Session-Key": key})
        self.me = f"/v3/users/{quote(user_id)}"

    def connect(self, extra: str = "", greeting: str = "LOGI") -> Socket:
        app = self.server.ready["app_id"]
        return self.server.socket(
            f"p=test&sv=1&ai={app}&user_id={quote(self.id)}{extra}", {"SENDBIRD-WS-TOKEN": self.token}, greeting
        )

    def channel(self, *others: "User", **fields: Any) -> "Channel":
        made = self.rest.post("/v3/group_channels", {"user_ids": [self.id, *(o.id for o in others)], **fields})
        return Channel(made)


class Channel(str):
    """A channel's URL, with its path."""

    def __new__(cls, document: Any) -> "Channel":
        made = super().__new__(cls, document["channel_url"])
        return made

    @property
    def path(self) -> str:
        return "/v3/group_channels/" + quote(self)
