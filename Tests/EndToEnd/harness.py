"""Real parts for tests and the demo: the embedded server, its REST interface, and the C program as a process."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVER = Path(os.environ.get("SYNCMANAGER_SERVER", ROOT / "build/bin/syncmanager-server"))
LIBRARY = Path(os.environ.get("SYNCMANAGER_LIBRARY", ROOT / "build/lib/libsyncmanager.so.0"))
os.environ["SYNCMANAGER_LIBRARY"] = str(LIBRARY)
PATIENCE = 30.0


class Server:
    """One syncmanager-server process; it ends with this one, since its standard input closes then."""

    def __init__(self, *arguments: str, db: Path | None = None, port: int = 0) -> None:
        self.arguments = list(arguments)
        self.db = db
        self.process: subprocess.Popen[str] | None = None
        self.ready: dict = {}
        self.start(port)

    def start(self, port: int = 0) -> None:
        command = [str(SERVER), "--port", str(port), "--exit-with-stdin", "--control", *self.arguments]
        if self.db:
            command += ["--db", str(self.db)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line, "the server ended before it was ready"
        self.ready = json.loads(line)
        self.port = urllib.parse.urlparse(self.ready["api_host"]).port

    def kill(self) -> None:
        """As a crash: nothing is flushed."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.stdin.close()
            self.process.wait(10)

    def restart(self, *arguments: str) -> None:
        """The same database on the same port, as after a crash."""
        self.arguments = list(arguments)
        self.start(self.port)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def request(self, method: str, path: str, body: object = None, **query: object) -> dict:
        """A REST call of the administration; an error body raises."""
        url = self.ready["api_host"] + path
        if query:
            url += "?" + urllib.parse.urlencode(query)
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, method=method)
        request.add_header("Api-Token", self.ready["api_token"])
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
        return json.loads(text) if text else {}

    def control(self, verb: str, **body: object) -> dict:
        return self.request("POST", "/control/" + verb, body)

    def channel(self, url: str) -> str:
        return "/v3/group_channels/" + urllib.parse.quote(url, safe="")

    def user(self, index: int) -> dict:
        return self.ready["users"][index]

    def create_user(self, user_id: str) -> dict:
        token = "token-" + user_id
        body = {"user_id": user_id, "nickname": user_id, "profile_url": "", "access_token": token}
        user = self.request("POST", "/v3/users", body)
        return {"user_id": user_id, "access_token": user["access_token"]}

    def create_channel(self, url: str, *user_ids: str, **more: object) -> str:
        self.request("POST", "/v3/group_channels", {"channel_url": url, "user_ids": list(user_ids), **more})
        return url

    def post(self, url: str, user_id: str, text: str, **more: object) -> dict:
        body = {"message_type": "MESG", "user_id": user_id, "message": text, **more}
        return self.request("POST", self.channel(url) + "/messages", body)

    def edit(self, url: str, message_id: int, text: str) -> dict:
        body = {"message_type": "MESG", "message": text}
        return self.request("PUT", f"{self.channel(url)}/messages/{message_id}", body)

    def delete(self, url: str, message_id: int) -> dict:
        return self.request("DELETE", f"{self.channel(url)}/messages/{message_id}")

    def messages(self, url: str) -> list[dict]:
        """All of a channel, oldest first, threads included."""
        result: list[dict] = []
        since = 0
        while True:
            page = self.request("GET", self.channel(url) + "/messages", None, message_ts=since, prev_limit=0,
                                next_limit=200, include="true", include_reply_type="all")["messages"]
            known = {message["message_id"] for message in result[-1000:]}
            fresh = [message for message in page if message["message_id"] not in known]
            if not fresh:
                return result
            result += fresh
            since = fresh[-1]["created_at"]

    def config(self, user: dict, data_dir: Path, **more: object) -> dict:
        return {"app_id": self.ready["app_id"], "user_id": user["user_id"], "access_token": user["access_token"],
                "data_dir": str(data_dir), "api_host": self.ready["api_host"], "ws_host": self.ready["ws_host"], **more}


class Watch:
    """The C program `watch` as a process: its lines are read as they come. `libraries` is where the dynamic loader
    looks before it looks elsewhere."""

    def __init__(
        self, program: Path, config: dict, channel: str | None = None, echo=None, libraries: Path | None = None
    ) -> None:
        command = [str(program), json.dumps(config), *([channel] if channel else [])]
        path = [str(folder) for folder in (libraries, LIBRARY.parent) if folder]
        environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(path)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.echo = echo
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def next_line(self) -> str:
        line = self.lines.get(timeout=PATIENCE)
        if line is None:
            raise AssertionError(f"the program ended with {self.process.wait()}")
        if self.echo and not line.startswith("{"):
            self.echo(line)
        return line

    def wait(self, *texts: str) -> str:
        """The next line that holds all the texts."""
        while True:
            line = self.next_line()
            if all(text in line for text in texts):
                return line

    def say(self, command: str) -> None:
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def ask(self, command: str) -> dict:
        self.say(command)
        return json.loads(self.wait('{"seq"'))

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def quit(self) -> int:
        self.say("quit")
        return self.process.wait(PATIENCE)


def build_watch(target: Path) -> Path:
    """Compiles the C program against the public header and the built library."""
    subprocess.run(
        ["cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include",
         str(ROOT / "bindings/c/watch.c"), "-o", str(target), f"-L{LIBRARY.parent}", "-lsyncmanager", "-ljansson"],
        check=True)
    return target


def drain_until(client, condition, patience: float = PATIENCE):
    """Drains events until `condition(event)` is true; returns that event."""
    end = time.monotonic() + patience
    seen = []
    while time.monotonic() < end:
        event = client.next_event(max(1, int((end - time.monotonic()) * 1000)))
        if event is None:
            continue
        seen.append(event)
        if condition(event):
            return event
    kinds = [(e["type"], e.get("action"), e.get("list"), e.get("source"), e.get("status")) for e in seen[-15:]]
    raise AssertionError(f"what was waited for did not come; the last events: {kinds}")


def result_of(client, request: int):
    """Drains until the result of a call came."""
    return drain_until(client, lambda event: event["type"] == "result" and event["request"] == request)


def fetch_all(client, collection, previous: bool = True) -> None:
    """Fetches to the end of a direction."""
    while True:
        request = collection.fetch_previous() if previous else collection.fetch_next()
        result = result_of(client, request)
        assert result["status"] == 0, result
        if not result["has_more"]:
            return
