"""The demo's Python host: the same story as the C program, with asyncio."""
import asyncio, json, sys

from syncmanager import Change, SyncManager, SyncManagerError
from syncmanager.events import Connection


async def main(config: dict, url: str) -> None:
    async with SyncManager(**config) as sm:
        channels, chat = sm.channels(limit=20), sm.messages(url)
        try:
            await sm.connect()
            print("= connected")
        except SyncManagerError as error:
            print("= offline:", error)
        await channels.fetch()
        await chat.fetch()
        print("= channels", len(channels.items), flush=True)
        print("= messages", len(chat.items), flush=True)
        async for event in sm.events():
            if isinstance(event, Connection):
                print("=", event.state, flush=True)
            if isinstance(event, Change) and event.list == "succeeded":
                for place, message in zip(event.changes, event.items):
                    text = message["message"][:60]
                    print(f"{event.action} [{place['index']}] {text}   ({event.source})", flush=True)


asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2]))
