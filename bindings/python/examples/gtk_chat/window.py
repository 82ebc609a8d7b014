"""The window: channels on the left, a chat in the middle, a thread on the right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from syncmanager.demo.attached import Transfers
from syncmanager.demo.words import channel_name
from syncmanager.documents import Channel, Config, Message, SearchResult
from syncmanager.errors import SyncManagerError
from syncmanager.events import ChannelRemoved, ChannelUpdated, Connection, ParentUpdated, TokenNeeded

from .channels import ChannelList, typing_words
from .chat import ChatView
from .rows import MessageRow
from .search import Search
from .session import Session
from .texts import drawable, short
from .toolkit import Adw, Gdk, GLib, Gtk, box, clear, icon_button, label, later


class ChatWindow:
    """All that one user sees."""

    def __init__(self, application: Any, config: Config) -> None:
        self.session = Session(config, self.failed)
        self.transfers = Transfers()
        self.channels: ChannelList | None = None
        self.chat: ChatView | None = None
        self.thread: ChatView | None = None
        #: The message that the thread answers.
        self.answered: MessageRow | None = None
        self.channel: Channel | None = None
        self._is_reading = False
        #: Whether the window was closed, and the client after it.
        self.is_closed = False
        self._build(application)
        self.session.on_event(self._heard)
        self.session.open(self._opened, self.refused)

    def _build(self, application: Any) -> None:
        self.title = Adw.WindowTitle(title="", subtitle="")
        bar = Adw.HeaderBar(title_widget=self.title)
        self.typing = label("typing", "dim-label", "caption", ellipsize=True)
        self.offline = label("body", label="Connecting …", hexpand=True, ellipsize=True)
        retry = Gtk.Button(label="Connect", css_classes=["flat"])
        retry.connect("clicked", lambda _: self._connect())
        self.banner = Gtk.Revealer(child=box(self.offline, retry, spacing=6, classes=("banner",)))
        self.place = box(hexpand=True, vexpand=True, classes=("chat",))
        self.side = box(vertical=True, classes=("thread",), width_request=340)
        self.flap = Adw.Flap(
            content=self.place, flap=self.side, flap_position=Gtk.PackType.END, reveal_flap=False, locked=True,
            swipe_to_open=False, swipe_to_close=False,
        )  # fmt: skip
        self._main = box(bar, self.banner, self.flap, vertical=True, hexpand=True)
        self.list = box(vertical=True, vexpand=True)
        side_bar = Adw.HeaderBar(show_end_title_buttons=False, title_widget=Adw.WindowTitle(title="Chats"))
        side_bar.pack_end(icon_button("weather-clear-night-symbolic", "Dark or light", lambda _: self.turn()))
        self.search = Search(self.session, self._named, self._found)
        self.search.turned = lambda is_on: self.lists.set_visible_child_name("search" if is_on else "list")
        self.lists = Gtk.Stack(vexpand=True)
        self.lists.add_named(self.list, "list")
        self.lists.add_named(self.search.widget, "search")
        sidebar = box(side_bar, self.search.entry, self.lists, vertical=True, width_request=300, classes=("sidebar",))
        self.leaflet = Adw.Leaflet(can_navigate_back=True)
        self.leaflet.append(sidebar)
        self.leaflet.append(self._main)
        back = icon_button("go-previous-symbolic", "Back", lambda _: self.leaflet.set_visible_child(sidebar))
        bar.pack_start(back)
        self.leaflet.bind_property("folded", back, "visible", 2)
        self.toasts = Adw.ToastOverlay(child=self.leaflet)
        self.window = Adw.ApplicationWindow(
            application=application, title="Chat", default_width=1080, default_height=720, content=self.toasts
        )
        self.window.connect("notify::is-active", lambda *_: self._read())
        self.window.connect("close-request", self._close)
        self.show_nothing("Opening the chat …")

    def show_nothing(self, words: str) -> None:
        """Shows words where the chat will be."""
        clear(self.place)
        self.place.append(label("title-2", "dim-label", label=words, hexpand=True, xalign=0.5, wrap=True))

    # The session

    def _opened(self) -> None:
        self.channels = ChannelList(self.session, self.open)
        self.list.append(self.channels.widget)
        self.channels.model.connect("items-changed", lambda *_: later(self._listed))
        self.show_nothing("Choose a channel")
        self._connect()

    def _connect(self) -> None:
        # Whether it worked, the connection's events tell.
        self.session.ask(self.session.client.start.connect(), failed=lambda _: None)

    def _listed(self) -> None:
        if self.chat is None and self.session.is_open and self.channels is not None and self.channels.channels.items:
            self.open(self.channels.channels.items[0])

    def refused(self, error: SyncManagerError) -> None:
        """The cache cannot be opened."""
        self.show_nothing(drawable(error))

    def failed(self, error: SyncManagerError) -> None:
        """Says that something did not work."""
        self.tell(str(error))

    def tell(self, words: str) -> None:
        """Says something for some seconds."""
        self.toasts.add_toast(Adw.Toast(title=GLib.markup_escape_text(short(words, 200)), timeout=5))

    def _heard(self, event: Any) -> None:
        if isinstance(event, Connection):
            self._connection(event)
        elif isinstance(event, TokenNeeded):
            self.tell("The access token is not accepted")
        elif self.transfers.heard(event):
            for view in (self.chat, self.thread):
                if view is not None:
                    view.pane.each(MessageRow.progress)
        elif self.chat is not None and getattr(event, "collection", 0) == self.chat.chat.number:
            self._chat_heard(event)

    def _chat_heard(self, event: Any) -> None:
        if isinstance(event, ChannelUpdated):
            self.channel = event.channel
            self._show_title()
            self._read()
        elif isinstance(event, ChannelRemoved):
            self._leave()
            self.show_nothing("This channel is gone")

    def _connection(self, event: Connection) -> None:
        is_online = event.state == "connected"
        self.banner.set_reveal_child(not is_online)
        if is_online:
            if self.channels is not None:
                self.channels.load()
            for view in (self.chat, self.thread):
                if view is not None:
                    view.pane.again()
            self._read()
        elif event.retry_in is not None:
            self.offline.set_text(f"Offline. The next attempt is in {max(1, round(event.retry_in / 1000))} s")
            self.offline.set_tooltip_text(event.message)
        else:
            self.offline.set_text("Connecting …" if event.state == "connecting" else "Offline")

    # Channels and threads

    def _channel(self, channel_url: str) -> Channel:
        for channel in self.channels.channels.items if self.channels is not None else ():
            if channel["channel_url"] == channel_url:
                return channel
        return {"channel_url": channel_url}

    def _named(self, channel_url: str) -> str:
        return short(channel_name(self._channel(channel_url), self.session.me), 60)

    def _found(self, result: SearchResult) -> None:
        self.open(self._channel(result["channel_url"]), result["message"])

    def open(self, channel: Channel, found: Message | None = None) -> None:
        """Shows a channel; with ``found``, at that message."""
        self.leaflet.set_visible_child(self._main)
        if self.chat is not None and self.chat.chat.channel_url == channel["channel_url"] and found is None:
            return
        self._leave()
        self.channel = channel
        self.chat = ChatView(self.session, self, channel["channel_url"], self.transfers, channel, found=found)
        clear(self.place)
        self.chat.widget.insert_child_after(self.typing, self.chat.pane.widget)
        self.place.append(self.chat.widget)
        if self.channels is not None:
            self.channels.select(channel["channel_url"])
        self._show_title()
        self._read()
        self.chat.composer.text.grab_focus()

    def _leave(self) -> None:
        self.close_thread()
        if self.chat is not None:
            self.chat.widget.remove(self.typing)
            self.chat.close()
        self.chat = self.channel = None

    def _show_title(self) -> None:
        channel = self.channel
        if channel is None:
            return
        count = channel.get("member_count", 0)
        self.title.set_title(GLib.markup_escape_text(short(channel_name(channel, self.session.me), 80)))
        self.title.set_subtitle(f"{count} members" if count > 2 else "")
        self.window.set_title(short(channel_name(channel, self.session.me), 80))
        self.typing.set_text(typing_words(channel))

    def _read(self) -> None:
        """Tells the service that the chat has been read, while somebody looks at it."""
        unread = self.channel.get("unread_message_count", 0) if self.channel is not None else 0
        is_seen = self.session.is_connected and self.window.is_active()
        if self.chat is None or not unread or self._is_reading or not is_seen:
            return
        self._is_reading = True

        def done(_: Any) -> None:
            self._is_reading = False

        self.session.ask(self.chat.chat.start.mark_as_read(), done, done)

    def open_thread(self, message: Message) -> None:
        """Shows the replies to a message, beside the chat."""
        self.close_thread()
        if self.chat is None:
            return
        url = self.chat.chat.channel_url
        self.thread = ChatView(self.session, self, url, self.transfers, self.channel, parent=message)
        self.thread.chat.on_event(self._thread_heard)
        title = label("heading", label="Thread", hexpand=True, margin_start=16)
        close = icon_button("window-close-symbolic", "Close the thread", lambda _: self.close_thread(), "circular")
        self.answered = MessageRow(self.thread.context)
        self.answered.tools.set_opacity(0)
        self.answered.show(message, None)
        self.side.append(box(title, close, classes=("thread-bar",)))
        self.side.append(box(self.answered.widget, vertical=True, classes=("answered",)))
        self.side.append(self.thread.widget)
        self.flap.set_reveal_flap(True)
        self.thread.composer.text.grab_focus()

    def _thread_heard(self, event: Any) -> None:
        if isinstance(event, ParentUpdated) and self.answered is not None:
            self.answered.show(event.message, None)

    def close_thread(self) -> None:
        """Ends the thread."""
        self.flap.set_reveal_flap(False)
        if self.thread is not None:
            self.thread.close()
            self.thread = self.answered = None
        clear(self.side)

    # The window

    def turn(self) -> None:
        """From light to dark, and back."""
        manager = Adw.StyleManager.get_default()
        wanted = Adw.ColorScheme.FORCE_LIGHT if manager.get_dark() else Adw.ColorScheme.FORCE_DARK
        manager.set_color_scheme(wanted)

    def _close(self, _: Any) -> bool:
        if self.session.is_open:
            self.window.set_visible(False)
            self.search.close()
            self._leave()
            self.session.close(self._closed)
        return True

    def _closed(self) -> None:
        self.is_closed = True
        self.window.destroy()


def load_style() -> None:
    """Lets the display use the style of this program."""
    provider = Gtk.CssProvider()
    provider.load_from_path(str(Path(__file__).with_name("style.css")))
    Gtk.StyleContext.add_provider_for_display(
        Gdk.Display.get_default(), provider, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION
    )
