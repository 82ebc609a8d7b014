"""The terminal chat: each pane is drawn from a live list whenever that list changed."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from .. import ChannelCollection, MessageCollection, SyncManager, SyncManagerError
from ..documents import Channel, Config, Message
from ..events import Change, ChannelRemoved, ChannelUpdated, Connection, Event, SyncProgress, SyncState
from .plain import plain

#: Messages drawn; older ones stay in the list.
DRAWN = 300
#: Between the lines of one message: as wide as the time.
LINE = "\n      "


def channel_line(channel: Channel) -> Text:
    """A channel as a line: its name, who types, how many messages are unread."""
    line = Text(plain(channel.get("name") or channel["channel_url"]), no_wrap=True, overflow="ellipsis")
    if channel.get("typing_members"):
        line.append(" …", style="italic green")
    unread = channel.get("unread_message_count", 0)
    if unread:
        line.append(f" ({unread})", style="bold yellow")
    return line


def message_line(message: Message) -> Text:
    """A message as a line: when, who, what, and its state."""
    line = Text(time.strftime("%H:%M ", time.localtime(message.get("created_at", 0) / 1000)), style="dim")
    sender = message.get("user")
    name = None if sender is None else sender.get("nickname") or sender["user_id"]
    line.append(plain(name or "?"), style="bold cyan")
    # Further lines are set in, so that none looks like a message of somebody else.
    line.append(f" {plain(message.get('message') or '(a file)', LINE)}", style="not dim")
    if message.get("updated_at"):
        line.append(" (edited)", style="dim")
    status = message.get("status")
    if status:
        line.append(
            " (sending)" if status == "pending" else " (not sent)", style="yellow" if status == "pending" else "red"
        )
    return line


class ChatApp(App[None]):
    """Channels on the left, one chat on the right, what the library does in the last line. Since 0.1."""

    TITLE = "syncmanager"
    CSS = """
    #channels { width: 32; height: 100%; border: round $primary; }
    #chat { border: round $primary; }
    #typing { height: 1; color: $success; }
    #state { height: 1; background: $panel; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        ("ctrl+n", "next_channel", "Next channel"),
        ("ctrl+o", "older", "Older messages"),
        ("ctrl+r", "connection", "Go offline or back"),
        ("ctrl+q", "quit", "Quit"),
    ]

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.sm: SyncManager | None = None
        self.channels: ChannelCollection | None = None
        self.chat: MessageCollection | None = None
        self.connection = "offline"
        self.sync = "idle"
        self.syncing = ""
        self.synced: dict[str, int] = {}
        self.typing = ""
        self.problem = ""

    def compose(self) -> ComposeResult:
        """The panes."""
        with Horizontal():
            yield OptionList(id="channels")
            with Vertical():
                with VerticalScroll(id="chat"):
                    yield Static(id="messages")
                yield Static(id="typing")
                yield Input(placeholder="Write a message, Enter sends it", id="input")
        yield Static(id="state")
        yield Footer()

    def on_mount(self) -> None:
        """Starts to follow the channels."""
        self.query_one("#input").focus()
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
                if self.channels.items:
                    await self.open(self.channels.items[0]["channel_url"])
                async for _ in self.channels:
                    self.draw_channels()
                    if self.chat is None and self.channels.items:
                        await self.open(self.channels.items[0]["channel_url"])
        except SyncManagerError as error:
            self.exit(message=plain(error), return_code=1)

    async def open(self, channel_url: str) -> None:
        """Shows another channel."""
        if self.sm is None or (self.chat is not None and self.chat.channel_url == channel_url):
            return
        if self.chat is not None:
            self.chat.remove()
        self.typing = ""
        self.chat = chat = self.sm.messages(channel_url)
        chat.on_event(self.chat_heard)
        self.draw_channels()
        self.draw_messages()
        await self.load(chat)

    async def load(self, chat: MessageCollection) -> None:
        """Loads a page of older messages."""
        try:
            await chat.fetch()
            self.problem = ""
        except SyncManagerError as error:
            if not chat.removed:
                self.problem = str(error)
        self.draw_state()

    # What the library tells

    def heard(self, event: Event) -> None:
        """The connection and the sync."""
        if isinstance(event, Connection):
            self.connection = event.state
            if event.retry_in is not None:
                self.connection = f"offline, tries again in {event.retry_in / 1000:.1f} s"
        elif isinstance(event, SyncState):
            self.sync = event.state
        elif isinstance(event, SyncProgress):
            self.synced[event.channel_url] = event.done
            self.syncing = event.channel_url
        self.draw_state()

    def chat_heard(self, event: Event) -> None:
        """The messages of the chat, and who types."""
        if isinstance(event, Change):
            self.draw_messages()
        elif isinstance(event, ChannelUpdated):
            typing = event.channel.get("typing_members") or []
            names = [plain(user.get("nickname") or user["user_id"]) for user in typing]
            self.typing = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} typing …" if names else ""
            self.query_one("#typing", Static).update(Text(self.typing))
        elif isinstance(event, ChannelRemoved):
            self.chat = None

    # Drawing

    def draw_channels(self) -> None:
        """Draws the list of channels as it stands."""
        if self.channels is None:
            return
        shown = self.query_one("#channels", OptionList)
        shown.clear_options()
        shown.add_options([Option(channel_line(channel), id=channel["channel_url"]) for channel in self.channels.items])
        urls = [channel["channel_url"] for channel in self.channels.items]
        if self.chat is not None and self.chat.channel_url in urls:
            shown.highlighted = urls.index(self.chat.channel_url)

    def draw_messages(self) -> None:
        """Draws the newest messages, and under them those that are not sent."""
        if self.chat is None:
            return
        chat = self.chat
        lines = [message_line(message) for message in [*chat.items[-DRAWN:], *chat.failed, *chat.pending]]
        self.query_one("#messages", Static).update(Text("\n").join(lines))
        self.query_one("#chat", VerticalScroll).border_title = Text(plain(chat.channel_url))  # a str is markup
        self.call_after_refresh(self.query_one("#chat", VerticalScroll).scroll_end, animate=False)

    def draw_state(self) -> None:
        """Draws the line of the library's state."""
        cached = f"{sum(self.synced.values())} messages cached"
        if self.sync == "running":
            progress = f"syncing {self.syncing}, {cached}"
        elif self.sync == "idle" and self.connection == "connected":
            progress = f"in sync, {cached}"
        else:
            progress = f"sync {self.sync}, {cached}"
        parts = [self.connection, progress, *([self.problem] if self.problem else [])]
        self.query_one("#state", Static).update(Text(plain("  │  ".join(parts))))

    # What the user does

    async def on_option_list_option_selected(self, selected: OptionList.OptionSelected) -> None:
        """Opens the channel that was chosen."""
        if selected.option.id is not None:
            await self.open(selected.option.id)

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        """Sends what was written. It is shown and on disk before it is sent; what comes of it, the lists tell."""
        if self.chat is not None and submitted.value.strip():
            self.chat.send(submitted.value)
            submitted.input.value = ""

    async def action_next_channel(self) -> None:
        """Opens the channel below the one that is shown, behind the last the first."""
        urls = [channel["channel_url"] for channel in self.channels.items] if self.channels else []
        if urls:
            shown = self.chat.channel_url if self.chat is not None else None
            await self.open(urls[(urls.index(shown) + 1) % len(urls) if shown in urls else 0])

    async def action_older(self) -> None:
        """Loads older messages."""
        if self.chat is not None:
            await self.load(self.chat)

    def action_connection(self) -> None:
        """Disconnects, or connects again."""
        if self.sm is None:
            return
        if self.connection == "connected":
            self.sm.disconnect()
        else:
            self.sm.connect()
