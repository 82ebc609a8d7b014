"""Resources: the example of groups, and what the package adds. Scenarios prove what is in them."""

from __future__ import annotations

import asyncio
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import syncmanager
from syncmanager import blocking, errors
from syncmanager.events import ResourceEvent
from syncmanager.testing import Server

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "groups.py"


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with Server("--database-port", "0") as server:
        yield server


@pytest.fixture
def config(server: Server, tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    server.database("PUT", "/", None)
    user = server.create_user("mei-" + request.node.name)
    return dict(server.config(user, tmp_path))


def test_the_example(server: Server, config: Any, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE))["main"](config)
    user = config["user_id"]
    new = f"{{'by': '{user}', 'text': 'where to?'}}"
    edited = f"{{'by': '{user}', 'text': 'where to, and when?'}}"
    last = f"{{'by': '{user}', 'text': 'to the lake'}}"
    assert capsys.readouterr().out.splitlines() == [
        "group /group/hikers",
        f"create /group_message/hikers/m1 None -> {new}",
        "did create m1",
        "persisted create m1",
        "not created: SM_ERR_CANCELED: refused by the host: no spam",
        "like create",
        "like destroy",
        "like create",
        f"update /group_message/hikers/m1 {{'by': '{user}', 'likes': 1, 'text': 'where to?'}} -> "
        + edited.replace("'text'", "'likes': 1, 'text'"),
        f"create /group_message/hikers/m2 None -> {last}",
        "did create m2",
        "persisted create m2",
        f"destroy /group_message/hikers/m2 {last} -> None",
        "hikers have 1 message",
    ]
    assert server.database("GET", "/") == {
        "group": {"hikers": {"name": "hikers", "message_count": 1}},
        "group_message": {"hikers": {"m1": {"by": user, "text": "where to, and when?", "likes": 1}}},
        "message_like": {"hikers": {"m1": {user: True}}},
    }


def test_contexts(config: Any) -> None:
    with blocking.SyncManager(**config) as client:
        client.resources.register("Note", "/note/$user/@")
        root = client.resources.context(user="mei")
        other = root.push(user={"key": "bo"})
        assert other.lookup() == {"resources": {"user": {"key": "bo"}}, "depth": 2}
        assert other.ref("Note", "n")["path"] == "/note/bo/n"
        assert root.collection_ref("Note")["path"] == "/note/mei"
        other.reset()
        assert other.lookup("user")["resources"] == {"user": {"key": "mei"}}
        named = root.push("named", user="kit")
        assert named.name == "named"
        with pytest.raises(errors.InvalidArgumentError):
            root.push("named")
        named.pop()
        root.push("named")
        with pytest.raises(errors.NotFoundError):
            root.create("Unknown", 1)
        assert client.resources.statistics()["in_flight"] == 0


def test_asyncio(server: Server, config: Any) -> None:
    async def run() -> None:
        async with syncmanager.SyncManager(**config) as client:
            client.resources.register("Note", "/note/@", hooks=["will_create", "did_update"])
            told: list[Any] = []

            @client.on_event
            def follow(event: Any) -> None:
                if isinstance(event, ResourceEvent):
                    told.append(event)
                    if event.step == "will":
                        client.resources.proceed(event)

            root = client.resources.context()
            made = await root.create("Note", {"a": 1})
            key = made["key"]
            assert len(key) == 20
            await root.create_or_update("Note", {"b": 2}, key)
            await root.update("Note", {"c": None}, key, timeout_ms=20_000)
            assert server.database("GET", "/note") == {key: {"a": 1, "b": 2}}
            await root.destroy("Note", key, when="kept")
            assert [(event.step, event.change) for event in told] == [
                ("will", "create"),
                ("did", "update"),
                ("did", "update"),
            ]
            assert told[0].value == {"a": 1}
            assert await root.pushed is None

    asyncio.run(run())
