"""A message as a row of the list: the line of its day, who wrote it, a bubble with what it says, and what others made
of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from syncmanager.demo.attached import Transfers, files_of, sized
from syncmanager.demo.words import is_own, key_of, reached, user_name
from syncmanager.documents import Channel, Message

from .layout import LineLayout
from .texts import body, clock, day, name_of, short
from .toolkit import Adw, Gtk, Pango, box, clear, icon_button, label

#: Messages of one sender within so many ms stand together, under one name.
TOGETHER = 5 * 60 * 1000
#: How wide a bubble gets, in letters.
WIDTH = 58
RECEIPTS = {"sent": "✓", "delivered": "✓✓", "read": "✓✓ Read"}


class Actions(Protocol):
    """What can be done with a message."""

    def react(self, message: Message, key: str) -> None: ...
    def choose_reaction(self, message: Message, button: Any) -> None: ...
    def open_thread(self, message: Message) -> None: ...
    def more(self, message: Message, button: Any) -> None: ...
    def resend(self, message: Message) -> None: ...
    def give_up(self, message: Message) -> None: ...
    def save_file(self, message: Message, place: int) -> None: ...


@dataclass
class Context:
    """What of the chat a row needs."""

    me: str
    actions: Actions
    channel: Channel | None = None
    #: Whether the rows are those of a thread.
    is_thread: bool = False
    #: Up to when the user had read the channel when it was opened; None: nothing was new.
    new_after: int | None = None
    #: The message that was searched for.
    found: str = ""
    transfers: Transfers = field(default_factory=Transfers)


class MessageRow:
    """The widgets of one row; they show one message after the other while the list is scrolled."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.message: Message | None = None
        self.day = label("day", halign=Gtk.Align.CENTER)
        self.new = label("new", halign=Gtk.Align.CENTER, label="New messages")
        self.avatar = Adw.Avatar(size=32, show_initials=True, valign=Gtk.Align.START)
        self.name = label("caption-heading", "sender", ellipsize=True)
        self.quote = label("caption", "quote", ellipsize=True)
        self.text = label("body", wrap=True, wrap_mode=Pango.WrapMode.WORD_CHAR, width_chars=6, max_width_chars=WIDTH)
        self.left_out = label("caption", "note")
        self.files = box(vertical=True, spacing=4)
        self.note = label("caption", "note", xalign=1)
        self.bubble = box(self.quote, self.text, self.left_out, self.files, self.note, vertical=True, spacing=2)
        self.tools = box(
            icon_button("face-smile-symbolic", "React", self._react, "circular"),
            icon_button("mail-reply-sender-symbolic", "Reply in thread", self._thread, "circular"),
            icon_button("view-more-symbolic", "More", self._more, "circular"),
            classes=("tools",),
            valign=Gtk.Align.CENTER,
        )
        self.line = box(self.bubble, self.tools)
        self._beside = LineLayout(self.bubble, 4)
        self.line.set_layout_manager(self._beside)
        self.reactions = box(spacing=4)
        self.replies = Gtk.Button(css_classes=["flat", "replies"], halign=Gtk.Align.START)
        self.replies.connect("clicked", self._thread)
        again = Gtk.Button(label="Send again", css_classes=["flat", "small"])
        discard = Gtk.Button(label="Discard", css_classes=["flat", "small"])
        self.failed = box(label("caption", "error", label="Not sent"), again, discard, spacing=4)
        again.connect("clicked", lambda _: self._with(self._context.actions.resend))
        discard.connect("clicked", lambda _: self._with(self._context.actions.give_up))
        self.column = box(self.name, self.line, self.reactions, self.replies, self.failed, vertical=True, spacing=2)
        self.main = box(self.avatar, self.column, classes=("message",))
        self.main.set_layout_manager(LineLayout(self.column, 8, fills=True))
        self.widget = box(self.day, self.new, self.main, vertical=True)

    def show(self, message: Message, before: Message | None) -> None:
        """Shows a message, which stands behind another one."""
        own, status = is_own(message, self._context.me), message.get("status")
        self.message = message
        self.place(before)
        side = Gtk.Align.END if own else Gtk.Align.START
        for part in (self.reactions, self.replies, self.failed):
            part.set_halign(side)
        self._beside.at_end = own
        self.tools.set_sensitive(status is None)
        self.tools.set_visible(status is None)
        waits = ["waits"] if status in ("pending", "sent") else ["failed"] if status else []
        found = ["found"] if key_of(message) == self._context.found else []
        self.bubble.set_css_classes(["bubble", "own" if own else "others", *waits, *found])
        self._show_text(message)
        self._show_files(message)
        self.state()
        self._show_answers(message)
        self.failed.set_visible(bool(waits) and waits[0] == "failed")

    def place(self, before: Message | None) -> None:
        """Shows what depends on the message before: the day, and whether the sender is named again."""
        message = self.message
        if message is None:
            return
        now, new_after, user = message["created_at"], self._context.new_after, message.get("user")
        is_new_day = before is None or day(before["created_at"]) != day(now)
        own = is_own(message, self._context.me)
        is_new = new_after is not None and now > new_after and not own
        is_first_new = is_new and (before is None or before["created_at"] <= (new_after or 0))
        self.day.set_visible(is_new_day)
        self.day.set_text(day(now) if is_new_day else "")
        self.new.set_visible(is_first_new)
        sender = before.get("user") if before is not None else None
        goes_on = sender is not None and user is not None and sender["user_id"] == user["user_id"]
        near = before is not None and now - before["created_at"] < TOGETHER
        is_first = is_new_day or is_first_new or not (goes_on and near)
        name = short(user_name(user), 60) if user is not None else "Notice"
        self.name.set_text(name)
        self.name.set_visible(is_first and not own)
        self.avatar.set_visible(not own)
        self.avatar.set_text(name)
        self.avatar.set_opacity(1 if is_first else 0)
        self.main.set_css_classes(["message", *(["first"] if is_first else [])])

    def _show_text(self, message: Message) -> None:
        told = message.get("parent_message_info")
        self.quote.set_visible(told is not None and not self._context.is_thread)
        if told is not None:
            self.quote.set_text(f"↪ {name_of(told.get('user'))}: {short(told.get('message') or 'a file')}")
        text, left_out = body(message.get("message") or "")
        self.text.set_text(text)
        self.text.set_visible(bool(text.strip()) or not files_of(message))
        self.left_out.set_text(f"… {left_out:,} more characters" if left_out else "")
        self.left_out.set_visible(left_out > 0)

    def _show_files(self, message: Message) -> None:
        files = files_of(message)
        clear(self.files)
        self.files.set_visible(bool(files))
        for place, file in enumerate(files):
            size, name = file.get("size"), short(file.get("name") or "", 60).strip() or "File without a name"
            lines = box(
                label("file-name", label=name, ellipsize=True, max_width_chars=36),
                label("caption", "dim-label", label=sized(size) if size else "Size not known"),
                vertical=True,
            )
            picture = Gtk.Image(icon_name="text-x-generic-symbolic", pixel_size=24)
            button = Gtk.Button(child=box(picture, lines, spacing=8), css_classes=["flat", "file"])
            button.set_tooltip_text("Save as …")
            button.connect("clicked", self._file, place)
            button.set_sensitive("status" not in message)
            self.files.append(button)
        if files:
            self.files.append(Gtk.ProgressBar(visible=False))
            self.progress()

    def progress(self) -> None:
        """Shows how far the files are on their way."""
        bar, message = self.files.get_last_child(), self.message
        if bar is None or message is None:
            return
        told = self._context.transfers[key_of(message)]
        part = told.rsplit("%", 1)[0].rsplit(" ", 2)[-2] if "%" in told else ""
        bar.set_visible(bool(told) and (part != "100" or "status" in message))
        if part.isdecimal():
            bar.set_fraction(int(part) / 100)

    def state(self) -> None:
        """Shows when it was written, and how far it has come."""
        message = self.message
        if message is None:
            return
        status, parts = message.get("status"), [clock(message["created_at"])]
        if message.get("updated_at"):
            parts.insert(0, "edited")
        if status in ("pending", "sent"):
            parts = ["Sending …"]
        elif status is None and is_own(message, self._context.me):
            state, readers = reached(message, self._context.channel, self._context.me)
            parts.append(f"✓✓ Read by {readers}" if readers and state != "read" else RECEIPTS[state])
        self.note.set_text("  ".join(parts))

    def _show_answers(self, message: Message) -> None:
        clear(self.reactions)
        for reaction in message.get("reactions", []):
            users, key = reaction.get("user_ids", []), reaction["key"]
            is_mine = self._context.me in users
            chip = Gtk.Button(label=f"{short(key, 12)} {len(users)}", css_classes=["flat", "chip"])
            if is_mine:
                chip.add_css_class("mine")
            chip.connect("clicked", self._chip, key)
            self.reactions.append(chip)
        self.reactions.set_visible(self.reactions.get_first_child() is not None)
        count = message.get("thread_info", {}).get("reply_count", 0)
        self.replies.set_visible(count > 0 and not self._context.is_thread)
        self.replies.set_label(f"{'1 reply' if count == 1 else f'{count} replies'}")

    def _with(self, action: Any, *more: Any) -> None:
        if self.message is not None:
            action(self.message, *more)

    def _chip(self, _: Any, key: str) -> None:
        self._with(self._context.actions.react, key)

    def _file(self, _: Any, place: int) -> None:
        self._with(self._context.actions.save_file, place)

    def _react(self, button: Any) -> None:
        self._with(self._context.actions.choose_reaction, button)

    def _thread(self, _: Any) -> None:
        self._with(self._context.actions.open_thread)

    def _more(self, button: Any) -> None:
        self._with(self._context.actions.more, button)
