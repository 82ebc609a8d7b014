"""Streams: batches as an iteration, live sections, the program's own functions. Scenarios prove what is in them."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import syncmanager
from syncmanager import blocking, errors, streams
from syncmanager.events import StreamBatch, StreamLoaded, StreamRow, StreamStep


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Any]:
    with blocking.SyncManager(app_id="A", user_id="mei", data_dir=str(tmp_path)) as client:
        yield client


def keys(stream: Any) -> Any:
    return [[row["key"] for row in section] for section in stream.sections]


def test_organizers_and_participants(client: Any) -> None:
    people = client.stream("transient")
    parted = client.stream(
        {
            "partition": {
                "stream": people,
                "titles": ["organizers", "participants"],
                "rule": [{"==": ["is_organizer", True]}, True],
            }
        }
    )
    people.add({"ana": {"is_organizer": True}, "bo": {}, "cy": {}})
    assert parted.titles == ["organizers", "participants"]
    assert keys(parted) == [["ana"], ["bo", "cy"]]
    people.add({"bo": {"is_organizer": True}})
    people.drop("cy")
    assert keys(parted) == [["ana", "bo"], []]
    assert len(parted) == 2
    assert [row["key"] for row in parted.rows] == ["ana", "bo"]


def test_a_blocking_iteration_gives_batches(client: Any) -> None:
    stream = client.stream("transient", order_by="$value")
    batches = stream.batches(timeout=5)
    stream.add({"a": 1, "b": 2})
    stream.add({"a": 3})
    first, second = next(batches), next(batches)
    assert [row["key"] for row in first.added] == ["a", "b"]
    assert [(row["from"], row["path"]) for row in second.moved] == [([0, 0], [0, 1])]
    batches.close()


def test_a_blocking_stream_is_asked_for_its_rows(client: Any) -> None:
    stream = client.stream("transient", section=1)
    stream.add({"a": 1, "b": 2, "c": 3})
    b: StreamRow = {"path": [1, 1], "key": "b", "item": 2}
    assert stream.item([1, 1]) == b
    assert stream.item([0, 1]) is None
    assert [row["key"] for row in stream.slice(1, 5, section=1)] == ["b", "c"]
    assert stream.slice(3, 1, section=1) == []
    assert stream.ask({"action": "find", "key": "b"}) == b
    with pytest.raises(errors.InvalidDocumentError):
        stream.item([0])


def test_an_asyncio_iteration_gives_batches(tmp_path: Path) -> None:
    async def run() -> None:
        async with syncmanager.SyncManager(app_id="A", user_id="mei", data_dir=str(tmp_path)) as client:
            stream = client.stream("transient", batch_delay=20)
            calls = [stream.add({"a": 1}), stream.add({"b": 2}), stream.drop("a")]
            async for batch in stream:
                assert [row["key"] for row in batch.added] == ["b"]
                break
            for call in calls:
                await call
            assert await stream.find("b") == {"path": [0, 0], "key": "b", "item": 2}
            assert await stream.find("a") is None
            assert await stream.item([0, 0]) == {"path": [0, 0], "key": "b", "item": 2}
            assert [row["key"] for row in await stream.slice(0, 5)] == ["b"]
            assert await stream.first_after("a", 0) == {"path": [0, 0], "key": "b", "item": 2}
            stream.remove()

    asyncio.run(run())


def test_what_is_told(client: Any) -> None:
    heard: list[Any] = []
    client.on_event(heard.append)
    stream = client.stream("transient", delivery="delegate", limit_after_predicate=1)
    batches: list[Any] = []
    stream.on_batch(batches.append)
    stream.add({"a": 1, "b": 2})
    stream.set_limit(None)
    assert [(type(event), getattr(event, "step", None)) for event in heard if hasattr(event, "collection")] == [
        (StreamLoaded, None),
        *[(StreamStep, step) for step in ("will_change", "added", "did_change")] * 2,
    ]
    assert batches == []
    assert stream.loaded
    assert keys(stream) == [["a", "b"]]


def test_a_function_of_the_program_lives_as_long_as_it_may_be_called(client: Any) -> None:
    asked = []

    def is_shown(key: Any, item: Any) -> Any:
        asked.append(key)
        if item == "fault":
            raise ValueError("the program's own fault")
        return item > 1

    before = len(streams._Function._kept)
    stream = client.stream("transient", function=is_shown, predicate="$host")
    stream.add({"a": 1, "b": 2, "c": "fault"})
    assert keys(stream) == [["b"]]
    assert set(asked) == {"a", "b", "c"}
    assert len(streams._Function._kept) == before + 1
    stream.remove()
    client.dispatch(timeout=0)
    client.stream("transient").add({"x": 1})  # the engine has seen the removal then
    gc.collect()
    assert len(streams._Function._kept) == before


def test_a_refused_stream_leaves_nothing(client: Any) -> None:
    before = len(streams._Function._kept)
    with pytest.raises(errors.InvalidDocumentError) as caught:
        client.stream("transient", function=lambda key, item: 1, predicate={"like": ["a", "b"]})
    assert caught.value.path == "$.predicate.like"
    assert len(streams._Function._kept) == before
    with pytest.raises(errors.InvalidDocumentError):
        client.stream({"database": "rooms"})


def test_who_lags_begins_again(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("syncmanager._feeds.LIMIT", 3)
    stream = client.stream("transient")
    batches = stream.batches(timeout=1)
    for number in range(5):
        stream.add({str(number): number})
    shown: list[Any] = []
    for batch in batches:
        assert isinstance(batch, StreamBatch)
        if batch.reset:
            shown = []
            assert batch.document["type"] == "stream_batch"
        shown += [row["key"] for row in batch.added]
    assert shown == ["0", "1", "2", "3", "4"]
