"""One ``syncmanager-server`` process: starting and stopping it, its administration, its faults."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypedDict, cast

from ..documents import Config, Message, MessageId

#: Seconds until a request of the administration must be answered.
PATIENCE = 30.0

Fault = Literal["429", "5xx", "garbage", "half_body", "close"]


class Account(TypedDict):
    """A user who can log in. Since 0.1."""

    user_id: str
    access_token: str


class ServerError(Exception):
    """The server refused a request of the administration, or could not be started.

    ``status`` is the HTTP status (0 when it could not be started), ``code`` the service's own. Since 0.1.
    """

    def __init__(self, message: str, status: int = 0, code: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def server_program() -> Path:
    """The program: SYNCMANAGER_SERVER, else the one in this package (wheels), else the one on PATH. Since 0.1."""
    chosen = os.environ.get("SYNCMANAGER_SERVER")
    bundled = Path(__file__).parents[1] / "bin" / "syncmanager-server"
    found = chosen or (str(bundled) if bundled.exists() else shutil.which("syncmanager-server"))
    if not found:
        raise ServerError("there is no syncmanager-server: install it, or set SYNCMANAGER_SERVER to its path")
    return Path(found)


def _port(url: str) -> int | None:
    return urllib.parse.urlparse(url).port


class Server:
    """A server on 127.0.0.1, on a free port. Ends with ``stop``, with ``with``, and with this process at the latest.

    ``options`` are those of the program (docs/server.md). With ``db`` it keeps everything in that file, and
    ``restart`` goes on with it; without, in memory. Since 0.1.
    """

    def __init__(self, *options: str, db: str | os.PathLike[str] | None = None, port: int = 0) -> None:
        self.options = list(options)
        self.db = db
        #: The ready line of the server: "api_host", "ws_host", "app_id", "api_token", "users", "channels".
        self.ready: dict[str, Any] = {}
        self.port = port
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        command = [str(server_program()), "--port", str(self.port), "--exit-with-stdin", "--control", *self.options]
        if self.db is not None:
            command += ["--db", os.fspath(self.db)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise ServerError(f"{command[0]} ended with status {process.wait()} before it was ready")
        self.ready = json.loads(line)
        self.port = _port(self.ready["api_host"]) or 0
        if "database_url" in self.ready:
            # A restarted server has the same ports.
            place = self.options.index("--database-port") + 1
            self.options[place] = str(_port(self.ready["database_url"]))
        return process

    # Its life

    def kill(self) -> None:
        """Kills it like a crash: nothing is flushed, and sockets are not closed in order."""
        self.process.kill()
        self._ended()

    def stop(self) -> None:
        """Ends it in order."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._ended()

    def restart(self, *options: str) -> None:
        """Starts it once more after ``kill`` or ``stop``: same database and port, and options unless some are given."""
        before = self.options
        self.options = list(options) or before
        if "--database-port" in self.options and "--database-port" in before:
            place = self.options.index("--database-port") + 1
            self.options[place] = before[before.index("--database-port") + 1]
        self.process = self._start()

    def _ended(self) -> None:
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self._ended()

    # Its administration

    def config(self, user: Account, data_dir: str | os.PathLike[str], **more: Any) -> Config:
        """The configuration of a client of this server, for ``SyncManager(**config)``.

        With its realtime database, where it serves one (option ``--database-port``).
        """
        database = {"url": self.ready["database_url"], "name": "test"} if "database_url" in self.ready else None
        config = {
            "app_id": self.ready["app_id"],
            "user_id": user["user_id"],
            "access_token": user["access_token"],
            "data_dir": os.fspath(data_dir),
            "api_host": self.ready["api_host"],
            "ws_host": self.ready["ws_host"],
            **({"database": database} if database else {}),
            **more,
        }
        return cast(Config, config)

    def request(self, method: str, path: str, body: object = None, **query: object) -> dict[str, Any]:
        """A REST call of the administration, as ``request("GET", "/v3/users")``. Raises ServerError."""
        url = self.ready["api_host"] + path
        if query:
            url += "?" + urllib.parse.urlencode(query)
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, method=method)
        request.add_header("Api-Token", self.ready["api_token"])
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            with error:
                refused = error.read().decode("utf-8", "replace")
            try:
                code = json.loads(refused).get("code")
            except (ValueError, AttributeError):
                code = None
            raise ServerError(f"{method} {path}: {error.code} {refused}", error.code, code) from None
        return cast("dict[str, Any]", json.loads(text)) if text else {}

    def database(self, method: str, path: str, body: object = None) -> Any:
        """A request of the administration to the realtime database: ``database("PUT", "/rooms/a", {"name": "A"})``.

        Gives what the database answers. Raises ServerError. Since 0.1.
        """
        url = f"{self.ready['database_url']}{path if path.startswith('/') else '/' + path}.json?ns=test&auth=owner"
        data = None if method in ("GET", "DELETE") else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, method=method), timeout=PATIENCE) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            with error:
                refused = error.read().decode("utf-8", "replace")
            raise ServerError(f"{method} {path}: {error.code} {refused}", error.code) from None

    def upload(self, data: bytes, name: str = "file.bin", *, require_auth: bool = False) -> str:
        """Stores a file; gives its address. Since 0.1."""
        edge = b"syncmanager-testing-boundary"
        parts = [f'form-data; name="file"; filename="{name}"\r\n\r\n'.encode() + data]
        if require_auth:
            parts.append(b'form-data; name="require_auth"\r\n\r\ntrue')
        body = b"".join(b"--" + edge + b"\r\nContent-Disposition: " + part + b"\r\n" for part in parts)
        request = urllib.request.Request(
            self.ready["api_host"] + "/v3/storage/file", body + b"--" + edge + b"--\r\n", method="POST"
        )
        request.add_header("Api-Token", self.ready["api_token"])
        request.add_header("Content-Type", "multipart/form-data; boundary=" + edge.decode())
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return cast(str, json.loads(answer.read())["url"])

    def session_key(self, user_id: str) -> str:
        """A session key of a user, by which the realtime database knows the user. ``revoke_tokens`` ends it."""
        return cast(str, self.request("POST", f"/v3/users/{urllib.parse.quote(user_id)}/token", {})["token"])

    def user(self, index: int = 0) -> Account:
        """A user who was there from the start (options ``--user``, ``--generate``)."""
        user = self.ready["users"][index]
        return {"user_id": user["user_id"], "access_token": user["access_token"]}

    def create_user(self, user_id: str, nickname: str | None = None) -> Account:
        """A user who can log in."""
        body = {
            "user_id": user_id,
            "nickname": user_id if nickname is None else nickname,
            "profile_url": "",
            "access_token": "token-" + user_id,
        }
        user = self.request("POST", "/v3/users", body)
        return {"user_id": user_id, "access_token": user["access_token"]}

    def channel(self, channel_url: str) -> str:
        """The REST path of a channel."""
        return "/v3/group_channels/" + urllib.parse.quote(channel_url, safe="")

    def create_channel(self, channel_url: str, *user_ids: str, **more: object) -> str:
        """A channel with members; ``more`` as in the Platform API, as ``name="Lunch"``."""
        self.request("POST", "/v3/group_channels", {"channel_url": channel_url, "user_ids": list(user_ids), **more})
        return channel_url

    def post(self, channel_url: str, user_id: str, text: str, **more: object) -> Message:
        """A message of a user; ``more`` as in the Platform API."""
        body = {"message_type": "MESG", "user_id": user_id, "message": text, **more}
        return cast(Message, self.request("POST", self.channel(channel_url) + "/messages", body))

    def post_many(self, channel_url: str, user_id: str, count: int) -> list[int]:
        """That many messages, told to clients as if sent one by one; gives their ids."""
        answer = self.control("post_messages", channel_url=channel_url, user_id=user_id, count=count)
        return cast("list[int]", answer["message_ids"])

    def edit(self, channel_url: str, message_id: MessageId, text: str) -> Message:
        """Changes the text of a message."""
        body = {"message_type": "MESG", "message": text}
        return cast(Message, self.request("PUT", f"{self.channel(channel_url)}/messages/{message_id}", body))

    def delete(self, channel_url: str, message_id: MessageId) -> None:
        """Deletes a message."""
        self.request("DELETE", f"{self.channel(channel_url)}/messages/{message_id}")

    def set_typing(self, channel_url: str, user_id: str, typing: bool = True) -> None:
        """Lets a user begin or end typing."""
        self.request("POST" if typing else "DELETE", self.channel(channel_url) + "/typing", {"user_ids": [user_id]})

    def messages(self, channel_url: str) -> list[Message]:
        """All messages of a channel, oldest first, replies in threads included."""
        result: list[Message] = []
        since = 0
        while True:
            page: list[Message] = self.request(
                "GET",
                self.channel(channel_url) + "/messages",
                None,
                message_ts=since,
                prev_limit=0,
                next_limit=200,
                include="true",
                include_reply_type="all",
            )["messages"]
            known = {message["message_id"] for message in result[-1000:]}
            fresh = [message for message in page if message["message_id"] not in known]
            if not fresh:
                return result
            result += fresh
            since = fresh[-1]["created_at"]

    # Its faults

    def control(self, verb: str, **body: object) -> dict[str, Any]:
        """A request to the control endpoint (docs/server.md), for those without a method here."""
        return self.request("POST", "/control/" + verb, body)

    def fault(
        self,
        kind: Fault,
        count: int = 1,
        *,
        path_contains: str = "",
        status: int | None = None,
        retry_after: int | None = None,
        executes: bool | None = None,
    ) -> None:
        """The next ``count`` requests whose target holds ``path_contains`` fail: "429" and "5xx" are not executed,
        "garbage" and "half_body" are, but their answer is damaged, "close" is not answered. ``retry_after`` in s."""
        chosen = {"status": status, "retry_after": retry_after, "executes": executes}
        more = {key: value for key, value in chosen.items() if value is not None}
        self.control("fault", kind=kind, count=count, path_contains=path_contains, **more)

    def clear_faults(self) -> None:
        """Ends faults, delays, refused connections and lost acknowledgements."""
        self.control("clear_faults")

    def refuse_connections(self, on: bool = True) -> None:
        """Closes requests and new sockets without an answer; open sockets stay, see ``drop_sockets``."""
        self.control("refuse_connections", on=on)

    def drop_sockets(self, user_id: str | None = None) -> int:
        """Ends the sockets of a user or of all, without a close frame; returns their number."""
        more = {} if user_id is None else {"user_id": user_id}
        return int(self.control("drop_sockets", **more)["dropped"])

    def delay(self, ms: int, path_prefix: str = "") -> None:
        """REST answers come that much later; 0 ends it."""
        self.control("delay", ms=ms, path_prefix=path_prefix)

    def lose_next_ack(self, count: int = 1) -> None:
        """The next messages that are sent are stored and told, but their sender gets no acknowledgement."""
        self.control("lose_next_ack", count=count)

    def expire_session_keys(self, user_id: str | None = None) -> None:
        """Session keys run out now."""
        more = {} if user_id is None else {"user_id": user_id}
        self.control("expire_session_keys", **more)

    def revoke_tokens(self, user_id: str | None = None) -> list[Account]:
        """Revokes tokens and ends their sessions; gives the users with new tokens."""
        more = {} if user_id is None else {"user_id": user_id}
        users = self.control("revoke_tokens", **more)["users"]
        return [{"user_id": user["user_id"], "access_token": user["access_token"]} for user in users]

    def advance_clock(self, ms: int) -> None:
        """Moves the server's clock forward."""
        self.control("advance_clock", ms=ms)

    def received(self) -> list[dict[str, Any]]:
        """The last ten thousand requests and socket frames that came in."""
        return cast("list[dict[str, Any]]", self.request("GET", "/control/received")["received"])
