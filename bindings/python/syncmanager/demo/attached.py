"""Files and polls of messages: what is drawn of them, and how far files are on their way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._calls import Call
from ..documents import File, Message, Poll
from ..events import DownloadProgress, Event, UploadProgress
from .plain import plain


def sized(size: int) -> str:
    """A number of bytes, as people read it."""
    if size < 1000:
        return f"{size} bytes"
    number = float(size)
    for unit in ("kB", "MB"):
        number /= 1000
        if number < 1000:
            return f"{number:.0f} {unit}" if number >= 10 else f"{number:.1f} {unit}"
    return f"{number / 1000:.1f} GB"


def files_of(message: Message) -> list[File]:
    """The files of a message, in their order."""
    several, one = message.get("files"), message.get("file")
    return several or ([one] if one else [])


def instead_of_text(message: Message) -> str:
    """What stands where a message has no text."""
    return "(a poll)" if message.get("poll") else "(a file)"


def file_lines(message: Message, progress: str) -> list[tuple[str, str]]:
    """A line for each file: its name and its size. `progress`: how far they are on their way, if they are."""
    lines: list[tuple[str, str]] = []
    for file in files_of(message):
        size = file.get("size")
        told = f" ({sized(size)})" if size else ""
        lines.append((f"▤ {plain(file.get('name') or 'without a name')}{told}", "cyan"))
    if lines and progress:
        lines.append((progress, "yellow"))
    return lines


def poll_lines(poll: Poll | None) -> list[tuple[str, str]]:
    """The title of a poll, and a line for each option: its number, its votes; the user's own choice is bold."""
    if poll is None or "options" not in poll:
        return []
    state = " (closed)" if poll.get("status") == "closed" else ""
    lines = [(f"▥ {plain(poll.get('title', ''))}{state}, {poll.get('voter_count', 0)} voted", "magenta")]
    chosen = poll.get("voted_option_ids", [])
    for number, option in enumerate(poll["options"], 1):
        mark, style = ("●", "bold") if option.get("id") in chosen else ("○", "")
        lines.append((f"{mark} {number} {plain(option.get('text', ''))}: {option.get('vote_count', 0)}", style))
    return lines


def choices(poll: Poll, text: str) -> list[int]:
    """The ids of the options that the user names by their numbers. ValueError: there is no such number."""
    options = poll.get("options", [])
    ids: list[int] = []
    for part in text.replace(",", " ").split():
        if not part.isdecimal() or not 0 < int(part) <= len(options):
            raise ValueError(f"there is no option {plain(part)}")
        ids.append(options[int(part) - 1].get("id", 0))
    return ids


def asked(text: str) -> tuple[str, list[str]]:
    """The title and the options of a poll: "Lunch? | noodles | rice". ValueError: there are no two options."""
    title, *options = [part.strip() for part in text.split("|")]
    options = [option for option in options if option]
    if not title or len(options) < 2:
        raise ValueError("write a question and two answers or more: Lunch? | noodles | rice")
    return title, options


def name_here(file: File) -> str:
    """A name for a file of somebody else on this machine: the last part of its name, and no folder."""
    name = Path(plain(file.get("name", "")).replace("\\", "/")).name
    return name if name not in ("", ".", "..") else "file"


def targets(files: list[File], text: str) -> list[tuple[str, str]]:
    """The address of each file, and where it goes: one to the path, several into that folder."""
    path = Path(text).expanduser().absolute()
    if len(files) == 1:
        return [(files[0].get("url", ""), str(path))]
    return [(file.get("url", ""), str(path / f"{number} {name_here(file)}")) for number, file in enumerate(files, 1)]


class Transfers:
    """Files on their way, by the rows of the messages that have them."""

    def __init__(self) -> None:
        self._told: dict[str, str] = {}
        self._receiving: dict[str, Call[Any]] = {}

    def __getitem__(self, row: str) -> str:
        return self._told.get(row, "")

    def heard(self, event: Event) -> bool:
        """Takes what an event tells of them; whether it does."""
        if isinstance(event, UploadProgress):
            which = f" of file {event.file + 1}" if event.file else ""
            self._told[f"r{event.request_id}"] = f"↑ {event.sent * 100 // max(event.total, 1)} %{which}"
            return True
        if isinstance(event, DownloadProgress):
            for row, call in self._receiving.items():
                if call.request == event.request:
                    far = f"{event.received * 100 // event.total} %" if event.total else sized(event.received)
                    self._told[row] = f"↓ {far}"
                    return True
        return False

    def begin(self, row: str, call: Call[Any]) -> None:
        """A file of this message is being received."""
        self._receiving[row] = call
        self._told[row] = "↓ 0 %"

    def end(self, row: str, told: str) -> None:
        """It is not any more."""
        self._receiving.pop(row, None)
        self._told[row] = told

    def receiving(self, row: str) -> Call[Any] | None:
        """The call that receives a file of this message."""
        return self._receiving.get(row)

    def forget(self, row: str) -> None:
        """The message is not on its way any more."""
        self._told.pop(row, None)
