"""The rows of the lists, each made when it is drawn: of channels, of messages, of what was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text

from ..documents import Channel, Message, SearchResult
from .attached import Transfers
from .conversation import Conversation
from .lines import Row, channel_line, message_line, result_line, rule
from .words import day_of, is_own, key_of


class ChannelRows:
    """The channels."""

    def __init__(self, channels: Sequence[Channel], me: str, shown: str | None = None) -> None:
        self._channels = channels
        self._me = me
        self._shown = shown

    def __len__(self) -> int:
        return len(self._channels)

    def __getitem__(self, index: int) -> Row:
        channel = self._channels[index]
        return Row(channel_line(channel, self._me, channel["channel_url"] == self._shown))

    def channel_url(self, index: int | None) -> str | None:
        """Which channel is at a place."""
        return self._channels[index]["channel_url"] if index is not None and index < len(self) else None

    def find(self, channel_url: str | None) -> int | None:
        """The place of a channel."""
        return next((at for at, one in enumerate(self._channels) if one["channel_url"] == channel_url), None)


class MessageRows:
    """The messages that are shown, and what stands above them: a new day, and where what is new begins."""

    def __init__(self, conversation: Conversation, transfers: Transfers) -> None:
        self._conversation = conversation
        self._transfers = transfers

    def __len__(self) -> int:
        return len(self._conversation)

    def __getitem__(self, index: int) -> Row:
        conversation = self._conversation
        message = conversation.message(index)
        above: list[Text] = []
        before = conversation.message(index - 1) if index > 0 else None
        if before is None or day_of(before) != day_of(message):
            above.append(rule(day_of(message), "dim"))
        if self._begins_new(index):
            above.append(rule("new", "bold red"))
        progress = self._transfers[key_of(message)]
        return Row(message_line(message, conversation.channel, conversation.me, progress), tuple(above))

    def _begins_new(self, index: int) -> bool:
        """Whether this is the first message of somebody else behind those that had been read."""
        if not self._is_new(message := self._conversation.message(index)) or is_own(message, self._conversation.me):
            return False
        while index > 0 and self._is_new(message := self._conversation.message(index - 1)):
            if not is_own(message, self._conversation.me):
                return False
            index -= 1
        return True

    def _is_new(self, message: Message) -> bool:
        after = self._conversation.new_after
        return after is not None and message["created_at"] > after


class ResultRows:
    """What a search has found."""

    def __init__(self, results: Sequence[SearchResult], name: Callable[[str], str]) -> None:
        self.results = results
        self._name = name

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> Row:
        found = self.results[index]
        return Row(result_line(found, self._name(found["channel_url"])))
