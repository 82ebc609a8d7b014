import asyncio
import json
import sys

from syncmanager import Change, Config, SyncManager, SyncManagerError
from syncmanager.events import Connection, TokenNeeded


async def main(config: Config) -> None:
    async with SyncManager(**config) as sm:
        events = sm.events()
        login = sm.connect()  # not awaited: the cache is shown without a service, too
        channels = sm.channels(order="latest_last_message")
        await channels.fetch()
        for channel in channels.items:
            print(repr(channel.get("name")), channel.get("unread_message_count"))
        if channels.items:
            chat = sm.messages(channels.items[0]["channel_url"])
            await chat.fetch()
            chat.send("hi")  # kept on disk, and sent when there is a connection
        async for event in events:
            if isinstance(event, Connection):
                print("connection:", event.state)
            elif isinstance(event, TokenNeeded):
                await login  # raises TokenRejectedError; of a token that is revoked later: sm.set_token(...)
            elif isinstance(event, Change) and event.list == "channels":  # channels.items has it already
                print(event.action, event.source, [channel.get("name") for channel in channels.items])


try:
    asyncio.run(main(json.loads(sys.argv[1])))
except SyncManagerError as error:
    sys.exit(str(error))
except KeyboardInterrupt:
    pass  # what was sent is on disk
