"""The examples of streams (live lists over the realtime database), of files, of search and of the cache, run against a
server."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from syncmanager.blocking import SyncManager
from syncmanager.errors import NoEncryptionError
from syncmanager.testing import Server

#: What a terminal obeys, and no program may print.
EVIL = "\x1b\x07\x9b\x7f\u202e\u2066\u061c\u200e\u200f"
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with Server("--database-port", "0") as server:
        server.database(
            "PUT",
            "/.settings/rules",
            {"rules": {".read": True, ".write": True, "people": {".indexOn": ["is_organizer", "name"]}}},
        )
        yield server


@pytest.fixture
def config(server: Server, tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    return dict(server.config(server.create_user(request.node.name), tmp_path))


def test_people(server: Server, config: Any) -> None:
    server.database(
        "PUT",
        "/people",
        {
            "a1": {"name": "Mei", "is_organizer": True},
            "a2": {"name": "Bo", "is_organizer": False},
            "a3": {"name": f"An{EVIL}a"},
            "a4": {"name": "Kit", "is_organizer": False},
        },
    )
    program = subprocess.Popen(
        [sys.executable, EXAMPLES / "people.py", json.dumps(config)], stdout=subprocess.PIPE, text=True
    )

    def until(*wanted: Any) -> None:
        missing = set(wanted)
        while missing:
            assert program.stdout is not None
            line = program.stdout.readline()
            assert line, f"the program ended without {missing}"
            missing.discard(line.rstrip("\n"))

    try:
        until(
            "everybody: Ana, Bo, Kit, Mei",
            "organizers: Mei; participants: Ana, Bo, Kit",
            "section 0: Mei",
            "section 1: Ana, Bo, Kit",
        )
        server.database("PUT", "/people/a4/is_organizer", True)
        until("organizers: Kit, Mei; participants: Ana, Bo", "section 0: Mei, Kit", "section 1: Ana, Bo")
        server.database("DELETE", "/people/a2")
        until("everybody: Ana, Kit, Mei", "organizers: Kit, Mei; participants: Ana", "section 1: Ana")
    finally:
        program.kill()
        program.communicate()


def test_a_long_chat(server: Server, config: Any, capsys: pytest.CaptureFixture[str]) -> None:
    server.database("PUT", "/messages", {f"-N{number:02}x": {"text": f"m{EVIL}{number}"} for number in range(1, 9)})
    runpy.run_path(str(EXAMPLES / "long_chat.py"))["main"](config)
    assert capsys.readouterr().out.splitlines() == [
        "m8 | m7 | m6 | fetch more",
        "m8 | m7 | m6 | m5 | m4 | m3 | fetch more",
        "m8 | m7 | m6 | m5 | m4 | m3 | m2 | m1",
    ]


def test_send_file(server: Server, config: Any, tmp_path: Path) -> None:
    server.create_channel("lunch", config["user_id"])
    (path, target) = (tmp_path / "sent.bin", tmp_path / "received.bin")
    path.write_bytes(bytes(range(256)) * 12_000)
    command = [sys.executable, str(EXAMPLES / "send_file.py"), json.dumps(config), "lunch", str(path), str(target)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.replace("\r", "\n").splitlines()
    full = f"[{'#' * 20}] 100 %"
    for line in (f"sending {full}", "sent: sent.bin", f"receiving {full}", f"received: {target}"):
        assert line in lines, done.stdout
    assert target.read_bytes() == path.read_bytes()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    assert done.returncode == 1 and "there is a file already" in done.stdout, "it is not replaced"


def run(name: str, config: Any, *arguments: object) -> list[str]:
    """What an example prints."""
    command = [sys.executable, str(EXAMPLES / name), json.dumps(config), *map(str, arguments)]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout
    return done.stdout.splitlines()


def test_poll(server: Server, config: Any) -> None:
    server.create_channel("poll", config["user_id"])
    assert run("poll.py", config, "poll", "Tea?", f"y{EVIL}es", "no") == ["* 1 yes", "  0 no"]


def test_draft(server: Server, config: Any) -> None:
    server.create_channel("draft", config["user_id"])
    assert run("draft.py", config, "draft") == ["draft: "]
    assert run("draft.py", config, "draft", f"see{EVIL} you") == ["draft: see you"]
    assert run("draft.py", config, "draft") == ["draft: see you"], "another process has it"
    assert run("draft.py", config, "draft", "--send") == ["draft: "]
    assert [message["message"] for message in server.messages("draft")] == [f"see{EVIL} you"]


def test_offline_reader(server: Server, config: Any) -> None:
    user_id = config["user_id"]
    server.create_channel("read", user_id)
    server.post_many("read", user_id, 1300)
    server.post("read", user_id, f"see{EVIL} you")
    with SyncManager(**config) as sm:
        sm.connect(timeout=60)
        sm.channels().fetch(timeout=60)
    offline = {**config, "api_host": "http://127.0.0.1:1", "ws_host": "ws://127.0.0.1:1"}
    del offline["access_token"]
    assert run("offline_reader.py", offline, "read") == ["(older messages are not cached)"], "it was never opened"
    with SyncManager(**config) as sm:
        sm.connect(timeout=60)
        chat = sm.messages("read", limit=200)
        while chat.fetch(timeout=60).has_more:
            pass
    lines = run("offline_reader.py", offline, "read")
    assert len(lines) == 1301
    assert lines[-1] == f"{user_id}: see you", "all of them, and their end is known"
    nobody = json.dumps({**offline, "user_id": "nobody"})
    command = [sys.executable, str(EXAMPLES / "offline_reader.py"), nobody, "read"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.startswith("SM_ERR_NOT_FOUND"), done


def test_search_typed(server: Server, config: Any) -> None:
    server.create_channel("typed", config["user_id"])
    server.post("typed", config["user_id"], f"see{EVIL} you at lunch tomorrow")
    server.post("typed", config["user_id"], "lunch at noon?")
    command = [sys.executable, str(EXAMPLES / "search_typed.py"), json.dumps(config), "typed"]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdin is not None and program.stdout is not None
    patience = threading.Timer(60, program.kill)
    patience.start()
    lines: list[str] = []

    def until(*wanted: str) -> None:
        assert program.stdout is not None
        while lines[-len(wanted) :] != list(wanted):
            line = program.stdout.readline()
            assert line, f"the program ended: {lines}"
            lines.append(line.rstrip("\n"))

    try:
        program.stdin.write("lun\n")
        program.stdin.flush()
        until("lun: 2 found", "  [lunch] at noon?", "  see you at [lunch] tomorrow")
        program.stdin.write("lunch tomor\n")
        program.stdin.flush()
        until("lunch tomor: 1 found", "  see you at [lunch] [tomorrow]")
        posted = server.post("typed", config["user_id"], f"Tomorrow{EVIL} a late lunch")
        until("lunch tomor: 2 found", "  [Tomorrow] a late [lunch]", "  see you at [lunch] [tomorrow]")
        server.edit("typed", posted["message_id"], "dinner tomorrow")
        until("lunch tomor: 1 found", "  see you at [lunch] [tomorrow]")
        rest = program.communicate("dinner")[0].splitlines()
        assert rest == ["dinner: 1 found", "  [dinner] tomorrow"], "the last line has no end"
        assert program.returncode == 0
    finally:
        patience.cancel()
        program.kill()
        program.communicate()


def test_search_typed_in_a_file(server: Server, config: Any, tmp_path: Path) -> None:
    server.create_channel("from-a-file", config["user_id"])
    server.post("from-a-file", config["user_id"], "lunch at noon?")
    run("search_typed.py", config, "from-a-file")  # without a line: the channel's messages are in the cache then
    path = tmp_path / "typed"
    path.write_text("lun\nlunch no")
    command = [sys.executable, str(EXAMPLES / "search_typed.py"), json.dumps(config), "from-a-file"]
    with path.open() as typed:
        done = subprocess.run(
            command, stdin=typed, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120
        )
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-2:] == ["lunch no: 1 found", "  [lunch] at [noon]?"], done.stdout


def test_full_cache(server: Server, config: Any) -> None:
    # In the order in which the list has them: the one with the newest message comes first, and is read first.
    counts = {"pinned": 100, "old": 100, "new": 80}
    for channel_url, count in reversed(counts.items()):
        server.create_channel(channel_url, config["user_id"])
        server.control(
            "post_messages", channel_url=channel_url, user_id=config["user_id"], count=count, data_bytes=262_144
        )
    lines = run("full_cache.py", config, "pinned")
    assert [line for line in lines if line.startswith("read: ")] == ["read: pinned", "read: old", "read: new"]
    assert "full: pinned (100 messages) old (100 messages)" in lines
    assert "evict: old" in lines
    trimmed = [re.fullmatch(r"trimmed: (.*), (\d+) messages", line) for line in lines if line.startswith("trimmed: ")]
    assert {found[1] for found in trimmed if found} == {"old"}, lines
    counted = re.fullmatch(r"cached: (\d+) messages, (\d+) of 64 MiB", lines[-1])
    assert counted and int(counted[2]) < 64, lines
    assert int(counted[1]) == sum(counts.values()) - sum(int(found[2]) for found in trimmed if found)


def locked(config: Any, typed: str, *more: str, without: Path | None = None) -> tuple[list[str], int]:
    """What `locked_cache.py` prints, and its status; `without`: where a file stands before SQLCipher that is none."""
    environment = dict(os.environ)
    if without:
        environment["LD_LIBRARY_PATH"] = f"{without}:{environment.get('LD_LIBRARY_PATH', '')}"
    command = [sys.executable, str(EXAMPLES / "locked_cache.py"), json.dumps(config), config["user_id"], *more]
    done = subprocess.run(
        command,
        input=typed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        env=environment,
    )
    return done.stdout.splitlines(), done.returncode


@pytest.fixture
def hidden(tmp_path: Path) -> Path:
    folder = tmp_path / "hidden"
    folder.mkdir()
    for name in ("libsqlcipher.so.1", "libsqlcipher.so.0"):
        (folder / name).write_bytes(b"")
    return folder


ASK = "passphrase: "
MISSING = "encryption needs SQLCipher 4.6 or later: no libsqlcipher was found"
AGREE = "go on without encryption (yes or no)? "
NEWEST = "newest: see you"


@pytest.fixture
def locked_channel(server: Server, config: Any) -> None:
    """A channel that is called as the test's user."""
    server.create_channel(config["user_id"], config["user_id"])
    server.post(config["user_id"], config["user_id"], f"see{EVIL} you")


@pytest.mark.usefixtures("locked_channel")
def test_nothing_is_locked_without_encryption(config: Any, hidden: Path, tmp_path: Path) -> None:
    refused = ([ASK, MISSING, AGREE, "nothing was opened"], 1)
    assert locked(config, "first\nno\n", without=hidden) == refused
    assert not list(tmp_path.rglob("*.db*")), "nothing was written"
    assert locked(config, "first\nyes\n", without=hidden) == ([ASK, MISSING, AGREE, NEWEST], 0)
    assert locked(config, "first\nno\n", without=hidden) == refused, "plain files are there now"
    (lines, status) = locked(config, "first\nyes\nsecond\n", "--change", without=hidden)
    assert lines[:-1] == [ASK, MISSING, AGREE, NEWEST, "new passphrase: "]
    assert "the files are not encrypted: call encrypt" in lines[-1] and status == 1


@pytest.mark.usefixtures("locked_channel")
def test_a_locked_cache(config: Any, hidden: Path, tmp_path: Path) -> None:
    probe: Any = {**config, "data_dir": str(tmp_path / "probe"), "encryption_passphrase": "first"}
    try:
        SyncManager(**probe).close()
    except NoEncryptionError as error:
        pytest.skip(error.message)
    refused = "this passphrase does not open it"
    plain: Any = {**config, "data_dir": str(tmp_path / "plain")}
    SyncManager(**plain).close()
    assert locked(plain, "first\n") == ([ASK, "the files are encrypted now", NEWEST], 0)
    (lines, status) = locked(plain, "first\nyes\n", without=hidden)
    assert lines[:-1] == [ASK, MISSING, AGREE] and "no key was given" in lines[-1] and status == 1
    assert locked(config, "first\n") == ([ASK, NEWEST], 0)
    changed = [ASK, refused, ASK, NEWEST, "new passphrase: ", "the old passphrase opens nothing any more"]
    assert locked(config, "wrong\nfirst\nsecond\n", "--change") == (changed, 0)
    assert locked(config, "first\n") == ([ASK, refused, ASK, "there is no answer"], 1)
    assert locked(config, "second\n") == ([ASK, NEWEST], 0)
