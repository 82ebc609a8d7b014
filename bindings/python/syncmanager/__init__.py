"""Offline-first chat for Python: ordered, cached, live lists of channels and messages.

The package drives libsyncmanager through its C interface. ``Client`` opens the cache of one user; its collections are
lists that follow the chat service by exact changes. ``syncmanager.aio`` does the same inside an asyncio loop.
Since 0.1.
"""

from ._errors import SyncManagerError
from .client import LATEST, ChannelCollection, Client, Collection, MessageCollection, library_version

__all__ = [
    "LATEST",
    "ChannelCollection",
    "Client",
    "Collection",
    "MessageCollection",
    "SyncManagerError",
    "library_version",
]
