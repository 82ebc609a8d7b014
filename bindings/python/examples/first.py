import asyncio
import json
import sys

from syncmanager import Config, SyncManager


async def main(config: Config) -> None:
    async with SyncManager(**config) as sm:
        sm.connect()  # not awaited: the cache is shown without a service, too
        channels = sm.channels(order="latest_last_message")
        await channels.fetch()
        for channel in channels.items:
            print(repr(channel.get("name")), channel.get("unread_message_count"))
        if channels.items:
            chat = sm.messages(channels.items[0]["channel_url"])
            await chat.fetch()
            chat.send("hi")  # on disk, and sent when there is a connection
        async for change in channels:  # channels.items has it already
            print(change.action, change.source, [channel.get("name") for channel in channels.items])


asyncio.run(main(json.loads(sys.argv[1])))
