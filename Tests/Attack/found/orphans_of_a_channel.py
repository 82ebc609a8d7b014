"""Messages whose channel's row is gone from a damaged cache.db are shown in another channel.

docs/durability.md: cache.db is "rebuildable, never wrong"; schema.sql: channel's "key is ours and never used again;
messages are filed under it". When the row of the channel with the largest key is lost, the next channel that is
opened gets that key, and with it the other channel's messages and chunks, though each message's JSON names its own
channel_url. The same shows when channel.key itself is damaged (damage.py --file cache.db, way `value` of
channel.key)."""

import collections
import pathlib
import sqlite3
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import server  # noqa: E402
import sm  # noqa: E402


def main():
    host = server.Server(users=["a", "b"])
    with tempfile.TemporaryDirectory() as folder:
        config = host.config("a", folder)
        for url in ("first", "second", "third"):
            host.channel(url, ["a", "b"] if url != "third" else ["a"])
        host.control("post_messages", channel_url="second", user_id="b", count=5)
        client = sm.Client(**config)
        client.wait(client.connect())
        client.wait(client.messages("second").fetch(sm.PREVIOUS))
        client.until(lambda: False, 0.5)
        client.close()
        database = sqlite3.connect(next(pathlib.Path(folder).rglob("cache.db")))
        key, = database.execute("SELECT key FROM channel WHERE url = 'second'").fetchone()
        database.execute("DELETE FROM channel WHERE key >= ?", (key,))
        database.commit()
        database.close()
        client = sm.Client(**config)
        shown = {}
        for state in ("offline", "connected"):
            if state == "connected":
                client.wait(client.connect())
            collection = client.messages("third")
            client.wait(collection.fetch(sm.PREVIOUS))
            client.until(lambda: False, 1)
            shown[state] = collections.Counter(each["channel_url"] for each in collection.snapshot()["succeeded"])
        client.close()
        there = len(host.all_messages("third"))
    host.stop()
    print(f"channel `third` has {there} messages at the service; shown in it, by their channel_url: "
          f"{ {state: dict(each) for state, each in shown.items()} }")
    sys.exit(1 if shown["offline"]["second"] or shown["connected"]["second"] else 0)


main()
