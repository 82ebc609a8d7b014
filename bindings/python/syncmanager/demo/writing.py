"""What becomes of the line that the user writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..documents import Message
from .attached import files_of, name_here
from .plain import plain
from .words import user_name

Kind = Literal["write", "reply", "edit", "react", "jump", "search", "file", "save", "poll", "vote"]
#: The reaction of who names none.
REACTION = "👍"


@dataclass(frozen=True)
class Writing:
    """What the line is for."""

    kind: Kind
    #: The message that is answered or changed.
    target: Message | None = None

    @property
    def is_message(self) -> bool:
        """Whether what is written will be a message."""
        return self.kind in ("write", "reply")

    def hint(self) -> str:
        """What the empty line says."""
        if self.target is None:
            return {
                "write": "Write a message, Enter sends it; ↑ and ↓ choose a message",
                "jump": "A part of a channel's name, Enter opens it; Escape ends this",
                "search": "Words to look for, in all that is cached; Enter opens what was found; Escape ends this",
                "file": "The path of a file, Enter sends it; Escape ends this",
                "poll": "A question and its answers: Lunch? | noodles | rice",
            }[self.kind]
        who, what = user_name(self.target.get("user")), plain(self.target.get("message") or "(a file)")[:40]
        return {
            "reply": f"Your reply to {who}: {what}",
            "edit": "The new text",
            "react": f"A reaction to {who}: {what}; {REACTION} when it is empty",
            "save": "Where the file goes: a path",
            "vote": "The number of your answer",
        }[self.kind]

    def begins_with(self) -> str:
        """What the line holds at first."""
        if self.target is None:
            return ""
        if self.kind == "save":
            files = files_of(self.target)
            return name_here(files[0]) if len(files) == 1 else "files"
        return self.target.get("message", "") if self.kind == "edit" else ""


WRITE = Writing("write")
