"""The terminal chat, driven through a terminal: a chat goes on through the death of its server, and of itself."""

from __future__ import annotations

import json
import re
import sys

import pytest
from terminal import Terminal


@pytest.fixture
def lunch(syncmanager_server):
    syncmanager_server.mei = syncmanager_server.create_user("mei", "Mei")
    syncmanager_server.create_user("bo", "Bo")
    for url, name in (("plans", "Plans"), ("lunch", "Lunch today")):
        syncmanager_server.create_channel(url, "mei", "bo", name=name)
        syncmanager_server.control("advance_clock", ms=1)
        syncmanager_server.post(url, "bo", f"welcome to {name}")
    return syncmanager_server


@pytest.fixture
def start(lunch, tmp_path):
    config = json.dumps(lunch.config(lunch.mei, tmp_path / "data"))
    started = []

    def start():
        started.append(Terminal([sys.executable, "-m", "syncmanager.demo", config]))
        return started[-1]

    yield start
    for terminal in started:
        terminal.close()


def test_a_chat(lunch, start):
    terminal = start()
    terminal.wait("Lunch today (1)", "Plans (1)", "Bo welcome to Lunch today", "connected", "in sync")

    lunch.set_typing("lunch", "bo")
    terminal.wait("Bo is typing …")
    lunch.post("lunch", "bo", "noodles?")
    terminal.wait("Bo noodles?", "Lunch today (2)", without="is typing")

    terminal.type("I am in\r")
    terminal.wait("Mei I am in", without="(sending)")
    assert [message["message"] for message in lunch.messages("lunch")][-1] == "I am in"
    lunch.edit("lunch", lunch.messages("lunch")[1]["message_id"], "dumplings?")
    terminal.wait("Bo dumplings? (edited)", without="noodles")

    lunch.kill()
    terminal.wait("offline, tries again in")
    terminal.type("written offline\r")
    terminal.wait("written offline (sending)")
    lunch.restart()
    lunch.post("plans", "bo", "tomorrow")
    terminal.wait("connected", "Plans (2)", "Mei written offline", without="(sending)")
    assert [message["message"] for message in lunch.messages("lunch")].count("written offline") == 1

    terminal.type("\x0e")  # the next channel
    terminal.wait("Bo tomorrow")
    terminal.type("\x11")
    assert terminal.end() == 0

    lunch.kill()
    terminal = start()
    terminal.wait("Lunch today", "Plans (2)", "Mei written offline", "offline, tries again in")
    terminal.type("\x0e")
    terminal.wait("Bo tomorrow")
    terminal.type("\x11")
    assert terminal.end() == 0


def test_older_messages_are_loaded_and_the_sync_is_told(lunch, start):
    lunch.post_many("lunch", "bo", 200)
    terminal = start()
    terminal.wait("message 200", "in sync, ", "messages cached")
    terminal.type("\x0f")
    terminal.wait("connected")
    terminal.type("\x12")
    terminal.wait("disconnected")
    terminal.type("\x12")
    terminal.wait("connected", without="disconnected")


#: Sets the title, clears the screen, the same as C1, and a name that reads backwards.
EVIL = "\x1b]0;owned\x07\x1b[2J\x9d0;owned\x9c\x9b2J\x7f\u202edam\u202c\u2066\u2069"
#: What of it is drawn.
HARMLESS = "]0;owned[2J0;owned2Jdam"


def test_nothing_from_outside_controls_the_terminal(syncmanager_server, tmp_path):
    mei = syncmanager_server.create_user("mei", "Mei")
    syncmanager_server.create_user("bo", "Bo" + EVIL)
    syncmanager_server.create_channel("lunch", "mei", "bo", name="Lunch" + EVIL)
    syncmanager_server.post("lunch", "bo", "hello" + EVIL)
    syncmanager_server.post("lunch", "bo", "[red]two[/red]\nlines\tand a tab")
    terminal = Terminal(
        [sys.executable, "-m", "syncmanager.demo", json.dumps(syncmanager_server.config(mei, tmp_path / "data"))],
        columns=200,
    )
    try:
        # The list of channels has no room for the whole name. A line of a message is none of the chat's.
        terminal.wait("Lunch" + HARMLESS[:8], f"Bo{HARMLESS} hello{HARMLESS}")
        terminal.wait(f"Bo{HARMLESS} [red]two[/red]", "│      lines and a tab")
        syncmanager_server.set_typing("lunch", "bo")
        terminal.wait(f"Bo{HARMLESS} is typing …")
        terminal.type("\x11")
        assert terminal.end() == 0
    finally:
        terminal.close()
    assert "owned" not in terminal.screen.title
    written = terminal.written.decode()
    assert not re.search("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\x1b]0;owned", written)


def test_what_is_wrong_is_said(tmp_path):
    for arguments, words in ((["{}"], "SM_ERR_INVALID_DOCUMENT"), (["x"], "CONFIG"), ([], "usage")):
        terminal = Terminal([sys.executable, "-m", "syncmanager.demo", *arguments])
        assert terminal.end() != 0
        while terminal._read(0.2):
            pass
        assert words in terminal.text()
        terminal.close()


def test_it_can_be_tried_without_anything():
    terminal = Terminal([sys.executable, "-m", "syncmanager.demo", "--try"])
    terminal.wait("connected", "in sync, ")
    terminal.type("\x11")
    assert terminal.end() == 0
    terminal.close()
