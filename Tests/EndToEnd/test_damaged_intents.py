"""What was to be sent, damaged on the disk: it is set aside and told, is sent nowhere, and holds nothing up."""

from __future__ import annotations

import json
import shutil
import sqlite3

import pytest
from harness import Server
from library import Client, lib
from populate import CHANNEL, OPTIONS, OTHER, SECRET, call, config_of, files, fill, fill_server

CORRUPT_INTENTS = -11


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A server, and the files of a user whose messages and writes wait."""
    folder = tmp_path_factory.mktemp("intents")
    with Server(*OPTIONS, db=folder / "server.db") as server:
        fill_server(server, messages=3)
        fill(server, config_of(server, folder / "data"))
        yield server, folder / "data"


def damaged(pristine, folder, change):
    """A copy of the files with one change of `intents.db`: SQL, or a pair of texts of its bytes."""
    data = folder / "data"
    shutil.copytree(pristine, data)
    path = files(data) / "intents.db"
    if isinstance(change, str):
        database = sqlite3.connect(path)
        assert database.execute(change).rowcount == 1, change
        database.commit()
        database.close()
    else:
        old, new = change
        content = path.read_bytes()
        assert content.count(old) >= 1 and len(old) == len(new), change
        # The row's own bytes stand before those of an index, which is on a later page.
        path.write_bytes(content.replace(old, new, 1))
    return data


def opened(server: Server, data) -> tuple[Client, list[dict]]:
    """A client of the files, and what it says is lost."""
    client = Client(config_of(server, data))
    assert client.error is None, client.error
    told = []
    while (event := client.next_event(0)) is not None:
        told.append(event)
    return client, [event for event in told if event["type"] == "storage_error"]


def kept(data, table: str) -> list[tuple]:
    database = sqlite3.connect(files(data) / "intents.db")
    rows = database.execute(f"SELECT * FROM {table}").fetchall()
    database.close()
    return rows


WRITES = {
    "path": "UPDATE database_write SET path = '/stolen' WHERE path = '/written'",
    "kind": "UPDATE database_write SET kind = 1 WHERE path = '/written'",
    "id": "UPDATE database_write SET id = id + 100 WHERE path = '/written'",
    "id at the end": "UPDATE database_write SET id = 9223372036854775807 WHERE path = '/written'",
    "name": "UPDATE database_write SET name = 'other' WHERE path = '/written'",
    "url": "UPDATE database_write SET url = 'http://127.0.0.1:1' WHERE path = '/written'",
    "body": "UPDATE database_write SET body = replace(body, 'a', 'b') WHERE path = '/written'",
    "bytes": (b"/written", b"/writtem"),
}


@pytest.mark.parametrize("column", WRITES)
def test_a_damaged_write_goes_nowhere_and_the_others_go_on(filled, tmp_path, column):
    server, pristine = filled
    server.database("PUT", "/count", 5)
    for place in ("/written", "/stolen", "/writtem", "/rooms/room1/rank", "/after"):
        server.database("DELETE", place)
    data = damaged(pristine, tmp_path, WRITES[column])
    client, told = opened(server, data)
    with client:
        lost = [entry for event in told for entry in event["lost"]]
        assert len(told) == 1 and told[0]["lost_count"] == 1 and len(lost) == 1, told
        assert lost[0]["kind"] == "database_write" and lost[0]["url"].startswith("http://127.0.0.1:")
        assert lost[0]["path"] in ("/written", "/stolen", "/writtem") and isinstance(lost[0]["id"], int)
        # The writes that are whole, and one behind them.
        call(client, {"action": "database_set", "path": "after", "value": 1})
        client.wait("result", action="database_set", status=0)
    assert server.database("GET", "/count") == 7 and server.database("GET", "/rooms/room1/rank") == 77
    assert server.database("GET", "/after") == 1
    for place in ("/written", "/stolen", "/writtem"):
        assert server.database("GET", place) is None, place
    # It is kept for whoever looks for it, and told once.
    assert any(f"{SECRET} written" in str(row) for row in kept(data, "damaged_write"))
    assert kept(data, "database_write") == []
    client, told = opened(server, data)
    with client:
        assert told == []


MESSAGES = {
    "channel_url": f"UPDATE intent SET channel_url = '{OTHER}' WHERE request_id = '{SECRET}-r1'",
    "request_id": f"UPDATE intent SET request_id = '{SECRET}-x1' WHERE request_id = '{SECRET}-r1'",
    "created_at": f"UPDATE intent SET created_at = -9223372036854775808 WHERE request_id = '{SECRET}-r1'",
    "status": f"UPDATE intent SET status = 7 WHERE request_id = '{SECRET}-r1'",
    "is_host_sent": f"UPDATE intent SET is_host_sent = 1 WHERE request_id = '{SECRET}-r1'",
    "retry_count": f"UPDATE intent SET retry_count = 9223372036854775807 WHERE request_id = '{SECRET}-r1'",
    "id": f"UPDATE intent SET id = 9223372036854775807 WHERE request_id = '{SECRET}-r1'",
    "id to another": f"UPDATE intent SET id = id + 100 WHERE request_id = '{SECRET}-r1'",
    "message_id": f"UPDATE intent SET message_id = 'm' WHERE request_id = '{SECRET}-r1'",
    "body": f"UPDATE intent SET body = replace(body, 'unsent', 'UNSENT') WHERE request_id = '{SECRET}-r1'",
    "bytes": (f"{SECRET}-r1".encode(), f"{SECRET}-r9".encode()),
}


@pytest.mark.parametrize("column", MESSAGES)
def test_a_damaged_message_goes_nowhere_and_the_others_go_on(filled, tmp_path, column):
    server, pristine = filled
    data = damaged(pristine, tmp_path, MESSAGES[column])
    before = len(server.messages(CHANNEL)), len(server.messages(OTHER))
    client, told = opened(server, data)
    with client:
        lost = [entry for event in told for entry in event["lost"]]
        assert len(told) == 1 and told[0]["lost_count"] == 1 and len(lost) == 1, told
        assert lost[0]["kind"] == "message" and lost[0]["channel_url"] in (CHANNEL, OTHER)
        assert lost[0]["request_id"].startswith(SECRET)
        messages, error = client.messages(CHANNEL, {})
        assert error is None
        assert lib.sm_connect(client.handle, None, None, None, None) == 0
        client.wait("result", call="connect", status=0)
        # Behind those that wait, in their order.
        last = json.dumps({"message": "after", "request_id": f"after-{column}"}).encode()
        assert lib.sm_send_message(messages, last, None, None, None, None) == 0
        client.wait("result", call="send_message", status=0)
    texts = [message["message"] for message in server.messages(CHANNEL)[before[0]:]]
    # What waited is sent once, by whichever of these tests came first: its request ids are the same.
    assert texts[-1] == "after" and f"{SECRET} unsent 1" not in texts and not any("UNSENT" in text for text in texts)
    assert f"{SECRET} unsent 1" not in [message["message"] for message in server.messages(OTHER)[before[1]:]]
    assert [row for row in kept(data, "intent") if "unsent" in str(row)] == []
    assert len(kept(data, "damaged_intent")) == 1


def test_all_are_told_and_none_is_lost_on_the_way(filled, tmp_path):
    """Every row of both tables: one event with all, and what is written afterwards is sent."""
    server, pristine = filled
    data = tmp_path / "data"
    shutil.copytree(pristine, data)
    database = sqlite3.connect(files(data) / "intents.db")
    database.execute("UPDATE intent SET checksum = checksum + 1")
    database.execute("UPDATE database_write SET checksum = checksum + 1")
    database.commit()
    database.close()
    client, told = opened(server, data)
    with client:
        assert [event["lost_count"] for event in told] == [7]
        assert sorted(entry.get("request_id", entry.get("path")) for entry in told[0]["lost"]) == sorted(
            ["/count", "/rooms/room1", "/written", *(f"{SECRET}-{end}" for end in ("f", "r0", "r1", "r2"))])
        assert sorted(entry["write"] for entry in told[0]["lost"] if "write" in entry) == ["count", "set", "update"]
        messages, _ = client.messages(CHANNEL, {})
        assert lib.sm_connect(client.handle, None, None, None, None) == 0
        # A request id of what is lost is free again.
        again = json.dumps({"message": "again", "request_id": f"{SECRET}-again"}).encode()
        assert lib.sm_send_message(messages, again, None, None, None, None) == 0
        client.wait("result", call="send_message", status=0)
        assert lib.sm_sign_out(client.handle, None, None, None, None) == 0
        client.wait("result", call="sign_out", status=0)
    # The user's: it goes with the user.
    assert kept(data, "damaged_intent") == [] and kept(data, "damaged_write") == []


def refused(server: Server, data) -> None:
    """The client does not open, for this reason, and the files stay as they are."""
    def content():
        # The index of a log is made anew by whoever opens the file.
        return {path.name: path.read_bytes() for path in files(data).glob("intents*") if path.suffix != ".db-shm"}

    before = content()
    for _ in range(2):
        client = Client(config_of(server, data))
        assert client.error is not None and client.error["code"] == CORRUPT_INTENTS, client.error
        assert content() == before


@pytest.mark.parametrize("part", [
    "DROP TABLE intent", "DROP TABLE database_write", "DROP TABLE damaged_intent", "DROP TABLE damaged_write",
    "DROP TABLE draft", "DROP INDEX draft_by_place",
    "DROP INDEX database_write_by_id", "ALTER TABLE intent DROP COLUMN retry_count",
])
def test_a_file_without_a_part_of_its_schema_is_refused(filled, tmp_path, part):
    server, pristine = filled
    data = tmp_path / "data"
    shutil.copytree(pristine, data)
    database = sqlite3.connect(files(data) / "intents.db")
    database.execute(part)
    database.commit()
    database.close()
    refused(server, data)


@pytest.mark.parametrize("size", [0, 1, 99, 100, 511])
def test_a_file_that_was_cut_is_refused(filled, tmp_path, size):
    server, pristine = filled
    data = tmp_path / "data"
    shutil.copytree(pristine, data)
    path = files(data) / "intents.db"
    path.write_bytes(path.read_bytes()[:size])
    refused(server, data)


@pytest.mark.parametrize("place", [0, 3, 7, 11, 20, 31])
def test_a_log_with_a_damaged_header_is_refused(filled, tmp_path, place):
    """A log as a kill leaves it, with one write that is nowhere else."""
    server, pristine = filled
    used, data = tmp_path / "used", tmp_path / "data"
    shutil.copytree(pristine, used)
    client, _ = opened(server, used)
    with client:
        call(client, {"action": "database_offline"})
        call(client, {"action": "database_set", "path": "late", "value": 1, "when": "kept"})
        client.wait("result", action="database_set", status=0)
        shutil.copytree(used, data)
    log = files(data) / "intents.db-wal"
    whole = log.read_bytes()
    assert len(whole) > 32
    log.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1:])
    refused(server, data)
    log.write_bytes(whole)
    client, told = opened(server, data)
    with client:
        assert told == []
