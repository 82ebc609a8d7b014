"""Runs the scenarios beside this file on a host; README.md tells their form, PROTOCOL.md what a host is."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from harness import PATIENCE, Server
from host import Host, Refused

LATEST = 2**63 - 1
FILES = sorted(Path(__file__).parent.glob("*.json"))


def holds(part, whole) -> bool:
    """Whether `part` is contained in `whole`: members of objects, at any depth; null is null or no such member."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(holds(value, whole.get(key)) for key, value in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(holds, part, whole))
    return part == whole


class Scenario:
    def __init__(self, document: dict, folder: Path, host: Host) -> None:
        self.host = host
        self.document = document
        self.folder = folder
        self.server = Server(*document.get("server", []), db=folder / "server.db")
        self.users = {name: self.server.create_user(name) for name in ("mei", "bo", "kit")}
        self.named: dict[str, dict] = {}
        self.collections: dict[str, int] = {}
        self.replay: dict[int, dict[str, list]] = {}
        self.events: list[dict] = []
        self.config: dict = {}

    def run(self) -> None:
        try:
            for number, step in enumerate(self.document["steps"]):
                try:
                    self.step(dict(step))
                except (AssertionError, Refused) as error:
                    raise AssertionError(f"step {number} {json.dumps(step, ensure_ascii=False)}: {error}") from None
            status = self.host.end()
            assert status == 0, f"the host ended with status {status}"
        finally:
            self.host.kill()
            self.server.__exit__(None, None, None)

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

    def begin(self, wanted, verb, fails=None, path=None, **members):
        """Makes a call and waits for its result as far as is wanted; with `fails` it must be refused."""
        try:
            answer = self.host.step(verb, **members)
        except Refused as refused:
            error = refused.error
            assert fails, f"was refused: {error}"
            assert error["name"] == fails and (path is None or error.get("path") == path), f"was refused: {error}"
            return None
        assert not fails, "was accepted"
        return self.finish(answer["request"], wanted) if "request" in answer else answer

    def host_setup(self, user="mei", config=None, fails=None):
        self.config = self.server.config(self.users[user], self.folder / "data", **(config or {}))
        self.begin(None, "setup", fails, config=self.config)

    def host_connect(self, result=()):
        self.begin(result, "connect")

    def host_disconnect(self):
        self.begin(None, "disconnect")

    def host_close(self):
        self.begin(None, "close")
        self.collections = {}

    def host_kill(self, config=None):
        """As a crash does, in the middle of whatever the host's library is doing; then a new host opens the files."""
        self.host.kill()
        self.host = Host(self.host.program)
        self.reopen(config)

    def host_restart(self, config=None):
        self.host_close()
        self.reopen(config)

    def reopen(self, config):
        self.collections, self.replay, self.events = {}, {}, []
        self.config.update(config or {})
        self.begin(None, "setup", config=self.config)

    def host_channels(self, query=None, fails=None, path=None, **more):
        self.make(more["as"], "channels", fails, path, query=query or {})

    def host_open(self, url, filter=None, viewpoint="latest", fails=None, path=None, **more):
        self.make(more["as"], "messages", fails, path, channel_url=url, filter=filter or {},
                  viewpoint=self.point(viewpoint))

    def make(self, name, verb, fails, path, **members):
        answer = self.begin(None, verb, fails, path, **{"as": name}, **members)
        if answer:
            self.collections[name] = answer["collection"]
            self.replay[answer["collection"]] = {}

    def point(self, viewpoint):
        if viewpoint == "latest":
            return LATEST
        return self.named[viewpoint]["created_at"] if isinstance(viewpoint, str) else viewpoint

    def host_fetch(self, on, direction="previous", result=(), fails=None):
        self.begin(result, "fetch", fails, on=on, direction=direction)

    def host_fetch_all(self, on, direction="previous"):
        while self.begin((), "fetch", on=on, direction=direction)["has_more"]:
            pass

    def host_send(self, on, text=None, result=(), fails=None, fields=None):
        message = {**({} if text is None else {"message": text}), **(fields or {})}
        self.begin(result, "send", fails, on=on, message=message)

    def host_resend(self, on, index=0, result=()):
        self.begin(result, "send", on=on, message={"resend": self.snapshot(on)["failed"][index]["request_id"]})

    def host_update(self, on, message, text, result=()):
        self.begin(result, "update", on=on, message={"message_id": self.id_of(on, message), "message": text})

    def host_delete(self, on, message=None, failed=None, result=()):
        if failed is not None:
            document = {"request_id": self.snapshot(on)["failed"][failed]["request_id"]}
        else:
            document = {"message_id": self.id_of(on, message)}
        self.begin(result, "delete", on=on, message=document)

    def host_append(self, on, request_id, text, result=()):
        self.begin(result, "append", on=on, message={"request_id": request_id, "message": text})

    def host_response(self, on, request_id, message=None, error_code=0, result=()):
        document = dict(self.named[message]) if message else {}
        document["request_id"] = request_id
        self.begin(result, "response", on=on, message=document, error_code=error_code)

    def host_pause(self):
        self.begin(None, "pause_sync")

    def host_resume(self):
        self.begin(None, "resume_sync")

    def host_reset(self, on, viewpoint="latest"):
        self.begin(None, "reset_viewpoint", on=on, viewpoint=self.point(viewpoint))

    def host_remove(self, on):
        self.begin(None, "remove", on=on)
        self.replay.pop(self.collections.pop(on))

    def host_clear_cache(self, url=None, result=()):
        self.begin(result, "clear_cache", channel_url=url)

    def snapshot(self, on):
        return self.host.step("snapshot", on=on)["snapshot"]

    def id_of(self, on, message):
        if message in self.named:
            return self.named[message]["message_id"]
        return next(m["message_id"] for m in self.snapshot(on)["succeeded"] if m["message"] == message)

    # What the host must see

    def expect_texts(self, on, list):
        self.until(lambda: [m["message"] for m in self.snapshot(on)["succeeded"]], list)

    def expect_channels(self, on, list):
        self.until(lambda: [c["channel_url"] for c in self.snapshot(on)["channels"]], list)

    def expect_names(self, on, list):
        self.until(lambda: [c["name"] for c in self.snapshot(on)["channels"]], list)

    def expect_field(self, on, key, list):
        self.until(lambda: [c.get(key) for c in self.snapshot(on)["channels"]], list)

    def expect_count(self, on, count):
        self.until(lambda: len(self.snapshot(on)["succeeded"]), count)

    def expect_pending(self, on, list):
        self.until(lambda: [m["message"] for m in self.snapshot(on)["pending"]], list)

    def expect_failed(self, on, list):
        self.until(lambda: [m["message"] for m in self.snapshot(on)["failed"]], list)

    def expect_info(self, on, info):
        def shown():
            told = self.host.step("info", on=on)["info"]
            return {key: told.get(key) for key in info}

        self.until(shown, info)

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
        event = self.host.step("take", timeout_ms=max(1, int((end - time.monotonic()) * 1000)))["event"]
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
        for name, number in self.collections.items():
            snapshot = self.snapshot(name)
            snapshot.pop("seq")
            for kind, content in snapshot.items():
                assert self.replay[number].get(kind, []) == content, f"replay of {kind} differs"
            if self.host.hello["items"]:
                assert self.host.step("items", on=name)["items"] == snapshot, "the host's live list differs"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_scenario(file, tmp_path, host_program):
    Scenario(json.loads(file.read_text(encoding="utf-8")), tmp_path, Host(host_program)).run()


def test_there_are_at_least_forty():
    assert len(FILES) >= 40
