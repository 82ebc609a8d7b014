"""Opens a directory that damage.py has damaged, looks at everything, offline and then connected, and says what it
saw."""

import argparse
import json
import pathlib
import sys
import time

import sm

CHANNELS = ("c0", "c1", "c2")
SEARCHES = ("message", "reply*")


def search(client, said, name, query):
    """All that a search finds, as [id, message], when what is cached is indexed; that must be so within 20 s.

    None when it gives STORAGE, as it may until the next opening has set a damaged file aside."""
    collection = client.search({"query": query, "limit": 200})
    end = time.monotonic() + 20
    while True:
        result = client.wait(collection.fetch(sm.NEXT), 15)
        if result and result["status"] == sm.STATUS["STORAGE"] and name != "again":
            collection.remove()
            return None
        if result is None or result["status"]:
            said["bad"].append(f"{name}: a fetch of a search gave {json.dumps(result)}")
            break
        if not result["has_more"] and "short" not in result:
            break
        if time.monotonic() > end:
            said["bad"].append(f"{name}: a search is not complete after 20 s: {json.dumps(result)}")
            break
        client.until(lambda: False, 0.02)
    found = collection.snapshot()["results"]
    collection.remove()
    return [[f"{each['channel_url']}/{each['message']['message_id']}", each["message"]] for each in found]


def look(client, said, name, connected):
    lists, own = {}, {}
    for url in CHANNELS:
        collection = client.messages(url)
        for direction in (sm.PREVIOUS, sm.NEXT):
            result = client.wait(collection.fetch(direction), 15)
            for _ in range(20):
                if result and result.get("has_more") and "short" not in result:
                    result = client.wait(collection.fetch(direction), 15)
            if result is None:
                said["bad"].append(f"{name}: a fetch of {url} did not complete")
        if connected:
            client.until(lambda: not any(collection.snapshot()["pending"]), 10)
        snapshot = collection.snapshot()
        lists[url] = [[str(each["message_id"]), each] for each in snapshot["succeeded"]]
        for each in snapshot["pending"] + snapshot["failed"]:
            own[each["request_id"]] = each.get("message")
        collection.remove()
    channels = client.channels()
    client.wait(channels.fetch(sm.NEXT), 15)
    thread = client.messages("c0", {"parent_message_id": 1, "limit": 50})
    client.wait(thread.fetch(sm.PREVIOUS), 15)
    results = {query: search(client, said, name, query) for query in SEARCHES}
    values = {}
    for path in ("", "d", "d/k1"):
        result = client.wait(client.call("database_get", path=path), 15)
        values[path] = [result["status"], (result.get("result") or {}).get("value")] if result else None
    stream = client.stream({"source": {"database": {"path": "d"}}})
    client.until(lambda: False, 0.05)
    statistics = client.wait(client.call("statistics"), 15)
    said[name] = {"lists": lists, "own": own, "channels": channels.snapshot()["channels"], "values": values,
                  "thread": thread.snapshot()["succeeded"], "results": results,
                  "statistics": statistics and statistics.get("result")}
    for collection in (channels, thread, stream):
        collection.remove()


def visit(config, said, online):
    def hear(event):
        if event["type"] in ("storage_error", "cache_reset"):
            said["told"].append(event)
        if event.get("status") == sm.STATUS["INTERNAL"]:
            said["bad"].append(json.dumps(event))

    try:
        client = sm.Client(hear, **config)
    except sm.Refused as refused:
        said["setup"].append(refused.status)
        return
    said["setup"].append(0)
    look(client, said, "offline" if online else "again", False)
    if online:
        client.wait(client.connect(), 15)
        client.until(lambda: False, 0.3)
        look(client, said, "online", True)
    client.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config")
    arguments = parser.parse_args()
    config = json.loads(pathlib.Path(arguments.config).read_text(encoding="utf-8"))
    said = {"setup": [], "told": [], "bad": []}
    visit(config, said, True)
    visit(config, said, False)
    json.dump(said, sys.stdout)


main()
