"""A bot that answers each message of others once, also over restarts and kills: ``bot.py CONFIG_JSON``."""

import asyncio
import json
import sys

from syncmanager import Config, MessageCollection, SyncManager, SyncManagerError
from syncmanager.events import MessageReceived


async def is_answered(mine: MessageCollection, mark: str) -> bool:
    await mine.fetch()
    return any(message.get("data") == mark for message in [*mine.items, *mine.pending, *mine.failed])


async def answer(sm: SyncManager, me: str, event: MessageReceived) -> None:
    mine = sm.messages(event.channel_url, sender_ids=[me])
    try:
        mark = f"answers {event.message['message_id']}"
        if not await is_answered(mine, mark):
            await mine.send(f"You said: {event.message.get('message', '')}", data=mark, request_id=mark)
    finally:
        mine.remove()
    await sm.acknowledge(event.id)


async def main(config: Config) -> None:
    config["notify"] = "all"  # or "mentions"
    async with SyncManager(**config) as sm:

        @sm.on(MessageReceived)
        async def receive(event: MessageReceived) -> None:
            await answer(sm, config["user_id"], event)

        await sm.connect()
        print("ready", flush=True)
        await asyncio.Event().wait()


try:
    asyncio.run(main(json.loads(sys.argv[1])))
except SyncManagerError as error:
    sys.exit(str(error))
except KeyboardInterrupt:
    pass
