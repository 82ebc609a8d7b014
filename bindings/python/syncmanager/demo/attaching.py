"""What the user does with files, polls and reactions."""

from __future__ import annotations

from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Protocol

from .. import MessageCollection, SyncManager
from ..documents import Message
from .attached import Transfers, asked, choices, files_of, targets
from .lines import key_of
from .plain import plain
from .writing import Kind, Writing


class Chat(Protocol):
    """What of the program is needed for it."""

    sm: SyncManager | None
    me: str
    problem: str
    transfers: Transfers

    def attempt(self, call: Awaitable[Any]) -> None: ...
    def chosen(self) -> Message | None: ...
    def begin(self, kind: Kind) -> None: ...
    def write(self, writing: Writing) -> None: ...
    def draw_messages(self) -> None: ...
    def draw_state(self) -> None: ...


def attach(app: Chat, shown: MessageCollection, writing: Writing, text: str) -> bool:
    """Sends or receives a file, asks something, or answers. False: what was written is none of it, and that is said."""
    try:
        if app.sm is not None:
            _attach(app, app.sm, shown, writing, text)
        return True
    except ValueError as error:
        app.problem = str(error)
        app.draw_state()
        return False


def _attach(app: Chat, sm: SyncManager, shown: MessageCollection, writing: Writing, text: str) -> None:
    target = writing.target
    if writing.kind == "poll":
        app.attempt(_ask(sm, shown, *asked(text)))
    elif target is None:
        app.attempt(shown.send_files(Path(text).expanduser().absolute()))
    elif writing.kind == "vote" and "poll" in target:
        app.attempt(shown.vote_poll(target, target["poll"]["id"], [*choices(target["poll"], text)]))
    else:
        app.attempt(_receive(app, sm, target, text))


async def _ask(sm: SyncManager, shown: MessageCollection, title: str, options: list[str]) -> None:
    poll = await sm.create_poll(title, options)
    await shown.send(title, poll_id=poll["id"])


async def _receive(app: Chat, sm: SyncManager, message: Message, text: str) -> None:
    """Receives the files of a message, one after the other."""
    row, told = key_of(message), ""
    try:
        for url, path in targets(files_of(message), text):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            call = sm.download_file(url, path)
            app.transfers.begin(row, call)
            app.draw_messages()
            await call
            told = f"↓ {plain(path)}"
    finally:
        app.transfers.end(row, told)
        app.draw_messages()


def save(app: Chat) -> None:
    """Receives the files of the chosen message, or stops receiving them."""
    message = app.chosen()
    call = app.transfers.receiving(key_of(message)) if message is not None else None
    if call is not None and app.sm is not None:
        app.attempt(app.sm.cancel(call.request))
    else:
        app.begin("save")


def poll(app: Chat) -> None:
    """Answers the chosen poll, or asks something."""
    message = app.chosen()
    if message is not None and "poll" in message and "status" not in message:
        app.begin("vote")
    else:
        app.write(Writing("poll"))


def toggle_reaction(app: Chat, shown: MessageCollection, target: Message, key: str) -> None:
    """Adds a reaction, or takes it back when it is there."""
    given = [one for one in target.get("reactions", []) if one["key"] == key]
    is_there = bool(given) and app.me in given[0].get("user_ids", [])
    app.attempt(shown.remove_reaction(target, key) if is_there else shown.add_reaction(target, key))
