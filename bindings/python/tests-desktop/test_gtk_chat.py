"""The desktop chat (examples/gtk_chat): real events on a display, a real server, and a second client of it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from screen import Adw, Screen, button, found_label, labels, usable, walk

from syncmanager.blocking import SyncManager
from syncmanager.demo.words import channel_name, user_name
from syncmanager.testing import Server

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

if usable():
    pytest.skip(usable(), allow_module_level=True)


class Lunch:
    """Mei at the window, and Bo with a client of its own, in one channel."""

    def __init__(self, server: Server, folder: Path, prepare: Callable[[Server], object], options: Any) -> None:
        self.server = server
        mei, bo = server.create_user("mei", "Mei"), server.create_user("bo", "Bo")
        server.create_channel("lunch", "mei", "bo", name="Lunch today")
        server.post("lunch", "bo", "hungry?")
        prepare(server)
        self.bo = SyncManager(**server.config(bo, folder / "bo", cache="none"))
        self.bo.connect(timeout=60)
        self.his = self.bo.messages("lunch", reply_type="only_reply_to_channel")
        self.his.fetch(timeout=60)
        self.config = server.config(mei, folder / "mei", **options)
        self.screen = Screen(self.config)
        self.screen.others.append(self.bo)
        self.until = self.screen.until

    def his_texts(self) -> list[str]:
        """What Bo sees."""
        return [message.get("message", "") for message in self.his.items]

    def his_reactions(self, text: str) -> dict[str, list[str]]:
        """What Bo sees under a message."""
        message = next(one for one in self.his.items if one.get("message") == text)
        return {one["key"]: one.get("user_ids", []) for one in message.get("reactions", [])}

    def close(self) -> None:
        self.screen.close()
        self.bo.close()


@pytest.fixture
def start(
    syncmanager_server: Server,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    recwarn: pytest.WarningsRecorder,
) -> Iterator[Callable[..., Lunch]]:
    """Opens the window; at the end neither GTK nor Python may have complained."""
    started: list[Lunch] = []

    def begin(prepare: Callable[[Server], object] = id, **options: Any) -> Lunch:
        started.append(Lunch(syncmanager_server, tmp_path, prepare, options))
        return started[-1]

    yield begin
    for lunch in started:
        lunch.close()
    assert capfd.readouterr().err == ""
    # What GLib warns of comes as a warning of Python. This one is of GTK's own chooser of files.
    assert [str(one.message) for one in recwarn if "g_markup_escape_text" not in str(one.message)] == []


def test_it_receives_and_sends(start: Callable[..., Lunch]) -> None:
    lunch = start()
    screen = lunch.screen
    screen.row("hungry?")
    assert "Lunch today" in labels(screen.main.window)
    screen.write("noodles, as ever")
    lunch.until(lambda: lunch.his_texts() == ["hungry?", "noodles, as ever"], "what Mei wrote, at Bo's")
    lunch.his.start.send("and tea")
    screen.row("and tea")
    assert screen.texts() == ["hungry?", "noodles, as ever", "and tea"]


def test_the_field_grows_with_its_lines(start: Callable[..., Lunch]) -> None:
    lunch = start()
    screen = lunch.screen
    field = screen.chat.composer.text
    screen.click(field)
    before = field.get_visible_rect().height
    for line in ("one", "two", "three"):
        screen.type(line, "shift+Return")
    screen.type("four")
    lunch.until(lambda: screen.chat.composer.written == "one\ntwo\nthree\nfour", "the lines")
    lunch.until(lambda: field.get_visible_rect().height > before, "a higher field")
    assert before > 20
    screen.type("", "Return")
    lunch.until(lambda: lunch.his_texts()[-1] == "one\ntwo\nthree\nfour", "the lines, at Bo's")
    lunch.until(lambda: field.get_visible_rect().height == before, "a field of one line")


def test_it_edits_deletes_and_reacts(start: Callable[..., Lunch]) -> None:
    lunch = start()
    screen = lunch.screen
    screen.write("nodles")
    lunch.until(lambda: "nodles" in lunch.his_texts(), "what Mei wrote, at Bo's")
    screen.choose("nodles", "Edit")
    composer = screen.chat.composer
    lunch.until(lambda: composer.written == "nodles", "the text to edit")
    screen.type("", "ctrl+a")
    screen.type("noodles")
    lunch.until(lambda: composer.written == "noodles", "the new text")
    screen.type("", "Return")
    lunch.until(lambda: lunch.his_texts() == ["hungry?", "noodles"], "the new text, at Bo's")
    assert "edited" in screen.row("noodles").note.get_text()

    screen.click(button(screen.row("hungry?").tools, "React"))
    screen.click(lambda: button(screen.chat.widget, "🎉"))
    lunch.until(lambda: lunch.his_reactions("hungry?") == {"🎉": ["mei"]}, "the reaction, at Bo's")
    lunch.his.start.add_reaction(lunch.his.items[0], "🎉")
    chip = lunch.until(lambda: button(screen.row("hungry?").reactions, "🎉 2"), "two of them")
    assert chip.has_css_class("mine")
    screen.click(chip)
    lunch.until(lambda: lunch.his_reactions("hungry?") == {"🎉": ["bo"]}, "one of them, at Bo's")
    lunch.until(lambda: button(screen.row("hungry?").reactions, "🎉 1"), "one of them")

    screen.choose("noodles", "Delete")
    lunch.until(lambda: lunch.his_texts() == ["hungry?"], "the deletion, at Bo's")
    lunch.until(lambda: screen.texts() == ["hungry?"], "the deletion")
    lunch.his.start.edit_message(lunch.his.items[0], message="so hungry")
    screen.row("so hungry")
    lunch.his.start.delete_message(lunch.his.items[0])
    lunch.until(lambda: screen.texts() == [], "Bo's deletion")


def test_it_answers_in_the_channel_and_in_a_thread(start: Callable[..., Lunch]) -> None:
    lunch = start()
    screen = lunch.screen
    screen.choose("hungry?", "Answer here")
    screen.write("very")
    lunch.until(lambda: lunch.his_texts() == ["hungry?", "very"], "the answer, at Bo's")
    assert lunch.his.items[1].get("parent_message_id") == lunch.his.items[0]["message_id"]
    assert "hungry?" in screen.row("very").quote.get_text()

    screen.click(button(screen.row("hungry?").tools, "Reply in thread"))
    thread = lunch.until(lambda: screen.main.thread, "the thread")
    screen.write("where?", thread)
    screen.row("where?", thread)
    parent = lunch.his.items[0]["message_id"]
    replies = lunch.bo.messages("lunch", parent_message_id=parent)
    replies.fetch(timeout=60)
    lunch.until(lambda: [one.get("message") for one in replies.items][-1:] == ["where?"], "the reply, at Bo's")
    replies.start.send("at the corner", parent_message_id=parent)
    screen.row("at the corner", thread)
    assert "where?" not in screen.texts()
    lunch.until(lambda: button(screen.row("hungry?").widget, "3 replies"), "the number of replies")
    screen.click(button(screen.main.side, "Close the thread"))
    lunch.until(lambda: screen.main.thread is None, "its end")


def test_receipts_and_typing(start: Callable[..., Lunch]) -> None:
    lunch = start()
    screen = lunch.screen
    lunch.until(lambda: lunch.his.info()["channel"].get("read_receipt", {}).get("mei", 0) > 0, "that Mei has read")
    screen.write("soup?")
    note = screen.row("soup?").note
    lunch.until(lambda: note.get_text().endswith("✓✓"), "that it reached Bo")
    lunch.his.start.mark_as_read()
    lunch.until(lambda: note.get_text().endswith("✓✓ Read"), "that Bo has read")
    lunch.his.start.start_typing()
    lunch.until(lambda: any("is typing" in words for words in labels(screen.main.typing)), "that Bo types")
    lunch.his.start.end_typing()
    lunch.until(lambda: not labels(screen.main.typing)[0], "that Bo does not")
    screen.click(screen.chat.composer.text)
    screen.type("I th")
    lunch.until(lambda: lunch.his.info()["channel"].get("typing_members"), "that Mei types")


def test_what_is_written_offline_is_sent_when_the_server_is_back(start: Callable[..., Lunch]) -> None:
    lunch = start()
    screen = lunch.screen
    screen.row("hungry?")
    lunch.until(lambda: not screen.main.banner.get_reveal_child(), "a connection")
    lunch.server.kill()
    lunch.until(lambda: screen.main.banner.get_reveal_child(), "the banner")
    screen.write("anybody?")
    assert screen.row("anybody?").note.get_text() == "Sending …"
    lunch.server.restart()
    lunch.until(lambda: lunch.his_texts() == ["hungry?", "anybody?"], "what was written, at Bo's")
    lunch.until(lambda: "✓" in screen.row("anybody?").note.get_text(), "that it was sent")
    assert not screen.main.banner.get_reveal_child()


def test_it_shows_what_is_cached_without_a_server(start: Callable[..., Lunch]) -> None:
    lunch = start()
    lunch.screen.row("hungry?")
    lunch.screen.close()
    lunch.server.kill()
    lunch.screen = screen = Screen(lunch.config)
    screen.row("hungry?")
    assert "Lunch today" in labels(screen.main.list)
    screen.until(lambda: any("Offline" in words for words in labels(screen.main.banner)), "the banner")


def test_what_failed_is_sent_again_by_hand(start: Callable[..., Lunch]) -> None:
    lunch = start(resend_policy="manual")
    screen = lunch.screen
    screen.row("hungry?")
    lunch.until(lambda: not screen.main.banner.get_reveal_child(), "a connection")
    lunch.server.kill()
    lunch.until(lambda: screen.main.banner.get_reveal_child(), "the banner")
    for text in ("one", "two"):
        screen.write(text)
        screen.row(text)
        lunch.until(lambda: button(screen.rows()[-1].failed, "Send again"), "that it failed")
    lunch.server.restart()
    screen.click(button(screen.main.banner, "Connect"))
    lunch.until(lambda: not screen.main.banner.get_reveal_child(), "a connection")
    screen.click(button(screen.row("two").failed, "Send again"))
    lunch.until(lambda: lunch.his_texts() == ["hungry?", "two"], "the second, at Bo's")
    screen.click(button(screen.row("one").failed, "Discard"))
    lunch.until(lambda: screen.texts() == ["hungry?", "two"], "the end of the first")


def test_files_are_sent_and_received(start: Callable[..., Lunch], tmp_path: Path) -> None:
    lunch = start()
    screen = lunch.screen
    (tmp_path / "menu.txt").write_bytes(b"noodles\n" * 300)
    screen.click(screen.chat.composer.file)
    screen.answer_chooser(str(tmp_path / "menu.txt"))
    lunch.until(lambda: len(lunch.his.items) == 2, "the file, at Bo's")
    assert lunch.his.items[1].get("file", {}).get("name") == "menu.txt"
    lunch.until(lambda: {"menu.txt", "2.4 kB"} <= set(labels(screen.chat.widget)), "the file")
    (tmp_path / "price.txt").write_bytes(b"9")
    lunch.his.start.send_files(tmp_path / "price.txt")
    lunch.until(lambda: {"price.txt", "1 bytes"} <= set(labels(screen.chat.widget)), "Bo's file")
    last = screen.rows()[-1]
    screen.click(last.files.get_first_child())
    screen.answer_chooser(str(tmp_path / "saved.txt"))
    lunch.until(lambda: (tmp_path / "saved.txt").exists(), "the file that was saved")
    assert (tmp_path / "saved.txt").read_bytes() == b"9"


def test_how_far_a_file_is_stands_under_it(start: Callable[..., Lunch], tmp_path: Path) -> None:
    lunch = start()
    screen = lunch.screen
    (tmp_path / "film.mp4").write_bytes(b"film" * 1_000_000)
    lunch.server.delay(3000, "/v3/storage/file")
    screen.chat.send_file(str(tmp_path / "film.mp4"))
    bar = lunch.until(lambda: next(filter(is_bar, walk(screen.chat.pane.view)), None), "the bar")
    lunch.until(lambda: bar.get_fraction() > 0.5, "that much of it")
    lunch.until(lambda: len(lunch.his.items) == 2, "the file, at Bo's")
    lunch.until(lambda: not any(map(is_bar, walk(screen.chat.pane.view))), "the end of the bar")


def is_bar(widget: Any) -> bool:
    """Whether it shows how far something is."""
    return hasattr(widget, "get_fraction")


def test_it_searches_while_one_types_and_goes_to_what_was_found(start: Callable[..., Lunch]) -> None:
    def prepare(server: Server) -> None:
        server.create_channel("other", "mei", "bo", name="Elsewhere")
        server.post("other", "bo", "the <b>dumplings</b> are better")
        server.post_many("other", "bo", 200)

    lunch = start(prepare)
    screen = lunch.screen
    screen.click(lambda: found_label(screen.main.window, "Elsewhere"))
    lunch.until(lambda: len(screen.texts()) > 40, "the other channel's messages")
    while screen.chat.pane.has_previous:
        screen.wheel(screen.chat.pane.view, "4")
    screen.click(lambda: found_label(screen.main.list, "Lunch today"))
    screen.row("hungry?")
    screen.click(screen.main.search.entry)
    screen.type("dumpl")
    screen.click(lambda: found_label(screen.main.search.widget, "the <b>dumplings</b> are better"))
    row = screen.row("the <b>dumplings</b> are better")
    lunch.until(row.bubble.get_mapped, "the message")
    assert row.bubble.has_css_class("found") and screen.is_seen(row.bubble)
    screen.click(screen.main.search.entry)
    screen.type(" nowhere")
    lunch.until(lambda: "Nothing found" in labels(screen.main.search.widget), "no result")
    screen.type("", "Escape")
    lunch.until(lambda: screen.main.lists.get_visible_child_name() == "list", "the channels")
    screen.click(screen.chat.pane.down)
    lunch.until(lambda: not screen.chat.pane.has_next and len(screen.texts()) > 40, "the newest")
    last = screen.chat.pane.model.get_n_items() - 1
    lunch.until(lambda: screen.rows()[-1].message == screen.chat.pane.message(last), "the newest, seen")


def test_one_scrolls_up_through_a_thousand_messages(start: Callable[..., Lunch]) -> None:
    def prepare(server: Server) -> None:
        server.post_many("lunch", "bo", 1000)

    lunch = start(prepare)
    screen = lunch.screen
    pane = screen.chat.pane
    lunch.until(lambda: pane.model.get_n_items() >= 60, "the first page")
    lunch.until(lambda: screen.is_seen(screen.rows()[-1].bubble), "the newest message")
    while pane.has_previous:
        before = pane.model.get_n_items()
        screen.wheel(pane.view, "4", 30)
        assert pane.model.get_n_items() <= 1001 and len(pane._bound) < 500
        assert pane.model.get_n_items() >= before
    shown = [message for message in map(pane.message, range(1001)) if message is not None]
    assert len({message["message_id"] for message in shown}) == len(shown) == 1001
    assert shown == sorted(shown, key=lambda message: (message["created_at"], message["message_id"]))
    assert shown[0].get("message") == "hungry?"
    lunch.his.start.send("far below")
    lunch.until(lambda: pane.model.get_n_items() == 1002, "a new message")
    assert "far below" not in [row.text.get_text() for row in screen.rows() if screen.is_seen(row.bubble)]
    screen.click(pane.down)
    lunch.until(lambda: screen.is_seen(screen.row("far below").bubble), "the new message, seen")


CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066\u2067]")


@pytest.mark.syncmanager_server("--max-message-length", "2000000")
def test_nothing_from_outside_does_more_than_being_read(start: Callable[..., Lunch]) -> None:
    evil = "\x1b]0;evil\x07\u202egnp.exe\u2066\x9b2J\x7f <b>&amp; <span size='99999'>\u061c\u200e\u200f\ttab\u2029end"

    def prepare(server: Server) -> None:
        server.create_user("nobody", "\u200b \u202e")
        server.create_channel("evil", "mei", "nobody", name=evil)
        server.post("evil", "nobody", evil)
        server.post("evil", "nobody", "x" * 1_000_000)
        server.post("evil", "nobody", "line\n" * 100_000)
        server.post("evil", "nobody", " ")
        url = server.upload(b"1", "a.bin")
        server.post("evil", "nobody", evil, message_type="FILE", url=url, file_name=evil, file_size=1)
        server.post("evil", "nobody", evil + " 2")

    lunch = start(prepare)
    screen = lunch.screen
    drawn = "]0;evilgnp.exe2J <b>&amp; <span size='99999'> tab end"
    row = screen.row(drawn)
    lunch.until(lambda: len(screen.rows()) == 6, "all of them")
    assert row.name.get_text() == "nobody"
    assert screen.main.title.get_title() and screen.main.window.get_title() == drawn
    left_out = [one.left_out.get_text() for one in screen.rows()]
    assert left_out[1:3] == ["… 996,000 more characters", "… 499,701 more characters"]
    for words in labels(screen.main.window):
        assert not CONTROLS.search(words), words
    screen.choose(drawn + " 2", "Answer here")
    lunch.until(lambda: "evilgnp" in screen.chat.composer.about.get_text(), "what is answered")
    assert not CONTROLS.search(screen.chat.composer.about.get_text())


def test_dark_and_light(start: Callable[..., Lunch]) -> None:
    lunch = start()
    manager = Adw.StyleManager.get_default()
    was = manager.get_dark()
    lunch.screen.click(button(lunch.screen.main.window, "Dark or light"))
    lunch.until(lambda: manager.get_dark() != was, "the other style")
    lunch.screen.click(button(lunch.screen.main.window, "Dark or light"))
    lunch.until(lambda: manager.get_dark() == was, "the style before")


def test_it_can_be_tried_without_anything(tmp_path: Path) -> None:
    program = [sys.executable, str(EXAMPLES / "gtk_chat"), "--try"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            find = ["search", "--sync", "--onlyvisible", "--name", "^Robin$"]
            subprocess.run(["xdotool", *find, "windowfocus", "key", "ctrl+q"], check=True, timeout=60)
            out, err = running.communicate(timeout=60)
        finally:
            running.kill()
    assert (running.returncode, out, err) == (0, "", "")


def test_what_is_wrong_with_a_configuration_is_said(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("[]")
    for path, said in ((tmp_path / "none.json", "No such file"), (tmp_path / "config.json", "not a JSON object")):
        program = [sys.executable, "-m", "gtk_chat", str(path)]
        ended = subprocess.run(program, cwd=EXAMPLES, capture_output=True, text=True, timeout=60)
        assert ended.returncode == 1 and said in ended.stderr and "Traceback" not in ended.stderr


def test_a_name_of_nothing_that_is_seen_is_no_name() -> None:
    for nothing in ("", " ", "\u200b\u202e", "\u00ad", "\x07", None):
        assert user_name({"user_id": "bo", "nickname": nothing}) == "bo"
        unnamed: Any = {"channel_url": "c", "name": nothing, "members": [{"user_id": "bo", "nickname": nothing}]}
        assert channel_name(unnamed, "mei") == "bo"
        unnamed["members"] = []
        assert channel_name(unnamed, "mei") == "c"
    assert user_name({"user_id": "\u200b"}) == "?"
    assert user_name({"user_id": "bo", "nickname": "B\u200bo"}) == "B\u200bo"
