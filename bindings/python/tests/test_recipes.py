"""The examples of streams (live lists over the realtime database) and of files, run against a server."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from syncmanager.testing import Server

#: What a terminal obeys, and no program may print.
EVIL = "\x1b\x07\x9b\x7f\u202e\u2066"
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
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
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
