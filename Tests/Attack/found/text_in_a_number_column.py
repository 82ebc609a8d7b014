"""Messages are shown in a wrong order and with holes when `message.tie` holds a text, and nothing is told.

docs/durability.md: "A number of a row is counted with only where it was checked: one that no row can have is damage",
and of damage: "A damaged cache.db is set aside … and cache_reset tells of it. Damage that shows only in use leaves a
mark". A text in that column is what no row can have (the table is STRICT), as after a changed serial type in the
record. It is not recognised: setup succeeds, no cache_reset comes, offline and after connecting. In larger caches
messages are also shown twice (damage.py --seed 1 --each 7 --bytes 8 --file cache.db --only 17)."""

import collections
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import damage_ways  # noqa: E402
import server  # noqa: E402
import sm  # noqa: E402


class Always(random.Random):
    """Chooses that text, and all rows."""

    def choice(self, options):
        return "\x00" if options is damage_ways.VALUES else options[0]


def main():
    host = server.Server(users=["a", "b"])
    host.channel("c", ["a", "b"])
    host.control("post_messages", channel_url="c", user_id="b", count=60)
    told = []
    with tempfile.TemporaryDirectory() as folder:
        config = host.config("a", folder)
        client = sm.Client(**config)
        client.wait(client.connect())
        collection = client.messages("c")
        while client.wait(collection.fetch(sm.PREVIOUS))["has_more"]:
            pass
        client.close()
        path = next(pathlib.Path(folder).rglob("cache.db"))
        print(damage_ways.value(path, "message", "tie", Always()))
        for state in ("offline", "connected", "opened again"):
            client = sm.Client(lambda event: event["type"] == "cache_reset" and told.append(event), **config)
            if state == "connected":
                client.wait(client.connect())
            collection = client.messages("c")
            for _ in range(6):
                client.wait(collection.fetch(sm.PREVIOUS))
            client.until(lambda: False, 1)
            ids = [each["message_id"] for each in collection.snapshot()["succeeded"]]
            client.close()
            twice = [number for number, count in collections.Counter(ids).items() if count > 1]
            print(f"{state}: {len(ids)} rows, {len(set(ids))} messages of 60, sorted: {ids == sorted(ids)}, "
                  f"twice: {twice[:5]}, cache_reset: {len(told)}")
    host.stop()
    sys.exit(0 if told or (len(ids) == len(set(ids)) and ids == sorted(ids)) else 1)


main()
