"""The terminal chat: what the user does, by keys and the mouse."""

from __future__ import annotations

from textual.widgets import Input

from .attached import files_of
from .base import ChatBase
from .conversation import Conversation
from .doing import call_for
from .help import HelpScreen
from .pane import Pane
from .rows import ChannelRows
from .words import is_own, key_of
from .writing import WRITE, Kind, Writing


class ChatApp(ChatBase):
    """Channels on the left, one chat on the right, what the library does in the last line. Since 0.1."""

    # The lists

    async def on_pane_clicked(self, clicked: Pane.Clicked) -> None:
        """Opens a channel, or chooses a message."""
        if clicked.pane is self.channel_pane:
            await self.open_listed(clicked.index)
        elif clicked.pane is self.result_pane:
            await self.open_found(clicked.index)
        else:
            clicked.pane.choose(clicked.index)

    def on_pane_scrolled(self, scrolled: Pane.Scrolled) -> None:
        """Loads more of what the user has come to the edge of."""
        if scrolled.pane is self.result_pane:
            if scrolled.is_at_end and self.search is not None and self.search.has_more:
                self.attempt(self.search.load())
        elif scrolled.pane is self.message_pane and self.chat is not None:
            self.load_edge(self.chat, scrolled)

    def load_edge(self, chat: Conversation, scrolled: Pane.Scrolled) -> None:
        """Loads older messages, or newer ones."""
        if scrolled.is_at_top and chat.has_previous:
            self.attempt(chat.load())
        elif scrolled.is_at_end and chat.has_next:
            self.attempt(chat.load("next"))
        self.draw_place()

    async def open_listed(self, index: int) -> None:
        """Opens a channel by its place in the list."""
        rows = self.channel_pane.rows
        channel_url = rows.channel_url(index) if isinstance(rows, ChannelRows) else None
        if self.writing.kind in ("jump", "search"):
            self.write(WRITE)
        if channel_url is not None:
            await self.open(channel_url)

    async def open_found(self, index: int) -> None:
        """Shows a message that was found, in its channel or thread, among those around it."""
        message = self.search.results.items[index]["message"] if self.search is not None else None
        channel_url = self.search.results.items[index]["channel_url"] if self.search is not None else ""
        self.write(WRITE)
        if message is None:
            return
        await self.open(channel_url, at=message["created_at"])
        if self.chat is not None and self.chat.find(message["message_id"]) is None:
            await self.open_thread(message)
        place = self.chat.find(message["message_id"]) if self.chat is not None else None
        if place is not None:
            self.message_pane.choose(place)

    async def action_choose(self, step: int) -> None:
        """Chooses the row above or below. Above the first message are older ones, below the last is none."""
        pane = self.pane_in_hand()
        last = len(pane.rows) - 1
        if pane.view.chosen is None:
            begins = step < 0 if pane is self.message_pane else step > 0
            at = (last if pane is self.message_pane else 0) if begins else None
        else:
            at = pane.view.chosen + step
        if at is not None and at < 0 and pane is self.message_pane:
            await self.action_older()
        elif at is None or at > last:
            pane.choose(None)
        else:
            pane.choose(max(at, 0))

    def pane_in_hand(self) -> Pane:
        """The list that the line to write in is about."""
        panes = {"jump": self.channel_pane, "search": self.result_pane}
        return panes.get(self.writing.kind, self.message_pane)

    def action_page(self, step: int) -> None:
        """Moves the list by a screen, but for a line of it."""
        pane = self.pane_in_hand()
        pane.scroll_lines(step * max(pane.size.height - 1, 1))

    async def action_older(self) -> None:
        """Loads older messages."""
        if self.chat is not None:
            await self.wait_for(self.chat.load())

    async def action_oldest(self) -> None:
        """Shows the first message."""
        chat = self.chat
        while chat is not None and chat is self.chat and chat.has_previous:
            if await self.wait_for(chat.load()) is None:
                break
        self.message_pane.choose(0 if chat is not None and len(chat) else None)

    async def action_newest(self) -> None:
        """Shows the newest message."""
        self.message_pane.choose(None)
        if self.chat is not None and self.chat.has_next:
            await self.wait_for(self.chat.to_newest())
            self.message_pane.choose(None)

    # The line to write in

    def on_input_changed(self, changed: Input.Changed) -> None:
        """Tells the others that this user types or has ended to, and looks for what is written where that is asked."""
        self.tell_typing(bool(changed.value) and self.writing.is_message)
        if self.writing.kind == "jump":
            self.channel_pane.choose(None)
            self.draw_channels()
        elif self.writing.kind == "search":
            self.look_for(self.input.value)

    def tell_typing(self, is_typing: bool) -> None:
        """Tells the others that this user types, or has ended to."""
        if self.chat is not None and self.status.is_connected:
            call = self.chat.own_typing.tell(self.chat.chat, is_typing)
            if call is not None:
                self.attempt(call)

    async def on_input_submitted(self, submitted: Input.Submitted) -> None:
        """Does what the line is for. What is sent is shown and on disk before; what comes of it, the lists tell."""
        text = submitted.value.strip()
        if self.writing.kind == "jump":
            place = self.channel_pane.view.chosen or 0
            if place < len(self.channel_pane.rows):
                await self.open_listed(place)
            else:
                self.write(WRITE)
        elif self.writing.kind == "search":
            place = self.result_pane.view.chosen or 0
            if place < len(self.result_pane.rows):
                await self.open_found(place)
        elif self.chat is not None and (text or self.writing.kind == "react"):
            self.do(text)

    def do(self, text: str) -> None:
        """Sends or does what is written; says what is wrong with it."""
        if self.chat is None:
            return
        try:
            call = call_for(self, self.chat.shown, self.writing, text)
        except ValueError as error:
            self.say(str(error))
            return
        if call is not None:
            self.attempt(call)
        self.write(WRITE)
        self.attempt(self.action_newest())

    async def action_leave(self) -> None:
        """Ends what was begun: reading the keys, writing for something else, choosing, the thread, old messages."""
        if isinstance(self.screen, HelpScreen):
            self.pop_screen()
        elif self.writing is not WRITE:
            self.write(WRITE)
        elif self.chosen() is None and self.chat is not None and self.chat.thread is not None:
            self.chat.close_thread()
            self.show_messages()
        else:
            await self.action_newest()

    # The chosen message

    def begin(self, kind: Kind) -> None:
        """Begins to write about the chosen message, if it is one that this may be done with."""
        message = self.chosen()
        if message is None:
            self.say("choose a message first: ↑")
        elif kind == "save" and not files_of(message):
            self.say("the message has no file")
        elif kind == "edit" and not is_own(message, self.me):
            self.say("only own messages can be edited")
        elif kind != "edit" and "status" in message:
            self.say("the message is not sent yet")
        elif kind == "reply" and self.chat is not None and self.chat.thread is not None:
            self.write(WRITE)  # it answers in the thread that is open
        else:
            self.write(Writing(kind, message))

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
        message = self.chosen()
        call = self.transfers.receiving(key_of(message)) if message is not None else None
        if call is not None and self.sm is not None:
            self.attempt(self.sm.cancel(call.request))
        else:
            self.begin("save")

    def action_poll(self) -> None:
        """Answers the chosen poll, or asks something."""
        message = self.chosen()
        if message is not None and "poll" in message and "status" not in message:
            self.begin("vote")
        else:
            self.write(Writing("poll"))

    def action_delete(self) -> None:
        """Deletes the chosen message; one that is not sent is given up."""
        message = self.chosen()
        if message is not None and self.chat is not None:
            shown = self.chat.shown
            self.message_pane.choose(None)
            self.attempt(shown.delete(message) if "status" in message else shown.delete_message(message))

    def action_resend(self) -> None:
        """Sends the chosen message again, or all of the chat that failed."""
        message = self.chosen()
        if self.chat is None or self.sm is None:
            return
        if message is not None and message.get("status") == "failed":
            self.attempt(self.chat.shown.resend(message))
        else:
            self.attempt(self.sm.resend_failed_messages(channel_url=self.chat.channel_url))

    async def action_thread(self) -> None:
        """Opens the thread of the chosen message, or goes back to the channel."""
        message = self.chosen()
        if self.chat is not None and self.chat.thread is not None:
            self.chat.close_thread()
            self.show_messages()
        elif self.chat is None or message is None or "status" in message:
            self.say("choose a message first: ↑")
        else:
            await self.open_thread(message)

    # Channels, connection, help

    async def action_jump(self) -> None:
        """Lets the user name a channel; all are listed for it."""
        self.write(Writing("jump"))
        while self.channels is not None and self.writing.kind == "jump":
            page = await self.wait_for(self.channels.fetch())
            if page is None or not page.has_more:
                break

    def action_search(self) -> None:
        """Lets the user search."""
        self.write(Writing("search"))

    async def action_neighbour(self, step: int) -> None:
        """Opens the channel below or above the one that is shown, behind the last the first."""
        channels = self.listed()
        place = self.place_of(self.chat.channel_url if self.chat is not None else None)
        if channels:
            at = 0 if place is None else (place + step) % len(channels)
            await self.open(channels[at]["channel_url"])

    def action_connection(self) -> None:
        """Disconnects, or connects again."""
        if self.sm is not None and self.status.is_off:
            self.sm.connect()
        elif self.sm is not None:
            self.sm.disconnect()

    def action_help(self) -> None:
        """Shows the keys, or hides them."""
        if isinstance(self.screen, HelpScreen):
            self.pop_screen()
        else:
            self.push_screen(HelpScreen())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While the keys are shown, only what ends that is done."""
        return not isinstance(self.screen, HelpScreen) or action in ("leave", "help", "quit")
