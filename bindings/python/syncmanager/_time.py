"""The time by which blocking programs wait: the machine's, or that of a world of the testing kit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

#: The longest wait in virtual time, in which nobody interrupts a wait for something that never comes: a day.
_LONGEST = 86_400_000


class Source:
    """Where the time comes from. Since 0.1."""

    def __init__(self) -> None:
        self.reset()

    def wait(self, left: float | None) -> int:
        """Milliseconds that the library is to wait in virtual time; ``left`` in seconds, None: without an end. Rounded
        up: with what is left of a rounding no time would pass."""
        return _LONGEST if left is None else min(_LONGEST, max(0, math.ceil(left * 1000)))

    def reset(self) -> None:
        """Takes the machine's time."""
        #: Seconds of a clock that never jumps.
        self.now: Callable[[], float] = time.monotonic
        #: Whether time passes only inside of the library, while it waits for an event.
        self.is_virtual = False


#: What every client of this process waits by.
source = Source()
