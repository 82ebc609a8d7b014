"""The schemas know every word that the library can tell or take: compared with its code, and with the header."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import checked
import pytest

from syncmanager import documents, events

ROOT = Path(__file__).resolve().parents[2]
HEADER = (ROOT / "include/syncmanager.h").read_text()


def raw_values(enum: str) -> set[str]:
    """The raw values of a Swift enum of texts."""
    room, _, name = enum.partition("/")
    found = [text for path in sorted((ROOT / "Sources" / "Client" / room).rglob("*.swift"))
             if f"enum {name}: String" in (text := path.read_text())]
    assert len(found) == 1, f"{len(found)} files declare the enum {name}"
    body = found[0][found[0].index(f"enum {name}: String"):]
    body = body[body.index("{") + 1:body.index("}")]
    words = set()
    for line in body.splitlines():
        line = re.sub(r"//.*", "", line).strip()
        if line.startswith("case ") and not line.startswith("case ."):
            for case in re.split(r",\s*", line.removeprefix("case ")):
                name, _, value = case.partition(" = ")
                words.add(value.strip('"') if value else name.strip("`"))
    return words


def actions() -> set[str]:
    """The names of all actions: of each list that `Action` chooses from."""
    folder = ROOT / "Sources/Client/SyncModel/Actions"
    lists = re.findall(r"^    case \w+\((\w+)\)$", (folder / "Action.swift").read_text(), re.MULTILINE)
    assert len(lists) > 10, lists
    return {word for name in lists for word in raw_values(f"SyncModel/{name}")}


def notices() -> set[str]:
    """The types of events that the code names."""
    files = ("Sources/Client/SyncEngine/Host/HostEvent.swift", "Sources/Client/SyncResources/ResourceNotice.swift",
             "Sources/Client/SyncStreams/StreamNotice.swift",
             "Sources/Client/SyncEngine/Database/DatabaseNotice.swift")
    text = "".join((ROOT / file).read_text() for file in files)
    names = re.findall(r'case [^:]+: (?:[^"\n]+ \? )?("\w+"(?: : "\w+")?)$', text, re.MULTILINE)
    return {word for name in names for word in re.findall(r"\w+", name)} | {"change", "result"}


def test_events_are_those_of_the_code_and_of_the_header():
    schemas = {name.removeprefix("events/") for name in checked.names() if name.startswith("events/")}
    section = HEADER[HEADER.index(" * EVENTS"):HEADER.index(" * CHANGES")]
    assert schemas == notices()
    assert schemas == set(re.findall(r"^ \*   (\w+) {2,}\S", section[section.index("Types:"):], re.MULTILINE))


@pytest.mark.parametrize(("schema", "place", "enum"), [
    ("common", ("$defs", "source"), "SyncModel/EventSource"),
    ("common", ("$defs", "reason"), "SyncEngine/FailedReason"),
    ("events/result", ("properties", "call"), "SyncEngine/Name"),
    ("events/result", ("properties", "short"), "SyncEngine/ShortReason"),
    ("events/connection", ("properties", "state"), "SyncEngine/ConnectionState"),
    ("events/sync_state", ("properties", "state"), "SyncEngine/SyncState"),
    ("collection-info", ("oneOf", 3, "properties", "source"), "SyncStreams/Kind"),
], ids=["source", "reason", "call", "short", "connection", "sync_state", "kind of stream"])
def test_words_are_those_of_the_code(schema, place, enum):
    part = checked.schema(schema)
    for key in place:
        part = part[key]
    assert set(part["enum"]) == raw_values(enum)


def test_actions_are_those_of_the_code():
    assert set(checked.schema("action")["properties"]["action"]["enum"]) == actions()


def test_hostile_calls_are_made_of_every_action():
    sys.path.insert(0, str(ROOT / "Tests/Attack"))
    shapes = importlib.import_module("shapes")
    assert set(shapes.ACTIONS) | shapes.LEFT_OUT == actions()


@pytest.mark.parametrize(("schema", "kind"), [
    ("configuration", documents.Config), ("channel-query", documents.ChannelQuery),
    ("message-filter", documents.MessageFilter), ("search-query", documents.SearchQuery)])
def test_keys_are_those_of_the_python_package(schema, kind):
    # "delivery" is for callbacks, which the package does not use.
    keys = set(checked.schema(schema)["properties"]) - {"delivery"}
    assert keys == set(get_type_hints(kind))


def test_services_are_those_of_the_code():
    """Each place that lists the services by name."""
    services = raw_values("SyncManager/Name")
    assert {"sendbird", "matrix"} <= services
    schema = checked.schema("configuration")["properties"]["service"]["enum"]
    rust = (ROOT / "bindings/rust/syncmanager/src/config.rs").read_text()
    shapes = (ROOT / "Tests/Attack/shapes.py").read_text()
    line = re.search(r'^ \*   "service" {2,}(.*)$', HEADER, re.MULTILINE)
    assert line is not None
    found = {
        "configuration.json": {name for name in schema if name is not None},
        "documents.py": set(get_args(get_type_hints(documents.Config)["service"])),
        "config.rs": set(re.findall(r'Service::\w+ => "(\w+)"', rust)),
        "shapes.py": set(re.search(r"\bservice:([\w|]+)", shapes)[1].split("|")),
        "syncmanager.h": set(re.findall(r'"(\w+)"', line[1])),
    }
    assert found == dict.fromkeys(found, services)


def test_rust_reads_every_event():
    """One that `EventKind::read` does not know would become `Other`, and no compiler says so."""
    rust = (ROOT / "bindings/rust/syncmanager/src/event.rs").read_text()
    read = set(re.findall(r'"(\w+)"', rust))
    # Those of resources are read together, by how their names begin.
    assert {notice for notice in notices() if not notice.startswith("resource_")} <= read
    assert '"resource_' in rust


def test_sources_are_those_of_the_python_package():
    assert set(checked.schema("common")["$defs"]["source"]["enum"]) == set(get_args(events.Source))


def test_keys_are_those_of_the_header_and_the_documentation():
    config = HEADER[HEADER.index("/* Opens the cache of one user"):HEADER.index("int32_t sm_setup(")]
    assert set(checked.schema("configuration")["properties"]) == {
        key for line in re.findall(r'^ \*   ((?:"\w+",? ?)+) ', config, re.MULTILINE)
        for key in re.findall(r"\w+", line)}
    queries = (ROOT / "docs/queries.md").read_text()
    for schema, title in (("channel-query", "## Channel query"), ("message-filter", "## Message filter")):
        section = queries[queries.index(title):].split("\n## ", 2)[0]
        first = " ".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
        rest = " ".join(line for line in section.splitlines() if line.startswith("| `"))
        keys = set(checked.schema(schema)["properties"])
        assert keys <= set(re.findall(r"`(\w+)`", rest)), "a key that docs/queries.md does not name"
        assert set(re.findall(r"`(\w+)`", first)) - keys <= {"and", "or", "member_nickname", "channel_name"}
