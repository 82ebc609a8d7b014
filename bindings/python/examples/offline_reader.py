"""Prints what is cached of a channel, oldest message first, and never connects: it needs no token and no network.
``offline_reader.py CONFIG_JSON CHANNEL_URL``."""

import asyncio
import json
import re
import sys

from syncmanager import Config, SyncManager, SyncManagerError

#: What a terminal obeys (docs/display.md).
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


async def main(config: Config, channel_url: str) -> None:
    config["message_collection_capacity"] = "infinite"  # else the list has 1,000 messages at most
    async with SyncManager(**config) as sm:
        chat = sm.open_messages(channel_url, limit=200)
        await chat.opened  # NotFoundError: the channel is not cached, or it is another user's cache
        while True:
            page = await chat.fetch()
            if not page.has_more or page.short:
                break  # the first message of the channel, or of what is cached: more cannot come without a connection
        for message in chat.items:
            user = message.get("user")  # missing in messages of the administration
            name = (user.get("nickname") or user["user_id"]) if user else "-"
            print(CONTROLS.sub("", f"{name}: {message.get('message', '')}"))
        if page.has_more:
            print("(older messages are not cached)")


if __name__ == "__main__":
    try:
        asyncio.run(main(json.loads(sys.argv[1]), *sys.argv[2:3]))
    except SyncManagerError as error:
        sys.exit(str(error))
