"""Schema and library judge alike what a host gives: each is asked about the same documents, made from the schema."""

from __future__ import annotations

import random

import checked
import pytest
from library import Client, lib

#: Documents of several members for each form; a failure names the seed.
RANDOM = 400
SEED = 8
#: What keys of actions take that is no text.
RIGHT = {"id": 1, "request": 1, "collection": 1, "limit": 5, "listen": 1, "transaction": 1, "by": 1, "hook": 1,
         "value": {"a": 1}, "user_ids": ["x"], "keys": ["x"], "target_langs": ["x"],
         "metadata": {"a": "b"}, "counters": {"a": 1}, "values": {"a": ["b"]},
         "push_trigger_option": "off", "count_preference": "off", "options": ["x"], "option_ids": ["x"],
         "channel_urls": ["x"],
         "scheduled_at": 1, "type": "gcm", "category": "spam"}
#: Also the edges of an integer: whatever counts with one of them ends this process.
ANY = [None, "", "x", "a\0b", 0, 1, -1, 2**40, 2**63 - 1, -(2**63), 1.0, 1.5, True, False, [], [""], ["x"], ["x", "y"],
       [1], {}, {"a": 1}]


#: What a call may be refused with. All but the first say nothing of the document.
OTHERWISE = ("SM_ERR_INVALID_DOCUMENT", "SM_ERR_STORAGE", "SM_ERR_WRONG_KEY", "SM_ERR_NO_ENCRYPTION")


def values(schema: dict) -> list:
    """What is worth trying for a member: what its schema names, its bounds, what lies beyond them, and other forms."""
    tried = list(ANY) + schema.get("enum", [])
    for bound in ("minimum", "maximum"):
        if bound in schema:
            tried += [schema[bound] - 1, schema[bound], schema[bound] + 1]
    if "{64}" in schema.get("pattern", ""):
        tried += ["0f" * 32, "0F" * 32, "0f" * 31 + "0g", "0f" * 33]
    return tried + [[word] for word in schema.get("items", {}).get("enum", [])]


def candidates(properties: dict, base: dict, count: int = RANDOM) -> list[dict]:
    """Each member alone with each of its values, then random documents of several."""
    alone = [{**base, key: value} for key, schema in properties.items() for value in values(schema)]
    dice = random.Random(SEED)
    mixed = []
    for _ in range(count):
        keys = dice.sample(sorted(properties), min(len(properties), dice.randint(2, 4)))
        mixed.append({**base, **{key: dice.choice(values(properties[key])) for key in keys}})
    return [base, {**base, "no_such_key": 1}, {**base, "no_such_key": None}, *alone, *mixed]


def compare(name: str, document, error) -> None:
    assert error is None or error["name"] in OTHERWISE, error
    try:
        checked.given(name, document, error)
    except AssertionError as fault:
        raise AssertionError(f"seed {SEED}: {document}: {fault}") from None


@pytest.fixture
def client(tmp_path, monkeypatch):
    # Some actions write the file that a document names.
    monkeypatch.chdir(tmp_path)
    # A failed message is not kept, so each send ends at once. Nobody serves the database.
    config = {"app_id": "A", "user_id": "mei", "data_dir": str(tmp_path), "resend_policy": "none",
              "database": {"url": "http://127.0.0.1:1"}}
    with Client(config) as client:
        assert client.error is None
        yield client


def test_configuration(tmp_path):
    base = {"app_id": "A", "user_id": "mei", "data_dir": str(tmp_path)}
    properties = {key: value for key, value in checked.schema("configuration")["properties"].items()
                  if key != "data_dir"}  # a folder of any other name would be made here
    properties["api_host"] = {"enum": ["http://", "http://x", "https://x", "ftp://x"]}
    properties["ws_host"] = {"enum": ["ws://", "ws://x", "wss://x", "http://x"]}
    for document in [{}, {"app_id": "A"}, *candidates(properties, base)]:
        with Client({"data_dir": str(tmp_path), **document}) as client:
            compare("configuration", {"data_dir": str(tmp_path), **document}, client.error)


def test_channel_query(client):
    for document in [[], None, *candidates(checked.schema("channel-query")["properties"], {})]:
        made, error = client.channels(document)
        compare("channel-query", document, error)
        lib.sm_collection_remove(made)


def test_search_query(tmp_path):
    config = {"app_id": "A", "user_id": "mei", "data_dir": str(tmp_path), "search": True}
    with Client(config) as client:
        assert client.error is None
        for document in [[], None, *candidates(checked.schema("search-query")["properties"], {"query": "a"})]:
            made, error = client.search(document)
            compare("search-query", document, error)
            lib.sm_collection_remove(made)


def test_message_filter(client):
    for document in [[], None, *candidates(checked.schema("message-filter")["properties"], {})]:
        made, error = client.messages("c", document)
        compare("message-filter", document, error)
        lib.sm_collection_remove(made)


@pytest.mark.parametrize(("function", "name", "base"), [
    ("sm_send_message", "send", {"message": "a"}), ("sm_append_message", "append", {"message": "a", "request_id": "r"}),
    ("sm_handle_send_response", "response", {"request_id": "r"}), ("sm_update_message", "update", {"request_id": "r"}),
    ("sm_delete_message", "delete", {"message_id": 5})])
def test_own_message(client, function, name, base):
    collection, error = client.messages("c", {})
    assert error is None
    schema = checked.schema(f"own-message/{name}")
    fields = checked.schema("own-message/fields")["$defs"]
    reference = checked.schema("own-message/reference")["$defs"]
    # Of two kinds of document the one that is not the service's object.
    properties = (schema["oneOf"][0] if "oneOf" in schema else schema.get("then", schema))["properties"]
    members = {key: fields.get(key) or reference.get(key) or value for key, value in properties.items()}
    if name == "send":
        members["resend"] = {}
    for document in [{}, [], "x", *({key: "x"} for key in members), *candidates(members, base)]:
        compare(f"own-message/{name}", document, client.own(function, collection, document))


def test_action(client):
    for document in [{}, [], "x", {"action": None}, {"action": "no_such_action"}, {"action": 1}]:
        compare("action", document, client.call(document))
    for part in checked.schema("action")["allOf"]:
        action, then = part["if"]["properties"]["action"]["const"], part["then"]
        properties = {key: value for key, value in then["properties"].items() if key != "action"}
        base = {"action": action, **{key: RIGHT.get(key, "x") for key in then["required"]}}
        assert not checked.faults("action", base), base
        for document in [{"action": action}, *candidates(properties, base, count=10)]:
            compare("action", document, client.call(document))


def test_parts_of_other_actions_say_nothing():
    """What `checked.faults` leaves out for speed would not have found more."""
    whole = checked.validator("action")
    for part in checked.schema("action")["allOf"]:
        action, then = part["if"]["properties"]["action"]["const"], part["then"]
        right = {"action": action, **{key: RIGHT.get(key, "x") for key in then["required"]}}
        for document in (right, {"action": action}, {**right, "no_such_key": 1}, {**right, "channel_url": 1}):
            assert bool(checked.faults("action", document)) != whole.is_valid(document), document


def test_every_action_has_a_result_or_none():
    """docs/schema/action-result.json speaks of each action once."""
    spoken = [name for part in checked.schema("action-result")["allOf"]
              for action in [part["if"]["properties"]["action"]]
              for name in action.get("enum", [action.get("const")])]
    assert sorted(spoken) == sorted(checked.schema("action")["properties"]["action"]["enum"])


PARTITION = {"stream": 1, "titles": ["x", "y"], "rule": "kind"}


@pytest.mark.parametrize("source", [
    "transient", {"channels": {}}, {"messages": {"channel_url": "c"}}, {"union": [1]}, {"partition": PARTITION}],
    ids=["transient", "channels", "messages", "union", "partition"])
def test_stream(client, source):
    _, error = client.stream({"source": "transient"})  # number 1
    assert error is None
    base = {"source": source}
    properties = checked.schema("stream")["properties"]
    members = {key: value for key, value in properties.items() if key != "source"}
    orders = [{**base, "order_by": order, **more} for order in ("$key", "$value", "$source", "$x", "a/b", "a//b", "/")
              for more in ({}, {"start": "x"}, {"end": 1}, {"start": None}, {"end": []}, {"start": "a\0b"})]
    for document in [*orders, *candidates(members, base, count=200)]:
        made, error = client.stream(document)
        compare("stream", document, error)
        lib.sm_collection_remove(made)
        while client.next_event(0) is not None:
            pass


def test_source_of_a_stream(client):
    client.stream({"source": "transient"})
    sources = [*ANY, {"database": "a"}, {"channels": {}, "messages": {}}, {"channels": None},
               {"channels": {"limit": 0}}]
    for value in [*ANY, [1, 1], [1.0], {"channel_url": "c", "viewpoint": -1}, {"channel_url": "c", "filter": {"x": 1}}]:
        sources += [{"union": value}, {"messages": value}, {"partition": value}, {"messages": {"channel_url": value}}]
        sources += [{"partition": {**PARTITION, key: value}} for key in (*PARTITION, "other")]
    for source in sources:
        made, error = client.stream({"source": source})
        compare("stream", {"source": source}, error)
        lib.sm_collection_remove(made)


def test_condition(client):
    operands = [*ANY, *[["a", value] for value in ANY], ["a", {"field": "b"}], ["a", {"field": ""}],
                ["a", {"field": 1}], ["a", {"field": "b", "x": 1}], ["a", [{}]], ["$x", 1], ["", 1], ["a/b", 1],
                ["a//b", 1], ["a", 1, 2]]
    conditions = [*ANY, {"xor": []}, {"and": [], "or": []}]
    for operator in ("==", "!=", "<", "<=", ">", ">=", "in", "prefix", "exists", "and", "or", "not"):
        conditions += [{operator: operand} for operand in operands]
        conditions += [{"not": {operator: operand}} for operand in operands]
        conditions += [{"and": [True, {operator: operand}]} for operand in operands]
    stream, _ = client.stream({"source": "transient"})
    for condition in conditions:
        request = {"action": "set_predicate", "predicate": condition}
        compare("stream-request", request, client.ask(stream, request))


@pytest.mark.parametrize("source", ["transient", {"channels": {}}], ids=["transient", "channels"])
def test_request_to_a_stream(client, source):
    right = {"rows": [{"key": "a", "item": 1}], "keys": ["a"], "key": "a", "path": [0, 0], "from": 0, "count": 1}
    stream, error = client.stream({"source": source})
    assert error is None
    for document in [{}, [], "x", {"action": None}, {"action": "jump"}, {"action": 1}]:
        compare("stream-request", document, client.ask(stream, document))
    for part in checked.schema("stream-request")["oneOf"]:
        action = part["properties"]["action"]
        properties = {key: value for key, value in part["properties"].items() if key != "action"}
        for name in action.get("enum", [action.get("const")]):
            base = {"action": name, **{key: right[key] for key in part.get("required", [])}}
            rows = [[{"key": "a"}], [{"item": 1}], [{"key": "", "item": 1}], [{"key": "a", "item": None}], [1]]
            more = [{**base, "rows": value} for value in rows] if "rows" in properties else []
            for document in [{"action": name}, *more, *candidates(properties, base, count=20)]:
                compare("stream-request", document, client.ask(stream, document))
