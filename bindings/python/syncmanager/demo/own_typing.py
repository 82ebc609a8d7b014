"""What the others of a channel are told of this user's typing; the desktop chat uses it, too."""

from __future__ import annotations

from .. import Call
from ..collections import MessageCalls


class OwnTyping:
    """Tells the others that this user types, and when that ends."""

    def __init__(self) -> None:
        self._is_told = False

    def tell(self, chat: MessageCalls, is_typing: bool) -> Call[None] | None:
        """The call that tells it, for every key press: the library tells it once a second at most. None: the others
        know it already."""
        was_told, self._is_told = self._is_told, is_typing
        if is_typing:
            return chat.start_typing()
        return chat.end_typing() if was_told else None
