"""The demo's Python host: the same story as the C program, with asyncio."""
import asyncio, json, sys

from syncmanager.aio import AsyncClient


async def main(config: dict, url: str) -> None:
    async with AsyncClient(**config) as chat:
        channels, view = chat.client.channels(limit=20), chat.client.messages(url)
        try:
            await chat.connect()
            print("= connected")
        except Exception as error:
            print("= offline:", error)
        await chat.fetch_next(channels)
        await chat.result(view.fetch_previous())
        print("= channels", len(channels.channels()), flush=True)
        print("= messages", len(view.messages()), flush=True)
        async for event in chat.events():
            if event["type"] == "connection":
                print("=", event["state"], flush=True)
            if event["type"] == "change" and event["list"] == "succeeded":
                for change, message in zip(event["changes"], event.get("messages") or [{}] * len(event["changes"])):
                    text = message.get("message", "")[:60]
                    print(f"{event['action']} [{change['index']}] {text}   ({event['source']})")
                sys.stdout.flush()


asyncio.run(main(json.loads(sys.argv[1]), sys.argv[2]))
