"""Which lines of a long list are visible: only the rows around the window are measured."""

from __future__ import annotations

from typing import Any

import pytest

from syncmanager.demo.view import View, shifted
from syncmanager.events import Change


class Rows:
    """Row 0 has one line, row 1 two, row 2 three, row 3 one again."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.measured: set[int] = set()

    def __len__(self) -> int:
        return self.count

    def height(self, index: int) -> int:
        assert 0 <= index < self.count
        self.measured.add(index)
        return index % 3 + 1


def change(action: Any, *places: Any) -> Change[Any]:
    return Change(1, 1, b"", 1, "succeeded", action, "sync", False, None, list(places), [])


def test_a_million_rows_are_as_quick_as_ten() -> None:
    rows, view = Rows(1_000_000), View(is_history=True)
    places = view.visible(rows, 30)
    assert len(places) == 30 and places[-1] == (999_999, 0)
    view.show(rows, 30, 500_000)
    assert view.visible(rows, 30)[0] == (500_000, 0)
    view.scroll(rows, 30, -30)
    assert view.visible(rows, 30)[-1] == (499_999, 1)
    assert len(rows.measured) < 120


def test_the_window_stays_in_the_list() -> None:
    rows = Rows(4)
    history, other = View(is_history=True), View(is_history=False)
    assert history.visible(rows, 3) == [(2, 1), (2, 2), (3, 0)]
    assert other.visible(rows, 3) == [(0, 0), (1, 0), (1, 1)]
    everything = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0)]
    assert history.visible(rows, 9) == other.visible(rows, 9) == everything
    assert View(is_history=True).visible(Rows(0), 3) == []
    for view in (history, other):
        view.scroll(rows, 3, -99)
        assert view.visible(rows, 3) == everything[:3]
        view.scroll(rows, 3, 2)
        assert view.visible(rows, 3) == everything[2:5]
        view.scroll(rows, 3, 99)
        assert view.visible(rows, 3) == everything[-3:]
    assert history.top is None, "it follows the end again"


def test_a_row_is_shown_by_the_least_move() -> None:
    rows, view = Rows(9), View(is_history=False)
    view.show(rows, 3, 1)
    assert view.top == (0, 0)
    view.show(rows, 3, 3)
    assert view.visible(rows, 3) == [(2, 1), (2, 2), (3, 0)]
    view.show(rows, 2, 2)
    assert view.visible(rows, 2) == [(2, 0), (2, 1)], "the begin of a row that is higher than the window"


def test_what_is_read_stays_in_place() -> None:
    view = View(is_history=True)
    view.chosen = 5
    view.top = (4, 1)
    view.shift(change("insert", {"index": 0}, {"index": 1}))
    assert (view.chosen, view.top) == (7, (6, 1))
    view.shift(change("remove", {"index": 0}), offset=6)
    assert (view.chosen, view.top) == (6, (6, 0)), "the row at the top is gone: the next one is there"
    view.shift(change("clear"))
    where: Any = (view.chosen, view.top)
    assert where == (None, None)
    view.shift(change("insert", {"index": 0}))
    assert view.top is None, "at the end it follows the end"
    view.has_next = True
    assert view.visible(Rows(9), 3) == [(8, 0), (8, 1), (8, 2)]
    assert view.top == (8, 0), "but not where more is known to come"


@pytest.mark.parametrize("size", [1, 5])
def test_a_row_is_followed_through_every_change(size: int) -> None:
    names = list(range(size))
    for action in ("insert", "remove", "move", "update"):
        for start in range(size):
            for to in range(size):
                place: Any = {"from": start, "to": to} if action == "move" else {"index": start}
                after: list[int] = names.copy()
                if action == "insert":
                    after.insert(start, -1)
                elif action != "update":
                    taken = after.pop(start)
                    if action == "move":
                        after.insert(to, taken)
                for name in names:
                    where = after.index(name) if name in after else None
                    assert shifted(name, change(action, place)) == where, (action, start, to, name)
