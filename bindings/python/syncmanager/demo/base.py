"""The screen: the lists of the library on the left and right, one line to write in, what the library does below."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Input, Static

from .. import ChannelCollection, SyncManager, SyncManagerError
from ..documents import LATEST, Channel, Config, Message
from ..events import Change, ChannelRemoved, ChannelUpdated, CollectionEvent, Event, ParentUpdated, SearchProgress
from .attached import Transfers
from .conversation import Conversation
from .help import bindings
from .lines import message_line
from .pane import Pane
from .plain import plain
from .rows import ChannelRows, MessageRows, ResultRows
from .searching import Search
from .status import Status
from .words import channel_name, key_of
from .writing import WRITE, Writing


class ChatBase(App[None]):
    """What is shown. `ChatApp` adds what the user does."""

    TITLE = "syncmanager"
    ENABLE_COMMAND_PALETTE = False  # it has nothing to offer, and its keys are taken
    CSS = """
    #channels { width: 32; }
    #results { display: none; }
    #answered { height: auto; max-height: 6; border: round $secondary; display: none; }
    #offline { height: 1; background: $warning 30%; padding: 0 1; display: none; }
    #typing { height: 1; color: $success; }
    #state { height: 1; background: $panel; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config: Config = {"search": True, **config}
        self.me = config.get("user_id", "")
        self.sm: SyncManager | None = None
        self.channels: ChannelCollection | None = None
        #: The channels that the user looks for.
        self.found: list[Channel] | None = None
        self.chat: Conversation | None = None
        self.search: Search | None = None
        self.status = Status()
        self.transfers = Transfers()
        self.writing = WRITE
        self._is_reading = False
        self._rung: dict[str, object] = {}
        self._stale: set[Pane] = set()
        # Not looked for on the screen, which the keys may lie upon.
        self.channel_pane = Pane([], "channels")
        self.message_pane = Pane([], "messages", is_history=True)
        self.result_pane = Pane([], "results")
        self.answered_line = Static(id="answered")
        self.typing_line = Static(id="typing")
        self.input = Input(placeholder=WRITE.hint(), id="input")
        self.offline_line = Static(id="offline")
        self.state_line = Static(id="state")

    def compose(self) -> ComposeResult:
        """The panes."""
        yield self.offline_line
        with Horizontal():
            yield self.channel_pane
            with Vertical():
                yield self.answered_line
                yield self.message_pane
                yield self.result_pane
                yield self.typing_line
                yield self.input
        yield self.state_line
        yield Footer()

    def on_mount(self) -> None:
        """Starts to follow the channels."""
        self.input.focus()
        self.set_interval(1, self.draw_state)  # the seconds until the next attempt
        self.run_worker(self.follow(), exit_on_error=False, name="follow")

    async def follow(self) -> None:
        """Keeps the client open as long as the program runs."""
        try:
            async with SyncManager(**self.config) as sm:
                self.sm = sm
                sm.on_event(self.heard)
                self.channels = sm.channels(order="latest_last_message")
                sm.connect()  # not awaited: the cache is shown at once
                await self.channels.fetch()
                self.draw_channels()
                await self.open_first()
                async for change in self.channels:
                    self.ring(change)
                    self.draw_channels()
                    await self.open_first()
        except SyncManagerError as error:
            self.exit(message=plain(error), return_code=1)

    async def open_first(self) -> None:
        """Shows the first channel, when none is shown."""
        if self.chat is None and self.listed():
            await self.open(self.listed()[0]["channel_url"])

    async def open(self, channel_url: str, at: int = LATEST) -> None:
        """Shows another channel: its newest messages, or those around a time."""
        if self.sm is None or (self.chat is not None and self.chat.channel_url == channel_url and at == LATEST):
            return
        if self.chat is not None:
            self.chat.close()
        place = self.place_of(channel_url)
        channel = self.listed()[place] if place is not None else None
        self.chat = chat = Conversation(self.sm, channel_url, self.me, channel, at)
        chat.chat.on_event(self.chat_heard)
        self.show_messages()
        self.draw_channels()
        if place is not None and self.found is None:
            self.channel_pane.show(place)
        if at == LATEST:
            await self.wait_for(chat.load())
        else:
            await self.wait_for(chat.chat.load())
        self.read()

    async def open_thread(self, message: Message) -> None:
        """Shows the thread of a message in place of the channel."""
        if self.chat is not None:
            self.chat.open_thread(message).on_event(self.thread_heard)
            self.show_messages()
            await self.wait_for(self.chat.load())

    def listed(self) -> Sequence[Channel]:
        """The channels."""
        return self.channels.items if self.channels is not None else ()

    def place_of(self, channel_url: str | None) -> int | None:
        """The place of a channel in the list."""
        return ChannelRows(self.listed(), self.me).find(channel_url)

    # Calls of the library

    async def wait_for(self, call: Awaitable[Any]) -> Any:
        """Waits for a call, and says how it failed: then the result is None."""
        try:
            result = await call
            self.status.problem = ""
        except (SyncManagerError, OSError) as error:
            result, self.status.problem = None, str(error)
        if self.is_running:
            self.draw_state()
        return result

    def attempt(self, call: Awaitable[Any]) -> None:
        """The same beside all else."""
        self.run_worker(self.wait_for(call), exit_on_error=False)

    def read(self) -> None:
        """Tells the service that the chat has been read, while somebody looks at it."""
        chat = self.chat
        if chat is None or chat.channel is None or not chat.channel.get("unread_message_count"):
            return
        if self._is_reading or not self.app_focus or not self.status.is_connected:
            return

        async def mark() -> None:
            self._is_reading = True
            try:
                await chat.chat.mark_as_read()
            finally:
                self._is_reading = False

        self.attempt(mark())

    def watch_app_focus(self, focus: bool) -> None:
        """The terminal is looked at again, or not any more."""
        self.read()

    # What the library tells

    def heard(self, event: Event) -> None:
        """The connection, the sync, files on their way."""
        if self.status.heard(event):
            self.draw_state()
            self.read()
            if isinstance(event, SearchProgress) and event.complete and self.search is not None:
                self.attempt(self.search.load())  # there may be more now
        elif self.transfers.heard(event):
            self.message_pane.redraw()

    def chat_heard(self, event: CollectionEvent[Message]) -> None:
        """The messages of the chat, who has read them, and who types."""
        chat = self.chat
        if chat is None:
            return
        if isinstance(event, Change):
            self.changed(event, chat.chat is chat.shown)
        elif isinstance(event, ChannelUpdated):
            chat.channel = event.channel
            self.draw_messages()
            self.read()
        elif isinstance(event, ChannelRemoved):
            chat.close()
            self.chat = None
            self.show_messages()

    def thread_heard(self, event: CollectionEvent[Message]) -> None:
        """The replies, and the message that they answer."""
        if isinstance(event, Change):
            self.changed(event, True)
        elif isinstance(event, ParentUpdated) and self.chat is not None:
            self.chat.answered = event.message
            self.draw_messages()

    def changed(self, change: Change[Message], is_shown: bool) -> None:
        """A list of messages has changed."""
        if change.list == "pending":
            for message in change.removed:
                self.transfers.forget(key_of(message))
        if is_shown and self.chat is not None:
            self.message_pane.view.shift(change, self.chat.offset(change))
            self.draw_messages()

    def ring(self, change: Change[Channel]) -> None:
        """Rings for a message that nobody looks at: once for each, and not where the user wants no notice."""
        if change.source not in ("event_message_received", "event_mention"):
            return
        for channel in change.items:
            last, url = channel.get("last_message"), channel["channel_url"]
            is_shown = self.chat is not None and self.chat.channel_url == url and self.app_focus
            if last is None or is_shown or not channel.get("unread_message_count"):
                continue
            if channel.get("push_trigger_option") != "off" and self._rung.get(url) != last["message_id"]:
                self._rung[url] = last["message_id"]
                self.bell()

    # Drawing

    def draw_channels(self) -> None:
        """Draws the channels as they are now; those that are looked for while the user jumps."""
        channels, pane = self.listed(), self.channel_pane
        chosen = pane.rows.channel_url(pane.view.chosen) if isinstance(pane.rows, ChannelRows) else None
        if self.writing.kind == "jump":
            wanted = self.input.value.casefold()
            self.found = [one for one in channels if wanted in channel_name(one, self.me).casefold()]
        else:
            self.found = None
        shown = self.chat.channel_url if self.chat is not None else None
        pane.rows = rows = ChannelRows(channels if self.found is None else self.found, self.me, shown)
        pane.view.chosen = None if chosen is None else rows.find(chosen)
        pane.redraw()

    def show_messages(self) -> None:
        """Shows other messages: those of the chat or the thread that is open now, from the newest on."""
        self.message_pane.rows = MessageRows(self.chat, self.transfers) if self.chat is not None else []
        self.message_pane.choose(None)
        self.draw_messages()

    def draw_messages(self) -> None:
        """Draws what is visible of the messages, and all that stands around them; once for however many changes."""
        if not self._stale:
            self.call_next(self._draw_stale)
        self._stale.add(self.message_pane)

    def _draw_stale(self) -> None:
        self._stale.clear()
        chat, answered = self.chat, None if self.chat is None else self.chat.answered
        self.message_pane.view.has_next = chat is not None and chat.has_next
        self.message_pane.redraw()
        self.message_pane.border_title = Text(self.title_of(chat))  # a str is markup
        self.answered_line.display = answered is not None
        if chat is not None and answered is not None:
            self.answered_line.update(message_line(answered, chat.channel, self.me))
        self.typing_line.update(Text(chat.typing() if chat is not None else ""))
        self.draw_place()

    def look_for(self, query: str | None) -> None:
        """Shows what is found for these words in place of the messages; None: shows the messages again."""
        if self.search is not None:
            self.search.close()
            self.search = None
        self.result_pane.display = query is not None
        self.message_pane.display = query is None
        if self.sm is not None and query and query.strip():
            try:
                self.search = Search(self.sm, query, self.draw_results)
                self.attempt(self.search.load())
            except SyncManagerError as error:
                self.say(str(error))
        self.result_pane.choose(None)
        self.draw_results()

    def draw_results(self) -> None:
        """Draws what was found."""
        search = self.search
        self.result_pane.rows = ResultRows(search.results.items, self.name_of) if search is not None else []
        self.result_pane.border_title = search.words() if search is not None else "Search"
        self.result_pane.redraw()

    def name_of(self, channel_url: str) -> str:
        """The name of a channel."""
        place = self.place_of(channel_url)
        return plain(channel_url) if place is None else channel_name(self.listed()[place], self.me)

    def title_of(self, chat: Conversation | None) -> str:
        """What stands above the messages."""
        if chat is None:
            return ""
        name = plain(chat.channel_url) if chat.channel is None else channel_name(chat.channel, self.me)
        return name if chat.thread is None else f"Thread in {name}"

    def draw_place(self) -> None:
        """Says how much is below the messages that are visible."""
        pane = self.message_pane
        places = pane.places()
        below = len(pane.rows) - places[-1][0] - 1 if places else 0
        more = " and newer ones" if pane.view.has_next else ""
        pane.border_subtitle = f"{below} below{more}: ctrl+end" if below or more else ""

    def draw_state(self) -> None:
        """Draws the line of the library's state, and the one of a user without a connection."""
        offline = self.status.offline()
        self.offline_line.display = bool(offline)
        self.offline_line.update(Text(offline))
        self.state_line.update(Text(self.status.line()))

    def say(self, problem: str) -> None:
        """Says what cannot be done."""
        self.status.problem = problem
        self.draw_state()

    # What the line is for

    def chosen(self) -> Message | None:
        """The message that the user has chosen."""
        place = self.message_pane.view.chosen
        return self.chat.message(place) if self.chat is not None and place is not None else None

    def write(self, writing: Writing) -> None:
        """Lets the line be for something else."""
        was, self.writing = self.writing, writing
        self.input.placeholder = writing.hint()
        self.input.value = writing.begins_with()
        self.input.cursor_position = len(self.input.value)
        self.input.focus()
        if "search" in (was.kind, writing.kind):
            self.look_for("" if writing.kind == "search" else None)
        if "jump" in (was.kind, writing.kind):
            self.channel_pane.choose(None)
            self.draw_channels()
