"""A bot that answers each message of others once, also over restarts and kills: ``bot.py CONFIG_JSON``."""

import asyncio
import json
import sys

from syncmanager import Config, MessageCollection, SyncManager, SyncManagerError
from syncmanager.errors import RemoteError, TokenRejectedError
from syncmanager.events import MessageReceived

#: Seconds between the attempts to answer a message, while the service cannot be reached or is busy.
PAUSES = (2, 10, 60, 300)


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


async def answer_at_last(sm: SyncManager, me: str, event: MessageReceived) -> None:
    for pause in PAUSES:
        try:
            return await answer(sm, me, event)
        except RemoteError as error:
            print(f"tried again in {pause} s: {error}", file=sys.stderr)
            await asyncio.sleep(pause)
    await answer(sm, me, event)


async def connect(sm: SyncManager) -> None:
    try:
        await sm.connect()
    except TokenRejectedError:
        raise
    except RemoteError as error:  # the client goes on trying by itself
        print(f"not connected yet: {error}", file=sys.stderr)


async def main(config: Config) -> None:
    config["notify"] = "all"  # or "mentions"
    async with SyncManager(**config) as sm:

        @sm.on(MessageReceived)
        async def receive(event: MessageReceived) -> None:
            await answer_at_last(sm, config["user_id"], event)

        await connect(sm)
        print("ready", flush=True)
        await asyncio.Event().wait()


try:
    asyncio.run(main(json.loads(sys.argv[1])))
except SyncManagerError as error:
    sys.exit(str(error))
except KeyboardInterrupt:
    pass
