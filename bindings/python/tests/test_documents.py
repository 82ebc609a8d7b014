"""The types of documents and events: what docs/schema and docs/events.md say of them."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from syncmanager import _actions, actions, details, documents, events

ROOT = Path(__file__).resolve().parents[3]
SCHEMAS = ROOT / "docs" / "schema"
KINDS = get_args(details.Detail)


def schema(name: str) -> Any:
    return json.loads((SCHEMAS / f"{name}.json").read_text())


def sources(kind: Any) -> Any:
    return set(get_args(get_type_hints(kind)["event"]))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("channel", documents.Channel),
        ("message", documents.Message),
        ("user", documents.User),
        ("search-result", documents.SearchResult),
    ],
)
def test_what_is_always_there_is_required(name: str, kind: Any) -> None:
    told = schema(f"objects/{name}")
    assert kind.__required_keys__ == set(told["required"])
    assert set(told["properties"]) <= kind.__annotations__.keys()


def test_what_a_collection_is() -> None:
    told = schema("collection-info")["oneOf"]
    assert set().union(*(kind["properties"] for kind in told)) == documents.CollectionInfo.__annotations__.keys()
    assert set.intersection(*(set(kind["required"]) for kind in told)) == documents.CollectionInfo.__required_keys__


def test_an_unsent_message_is_a_message() -> None:
    told = schema("objects/unsent-message")
    assert set(told["properties"]) <= documents.Message.__annotations__.keys()
    assert documents.Message.__required_keys__ <= set(told["required"])


def test_reasons_are_those_of_the_schema() -> None:
    assert list(get_args(events.FailedReason)) == schema("common")["$defs"]["reason"]["enum"]


def test_every_source_that_tells_an_object_has_a_type_and_no_other_has() -> None:
    rows = re.findall(r"^\| (`event_.*?) \| (.*) \|$", (ROOT / "docs/events.md").read_text(), re.MULTILINE)
    told = {source: row for row, says in rows for source in re.findall(r"\w+", row) if not says.startswith("no object")}
    typed = [source for kind in KINDS for source in sources(kind)]
    assert sorted(typed) == sorted(told)
    assert set(typed) <= set(get_args(events.Source))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_members_of_a_detail_are_those_of_the_documentation(kind: Any) -> None:
    rows = re.findall(r"^\| (`event_.*?) \| (.*) \|$", (ROOT / "docs/events.md").read_text(), re.MULTILINE)
    says = [says for row, says in rows if sources(kind) & set(re.findall(r"\w+", row)) and "the same" not in says]
    documented = set().union(*(set(re.findall(r"`(\w+)`", text)) for text in says))
    assert kind.__annotations__.keys() - {"event"} == {name for name in documented if not name.startswith("event_")} - {
        "channel_updated", "new_message", "detail"}  # fmt: skip


@pytest.mark.parametrize("kind", events._KINDS.items(), ids=lambda kind: kind[0])
def test_the_members_of_an_event_are_those_of_its_schema(kind: Any) -> None:
    name, typed = kind
    told = schema(f"events/{name}")
    members = {member.name for member in dataclasses.fields(typed)} - {"_text"}
    defaults = {member.name for member in dataclasses.fields(typed) if has_default(member)}
    if name == "result":  # what else it has is of its call, which reads it
        assert members <= set(told["properties"])
        return
    assert members == set(told["properties"]) - {"type"}
    assert members - defaults <= set(told["required"])


def has_default(member: Any) -> Any:
    return member.default is not dataclasses.MISSING or member.default_factory is not dataclasses.MISSING


def test_the_typed_actions_are_those_of_the_table() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts/actions", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


ACTIONS = [entry["if"]["properties"]["action"]["const"] for entry in schema("action")["allOf"]]
#: A value of each type that a parameter has.
VALUES: dict[str, Any] = {"str": "a", "int": 1, "bool": True, "Any": 1, "Message": {"message_id": 7, "created_at": 1}}


def value_of(annotation: str, said: Any) -> Any:
    """A value of the first type of a union. `said`: the schema of it, for words that are too many for a line of types.
    """
    if "enum" in said:
        return said["enum"][0]
    if word := re.match(r"Literal\[['\"](\w+)['\"]", annotation):
        return word[1]
    if inner := re.match(r"list\[(.*)\]", annotation):
        return [value_of(inner[1], {})]
    if inner := re.match(r"dict\[str, (.*)\]", annotation):
        return {"a": value_of(inner[1], {})}
    kind = annotation.split(" | ")[0]
    return VALUES[kind] if kind in VALUES else get_args(getattr(documents, kind))[0]


def methods(kind: Any) -> Any:
    return [name for name in vars(kind) if not name.startswith("_") and name not in ("call", "call_document")]


def test_every_action_of_the_chat_is_a_method_and_a_name() -> None:
    assert list(get_args(actions.ActionName)) == ACTIONS
    of_chat = [name for name in ACTIONS if not name.startswith(("database_", "resource_"))]
    assert methods(_actions.ClientActions) == of_chat
    assert "mark_as_read" in methods(_actions.ChannelActions)
    assert "create_channel" not in methods(_actions.ChannelActions)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind in (_actions.ClientActions, _actions.ChannelActions, _actions.CollectionActions)
        for name in methods(kind)
    ],
)
def test_a_method_asks_for_its_action(kind: Any, name: str) -> None:
    class Asked(kind):  # type: ignore[misc]
        _channel_url, _collection = (lambda _: "c"), (lambda _: 3)

        def _act(self, action: Any, **arguments: Any) -> Any:
            return {"action": action, **arguments}

    judged = pytest.importorskip("checked")
    parameters = list(inspect.signature(getattr(kind, name)).parameters.values())[1:]
    given = next(e for e in schema("action")["allOf"] if e["if"]["properties"]["action"]["const"] == name)
    said = given["then"]["properties"]
    values = {one.name: value_of(one.annotation, said.get(one.name, {})) for one in parameters}
    document = getattr(Asked(), name)(**values)
    judged.validator("action").validate(document)
    assert document.keys() == said.keys()
