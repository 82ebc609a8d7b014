"""A long chat, newest message first: it is loaded a page at a time, and a row of the program's own behind the last one
asks for the next page. Here that row is tapped as soon as it is shown."""

import json
import re
import sys

from syncmanager import Config, blocking

PAGE = 3
#: What a terminal obeys (docs/display.md).
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def main(config: Config) -> None:
    with blocking.SyncManager(**config) as sm:
        chat = sm.stream({"database": {"path": "messages"}}, order_by="$key", descending=True, limit=PAGE)
        own = sm.stream("transient")
        # The order is the chat's, and so a row's key says where it stands.
        shown = sm.stream({"union": [chat, own]}, batch_delay=None)

        def show() -> None:
            print(" | ".join(CONTROLS.sub("", row["item"]["text"]) for row in shown.rows))

        while not chat.loaded:
            sm.dispatch(timeout=1)
        has_more = len(chat) == PAGE
        while has_more:
            # A key that is the start of another one comes before it: here behind it.
            tap = chat.rows[-1]["key"][:-1]
            own.add({tap: {"text": "fetch more"}})
            show()
            page = chat.fetch_more(PAGE)
            own.drop(tap)
            if page.get("short"):
                sys.exit(f"fetch_more: {page['short']}")
            has_more = page["has_more"]
        show()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
