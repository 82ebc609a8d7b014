"""The terminal chat: each pane is drawn from a live list whenever that list changed."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from .. import ChannelCollection, MessageCollection, SyncManager, SyncManagerError
from ..documents import Channel, Config, Message
from ..events import Change, ChannelRemoved, ChannelUpdated, Connection, Event, ParentUpdated, SyncProgress, SyncState
from .attached import Transfers, files_of
from .attaching import attach, poll, save, toggle_reaction
from .lines import Row, channel_line, channel_name, is_own, key_of, message_line, rows, rule, sync_words, user_name
from .plain import plain
from .writing import REACTION, WRITE, Kind, Writing

#: Messages drawn; older ones stay in the list.
DRAWN = 300


class ChatApp(App[None]):
    """Channels on the left, one chat on the right, what the library does in the last line. Since 0.1."""

    TITLE = "syncmanager"
    ENABLE_COMMAND_PALETTE = False  # it has nothing to offer, and its keys are taken
    CSS = """
    OptionList { padding: 0; }
    #channels { width: 32; height: 100%; border: round $primary; }
    #messages { height: 1fr; border: round $primary; }
    #typing { height: 1; color: $success; }
    #state { height: 1; background: $panel; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+k", "jump", "Jump to", priority=True),
        Binding("ctrl+n", "next_channel", "Next", priority=True),
        Binding("ctrl+o", "older", "Older", priority=True),
        Binding("ctrl+t", "thread", "Thread", priority=True),
        Binding("ctrl+y", "reply", "Reply", priority=True),
        Binding("f2", "edit", "Edit", priority=True),
        Binding("f3", "react", "React", priority=True),
        Binding("f4", "file", "File", priority=True),
        Binding("f5", "resend", "Resend", priority=True),
        Binding("f6", "save", "Save", priority=True),
        Binding("f7", "poll", "Poll", priority=True),
        Binding("f8", "delete", "Delete", priority=True),
        Binding("ctrl+r", "connection", "Offline/back", priority=True),
        Binding("ctrl+q", "quit", "Quit", priority=True),
        Binding("up", "choose(-1)", "Choose", show=False, priority=True),
        Binding("down", "choose(1)", "Choose", show=False, priority=True),
        Binding("escape", "leave", "Back", show=False, priority=True),
    ]

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.me = config.get("user_id", "")
        self.sm: SyncManager | None = None
        self.channels: ChannelCollection | None = None
        self.chat: MessageCollection | None = None
        #: Shown in place of the chat while it is open, and the message that it answers.
        self.thread: MessageCollection | None = None
        self.answered: Message | None = None
        #: The channel of the chat, and up to when the user had read it when it was opened.
        self.channel: Channel | None = None
        self.new_after: int | None = None
        self.is_reading = False
        self.writing = WRITE
        self.drawn: list[Row] = []
        self.transfers = Transfers()
        self.rung: dict[str, object] = {}
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
                messages = OptionList(id="messages")
                messages.can_focus = False  # what is typed goes to the line below; the mouse chooses all the same
                yield messages
                yield Static(id="typing")
                yield Input(placeholder=WRITE.hint(), id="input")
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
                async for change in self.channels:
                    self.ring(change)
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
            self.close_thread()
            self.chat.remove()
        self.typing = ""
        self.channel = next((one for one in self.listed() if one["channel_url"] == channel_url), None)
        has_new = self.channel is not None and self.channel.get("unread_message_count", 0) > 0
        self.new_after = self.channel.get("read_receipt", {}).get(self.me, 0) if self.channel and has_new else None
        self.chat = chat = self.sm.messages(channel_url, reply_type="only_reply_to_channel")
        chat.on_event(self.chat_heard)
        self.draw_channels()
        self.draw_messages()
        await self.load(chat)
        self.read()

    def listed(self) -> list[Channel]:
        """The channels that are shown, as they are now."""
        return list(self.channels.items) if self.channels is not None else []

    async def load(self, chat: MessageCollection) -> None:
        """Loads a page of older messages."""
        try:
            await chat.fetch()
            self.problem = ""
        except SyncManagerError as error:
            if not chat.removed:
                self.problem = str(error)
        self.draw_state()

    def attempt(self, call: Awaitable[Any]) -> None:
        """Waits for a call beside the rest, and says how it failed."""

        async def wait() -> None:
            try:
                await call
                self.problem = ""
            except (SyncManagerError, OSError) as error:
                self.problem = str(error)
            if self.is_running:
                self.draw_state()

        self.run_worker(wait(), exit_on_error=False)

    def read(self) -> None:
        """Tells the service that the chat has been read, while somebody looks at it."""
        unread = self.channel.get("unread_message_count", 0) if self.channel is not None else 0
        if self.chat is None or not unread or self.is_reading or not self.app_focus or self.connection != "connected":
            return
        chat = self.chat

        async def mark() -> None:
            self.is_reading = True
            try:
                await chat.mark_as_read()
            finally:
                self.is_reading = False

        self.attempt(mark())

    # What the library tells

    def heard(self, event: Event) -> None:
        """The connection and the sync."""
        if isinstance(event, Connection):
            self.connection = event.state
            if event.retry_in is not None:
                self.connection = f"offline, tries again in {event.retry_in / 1000:.1f} s"
            self.read()
        elif isinstance(event, SyncState):
            self.sync = event.state
        elif isinstance(event, SyncProgress):
            self.synced[event.channel_url] = event.done
            self.syncing = event.channel_url
        elif self.transfers.heard(event):
            self.draw_messages()
        self.draw_state()

    def chat_heard(self, event: Event) -> None:
        """The messages of the chat, who has read them, and who types."""
        if isinstance(event, Change):
            self.draw_messages()
        elif isinstance(event, ChannelUpdated):
            self.channel = event.channel
            typing = event.channel.get("typing_members") or []
            names = [user_name(user) for user in typing]
            self.typing = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} typing …" if names else ""
            self.query_one("#typing", Static).update(Text(self.typing))
            self.draw_messages()
            self.read()
        elif isinstance(event, ChannelRemoved):
            self.close_thread()
            self.chat = None

    def thread_heard(self, event: Event) -> None:
        """The replies, and the message that they answer."""
        if isinstance(event, ParentUpdated):
            self.answered = event.message
        if isinstance(event, (Change, ParentUpdated)):
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
            if channel.get("push_trigger_option") != "off" and self.rung.get(url) != last["message_id"]:
                self.rung[url] = last["message_id"]
                self.bell()

    def on_app_focus(self) -> None:
        """The terminal is looked at again."""
        self.read()

    # Drawing

    def draw_channels(self) -> None:
        """Draws the list of channels as it stands; those that are looked for while the user jumps."""
        wanted = self.query_one("#input", Input).value.casefold() if self.writing.kind == "jump" else ""
        found = [one for one in self.listed() if wanted in channel_name(one, self.me).casefold()]
        shown = self.query_one("#channels", OptionList)
        shown.clear_options()
        shown.add_options([Option(channel_line(one, self.me), id=one["channel_url"]) for one in found])
        urls = [one["channel_url"] for one in found]
        if self.chat is not None and self.chat.channel_url in urls:
            shown.highlighted = urls.index(self.chat.channel_url)

    def draw_messages(self) -> None:
        """Draws the newest messages, and under them those that are not sent."""
        shown = self.thread or self.chat
        if shown is None:
            return
        messages = [*shown.items[-DRAWN:], *shown.failed, *shown.pending]
        self.drawn = rows(messages, self.channel, self.me, None if self.thread else self.new_after, self.transfers)
        title = plain(shown.channel_url) if self.channel is None else channel_name(self.channel, self.me)
        if self.thread is not None and self.answered is not None:
            title = f"Thread in {title}"
            top = message_line(self.answered, self.channel, self.me)
            self.drawn[:0] = [Row(None, top), Row(None, rule("replies", "dim"))]
        pane = self.query_one("#messages", OptionList)
        chosen = self.chosen()
        is_at_end = chosen is None and pane.scroll_y >= pane.max_scroll_y
        before = pane.scroll_y
        pane.clear_options()
        pane.add_options([Option(row.line, id=row.key, disabled=row.key is None) for row in self.drawn])
        pane.border_title = Text(title)  # a str is markup
        keys = [row.key for row in self.drawn]
        self.transfers.keep({key for key in keys if key is not None})
        if chosen is not None and key_of(chosen) in keys:
            pane.highlighted = keys.index(key_of(chosen))
        elif is_at_end:
            self.call_after_refresh(pane.scroll_end, animate=False)
        else:
            self.call_after_refresh(pane.scroll_to, y=before, animate=False)

    def draw_state(self) -> None:
        """Draws the line of the library's state."""
        where = self.syncing if self.sync == "running" else ""
        progress = sync_words(self.sync, where, self.connection == "connected", sum(self.synced.values()))
        parts = [self.connection, progress, *([self.problem] if self.problem else [])]
        self.query_one("#state", Static).update(Text(plain("  │  ".join(parts))))

    # What the user does

    def chosen(self) -> Message | None:
        """The message that the user has chosen."""
        place = self.query_one("#messages", OptionList).highlighted
        return self.drawn[place].message if place is not None and place < len(self.drawn) else None

    def write(self, writing: Writing) -> None:
        """Lets the line be for something else."""
        self.writing = writing
        line = self.query_one("#input", Input)
        line.placeholder = writing.hint()
        line.value = writing.begins_with()
        line.cursor_position = len(line.value)
        line.focus()

    async def on_option_list_option_selected(self, selected: OptionList.OptionSelected) -> None:
        """Opens the channel that was chosen."""
        if selected.option_list.id == "channels" and selected.option.id is not None:
            await self.open(selected.option.id)
            self.query_one("#input").focus()

    def on_input_changed(self, changed: Input.Changed) -> None:
        """Looks for channels, or tells the others that this user types."""
        if self.writing.kind == "jump":
            self.draw_channels()
        elif changed.value and self.chat is not None and self.connection == "connected" and self.writing.is_message:
            self.attempt(self.chat.start_typing())

    async def on_input_submitted(self, submitted: Input.Submitted) -> None:
        """Does what the line is for. What is sent is shown and on disk before; what comes of it, the lists tell."""
        text, writing, shown = submitted.value.strip(), self.writing, self.thread or self.chat
        if shown is None or not (text or writing.kind == "react"):
            return
        target = writing.target
        if writing.kind == "jump":
            found = self.query_one("#channels", OptionList)
            first = found.get_option_at_index(0).id if found.option_count else None
            self.write(WRITE)
            self.draw_channels()
            if first is not None:
                await self.open(first)
            return
        if writing.kind in ("file", "save", "poll", "vote"):
            if not attach(self, shown, writing, text):
                return
        elif target is None:
            shown.send(text)
        elif writing.kind == "reply":
            shown.send(text, parent_message_id=target["message_id"], reply_to_channel=True)
        elif writing.kind == "edit":
            self.attempt(shown.update(target, text) if "status" in target else shown.edit_message(target, message=text))
        else:
            toggle_reaction(self, shown, target, text or REACTION)
        self.unchoose()
        self.write(WRITE)

    def unchoose(self) -> None:
        """Chooses no message, and shows the newest."""
        pane = self.query_one("#messages", OptionList)
        pane.highlighted = None
        pane.scroll_end(animate=False)

    async def action_choose(self, step: int) -> None:
        """Chooses the message above or below; above the first one, older ones are loaded."""
        if isinstance(self.focused, OptionList):  # that of the channels
            self.focused.action_cursor_up() if step < 0 else self.focused.action_cursor_down()
            return
        pane = self.query_one("#messages", OptionList)
        places = [place for place, row in enumerate(self.drawn) if row.message is not None]
        now = pane.highlighted
        if now is None:
            pane.highlighted = places[-1] if places and step < 0 else None
        elif now in places:
            place = places.index(now) + step
            if 0 <= place < len(places):
                pane.highlighted = places[place]
            elif place < 0:
                await self.action_older()
            else:
                self.unchoose()

    def action_leave(self) -> None:
        """Ends what was begun: writing for something else, choosing, the thread."""
        if self.writing is not WRITE:
            self.write(WRITE)
            self.draw_channels()
        elif self.chosen() is not None:
            self.unchoose()
        elif self.thread is not None:
            self.close_thread()
            self.draw_messages()

    def begin(self, kind: Kind) -> None:
        """Begins to write about the chosen message, if it is one that this may be done with."""
        message = self.chosen()
        if message is None:
            self.problem = "choose a message first: ↑"
        elif kind == "save" and not files_of(message):
            self.problem = "the message has no file"
        elif kind == "edit" and not is_own(message, self.me):
            self.problem = "only own messages can be edited"
        elif kind != "edit" and "status" in message:
            self.problem = "the message is not sent yet"
        elif kind == "reply":
            self.write(Writing("reply" if self.thread is None else "write", message if self.thread is None else None))
        else:
            self.write(Writing(kind, message))
        self.draw_state()

    def action_reply(self) -> None:
        """Answers the chosen message in the channel."""
        self.begin("reply")

    def action_edit(self) -> None:
        """Edits the chosen message."""
        self.begin("edit")

    def action_react(self) -> None:
        """Reacts to the chosen message."""
        self.begin("react")

    def action_file(self) -> None:
        """Sends a file."""
        self.write(Writing("file"))

    def action_save(self) -> None:
        """Receives the files of the chosen message, or stops receiving them."""
        save(self)

    def action_poll(self) -> None:
        """Answers the chosen poll, or asks something."""
        poll(self)

    def action_delete(self) -> None:
        """Deletes the chosen message; one that is not sent is given up."""
        message, shown = self.chosen(), self.thread or self.chat
        if message is not None and shown is not None:
            self.unchoose()
            self.attempt(shown.delete(message) if "status" in message else shown.delete_message(message))

    def action_resend(self) -> None:
        """Sends the chosen message again, or all of the chat that failed."""
        message, shown = self.chosen(), self.thread or self.chat
        if shown is None or self.sm is None:
            return
        if message is not None and message.get("status") == "failed":
            self.attempt(shown.resend(message))
        else:
            self.attempt(self.sm.resend_failed_messages(channel_url=shown.channel_url))

    async def action_thread(self) -> None:
        """Opens the thread of the chosen message, or goes back to the channel."""
        if self.thread is not None:
            self.close_thread()
            self.draw_messages()
            return
        message = self.chosen()
        if self.sm is None or self.chat is None or message is None or "status" in message:
            self.problem = "choose a message first: ↑"
            self.draw_state()
            return
        self.unchoose()
        parent = message.get("parent_message_id") or message["message_id"]
        self.answered = next((one for one in self.chat.items if one["message_id"] == parent), message)
        self.thread = self.sm.messages(self.chat.channel_url, parent_message_id=parent)
        self.thread.on_event(self.thread_heard)
        self.draw_messages()
        await self.load(self.thread)

    def close_thread(self) -> None:
        """Shows the channel again."""
        if self.thread is not None:
            self.thread.remove()
        self.thread = self.answered = None
        self.unchoose()

    async def action_jump(self) -> None:
        """Lets the user name a channel; all are listed for it."""
        self.write(Writing("jump"))
        if self.channels is None:
            return
        try:
            while (await self.channels.fetch()).has_more and self.writing.kind == "jump":
                self.draw_channels()
        except SyncManagerError as error:
            self.problem = str(error)
        self.draw_channels()

    async def action_next_channel(self) -> None:
        """Opens the channel below the one that is shown, behind the last the first."""
        urls = [channel["channel_url"] for channel in self.listed()]
        if urls:
            shown = self.chat.channel_url if self.chat is not None else None
            await self.open(urls[(urls.index(shown) + 1) % len(urls) if shown in urls else 0])

    async def action_older(self) -> None:
        """Loads older messages."""
        shown = self.thread or self.chat
        if shown is not None:
            await self.load(shown)

    def action_connection(self) -> None:
        """Disconnects, or connects again."""
        if self.sm is None:
            return
        if self.connection == "connected":
            self.sm.disconnect()
        else:
            self.sm.connect()
