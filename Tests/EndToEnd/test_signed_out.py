"""Signing out: nothing kept of the user is in a file; if another process keeps it there, the call says so."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest
from harness import Server
from library import Client, lib
from populate import CHANNEL, OPTIONS, OTHER, SECRET, config_of, files, fill, fill_server

STORAGE = -9
#: A reader with a transaction, until its input ends.
READER = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN")
database.execute(f"SELECT * FROM {sys.argv[2]}").fetchone()
print("reading", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def filled(tmp_path):
    """The configuration of a user with something in every table."""
    with Server(*OPTIONS, db=tmp_path / "server.db") as server:
        fill_server(server, messages=30)
        config = config_of(server, tmp_path / "data")
        fill(server, config)
        yield config


def holding(data) -> list[str]:
    """The files with a text of the user; the index of a log holds none of its content."""
    return sorted(path.name for path in files(data).iterdir()
                  if not path.name.endswith("-shm") and SECRET.encode() in path.read_bytes())


def signed_out(client: Client) -> dict:
    assert lib.sm_sign_out(client.handle, None, None, None, None) == 0
    return client.wait("result", call="sign_out")


@pytest.mark.parametrize("name, table", [("cache.db", "message"), ("intents.db", "intent")])
def test_a_reader_in_another_process_is_told_of(filled, tmp_path, name, table):
    data = tmp_path / "data"
    path = files(data) / name
    with Client(filled) as client:
        assert client.error is None, client.error
        with subprocess.Popen([sys.executable, "-c", READER, path, table], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as reader:
            assert reader.stdout.readline() == "reading\n"
            result = signed_out(client)
            assert holding(data), "the reader keeps what it reads"
            assert result["status"] == STORAGE and name in result["message"], result
        result = signed_out(client)
        assert result["status"] == 0, result
        assert holding(data) == []


def test_a_full_disk_is_told_of(filled, tmp_path):
    """No file may grow, as on a full disk (Python ignores the signal); the call says why, and can be made again."""
    with Client(filled) as client:
        assert client.error is None, client.error
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
        try:
            result = signed_out(client)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert result["status"] == STORAGE and result["message"], result
        result = signed_out(client)
        assert result["status"] == 0, result
        assert holding(tmp_path / "data") == []


def test_channels_that_are_open_are_forgotten_when_the_client_closes(filled, tmp_path):
    with Client(filled) as client:
        assert client.error is None, client.error
        for url in (CHANNEL, OTHER, f"{SECRET}-unknown"):
            assert client.messages(url, {})[1] is None
        assert client.messages(CHANNEL, {"parent_message_id": 1})[1] is None
        assert signed_out(client)["status"] == 0
    assert holding(tmp_path / "data") == []
