"""What a host that only applies changes shows: replays `change` and stream events, and says where they do not fit."""

import json


class Wrong(Exception):
    """An event does not fit to what was told before."""


def key_of(name, item):
    if name == "channels":
        return item["channel_url"]
    if name == "succeeded":
        return str(item["message_id"])
    if name == "results":
        return f"{item['channel_url']}/{item['message']['message_id']}"
    return item["request_id"]


class Lists:
    """The lists of one collection of channels, messages or results of a search."""

    def __init__(self, kind):
        names = {"channels": ("channels",), "search": ("results",)}.get(kind, ("succeeded", "pending", "failed"))
        self.lists = {name: [] for name in names}

    def apply(self, event):
        name, action = event["list"], event["action"]
        if name not in self.lists:
            raise Wrong(f"unknown list {name}")
        rows = self.lists[name]
        changes = event["changes"]
        if action == "clear":
            if changes:
                raise Wrong("clear with changes")
            rows.clear()
            return
        contents = event.get(name if name in ("channels", "results") else "messages")
        if action == "remove":
            contents = [None] * len(changes)
        if contents is None or len(contents) != len(changes):
            raise Wrong(f"{action}: {len(changes)} changes, contents {contents and len(contents)}")
        for change, content in zip(changes, contents):
            self.apply_one(rows, name, action, change, content)

    def apply_one(self, rows, name, action, change, content):
        if content is not None and key_of(name, content) != change["id"]:
            raise Wrong(f"{action}: id {change['id']} beside the content of {key_of(name, content)}")
        if action == "insert":
            if not 0 <= change["index"] <= len(rows):
                raise Wrong(f"insert at {change['index']} of {len(rows)}")
            if any(key_of(name, row) == change["id"] for row in rows):
                raise Wrong(f"insert of {change['id']}, which is shown already in {name}")
            rows.insert(change["index"], content)
            return
        place = change["from"] if action == "move" else change["index"]
        if not 0 <= place < len(rows) or key_of(name, rows[place]) != change["id"]:
            shown = key_of(name, rows[place]) if 0 <= place < len(rows) else None
            raise Wrong(f"{action} of {change['id']} at {place} of {len(rows)}, where {shown} stands")
        if action == "update":
            rows[place] = content
        elif action == "remove":
            del rows[place]
        elif action == "move":
            del rows[place]
            if not 0 <= change["to"] <= len(rows):
                raise Wrong(f"move to {change['to']} of {len(rows)}")
            rows.insert(change["to"], content)
        else:
            raise Wrong(f"unknown action {action}")

    def compare(self, snapshot):
        for name, rows in self.lists.items():
            if snapshot[name] != rows:
                mine = [key_of(name, row) for row in rows]
                theirs = [key_of(name, row) for row in snapshot[name]]
                if mine != theirs:
                    raise Wrong(f"snapshot of {name}: {len(theirs)} rows, replay {len(mine)}: "
                                f"only there {sorted(set(theirs) - set(mine))[:5]}, "
                                f"only here {sorted(set(mine) - set(theirs))[:5]}")
                odd = next(i for i, row in enumerate(rows) if row != snapshot[name][i])
                raise Wrong(f"snapshot of {name}: other content of {mine[odd]}: "
                            f"{differing(rows[odd], snapshot[name][odd])}")


def differing(one, other):
    names = sorted(set(one) | set(other))
    return {name: (one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name)}


class Rows:
    """The sections of one stream."""

    def __init__(self):
        self.sections = []
        self.parts = None

    def section(self, number):
        while len(self.sections) <= number:
            self.sections.append([])
        return self.sections[number]

    def apply(self, event):
        kind = event["type"]
        if kind == "stream_batch":
            if event.get("reset"):
                self.sections = []
            self.batch(event["deleted"], event["added"], event["moved"], event["changed"])
        elif kind == "stream_will_change":
            self.parts = {"stream_deleted": [], "stream_added": [], "stream_changed": []}
        elif kind == "stream_did_change":
            parts, self.parts = self.parts, None
            self.batch(parts["stream_deleted"], parts["stream_added"], [], parts["stream_changed"])
        elif kind in ("stream_deleted", "stream_added", "stream_changed"):
            if self.parts is None:
                raise Wrong(f"{kind} outside of will and did")
            self.parts[kind] = event["rows"]

    def batch(self, deleted, added, moved, changed):
        gone = [(row["path"], row["key"]) for row in deleted] + [(row["from"], row["key"]) for row in moved]
        for path, key in sorted(gone, reverse=True):
            rows = self.section(path[0])
            if path[1] >= len(rows) or rows[path[1]][0] != key:
                raise Wrong(f"stream: {key} is not at {path} ({len(rows)} rows)")
            del rows[path[1]]
        for row in sorted(added + moved, key=lambda row: row["path"]):
            rows = self.section(row["path"][0])
            if row["path"][1] > len(rows):
                raise Wrong(f"stream: {row['key']} put in at {row['path']} of {len(rows)}")
            rows.insert(row["path"][1], (row["key"], row["item"]))
        for row in changed:
            rows = self.section(row["path"][0])
            if row["path"][1] >= len(rows) or rows[row["path"][1]][0] != row["key"]:
                raise Wrong(f"stream: changed {row['key']} is not at {row['path']}")
            rows[row["path"][1]] = (row["key"], row["item"])

    def compare(self, snapshot):
        if self.parts is not None:
            return  # between will and did a snapshot may have all of the batch or a part
        theirs = [[(row["key"], row["item"]) for row in part["rows"]] for part in snapshot["sections"]]
        mine = [list(rows) for rows in self.sections]
        while mine and not mine[-1]:
            mine.pop()
        while theirs and not theirs[-1]:
            theirs.pop()
        if mine != theirs:
            self.say(mine, theirs)

    def say(self, mine, theirs):
        keys = [[[key for key, _ in rows] for rows in each] for each in (theirs, mine)]
        if keys[0] != keys[1]:
            raise Wrong(f"stream snapshot: {keys[0]}"[:400] + f" replay {keys[1]}"[:400])
        for one, other in zip(mine, theirs):
            for (key, here), (_, there) in zip(one, other):
                if here != there:
                    raise Wrong(f"stream snapshot of {key}: {there}"[:400] + f" replay {here}"[:400])


class Mirror:
    """All collections of a client, fed by its events; counts results and sees that numbers have no gaps."""

    def __init__(self, client):
        self.client, self.of, self.seq, self.last = client, {}, 0, {}
        self.completed = set()
        self.recent = {}
        client.on_event = self.hear

    def add(self, collection, kind):
        self.of[collection.number] = Rows() if kind == "stream" else Lists(kind)
        return collection

    def hear(self, event):
        if event["seq"] != self.seq + 1:
            raise Wrong(f"seq {event['seq']} after {self.seq}")
        self.seq = event["seq"]
        if event["type"] == "result":
            if event["request"] in self.completed:
                raise Wrong(f"call {event['request']} ({event['call']}) completed twice")
            self.completed.add(event["request"])
        mine = self.of.get(event.get("collection"))
        if mine is not None:
            self.recent.setdefault(event["collection"], []).append(event)
            del self.recent[event["collection"]][:-8]
        if mine is not None and (event["type"] == "change" or event["type"].startswith("stream_")):
            mine.apply(event)

    def compare(self):
        for number, mine in self.of.items():
            collection = self.client.collections.get(number)
            if collection is not None:
                snapshot = collection.snapshot()
                try:
                    mine.compare(snapshot)
                except Wrong as error:
                    recent = json.dumps(self.recent.get(number))[-3000:]
                    raise Wrong(f"collection {number}: {error}; snapshot of seq {snapshot['seq']}, drained to "
                                f"{self.seq}, spec {collection.info().get('stream')}; last events {recent}") from None
