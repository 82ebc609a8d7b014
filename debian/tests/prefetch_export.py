"""Prefetches what the configuration says, and exports what is cached then: ``prefetch_export.py CONFIG_JSON PATH``."""

import asyncio
import json
import sys

from syncmanager import Config, SyncManager
from syncmanager.events import SyncProgress


async def main(config: Config, path: str) -> None:
    async with SyncManager(**config) as sm:
        events = sm.events()
        await sm.connect()
        async for event in events:
            if isinstance(event, SyncProgress) and event.prefetch and event.prefetch["done"] == event.prefetch["total"]:
                print(f"prefetched: {event.prefetch['done']} of {event.prefetch['total']}")
                break
        exported = await sm.export(path)
        print(f"exported: {exported['messages']} messages")


asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2]))
