"""A collection that random changes are made to, as the library tells them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from syncmanager.events import Change, decode
from syncmanager.live_list import LiveList


class Collection:
    """What a list model asks of a collection."""

    def __init__(self) -> None:
        self.items: LiveList[Any] = LiveList()
        self.pending: LiveList[Any] = LiveList()
        self._listener: Callable[[Change[Any]], object] | None = None

    def on_change(self, listener: Callable[[Change[Any]], object]) -> Any:
        self._listener = listener
        return listener

    def tell(self, action: str, places: list[dict[str, int]], items: list[Any], name: str = "succeeded") -> None:
        """Applies a change, as the client does, and then tells it."""
        head = {"type": "change", "seq": 1, "ts": 2, "collection": 3, "list": name, "action": action,
                "source": "sync", "from_event": False}  # fmt: skip
        changes = [{**place, "id": "x"} for place in places]
        text = json.dumps({**head, "changes": changes, "messages": items}, separators=(",", ":"))
        change: Any = decode(text.encode())
        (self.pending if name == "pending" else self.items)._apply(change)
        assert self._listener is not None
        self._listener(change)


def run(collection: Collection, count: int, seed: int) -> Iterator[int]:
    """Makes that many changes, each of one to four places; gives the number after each."""
    dice = random.Random(seed)
    for number in range(count):
        length = len(collection.items)
        action = dice.choice(["insert"] * 4 + ["update", "update", "remove", "move", "move"])
        if dice.random() < 0.005:
            action = "clear"
        places: list[dict[str, int]] = []
        for _ in range(1 if action == "clear" else dice.randint(1, 4)):
            if action == "insert":
                # Often beside the one before, as pages come.
                beside = places and dice.random() < 0.6
                places.append({"index": places[-1]["index"] + 1 if beside else dice.randint(0, length)})
                length += 1
            elif action == "move" and length:
                places.append({"from": dice.randrange(length), "to": dice.randrange(length)})
            elif action in ("update", "remove") and length:
                places.append({"index": dice.randrange(length)})
                length -= action == "remove"
        if places or action == "clear":
            fresh = [{"message_id": number * 4 + place, "message": "x" * dice.randint(0, 2000)}
                     for place in range(len(places))]  # fmt: skip
            collection.tell(action, places, [] if action in ("remove", "clear") else fresh)
        if number % 10 == 0:
            collection.tell("insert", [{"index": 0}], [{"message_id": 0}], name="pending")
        yield number
