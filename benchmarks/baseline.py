#!/usr/bin/env python3
"""What a good engineer would write in an hour in Python: json and sqlite3.

usage: baseline.py ingest DB PAGES COUNT | page DB TIMES      Prints one JSON object.
"""

import json
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


def main():
    start = time.perf_counter()
    if sys.argv[1] == "ingest":
        count = ingest(sys.argv[2], sys.argv[3], int(sys.argv[4]))
        print(json.dumps({"messages": count, "seconds": time.perf_counter() - start}))
        return
    db = open_database(sys.argv[2])
    delivered = 0

    def host(text):
        nonlocal delivered
        delivered += text.startswith("[{")

    def page():
        rows = db.execute(SELECT, ("benchmark",)).fetchall()
        host("[" + ",".join(row[0] for row in reversed(rows)) + "]")

    page()
    first, memory, times = time.perf_counter() - start, resident(), int(sys.argv[3])
    start = time.perf_counter()
    for _ in range(times):
        page()
    each = (time.perf_counter() - start) / max(times, 1)
    assert delivered == times + 1
    print(json.dumps({"first_page_seconds": first, "page_seconds": each, "rss_kb": memory}))


main()
