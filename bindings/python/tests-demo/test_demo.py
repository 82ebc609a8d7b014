"""The terminal chat, driven through a terminal: a chat goes on through the death of its server, and of itself."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from terminal import Terminal

from syncmanager.demo import attached
from syncmanager.testing import Server


def test_a_chat(lunch: Any, start: Any) -> None:
    terminal = start()
    # What is shown is read.
    terminal.wait("Plans (1)", "Bo welcome to Lunch today", "connected", "in sync", without="Lunch today (")

    lunch.set_typing("lunch", "bo")
    terminal.wait("Bo is typing …")
    lunch.post("lunch", "bo", "noodles?")
    terminal.wait("Bo noodles?", without="is typing")
    terminal.wait("Bo noodles?", without="Lunch today (")

    terminal.type("I am in\r")
    terminal.wait("Mei I am in", without="(sending)")
    assert [message["message"] for message in lunch.messages("lunch")][-1] == "I am in"
    lunch.edit("lunch", lunch.messages("lunch")[1]["message_id"], "dumplings?")
    terminal.wait("Bo dumplings? (edited)", without="noodles")

    lunch.kill()
    terminal.wait("No connection (offline, tries again in", "What you write is kept")
    terminal.type("written offline\r")
    terminal.wait("written offline (sending)")
    lunch.restart()
    lunch.post("plans", "bo", "tomorrow")
    terminal.wait("connected", "Plans (2)", "Mei written offline", without="(sending)")
    terminal.wait("connected", without="What you write is kept")
    assert [message["message"] for message in lunch.messages("lunch")].count("written offline") == 1

    terminal.type("\x0e")  # the next channel
    terminal.wait("Bo tomorrow")
    terminal.type("\x11")
    assert terminal.end() == 0

    lunch.kill()
    terminal = start()
    terminal.wait("Lunch today", "Mei written offline", "offline, tries again in", without="Plans (")
    terminal.type("\x0e")
    terminal.wait("Bo tomorrow")
    terminal.type("\x11")
    assert terminal.end() == 0


UP, ESCAPE, EDIT, REACT, RESEND, DELETE = "\x1b[A", "\x1b", "\x1bOQ", "\x1bOR", "\x1b[15~", "\x1b[19~"
JUMP, THREAD, REPLY, OFFLINE = "\x0b", "\x14", "\x19", "\x12"


def choose(terminal: Terminal, text: Any) -> None:
    """Clicks on the line of the screen with this text, which gets another background."""
    line = next(place for place, line in enumerate(terminal.screen.display) if text in line)
    before = terminal.screen.buffer[line][100].bg
    terminal.type(f"\x1b[<0;60;{line + 1}M\x1b[<0;60;{line + 1}m")
    terminal.wait_for(lambda screen: screen.buffer[line][100].bg != before, f"{text!r} chosen")


def test_the_others_hear_of_typing_and_of_its_end(lunch: Any, start: Any) -> None:
    def told(command: str) -> bool:
        return any(entry["kind"] == "frame" and entry["text"].startswith(command) for entry in lunch.received())

    terminal = start()
    terminal.wait("Bo welcome to Lunch today", "in sync")
    terminal.type("n")
    terminal.wait_for(lambda _: told("TPST"), "that Mei types")
    assert not told("TPEN")
    terminal.type("\x7f")
    terminal.wait_for(lambda _: told("TPEN"), "that she has ended to")


def test_what_is_done_with_a_message(lunch: Any, start: Any) -> None:
    first = lunch.messages("lunch")[0]["message_id"]
    terminal = start()
    terminal.wait("Bo welcome to Lunch today", "in sync")
    terminal.type(REACT)
    terminal.wait("choose a message first")
    terminal.type(UP + REACT)
    terminal.wait("A reaction to Bo")
    terminal.type("heart\r")
    terminal.wait("      heart 1")
    choose(terminal, "welcome to Lunch")
    terminal.type(REACT + "heart\r")
    terminal.wait("Bo welcome", without="heart 1")

    terminal.type("mine\r")
    terminal.wait("Mei mine ✓")
    lunch.request("PUT", "/v3/group_channels/lunch/messages/mark_as_read", {"user_id": "bo"})
    terminal.wait("Mei mine ✓✓ read")
    terminal.type(UP + EDIT)
    terminal.wait("mine ")
    terminal.type(" and yours\r")
    terminal.wait("Mei mine and yours (edited)")

    choose(terminal, "Bo welcome")
    terminal.type(EDIT)
    terminal.wait("only own messages can be edited")
    terminal.type(REPLY)
    terminal.wait("Your reply to Bo")
    terminal.type("thanks\r")
    terminal.wait("┌ Bo: welcome to Lunch today", "Mei thanks ✓", "↳ 1 reply")
    lunch.post("lunch", "bo", "in the thread", parent_message_id=first)
    terminal.wait("↳ 2 replies")
    choose(terminal, "Bo welcome")
    terminal.type(THREAD)
    terminal.wait("Thread in Lunch today", "Mei thanks", "Bo in the thread", without="mine and yours")
    terminal.type("also there\r")
    terminal.wait("Mei also there ✓")
    terminal.type(ESCAPE)
    terminal.wait("mine and yours", "↳ 3 replies", without="also there")
    assert lunch.messages("lunch")[-1]["parent_message_id"] == first

    choose(terminal, "mine and yours")
    terminal.type(DELETE)
    terminal.wait("Bo welcome", without="mine and yours")
    assert "mine and yours" not in [message["message"] for message in lunch.messages("lunch")]


def test_days_what_is_new_and_names_of_members(lunch: Any, start: Any) -> None:
    lunch.request("PUT", "/v3/group_channels/lunch/messages/mark_as_read", {"user_id": "mei"})
    lunch.advance_clock(24 * 60 * 60 * 1000)
    lunch.create_user("kit", "Kit")
    lunch.create_channel("three", "mei", "bo", "kit")
    lunch.advance_clock(1)
    lunch.post("lunch", "bo", "a day later")
    terminal = start()
    text = terminal.wait("welcome", "a day later", "Bo, Kit", "in sync")
    lines = [line[33:].strip("│ ") for line in text.split("\n")]
    shown = [line.strip("─ ") for line in lines if line.startswith("────") or "Bo " in line]
    assert len(shown) >= 5
    days, new = [place for place, line in enumerate(shown) if re.search(r", \d\d \w+ 20", line)], shown.index("new")
    assert days == [0, 2]
    assert new == 3
    assert shown[4].endswith("Bo a day later")


def test_one_jumps_to_a_channel(lunch: Any, start: Any) -> None:
    lunch.create_channel("one", "mei", "bo", name="One message")
    for number in range(30):
        lunch.create_channel(f"c{number}", "mei", "bo", name=f"Room {number}")
        lunch.advance_clock(1)
        lunch.post(f"c{number}", "bo", f"in room {number}")
    terminal = start()
    terminal.wait("Bo in room 29", "in sync", "1 message cached")
    terminal.type(JUMP + "PLAN")
    terminal.wait("│Plans", without="│Room 29")
    terminal.type("\r")
    terminal.wait("Bo welcome to Plans", "│Room 12", "│Plans")
    terminal.type(JUMP + "nowhere" + ESCAPE)
    terminal.wait("Bo welcome to Plans", "│Room 12")


def test_one_message_is_one_message() -> None:
    from syncmanager.demo.words import counted

    assert counted(1, "message") == "1 message"
    assert counted(0, "message") == "0 messages"


def test_what_failed_is_sent_again(lunch: Any, tmp_path: Path) -> None:
    config = json.dumps(lunch.config(lunch.mei, tmp_path / "data", resend_policy="manual"))
    terminal = Terminal([sys.executable, "-m", "syncmanager.demo", config])
    try:
        terminal.wait("Bo welcome to Lunch today", "in sync")
        terminal.type(OFFLINE)
        terminal.wait("disconnected")
        for text in ("one", "two", "three"):
            terminal.type(f"{text}\r")
            terminal.wait(f"{text} (not sent)")
        choose(terminal, "two (not sent)")
        terminal.type(DELETE)
        terminal.wait("one (not sent)", "three (not sent)", without="two (not sent)")
        terminal.type(OFFLINE)
        terminal.wait("connected", without="disconnected")
        choose(terminal, "three (not sent)")
        terminal.type(RESEND)
        terminal.wait("Mei three ✓", "one (not sent)")
        terminal.type(ESCAPE + RESEND)
        terminal.wait("Mei one ✓")
        assert [message["message"] for message in lunch.messages("lunch")][1:] == ["three", "one"]
    finally:
        terminal.close()


def frame_of(screen: Any) -> Any:
    """That of the frame around the line to write in."""
    line = next(place for place, line in enumerate(screen.display) if "▁▁▁▎" in line)
    return screen.buffer[line][100].fg


FILE, SAVE, POLL, CLEAR = "\x1bOS", "\x1b[17~", "\x1b[18~", "\x15"


def test_files_are_sent_and_received(lunch: Any, start: Any, tmp_path: Path) -> None:
    (tmp_path / "menu.pdf").write_bytes(b"menu" * 400_000)
    terminal = start(220)
    terminal.wait("Bo welcome to Lunch today", "in sync")
    terminal.type(FILE)
    terminal.wait("The path of a file")
    terminal.type(f"{tmp_path}/none.pdf\r")
    terminal.wait("none.pdf: there is no such file")
    terminal.type(FILE)
    terminal.wait("The path of a file")
    terminal.type(f"{tmp_path}/menu.pdf\r")
    terminal.wait("Mei (a file) ✓", "▤ menu.pdf (1.6 MB)", without="(sending)")
    [sent] = [one for one in lunch.messages("lunch") if one["type"] == "FILE"]
    assert sent["file"]["size"] == 1_600_000

    choose(terminal, "Bo welcome")
    terminal.type(SAVE)
    terminal.wait("the message has no file")
    choose(terminal, "Mei (a file)")
    terminal.type(SAVE)
    terminal.wait("menu.pdf ")  # what the line begins with
    terminal.type(CLEAR)
    terminal.wait("Where the file goes")
    terminal.type(f"{tmp_path}/saved/copy.pdf\r")
    terminal.wait(f"↓ {tmp_path}/saved/copy.pdf")
    assert (tmp_path / "saved/copy.pdf").read_bytes() == b"menu" * 400_000


def test_a_file_on_its_way_is_shown_and_stopped(lunch: Any, start: Any, tmp_path: Path) -> None:
    (tmp_path / "big.bin").write_bytes(b"big!" * 250_000)
    terminal = start()
    terminal.wait("Bo welcome to Lunch today", "in sync")
    lunch.control("delay", path_prefix="/v3/storage/file", ms=600_000)
    terminal.type(FILE)
    terminal.wait("The path of a file")
    terminal.type(f"{tmp_path}/big.bin\r")
    terminal.wait("(a file) (sending)", "▤ big.bin (1.0 MB)", "↑ ")
    terminal.type(UP + DELETE)
    terminal.wait("Bo welcome to Lunch today", without="big.bin")
    assert [one["type"] for one in lunch.messages("lunch")] == ["MESG"]


def test_polls_are_asked_and_answered(lunch: Any, start: Any) -> None:
    terminal = start()
    terminal.wait("Bo welcome to Lunch today", "in sync")
    terminal.type(POLL)
    terminal.wait("A question and its answers")
    terminal.type("What?\r")
    terminal.wait("write a question and two answers or more")
    terminal.type(CLEAR)
    terminal.wait("A question and its answers")
    terminal.type("What? | noodles | rice\r")
    terminal.wait("▥ What?, 0 voted", "○ 1 noodles: 0", "○ 2 rice: 0")
    choose(terminal, "○ 1 noodles")
    terminal.type(POLL)
    terminal.wait("The number of your answer")
    terminal.type("3\r")
    terminal.wait("there is no option 3")
    terminal.type(CLEAR)
    terminal.wait("The number of your answer")
    terminal.type("2\r")
    terminal.wait("▥ What?, 1 voted", "● 2 rice: 1")
    poll = lunch.messages("lunch")[-1]["poll"]
    options = [option["id"] for option in poll["options"]]
    lunch.request("PUT", f"/v3/polls/{poll['id']}/vote", {
        "user_id": "bo", "option_ids": options[:1], "channel_url": "lunch", "channel_type": "group"})
    terminal.wait("▥ What?, 2 voted", "○ 1 noodles: 1", "● 2 rice: 1")
    lunch.request("PUT", f"/v3/polls/{poll['id']}/close", {"user_id": "mei"})
    terminal.wait("▥ What? (closed), 2 voted")


def test_what_is_written_of_files_and_polls() -> None:
    assert [attached.sized(size) for size in (1, 999, 1000, 1_600_000, 25_000_000, 2_000_000_000)] == [
        "1 bytes", "999 bytes", "1.0 kB", "1.6 MB", "25 MB", "2.0 GB"]
    for name, here in (("../../a", "a"), ("..", "file"), ("", "file"), ("a/b\\c.txt", "c.txt"), ("\x1b[2Ja", "[2Ja")):
        assert attached.name_here({"name": name}) == here
    assert attached.asked("a | b|c") == ("a", ["b", "c"])
    for text in ("a", "a | b", " | b | c"):
        with pytest.raises(ValueError, match="two answers"):
            attached.asked(text)


def test_it_rings_for_what_nobody_looks_at(lunch: Any, start: Any) -> None:
    terminal = start()
    terminal.wait("Bo welcome to Lunch today", "in sync", without="Lunch today (")
    before, colour = terminal.written.count(b"\x07"), frame_of(terminal.screen)
    lunch.post("lunch", "bo", "seen")
    terminal.wait("Bo seen", without="Lunch today (")
    assert terminal.written.count(b"\x07") == before
    lunch.post("plans", "bo", "unseen")
    terminal.wait("Plans (2)")
    assert terminal.written.count(b"\x07") == before + 1
    terminal.type("\x1b[O")  # the terminal is left, and the line to write in loses its colour
    terminal.wait_for(lambda screen: frame_of(screen) != colour)
    lunch.post("lunch", "bo", "while away")
    terminal.wait("Bo while away", "Lunch today (1)")
    assert terminal.written.count(b"\x07") == before + 2
    terminal.type("\x1b[I")
    terminal.wait("Bo while away", without="Lunch today (")


def test_older_messages_are_loaded_and_the_sync_is_told(lunch: Any, start: Any) -> None:
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
EVIL = "\x1b]0;owned\x07\x1b[2J\x9d0;owned\x9c\x9b2J\x7f\u202edam\u202c\u2066\u2069\u061c\u200e\u200f"
#: What of it is drawn.
HARMLESS = "]0;owned[2J0;owned2Jdam"


def test_nothing_from_outside_controls_the_terminal(syncmanager_server: Server, tmp_path: Path) -> None:
    mei = syncmanager_server.create_user("mei", "Mei")
    syncmanager_server.create_user("bo", "Bo" + EVIL)
    syncmanager_server.create_channel("lunch", "mei", "bo", name="Lunch" + EVIL)
    syncmanager_server.post("lunch", "bo", "hello" + EVIL)
    syncmanager_server.post("lunch", "bo", "[red]two[/red]\nlines\tand a tab\u2028and\u2029more")
    file = {"message_type": "FILE", "user_id": "bo", "url": "http://127.0.0.1/a", "file_size": 5}
    syncmanager_server.request("POST", "/v3/group_channels/lunch/messages", {**file, "file_name": "f" + EVIL})
    asked = {"user_id": "bo", "title": "why" + EVIL, "options": ["one" + EVIL, "[red]two[/red]"]}
    poll = syncmanager_server.request("POST", "/v3/polls", asked)["id"]
    syncmanager_server.request("POST", "/v3/group_channels/lunch/messages", {
        "message_type": "MESG", "user_id": "bo", "message": "a poll", "poll_id": poll})
    terminal = Terminal(
        [sys.executable, "-m", "syncmanager.demo", json.dumps(syncmanager_server.config(mei, tmp_path / "data"))],
        columns=200,
    )
    try:
        # The list of channels has no room for the whole name. A line of a message is none of the chat's.
        terminal.wait("Lunch" + HARMLESS[:8], f"Bo{HARMLESS} hello{HARMLESS}")
        terminal.wait(f"Bo{HARMLESS} [red]two[/red]", "│      lines and a tab and more")
        terminal.wait(f"▤ f{HARMLESS} (5 bytes)")
        terminal.wait(f"▥ why{HARMLESS}, 0 voted", f"○ 1 one{HARMLESS}: 0", "○ 2 [red]two[/red]: 0")
        syncmanager_server.set_typing("lunch", "bo")
        terminal.wait(f"Bo{HARMLESS} is typing …")
        terminal.type("\x11")
        assert terminal.end() == 0
    finally:
        terminal.close()
    assert "owned" not in terminal.screen.title
    written = terminal.written.decode()
    assert not re.search("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\x1b]0;owned", written)


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    missing = "one of the arguments CONFIG --try is required"
    for arguments, words in ((["{}"], "SM_ERR_INVALID_DOCUMENT"), (["x"], "CONFIG"), ([], missing)):
        terminal = Terminal([sys.executable, "-m", "syncmanager.demo", *arguments])
        assert terminal.end() != 0
        while terminal._read(0.2):
            pass
        assert words in terminal.text()
        terminal.close()


def test_it_can_be_tried_without_anything() -> None:
    terminal = Terminal([sys.executable, "-m", "syncmanager.demo", "--try"])
    terminal.wait("connected", "in sync, ")
    terminal.type("\x11")
    assert terminal.end() == 0
    terminal.close()
