"""Keeps what the user writes, shows what was kept by an earlier run, and sends it: ``draft.py CONFIG_JSON CHANNEL_URL``
shows the draft; with a text it becomes the draft; with ``--send`` the draft is sent."""

import asyncio
import json
import re
import sys

from syncmanager import Config, SyncManager, SyncManagerError

#: What a terminal obeys (docs/display.md).
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


async def main(config: Config, channel_url: str, text: str = "") -> None:
    async with SyncManager(**config) as sm:
        login = sm.connect()  # drafts need no connection; the channel has to be cached
        channels = sm.channels()
        await channels.fetch()

        def draft() -> str:
            channel = next(channel for channel in channels.items if channel["channel_url"] == channel_url)
            return channel["draft"].get("message", "") if "draft" in channel else ""

        if text == "--send":
            await login
            await sm.messages(channel_url).send(draft())  # that it is sent is the draft's end
        elif text:
            await sm.set_draft(channel_url, message=text)  # as often as the user types
        print("draft:", CONTROLS.sub("", draft()))


if __name__ == "__main__":
    try:
        asyncio.run(main(json.loads(sys.argv[1]), *sys.argv[2:]))
    except SyncManagerError as error:
        sys.exit(str(error))
