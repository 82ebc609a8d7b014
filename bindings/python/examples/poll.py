"""Asks a channel something, gives the first answer, and shows how many chose what:
``poll.py CONFIG_JSON CHANNEL_URL TITLE OPTION...``."""

import asyncio
import json
import re
import sys

from syncmanager import Config, SyncManager, SyncManagerError

#: What a terminal obeys (docs/display.md).
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


async def main(config: Config, channel_url: str, title: str, *options: str) -> None:
    async with SyncManager(**config) as sm:
        await sm.connect()
        chat = sm.messages(channel_url)
        await chat.fetch()
        poll = await sm.create_poll(title, list(options))
        message = await chat.send(title, poll_id=poll["id"])
        answers = [option.get("id", 0) for option in poll.get("options", [])]
        await sm.vote_poll(channel_url, message, poll["id"], [*answers[:1]])
        shown = next(item for item in chat.items if item["message_id"] == message["message_id"]).get("poll", poll)
        for option in shown.get("options", []):
            own = "*" if option.get("id") in shown.get("voted_option_ids", []) else " "
            print(own, option.get("vote_count"), CONTROLS.sub("", option.get("text", "")))


if __name__ == "__main__":
    try:
        asyncio.run(main(json.loads(sys.argv[1]), *sys.argv[2:]))
    except SyncManagerError as error:
        sys.exit(str(error))
