"""A search stays empty, or fails for good, when what its index is kept in is damaged.

docs/durability.md: "The full-text index changes in the transaction that changes the messages. A damaged one is made
again; `storage_error` tells of it, and the rest of the cache stays." And of cache.db: "rebuildable, never wrong".
Here a cached index is damaged in one value, and the directory is opened twice, connected; a message comes meanwhile. At
the second opening at the latest every cached message has to be found (damage.py: "shown, but not found by a search";
"again: a fetch of a search gave ... -9")."""

import pathlib
import shutil
import sqlite3
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import damage_ways  # noqa: E402
import server  # noqa: E402
import sm  # noqa: E402

DAMAGE = {"nothing": None, "the index's own list of its parts is empty": ("search_found_data", "block=x''", "id=10"),
          "a text stands for a number": ("search_range", "spill='x'", "1")}


def spoil(path, table, change, where):
    database = sqlite3.connect(path)
    old = damage_ways.loosen(database, table)
    database.close()
    database = sqlite3.connect(path)
    database.execute(f"UPDATE {table} SET {change} WHERE {where}")
    database.commit()
    database.close()
    damage_ways.restore(path, table, old)


def search(host, config):
    """What a search says, and how many errors were told, after another message came: within 10 s it has to be whole."""
    host.post("c", "b", "message")
    told = []
    client = sm.Client(lambda event: told.append(event["type"]) if event["type"] == "storage_error" else None, **config)
    client.wait(client.connect())
    client.wait(client.messages("c", {"limit": 200}).fetch(sm.PREVIOUS))
    found = client.search({"query": "message", "limit": 200})
    expected, results = len(host.all_messages("c")), []

    def whole():
        results.append(client.wait(found.fetch(sm.NEXT))["status"])
        client.next(20)
        return len(found.snapshot()["results"]) == expected

    is_whole = client.until(whole, 10)
    client.close()
    return results[-1], is_whole, len(told)


def main():
    host = server.Server(users=["a", "b"])
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        clean, case = pathlib.Path(folder) / "clean", pathlib.Path(folder) / "case"
        host.channel("c", ["a", "b"])
        host.control("post_messages", channel_url="c", user_id="b", count=30)
        config = host.config("a", clean, search=True)
        client = sm.Client(**config)
        client.wait(client.connect())
        client.wait(client.messages("c").fetch(sm.PREVIOUS))
        client.until(lambda: False, 0.5)
        client.close()
        for name, damage in DAMAGE.items():
            shutil.rmtree(case, ignore_errors=True)
            shutil.copytree(clean, case)
            if damage:
                spoil(next(case.rglob("cache.db")), *damage)
            first, second = (search(host, {**config, "data_dir": str(case)}) for _ in range(2))
            bad += second[:2] != (0, True)
            print(f"{name}: status, all are found, storage errors: {first}, opened again {second}")
    host.stop()
    sys.exit(1 if bad else 0)


main()
