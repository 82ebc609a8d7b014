"""Realtime: from the moment a frame leaves for a client to the moment its host has the message, by way of the store.

Each client is connected to a real syncmanager-server through a relay that notes when it hands a message's frame on;
both read the same monotonic clock. Messages are sent one at a time, so nothing waits behind another.
"""

import http.client
import json
import re
import socket
import statistics
import subprocess
import threading
import time
from urllib.parse import quote, urlencode, urlparse

CHANNEL = "benchmark"


class Relay:
    """Hands bytes on between one client and the server, and notes when each message's frame was handed on."""

    def __init__(self, port):
        self.port_of_server = port
        self.times = {}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            client, _ = self.listener.accept()
        except OSError:
            return
        server = socket.create_connection(("127.0.0.1", self.port_of_server))
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=self.carry, args=(client, server), daemon=True).start()
        self.carry(server, client, watches=True)

    def carry(self, source, target, watches=False):
        try:
            while data := source.recv(1 << 16):
                found = re.search(rb'MESG\{.*?"(?:message_id|msg_id)":(\d+)', data) if watches else None
                if found:
                    self.times[int(found[1])] = time.monotonic_ns()
                target.sendall(data)
        except OSError:
            pass  # the other side has gone
        finally:
            for end in (source, target):
                end.close()


class Chat:
    """A server with one channel and two members: one who writes, one who listens."""

    def __init__(self, executable, *options):
        self.process = subprocess.Popen(
            [executable, "--exit-with-stdin", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = json.loads(self.process.stdout.readline())
        self.port = urlparse(self.ready["ws_host"]).port
        self.rest = http.client.HTTPConnection("127.0.0.1", urlparse(self.ready["api_host"]).port)
        self.create_user("writer")
        self.token = self.create_user("listener", access_token="token")["access_token"]
        self.call("POST", "/v3/group_channels", {"channel_url": CHANNEL, "user_ids": ["writer", "listener"]})

    def create_user(self, user, **more):
        return self.call("POST", "/v3/users", {"user_id": user, "nickname": user, "profile_url": "", **more})

    def call(self, method, path, body):
        self.rest.request(method, path, json.dumps(body), {
            "Api-Token": self.ready["api_token"], "Content-Type": "application/json"})
        answer = self.rest.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:200]}")
        return json.loads(text)

    def send(self, number):
        text = f"message {number}: " + "see the notes of the meeting before noon, thanks 👍 " * 4
        path = f"/v3/group_channels/{quote(CHANNEL)}/messages"
        return self.call("POST", path, {"message_type": "MESG", "user_id": "writer", "message": text})["message_id"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def measure(chat, command, folder, count):
    """Runs a client; gives the median time in seconds from a message's frame to the host."""
    relay = Relay(chat.port)
    query = urlencode({"ai": chat.ready["app_id"], "user_id": "listener", "access_token": chat.token})
    config = {
        "app_id": chat.ready["app_id"], "user_id": "listener", "access_token": chat.token, "data_dir": str(folder),
        "api_host": chat.ready["api_host"], "ws_host": f"ws://127.0.0.1:{relay.port}"}
    values = {"config": json.dumps(config), "port": str(relay.port), "query": query, "db": f"{folder}.db"}
    process = subprocess.Popen(
        [values.get(part, part) if isinstance(part, str) else part for part in command],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    taken = []
    try:
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{command[0]} did not connect")
        for number in range(count):
            message = chat.send(number)
            told, at = map(int, process.stdout.readline().split())
            if told != message:
                raise RuntimeError(f"{command[0]}: message {told} where {message} was sent")
            taken.append(int(at) - relay.times[message])
        process.stdin.close()
        process.wait(10)
    finally:
        process.kill()
        relay.listener.close()
    return {"realtime_seconds": statistics.median(taken) / 1e9}
