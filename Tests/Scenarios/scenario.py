"""One scenario on one host: the server, the host, and the lists as the most naive host would have them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import checked
from expectations import Expectations, holds
from harness import PATIENCE, Server
from host import Hosts, Refused
from host_steps import HostSteps
from poll_steps import PollSteps
from server_steps import ServerSteps
from world_server import WorldServer


#: All scenarios.
FILES = sorted(Path(__file__).parent.rglob("*.json"))


class Scenario(ServerSteps, HostSteps, PollSteps, Expectations):
    def __init__(
        self, document: dict, folder: Path, hosts: Hosts, program: Path, always: dict | None = None
    ) -> None:
        """`always`: what each configuration has that does not say otherwise. Hosts of a world have the server, too."""
        self.hosts = hosts
        self.host = hosts.take(program)
        self.always = always or {}
        self.document = document
        self.folder = folder
        options = document.get("server", [])
        self.server = (WorldServer(self.host, options, seed=1) if hosts.in_world
                       else Server(*options, db=folder / "server.db"))
        self.users = {name: self.server.create_user(name) for name in ("mei", "bo", "kit")}
        self.named: dict[str, dict] = {}
        #: Polls as they were last seen, by their titles.
        self.polls: dict[str, dict] = {}
        self.collections: dict[str, int] = {}
        #: Addresses of files at the server.
        self.files: dict[str, str] = {}
        self.replay: dict[int, dict[str, list]] = {}
        self.events: list[dict] = []
        self.config: dict = {}
        self.last_request = 0
        self.has_channels = False
        #: Calls that later steps name, and what was told last of those that listen.
        self.calls: dict[str, int] = {}
        self.values: dict[int, dict] = {}
        #: Messages of others that were told since the last look, and the ids of all that ever were, by their texts.
        self.received: list[dict] = []
        self.received_ids: dict[str, int] = {}
        #: Results that nobody has waited for yet, by their calls.
        self.results: dict[int, dict] = {}
        #: Hooks that the host was asked and has not answered.
        self.hooks: list[int] = []
        #: What the library said last of its asking, and whether it may have begun to ask since it was seen at rest.
        self.sync_state = ""
        self.may_ask = False
        #: Whether the host has set the library up and not closed it.
        self.is_open = False

    @staticmethod
    def needs_files(document: dict) -> bool:
        """Whether something has to outlive a client, or files of the library are looked at."""
        was_closed = False
        if "needs" in document:
            return True
        for step in document["steps"]:
            verb = step.get("host")
            if verb in {"restart", "kill"} or (verb == "setup" and was_closed) or step.get("expect") == "on_disk":
                return True
            if "cache" in step.get("config", {}):
                return True
            was_closed = was_closed or verb == "close"
        return False

    @staticmethod
    def reads_files(document: dict) -> bool:
        """Whether files of the library are looked at or changed as plain ones, or encryption itself is tried."""
        for step in document["steps"]:
            if step.keys() & {"aged", "damaged"} or step.get("expect") == "on_disk":
                return True
            if "encryption" in json.dumps(step) or step.get("config", {}).get("cache") == "none":
                return True
        return False

    def missing(self) -> str:
        """What the scenario needs, and this system does not have, as the host is told; empty where it has all."""
        if "needs" not in self.document:
            return ""
        assert self.document["needs"] == "encryption", self.document["needs"]
        probe = self.server.config(
            self.users["mei"], self.folder / "probe", encryption_passphrase="whether anything can encrypt")
        try:
            self.host.step("setup", config=probe)
        except Refused as refused:
            assert refused.error["name"] == "SM_ERR_NO_ENCRYPTION", refused
            return refused.error["message"]
        self.host.step("close")
        return ""

    def end(self) -> None:
        """The host has done its part, or has nothing to do."""
        if isinstance(self.server, WorldServer):
            if self.is_open:
                self.host_close()
            self.server.end()
        self.hosts.give_back(self.host, self.is_open)

    def run(self) -> None:
        try:
            for number, step in enumerate(self.document["steps"]):
                try:
                    self.step(dict(step))
                except (AssertionError, Refused) as error:
                    raise AssertionError(f"step {number} {json.dumps(step, ensure_ascii=False)}: {error}") from None
            self.end()
        except BaseException:
            self.host.kill()
            raise
        finally:
            self.end_server()

    def end_server(self) -> None:
        if isinstance(self.server, Server):
            self.server.__exit__(None, None, None)

    def pass_time(self) -> None:
        """Lets a moment pass where nothing is waited for: in a world no time passes by itself."""
        if self.hosts.in_world:
            self.take(time.monotonic() + 0.05)

    #: Server steps that change nothing that the library asks for: whatever it is doing, they come at once.
    AT_ONCE = {"control", "forget_traffic", "kill", "restart", "revoke", "database", "database_rules"}

    def rest(self) -> None:
        """Until nothing is asked any more, if there is a connection. The library says that it is asking before it says
        what comes after, so that the result of a later call stands behind it."""
        asked = self.host.step("call", document={"action": "statistics"})["request"]
        told = self.finish(asked, {"status": 0})["result"]
        end = time.monotonic() + PATIENCE
        while told["connected"] and self.sync_state == "running":
            assert time.monotonic() < end, "it does not come to rest"
            self.take(end)
        self.may_ask = False

    def step(self, step: dict) -> None:
        at_once = step.pop("at_once", False)
        if "server" in step:
            if self.is_open and self.may_ask and not at_once and step["server"] not in self.AT_ONCE:
                self.rest()
        elif "host" in step:
            # A call whose result is not waited for is in flight on purpose.
            self.may_ask = step.get("result", ()) is not None
        for side in ("server", "host", "expect"):
            if side in step:
                return getattr(self, side + "_" + step.pop(side))(**step)
        raise AssertionError("a step needs server, host or expect")

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
        checked.told_event(event)
        self.events.append(event)
        if event["type"] == "result":
            self.results[event["request"]] = event
        elif event["type"] == "sync_state":
            self.sync_state = event["state"]
        elif event["type"].startswith("resource_will_"):
            self.hooks.append(event["hook"])
        if event["type"] == "message_received":
            known = self.received_ids.setdefault(event["message"]["message_id"], event["id"])
            assert known == event["id"], f"told as {known} before, now as {event['id']}"
            self.received.append(event)
        if event["type"] == "database_value":
            self.values[event["listen"]] = event
        elif event["type"] == "change" and event["collection"] in self.replay:
            self.apply(event)
        elif event["type"].startswith("stream_") and event["collection"] in self.replay:
            self.apply_stream(event)
        return event

    def finish(self, request, wanted):
        """Waits for the result of a call and compares it."""
        if wanted is None:
            return None
        end = time.monotonic() + PATIENCE
        while request not in self.results:
            assert time.monotonic() < end, "the call never completed"
            self.take(end)
        event = self.results.pop(request)
        assert holds(dict(wanted), event) and (wanted or event["status"] == 0), event
        return event

    def apply(self, event):
        """As the most naive host: only the changes, in order."""
        shown = self.replay[event["collection"]].setdefault(event["list"], [])
        items = event.get("channels") or event.get("messages") or event.get("results") or []
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

    def apply_stream(self, event):
        """A batch of a stream, or one event of its sequence, as the header says."""
        rows = event.get("rows", [])
        kind = event["type"].removeprefix("stream_")
        deleted, added = event.get("deleted", rows * (kind == "deleted")), event.get("added", rows * (kind == "added"))
        changed, moved = event.get("changed", rows * (kind == "changed")), event.get("moved", [])
        sections = self.replay[event["collection"]]
        if event.get("reset"):
            sections.clear()
        gone = [(row["path"], row["key"]) for row in deleted] + [(row["from"], row["key"]) for row in moved]
        for (section, index), key in sorted(gone, reverse=True):
            assert sections[section].pop(index)["key"] == key, f"{key} is not at {section}, {index}"
        for row in sorted(added + moved, key=lambda row: row["path"]):
            section, index = row["path"]
            assert 0 <= index <= len(sections.setdefault(section, []))
            sections[section].insert(index, {"key": row["key"], "item": row["item"]})
        for row in changed:
            section, index = row["path"]
            assert sections[section][index]["key"] == row["key"]
            sections[section][index] = {"key": row["key"], "item": row["item"]}

    def check_stream(self, name, number, snapshot):
        shown = [section["rows"] for section in snapshot["sections"]]
        # A stream that is one of several sections of the host tells another section than its own first one.
        told = self.replay[number]
        first = min(told) if len(shown) == 1 and told else 0
        assert [told.get(first + index, []) for index in range(len(shown))] == shown, "replay of the sections differs"
        if self.host.hello["items"]:
            assert self.host.step("items", on=name)["items"] == {"sections": shown}, "the host's live sections differ"

    def check_replay(self):
        for name, number in self.collections.items():
            snapshot = self.snapshot(name)
            checked.told("collection-snapshot", snapshot)
            snapshot.pop("seq")
            if "sections" in snapshot:
                self.check_stream(name, number, snapshot)
                continue
            for kind, content in snapshot.items():
                assert self.replay[number].get(kind, []) == content, f"replay of {kind} differs"
            if self.host.hello["items"]:
                assert self.host.step("items", on=name)["items"] == snapshot, "the host's live list differs"
