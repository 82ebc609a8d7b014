"""Runs the scenarios beside this file through the C interface; README.md tells their form."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from harness import PATIENCE, Server

from syncmanager import LATEST, Client, SyncManagerError

FILES = sorted(Path(__file__).parent.glob("*.json"))


def holds(part, whole) -> bool:
    """Whether `part` is contained in `whole`: members of objects, at any depth; null is null or no such member."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(holds(value, whole.get(key)) for key, value in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(holds, part, whole))
    return part == whole


class Scenario:
    def __init__(self, document: dict, folder: Path) -> None:
        self.document = document
        self.folder = folder
        self.server = Server(*document.get("server", []), db=folder / "server.db")
        self.users = {name: self.server.create_user(name) for name in ("mei", "bo", "kit")}
        self.named: dict[str, dict] = {}
        self.collections: dict = {}
        self.replay: dict[int, dict[str, list]] = {}
        self.events: list[dict] = []
        self.client: Client | None = None
        self.config: dict = {}

    def run(self) -> None:
        try:
            for number, step in enumerate(self.document["steps"]):
                try:
                    self.step(dict(step))
                except AssertionError as error:
                    raise AssertionError(f"step {number} {json.dumps(step, ensure_ascii=False)}: {error}") from None
        finally:
            if self.client:
                self.client.close()
            self.server.__exit__()

    def step(self, step: dict) -> None:
        for side in ("server", "host", "expect"):
            if side in step:
                return getattr(self, side + "_" + step.pop(side))(**step)
        raise AssertionError("a step needs server, host or expect")

    # The server

    def server_channel(self, url, members=("mei", "bo"), **more):
        self.server.create_channel(url, *members, **more)

    def server_post(self, url, text, by="bo", **more):
        name = more.pop("as", None)
        if "thread" in more:
            more["parent_message_id"] = self.named[more.pop("thread")]["message_id"]
        message = self.server.post(url, by, text, **more)
        self.named[name or text] = message

    def server_burst(self, url, count, by="bo"):
        self.server.control("post_messages", channel_url=url, user_id=by, count=count)

    def server_edit(self, url, message, text):
        self.server.edit(url, self.named[message]["message_id"], text)

    def server_delete(self, url, message):
        self.server.delete(url, self.named[message]["message_id"])

    def server_react(self, url, message, key, by="bo", method="POST"):
        path = f"{self.server.channel(url)}/messages/{self.named[message]['message_id']}/reactions"
        self.server.request(method, path, {"reaction": key, "user_id": by})

    def server_rest(self, method, path, body=None, url=None):
        self.server.request(method, (self.server.channel(url) if url else "/v3") + path, body)

    def server_kill(self):
        self.server.kill()

    def server_restart(self):
        self.server.restart(*self.document.get("server", []))

    def server_control(self, verb, **more):
        self.server.control(verb, **more)

    # The host

    def host_setup(self, user="mei", config=None, fails=None):
        self.config = self.server.config(self.users[user], self.folder / "data", **(config or {}))
        if fails:
            with pytest.raises(SyncManagerError) as error:
                Client(**self.config)
            assert error.value.name == fails, error.value
            return
        self.client = Client(**self.config)

    def host_connect(self, result=()):
        self.finish(self.client.connect(), result)

    def host_disconnect(self):
        self.client.disconnect()

    def host_close(self):
        self.client.close()

    def host_restart(self, config=None):
        self.client.close()
        self.collections, self.replay, self.events = {}, {}, []
        self.config.update(config or {})
        self.client = Client(**self.config)

    def host_channels(self, query=None, fails=None, path=None, **more):
        self.make(more["as"], lambda: self.client.channels(**(query or {})), fails, path)

    def host_open(self, url, filter=None, viewpoint="latest", fails=None, path=None, **more):
        point = LATEST if viewpoint == "latest" else viewpoint
        if isinstance(point, str):
            point = self.named[point]["created_at"]
        self.make(more["as"], lambda: self.client.messages(url, point, **(filter or {})), fails, path)

    def make(self, name, body, fails, path):
        if fails:
            with pytest.raises(SyncManagerError) as error:
                body()
            assert error.value.name == fails and (path is None or error.value.path == path), error.value.path
            return
        self.collections[name] = body()
        self.replay[self.collections[name].number] = {}

    def host_fetch(self, on, direction="previous", result=(), fails=None):
        view = self.collections[on]
        call = view.fetch_next if direction == "next" else view.fetch_previous
        if fails:
            with pytest.raises(SyncManagerError) as error:
                call()
            assert error.value.name == fails, error.value
            return
        self.finish(call(), result)

    def host_fetch_all(self, on, direction="previous"):
        view = self.collections[on]
        while self.finish(view.fetch_next() if direction == "next" else view.fetch_previous(), ())["has_more"]:
            pass

    def host_send(self, on, text=None, result=(), fails=None, fields=None):
        view = self.collections[on]
        if fails:
            with pytest.raises(SyncManagerError) as error:
                view.send(text, **(fields or {}))
            assert error.value.name == fails, error.value
            return
        self.finish(view.send(text, **(fields or {})), result)

    def host_resend(self, on, index=0, result=()):
        view = self.collections[on]
        self.finish(view.send(resend=view.snapshot()["failed"][index]["request_id"]), result)

    def host_update(self, on, message, text, result=()):
        self.finish(self.collections[on].update(message_id=self.id_of(on, message), message=text), result)

    def host_delete(self, on, message=None, failed=None, result=()):
        view = self.collections[on]
        if failed is not None:
            self.finish(view.delete(request_id=view.snapshot()["failed"][failed]["request_id"]), result)
        else:
            self.finish(view.delete(message_id=self.id_of(on, message)), result)

    def host_append(self, on, request_id, text, result=()):
        self.finish(self.collections[on].append({"request_id": request_id, "message": text}), result)

    def host_response(self, on, request_id, message=None, error_code=0, result=()):
        document = dict(self.named[message]) if message else {}
        document["request_id"] = request_id
        self.finish(self.collections[on].handle_send_response(document, error_code), result)

    def host_pause(self):
        self.client.pause_sync()

    def host_resume(self):
        self.client.resume_sync()

    def host_reset(self, on, viewpoint="latest"):
        point = LATEST if viewpoint == "latest" else viewpoint
        self.collections[on].reset_viewpoint(self.named[point]["created_at"] if isinstance(point, str) else point)

    def host_remove(self, on):
        view = self.collections.pop(on)
        self.replay.pop(view.number)
        view.remove()

    def host_clear_cache(self, url=None, result=()):
        self.finish(self.client.clear_cache(url), result)

    def id_of(self, on, message):
        if message in self.named:
            return self.named[message]["message_id"]
        return next(m["message_id"] for m in self.collections[on].messages() if m["message"] == message)

    # What the host must see

    def expect_texts(self, on, list):
        self.until(lambda: [m["message"] for m in self.collections[on].messages()], list)

    def expect_channels(self, on, list):
        self.until(lambda: [c["channel_url"] for c in self.collections[on].channels()], list)

    def expect_names(self, on, list):
        self.until(lambda: [c["name"] for c in self.collections[on].channels()], list)

    def expect_field(self, on, key, list):
        self.until(lambda: [c.get(key) for c in self.collections[on].channels()], list)

    def expect_count(self, on, count):
        self.until(lambda: len(self.collections[on].messages()), count)

    def expect_pending(self, on, list):
        self.until(lambda: [m["message"] for m in self.collections[on].snapshot()["pending"]], list)

    def expect_failed(self, on, list):
        self.until(lambda: [m["message"] for m in self.collections[on].snapshot()["failed"]], list)

    def expect_info(self, on, info):
        self.until(lambda: {key: self.collections[on].info().get(key) for key in info}, info)

    def expect_event(self, event):
        end = time.monotonic() + PATIENCE
        while not any(holds(event, seen) for seen in self.events):
            assert time.monotonic() < end, f"never came; the last: {[e['type'] for e in self.events[-12:]]}"
            self.take(end)
        index = next(i for i, seen in enumerate(self.events) if holds(event, seen))
        del self.events[: index + 1]

    def expect_no_event(self, event):
        """No such event among those drained so far: to be used behind an expectation that comes later."""
        assert not any(holds(event, seen) for seen in self.events), "it came"

    # Events

    def until(self, value, wanted):
        end = time.monotonic() + PATIENCE
        while value() != wanted:
            assert time.monotonic() < end, f"is {value()}"
            self.take(end)
        self.check_replay()

    def take(self, end):
        event = self.client.next_event(max(1, int((end - time.monotonic()) * 1000)))
        if event is None:
            return None
        self.events.append(event)
        if event["type"] == "change" and event["collection"] in self.replay:
            self.apply(event)
        return event

    def finish(self, request, wanted):
        """Waits for the result of a call and compares it."""
        if wanted is None:
            return None
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            event = self.take(end)
            if event and event["type"] == "result" and event["request"] == request:
                assert holds(dict(wanted), event) and (wanted or event["status"] == 0), event
                return event
        raise AssertionError("the call never completed")

    def apply(self, event):
        """As the most naive host: only the changes, in order."""
        shown = self.replay[event["collection"]].setdefault(event["list"], [])
        items = event.get("channels") or event.get("messages") or []
        if event["action"] == "clear":
            shown.clear()
        for position, change in enumerate(event["changes"]):
            if event["action"] == "insert":
                assert 0 <= change["index"] <= len(shown)
                shown.insert(change["index"], items[position])
            elif event["action"] == "update":
                shown[change["index"]] = items[position]
            elif event["action"] == "remove":
                del shown[change["index"]]
            elif event["action"] == "move":
                del shown[change["from"]]
                shown.insert(change["to"], items[position])

    def check_replay(self):
        for view in self.collections.values():
            snapshot = view.snapshot()
            snapshot.pop("seq")
            for kind, content in snapshot.items():
                assert self.replay[view.number].get(kind, []) == content, f"replay of {kind} differs"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_scenario(file, tmp_path):
    Scenario(json.loads(file.read_text(encoding="utf-8")), tmp_path).run()


def test_there_are_at_least_forty():
    assert len(FILES) >= 40
