"""The types of documents and events: what docs/schema and docs/events.md say of them."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from syncmanager import details, documents, events

ROOT = Path(__file__).resolve().parents[3]
SCHEMAS = ROOT / "docs" / "schema"
KINDS = get_args(details.Detail)


def schema(name):
    return json.loads((SCHEMAS / f"{name}.json").read_text())


def sources(kind):
    return set(get_args(get_type_hints(kind)["event"]))


@pytest.mark.parametrize(
    ("name", "kind"), [("channel", documents.Channel), ("message", documents.Message), ("user", documents.User)]
)
def test_what_is_always_there_is_required(name, kind):
    told = schema(f"objects/{name}")
    assert kind.__required_keys__ == set(told["required"])
    assert set(told["properties"]) <= kind.__annotations__.keys()


def test_what_a_collection_is():
    told = schema("collection-info")["oneOf"]
    assert set().union(*(kind["properties"] for kind in told)) == documents.CollectionInfo.__annotations__.keys()
    assert set.intersection(*(set(kind["required"]) for kind in told)) == documents.CollectionInfo.__required_keys__


def test_an_unsent_message_is_a_message():
    told = schema("objects/unsent-message")
    assert set(told["properties"]) <= documents.Message.__annotations__.keys()
    assert documents.Message.__required_keys__ <= set(told["required"])


def test_reasons_are_those_of_the_schema():
    assert list(get_args(events.FailedReason)) == schema("common")["$defs"]["reason"]["enum"]


def test_every_source_that_tells_an_object_has_a_type_and_no_other_has():
    rows = re.findall(r"^\| (`event_.*?) \| (.*) \|$", (ROOT / "docs/events.md").read_text(), re.MULTILINE)
    told = {source: row for row, says in rows for source in re.findall(r"\w+", row) if not says.startswith("no object")}
    typed = [source for kind in KINDS for source in sources(kind)]
    assert sorted(typed) == sorted(told)
    assert set(typed) <= set(get_args(events.Source))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_members_of_a_detail_are_those_of_the_documentation(kind):
    rows = re.findall(r"^\| (`event_.*?) \| (.*) \|$", (ROOT / "docs/events.md").read_text(), re.MULTILINE)
    says = [says for row, says in rows if sources(kind) & set(re.findall(r"\w+", row)) and "the same" not in says]
    documented = set().union(*(set(re.findall(r"`(\w+)`", text)) for text in says))
    assert kind.__annotations__.keys() - {"event"} == {name for name in documented if not name.startswith("event_")} - {
        "channel_updated", "new_message", "detail"}  # fmt: skip


@pytest.mark.parametrize("kind", events._KINDS.items(), ids=lambda kind: kind[0])
def test_the_members_of_an_event_are_those_of_its_schema(kind):
    name, typed = kind
    told = schema(f"events/{name}")
    members = {member.name for member in dataclasses.fields(typed)} - {"_text"}
    defaults = {member.name for member in dataclasses.fields(typed) if has_default(member)}
    if name == "result":  # what else it has is of its call, which reads it
        assert members <= set(told["properties"])
        return
    assert members == set(told["properties"]) - {"type"}
    assert members - defaults <= set(told["required"])


def has_default(member):
    return member.default is not dataclasses.MISSING or member.default_factory is not dataclasses.MISSING
