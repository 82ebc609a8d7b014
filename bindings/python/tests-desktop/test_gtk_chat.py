"""The desktop chat (examples/gtk_chat): real events on a display, a real server, and a second client of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from screen import Screen, labels, usable

from syncmanager.blocking import SyncManager
from syncmanager.demo.words import channel_name, user_name
from syncmanager.testing import Server

if usable():
    pytest.skip(usable(), allow_module_level=True)


class Lunch:
    """Mei at the window, and Bo with a client of its own, in one channel."""

    def __init__(self, server: Server, folder: Path, options: dict[str, Any]) -> None:
        self.server = server
        mei, bo = server.create_user("mei", "Mei"), server.create_user("bo", "Bo")
        server.create_channel("lunch", "mei", "bo", name="Lunch today")
        server.post("lunch", "bo", "hungry?")
        self.bo = SyncManager(**server.config(bo, folder / "bo", cache="none"))
        self.bo.connect(timeout=60)
        self.his = self.bo.messages("lunch")
        self.his.fetch(timeout=60)
        self.screen = Screen(server.config(mei, folder / "mei", **options))
        self.screen.others.append(self.bo)
        self.until = self.screen.until

    def his_texts(self) -> list[str]:
        """What Bo sees."""
        return [message.get("message", "") for message in self.his.items]

    def close(self) -> None:
        self.screen.close()
        self.bo.close()


@pytest.fixture
def start(
    syncmanager_server: Server, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Lunch]]:
    """Opens the window; at the end neither GTK nor Python may have complained."""
    started: list[Lunch] = []

    def begin(**options: Any) -> Lunch:
        started.append(Lunch(syncmanager_server, tmp_path, options))
        return started[-1]

    yield begin
    for lunch in started:
        lunch.close()
    assert capfd.readouterr().err == ""


def test_it_receives_and_sends(start: Callable[..., Lunch]) -> None:
    lunch = start()
    screen = lunch.screen
    screen.row("hungry?")
    assert "Lunch today" in labels(screen.main.window)
    screen.write("noodles, as ever")
    lunch.until(lambda: lunch.his_texts() == ["hungry?", "noodles, as ever"], "what Mei wrote, at Bo's")
    lunch.his.start.send("and tea")
    screen.row("and tea")
    assert screen.texts() == ["hungry?", "noodles, as ever", "and tea"]


def test_a_name_of_nothing_that_is_seen_is_no_name() -> None:
    for nothing in ("", " ", "\u200b\u202e", "\u00ad", "\x07", None):
        assert user_name({"user_id": "bo", "nickname": nothing}) == "bo"
        unnamed: Any = {"channel_url": "c", "name": nothing, "members": [{"user_id": "bo", "nickname": nothing}]}
        assert channel_name(unnamed, "mei") == "bo"
        unnamed["members"] = []
        assert channel_name(unnamed, "mei") == "c"
    assert user_name({"user_id": "\u200b"}) == "?"
    assert user_name({"user_id": "bo", "nickname": "B\u200bo"}) == "B\u200bo"
