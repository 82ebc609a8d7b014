"""A list of channels shows a channel twice when the service's page has it twice.

syncmanager.h, CHANGES: "A host that only applies the changes, in order, always shows the right view"; a channel's id in
them is its URL, so a list has it once. A page of messages with an id twice shows it once. The service here is one of
our own, whose only page of channels is [c0, c1, c0]. The next opening, from the cache, shows two channels."""

import base64
import hashlib
import json
import pathlib
import socketserver
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import sm  # noqa: E402

KEY = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
LOGIN = {"user_id": "a", "nickname": "a", "key": "k", "ekey": "e", "ping_interval": 15, "pong_timeout": 5,
         "reconnect": {"interval": 1, "max_interval": 1, "mul": 1, "retry_cnt": 9}, "login_ts": 1,
         "unread_cnt": {"all": 0, "ts": 1, "custom_types": {}}}


def channel(url):
    return {"channel_url": url, "name": url, "created_at": 1, "member_count": 1, "members": [],
            "unread_message_count": 0,
            "member_state": "joined", "last_message": None, "is_super": False}


def answer(path):
    if "changelogs" in path:
        return {"updated": [], "deleted": [], "has_more": False, "next": "t"}
    if "my_group_channels" in path:
        return {"channels": [channel(url) for url in ("c0", "c1", "c0")], "next": "", "ts": 5}
    return {}


class Service(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline().decode():
            head = {}
            while (text := self.rfile.readline().decode().strip()):
                name, _, value = text.partition(":")
                head[name.lower()] = value.strip()
            self.rfile.read(int(head.get("content-length", 0)))
            if "sec-websocket-key" in head:
                accept = base64.b64encode(hashlib.sha1((head["sec-websocket-key"] + KEY).encode()).digest()).decode()
                self.wfile.write(("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                  f"Sec-WebSocket-Accept: {accept}\r\n\r\n").encode())
                login = ("LOGI" + json.dumps(LOGIN)).encode()
                self.wfile.write(b"\x81\x7e" + len(login).to_bytes(2, "big") + login)
                self.rfile.read()
                return
            body = json.dumps(answer(line.split(" ")[1])).encode()
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                             % len(body) + body)


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True


def main():
    service = Server(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    port = service.server_address[1]
    with tempfile.TemporaryDirectory() as folder:
        client = sm.Client(app_id="x", user_id="a", access_token="t", data_dir=folder,
                           api_host=f"http://127.0.0.1:{port}", ws_host=f"ws://127.0.0.1:{port}")
        client.wait(client.connect())
        channels = client.channels()
        client.wait(channels.fetch(sm.NEXT))
        shown = [each["channel_url"] for each in channels.snapshot()["channels"]]
        client.close()
    service.shutdown()
    print("shown:", shown)
    sys.exit(0 if sorted(shown) == ["c0", "c1"] else 1)


main()
