"""Sends a file into a channel, with a bar that shows how far it is, and receives it again:
``send_file.py CONFIG_JSON CHANNEL_URL PATH TARGET``."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator

from syncmanager import Config, Event, SyncManager, SyncManagerError
from syncmanager.events import DownloadProgress, UploadProgress

#: What a terminal obeys (docs/display.md).
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def bar(what: str, done: int, total: int) -> None:
    filled = done * 20 // total
    print(f"\r{what} [{'#' * filled:.<20}] {done * 100 // total:3} %", end="", flush=True)


async def watch(events: AsyncIterator[Event]) -> None:
    async for event in events:
        if isinstance(event, UploadProgress):
            bar("sending", event.sent, event.total)
        elif isinstance(event, DownloadProgress) and event.total:  # the server may not say how much it is
            bar("receiving", event.received, event.total)


async def main(config: Config, channel_url: str, path: str, target: str) -> None:
    async with SyncManager(**config) as sm:
        watching = asyncio.create_task(watch(sm.events()))
        await sm.connect()
        message = await sm.messages(channel_url).send_files(path)
        file = message.get("file", {})
        print("\nsent:", CONTROLS.sub("", file.get("name", "")))
        await sm.download_file(file.get("url", ""), target)
        print("\nreceived:", target)
        watching.cancel()


if __name__ == "__main__":
    try:
        asyncio.run(main(json.loads(sys.argv[1]), *sys.argv[2:5]))
    except SyncManagerError as error:
        sys.exit(f"\n{error}")
