"""A throw-away Synapse for tests: SQLite, this machine only, without limits of rate; and users of it by plain REST."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

CONFIG = """
server_name: "localhost"
pid_file: {folder}/homeserver.pid
listeners:
  - {{port: {port}, bind_addresses: ['127.0.0.1'], tls: false, type: http,
     resources: [{{names: [client], compress: false}}]}}
database: {{name: sqlite3, args: {{database: "{folder}/homeserver.db"}}}}
log_config: "{folder}/log.yaml"
media_store_path: {folder}/media
macaroon_secret_key: "m"
form_secret: "f"
report_stats: false
enable_registration: true
enable_registration_without_verification: true
signing_key_path: "{folder}/signing.key"
trusted_key_servers: []
suppress_key_server_warning: true
presence: {{enabled: false}}
room_list_publication_rules: [{{action: allow}}]
rc_message: {{per_second: 100000, burst_count: 100000}}
rc_registration: {{per_second: 100000, burst_count: 100000}}
rc_joins: {{local: {{per_second: 100000, burst_count: 100000}}}}
rc_joins_per_room: {{per_second: 100000, burst_count: 100000}}
rc_room_creation: {{per_second: 100000, burst_count: 100000}}
rc_invites: {{per_room: {{per_second: 100000, burst_count: 100000}},
             per_user: {{per_second: 100000, burst_count: 100000}},
             per_issuer: {{per_second: 100000, burst_count: 100000}}}}
"""

LOG = """
version: 1
handlers: {{f: {{class: logging.FileHandler, filename: {folder}/homeserver.log}}}}
root: {{level: WARNING, handlers: [f]}}
disable_existing_loggers: false
"""

PATIENCE = 120


class Refused(Exception):
    def __init__(self, status: int, body: dict[str, Any]):
        super().__init__(f"{status} {body}")
        self.status, self.body = status, body


class Homeserver:
    def __init__(self, folder: Path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        (folder / "homeserver.yaml").write_text(CONFIG.format(folder=folder, port=self.port))
        (folder / "log.yaml").write_text(LOG.format(folder=folder))
        self._command = [sys.executable, "-m", "synapse.app.homeserver", "--config-path", "homeserver.yaml"]
        subprocess.run([*self._command, "--generate-keys"], cwd=folder, check=True)
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        with open(self._folder / "out.log", "ab") as out:
            self._process = subprocess.Popen(self._command, cwd=self._folder, stdout=out, stderr=out)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                urllib.request.urlopen(self.url + "/_matrix/client/versions", timeout=10).close()
                return
            except OSError:
                if time.monotonic() > end or self._process.poll() is not None:
                    raise
                time.sleep(0.1)  # nothing tells when a port is open

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(PATIENCE)
            self._process = None

    def user(self, name: str) -> User:
        account = User(self, None).ask(
            "POST", "register", {"auth": {"type": "m.login.dummy"}, "username": name, "password": f"secret of {name}"})
        return User(self, account)


class User:
    """A user with a device that asks by plain REST."""

    def __init__(self, server: Homeserver, account: dict[str, Any] | None):
        self.server = server
        self.id: str = account["user_id"] if account else ""
        self.token: str = account["access_token"] if account else ""
        self._sent = 0

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        request = urllib.request.Request(
            f"{self.server.url}/_matrix/client/v3/{path}", method=method, headers=headers,
            data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refused(error.code, json.load(error)) from None

    def room(self, name: str | None = None, invite: tuple[User, ...] = (), **more: Any) -> str:
        body = {"preset": "private_chat", "invite": [user.id for user in invite], **more}
        if name:
            body["name"] = name
        return self.ask("POST", "createRoom", body)["room_id"]

    def join(self, room: str) -> None:
        self.ask("POST", f"join/{quote(room)}", {})

    def event(self, room: str, kind: str, content: dict[str, Any]) -> str:
        self._sent += 1
        return self.ask(
            "PUT", f"rooms/{quote(room)}/send/{kind}/t{self._sent}", content)["event_id"]

    def say(self, room: str, text: str, **more: Any) -> str:
        return self.event(room, "m.room.message", {"msgtype": "m.text", "body": text, **more})

    def edit(self, room: str, event: str, text: str) -> str:
        return self.say(room, "* " + text, **{
            "m.new_content": {"msgtype": "m.text", "body": text},
            "m.relates_to": {"rel_type": "m.replace", "event_id": event}})

    def react(self, room: str, event: str, key: str) -> str:
        return self.event(room, "m.reaction", {
            "m.relates_to": {"rel_type": "m.annotation", "event_id": event, "key": key}})

    def redact(self, room: str, event: str) -> None:
        self._sent += 1
        self.ask("PUT", f"rooms/{quote(room)}/redact/{quote(event)}/t{self._sent}", {})

    def texts(self, room: str) -> list[str]:
        """The room's texts, oldest first, without what was taken back, as they were sent."""
        texts: list[str] = []
        token = ""
        while True:
            page = self.ask("GET", f"rooms/{quote(room)}/messages?dir=b&limit=100{token}")
            texts += [event["content"]["body"] for event in page["chunk"]
                      if event["type"] == "m.room.message" and "body" in event["content"]
                      and "m.new_content" not in event["content"]]
            if "end" not in page:
                return texts[::-1]
            token = f"&from={quote(page['end'])}"


def quote(text: str) -> str:
    return urllib.parse.quote(text, safe="")
