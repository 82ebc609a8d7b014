"""What becomes of the line that the user writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..documents import Message
from .lines import user_name
from .plain import plain

Kind = Literal["write", "reply", "edit", "react", "jump"]
#: The reaction of who names none.
REACTION = "👍"


@dataclass(frozen=True)
class Writing:
    """What the line is for."""

    kind: Kind
    #: The message that is answered or changed.
    target: Message | None = None

    def hint(self) -> str:
        """What the empty line says."""
        if self.target is None:
            return {
                "write": "Write a message, Enter sends it; ↑ and ↓ choose a message",
                "jump": "A part of a channel's name, Enter opens it; Escape ends this",
            }[self.kind]
        who, what = user_name(self.target.get("user")), plain(self.target.get("message") or "(a file)")[:40]
        return {
            "reply": f"Your reply to {who}: {what}",
            "edit": "The new text",
            "react": f"A reaction to {who}: {what}; {REACTION} when it is empty",
        }[self.kind]

    def begins_with(self) -> str:
        """What the line holds at first."""
        return self.target.get("message", "") if self.kind == "edit" and self.target is not None else ""


WRITE = Writing("write")
