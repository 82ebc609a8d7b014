"""firebase-admin against the database: reads, writes, transactions, queries, listeners, rules."""

from __future__ import annotations

import threading
from typing import Any, Callable

import pytest
from conftest import Heard
from firebase_admin import db, exceptions

#: Closing a listener ends the client's own thread with an error within it.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")

HILLS = {
    "ben": {"height": 1345, "place": {"north": 56.8}, "climbed": True},
    "scafell": {"height": 978, "place": {"north": 54.5}, "climbed": False},
    "snowdon": {"height": 1085, "place": {"north": 53.1}},
    "slieve": {"height": 850, "place": {"north": 54.2}, "climbed": True},
    "unmeasured": {"climbed": False},
}


@pytest.fixture
def hills(root: db.Reference, rules: Callable[[Any], None]) -> db.Reference:
    rules({"hills": {".indexOn": ["height", "place/north", "climbed"]}, "scores": {".indexOn": ".value"}})
    root.child("hills").set(HILLS)
    return root.child("hills")


def test_reads(hills: db.Reference) -> None:
    assert hills.get() == HILLS
    assert hills.child("ben/place/north").get() == 56.8
    assert hills.child("nowhere").get() is None
    assert hills.get(shallow=True) == dict.fromkeys(HILLS, True)
    value, tag = hills.get(etag=True)
    assert value == HILLS and hills.get_if_changed(tag) == (False, None, None)
    assert hills.get_if_changed("other") == (True, HILLS, tag)


def test_writes(root: db.Reference) -> None:
    people = root.child("people")
    ann, bob = people.push({"name": "Ann"}), people.push()
    assert ann.key < bob.key and bob.get() == ""
    bob.set(["x", None, {"y": 1}])
    assert bob.get() == ["x", None, {"y": 1}]
    people.update({f"{ann.key}/age": 30, f"{bob.key}/2/y": None, "note": "\u00e9"})
    assert people.get() == {ann.key: {"name": "Ann", "age": 30}, bob.key: ["x"], "note": "\u00e9"}
    ann.delete()
    people.child("at").set({".sv": "timestamp"})
    people.child("n").set({".sv": {"increment": 2}})
    people.child("n").set({".sv": {"increment": 0.5}})
    assert people.child("at").get() > 1_700_000_000_000 and people.child("n").get() == 2.5
    with pytest.raises(exceptions.InvalidArgumentError):
        people.update({"a.b": 1})


def test_conditions_and_transactions(root: db.Reference) -> None:
    place = root.child("counter")
    assert place.set_if_unchanged("null_etag", 1)[0]
    done, value, tag = place.set_if_unchanged("null_etag", 2)
    assert (done, value) == (False, 1)
    assert place.set_if_unchanged(tag, 2)[:2] == (True, 2)

    def count() -> None:
        for _ in range(10):
            place.transaction(lambda value: (value or 0) + 1)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert place.get() == 42, "no increment is lost"


def test_queries(hills: db.Reference, root: db.Reference) -> None:
    by_height = ["unmeasured", "slieve", "scafell", "snowdon", "ben"]
    assert list(hills.order_by_child("height").get()) == by_height
    assert list(hills.order_by_child("height").limit_to_first(2).get()) == by_height[:2]
    assert list(hills.order_by_child("height").limit_to_last(2).get()) == by_height[-2:]
    assert list(hills.order_by_child("height").start_at(900).end_at(1100).get()) == ["scafell", "snowdon"]
    assert list(hills.order_by_child("height").equal_to(850).get()) == ["slieve"]
    assert list(hills.order_by_child("place/north").start_at(54.3).get()) == ["scafell", "ben"]
    assert list(hills.order_by_child("climbed").get()) == ["snowdon", "scafell", "unmeasured", "ben", "slieve"]
    assert list(hills.order_by_key().start_at("sc").limit_to_first(2).get()) == ["scafell", "slieve"]
    root.child("scores").set({"a": 3, "b": "x", "c": 1, "d": True})
    assert list(root.child("scores").order_by_value().get()) == ["d", "c", "a", "b"]
    with pytest.raises(exceptions.InvalidArgumentError, match="Index not defined"):
        hills.order_by_child("depth").get()


def test_listening(root: db.Reference) -> None:
    place, heard = root.child("talk"), Heard[Any]()
    registration = place.listen(heard.put)
    try:
        first = heard.get(timeout=10)
        assert (first.event_type, first.path, first.data) == ("put", "/", None)
        pushed = place.push({"text": "hello"})
        event = heard.get(timeout=10)
        assert (event.event_type, event.path, event.data) == ("put", f"/{pushed.key}", {"text": "hello"})
        place.update({f"{pushed.key}/text": "edited", "count": 1})
        event = heard.get(timeout=10)
        assert (event.event_type, event.path) == ("patch", "/")
        assert event.data == {f"{pushed.key}/text": "edited", "count": 1}
        place.delete()
        event = heard.get(timeout=10)
        assert (event.path, event.data) == ("/", None)
    finally:
        registration.close()


def test_a_listener_comes_back_after_the_connection_broke(root: db.Reference, server: Any) -> None:
    place, heard = root.child("talk"), Heard[Any]()
    registration = place.listen(heard.put)
    try:
        heard.get(timeout=10)
        # The whole body has come for this client: it waits its time and connects again.
        server.admin.post("/control/drop_streams", {"path": "talk"})
        place.set("meanwhile")
        event = heard.get(timeout=20)
        assert (event.event_type, event.path, event.data) == ("put", "/", "meanwhile")
    finally:
        registration.close()


def test_rules(app: Callable[..., db.Reference], rules: Callable[[Any], None]) -> None:
    rules({
        "own": {"$uid": {".read": "auth != null", ".write": "$uid === auth.uid"}},
        "shut": {".read": "false", ".write": "false"}, "open": {".read": "true"},
    })
    admin = app()
    ann = app(databaseAuthVariableOverride={"uid": "ann"})
    nobody = app(databaseAuthVariableOverride=None)
    for path in ("own/ann", "own/bob", "shut", "open"):
        admin.child(path).set("x")
    assert ann.child("own/bob").get() == "x" and nobody.child("open").get() == "x"
    ann.child("own/ann").set("y")
    assert admin.child("own/ann").get() == "y"
    for what in (
        lambda: ann.child("own/bob").set("z"), lambda: ann.child("shut").get(), lambda: ann.child("own").get(),
        lambda: ann.child("own").update({"ann": 1, "bob": 2}), lambda: nobody.child("own/ann").get(),
        lambda: ann.child("open").set("z"),
    ):
        with pytest.raises(exceptions.UnauthenticatedError, match="^Permission denied$"):
            what()
    assert admin.child("own").get() == {"ann": "y", "bob": "x"}


def test_what_goes_wrong_is_an_error_of_its_kind(root: db.Reference, server: Any) -> None:
    for status, kind in ((400, exceptions.InvalidArgumentError), (404, exceptions.NotFoundError)):
        server.control("fault", path_contains="/a.json", kind="refuse", status=status, message="no")
        with pytest.raises(kind, match="^no$"):
            root.child("a").get()
    # It tries a broken service again by itself.
    server.control("fault", path_contains="/a.json", kind="5xx", status=503, count=2)
    root.child("a").set(1)
    assert root.child("a").get() == 1
