"""The typed actions of the Python package, formatted as ruff does."""

from __future__ import annotations

import json
import keyword
import re
import textwrap
from pathlib import Path
from typing import Any

from action_table import Action, Key, plain

WIDTH = 120
HEAD = '"""{}\n\nWritten by scripts/actions from the table of actions; change that, not this file."""\n\n'
NAMES = {
    "common.json#/$defs/name": "str",
    "common.json#/$defs/text": "str",
    "common.json#/$defs/database_key": "str",
    "common.json#/$defs/path_template": "str",
    "common.json#/$defs/time": "int",
    "common.json#/$defs/context_resources": "dict[str, Any]",
    "common.json#/$defs/resources": "dict[str, Any]",
    "common.json#/$defs/counter_list": "list[Any]",
    "common.json#/$defs/counters": "list[dict[str, Any]]",
    "configuration.json": "Config",
}
PACKAGE = Path(__file__).resolve().parents[2] / "bindings/python/syncmanager"
#: The documents that the package has a type for.
DOCUMENTS = sorted(
    name
    for pair in re.findall(r"^class ([A-Z]\w+)|^([A-Z]\w+) = ", (PACKAGE / "documents.py").read_text("utf-8"), re.M)
    for name in pair if name)
#: What documents.py calls a set of words.
NAMED_WORDS = re.compile(r"^([A-Z]\w+) = Literal\[([^]]*)\]", re.M)
WORDS = {
    frozenset(re.findall(r'"(\w+)"', words)): name
    for name, words in NAMED_WORDS.findall((PACKAGE / "documents.py").read_text("utf-8"))
}
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def typed(schema: Any, name: str = "") -> str:
    """The type of a value. What no rule here knows is Any."""
    schema, may_be_null = plain(schema) if isinstance(schema, dict) else ({}, False)
    text = without_null(schema, name)
    return f"{text} | None" if may_be_null and text != "Any" else text


def without_null(schema: dict[str, Any], name: str) -> str:
    place = schema.get("$ref", "")
    if place.startswith("objects/"):
        document = place.removeprefix("objects/").removesuffix(".json").title().replace("-", "")
        if document not in DOCUMENTS:
            return "dict[str, Any]"
        return "Member" if (name, document) == ("members", "User") else document
    if place:
        return NAMES.get(place, "Any")
    if "enum" in schema:
        text = f"Literal[{', '.join(map(literal, schema['enum']))}]"
        # No line has room for a long one: a word set that documents.py names, or else any text.
        return text if len(text) < WIDTH - 30 else WORDS.get(frozenset(schema["enum"]), "str")
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(typed(choice) for choice in schema["anyOf"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(SCALARS[one] for one in kind if one != "null") + (" | None" if "null" in kind else "")
    if kind == "array":
        return f"list[{typed(schema.get('items'), name)}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {typed(values) if values else 'Any'}]"
    return SCALARS.get(str(kind), "Any")


def literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def result_type(action: Action) -> str:
    """What the action gives: None, a document, or a dictionary that `results` declares."""
    if action.result is None:
        return "None"
    if action.result.get("title"):
        return str(action.result["title"])
    return typed(action.result) if typed(action.result) != "Any" else "dict[str, Any]"


def results(table: list[Action]) -> str:
    """The module of results."""
    out = [HEAD.format("The results of actions (docs/actions.md), typed."), "from __future__ import annotations\n\n"]
    names = {name: action for action in reversed(table) if action.result and (name := action.result.get("title"))}
    classes: list[str] = []
    for name, action in sorted(names.items()):
        result = action.result or {}
        has = result.get("required", [])
        members = {key: typed(value, key) for key, value in result["properties"].items()}
        of = ", ".join(f"``{one.name}``" for one in table if one.result and one.result.get("title") == name)
        about = textwrap.fill(f'"""The result of {of}. Since 0.1."""', WIDTH - 4).replace("\n", "\n    ")
        if len(has) < len(members):
            lines = [f"class _Required{name}(TypedDict):", *(f"    {key}: {members[key]}" for key in has), "", ""]
            lines += [f"class {name}(_Required{name}, total=False):"]
        else:
            lines = [f"class {name}(TypedDict):"]
        lines += [f"    {about}", ""]
        lines += [f"    {key}: {text}" for key, text in members.items() if len(has) == len(members) or key not in has]
        classes.append("\n".join(lines))
    words = ",\n".join(f"    {literal(action.name)}" for action in table)
    out.append(f"#: The name of an action.\nActionName = Literal[\n{words},\n]\n\n\n")
    body = "\n\n\n".join(classes) + "\n"
    head = imports(body + "Literal", {"typing": ["Any", "Literal", "TypedDict"]})
    return "".join([*out[:2], head, "\n", imports(body, {".documents": DOCUMENTS}), "\n", *out[2:], body])


# ---- Methods


def of_channel(action: Action) -> bool:
    return any(key.name == "channel_url" for key in action.required)


def of_collection(action: Action) -> bool:
    return any(key.name == "collection" for key in action.required)


def argument_type(key: Key) -> str:
    # Paths in the realtime database are any text, and paths of files are names.
    is_file = key.name == "path" and key.schema.get("$ref", "").endswith("/name")
    return "str | PathLike[str]" if is_file else typed(key.schema, key.name)


def parameter(key: Key) -> str:
    name, text = key.name, argument_type(key)
    if name == "message_id":
        text = text.replace("int | str", "Message | MessageId")
    return f"{name}: {text}" if key.is_required else f"{name}: {text.removesuffix(' | None')} | None = None"


def signature(head: str, parameters: list[str], tail: str, indent: str = "    ") -> str:
    """A def line as ruff formats it."""
    line = f"{indent}{head}({', '.join(parameters)}){tail}"
    if len(line) <= WIDTH:
        return line
    inner = f"{indent}    {', '.join(parameters)}"
    if len(inner) <= WIDTH:
        return f"{indent}{head}(\n{inner}\n{indent}){tail}"
    rows = "".join(f"{indent}    {one},\n" for one in parameters)
    return f"{indent}{head}(\n{rows}{indent}){tail}"


def in_docstring(text: str) -> str:
    """The page's words: its code is the package's."""
    return re.sub(r"`([^`]+)`", r"``\1``", text)


def docstring(action: Action, keys: list[Key]) -> str:
    told = in_docstring(action.told)
    text = f"The action ``{action.name}``. Collections: {told}"
    if action.gives:
        gives = in_docstring(action.gives).rstrip(".")
        text += f"\n\nGives {gives}."
    if keys:
        text += "\n\nArgs:\n" + "\n".join(f"    {key.name}: {in_docstring(key.meaning)}" for key in keys)
    lines = []
    for line in text.split("\n"):
        deeper = " " * (len(line) - len(line.lstrip())) + ("    " if line.startswith("    ") else "")
        lines += textwrap.wrap(
            line, WIDTH - 11, subsequent_indent=deeper, break_long_words=False, break_on_hyphens=False) or [""]
    lines[0] = '"""' + lines[0]
    if len(lines) == 1:
        lines[0] += '"""'
    else:
        lines.append('"""')
    return "\n".join(f"        {line}".rstrip() for line in lines) + "\n"


def method(action: Action, given: set[str], is_blocking: bool) -> str:
    """A method. `given` are keys that the object knows."""
    keys = [key for key in [*action.required, *action.optional] if key.name not in given]
    required = [key for key in keys if key.is_required]
    parameters = ["self", *map(parameter, required), "*"]
    parameters += [parameter(key) for key in keys if not key.is_required]
    parameters.append("timeout_ms: int | None = None")
    if is_blocking:
        parameters.append("timeout: float | None = None")
        passed = [key.name if key.is_required else f"{key.name}={key.name}" for key in keys] + ["timeout_ms=timeout_ms"]
        body = signature(f"call = self.start.{action.name}", passed, "", "        ")
        body += "\n        return call.result(timeout)"
        tail = f" -> {result_type(action)}:"
    else:
        named = [f"{name}=self._{name}()" for name in sorted(given)]
        named += [f"{key.name}={value(key)}" for key in keys] + ["timeout_ms=timeout_ms"]
        body = signature("return self._act", [literal(action.name), *named], "", "        ")
        tail = f" -> Call[{result_type(action)}]:"
    return signature(f"def {action.name}", parameters, tail) + "\n" + docstring(action, keys) + body + "\n"


def value(key: Key) -> str:
    return "message_id_of(message_id)" if key.name == "message_id" else key.name


def overload(action: Action, is_blocking: bool) -> str:
    parameters = ["self", f"action: Literal[{literal(action.name)}]", "/", "*"]
    keys = [key for key in [*action.required, *action.optional] if not keyword.iskeyword(key.name)]
    parameters += [
        f"{key.name}: {argument_type(key)}" if key.is_required
        else f"{key.name}: {optional(key)} = ..."
        for key in keys
    ]
    parameters.append("timeout_ms: int | None = ...")
    if is_blocking:
        parameters.append("timeout: float | None = ...")
    given = result_type(action) if is_blocking else f"Call[{result_type(action)}]"
    return "    @overload\n" + signature("def call", parameters, f" -> {given}: ...") + "\n"


def optional(key: Key) -> str:
    text = typed(key.schema, key.name)
    return text if text == "Any" or text.endswith("| None") else f"{text} | None"


def imports(text: str, names: dict[str, list[str]]) -> str:
    """The import lines that the text needs."""
    lines = []
    for module, known in names.items():
        used = [name for name in known if re.search(rf"(?<![\w\"`]){name}\b", text)]
        if used:
            line = f"from {module} import {', '.join(used)}"
            rows = "".join(f"    {name},\n" for name in used)
            lines.append(line if len(line) <= WIDTH else f"from {module} import (\n{rows})")
    return "\n".join(lines) + "\n"


def titles(table: list[Action]) -> list[str]:
    found = {str(action.result["title"]) for action in table if action.result and action.result.get("title")}
    return sorted(found, key=str.lower)


def module(about: str, table: list[Action], classes: dict[str, str], more: dict[str, list[str]]) -> str:
    body = "\n\n\n".join(text.rstrip("\n") for text in classes.values()) + "\n"
    known = {"os": ["PathLike"], "typing": ["TYPE_CHECKING", "Any", "Literal", "overload"]}
    local = {**more, ".actions": titles(table), ".documents": DOCUMENTS}
    local = dict(sorted(local.items(), key=lambda entry: entry[0].replace("_", "")))
    parts = [HEAD.format(about), "from __future__ import annotations\n\n", imports(body, known)]
    if "Mapping" in body:
        parts.insert(2, "from collections.abc import Mapping\n")
    return "".join(parts) + "\n" + imports(body, dict(sorted(local.items()))) + "\n\n" + body


def chosen(table: list[Action], is_blocking: bool) -> tuple[str, str, str]:
    chat = [action for action in table if action.is_of_chat]
    client = [method(action, set(), is_blocking) for action in chat]
    channel = [method(action, {"channel_url"}, is_blocking) for action in chat if of_channel(action)]
    collection = [method(action, {"collection"}, is_blocking) for action in chat if of_collection(action)]
    return "\n".join(client), "\n".join(channel), "\n".join(collection)


ACT = """    def _act(self, action: str, **arguments: Any) -> Call[Any]:
        raise NotImplementedError
"""


def known(key: str, kind: str) -> str:
    return f"    def _{key}(self) -> {kind}:\n        raise NotImplementedError\n\n"


def calls(table: list[Action]) -> str:
    """The module of an asyncio client's actions, each of which gives a `Call`."""
    client, channel, collection = chosen(table, False)
    overloads = "".join(overload(action, False) for action in table)
    classes = {
        "client": f'class ClientActions:\n    """The actions. Since 0.1."""\n\n{ACT}\n'
        "    def call_document(self, document: Mapping[str, Any]) -> Call[Any]:\n"
        '        """Asks for an action, given as the document of ``sm_call``."""\n'
        "        raise NotImplementedError\n\n"
        f"{overloads}    def call(self, action: str, /, **arguments: Any) -> Call[Any]:\n"
        '        """Asks for one of the actions of docs/actions.md; gives its result as read from JSON, or None.\n\n'
        '            await sm.call("mark_as_read", channel_url="lunch")\n\n'
        "        The methods named as the actions do the same. ``timeout_ms`` is an argument of every action.\n"
        "        NotConnectedError: nothing was sent, and nothing is queued; CallTimeoutError: whether it was done is\n"
        "        not known; ServiceError: it was refused. One whose name is not known beforehand is asked for by\n"
        "        ``call_document``.\n"
        '        """\n'
        '        return self.call_document({"action": action, **arguments})\n\n'
        f"{client}",
        "channel": f'class ChannelActions:\n    """The actions on a channel. Since 0.1."""\n\n{ACT}\n'
        f"{known('channel_url', 'str')}{channel}",
        "collection": f'class CollectionActions:\n    """The actions on a collection. Since 0.1."""\n\n{ACT}\n'
        f"{known('collection', 'int')}{collection}",
    }
    more = {"._calls": ["Call"], "._targets": ["message_id_of"]}
    return module("The actions of a client and of a channel as methods.", table, classes, more)


def start(kind: str) -> str:
    return (f"    @property\n    def start(self) -> {kind}:\n"
            '        """The same calls without waiting: each gives a ``Call``."""\n'
            "        raise NotImplementedError\n")


def blocking(table: list[Action]) -> str:
    """The module of a blocking client's actions."""
    client, channel, collection = chosen(table, True)
    overloads = "".join(overload(action, True) for action in table)
    classes = {
        "client": f'class BlockingClientActions:\n    """The actions; each waits for its end. Since 0.1."""\n\n'
        f"{start('ClientActions')}\n"
        f"{overloads}"
        "    def call(self, action: str, /, *, timeout: float | None = None, **arguments: Any) -> Any:\n"
        '        """Asks for one of the actions of docs/actions.md and waits for its end; returns its result as read '
        "from JSON,\n"
        "        or None. ``timeout`` (s) ends the wait; ``timeout_ms``, an argument of every action, ends the call. "
        'The methods\n        named as the actions do the same."""\n'
        '        return self.start.call_document({"action": action, **arguments}).result(timeout)\n\n'
        f"{client}",
        "channel": "class BlockingChannelActions:\n"
        f'    """The actions on a channel; each waits for its end. Since 0.1."""\n\n'
        f"{start('ChannelActions')}\n{channel}",
        "collection": 'class BlockingCollectionActions:\n    """The actions on a collection; each waits for its end. '
        f'Since 0.1."""\n\n{start("CollectionActions")}\n{collection}',
    }
    more = {"._actions": ["ChannelActions", "ClientActions", "CollectionActions"]}
    return module("The actions of a client and of a channel as methods that wait.", table, classes, more)
