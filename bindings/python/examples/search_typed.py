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
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def show(typed: str, results: SearchCollection, more: str = "") -> None:
    """``see you at [lunch] [tomorrow]`` for each result: what was found stands in brackets."""
    print(f"{CONTROLS.sub('', typed)}: {len(results.items)} found{more}")
    for result in results.items:
        text = result["snippet"]["text"]
        for start, end in reversed(snippet_spans(result)):  # from the end on, so that the places before it stay right
            text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
        print(" ", CONTROLS.sub("", text))
    sys.stdout.flush()


async def bring(typed: str, results: SearchCollection, indexed: asyncio.Event) -> None:
    """Shows the first page, and from then on what becomes of it."""
    page = await results.fetch()
    is_short = page.short == "indexing"
    show(typed, results, ", an older cache is being indexed" if is_short else "")

    @results.on_change  # a message came, was edited, or was deleted
    def _(_: object) -> None:
        show(typed, results)

    if is_short:
        await indexed.wait()
        await results.fetch()  # there may be more now
        show(typed, results)


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
        indexed = asyncio.Event()

        @sm.on_event
        def _(event: Event) -> None:
            if isinstance(event, SearchProgress) and event.complete:
                indexed.set()

        sm.connect()  # what is cached is found without a connection
        chat = sm.messages(channel_url)
        await chat.fetch()
        lines = asyncio.StreamReader()
        try:
            asyncio.get_running_loop().add_reader(STDIN, read, lines)
        except PermissionError:  # a regular file, which epoll does not wait for: all of it is there
            lines.feed_data(sys.stdin.buffer.read())
            lines.feed_eof()
        results = bringing = None
        async for line in lines:
            if results and bringing:
                if not bringing.cancel():
                    bringing.result()  # it had ended; this raises what it raised
                results.remove()  # from here on nothing is told of it
            typed = line.decode().rstrip("\n")
            results = sm.search(typed)  # the last word may go on: ``prefix`` is true by default
            bringing = asyncio.create_task(bring(typed, results, indexed))
        if bringing:
            await bringing  # at the end of the input the last search is still shown


if __name__ == "__main__":
    try:
        asyncio.run(main(json.loads(sys.argv[1]), *sys.argv[2:]))
    except SyncManagerError as error:
        sys.exit(str(error))
