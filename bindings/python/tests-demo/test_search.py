"""The search of the terminal chat, through a terminal."""

from __future__ import annotations

from typing import Any

from terminal import Terminal

SEARCH, NEXT, ESCAPE, UP, DOWN, PAGE_DOWN, CLEAR = "\x06", "\x0e", "\x1b", "\x1b[A", "\x1b[B", "\x1b[6~", "\x15"
#: Sets the title and clears the screen.
EVIL = "\x1b]0;owned\x07\x1b[2J\u202e"


def test_it_finds_while_one_types(lunch: Any, start: Any) -> None:
    lunch.post("plans", "bo", "noodles on Friday")
    lunch.post("lunch", "bo", "noodle soup")
    terminal: Terminal = start()
    terminal.wait("Bo noodle soup", "in sync")
    terminal.type(NEXT)  # so that the messages of the other channel are cached
    terminal.wait("─ Plans ─", "in sync, 4 messages cached")
    terminal.type(SEARCH)
    terminal.wait("Words to look for", without="Bo noodles on Friday")
    terminal.type("nood")
    terminal.wait("Search: 2 found", "Lunch today  Bo noodle soup", "Plans  Bo noodles on Friday")
    terminal.type("les")
    terminal.wait("Search: 1 found", "Plans  Bo noodles on Friday", without="soup")
    # What comes while it is shown is found, too, and what is edited is not any more.
    lunch.post("plans", "bo", f"more noodles{EVIL}")
    terminal.wait("Search: 2 found", "Bo more noodles]0;owned[2J")
    lunch.edit("plans", lunch.messages("plans")[-1]["message_id"], "more rice")
    terminal.wait("Search: 1 found", without="more noodles")
    terminal.type(CLEAR)
    terminal.wait("Words to look for", without="noodles on Friday")
    terminal.type("noodles")
    terminal.wait("Search: 1 found")
    terminal.type("\r")
    terminal.wait("─ Plans ─", "Bo noodles on Friday", "Write a message", without="─ Search")
    terminal.type(SEARCH + "rice" + ESCAPE)
    terminal.wait("─ Plans ─", "Bo noodles on Friday", "Write a message", without="─ Search")
    assert b"\x1b]0;owned" not in terminal.written


def changed(terminal: Terminal, before: str) -> None:
    terminal.wait_for(lambda _: terminal.text() != before, "another screen")


def test_an_old_message_is_shown_among_those_around_it(lunch: Any, start: Any) -> None:
    lunch.post_many("plans", "bo", 50)
    lunch.post("plans", "bo", "the needle")
    lunch.post_many("plans", "bo", 150)
    lunch.post("lunch", "bo", "newer")
    terminal: Terminal = start()
    terminal.wait("Bo newer", "in sync")
    terminal.type(NEXT)
    terminal.wait("─ Plans ─", "message 150", "in sync, 204 messages cached")
    terminal.type(SEARCH + "message needle")
    terminal.wait("Search: 0 found")
    terminal.type(CLEAR)
    terminal.wait("Words to look for")
    terminal.type("nee")
    terminal.wait("Search: 1 found")
    terminal.type(DOWN + "\r")
    terminal.wait("Bo the needle", "below and newer ones: ctrl+end", without="message 150")
    terminal.type(UP)
    for _ in range(20):  # newer ones are loaded as one comes to the end of those that are shown
        if "Bo message 150" in terminal.text():
            break
        before = terminal.text()
        terminal.type(PAGE_DOWN)
        changed(terminal, before)
    terminal.wait("Bo message 150", without="below")


def test_a_reply_is_shown_in_its_thread(lunch: Any, start: Any) -> None:
    parent = lunch.messages("plans")[0]["message_id"]
    lunch.post("plans", "bo", "hidden in a thread", parent_message_id=parent)
    lunch.post("lunch", "bo", "newer")
    terminal: Terminal = start()
    terminal.wait("Bo newer", "in sync")
    terminal.type(NEXT)
    terminal.wait("─ Plans ─", "↳ 1 reply")
    terminal.type(UP + "\x14")
    terminal.wait("Thread in Plans", "Bo hidden in a thread")
    terminal.type(NEXT)
    terminal.wait("─ Lunch today ─", "Bo newer")
    terminal.type(SEARCH + "hidden")
    terminal.wait("Search: 1 found")
    terminal.type("\r")
    terminal.wait("Thread in Plans", "Bo hidden in a thread", "Bo welcome to Plans")
