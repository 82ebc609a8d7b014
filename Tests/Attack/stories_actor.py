"""One client of a story: what it does at random, what is expected of it, and how its lists compare with the server."""

import lists
import sm

TEXTS = ["", "plain", "ü€𐀀", "\u200d\u202e", "a" * 300, '"\\']


class Actor:
    def __init__(self, story, user, device, **more):
        self.story, self.user, self.name = story, user, f"{user}{device}"
        self.random, self.more = story.random, more
        self.sends = {}          # text -> (channel, request id or None)
        self.free = set()        # texts that may be missing: given up, or signed out
        self.writes = {}         # key -> the last accepted value of our own place in the database
        self.pushes = []
        self.number, self.open_calls, self.more = 0, {}, {}
        self.start()

    def start(self):
        story = self.story
        config = story.host.config(
            self.user, story.run.folder / self.name, api=f"http://127.0.0.1:{story.api.port}",
            ws=f"ws://127.0.0.1:{story.api.port}", database=f"http://127.0.0.1:{story.data.port}",
            message_collection_capacity="infinite", request_timeout_ms=2000, resend_retry_count=50, search=True,
            **self.more)
        self.client = sm.Client(**config)
        self.mirror = lists.Mirror(self.client)
        self.client.on_event = self.hear
        self.views, self.values, self.listens, self.open_calls = {}, {}, {}, {}
        self.unread = None
        self.view("channels", None, self.client.channels({"limit": 50}))
        self.view("messages", "c0", self.client.messages("c0"))
        self.connected = True
        self.client.connect()
        self.listen("")

    def view(self, kind, what, collection):
        self.views[collection.number] = (kind, what, collection)
        shape = "messages" if kind in ("messages", "thread", "own") else "stream"
        shape = kind if kind in ("channels", "search") else shape
        self.mirror.add(collection, shape)
        return collection

    def hear(self, event):
        self.mirror.hear(event)
        kind = event["type"]
        if kind == "database_value":
            self.values[event["listen"]] = event
        elif kind == "unread_counts":
            self.unread = event["all"]
        elif kind in ("storage_error", "cache_reset", "database_write_refused"):
            self.story.run.found(f"{self.name} was told {kind}", event=event)
        elif kind == "result":
            self.result(event)

    def result(self, event):
        kept = self.open_calls.pop(event["request"], None)
        status = event["status"]
        if status == sm.STATUS["INTERNAL"]:
            self.story.run.found("INTERNAL", event=event)
        if kept and status in (sm.STATUS["REMOVED"], sm.STATUS["CANCELED"], sm.STATUS["STORAGE"]):
            if status == sm.STATUS["STORAGE"]:
                self.story.run.found("STORAGE", event=event)
            self.free.add(kept)

    # ---- what it does

    def text(self):
        self.number += 1
        return f"{self.name}.{self.story.number}.{self.number} " + self.random.choice(TEXTS)

    def some(self, *kinds):
        views = [view for view in self.views.values() if view[0] in kinds]
        return self.random.choice(views) if views else None

    def send(self):
        view = self.some("messages", "thread")
        if view:
            text = self.text()
            request = view[2].send(message=text)
            self.sends[text] = view[1]
            self.open_calls[request] = text

    def known(self):
        """A message that some collection shows."""
        view = self.some("messages")
        rows = view and self.mirror.of[view[2].number].lists["succeeded"]
        return (view[1], self.random.choice(rows[-30:])) if rows else (None, None)

    def edit(self):
        url, row = self.known()
        if row:
            self.client.call("edit_message", channel_url=url, message_id=row["message_id"], data=f"d{self.number}")

    def delete(self):
        url, row = self.known()
        if row:
            self.client.call("delete_message", channel_url=url, message_id=row["message_id"])
            self.story.deleting.add(row.get("message"))

    def react(self):
        url, row = self.known()
        if row:
            self.client.call(self.random.choice(["add_reaction", "remove_reaction"]), channel_url=url,
                             message_id=row["message_id"], key=self.random.choice(["x", "y"]))

    def act(self):
        url = self.random.choice(self.story.urls)
        name, keys = self.random.choice([
            ("mark_as_read", {}), ("update_channel", {"name": f"n{self.number}"}), ("freeze_channel", {}),
            ("unfreeze_channel", {}), ("hide_channel", {}), ("unhide_channel", {}), ("leave", {}), ("join", {}),
            ("invite", {"user_ids": ["a", "b", "c"]}), ("start_typing", {}), ("update_metadata", {
                "metadata": {"k": str(self.number)}, "upsert": True}), ("set_count_preference", {
                    "count_preference": self.random.choice(["all", "off", "all"])}), ("unfreeze_channel", {}),
            ("accept_invitation", {}), ("mark_as_read", {})])
        # Another device of the user learns of it by its next login only (docs/counts.md).
        if name == "set_count_preference" and sum(each.user == self.user for each in self.story.actors) > 1:
            return
        self.client.call(name, channel_url=url, **keys)

    def write(self):
        self.number += 1
        key = self.random.choice(["k0", "k1", "k2", "k3"])
        way = self.random.random()
        when = self.random.choice(["kept", "answered"])
        if way < 0.5:
            value = {"n": self.number, "t": self.random.choice(TEXTS), "l": [1, {"a": self.number}]}
            self.client.call("database_set", path=f"own/{self.name}/{key}", value=value, when=when)
            self.writes[key] = value
        elif way < 0.65:
            self.client.call("database_remove", path=f"own/{self.name}/{key}", when=when)
            self.writes.pop(key, None)
        elif way < 0.8:
            self.client.call("database_update", path=f"own/{self.name}", values={key: self.number, "k9": self.number})
            self.writes[key] = self.writes["k9"] = self.number
        elif way < 0.9:
            self.client.call("database_push", path=f"push/{self.name}", value=self.number)
            self.pushes.append(self.number)
        else:
            self.client.call("database_set", path="shared/" + key, value=self.number)

    def listen(self, path=None):
        if len(self.listens) < 5:
            if path is None:
                path = self.random.choice(["own", "shared", "push/" + self.name, f"own/{self.name}/k1"])
            self.listens[self.client.call("database_listen", path=path)] = path

    def fetch(self):
        view = self.random.choice(list(self.views.values()))
        if view[0] in ("channels", "search", "messages", "thread"):
            forward = view[0] in ("channels", "search") or self.random.random() < 0.3
            view[2].fetch(sm.NEXT if forward else sm.PREVIOUS)
        else:
            view[2].ask(action="fetch_more", count=20)

    def open(self):
        if len(self.views) > 8:
            number = self.random.choice(list(self.views)[2:])
            self.views.pop(number)[2].remove()
            return
        url = self.random.choice(self.story.urls)
        way = self.random.random()
        if way < 0.4:
            collection = self.view("messages", url, self.client.messages(url))
            if self.random.random() < 0.3:
                collection.start()
        elif way < 0.55:
            self.view("messagestream", url, self.client.stream({"source": {"messages": {"channel_url": url}}}))
        elif way < 0.65:
            self.view("search", None, self.client.search({
                "query": self.random.choice(["plain", "a", "b c"]), "limit": self.random.choice([5, 20]),
                "order": self.random.choice(["newest", "relevance"])}))
        elif way < 0.75:
            self.view("channelstream", None, self.client.stream({"source": {"channels": {"limit": 50}}}))
        elif way < 0.85:
            self.view("datastream", "own", self.client.stream({
                "source": {"database": {"path": "own"}}, "delivery": self.random.choice(["batch", "delegate"])}))
        else:
            url, row = self.known()
            if row:
                self.view("thread", (url, row["message_id"]), self.client.messages(
                    url, {"parent_message_id": row["message_id"]}))

    def life(self):
        way = self.random.randrange(9)
        if way == 0:
            self.client.simple("sm_disconnect")
        elif way in (1, 2):
            self.client.connect()
        elif way == 3:
            self.client.simple("sm_pause_sync")
        elif way == 4:
            self.client.simple("sm_resume_sync")
        elif way == 5:
            self.client.simple("sm_set_foreground", self.random.choice([0, 1, 1]))
        elif way == 6:
            self.client.clear_cache(self.random.choice([None, "c0"]))
        elif way == 7:
            self.client.call(self.random.choice(["database_offline", "database_online"]))
        elif self.random.random() < 0.4:
            self.client.close()
            self.start()

    def step(self):
        ways = [self.send] * 8 + [self.edit, self.delete, self.react, self.react] + [self.write] * 5 + [
            self.act] * 2 + [self.fetch] * 4 + [self.open, self.listen, self.life]
        try:
            self.random.choice(ways)()
        except sm.Refused as refused:
            if refused.status not in (sm.STATUS["TOO_MANY_CALLS"], sm.STATUS["DUPLICATED_FETCH"]):
                self.story.run.found(f"{self.name}: {refused}")

    # ---- after it

    def heal(self):
        client = self.client
        client.simple("sm_set_foreground", 1)
        client.simple("sm_resume_sync")
        client.call("database_online")
        client.connect()
        for url in self.story.urls:
            self.view("own", url, client.messages(url, {"reply_type": "all", "limit": 1}))
        for number, (kind, _, _) in self.views.items():
            if kind in ("channels", "search", "messages", "thread"):
                client.call("set_limit", collection=number, limit=100 if kind == "channels" else 200)

    def load(self):
        """Asks for what a view does not have yet, once a page."""
        for kind, _, collection in self.views.values():
            try:
                info = collection.info()
                if kind in ("channels", "search"):
                    if info["has_next"]:
                        collection.fetch(sm.NEXT)
                elif kind in ("messages", "thread"):
                    if info["has_next"]:
                        collection.fetch(sm.NEXT)
                    if info["has_previous"]:
                        collection.fetch(sm.PREVIOUS)
                elif kind.endswith("stream"):
                    self.more[collection.number] = collection.ask(action="fetch_more", count=200)
            except sm.Refused as refused:
                if refused.status not in (sm.STATUS["DUPLICATED_FETCH"], sm.STATUS["TOO_MANY_CALLS"]):
                    raise
