"""Realtime: from the moment a frame leaves for a client to the moment its host has the message, by way of the store;
and what a client writes to disk meanwhile.

Each client is connected to a real syncmanager-server through a relay that notes when it hands a message's frame on;
both read the same monotonic clock. Messages are sent one at a time, so nothing waits behind another.
"""

import http.client
import json
import os
import re
import select
import socket
import statistics
import struct
import subprocess
import threading
import time
from urllib.parse import quote, urlencode, urlparse

CHANNEL = "benchmark"
PATIENCE = 60  # seconds until a message counts as lost
WARM = 20  # messages before those that are counted: a new cache has to grow first


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


def text(number):
    return f"message {number}: " + "see the notes of the meeting before noon, thanks 👍 " * 4


class Chat:
    """A server with one channel and two members: one who writes, one who listens."""

    def __init__(self, executable, *options):
        self.process = subprocess.Popen(
            [executable, "--exit-with-stdin", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = json.loads(self.process.stdout.readline())
        self.port = urlparse(self.ready["ws_host"]).port
        self.rest = http.client.HTTPConnection(
            "127.0.0.1", urlparse(self.ready["api_host"]).port, timeout=PATIENCE)
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
        path = f"/v3/group_channels/{quote(CHANNEL)}/messages"
        body = {"message_type": "MESG", "user_id": "writer", "message": text(number)}
        return self.call("POST", path, body)["message_id"]

    def burst(self, count):
        """So many messages at once; needs a server with --control."""
        self.call("POST", "/control/post_messages", {
            "channel_url": CHANNEL, "user_id": "writer", "count": count, "text": text(0)})

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def command_line(chat, command, folder, port):
    """A command with the words "config", "port", "query" and "db" replaced by what they stand for."""
    query = urlencode({"ai": chat.ready["app_id"], "user_id": "listener", "access_token": chat.token})
    config = {
        "app_id": chat.ready["app_id"], "user_id": "listener", "access_token": chat.token, "data_dir": str(folder),
        # Whatever comes at once waits for the host: an overflow would spare it work.
        "queue_limit": 100_000, "api_host": chat.ready["api_host"], "ws_host": f"ws://127.0.0.1:{port}"}
    values = {"config": json.dumps(config), "port": str(port), "query": query, "db": f"{folder}.db"}
    return [values.get(str(part), str(part)) for part in command]


def run(chat, command, folder):
    """What a program prints that connects to the server and ends by itself."""
    line = command_line(chat, command, folder, chat.port)
    done = subprocess.run(line, capture_output=True, text=True, timeout=PATIENCE)
    if done.returncode != 0:
        raise RuntimeError(f"{line[0]} {line[1]} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


class Client:
    """A program that is connected to the server, by way of a relay or directly."""

    def __init__(self, chat, command, folder, port, environment=None):
        self.name = str(command[0])
        self.process = subprocess.Popen(
            command_line(chat, command, folder, port), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
            env={**os.environ, **(environment or {})})

    def __enter__(self):
        try:
            if self.line() != "ready":
                raise RuntimeError(f"{self.name} did not connect")
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        return self

    def line(self):
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            raise RuntimeError(f"{self.name} said nothing for {PATIENCE} s")
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended with status {self.process.wait()}")
        return line.decode().rstrip("\n")

    def lines(self, count):
        text = b""
        while text.count(b"\n") < count:
            if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
                raise RuntimeError(f"{self.name} said nothing for {PATIENCE} s")
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                raise RuntimeError(f"{self.name} ended with status {self.process.wait()}")
            text += more
        return text.decode().splitlines()

    def say(self, line):
        self.process.stdin.write(line.encode() + b"\n")

    def arrived(self, message):
        told, at = map(int, self.line().split())
        if told != message:
            raise RuntimeError(f"{self.name}: message {told} where {message} was sent")
        return at

    def __exit__(self, *_):
        try:
            self.process.stdin.close()
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()


def measure(chat, command, folder, count):
    """Runs a client; gives the median time in seconds from a message's frame to the host."""
    relay = Relay(chat.port)
    taken = []
    try:
        with Client(chat, command, folder, relay.port) as client:
            for number in range(count):
                message = chat.send(number)
                taken.append(client.arrived(message) - relay.times[message])
    finally:
        relay.listener.close()
    return {"realtime_seconds": statistics.median(taken) / 1e9}


def measure_burst(chat, command, folder, count):
    """Runs a client that is sent `count` messages at once; gives the seconds from the first one's frame until the host
    had the last one."""
    relay = Relay(chat.port)
    try:
        with Client(chat, command, folder, relay.port) as client:
            # The client must not wait until its lines are read, nor this for the server's answer.
            asking = threading.Thread(target=chat.burst, args=(count,))
            asking.start()
            last = client.lines(count)[-1]
            asking.join()
            return {"burst_seconds": (int(last.split()[1]) - min(relay.times.values())) / 1e9}
    finally:
        relay.listener.close()


class Writes:
    """What a program has written so far: writes.c counts inside it, the kernel counts it as well."""

    def __init__(self, process, path):
        self.disk_calls, self.disk_bytes, self.other_calls, self.other_bytes, self.syncs = struct.unpack(
            "5Q", path.read_bytes())
        with open(f"/proc/{process.pid}/io") as file:
            self.kernel = {name: int(value) for name, value in (line.split(":") for line in file)}

    def since(self, before, count):
        """For each of `count` messages. The two accounts must agree: else something was written by another call."""
        calls, size = self.disk_calls - before.disk_calls, self.disk_bytes - before.disk_bytes
        others = self.other_bytes - before.other_bytes
        kernel = self.kernel["wchar"] - before.kernel["wchar"]
        if abs(kernel - size - others) > kernel / 50:
            raise RuntimeError(f"the kernel counted {kernel} bytes written, writes.c {size} + {others}")
        return {
            "disk_calls": calls / count, "disk_bytes": size / count, "syncs": (self.syncs - before.syncs) / count,
            "device_bytes": (self.kernel["write_bytes"] - before.kernel["write_bytes"]) / count}


def count_writes(chat, command, folder, count, shim, sends=False):
    """Runs a client that receives `count` messages, or sends them itself; gives what each made it write to files. What
    SQLite copies from its log into the file is in it as often as it happens, what closing writes is not."""
    path = folder.with_name(f"{folder.name}.writes")
    path.write_bytes(bytes(40))
    environment = {"LD_PRELOAD": str(shim), "BENCHMARK_WRITES": str(path)}
    before = None
    with Client(chat, command, folder, chat.port, environment) as client:
        for number in range(WARM + count):
            if number == WARM:
                before = Writes(client.process, path)
            if sends:
                client.say(json.dumps({"message": text(number)}))
                if client.line() != "sent":
                    raise RuntimeError(f"{client.name}: message {number} was not sent")
            else:
                client.arrived(chat.send(number))
        return Writes(client.process, path).since(before, count)
