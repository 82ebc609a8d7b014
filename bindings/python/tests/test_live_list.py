"""The live list: every change at its place, whatever its shape, and nothing parsed that nobody reads."""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from syncmanager import LiveList, events
from syncmanager._pages import PageItems
from syncmanager.errors import InternalError
from syncmanager.events import Source, decode

ROOT = Path(__file__).resolve().parents[3]
SEEDS = range(1, 2001 if "SM_LONG" in os.environ else 201)


def decoded(text: bytes) -> Any:
    return decode(text)


def event(
    action: Any, changes: Any, items: Any = (), *, name: str = "succeeded", source: Any = "sync", **more: Any
) -> Any:
    key = name if name in ("channels", "results") else "messages"
    head = {"type": "change", "seq": 1, "ts": 2, "collection": 3, "list": name, "action": action, "source": source,
            "from_event": False, **more, "changes": changes}  # fmt: skip
    if action in ("insert", "update", "move"):
        head[key] = list(items)
    return json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()


def message(number: Any, random_source: Any) -> Any:
    tricky = ['"messages":[', '\\"messages\\":[', "日本 🙂", "]}", '{"', "\\", "plain " * random_source.randint(1, 60)]
    return {"message_id": number, "message": random_source.choice(tricky), "nested": {"messages": [1, {"a": []}]}}


@pytest.mark.parametrize("seed", SEEDS)
def test_random_changes_give_the_list_that_applying_them_by_hand_gives(seed: Any) -> None:
    source = random.Random(seed)
    shown: Any = LiveList()
    model: list[Any] = []
    for number in range(30):
        action = source.choice(["insert", "insert", "insert", "update", "move", "remove", "clear"])
        count = source.randint(1, 40)
        changes, items = [], []
        if action == "clear":
            model.clear()
        elif action == "insert":
            run, first = source.random() < 0.6, source.randint(0, len(model))
            for step in range(count):
                index = first + step if run else source.randint(0, len(model))
                item = message(number * 100 + step, source)
                model.insert(index, item)
                changes.append({"index": index, "id": "x"})
                items.append(item)
        elif not model:
            continue
        gone = []
        for step in range(min(count, len(model)) if action in ("update", "move", "remove") else 0):
            index, item = source.randrange(len(model)), message(-number * 100 - step, source)
            if action == "remove":
                gone.append(model.pop(index))
                changes.append({"index": index, "id": "x"})
                continue
            if action == "update":
                model[index] = item
                changes.append({"index": index, "id": "x"})
            else:
                to = source.randrange(len(model))
                del model[index]
                model.insert(to, item)
                changes.append({"from": index, "to": to, "id": "x"})
            items.append(item)
        assert shown._apply(decoded(event(action, changes, items))) == gone, f"seed {seed}"
        if source.random() < 0.5:  # reading must not change what later changes do
            assert shown[:20] == model[:20], f"seed {seed}"
    assert shown == model, f"seed {seed}"
    assert list(reversed(shown)) == model[::-1]
    assert [shown[index] for index in range(-len(model), len(model))] == model + model


def test_a_page_is_parsed_when_its_first_item_is_read_and_only_that_one() -> None:
    shown: Any = LiveList()
    pages: list[Any] = []
    change: Any = None
    for number in range(3):
        items = [{"n": number, "text": "x" * 100}] * 50
        change = decoded(event("insert", [{"index": i, "id": str(i)} for i in range(50)], items))
        assert isinstance(change.items, PageItems)
        pages.append(change.items.page)
        shown._apply(change)
    assert len(shown) == 150
    assert [page._items is None for page in pages] == [True, True, True]
    assert shown[0]["n"] == 2
    assert [page._items is None for page in pages] == [True, True, False]
    assert pages[2]._text == b""
    assert change.document["changes"][49] == {"index": 49, "id": "49"}


def test_pages_of_each_list_are_parsed_when_they_are_read() -> None:
    for name in ("channels", "succeeded", "results"):
        # A result has an object called "message", and texts may have the name of any list.
        items = [{"message": {"message": '"messages":[ "results":['}, "text": "x" * 5000}]
        change = decoded(event("insert", [{"index": 0, "id": "a"}], items, name=name))
        assert isinstance(change.items, PageItems)
        assert (change.list, list(change.items)) == (name, items)


def test_an_event_of_another_shape_is_parsed_as_a_whole() -> None:
    text = event("insert", [{"index": 0, "id": "1"}], [{"n": "x" * 5000}])
    later = text[:-1] + b',"added":[1]}'  # a later version may add members behind
    change = decoded(later)
    assert list(change.items) == [{"n": "x" * 5000}]
    assert change.document["added"] == [1]
    document = json.loads(text)
    moved = json.dumps({"type": "change", "messages": document.pop("messages"), **document}, separators=(",", ":"))
    assert list(decoded(moved.encode()).items) == [{"n": "x" * 5000}]


@pytest.mark.parametrize(
    ("action", "change"),
    [
        ("insert", {"index": 3}),
        ("insert", {"index": -1}),
        ("update", {"index": 2}),
        ("remove", {"index": 2}),
        ("move", {"from": 2, "to": 0}),
        ("move", {"from": 0, "to": 2}),
    ],
)
def test_a_place_past_the_end_is_an_error_not_a_wrong_list(action: Any, change: Any) -> None:
    shown: Any = LiveList()
    shown._apply(decoded(event("insert", [{"index": 0, "id": "a"}, {"index": 1, "id": "b"}], [{"n": 1}, {"n": 2}])))
    with pytest.raises(InternalError):
        shown._apply(decoded(event(action, [{**change, "id": "c"}], [{"n": 3}])))
    assert shown == [{"n": 1}, {"n": 2}]


def test_iteration_goes_over_the_list_as_it_stood() -> None:
    shown: Any = LiveList()
    shown._apply(decoded(event("insert", [{"index": 0, "id": "a"}, {"index": 1, "id": "b"}], [{"n": 1}, {"n": 2}])))
    iteration = iter(shown)
    shown._apply(decoded(event("clear", [])))
    assert list(iteration) == [{"n": 1}, {"n": 2}]
    assert not shown


def test_every_source_of_the_engine_is_a_literal_and_an_unknown_one_is_sync() -> None:
    swift = (ROOT / "Sources/Client/SyncModel/Events/EventSource.swift").read_text()
    named = set(re.findall(r'= "(\w+)"', swift))
    plain = {name for line in re.findall(r"^    case ([a-z, ]+)$", swift, re.MULTILINE) for name in line.split(", ")}
    assert named | plain == set(get_args(Source))
    change = decoded(event("clear", [], source="event_of_tomorrow", detail=[{"event": "event_of_tomorrow"}]))
    assert change.detail == [{"event": "event_of_tomorrow"}]
    assert change.source == "sync"
    assert change.document["source"] == "event_of_tomorrow"


def test_what_a_change_removed_is_parsed_when_it_is_read() -> None:
    shown: Any = LiveList()
    page = decoded(event("insert", [{"index": i, "id": str(i)} for i in range(50)], [{"n": "x" * 100}] * 50))
    shown._apply(page)
    removed = shown._apply(decoded(event("remove", [{"index": 49, "id": "49"}, {"index": 0, "id": "0"}])))
    assert (len(removed), len(shown)) == (2, 48)
    assert page.items.page._items is None
    assert removed[1] == {"n": "x" * 100}


def test_an_event_of_a_later_version_is_told_as_unknown() -> None:
    told = decoded(b'{"type":"poll_closed","seq":7,"ts":8,"poll":[1]}')
    assert told == events.UnknownEvent(7, 8, b"", "poll_closed")
    assert told.document["poll"] == [1]
