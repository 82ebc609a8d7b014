"""The table of actions, as docs/ has it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Key:
    """A key of an action."""

    name: str
    schema: dict[str, Any]
    is_required: bool
    meaning: str


@dataclass(frozen=True)
class Action:
    """An action, what it takes and what it gives."""

    name: str
    keys: list[Key]
    #: What collections are told, as the page says it.
    told: str
    #: What it gives, in words; empty when that is nothing.
    gives: str
    #: The schema of its result; None when there is none.
    result: dict[str, Any] | None

    @property
    def is_of_chat(self) -> bool:
        """Whether it is neither the database's nor of resources."""
        return not self.name.startswith(("database_", "resource_"))

    @property
    def required(self) -> list[Key]:
        return [key for key in self.keys if key.is_required]

    @property
    def optional(self) -> list[Key]:
        return [key for key in self.keys if not key.is_required]


def read(docs: Path) -> list[Action]:
    """Every action, in the table's order."""
    schema = json.loads((docs / "schema/action.json").read_text(encoding="utf-8"))
    answers = json.loads((docs / "schema/action-result.json").read_text(encoding="utf-8"))
    page = (docs / "actions.md").read_text(encoding="utf-8")
    gives = dict(re.findall(r"^\| \[`(\w+)`\]\(#\w+\) \|[^|]*\|[^|]*\| (.*?) ?\|$", page, re.MULTILINE))
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    results: dict[str, dict[str, Any] | None] = {}
    for entry in answers["allOf"]:
        which, result = entry["if"]["properties"]["action"], entry["then"]["properties"]["result"]
        for name in which.get("enum", [which.get("const")]):
            results[name] = result or None
    table = []
    for entry in schema["allOf"]:
        name, takes = entry["if"]["properties"]["action"]["const"], entry["then"]
        meanings = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*?) \|$", sections[name], re.MULTILINE))
        keys = [
            Key(key, value, key in takes["required"], meanings[key])
            for key, value in takes["properties"].items()
            if key not in ("action", "timeout_ms")
        ]
        told = re.search(r"^Collections: (.*)$", sections[name], re.MULTILINE)
        table.append(Action(name, keys, told[1] if told else "", gives[name], results.get(name)))
    return table


def plain(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The schema without null, and whether null was allowed."""
    if "enum" in schema:
        values = [value for value in schema["enum"] if value is not None]
        return {**schema, "enum": values}, len(values) < len(schema["enum"])
    if "anyOf" in schema:
        choices = [choice for choice in schema["anyOf"] if choice != {"type": "null"}]
        allowed = len(choices) < len(schema["anyOf"])
        return (choices[0] if len(choices) == 1 else {**schema, "anyOf": choices}), allowed
    kinds = schema.get("type")
    if isinstance(kinds, list) and "null" in kinds and len(kinds) == 2:
        return {**schema, "type": next(kind for kind in kinds if kind != "null")}, True
    return schema, False
