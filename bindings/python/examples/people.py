"""Who comes to an event, live from a realtime database: one list, the same in sections, and two limited queries as the
sections of one list. Prints what is shown whenever it changes, until it is interrupted."""

import asyncio
import json
import re
import sys
from typing import Callable

from syncmanager import Config, Stream, SyncManager
from syncmanager.streams import Row

PEOPLE = {"path": "people"}
IS_ORGANIZER = {"==": ["is_organizer", True]}
#: What a terminal obeys (docs/display.md).
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def names(rows: list[Row]) -> str:
    return ", ".join(CONTROLS.sub("", row["item"]["name"]) for row in rows) or "nobody"


async def follow(stream: Stream, text: Callable[[], str]) -> None:
    async for _ in stream:
        print(text(), flush=True)


async def main(config: Config) -> None:
    async with SyncManager(**config) as sm:
        everybody = sm.stream({"database": PEOPLE}, order_by="name")
        # Organizers and participants of the same list.
        titles = ["organizers", "participants"]
        roles = sm.stream({"partition": {"stream": everybody, "titles": titles, "rule": [IS_ORGANIZER, True]}})
        # A list of hundreds is better asked for in parts: each section has a query and a limit of its own.
        by_role = {**PEOPLE, "order_by": "is_organizer"}
        first = sm.stream({"database": {**by_role, "start_at": True}}, limit=100, section=0)
        second = sm.stream({"database": {**by_role, "end_at": False}}, limit=100, section=1)

        await asyncio.gather(
            follow(everybody, lambda: f"everybody: {names(everybody.rows)}"),
            follow(roles, lambda: "; ".join(f"{t}: {names(rows)}" for t, rows in zip(titles, roles.sections))),
            follow(first, lambda: f"section 0: {names(first.rows)}"),
            follow(second, lambda: f"section 1: {names(second.rows)}"),
        )


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
