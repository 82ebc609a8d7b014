"""A bot that answers each message of others once, also over restarts and kills: ``bot.py CONFIG_JSON``."""

import asyncio
import json
import sys

from syncmanager import Config, MessageCollection, SyncManager, SyncManagerError
from syncmanager.errors import RemoteError, TargetError, TokenRejectedError
from syncmanager.events import MessageReceived

#: Seconds between the attempts to look for an answer, while the service cannot be reached or is busy.
PAUSES = (2, 10, 60, 300)
#: Seconds until the bot goes on with other messages while an answer still waits to be sent.
PATIENCE = 60


async def is_answered(mine: MessageCollection, mark: str) -> bool:
    await mine.fetch()
    return any(message.get("data") == mark for message in [*mine.items, *mine.pending, *mine.failed])


async def send(mine: MessageCollection, text: str, mark: str) -> None:
    """Sends an answer. The library keeps it on the disk, and repeats by itself what a retry can cure."""
    try:
        await asyncio.wait_for(mine.send(text, data=mark, request_id=mark), PATIENCE)
    except RemoteError as error:  # the call's own CallTimeoutError, too: it is also a TimeoutError
        print(f"an answer failed: {error}", file=sys.stderr)
    except asyncio.TimeoutError:
        pass  # it waits for a connection, or until its channel is not frozen any more


async def answer(sm: SyncManager, me: str, event: MessageReceived) -> None:
    mine = sm.messages(event.channel_url, sender_ids=[me])
    try:
        mark = f"answers {event.message['message_id']}"
        if not await is_answered(mine, mark):
            await send(mine, f"You said: {event.message.get('message', '')}", mark)
    finally:
        mine.remove()


async def answer_at_last(sm: SyncManager, me: str, event: MessageReceived) -> None:
    for pause in PAUSES:
        try:
            return await answer(sm, me, event)
        except TargetError as error:
            return print(f"not answered: {error}", file=sys.stderr)  # the channel is gone
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


async def serve(sm: SyncManager, me: str) -> None:
    @sm.on(MessageReceived)
    async def receive(event: MessageReceived) -> None:
        await answer_at_last(sm, me, event)
        await sm.acknowledge(event.id)

    await connect(sm)
    print("ready", flush=True)
    await asyncio.Event().wait()


async def main(config: Config) -> None:
    config["notify"] = "all"  # or "mentions"
    async with SyncManager(**config) as sm:
        await serve(sm, config["user_id"])


if __name__ == "__main__":
    try:
        asyncio.run(main(json.loads(sys.argv[1])))
    except SyncManagerError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        pass
