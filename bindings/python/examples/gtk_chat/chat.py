"""A channel or a thread with all that can be done in it: the list of messages, and the field under it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from syncmanager.demo.attached import Transfers, files_of, name_here
from syncmanager.demo.own_typing import OwnTyping
from syncmanager.demo.words import is_own, key_of
from syncmanager.documents import LATEST, Channel, Message
from syncmanager.errors import SyncManagerError

from .composer import Composer, Kind
from .menus import ask_path, choose_reaction, show_menu
from .pane import MessagePane
from .rows import Context
from .session import Session
from .texts import encodable
from .toolkit import Gdk, Gtk, box


class Host(Protocol):
    """What a chat asks of the window."""

    def failed(self, error: SyncManagerError) -> None: ...
    def tell(self, words: str) -> None: ...
    def open_thread(self, message: Message) -> None: ...
    @property
    def window(self) -> Any: ...


class ChatView:
    """The messages of one channel, or the replies to one message (``parent``)."""

    def __init__(
        self,
        session: Session,
        host: Host,
        channel_url: str,
        transfers: Transfers,
        channel: Channel | None = None,
        parent: Message | None = None,
        found: Message | None = None,
    ) -> None:
        self._session, self._host, self.parent = session, host, parent
        self._own_typing = OwnTyping()
        has_new = channel is not None and parent is None and channel.get("unread_message_count", 0) > 0
        read = channel.get("read_receipt", {}).get(session.me, 0) if channel is not None else 0
        self.context = Context(
            session.me, self, channel, parent is not None, read if has_new else None, transfers=transfers
        )
        viewpoint = LATEST if found is None else found["created_at"]
        self.context.found = "" if found is None else key_of(found)
        # Replies are seen in their thread, and in the channel those that were sent to it, too.
        shown = {"parent_message_id": parent["message_id"]} if parent else {"reply_type": "only_reply_to_channel"}
        self.pane = MessagePane(session, channel_url, self.context, host.failed, viewpoint, **shown)
        self.chat = self.pane.chat
        self.composer = Composer(self._written, self._typing, self._attach, self._edit_last)
        self.widget = box(self.pane.widget, self.composer.widget, vertical=True, hexpand=True)
        dropped = Gtk.DropTarget.new(Gdk.FileList.__gtype__, Gdk.DragAction.COPY)
        dropped.connect("drop", self._dropped)
        self.widget.add_controller(dropped)
        self.pane.load()

    def close(self) -> None:
        """Ends it."""
        self._typing(False)
        self.pane.close()

    # What is written

    def _written(self, kind: Kind, target: Message | None, text: str) -> None:
        chat = self.chat.start
        if kind == "edit" and target is not None:
            self._session.ask(chat.edit_message(target, message=text))
            return
        if kind == "reply" and target is not None:
            call = chat.send(text, parent_message_id=target["message_id"], reply_to_channel=True)
        elif self.parent is not None:
            call = chat.send(text, parent_message_id=self.parent["message_id"])
        else:
            call = chat.send(text)
        # A message that fails is shown as failed: nothing else has to be said.
        self._session.ask(call, failed=lambda _: None)
        self.pane.to_end()

    def _typing(self, is_typing: bool) -> None:
        if self._session.is_connected and self.parent is None:
            call = self._own_typing.tell(self.chat.start, is_typing)
            if call is not None:
                self._session.ask(call, failed=lambda _: None)

    def _attach(self) -> None:
        ask_path(self._host.window, "Send a file", "Send", Gtk.FileChooserAction.OPEN, self.send_file)

    def _dropped(self, _: Any, files: Any, *__: Any) -> bool:
        for file in files.get_files():
            if file.get_path() is not None:
                self.send_file(file.get_path())
        return True

    def send_file(self, path: str) -> None:
        """Sends a file of this machine."""
        more: Any = {"parent_message_id": self.parent["message_id"]} if self.parent is not None else {}
        self._session.ask(self.chat.start.send_files(path, **more))
        self.pane.to_end()

    def _edit_last(self) -> None:
        for message in reversed(self.chat.items):
            if is_own(message, self._session.me):
                if message.get("message"):
                    self.composer.write("edit", message)
                return

    # What is done with a message

    def react(self, message: Message, key: str) -> None:
        """Adds a reaction, or takes it back when it is there."""
        given = [one for one in message.get("reactions", []) if one["key"] == key]
        is_there = bool(given) and self._session.me in given[0].get("user_ids", [])
        chat = self.chat.start
        self._session.ask(chat.remove_reaction(message, key) if is_there else chat.add_reaction(message, key))

    def choose_reaction(self, message: Message, button: Any) -> None:
        """Lets the user choose a reaction."""
        choose_reaction(self.widget, button, lambda key: self.react(message, key))

    def open_thread(self, message: Message) -> None:
        """Shows the thread of a message."""
        self._host.open_thread(message)

    def more(self, message: Message, button: Any) -> None:
        """Lets the user choose what to do."""
        entries: list[tuple[str, Callable[[], object]]] = []
        if self.parent is None:
            entries.append(("Answer here", lambda: self.composer.write("reply", message)))
            entries.append(("Reply in thread", lambda: self.open_thread(message)))
        if message.get("message"):
            entries.append(("Copy text", lambda: self._copy(message)))
        if is_own(message, self._session.me):
            if message.get("message"):
                entries.append(("Edit", lambda: self.composer.write("edit", message)))
            entries.append(("Delete", lambda: self._session.ask(self.chat.start.delete_message(message))))
        show_menu(self.widget, button, entries)

    def _copy(self, message: Message) -> None:
        self.widget.get_clipboard().set(encodable(message.get("message") or ""))

    def resend(self, message: Message) -> None:
        """Sends what failed once more."""
        self._session.ask(self.chat.start.resend(message), failed=lambda _: None)

    def give_up(self, message: Message) -> None:
        """Gives up what failed."""
        self._session.ask(self.chat.start.delete(message))

    def save_file(self, message: Message, place: int) -> None:
        """Receives a file of a message, to where the user says."""
        file = files_of(message)[place]

        def save(path: str) -> None:
            call = self._session.client.start.download_file(file.get("url", ""), path, overwrite=True)
            self._session.ask(call, lambda _: self._host.tell(f"Saved as {Path(path).name}"))

        ask_path(self._host.window, "Save the file", "Save", Gtk.FileChooserAction.SAVE, save, name_here(file))
