"""The messages of a channel or a thread: a list that makes widgets only of what is seen, loads a page when one scrolls
to its beginning, and stays at its end while the end is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from syncmanager import gtk
from syncmanager.blocking import MessageCollection
from syncmanager.demo.words import key_of
from syncmanager.documents import LATEST, Message, MessageFilter
from syncmanager.errors import RemovedError, SyncManagerError
from syncmanager.events import ChannelUpdated

from .rows import Context, MessageRow
from .session import Session
from .toolkit import Gdk, Gio, GLib, Gtk, later

#: Messages of a page.
PAGE = 60
#: So near to the end (pixels) one counts as being there.
NEAR = 60


class MessagePane:
    """The list of one collection."""

    def __init__(
        self,
        session: Session,
        channel_url: str,
        context: Context,
        failed: Callable[[SyncManagerError], object],
        viewpoint: int = LATEST,
        **filters: Any,
    ) -> None:
        self._session, self._context, self._failed = session, context, failed
        shown = cast(MessageFilter, {"limit": PAGE, **filters})
        self.chat: MessageCollection = session.client.messages(channel_url, viewpoint, **shown)
        self.chat.on_event(self._heard)
        self._is_loading = False
        #: Whether the message that was searched for is still to be scrolled to.
        self._seeks = bool(context.found)
        #: Whether the service may have more, before and behind what is shown.
        self.has_previous, self.has_next = True, viewpoint != LATEST
        self._at_end = True
        self._bound: dict[Any, MessageRow] = {}
        lists = Gio.ListStore.new(Gio.ListModel)
        for name in ("items", "failed", "pending"):
            lists.append(gtk.ListModel(self.chat, name))
        self.model = Gtk.FlattenListModel.new(lists)
        self.model.connect("items-changed", self._changed)
        factory = Gtk.SignalListItemFactory()
        for signal, heard in (("setup", self._setup), ("bind", self._bind), ("unbind", self._unbind)):
            factory.connect(signal, heard)
        self.view = Gtk.ListView(
            model=Gtk.NoSelection(model=self.model), factory=factory, css_classes=["messages"], focusable=False
        )
        self.scrolled = Gtk.ScrolledWindow(child=self.view, vexpand=True, hscrollbar_policy=Gtk.PolicyType.NEVER)
        self._place = self.scrolled.get_vadjustment()
        self._place.connect("value-changed", self._scrolled)
        self._turned = 0.0
        wheel = Gtk.EventControllerScroll(
            flags=Gtk.EventControllerScrollFlags.VERTICAL, propagation_phase=Gtk.PropagationPhase.CAPTURE
        )
        wheel.connect("scroll", self._wheel)
        self.scrolled.add_controller(wheel)
        self._place.connect("changed", lambda _: later(self._settle))
        self.down = Gtk.Button(
            icon_name="go-bottom-symbolic", tooltip_text="Newest messages", css_classes=["circular", "osd", "down"],
            halign=Gtk.Align.END, valign=Gtk.Align.END, visible=False,
        )  # fmt: skip
        self.down.connect("clicked", lambda _: self.to_end())
        self.widget = Gtk.Overlay(child=self.scrolled)
        self.widget.add_overlay(self.down)

    # Pages

    def load(self, direction: str = "previous") -> None:
        """Loads a page, unless one is on its way or there is none."""
        if self._is_loading or not (self.has_previous if direction == "previous" else self.has_next):
            return
        self._is_loading = True

        def loaded(page: Any) -> None:
            self._is_loading = False
            if page.short == "reset":
                self.load()
                return
            if direction == "previous":
                self.has_previous = page.has_more
            else:
                self.has_next = page.has_more
            place = self.place_of(self._context.found) if self._seeks else -1
            if place >= 0:
                self._seeks = False
                self.show_place(place)
            if page.short is None:  # else it is tried when one scrolls, or when there is a connection
                later(self._look)

        def failed(error: SyncManagerError) -> None:
            self._is_loading = False
            if not isinstance(error, RemovedError):
                self._failed(error)

        fetch = self.chat.start.fetch("previous" if direction == "previous" else "next")
        self._session.ask(fetch, loaded, failed)

    def again(self) -> None:
        """There is a connection again, so pages that ended early may go on."""
        self.has_previous = True  # without a connection, the cache's end was taken for the first message
        self._look()

    def _look(self) -> None:
        """Loads what is missing about what is seen."""
        if self.chat.removed:
            return
        value, page, upper = self._place.get_value(), self._place.get_page_size(), self._place.get_upper()
        self.down.set_visible(not self._at_end or self.has_next)
        if value < page:
            self.load("previous")
        if value + 2 * page > upper:
            self.load("next")

    def _scrolled(self, _: Any) -> None:
        value, page, upper = self._place.get_value(), self._place.get_page_size(), self._place.get_upper()
        self._at_end = value + page >= upper - NEAR
        later(self._look)

    def _wheel(self, wheel: Any, _: float, turned: float) -> bool:
        """Turns of the wheel are done once for each frame: a list of GTK 4.8 that is scrolled twice before it is laid
        out again reckons with rows that have no height yet, and jumps by a hundred of them."""
        if wheel.get_unit() != Gdk.ScrollUnit.WHEEL:
            return False
        if not self._turned:
            self.scrolled.add_tick_callback(self._turn)
        self._turned += turned
        return True

    def _turn(self, *_: Any) -> bool:
        step = self._place.get_page_size() ** (2 / 3)  # as GTK has it
        self._place.set_value(self._place.get_value() + self._turned * step)
        self._turned = 0.0
        return False

    def _settle(self) -> None:
        """Rows have got their heights: whoever was at the end stays there."""
        if self._at_end and not self.has_next:
            self._place.set_value(self._place.get_upper() - self._place.get_page_size())

    def to_end(self) -> None:
        """Shows the newest message."""
        if self.has_next:
            # What is shown does not reach the newest: the list begins again there.
            self.has_previous, self.has_next = True, False
            self.chat.reset_viewpoint()
            self.load()
        self._at_end = True
        self.show_place(self.model.get_n_items() - 1)
        later(self._settle)

    def show_place(self, place: int) -> None:
        """Scrolls to a row."""
        if 0 <= place < self.model.get_n_items():
            self.view.activate_action("list.scroll-to-item", GLib.Variant("u", place))

    # Rows

    def message(self, place: int) -> Message | None:
        """The message of a row; None before the first one."""
        row = self.model.get_item(place) if place >= 0 else None
        return None if row is None else row.item

    def _setup(self, _: Any, cell: Any) -> None:
        cell.row = MessageRow(self._context)
        cell.set_child(cell.row.widget)
        cell.set_activatable(False)
        cell.set_selectable(False)

    def _bind(self, _: Any, cell: Any) -> None:
        place = cell.get_position()
        self._bound[cell] = cell.row
        cell.row.show(cell.get_item().item, self.message(place - 1))

    def _unbind(self, _: Any, cell: Any) -> None:
        self._bound.pop(cell, None)

    def _changed(self, _: Any, place: int, removed: int, added: int) -> None:
        later(self._regroup, place + added)
        if self._at_end and not self.has_next and place + added == self.model.get_n_items() and added:
            later(self.to_end)

    def _regroup(self, place: int) -> None:
        """The row behind a change may stand behind another message than before."""
        for cell, row in self._bound.items():
            if cell.get_position() == place:
                row.place(self.message(place - 1))

    def each(self, draw: Callable[[MessageRow], object]) -> None:
        """Draws a part of all rows again."""
        for row in self._bound.values():
            draw(row)

    def place_of(self, key: str) -> int:
        """Where a message is; -1 when it is not shown."""
        for place in range(self.model.get_n_items()):
            message = self.message(place)
            if message is not None and key_of(message) == key:
                return place
        return -1

    def _heard(self, event: Any) -> None:
        if isinstance(event, ChannelUpdated):
            self._context.channel = event.channel
            self.each(MessageRow.state)

    def close(self) -> None:
        """Ends the collection."""
        self.chat.remove()
