"""Starts syncmanager-server, and asks its REST, control endpoint and database."""

import http.client
import json
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent


def program():
    return os.environ.get("SM_SERVER") or str(HERE.parent.parent / "build" / "bin" / "syncmanager-server")


def quote(text):
    return urllib.parse.quote(text, safe="")


class Server:
    """The program on free ports, or again on those it had."""

    def __init__(self, *options, file=None, users=(), database=True):
        self.options, self.file, self.users, self.database = list(options), file, users, database
        self.ports = (0, 0)
        self.process = None
        self.start()

    def command(self):
        words = [program(), "--port", str(self.ports[0]), "--control", "--exit-with-stdin", *self.options]
        if self.database:
            words += ["--database-port", str(self.ports[1])]
        if self.file:
            words += ["--db", str(self.file)]
        for user in self.users:
            words += ["--user", f"{user}:token-{user}"]
        return words

    def start(self):
        self.errors = tempfile.TemporaryFile()
        for _ in range(20):
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
            line = self.process.stdout.readline()
            if line:
                break
            self.process.wait()
            time.sleep(0.2)
        else:
            self.errors.seek(0)
            raise RuntimeError("the server does not start: " + self.errors.read().decode()[-400:])
        self.ready = json.loads(line)
        self.api, self.ws = self.ready["api_host"], self.ready["ws_host"]
        self.database_url = self.ready.get("database_url")
        self.token = self.ready["api_token"]
        self.options = [word for word in self.options]
        self.ports = (int(self.api.rsplit(":", 1)[1]),
                      int(self.database_url.rsplit(":", 1)[1]) if self.database_url else 0)
        if "--api-token" not in self.options:
            self.options += ["--api-token", self.token]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process.stdout.close()

    def ask(self, method, path, body=None, headers=None, port=None, timeout=20):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.ports[0], timeout=timeout)
        try:
            head = {"Api-Token": self.token, **(headers or {})}
            data = None
            if body is not None:
                data, head["Content-Type"] = json.dumps(body).encode(), "application/json"
            connection.request(method, path, data, head)
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, (json.loads(text) if text else None)
        finally:
            connection.close()

    def rest(self, method, path, body=None):
        status, answer = self.ask(method, "/v3/" + path, body)
        if status != 200:
            raise RuntimeError(f"{method} {path}: {status} {answer}")
        return answer

    def control(self, name, **body):
        status, answer = self.ask("POST", "/control/" + name, body)
        if status != 200:
            raise RuntimeError(f"control {name}: {status} {answer}")
        return answer

    def data(self, path, method="GET", value=None):
        """What is at a place of the database; the administration asks."""
        return self.ask(method, "/" + path.strip("/") + ".json?auth=owner", value, port=self.ports[1])[1]

    def channel(self, url, users, **more):
        return self.rest("POST", "group_channels", {"channel_url": url, "user_ids": list(users), **more})

    def post(self, url, user, text):
        return self.rest("POST", f"group_channels/{quote(url)}/messages",
                         {"message_type": "MESG", "user_id": user, "message": text})

    def all_messages(self, url):
        """Every message of a channel as the administration sees it, oldest first, without replies."""
        _, answer = self.ask("GET", f"/control/channel_messages?channel_url={quote(url)}&full=true")
        return answer["messages"]

    def config(self, user, folder, api=None, ws=None, database=None, **more):
        made = {"app_id": self.ready["app_id"], "user_id": user, "data_dir": str(folder),
                "access_token": f"token-{user}", "api_host": api or self.api, "ws_host": ws or self.ws}
        if self.database:
            made["database"] = {"url": database or self.database_url}
        made.update(more)
        return made
