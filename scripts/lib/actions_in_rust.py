"""The typed actions of the Rust crate, formatted by rustfmt."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap

from action_table import Action, Key, plain

HEAD = """//! Constructors of actions, and methods for the keys that an action may have.
//!
//! Written by scripts/actions from the table of actions; change that, not this file.

use std::fmt::Display;

use crate::action::Action;
use crate::document::{quoted, quoted_list, quoted_map};

"""
#: Methods that every action has; a key of this name gets an underscore behind it.
TAKEN = {"text", "texts", "number", "flag", "timeout_ms", "with", "new", "from_json", "to_json", "from_serialize",
         "type", "match", "ref", "move", "in", "fn", "self", "use", "where", "loop", "final", "box", "try"}
TEXTS = {f"common.json#/$defs/{name}" for name in ("name", "text", "database_key", "path_template")}


def argument(key: Key) -> tuple[str, str]:
    """The Rust type of a key's value, and how it is written as JSON."""
    schema, _ = plain(key.schema)
    name = rust_name(key.name)
    if key.name.endswith("_id") and "anyOf" in schema:
        return "impl Display", f"quoted(&{name}.to_string())"  # a number, or a text
    if schema.get("$ref") in TEXTS or "enum" in schema and all(isinstance(value, str) for value in schema["enum"]):
        return "&str", f"quoted({name})"
    if schema.get("$ref") == "common.json#/$defs/time" or schema.get("type") == "integer":
        return "i64", f"{name}.to_string()"
    if schema.get("type") == "boolean":
        return "bool", f"{name}.to_string()"
    if schema.get("type") == "array" and schema.get("items", {}).get("$ref") in TEXTS:
        return "&[impl AsRef<str>]", f"quoted_list({name})"
    values = schema.get("additionalProperties")
    if schema.get("type") == "object" and isinstance(values, dict):
        if values.get("$ref") in TEXTS:
            return "&[(impl AsRef<str>, impl AsRef<str>)]", f"quoted_map({name}, |value| quoted(value.as_ref()))"
        if values.get("type") == "integer":
            return "&[(impl AsRef<str>, i64)]", f"quoted_map({name}, i64::to_string)"
        if values.get("type") == "array" and values["items"].get("$ref") in TEXTS:
            return "&[(impl AsRef<str>, Vec<String>)]", f"quoted_map({name}, |values| quoted_list(values))"
    return "&str", f"{name}.to_owned()"  # JSON text


def is_json(key: Key) -> bool:
    return argument(key)[1].endswith(".to_owned()")


def rust_name(name: str) -> str:
    return name + "_" if name in TAKEN else name


def in_doc(text: str, indent: str = "    ") -> str:
    deeper = "  " if text.startswith("- ") else ""
    lines = textwrap.wrap(text, 108, subsequent_indent=deeper, break_on_hyphens=False)
    return "\n".join(f"{indent}/// {line}" for line in lines)


def escaped(text: str) -> str:
    """Brackets outside of code would be links."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\[\]<>])", r"\\\1", part) for part in parts)


def meaning(key: Key) -> str:
    schema, _ = plain(key.schema)
    words = f" ({', '.join(f'`{word}`' for word in schema['enum'])})" if "enum" in schema else ""
    return f"{escaped(key.meaning)}{words}{', as JSON text' if is_json(key) else ''}"


def constructor(action: Action) -> str:
    lines = [in_doc(f"`{action.name}`. Collections: {escaped(action.told)}")]
    if action.gives:
        lines += ["    ///", in_doc(f"Gives {escaped(action.gives.rstrip('.'))}.")]
    if action.required:
        lines.append("    ///")
        lines += [in_doc(f"- `{key.name}`: {meaning(key)}") for key in action.required]
    if action.optional:
        links = ", ".join(f"[`{rust_name(key.name)}`](Action::{rust_name(key.name)})" for key in action.optional)
        lines += ["    ///", in_doc(f"It may have {links}.")]
    parameters = ", ".join(f"{rust_name(key.name)}: {argument(key)[0]}" for key in action.required)
    sets = "".join(f".set(\"{key.name}\", {argument(key)[1]})" for key in action.required)
    lines += [f"    pub fn {rust_name(action.name)}({parameters}) -> Action {{",
              f"        Action::new(\"{action.name}\"){sets}", "    }", ""]
    return "\n".join(lines)


def setter(key: Key, actions: list[Action]) -> str:
    meanings = dict.fromkeys(meaning(one) for action in actions for one in action.optional if one.name == key.name)
    of = ", ".join(f"`{action.name}`" for action in actions)
    kind, text = argument(key)
    name = rust_name(key.name)
    return "\n".join([
        in_doc(f"Of {of}: {'; or '.join(meanings)}."),
        f"    pub fn {name}(self, {name}: {kind}) -> Action {{",
        f"        self.set(\"{key.name}\", {text})", "    }", ""])


def constructors(table: list[Action]) -> str:
    """The module of constructors."""
    chat = [action for action in table if action.is_of_chat]
    keys: dict[str, list[tuple[Key, Action]]] = {}
    for action in chat:
        for key in action.optional:
            keys.setdefault(key.name, []).append((key, action))
    both = {rust_name(name) for name in keys} & {rust_name(action.name) for action in chat}
    if both:
        sys.exit(f"actions and keys of one name: {sorted(both)}")
    out = [HEAD, "/// The actions of `docs/actions.md`, each with the keys that it needs.\nimpl Action {\n"]
    out += [constructor(action) + "\n" for action in chat]
    out += ["}\n\n/// The keys that actions may have. Since 0.1.\nimpl Action {\n"]
    for name, uses in keys.items():
        kinds = {argument(key)[0] for key, _ in uses}
        if len(kinds) > 1:
            sys.exit(f"the key {name} has several types: {sorted(kinds)}")
        out.append(setter(uses[0][0], [action for _, action in uses]) + "\n")
    out.append("}\n")
    formatted = subprocess.run(["rustfmt", "--edition", "2021", "--config", "max_width=120,use_small_heuristics=Max"],
                               input="".join(out), text=True, capture_output=True)
    if formatted.returncode != 0:
        sys.exit(f"rustfmt: {formatted.stderr}")
    return formatted.stdout
