"""What damaged integers are, for the tests of the client's files and of the server's."""

from __future__ import annotations

import os

#: Both ends of the type, and the neighbours where a sign or a division goes wrong.
EDGES = (2**63 - 1, -(2**63), -1, 0)


def edges(column: int) -> tuple[int, ...]:
    """What is tried in the column of that number: half of it, an end of the type and its neighbour of zero, in turn,
    unless there is time for all."""
    return EDGES if "SM_LONG" in os.environ else EDGES[column % 2 :: 2]


def updates(table: str, column: str, number: int) -> list[str]:
    """Statements that each put an edge into every row of a column where that is allowed, or into the lowest: both, if
    there is time for all, else one of them in turn. `number`: of the column."""
    places = ("", f' WHERE "{column}" = (SELECT min("{column}") FROM "{table}")')
    return [f'UPDATE OR IGNORE "{table}" SET "{column}" = {value}{where}'
            for turn, value in enumerate(edges(number), number // 2)
            for where in (places if "SM_LONG" in os.environ else [places[turn % 2]])]
