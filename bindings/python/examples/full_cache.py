"""Reads all channels of a user into a cache that holds 64 MiB, and says which of them make room:
``full_cache.py CONFIG_JSON [PINNED_CHANNEL_URL...]``.

The pinned channels keep their messages as long as there are others (docs/cache.md).
"""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator

from syncmanager import Config, Event, SyncManager, SyncManagerError
from syncmanager.errors import NotFoundError
from syncmanager.events import CacheFull, CacheTrimmed, SyncState

#: What a terminal obeys (docs/display.md).
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def say(*words: object) -> None:
    print(CONTROLS.sub("", " ".join(map(str, words))), flush=True)


async def make_room(
    sm: SyncManager, events: AsyncIterator[Event], pinned: tuple[str, ...], idle: asyncio.Event
) -> None:
    async for event in events:
        if isinstance(event, SyncState):  # making room is a part of the background work
            (idle.clear if event.state == "running" else idle.set)()
        elif isinstance(event, CacheTrimmed):
            say(f"trimmed: {event.channel_url}, {event.messages} messages")
        elif isinstance(event, CacheFull):
            say("full:", *(f"{it['channel_url']} ({it['messages']} messages)" for it in event.candidates))
            chosen = [it["channel_url"] for it in event.candidates if it["channel_url"] not in pinned]
            say("evict:", *chosen)
            try:
                # In this order, until there is room. If that is not enough, or the list is empty, it goes on by last
                # use.
                await sm.evict(chosen)
            except NotFoundError:
                say("evict: too late")  # after five seconds those used longest ago make room


async def main(config: Config, *pinned: str) -> None:
    config["max_cache_mb"] = 64
    config["cache_order"] = "host"
    async with SyncManager(**config) as sm:
        idle = asyncio.Event()
        answering = asyncio.create_task(make_room(sm, sm.events(), pinned, idle))
        await sm.connect()
        channels = sm.channels()
        while (await channels.fetch()).has_more:
            pass
        for channel in channels.items:
            chat = sm.messages(channel["channel_url"])
            while (page := await chat.fetch()).has_more:
                if page.short:
                    sys.exit(f"fetch: {page.short}")  # "offline": the rest cannot be had now
            chat.remove()  # while it was open, nothing of it left the cache
            say("read:", channel["channel_url"])
        await sm.statistics()
        await idle.wait()  # while room is being made: the numbers of afterwards
        numbers = await sm.statistics()
        (used, limit) = (numbers["cache_used_bytes"] >> 20, (numbers["cache_limit_bytes"] or 0) >> 20)
        say(f"cached: {numbers['cached_messages']} messages, {used} of {limit} MiB")
        answering.cancel()


if __name__ == "__main__":
    try:
        asyncio.run(main(json.loads(sys.argv[1]), *sys.argv[2:]))
    except SyncManagerError as error:
        sys.exit(str(error))
