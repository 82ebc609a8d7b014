"""What becomes of what the user has written: files, polls, reactions, edits, messages."""

from __future__ import annotations

from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from .. import MessageCollection, SyncManager
from ..documents import Message
from .attached import asked, choices, files_of, targets
from .base import ChatBase
from .plain import plain
from .words import key_of
from .writing import REACTION, Writing


def call_for(app: ChatBase, shown: MessageCollection, writing: Writing, text: str) -> Awaitable[Any] | None:
    """The call of the library that does what was written; None for a message, whose fate the lists tell. ValueError:
    what was written is none of it, and why."""
    target, kind = writing.target, writing.kind
    if kind == "file":
        return shown.send_files(Path(text).expanduser().absolute())
    if kind == "poll" and app.sm is not None:
        return _ask(app.sm, shown, *asked(text))
    if target is None:
        shown.send(text)
    elif kind == "reply":
        shown.send(text, parent_message_id=target["message_id"], reply_to_channel=True)
    elif kind == "edit":
        return shown.update(target, text) if "status" in target else shown.edit_message(target, message=text)
    elif kind == "react":
        return _reaction(app.me, shown, target, text or REACTION)
    elif kind == "vote" and "poll" in target:
        return shown.vote_poll(target, target["poll"]["id"], [*choices(target["poll"], text)])
    elif kind == "save" and app.sm is not None:
        return _receive(app, app.sm, target, text)
    return None


async def _ask(sm: SyncManager, shown: MessageCollection, title: str, options: list[str]) -> None:
    poll = await sm.create_poll(title, options)
    await shown.send(title, poll_id=poll["id"])


async def _receive(app: ChatBase, sm: SyncManager, message: Message, text: str) -> None:
    """Receives the files of a message, one after the other."""
    row, told = key_of(message), ""
    try:
        for url, path in targets(files_of(message), text):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            call = sm.download_file(url, path)
            app.transfers.begin(row, call)
            app.message_pane.redraw()
            await call
            told = f"↓ {plain(path)}"
    finally:
        app.transfers.end(row, told)
        app.message_pane.redraw()


def _reaction(me: str, shown: MessageCollection, target: Message, key: str) -> Awaitable[Any]:
    """Adds a reaction, or takes it back when it is there."""
    given = [one for one in target.get("reactions", []) if one["key"] == key]
    is_there = bool(given) and me in given[0].get("user_ids", [])
    return shown.remove_reaction(target, key) if is_there else shown.add_reaction(target, key)
