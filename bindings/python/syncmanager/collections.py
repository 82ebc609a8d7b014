"""Collections: the lists a program shows, and the calls on them. Both kinds of client share this."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, cast

from . import _results as results
from . import errors
from ._actions import ChannelActions, CollectionActions
from ._calls import Call
from ._client import ClientBase, ClientCalls
from ._collection import C, Calls, Changes, Collection
from ._core import Core
from ._feeds import Feed
from ._ffi import check, describe, encode, lib, text
from ._results import Around, Page, Stored
from .documents import (
    LATEST,
    Channel,
    ChannelSnapshot,
    Direction,
    Message,
    MessageFields,
    MessageSnapshot,
    OutgoingFile,
    SearchResult,
    SearchSnapshot,
    Snippet,
)
from .events import Change, CollectionEvent, Item
from .live_list import LiveList

if TYPE_CHECKING:
    from typing_extensions import Unpack

_DIRECTIONS = {"previous": 1, "next": 2}


class TypedCollection(Collection[CollectionEvent[Item]], Generic[Item]):
    """A collection with one kind of items. Since 0.1."""

    #: What is shown, in order: channels, or the messages that were sent, oldest first.
    items: LiveList[Item]

    def on_change(self, listener: C) -> C:
        """Calls ``listener`` with every change, after the lists have it, on the thread that drains.

        Can be used as a decorator. What it raises goes to the log ``syncmanager``.
        """
        self._core.listen(self.listeners, Changes(listener), self)
        return listener

    def changes(self, timeout: float | None = None) -> Feed[Change[Item]]:
        """An iteration over the changes from now on; a blocking one ends when none came for ``timeout`` seconds."""
        return Feed(self._core, self, True, timeout)


class Channels(TypedCollection[Channel]):
    """A list of channels, without its calls. Since 0.1."""

    def __init__(self, core: Core, query: Mapping[str, Any]) -> None:
        super().__init__(core, "channels")
        self.items: LiveList[Channel] = self._lists["channels"]
        self._create(lib.sm_channel_collection_new, encode(query) if query else None)

    def snapshot(self) -> ChannelSnapshot:
        """The library's own copy of ``items``, for comparison. It reads the whole list; programs use ``items``."""
        return cast(ChannelSnapshot, describe(lib.sm_collection_snapshot, self._use()))


class SearchResults(TypedCollection[SearchResult]):
    """The cached messages that a search has found, without its calls. Since 0.1."""

    #: What is shown: the newest result first, or the best one.
    items: LiveList[SearchResult]

    def __init__(self, core: Core, query: str, options: Mapping[str, Any]) -> None:
        super().__init__(core, "results")
        self.items = self._lists["results"]
        self._create(lib.sm_search_collection_new, encode({"query": query, **options}))

    def contains(self, item: str | int | SearchResult) -> bool:
        """Whether ``items`` has a result, given as it is there or by its id: the channel's URL, a slash, and the
        message's id."""
        if isinstance(item, dict):
            item = f"{item['channel_url']}/{item['message']['message_id']}"
        return super().contains(item)

    def snapshot(self) -> SearchSnapshot:
        """The library's own copy of ``items``, for comparison. It reads the whole list; programs use ``items``."""
        return cast(SearchSnapshot, describe(lib.sm_collection_snapshot, self._use()))


def snippet_spans(found: SearchResult | Snippet) -> list[tuple[int, int]]:
    """Where a snippet, or that of a result, has what was looked for: pairs of indices of its ``text``, in order.
    Since 0.1."""
    snippet = cast(Snippet, found.get("snippet", found))
    data = snippet["text"].encode()
    return [(len(data[: m["start"]].decode()), len(data[: m["end"]].decode())) for m in snippet["matches"]]


class Messages(TypedCollection[Message]):
    """The messages of a channel, without its calls. Since 0.1."""

    def __init__(self, core: Core, channel_url: str, viewpoint: int, filters: Mapping[str, Any]) -> None:
        super().__init__(core, "succeeded", "pending", "failed")
        #: The channel.
        self.channel_url = channel_url
        self.items: LiveList[Message] = self._lists["succeeded"]
        #: Own messages that are being sent or wait to be sent.
        self.pending: LiveList[Message] = self._lists["pending"]
        #: Own messages that failed.
        self.failed: LiveList[Message] = self._lists["failed"]
        self._make(text(channel_url), encode(filters) if filters else None, _viewpoint(viewpoint))

    def _make(self, *place: Any) -> None:
        self._create(lib.sm_message_collection_new, *place)

    def reset_viewpoint(self, viewpoint: int = LATEST) -> None:
        """Empties the list and moves it to ``viewpoint`` (ms since the epoch); fetch again afterwards."""
        check(lib.sm_reset_viewpoint(self._use(), _viewpoint(viewpoint)))

    def snapshot(self) -> MessageSnapshot:
        """The library's own copy of the lists, for comparison. It reads them whole; programs use ``items``."""
        return cast(MessageSnapshot, describe(lib.sm_collection_snapshot, self._use()))


class OpenedMessages(Messages):
    """The messages of a channel that was looked for in the cache, without its calls. Since 0.1."""

    def _make(self, *place: Any) -> None:
        client = self._core.handle.use()

        def create(*completion: Any) -> int:
            handle = ctypes.c_void_p()
            code = lib.sm_message_collection_open(client, *place, *completion, ctypes.byref(handle))
            if code >= 0:
                self._core.note_locked(self._made(handle))
            return int(code)

        self._opened: Call[Channel] = self._core.begin("message_collection_open", results.channel, self, create)

    @property
    def opened(self) -> Call[Channel]:
        """Gives the channel as it is cached. It raises NotFoundError when the channel is not cached; then only
        ``remove`` is left to do."""
        return self._opened


def _viewpoint(value: int) -> int:
    if not -(2**63) <= value < 2**63:
        raise errors.InvalidArgumentError("viewpoint is past 64 bits")
    return value


class _Numbered(Calls, CollectionActions):
    """The calls on a collection that actions name by its number."""

    def _collection(self) -> int:
        return self._target().number


class ChannelCalls(_Numbered):
    """The calls on a list of channels. Since 0.1."""

    def fetch(self) -> Call[Page]:
        """Loads the next page: cached channels at once, the others as sync gets them. Then ``items`` has them."""
        return self._begin("fetch", results.page, lib.sm_fetch, _DIRECTIONS["next"])


class SearchCalls(_Numbered):
    """The calls on a search. Since 0.1."""

    def fetch(self) -> Call[Page]:
        """Loads the next page of results from the cache. Then ``items`` has them. ``short`` is ``"indexing"`` when not
        all that is cached is indexed yet."""
        return self._begin("fetch", results.page, lib.sm_fetch, _DIRECTIONS["next"])


class MessageCalls(_Numbered, ChannelActions):
    """The calls on the messages of a channel, and the actions on the channel. Since 0.1."""

    def _channel_url(self) -> str:
        return cast(Messages, self._target()).channel_url

    def fetch(self, direction: Direction = "previous") -> Call[Page]:
        """Loads a page of older messages, or of newer ones with ``"next"``. Then ``items`` has them."""
        if direction not in _DIRECTIONS:
            raise errors.InvalidArgumentError(f"a direction is 'previous' or 'next', not {direction!r}")
        return self._begin("fetch", results.page, lib.sm_fetch, _DIRECTIONS[direction])

    def fetch_all_next(self) -> Call[Page]:
        """Loads every newer message, until the newest is shown; counts as a fetch in the direction ``"next"``."""
        return self._begin("fetch_all_next", results.page, lib.sm_fetch_all_next)

    def fetch_failed(self) -> Call[int]:
        """Shows in ``failed`` the messages that ``own_messages="on_fetch"`` held back; gives how many."""
        return self._begin("fetch_failed", results.count, lib.sm_fetch_failed)

    def fetch_pending(self) -> Call[int]:
        """Shows in ``pending`` the messages that ``own_messages="on_fetch"`` held back; gives how many."""
        return self._begin("fetch_pending", results.count, lib.sm_fetch_pending)

    def load(self) -> Call[Around]:
        """Loads the page around the viewpoint: cached messages at once (the event ``CacheShown`` follows), then the
        service's page, as changes of the shown one. ``fetch`` goes on from there; a ``fetch`` before this call is done
        is refused (DuplicatedFetchError)."""
        return self._begin("start", results.around, lib.sm_collection_start)

    def send(self, message: str, *, request_id: str | None = None, **fields: Unpack[MessageFields]) -> Call[Message]:
        """Sends a text message; gives the service's message.

        It is in ``pending`` until it is in ``items`` or ``failed``, and survives the end of the process. With the
        resend policy "automatic" it waits for a connection, and so does the call. Completes after the first attempt:
        NetworkError, CallTimeoutError, ServiceError; RemovedError when it was given up.
        """
        document: dict[str, Any] = {"message": message, **fields}
        if request_id is not None:
            document["request_id"] = request_id
        return self.send_document(document)

    def send_files(
        self,
        *files: OutgoingFile | str | os.PathLike[str],
        message: str | None = None,
        wait: bool = False,
        request_id: str | None = None,
        **fields: Unpack[MessageFields],
    ) -> Call[Message]:
        """Sends one file, or up to 30 as one message, perhaps with a text; gives the service's message.

        A path is that of a file of this machine, which is uploaded first: ``UploadProgress`` tells how far it is. Texts
        overtake the message meanwhile, unless ``wait`` is true. All else is as with ``send``.
        """
        entries = [
            {"path": os.path.abspath(file)} if isinstance(file, (str, os.PathLike)) else dict(file) for file in files
        ]
        document: dict[str, Any] = {**fields}
        document.update({"file": entries[0]} if len(entries) == 1 else {"files": entries})
        if message is not None:
            document["message"] = message
        if wait:
            document["wait"] = True
        if request_id is not None:
            document["request_id"] = request_id
        return self.send_document(document)

    def resend(self, failed: Message | str) -> Call[Message]:
        """Sends a message of ``failed`` again, given as it is there or by its ``request_id``."""
        return self.send_document({"resend": failed if isinstance(failed, str) else _request_id(failed)})

    def send_document(self, document: Mapping[str, Any]) -> Call[Message]:
        """Sends a message given as the document of ``sm_send_message``."""
        return self._begin("send_message", results.message, lib.sm_send_message, encode(document))

    def append(self, document: Mapping[str, Any]) -> Call[Stored]:
        """Shows a message as pending that the program sends by its own means, with a ``request_id``;
        ``handle_send_response`` ends it. When the service's object is given, the message counts as sent."""
        return self._begin("append_message", results.stored, lib.sm_append_message, encode(document))

    def handle_send_response(self, document: Mapping[str, Any], error_code: int = 0) -> Call[Stored]:
        """Tells how such a send ended: with the service's message, or the appended document and its error code."""
        return self._begin(
            "handle_send_response", results.stored, lib.sm_handle_send_response, encode(document), error_code
        )

    def update(
        self, target: Message | str, message: str | None = None, **fields: Unpack[MessageFields]
    ) -> Call[Message | Stored]:
        """Changes a message of ``failed`` in place, which does not send it; or tells how a sent one was edited.

        ``target`` is a message of ``failed`` or its ``request_id`` with what to change; or the service's object of a
        message that was edited by other means, and nothing else. The library edits by ``edit_message``.
        """
        is_sent = not isinstance(target, str) and "status" not in target
        document: dict[str, Any] = {**(cast(Message, target) if is_sent else _name(target)), **fields}
        if message is not None:
            document["message"] = message
        return self.update_document(document)

    def update_document(self, document: Mapping[str, Any]) -> Call[Message | Stored]:
        """Tells of an edit, given as the document of ``sm_update_message``."""
        return self._begin("update_message", results.edited, lib.sm_update_message, encode(document))

    def delete(self, target: Message | int | str) -> Call[Stored]:
        """Gives up a message of ``pending`` or ``failed``, or tells that this program deleted a sent one.

        ``target`` is a message of a list, a ``message_id`` (number), or the ``request_id`` of an unsent one (text). The
        library deletes by ``delete_message``.
        """
        return self.delete_document(_name(target))

    def delete_document(self, document: Mapping[str, Any]) -> Call[Stored]:
        """Tells of a deletion, given as the document of ``sm_delete_message``."""
        return self._begin("delete_message", results.stored, lib.sm_delete_message, encode(document))


def _request_id(message: Message) -> str:
    known = message.get("request_id")
    if known is None:
        raise errors.InvalidArgumentError("the message has no request_id: it is none of the lists pending and failed")
    return known


def _name(target: Message | int | str) -> dict[str, Any]:
    if isinstance(target, str):
        return {"request_id": target}
    if isinstance(target, int):
        return {"message_id": target}
    if "status" in target:
        return {"request_id": _request_id(target)}
    return {"message_id": target["message_id"]}


__all__ = [
    "Around",
    "ChannelCalls",
    "Channels",
    "ClientBase",
    "ClientCalls",
    "Collection",
    "MessageCalls",
    "Messages",
    "OpenedMessages",
    "Page",
    "SearchCalls",
    "SearchResults",
    "Stored",
    "TypedCollection",
    "snippet_spans",
]
