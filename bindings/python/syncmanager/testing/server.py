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
from typing import Any, cast

from ..documents import Config
from .service import Account, ServerError, Service

#: Seconds until a request of the administration must be answered.
PATIENCE = 30.0


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


class Server(Service):
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

    def ask(self, method: str, target: str, body: str | None = None, *, database: bool = False) -> tuple[int, str]:
        url = self.ready["database_url"] + target + "&auth=owner" if database else self.ready["api_host"] + target
        request = urllib.request.Request(url, None if body is None else body.encode(), method=method)
        if not database:
            request.add_header("Api-Token", self.ready["api_token"])
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode("utf-8", "replace")

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

    def user(self, index: int = 0) -> Account:
        """A user who was there from the start (options ``--user``, ``--generate``)."""
        user = self.ready["users"][index]
        return {"user_id": user["user_id"], "access_token": user["access_token"]}
