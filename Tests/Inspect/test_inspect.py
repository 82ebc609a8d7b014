"""syncmanager-inspect: the built program on what a real client has cached from the real server."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time
import xml.dom.minidom
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import checksums
import pytest
from harness import PATIENCE, ROOT, Server
from library import Client, lib
from populate import CHANNEL, EMPTY, OTHER, SECRET, config_of, files, fill, fill_server, tables

PROGRAM = Path(os.environ.get("SYNCMANAGER_INSPECT", ROOT / "build/bin/syncmanager-inspect"))
OPTIONS = ("--database-port", "0", "--huge-gap", "10")
#: In texts, in custom data and in the name of a file; the first part is to be found as it is.
WORDS = ("Wombat<b>&\"'", "Numbat<i>", "Quokka<u>.txt", "Dingo</code><script>")
EDGES = (2**63 - 1, -(2**63), -1)


class Page(HTMLParser):
    """Sees whether a page is what it was meant to be: known elements, closed in their order."""

    KNOWN = set("html head meta title style body h1 h2 p br table tr th td ul li code details summary svg g rect "
                "line path circle text".split())

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list) -> None:
        assert tag in self.KNOWN, tag
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href", "style")], attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        assert tag in self.KNOWN, tag

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def inspect(*arguments: object, status: int = 0, **more) -> str:
    """What the program prints; beside it nothing on stderr when all is well, and a reason otherwise."""
    ran = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=60, **more)
    output, errors = ran.stdout.decode(), ran.stderr.decode()
    assert ran.returncode == status, (ran.returncode, errors, output[-500:])
    assert bool(errors) == (status != 0), errors
    return output if status == 0 else errors + output


def both(folder: Path, *options: str, status: int = 0) -> list[str]:
    """Text and page."""
    text, page = inspect(*options, folder, status=status), inspect("--html", *options, folder, status=status)
    Page(page[page.index("<!DOCTYPE"):])
    for svg in re.findall("<svg.*?</svg>", page, re.DOTALL):
        xml.dom.minidom.parseString(svg)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", text + page)
    return [text, page]


@pytest.fixture(scope="module")
def filled(tmp_path_factory) -> Iterator[tuple[Server, Path]]:
    """A server, and the files of a user who has something in every table, with words planted."""
    folder = tmp_path_factory.mktemp("inspect")
    with Server(*OPTIONS) as server:
        fill_server(server)
        server.post(CHANNEL, "bo", WORDS[0], data=WORDS[1], custom_type=WORDS[3])
        server.request("POST", f"/v3/group_channels/{CHANNEL}/messages", {
            "message_type": "FILE", "user_id": "bo", "url": server.upload(b"x", WORDS[2]), "file_name": WORDS[2]})
        config = config_of(server, folder / "data")
        fill(server, config, unsent={"message": WORDS[3], "data": WORDS[1]})
        yield server, folder / "data"


@pytest.fixture
def copy(filled, tmp_path) -> Path:
    """The folder of the user in a copy of the files."""
    shutil.copytree(filled[1], tmp_path / "data")
    return files(tmp_path / "data")


def change(path: Path, sql: str) -> int:
    database = sqlite3.connect(path)
    changed = database.execute(sql).rowcount
    database.commit()
    database.close()
    return changed


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_is_cached_is_shown(copy):
    for output in both(copy, "--max-cache-mb", "64"):
        for part in (CHANNEL, OTHER, EMPTY, f"Name {CHANNEL}", "139 messages", "open end", "from the first one on",
                     "thread of 1", "hole: nothing is known to be complete", "outbox", "pending", "failed", "800120",
                     "database queue", "/rooms/room1", "update", "drafts", "cache.db", "intents.db",
                     "of 67.1 MB", "channels.changes", "changes read up to t:"):
            assert part in output, part
    assert inspect(copy.parents[1]) == inspect(copy), "the data_dir of one user is as good as the folder"


def test_nothing_is_written(copy):
    before = content(copy)
    both(copy)
    assert content(copy) == before


def test_no_word_of_a_message(copy):
    bare = [re.match("[A-Za-z]+", word)[0] for word in WORDS] + [f"{SECRET} {what}" for what in (
        "root", "reply", "other", "unsent", "failed", "draft", "written")]
    for output in both(copy):
        for word in bare:
            assert word not in output, word
    text, page = both(copy, "--texts")
    for word in bare:
        assert word in text and word in page, word
    assert "Wombat<b>&" in text and "Wombat&lt;b&gt;&amp;" in page
    assert "<script" not in page and "<b>" not in page


def test_export(copy):
    """Every cached message is in it once, with its text; the same of one channel; nothing is written."""
    before = content(copy)
    lines = [json.loads(line) for line in inspect("--export", copy).splitlines()]
    assert content(copy) == before
    database = sqlite3.connect(copy / "cache.db")
    stored = sorted(json.loads(row[0])["message_id"] for row in database.execute("SELECT json FROM message"))
    database.close()
    assert lines[0]["type"] == "export" and lines[0]["messages"] == len(stored) and "user_id" not in lines[0]
    told = [line for line in lines if line["type"] == "message"]
    assert sorted(line["message"]["message_id"] for line in told) == stored
    assert lines[-1] == {"type": "end", "channels": sum(line["type"] == "channel" for line in lines),
                         "messages": len(stored)}
    assert any(line["type"] == "thread" for line in lines)
    assert any(WORDS[0] == line["message"].get("message") for line in told)
    one = [json.loads(line) for line in inspect("--export", "--channel", CHANNEL, copy).splitlines()]
    assert {line["channel_url"] for line in one[:-1]} == {CHANNEL}
    assert one[1:-1] == [line for line in lines if line.get("channel_url") == CHANNEL]
    assert "nothing of the channel nowhere" in inspect("--export", "--channel", "nowhere", copy, status=1)
    # Whether the client had read on to the first message when it closed is a matter of time.
    assert checksums.change(copy / "cache.db", "UPDATE chunk SET reached_first = 0")
    lines = [json.loads(line) for line in inspect("--export", copy).splitlines()]
    assert any(line["type"] == "gap" for line in lines)


def test_export_of_a_damaged_row(copy):
    """It ends there, without a last line, and says why."""
    change(copy / "cache.db", "UPDATE message SET json = json || ' ' WHERE key = (SELECT max(key) FROM message)")
    output = inspect("--export", copy, status=1)
    assert "does not match its checksum" in output and '"type":"end"' not in output


def test_controls_are_left_out(copy):
    change(copy / "cache.db", "UPDATE channel SET name = char(27) || '[2J' || char(8238, 155, 10) || '<x>'")
    for output in both(copy, status=1):
        assert "[2J" in output


def opened(client: Client, url: str) -> None:
    """Connects, and shows a channel's newest messages."""
    assert lib.sm_connect(client.handle, None, None, None, None) == 0
    client.wait("result", call="connect", status=0)
    shown(client, url)
    client.wait("result", call="fetch")


def shown(client: Client, url: str) -> None:
    messages, _ = client.messages(url, {})
    assert lib.sm_fetch(messages, 1, None, None, None, None) == 0


def test_a_hole(tmp_path):
    """After a huge gap the newest messages are cached apart from the old ones, until what is between has come."""
    with Server("--huge-gap", "10") as server:
        for user in ("mei", "bo"):
            server.create_user(user)
        server.create_channel("gap", "mei", "bo")
        config = config_of(server, tmp_path / "data")
        server.post_many("gap", "bo", 50)
        with Client(config) as client:
            opened(client, "gap")
        server.control("advance_clock", ms=86_400_000)
        server.post_many("gap", "bo", 600)
        server.delay(400, "/v3/group_channels")
        with Client(config) as client:
            opened(client, "gap")
            client.wait("huge_gap")
            shown(client, "gap")
            end = time.monotonic() + PATIENCE
            while "\n    hole 2" not in inspect(tmp_path / "data"):
                assert time.monotonic() < end
                client.next_event(50)
    for output in both(tmp_path / "data"):
        assert re.search(r"hole 20\S+ \S+/\d+ … 20\S+ \S+/\d+", output) and "open end" in output, output


def test_beside_a_client_that_writes(filled, tmp_path):
    server, _ = filled
    server.create_channel("busy", "mei", "bo", name="Busy")
    config = config_of(server, tmp_path / "data")
    seen, over = set(), threading.Event()

    def post() -> None:
        while not over.is_set():
            server.post("busy", "bo", "Kakapo")

    with Client(config) as client:
        opened(client, "busy")
        writer = threading.Thread(target=post)
        writer.start()
        try:
            for _ in range(40):
                for output in both(tmp_path / "data", "--channels", "1"):
                    seen.add(re.search(r"channel: (\d+) message", output)[1])
                    assert "Kakapo" not in output
                while client.next_event(0) is not None:
                    pass
        finally:
            over.set()
            writer.join()
        # Sign-out empties both logs, which a reader that goes on would prevent.
        assert lib.sm_sign_out(client.handle, None, None, None, None) == 0
        client.wait("result", call="sign_out", status=0)
    assert len(seen) > 5, seen


def test_a_log_that_a_kill_has_left(copy, tmp_path):
    """It is read, and what it has is shown."""
    database = sqlite3.connect(copy / "cache.db")
    database.execute("PRAGMA wal_autocheckpoint = 0")
    database.execute("DELETE FROM chunk")
    database.commit()
    (tmp_path / "killed").mkdir()
    for path in copy.iterdir():
        if not path.name.endswith("-shm"):
            shutil.copy(path, tmp_path / "killed")
    database.close()
    log = (tmp_path / "killed/cache.db-wal").read_bytes()
    assert log
    for output in both(tmp_path / "killed"):
        assert "open end" not in re.sub("(?s)<svg.*?</svg>", "", output)
    assert (tmp_path / "killed/cache.db-wal").read_bytes() == log


def test_a_log_with_a_damaged_header(copy):
    """SQLite would take it for an empty one."""
    (copy / "intents.db-wal").write_bytes(b"\xa5" * 5000)
    output = inspect(copy, status=1)
    assert "intents.db-wal has a damaged header" in output and "/rooms/room1" in output


def test_a_journal_that_a_kill_has_left(copy, tmp_path):
    """Nobody undoes here what was begun: the file is shown as it is, and that is said."""
    database = sqlite3.connect(copy / "cache.db")
    for statement in ("PRAGMA journal_mode = DELETE", "PRAGMA cache_size = 1", "BEGIN",
                      "UPDATE message SET json = json || ' '"):
        database.execute(statement)
    shutil.copytree(copy, tmp_path / "killed")
    database.close()
    before = content(tmp_path / "killed")
    assert before["cache.db-journal"]
    for output in both(tmp_path / "killed", status=1):
        assert "cache.db-journal cannot be read here" in output and "/rooms/room1" in output
    assert content(tmp_path / "killed") == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_folder_that_cannot_be_written(copy):
    nobody = {"user": 65534, "group": 65534, "extra_groups": []}
    try:
        subprocess.run([PROGRAM, "--help"], capture_output=True, check=True, **nobody)
    except PermissionError:
        pytest.skip("nobody cannot run the program")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "user"
        shutil.copytree(copy, folder)
        for path in (folder.parent, folder, *folder.iterdir()):
            path.chmod(0o555 if path.is_dir() else 0o444)
        assert "open end" in inspect(folder, **nobody)
        database = sqlite3.connect(copy / "cache.db")
        database.execute("DELETE FROM chunk")
        database.commit()
        shutil.copy(copy / "cache.db-wal", folder)
        database.close()
        (folder / "cache.db-wal").chmod(0o444)
        output = inspect(folder, status=1, **nobody)
        assert "cache.db-wal cannot be read here" in output and "open end" in output
        folder.chmod(0o000)
        assert "Permission denied" in inspect(folder, status=1, **nobody)


def overwritten(size: int, at: int, count: int):
    return lambda path: path.write_bytes(
        (data := path.read_bytes())[:at * len(data) // size] + b"\xa5" * count
        + data[at * len(data) // size + count:])


DAMAGE = {
    "the first quarter": overwritten(4, 1, 9000), "the middle": overwritten(2, 1, 9000),
    "the last quarter": overwritten(4, 3, 9000), "the header": overwritten(2, 0, 100),
    "the schema": lambda path: path.write_bytes(
        (data := path.read_bytes())[:100] + bytes(900) + data[1000:]),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2 // 1024 * 1024),
    "cut within a page": lambda path: os.truncate(path, path.stat().st_size // 3 + 77),
    "a few bytes": lambda path: os.truncate(path, 50), "empty": lambda path: os.truncate(path, 0),
    "no database": lambda path: path.write_bytes(b"This is no database.\n" * 500),
    "missing": lambda path: path.unlink(), "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("file", ["cache.db", "intents.db"])
@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_file(copy, how, file):
    DAMAGE[how](copy / file)
    for output in both(copy, "--texts", status=1):
        # What the other file has is shown in any case.
        assert ("/rooms/room1" if file == "cache.db" else "open end") in output
        assert file in output


@pytest.mark.parametrize("file", ["cache.db", "intents.db"])
def test_every_integer_at_the_edges_of_its_type(filled, copy, tmp_path, file):
    """No trap; and each change is found but of columns that no checksum covers."""
    pristine, unnoticed, tried = files(filled[1]), set(), 0
    # Looked up in another copy: `tables` leaves it to the garbage collector to close the file, and remove its log.
    for table, columns in tables(copy / file).items():
        for column in columns:
            for value in EDGES:
                folder = tmp_path / f"{table}-{column}-{value}"
                shutil.copytree(pristine, folder)
                if change(folder / file, f'UPDATE OR IGNORE "{table}" SET "{column}" = {value} '
                                         f"WHERE typeof(\"{column}\") = 'integer'") > 0:
                    tried += 1
                    for options in ((), ("--html",)):
                        ran = subprocess.run([PROGRAM, "--texts", *options, folder], capture_output=True, timeout=60)
                        assert ran.returncode in (0, 1), (table, column, value, ran.returncode, ran.stderr)
                        assert ran.returncode == 0 or ran.stderr
                    if ran.returncode == 0:
                        unnoticed.add((table, column))
                shutil.rmtree(folder)
    assert tried > (60 if file == "cache.db" else 20), tried
    assert unnoticed <= {("message", "key"), ("relation", "key"), ("database_value", "key"), ("database_value", "used"),
                         ("database_write", "key"), ("draft", "key"), ("sqlite_sequence", "seq")}, unnoticed


@pytest.mark.parametrize("file", ["cache.db", "intents.db"])
def test_every_integer_at_the_edges_with_right_checksums(filled, copy, tmp_path, file):
    """Somebody who makes such a file makes no trap of it either."""
    tried, columns = 0, tables(copy / file)
    for table in checksums.COVERED.keys() & columns.keys():
        for column in columns[table]:
            for value in EDGES:
                folder = tmp_path / f"{table}-{column}-{value}"
                shutil.copytree(files(filled[1]), folder)
                if checksums.change(folder / file, f'UPDATE OR IGNORE "{table}" SET "{column}" = {value} '
                                                   f"WHERE typeof(\"{column}\") = 'integer'") > 0:
                    tried += 1
                    ran = subprocess.run([PROGRAM, "--texts", "--html", folder], capture_output=True, timeout=60)
                    assert ran.returncode in (0, 1), (table, column, value, ran.returncode, ran.stderr)
                shutil.rmtree(folder)
    assert tried > (60 if file == "cache.db" else 20), tried


def test_tokens_and_edges(copy):
    """Sendbird has no tokens; another service has. What is in the file is escaped."""
    main = f"(SELECT key FROM channel WHERE url = '{CHANNEL}')"
    middle = f"(SELECT ord FROM message WHERE channel = {main} ORDER BY ord, tie LIMIT 1 OFFSET "
    assert checksums.change(
        copy / "cache.db",
        f"UPDATE chunk SET end_ord = {middle}20), end_tie = 0, end_token = 'Token\"<i>&', is_open_ended = 0 "
        f"WHERE channel = {main}",
        f"INSERT INTO chunk SELECT channel, {middle}90), 0, 'Start<i>', {middle}100), 0, '', 0, 0, 0 FROM chunk "
        f"WHERE channel = {main}",
        f"UPDATE channel SET name = 'Name<i>' WHERE url = '{OTHER}'") == 3
    text, page = both(copy)
    for part in ('token at its end: Token"<i>&', "token at its start: Start<i>", "(Name<i>)", "newer ones may be"):
        assert part in text, part
    assert re.search(r"hole 20.*, \d+ messages of it cached", text)
    assert "Token&quot;&lt;i&gt;&amp;" in page and '<circle class="token"' in page and "<i>" not in page


def test_any_path(copy, tmp_path, monkeypatch):
    strange = tmp_path / "ä b%3Fc?d#e\x1b[2J"
    shutil.copytree(copy, strange)
    assert "open end" in both(strange)[0]
    monkeypatch.chdir(strange)
    assert "open end" in inspect(".") and "open end" in inspect("//" + str(strange))


def test_output_that_cannot_be_written(copy):
    with open("/dev/full", "w") as full:
        ran = subprocess.run([PROGRAM, copy], stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert ran.returncode == 1 and b"No space left" in ran.stderr


def test_rows_set_aside_and_other_schemas(copy):
    change(copy / "intents.db", "INSERT INTO damaged_intent (id) VALUES (x'00')")
    assert "damaged_intent: 1 row set aside" in inspect(copy, status=1)
    (copy / "cache.db.damaged").touch()
    assert "a client has found damage" in inspect(copy, status=1)
    change(copy / "cache.db", "PRAGMA user_version = 99")
    assert "a later version wrote it" in inspect(copy, status=1)
    change(copy / "cache.db", "PRAGMA user_version = 3")
    assert "schema 3" in inspect(copy, status=1)


def test_many_channels(copy):
    """A page stays bounded, and says what it leaves off."""
    database = sqlite3.connect(copy / "cache.db")
    database.executemany("INSERT INTO channel (url, is_cached, json) VALUES (?, 1, '{}')",
                         ((f"many{number}",) for number in range(10_000)))
    database.commit()
    database.close()
    for output in both(copy, status=1):
        assert len(output) < 100_000 and "… and 9953 channels more" in output
        assert CHANNEL in output and "channel: 10000 damaged rows" in output
    for options, least in ((("--channels", "2"), 0), (("--channels", "10000"), 10_000)):
        assert inspect(*options, copy, status=1).count("\nchannel ") >= least


@pytest.mark.parametrize("arguments", [
    [], ["a", "b"], ["--nonsense", "a"], ["--channels", "0", "a"], ["--channels", "ten", "a"],
    ["--channels", "10001", "a"], ["--max-cache-mb", "-1", "a"], ["--channels"], [""],
    ["--channel", "c", "a"], ["--export", "--html", "a"], ["--export", "--channel", "", "a"]])
def test_a_wrong_command_line(arguments):
    assert "Usage: syncmanager-inspect" in inspect(*arguments, status=2)


def test_a_folder_that_is_none(tmp_path):
    assert "No such file" in inspect(tmp_path / "none", status=1)
    assert "neither cache.db nor intents.db" in inspect(tmp_path, status=1)
    (tmp_path / "file").write_text("x")
    assert "Not a directory" in inspect(tmp_path / "file", status=1)
    for user in ("one", "two"):
        (tmp_path / "app" / user).mkdir(parents=True)
        (tmp_path / "app" / user / "cache.db").write_bytes(b"")
    assert "has 2 users" in inspect(tmp_path, status=1)
    assert "syncmanager-inspect" in inspect("--help")
