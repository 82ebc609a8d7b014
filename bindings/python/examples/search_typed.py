"""Searches while the user types: ``search_typed.py CONFIG_JSON CHANNEL_URL`` reads lines, each what is typed so far.

Messages of the channel are brought into the cache, and all that is cached is searched (docs/search.md).
"""

import asyncio
import json
import os
import re
import sys

from syncmanager import Config, Event, SearchCollection, SyncManager, SyncManagerError, snippet_spans
from syncmanager.events import SearchProgress

STDIN = 0
#: What a terminal obeys (docs/display.md).
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def show(typed: str, results: SearchCollection, more: str = "") -> None:
    """``see you at [lunch] [tomorrow]`` for each result: what was found stands in brackets."""
    print(f"{CONTROLS.sub('', typed)}: {len(results.items)} found{more}")
    for result in results.items:
        text = result["snippet"]["text"]
        for start, end in reversed(snippet_spans(result)):  # from the end on, so that the places before it stay right
            text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
        print(" ", CONTROLS.sub("", text))
    sys.stdout.flush()


async def search(sm: SyncManager, typed: str) -> SearchCollection:
    results = sm.search(typed)  # the last word may go on: ``prefix`` is true by default
    page = await results.fetch()
    show(typed, results, ", an older cache is being indexed" if page.short == "indexing" else "")

    @results.on_change  # a message came, was edited, or was deleted
    def _(_: object) -> None:
        show(typed, results)

    if page.short == "indexing":

        @sm.on_event  # when an older cache has been indexed, there may be more
        def fetch_again(event: Event) -> None:
            if isinstance(event, SearchProgress) and event.complete:
                sm.remove_listener(fetch_again)
                if not results.removed:
                    results.fetch()

    return results


def read(lines: asyncio.StreamReader) -> None:
    """Something was typed, or the input ends."""
    if data := os.read(STDIN, 4096):
        lines.feed_data(data)
    else:
        asyncio.get_running_loop().remove_reader(STDIN)
        lines.feed_eof()


async def main(config: Config, channel_url: str) -> None:
    config["search"] = True
    async with SyncManager(**config) as sm:
        sm.connect()  # what is cached is found without a connection
        chat = sm.messages(channel_url)
        await chat.fetch()
        lines = asyncio.StreamReader()
        asyncio.get_running_loop().add_reader(STDIN, read, lines)
        results = None
        async for line in lines:
            if results:
                results.remove()  # from here on nothing is told of it
            results = await search(sm, line.decode().rstrip("\n"))


if __name__ == "__main__":
    try:
        asyncio.run(main(json.loads(sys.argv[1]), *sys.argv[2:]))
    except SyncManagerError as error:
        sys.exit(str(error))
