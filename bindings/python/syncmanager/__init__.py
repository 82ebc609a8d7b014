"""Offline-first chat for Python: ordered, cached, live lists of channels and messages.

``SyncManager`` serves asyncio programs; ``syncmanager.blocking.SyncManager`` does the same in programs without an event
loop. ``syncmanager.events`` and ``syncmanager.errors`` have what they tell, ``syncmanager.testing`` a chat server for
the tests of programs. Since 0.1.
"""

from ._calls import Call
from ._log import api_version, log_to, status_name, version
from ._version import __version__ as __version__
from .collections import Around, Page, Stored, snippet_spans
from .documents import LATEST, Channel, Config, Message, SearchResult, User
from .errors import SyncManagerError
from .events import Change, Event
from .live_list import LiveList
from .manager import ChannelCollection, MessageCollection, OpenedCollection, SearchCollection, Stream, SyncManager

__all__ = [
    "LATEST",
    "Around",
    "Call",
    "Change",
    "Channel",
    "ChannelCollection",
    "Config",
    "Event",
    "LiveList",
    "Message",
    "MessageCollection",
    "OpenedCollection",
    "Page",
    "SearchCollection",
    "SearchResult",
    "Stored",
    "Stream",
    "SyncManager",
    "SyncManagerError",
    "User",
    "__version__",
    "api_version",
    "log_to",
    "snippet_spans",
    "status_name",
    "version",
]
