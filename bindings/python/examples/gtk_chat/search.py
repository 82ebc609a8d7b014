"""What is looked for while it is typed, in all that is cached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from syncmanager import gtk, snippet_spans
from syncmanager.blocking import SearchCollection
from syncmanager.documents import SearchResult

from .session import Session
from .texts import drawable, name_of, when
from .toolkit import Gtk, Pango, box, label


class Search:
    """The field, and the list of what was found."""

    def __init__(self, session: Session, named: Callable[[str], str], chosen: Callable[[SearchResult], object]) -> None:
        self._session, self._named, self._chosen = session, named, chosen
        self.results: SearchCollection | None = None
        self.entry = Gtk.SearchEntry(placeholder_text="Search messages", css_classes=["search"])
        self.entry.connect("search-changed", lambda _: self._look())
        self.entry.connect("stop-search", lambda _: self.entry.set_text(""))
        factory = Gtk.SignalListItemFactory()
        factory.connect("setup", self._setup)
        factory.connect("bind", self._bind)
        self.selection = Gtk.NoSelection()
        view = Gtk.ListView(model=self.selection, factory=factory, single_click_activate=True)
        view.add_css_class("navigation-sidebar")
        view.connect("activate", lambda _, place: self._chosen(self.selection.get_item(place).item))
        nothing = label("dim-label", label="Nothing found", xalign=0.5, margin_top=24)
        self.widget = Gtk.Stack()
        self.widget.add_named(Gtk.ScrolledWindow(child=view, hscrollbar_policy=Gtk.PolicyType.NEVER), "found")
        self.widget.add_named(nothing, "nothing")
        #: Called with whether something is looked for.
        self.turned: Callable[[bool], object] = bool

    def _look(self) -> None:
        text = self.entry.get_text()
        self.close()
        if text.strip() and self._session.is_open:
            self.results = self._session.client.search(text, limit=50)
            model = gtk.ListModel(self.results)
            self.selection.set_model(model)
            model.connect("items-changed", lambda *_: self._count())
            self._session.ask(self.results.start.fetch(), lambda _: self._count(), lambda _: None)
        self.turned(bool(text.strip()))

    def _count(self) -> None:
        self.widget.set_visible_child_name("found" if self.selection.get_n_items() else "nothing")

    def close(self) -> None:
        """Ends what was looked for before."""
        self.selection.set_model(None)
        if self.results is not None:
            self.results.remove()
        self.results = None

    def _setup(self, _: Any, cell: Any) -> None:
        cell.head = label("caption-heading", ellipsize=True, hexpand=True)
        cell.time = label("caption", "dim-label")
        cell.text = label("caption", wrap=True, lines=2, ellipsize=True, wrap_mode=Pango.WrapMode.WORD_CHAR)
        head = box(cell.head, cell.time, spacing=6)
        cell.set_child(box(head, cell.text, vertical=True, spacing=2, classes=("channel",)))

    def _bind(self, _: Any, cell: Any) -> None:
        result: SearchResult = cell.get_item().item
        message, text = result["message"], result["snippet"]["text"]
        cell.head.set_text(f"{name_of(message.get('user'))} in {self._named(result['channel_url'])}")
        cell.time.set_text(when(message["created_at"]))
        marks, drawn, end = Pango.AttrList(), "", 0
        for start, stop in snippet_spans(result):
            drawn += drawable(text[end:start])
            mark = Pango.attr_weight_new(Pango.Weight.BOLD)
            mark.start_index = len(drawn.encode())
            drawn, end = drawn + drawable(text[start:stop]), stop
            mark.end_index = len(drawn.encode())
            marks.insert(mark)
        cell.text.set_text(drawn + drawable(text[end:]))
        cell.text.set_attributes(marks)
