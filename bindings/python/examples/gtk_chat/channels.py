"""The list of channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from syncmanager import gtk
from syncmanager.blocking import ChannelCollection
from syncmanager.demo.words import channel_name
from syncmanager.documents import Channel

from .session import Session
from .texts import drawable, name_of, summary, when
from .toolkit import Adw, GLib, Gtk, box, label

#: Channels of a page.
PAGE = 40


def typing_words(channel: Channel) -> str:
    """Who types, in words; empty when nobody does."""
    names = [name_of(user) for user in channel.get("typing_members") or []]
    if not names:
        return ""
    return f"{names[0]} and others are typing …" if len(names) > 1 else f"{names[0]} is typing …"


class ChannelRow:
    """A channel as a row: its name, its last message, what is unread."""

    def __init__(self) -> None:
        self.avatar = Adw.Avatar(size=40, show_initials=True)
        self.name = label("heading", ellipsize=True, hexpand=True)
        self.time = label("caption", "dim-label")
        self.last = label("caption", "dim-label", ellipsize=True, hexpand=True)
        self.unread = label("badge", valign=Gtk.Align.CENTER, xalign=0.5)
        above, below = box(self.name, self.time, spacing=6), box(self.last, self.unread, spacing=6)
        lines = box(above, below, vertical=True, spacing=2, hexpand=True)
        self.widget = box(self.avatar, lines, spacing=10, classes=("channel",))

    def show(self, channel: Channel, me: str) -> None:
        """Shows a channel."""
        name, last, typing = drawable(channel_name(channel, me)), channel.get("last_message"), typing_words(channel)
        self.avatar.set_text(name)
        self.name.set_text(name)
        self.time.set_text(when(last["created_at"]) if last else "")
        said = summary(last)
        sender = last.get("user") if last else None
        if sender is not None and channel.get("member_count", 2) > 2:
            said = f"{'You' if sender['user_id'] == me else name_of(sender)}: {said}"
        self.last.set_text(typing or said)
        self.last.set_css_classes(["caption", "accent" if typing else "dim-label"])
        unread = channel.get("unread_message_count", 0)
        self.unread.set_text("99+" if unread > 99 else str(unread))
        self.unread.set_visible(unread > 0)
        self.unread.set_css_classes(["badge", *(["mention"] if channel.get("unread_mention_count") else [])])


class ChannelList:
    """All channels of the user, those with the latest messages first."""

    def __init__(self, session: Session, chosen: Callable[[Channel], object]) -> None:
        self._session, self._chosen = session, chosen
        self.channels: ChannelCollection = session.client.channels(order="latest_last_message", limit=PAGE)
        self._is_loading = self._is_complete = False
        self._url = ""
        self.model = gtk.ListModel(self.channels)
        # What is chosen is a channel, not a place: a list that is sorted again selects the same channel again.
        self.selection = Gtk.SingleSelection(model=self.model, autoselect=False, can_unselect=True)
        factory = Gtk.SignalListItemFactory()
        factory.connect("setup", self._setup)
        factory.connect("bind", self._bind)
        self.view = Gtk.ListView(
            model=self.selection, factory=factory, single_click_activate=True, css_classes=["navigation-sidebar"]
        )
        self.view.connect("activate", self._activated)
        self.widget = Gtk.ScrolledWindow(child=self.view, vexpand=True, hscrollbar_policy=Gtk.PolicyType.NEVER)
        self.widget.get_vadjustment().connect("value-changed", lambda _: self._more())
        self.model.connect("items-changed", lambda *_: self.select(self._url))
        self.load()

    def load(self) -> None:
        """Loads the next page."""
        if not self._is_loading and not self._is_complete:
            self._is_loading = True
            self._session.ask(self.channels.start.fetch(), self._loaded, lambda _: self._loaded(None))

    def _loaded(self, page: Any) -> None:
        self._is_loading = False
        self._is_complete = page is not None and not page.has_more and not page.short

    def _more(self) -> None:
        place = self.widget.get_vadjustment()
        if place.get_value() + 2 * place.get_page_size() > place.get_upper():
            self.load()

    def select(self, channel_url: str) -> None:
        """Marks the channel that is shown."""
        self._url = channel_url
        for place, channel in enumerate(self.channels.items):
            if channel["channel_url"] == channel_url:
                self.selection.set_selected(place)
                return
        self.selection.set_selected(GLib.MAXUINT32)

    def _activated(self, _: Any, place: int) -> None:
        row = self.model.get_item(place)
        if row is not None:
            self._chosen(row.item)

    def _setup(self, _: Any, cell: Any) -> None:
        cell.row = ChannelRow()
        cell.set_child(cell.row.widget)

    def _bind(self, _: Any, cell: Any) -> None:
        cell.row.show(cell.get_item().item, self._session.me)
