#!/usr/bin/env python3
"""What a good engineer would write in an hour in Python: json and sqlite3.

usage: baseline.py ingest DB PAGES COUNT | page DB TIMES PAUSE_MS      prints one JSON object
       baseline.py realtime DB PORT QUERY    prints "ready", then "MESSAGE_ID NANOSECONDS" as each message arrives,
                                             until standard input ends
"""

import json
import os
import select
import socket
import sqlite3
import sys
import time

INSERT = "INSERT OR REPLACE INTO message (id, channel, created_at, json) VALUES (?, ?, ?, ?)"
SELECT = "SELECT json FROM message WHERE channel = ? ORDER BY created_at DESC, id DESC LIMIT 30"


def open_database(path):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, channel TEXT NOT NULL,"
               " created_at INTEGER NOT NULL, json TEXT NOT NULL)")
    db.execute("CREATE INDEX IF NOT EXISTS message_by_time ON message (channel, created_at, id)")
    return db


def ingest(path, pages, most):
    db = open_database(path)
    count = 0
    with open(pages, "rb") as file:
        for line in file:
            if count >= most:
                break
            messages = json.loads(line)["messages"]
            db.execute("BEGIN")
            db.executemany(INSERT, [
                (message["message_id"], message["channel_url"], message["created_at"],
                 json.dumps(message, ensure_ascii=False, separators=(",", ":"))) for message in messages])
            db.execute("COMMIT")
            count += len(messages)
    db.close()
    return count


def resident():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def since_exec():
    """When this process was started: it notes the time and starts itself once more, so that loading Python counts."""
    noted = os.environ.get("BENCHMARK_START")
    if noted:
        return float(noted)
    os.environ["BENCHMARK_START"] = str(time.perf_counter())
    os.execv(sys.executable, [sys.executable, *sys.argv])


def read_frame(stream):
    """A frame of the server: unmasked, never in parts here."""
    length = read_fully(stream, 2)[1] & 127
    if length > 125:
        length = int.from_bytes(read_fully(stream, 2 if length == 126 else 8), "big")
    return read_fully(stream, length)


def read_fully(stream, count):
    data = b""
    while len(data) < count:
        part = stream.read(count - len(data))
        if not part:
            raise EOFError("the server has gone")
        data += part
    return data


def realtime(path, port, query):
    db = open_database(path)
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.sendall((
        f"GET /?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
    # Unbuffered: what lies in a buffer, select does not see.
    stream = connection.makefile("rb", buffering=0)
    while stream.readline() != b"\r\n":
        pass
    login = json.loads(read_frame(stream)[4:])
    assert not login.get("error"), login
    print("ready", flush=True)
    while sys.stdin not in select.select([stream, sys.stdin], [], [])[0]:
        frame = read_frame(stream)
        if not frame.startswith(b"MESG"):
            continue
        message = json.loads(frame[4:])
        message["message_id"] = message.get("message_id") or message["msg_id"]
        message.setdefault("created_at", message.get("ts"))
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        db.execute(INSERT, (message["message_id"], message["channel_url"], message["created_at"], text))
        print(message["message_id"], time.monotonic_ns(), flush=True)


def main():
    if sys.argv[1] == "ingest":
        start = time.perf_counter()
        count = ingest(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        print(json.dumps({"messages": count, "seconds": time.perf_counter() - start}))
        return
    if sys.argv[1] == "realtime":
        realtime(sys.argv[2], int(sys.argv[3]), sys.argv[4])
        return
    start = since_exec()
    db = open_database(sys.argv[2])
    delivered = 0

    def host(text):
        nonlocal delivered
        delivered += text.startswith("[{")

    def page():
        rows = db.execute(SELECT, ("benchmark",)).fetchall()
        host("[" + ",".join(row[0] for row in reversed(rows)) + "]")

    page()
    first, memory, times, pause = time.perf_counter() - start, resident(), int(sys.argv[3]), int(sys.argv[4]) / 1000
    whole = 0
    for _ in range(times):
        if pause:
            time.sleep(pause)
        start = time.perf_counter()
        page()
        whole += time.perf_counter() - start
    each = whole / max(times, 1)
    assert delivered == times + 1
    print(json.dumps({"first_page_seconds": first, "page_seconds": each, "rss_kb": memory}))


main()
