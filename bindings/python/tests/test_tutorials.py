"""The programs of the documentation: run page by page against a server, and seen to print what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import syncmanager
from syncmanager.testing import Server

DOCS = Path(__file__).resolve().parents[1] / "docs"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TOPICS = ["configuration", "channels", "messages", "threads", "reactions", "receipts", "typing", "todo"]
PAGES = ["tutorial", "blocking", "trouble", "bots", *(f"topics/{name}" for name in TOPICS)]
#: Of these pages the programs with this text are whole ones, which other tests run: test_handlers.py, tests-desktop.
WHOLE = {"bots": "sys.argv[1]", "api/desktop": "sys.argv[1]"}
#: Pages for hosts of any language, which the package does not ship. Those with Python programs are named here.
COMMON = Path(__file__).resolve().parents[3] / "docs"
COMMON_PAGES = ["database", "resources", "streams"]


def programs(page: str, folder: Any = DOCS) -> Any:
    """The page's programs, each with the output that follows it, or None."""
    found = []
    for language, text in BLOCK.findall((folder / f"{page}.md").read_text(encoding="utf-8")):
        if language == "python":
            found.append((text, None))
        else:
            found[-1] = (found[-1][0], text)
    return [pair for pair in found if page not in WHOLE or WHOLE[page] not in pair[0]]


def test_every_page_is_tested() -> None:
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in DOCS.rglob("*.md")}
    with_programs = {page for page in pages if programs(page)}
    assert with_programs == {*PAGES, "testing"}


@pytest.mark.syncmanager_server("--database-port", "0")
@pytest.mark.parametrize("page", PAGES + COMMON_PAGES)
def test_the_programs_of_a_page(
    page: str, syncmanager_server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = COMMON if page in COMMON_PAGES else DOCS
    if not folder.exists():
        pytest.skip("the package is tested outside of the repository")
    server = syncmanager_server
    mei = server.create_user("mei")
    server.create_user("bo")
    server.create_channel("plans", "mei", "bo", name="Plans")
    server.create_channel("lunch", "mei", "bo", name="Lunch")
    for text in ("Anyone hungry?", "Noodles!"):
        server.post("lunch", "bo", text)
        server.control("advance_clock", ms=1)
    names = {"config": dict(server.config(mei, tmp_path / "data")), "server": server, "data_dir": str(tmp_path)}
    for number, (program, wanted) in enumerate(programs(page, folder), 1):
        exec(compile(program, f"{page}.md, program {number}", "exec"), names)
        printed = capsys.readouterr().out
        if wanted is not None:
            assert printed == wanted, f"{page}.md, program {number}"


def test_the_test_file_of_the_page_on_testing(tmp_path: Path) -> None:
    (program, _), *in_a_world = programs("testing")
    run_tests(program, "2 passed", tmp_path, os.environ["SYNCMANAGER_LIBRARY"])
    assert len(in_a_world) == 2
    for program, _ in in_a_world:
        run_tests(program, "1 passed", tmp_path, str(COMMON.parent / "build/lib/libsyncmanager-testing.so.0"))
    assert syncmanager.version()


def run_tests(program: str, wanted: str, tmp_path: Path, library: str) -> None:
    (tmp_path / "test_app.py").write_text(program)
    done = subprocess.run(
        # A folder of its own: at its end pytest deletes what earlier runs left beside it, which can take minutes.
        [sys.executable, "-m", "pytest", "-q", "-p", "syncmanager.testing.plugin", "-p", "no:cacheprovider",
         "--basetemp", tmp_path / "inner", tmp_path / "test_app.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "SYNCMANAGER_LIBRARY": library},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert wanted in done.stdout
