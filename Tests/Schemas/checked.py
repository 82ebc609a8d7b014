"""Compares documents with docs/schema: what the library told must be valid, what it was given must be judged the same.

Scenarios, end-to-end tests and the tests of the Python package pass everything through here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, validators
from referencing import Registry
from referencing.jsonschema import DRAFT202012

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schema"
#: Refusals that depend on what a schema cannot compare: one member with another, or numbers too large for it.
#: Or on what else is open, and on the kind of stream that is asked.
CANNOT_SAY = (
    "must be earlier than", "is before since", "no open stream", "cannot be part of another stream",
    "in each other more", "one for each",
    "does not go with", "one has to be given", 'has no "database"', "has a limit of its own", "Invalid data",
    "Invalid path", "is counted under that name", "A range of", "a path below each child",
    "gives the section already", "only a transient stream", "a stream of this kind", "no one order", "in one direction",
    "or bounds of its own", "goes on from a value",
)

# A schema calls 1.0 an integer; the library does not, since times do not survive reals.
_strict = Draft202012Validator.TYPE_CHECKER.redefine(
    "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool))
Validator = validators.extend(Draft202012Validator, type_checker=_strict)


def names() -> list[str]:
    """Every schema: "events/change", "configuration" and so on."""
    return sorted(str(path.relative_to(SCHEMAS).with_suffix("")) for path in SCHEMAS.rglob("*.json"))


@lru_cache(maxsize=None)
def schema(name: str) -> dict[str, Any]:
    return json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _registry() -> Registry:
    # Without "$schema", by which the validator would fall back to its usual notion of an integer behind a reference.
    contents = ((name, {key: value for key, value in schema(name).items() if key != "$schema"}) for name in names())
    return Registry().with_resources(
        (f"{name}.json", DRAFT202012.create_resource(content)) for name, content in contents)


@lru_cache(maxsize=None)
def validator(name: str, action: str | None = None) -> Any:
    """Of a schema as a whole; of `action` with the name of one, without the parts that speak of others."""
    if not (SCHEMAS / f"{name}.json").exists():
        raise AssertionError(f"docs/schema has no {name}.json")
    if action is None:
        return Validator({"$ref": f"{name}.json"}, registry=_registry())
    whole = {key: value for key, value in schema(name).items() if key != "$schema"}
    parts = [part for part in whole["allOf"] if _is_about(part, action)]
    return Validator({**whole, "$id": f"{name}.json", "allOf": parts or [{}]}, registry=_registry())


def _is_about(part: dict[str, Any], action: str) -> bool:
    """Whether a part of a schema holds for documents of this action; parts that have another condition do."""
    condition = part.get("if", {})
    told = condition.get("properties", {}).get("action", {})
    if set(condition) != {"properties"} or set(condition["properties"]) != {"action"}:
        return True
    return action == told["const"] if set(told) == {"const"} else set(told) != {"enum"} or action in told["enum"]


def faults(name: str, document: Any) -> list[str]:
    """What is wrong with a document, by the schema of that name; empty when it is valid."""
    found = []
    # Of more than a hundred parts that begin with "if the action is" those of another action say nothing.
    action = document.get("action") if name in ("action", "action-result") and isinstance(document, dict) else None
    for error in validator(name, action if isinstance(action, str) else None).iter_errors(document):
        while error.context:  # the branch that went furthest says most
            error = max(error.context, key=lambda inner: len(inner.absolute_path))
        found.append(f"{error.json_path}: {error.message[:300]}")
    return found


def told(name: str, document: Any) -> None:
    """The library told this document: it must be valid."""
    wrong = faults(name, document)
    assert not wrong, f"not what docs/schema/{name}.json says: {wrong}: {json.dumps(document)[:2000]}"


def told_event(event: dict[str, Any]) -> None:
    told(f"events/{event['type']}", event)
    items = event.get("channels") or event.get("messages") or event.get("results")
    if event["type"] == "change" and items is not None:
        assert len(items) == len(event["changes"]), f"as many items as changes are needed: {event}"


def given(name: str, document: Any, error: dict[str, Any] | None = None) -> None:
    """The library took this document, or refused it with `error`: the schema must judge the same, where it can."""
    wrong = faults(name, document)
    if error is None or error["name"] != "SM_ERR_INVALID_DOCUMENT":
        assert error is not None or not wrong, f"accepted, but docs/schema/{name}.json says {wrong}"
    elif not any(reason in error["message"] for reason in CANNOT_SAY):
        assert wrong, f"refused ({error['message']}), but docs/schema/{name}.json finds nothing wrong"


@pytest.fixture(autouse=True)
def events_are_valid(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every event that a client of the Python package drains in a test is compared, on whichever thread."""
    from syncmanager import _handle

    wrong: list[str] = []
    drain = _handle.Handle.next_text

    def checked_text(handle: Any, timeout_ms: int) -> bytes | None:
        text = drain(handle, timeout_ms)
        if text is not None:
            try:
                told_event(json.loads(text))
            except AssertionError as error:
                wrong.append(str(error))
        return text

    monkeypatch.setattr(_handle.Handle, "next_text", checked_text)
    yield
    assert not wrong, wrong[:3]
