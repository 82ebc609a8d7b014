"""The chat that is open: its channel, its messages or those of a thread, and up to where the user had read them."""

from __future__ import annotations

from .. import Call, MessageCollection, Page, SyncManager
from ..documents import LATEST, Channel, Direction, Message
from ..events import Change
from .own_typing import OwnTyping
from .words import user_name


class Conversation:
    """A channel's messages, and the thread that is shown in their place while one is open."""

    def __init__(self, sm: SyncManager, channel_url: str, me: str, channel: Channel | None, at: int = LATEST) -> None:
        self.me = me
        self.channel = channel
        self.chat = sm.messages(channel_url, at, reply_type="only_reply_to_channel")
        self.thread: MessageCollection | None = None
        self.own_typing = OwnTyping()
        #: The message that the thread answers.
        self.answered: Message | None = None
        has_new = channel is not None and channel.get("unread_message_count", 0) > 0
        #: The last of what the user had read when the chat was opened; None when that was all.
        self.new_after = channel.get("read_receipt", {}).get(me, 0) if channel is not None and has_new else None
        self._sm = sm
        self._loading: set[tuple[int, Direction]] = set()

    @property
    def channel_url(self) -> str:
        """The channel."""
        return self.chat.channel_url

    @property
    def shown(self) -> MessageCollection:
        """What is shown and written to."""
        return self.thread or self.chat

    # The messages that were sent, under them those that failed, under them those that wait

    def __len__(self) -> int:
        shown = self.shown
        return len(shown.items) + len(shown.failed) + len(shown.pending)

    def message(self, index: int) -> Message:
        """A message by its place on the screen."""
        for one in (self.shown.items, self.shown.failed):
            if index < len(one):
                return one[index]
            index -= len(one)
        return self.shown.pending[index]

    def offset(self, change: Change[Message]) -> int:
        """How many messages are above the list that has changed."""
        shown = self.shown
        above = 0 if change.list == "succeeded" else len(shown.items)
        return above + len(shown.failed) if change.list == "pending" else above

    def find(self, message_id: object) -> int | None:
        """The place of a message that was sent."""
        return next((at for at, one in enumerate(self.shown.items) if one["message_id"] == message_id), None)

    @property
    def has_next(self) -> bool:
        """Whether there are newer messages than those that are shown."""
        return self.shown.info().get("has_next", False)

    @property
    def has_previous(self) -> bool:
        """Whether there are older ones."""
        return self.shown.info().get("has_previous", False)

    # What is done

    async def load(self, direction: Direction = "previous") -> Page | None:
        """Loads a page in a direction; None: one is being loaded already."""
        shown = self.shown
        loading = (shown.number, direction)
        if loading in self._loading:
            return None
        self._loading.add(loading)
        try:
            return await shown.fetch(direction)
        finally:
            self._loading.discard(loading)

    def to_newest(self) -> Call[Page]:
        """Shows the newest messages, whatever was shown before."""
        self.shown.reset_viewpoint(LATEST)
        return self.shown.fetch()

    def open_thread(self, message: Message) -> MessageCollection:
        """Shows the thread that a message began or belongs to."""
        parent = message.get("parent_message_id") or message["message_id"]
        place = self.find(parent)
        self.answered = message if place is None else self.chat.items[place]
        self.thread = self._sm.messages(self.channel_url, parent_message_id=parent)
        return self.thread

    def close_thread(self) -> None:
        """Shows the channel again."""
        if self.thread is not None:
            self.thread.remove()
        self.thread = self.answered = None

    def close(self) -> None:
        """Ends it."""
        self.close_thread()
        self.chat.remove()

    def typing(self) -> str:
        """Who types."""
        users = self.channel.get("typing_members", []) if self.channel is not None else []
        names = [user_name(user) for user in users]
        return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} typing …" if names else ""
