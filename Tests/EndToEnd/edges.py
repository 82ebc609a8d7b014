"""What damaged integers are, for the tests of the client's files and of the server's."""

from __future__ import annotations

import os

#: Both ends of the type, and the neighbours where a sign or a division goes wrong.
EDGES = (2**63 - 1, -(2**63), -1, 0)


def edges(column: int) -> tuple[int, ...]:
    """What is tried in the column of that number: half of it, an end of the type and its neighbour of zero, in turn,
    unless there is time for all."""
    return EDGES if "SM_LONG" in os.environ else EDGES[column % 2 :: 2]
