"""Where the user writes: a message, an answer, or the new text of a message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from syncmanager.documents import Message

from .texts import encodable, name_of, summary
from .toolkit import Gdk, Gtk, box, icon_button, label

Kind = Literal["write", "reply", "edit"]


class Composer:
    """A field that grows with its text; Enter sends, Shift+Enter begins a line."""

    def __init__(
        self,
        sent: Callable[[Kind, Message | None, str], object],
        typing: Callable[[bool], object],
        attach: Callable[[], object],
        edit_last: Callable[[], object],
    ) -> None:
        self._sent, self._typing, self._edit_last = sent, typing, edit_last
        self._kind: Kind = "write"
        self._target: Message | None = None
        self.text = Gtk.TextView(
            wrap_mode=Gtk.WrapMode.WORD_CHAR, accepts_tab=False, hexpand=True,
            top_margin=10, bottom_margin=9, left_margin=12, right_margin=12,
        )  # fmt: skip
        self.buffer = self.text.get_buffer()
        self.buffer.connect("changed", self._changed)
        keys = Gtk.EventControllerKey(propagation_phase=Gtk.PropagationPhase.CAPTURE)
        keys.connect("key-pressed", self._key)
        self.text.add_controller(keys)
        self._composes = False  # an input method has the keys, Enter too
        self.text.connect("preedit-changed", self._preedit)
        self.hint = label("dim-label", ellipsize=True, margin_start=12, can_target=False, label="Write a message")
        field = Gtk.Overlay(
            child=Gtk.ScrolledWindow(
                child=self.text, hscrollbar_policy=Gtk.PolicyType.NEVER,
                vscrollbar_policy=Gtk.PolicyType.EXTERNAL, propagate_natural_height=True, max_content_height=140,
                hexpand=True,
            ),
            css_classes=["field"],
            overflow=Gtk.Overflow.HIDDEN,
        )  # fmt: skip
        field.add_overlay(self.hint)
        self.file = icon_button("mail-attachment-symbolic", "Send a file", lambda _: attach(), "circular")
        emoji = Gtk.MenuButton(icon_name="face-smile-symbolic", css_classes=["flat", "circular"], tooltip_text="Emoji")
        emoji.set_popover(Gtk.EmojiChooser())
        emoji.get_popover().connect("emoji-picked", self._picked)
        self.send = Gtk.Button(
            icon_name="go-up-symbolic", tooltip_text="Send", css_classes=["circular", "suggested-action"]
        )
        self.send.connect("clicked", lambda _: self.submit())
        for button in (self.file, emoji, self.send):
            button.set_valign(Gtk.Align.END)
        self.about = label("caption", ellipsize=True, hexpand=True)
        cancel = icon_button("window-close-symbolic", "Cancel", lambda _: self.write(), "circular")
        self.banner = Gtk.Revealer(child=box(self.about, cancel, spacing=6, classes=("about",)))
        self.widget = box(
            self.banner, box(self.file, field, emoji, self.send, spacing=6), vertical=True, classes=("composer",)
        )
        self._changed()

    @property
    def written(self) -> str:
        """What is written now."""
        return str(self.buffer.get_text(*self.buffer.get_bounds(), False))

    def write(self, kind: Kind = "write", target: Message | None = None) -> None:
        """Begins to write something; of an edit with the text as it was."""
        was_edit = self._kind == "edit"
        self._kind, self._target = kind, target
        if target is not None:
            words = "Editing" if kind == "edit" else f"Answering {name_of(target.get('user'))}"
            self.about.set_text(f"{words}: {summary(target)}")
        self.banner.set_reveal_child(target is not None)
        if kind == "edit" and target is not None:
            self.buffer.set_text(encodable(target.get("message") or ""))
        elif was_edit:
            self.buffer.set_text("")
        self.text.grab_focus()

    def submit(self) -> None:
        """Hands on what is written."""
        text = self.written.strip()
        if text:
            kind, target = self._kind, self._target
            self._kind = "write"  # so that clearing does not count as the end of an edit
            self.buffer.set_text("")
            self.write()
            self._sent(kind, target, text)

    def _changed(self, *_: Any) -> None:
        text = self.buffer.get_char_count() > 0
        self.hint.set_visible(not text)
        self.send.set_sensitive(text)
        if self._kind != "edit":
            self._typing(text)

    def _picked(self, _: Any, emoji: str) -> None:
        self.buffer.insert_at_cursor(emoji)
        self.text.grab_focus()

    def _preedit(self, _: Any, composed: str) -> None:
        self._composes = bool(composed)

    def _key(self, _: Any, key: int, __: int, state: Any) -> bool:
        if self._composes:
            return False
        if key in (Gdk.KEY_Return, Gdk.KEY_KP_Enter) and not state & Gdk.ModifierType.SHIFT_MASK:
            self.submit()
        elif key == Gdk.KEY_Escape and self._target is not None:
            self.write()
        elif key == Gdk.KEY_Up and not self.buffer.get_char_count():
            self._edit_last()
        else:
            return False
        return True
