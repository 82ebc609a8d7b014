"""The search: each letter that is typed begins another one, over what is cached."""

from __future__ import annotations

from collections.abc import Callable

from .. import Page, SearchCollection, SyncManager
from ..errors import RemovedError


class Search:
    """What is looked for, and found."""

    def __init__(self, sm: SyncManager, query: str, changed: Callable[[], object]) -> None:
        self.query = query
        self._changed = changed
        self.results: SearchCollection = sm.search(query)
        self.results.on_change(self._heard)
        #: Whether a fetch may bring more.
        self.has_more = False
        self._is_loading = self._is_loaded = False

    def _heard(self, change: object) -> None:
        self._changed()

    async def load(self) -> Page | None:
        """Loads the first page of results, or the next; None: one is being loaded already."""
        if self._is_loading:
            return None
        self._is_loading = True
        try:
            page = await self.results.fetch()
            self.has_more, self._is_loaded = page.has_more, True
            return page
        except RemovedError:
            return None  # something else is looked for by now
        finally:
            self._is_loading = False
            if not self.results.removed:
                self._changed()

    def words(self) -> str:
        """How much was found."""
        if not self._is_loaded:
            return "Search"
        count = len(self.results.items)
        return f"Search: {count}{' or more' if self.has_more else ''} found"

    def close(self) -> None:
        """Ends it: nothing is told of it any more."""
        self.results.remove()
