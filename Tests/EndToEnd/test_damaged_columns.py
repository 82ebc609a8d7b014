"""Each integer of both files at the edges of its type: nothing traps, nothing hangs, and the client goes on."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from edges import edges, updates
from harness import ROOT, Server
from populate import OPTIONS, config_of, files, fill, fill_server, tables


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A server, and the files of a user who has something in every table."""
    folder = tmp_path_factory.mktemp("damaged")
    with Server(*OPTIONS, db=folder / "server.db") as server:
        fill_server(server)
        config = config_of(server, folder / "data", search=True)
        fill(server, config)
        yield config, folder / "data"


def integers(path: Path) -> list[tuple[str, str]]:
    """Every column that holds integers, of every table there is."""
    found = []
    with sqlite3.connect(path) as database:
        for table, columns in tables(path).items():
            for column in columns:
                kinds = {row[0] for row in database.execute(f'SELECT DISTINCT typeof("{column}") FROM "{table}"')}
                if "integer" in kinds:
                    found.append((table, column))
    database.close()
    return found


def read(config: dict, pristine: Path, statements: list[str]) -> str:
    """What went wrong, with the statement; empty when nothing did."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(
        [str(ROOT / "bindings/python"), str(ROOT / "Tests/EndToEnd"), str(ROOT / "Tests/Schemas"),
         os.environ.get("PYTHONPATH", "")])}
    program = subprocess.run(
        [sys.executable, ROOT / "Tests/EndToEnd/read_damaged.py", json.dumps(config), str(pristine), *statements],
        capture_output=True, text=True, env=environment, errors="replace")
    if program.returncode == 0 and program.stdout.endswith("done\n"):
        return ""
    return f"{program.stdout.splitlines()[-1:]}: ended with {program.returncode}: {program.stderr[-2000:]}"


def numbers_in_texts(file: str, path: Path) -> list[list[str]]:
    """The same for numbers in texts that are no JSON, as in cursors and ids: statements for each column."""
    found = []
    with sqlite3.connect(path) as database:
        for table, columns in tables(path).items():
            for column in [column for column in columns if column not in ("json", "body")]:
                texts = [row[0] for row in database.execute(f"""
                    SELECT DISTINCT "{column}" FROM "{table}"
                    WHERE typeof("{column}") = 'text' AND "{column}" GLOB '*[0-9]*' LIMIT 3""")]
                found.append([
                    f'{file}: UPDATE OR IGNORE "{table}" SET "{column}" = \'{re.sub("-?[0-9]+", str(edge), text)}\' '
                    f'WHERE "{column}" = \'{text}\'' for text in texts for edge in edges(len(found))])
    database.close()
    return list(filter(None, found))


def judge(config: dict, pristine: Path, columns: list[list[str]]) -> None:
    with ThreadPoolExecutor(2) as pool:
        wrong = list(filter(None, pool.map(lambda statements: read(config, pristine, statements), columns)))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("file", ["cache.db", "intents.db"])
def test_every_integer_at_the_edges_of_its_type(filled, file):
    config, pristine = filled
    columns = integers(files(pristine) / file)
    assert len(columns) > 10, columns
    judge(config, pristine, [
        [f"{file}: {sql}" for sql in updates(*column, number)] for number, column in enumerate(columns)])


@pytest.mark.parametrize("file", ["cache.db", "intents.db"])
def test_every_number_in_a_text_at_the_edges_of_an_integer(filled, file):
    config, pristine = filled
    columns = numbers_in_texts(file, files(pristine) / file)
    assert len(columns) > 2, columns
    judge(config, pristine, columns)
