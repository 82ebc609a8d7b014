"""What the host must see in a scenario."""

from __future__ import annotations

import json
import time

import checked
from harness import PATIENCE


def holds(part, whole) -> bool:
    """Whether `part` is contained in `whole`: members of objects, at any depth; null is null or no such member."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(holds(value, whole.get(key)) for key, value in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(holds, part, whole))
    return part == whole


class Expectations:
    """A step {"expect": NAME, ...} is the method expect_NAME with the other members."""

    def expect_texts(self, on, list):
        self.until(lambda: [m["message"] for m in self.snapshot(on)["succeeded"]], list)

    def expect_found(self, on, list):
        """The texts of the messages that a search shows."""
        self.until(lambda: [found["message"]["message"] for found in self.snapshot(on)["results"]], list)

    def expect_marked(self, on, list):
        """What stands at the places that the snippets of a search name, by either count."""
        def marked(snippet):
            data, units = snippet["text"].encode(), snippet["text"].encode("utf-16-le")
            places = [(data[m["start"]:m["end"]].decode(),
                       units[2 * m["utf16_start"]:2 * m["utf16_end"]].decode("utf-16-le"))
                      for m in snippet["matches"]]
            assert all(one == other for one, other in places), places
            return [one for one, _ in places]

        self.until(lambda: [marked(found["snippet"]) for found in self.snapshot(on)["results"]], list)

    def expect_channels(self, on, list):
        self.until(lambda: [c["channel_url"] for c in self.snapshot(on)["channels"]], list)

    def expect_channel_count(self, on, count):
        self.until(lambda: len(self.snapshot(on)["channels"]), count)

    def expect_names(self, on, list):
        self.until(lambda: [c["name"] for c in self.snapshot(on)["channels"]], list)

    def expect_field(self, on, key, list):
        self.until(lambda: [c.get(key) for c in self.snapshot(on)["channels"]], list)

    def expect_rows(self, on, list):
        """The keys of a stream's rows: of each section, or of the one there is."""
        def keys():
            sections = [[row["key"] for row in section["rows"]] for section in self.snapshot(on)["sections"]]
            return sections[0] if len(sections) == 1 else sections

        self.until(keys, list)

    def expect_row_items(self, on, list):
        """Parts of the items of a stream's rows, of all sections one after the other."""
        self.until(lambda: holds(list, [row["item"] for part in self.snapshot(on)["sections"] for row in part["rows"]]),
                   True)

    def expect_events(self, on, list):
        """The types of the events of a collection that were drained since the last such step, in order."""
        number = self.collections[on]
        self.until(lambda: [e["type"] for e in self.events if e.get("collection") == number], list)
        self.events = [event for event in self.events if event.get("collection") != number]

    def expect_items(self, on, of, list):
        """Parts of the channels or messages of a list, in its order."""
        self.until(lambda: holds(list, self.snapshot(on)[of]), True)

    def expect_receipt(self, on, url, user, message, kind):
        """A user has read (read_receipt) or got (delivery_receipt) a message, as a channel in a list says."""
        def has_it():
            channels = {channel["channel_url"]: channel for channel in self.snapshot(on)["channels"]}
            return channels[url].get(kind, {}).get(user, 0) >= self.named[message]["created_at"]

        self.until(has_it, True)

    def expect_frames(self, command, count, most=None):
        """So many frames of a command reach the server, or up to `most`. Nothing tells the host when one does."""
        def arrived():
            received = self.server.request("GET", "/control/received")["received"]
            return sum(1 for entry in received if entry["kind"] == "frame" and entry["text"].startswith(command))

        end = time.monotonic() + PATIENCE
        while arrived() < count:
            assert time.monotonic() < end, f"{arrived()} arrived"
            self.pass_time()
        assert arrived() <= (most or count), f"{arrived()} arrived"

    def expect_on_server(self, url, list):
        """The texts that the server has, sooner or later: what was sent once is there once."""
        end = time.monotonic() + PATIENCE
        while (found := [message["message"] for message in self.server.messages(url)]) != list:
            assert time.monotonic() < end, f"is {found}"
            self.take(min(end, time.monotonic() + 0.1))

    def expect_requests(self, containing, count):
        """How many requests and frames with this text the server got since `forget_traffic`."""
        def arrived():
            return [entry for entry in self.server.received() if containing in entry.get("target", entry.get("text"))]

        end = time.monotonic() + PATIENCE
        # In a world it takes time to arrive, and none passes while the server is asked.
        while self.hosts.in_world and len(arrived()) < count and time.monotonic() < end:
            self.pass_time()
        found = arrived()
        assert len(found) == count, found

    def expect_on_disk(self, text, there):
        """Whether the files of the library hold the text, in any form that a look at their bytes finds."""
        files = [path for path in (self.folder / "data").rglob("*") if path.is_file()]
        assert files and any(text.encode() in path.read_bytes() for path in files) == there

    #: What every plain cache has.
    PLAIN = (b"SQLite format", b"CREATE TABLE", b"channel_url", b'"message')

    def expect_encrypted(self):
        """Nothing can be read in any file of the clients: what SQLite writes, keys of documents, words and names of
        this scenario."""
        words = {step.get(member) for step in self.document["steps"] for member in ("text", "name")}
        planted = [word.encode() for word in words if isinstance(word, str) and len(word) > 5]
        files = [path for path in (self.folder / "data").rglob("*") if path.is_file()]
        opens = any(step.get("host") == "setup" and "fails" not in step for step in self.document["steps"])
        assert files or not opens, "there is no file"
        for path in files:
            content = path.read_bytes()
            for word in (*self.PLAIN, *planted):
                assert word not in content, f"{path.name} has {word!r}"

    def expect_no_data(self):
        """Whether the library has made nothing where its files would be."""
        assert not (self.folder / "data").exists(), sorted((self.folder / "data").rglob("*"))

    def expect_file(self, name, size=None, of=None):
        """What is on the disk under that name: a file of so many bytes, as every file here begins, or nothing."""
        path = self.folder / name
        end = time.monotonic() + PATIENCE
        while path.exists() != (size is not None):
            assert time.monotonic() < end, f"there are {sorted(p.name for p in self.folder.iterdir())}"
        if size is not None:
            assert path.read_bytes() == self.content(size)
            assert path.stat().st_mode & 0o777 == 0o600 or of is None

    def expect_export(self, name, channels, threads=None):
        """What an export has written: of each channel some members of its line, and of each thread, by the name of its
        parent. Each has as many messages as it says, oldest first, and gaps if it is not complete."""
        path = self.folder / name
        assert path.stat().st_mode & 0o777 == 0o600
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert lines[0]["type"] == "export" and lines[-1]["type"] == "end", [lines[0], lines[-1]]
        found, counts, gaps = {}, {}, {}
        for line in lines[1:-1]:
            place = (line["channel_url"], line.get("thread"))
            if line["type"] in ("channel", "thread"):
                found[place], counts[place], gaps[place] = line, [], 0
            elif line["type"] == "gap":
                gaps[place] += 1
            else:
                counts[place].append(line["message"]["created_at"])
        for place, line in found.items():
            assert len(counts[place]) == line["messages"], (place, len(counts[place]), line["messages"])
            assert counts[place] == sorted(counts[place]), place
            assert (gaps[place] == 0) >= line["complete"], (place, gaps[place])
        shown = {url: line for (url, thread), line in found.items() if thread is None}
        assert holds(channels, shown) and len(channels) == len(shown), shown
        parents = {str(self.named[name]["message_id"]): told for name, told in (threads or {}).items()}
        shown = {thread: line for (_, thread), line in found.items() if thread is not None}
        assert holds(parents, shown) and len(parents) == len(shown), shown
        assert lines[-1]["messages"] == sum(len(times) for times in counts.values()), lines[-1]

    def expect_parts(self, count):
        """How many files are there in part."""
        end = time.monotonic() + PATIENCE
        while (found := len(list(self.folder.glob("*.part")))) != count:
            assert time.monotonic() < end, f"there are {found}"

    def expect_file_at(self, url, size=None, status=200):
        """What anybody gets who asks for a file's address."""
        import urllib.error
        import urllib.request

        try:
            with urllib.request.urlopen(self.files[url], timeout=PATIENCE) as answer:
                assert status == 200 and answer.read() == self.content(size)
        except urllib.error.HTTPError as error:
            with error:
                assert error.code == status, f"is {error.code}"

    def expect_files(self, on, list):
        """The files of a collection's messages: of each message the sizes of its files."""
        def sizes(message):
            if "files" in message:
                return [entry["file_size"] for entry in message["files"]]
            return [message["file"]["size"]] if "file" in message else []

        self.until(lambda: [sizes(message) for message in self.snapshot(on)["succeeded"]], list)

    def expect_value(self, of, value, current=True):
        """What was told last of a place of the database that is listened to, exactly."""
        def told():
            event = self.values.get(self.calls[of], {})
            return event.get("value"), event.get("current")

        self.until(told, (value, current))

    def expect_values(self, of, list):
        """The values of the children of a place that is listened to, in the order of their keys."""
        def values():
            told = self.values.get(self.calls[of], {}).get("value") or {}
            return [told[key] for key in sorted(told)]

        self.until(values, list)

    def expect_database(self, path, value):
        """What the server's database has there, sooner or later."""
        end = time.monotonic() + PATIENCE
        while (found := self.server.database("GET", path)) != value:
            assert time.monotonic() < end, f"is {found}"
            self.take(min(end, time.monotonic() + 0.1))

    def expect_children(self, path, list):
        """The values of the children that the server's database has there, in the order of their keys."""
        end = time.monotonic() + PATIENCE
        while (found := [value for _, value in sorted((self.server.database("GET", path) or {}).items())]) != list:
            assert time.monotonic() < end, f"is {found}"
            self.take(min(end, time.monotonic() + 0.1))

    def expect_done(self, of, result=()):
        """A call that was named with `as` and not waited for completes."""
        self.finish(self.calls[of], result)

    def expect_count(self, on, count):
        self.until(lambda: len(self.snapshot(on)["succeeded"]), count)

    def expect_pending(self, on, list):
        self.until(lambda: [m["message"] for m in self.snapshot(on)["pending"]], list)

    def expect_failed(self, on, list):
        self.until(lambda: [m["message"] for m in self.snapshot(on)["failed"]], list)

    def expect_info(self, on, info=None, channel=None):
        """`channel`: a part of the channel's object."""
        def shown():
            told = self.host.step("info", on=on)["info"]
            checked.told("collection-info", told)
            return {key: told.get(key) for key in info or {}}, holds(channel or {}, told.get("channel") or {})

        self.until(shown, (info or {}, True))

    def expect_contains(self, on, item, there):
        """Whether a collection has a message, by its name, or a channel, by its URL."""
        item = str(self.named[item]["message_id"]) if item in self.named else item
        assert self.host.step("contains", on=on, item=item)["contains"] == there

    def expect_event(self, event):
        end = time.monotonic() + PATIENCE
        while not any(holds(event, seen) for seen in self.events):
            assert time.monotonic() < end, f"never came; the last: {[e['type'] for e in self.events[-12:]]}"
            self.take(end)
        index = next(i for i, seen in enumerate(self.events) if holds(event, seen))
        del self.events[: index + 1]

    def expect_received(self, list, of=None):
        """The texts of the messages of others (or members of their events) that were told since the last such step, in
        their order."""
        def told():
            return [event[of] if of else event["message"]["message"] for event in self.received]

        self.until(told, list)
        self.received = []

    def expect_fact(self, event, fact):
        """An event like this whose detail has such a fact; others may come in between, and stay to be expected."""
        def told():
            return any(holds(event, seen) and any(holds(fact, told) for told in seen.get("detail", ()))
                       for seen in self.events)

        end = time.monotonic() + PATIENCE
        while not told():
            assert time.monotonic() < end, f"never came; told: {[e['detail'] for e in self.events if 'detail' in e]}"
            self.take(end)

    def expect_no_event(self, event):
        """No such event among those drained so far: to be used behind an expectation that comes later."""
        assert not any(holds(event, seen) for seen in self.events), "it came"
