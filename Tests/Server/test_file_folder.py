"""Files in a folder (`--files`): what lies there, what is left there, what a server holds in memory for them."""

from __future__ import annotations

import http.client
import json
import os
import pathlib
import signal
import socket
import sqlite3
import subprocess
import time
from typing import Any

from running import Server, program
from test_files import local, multipart, post
from wire import DEADLINE, Rest

MB = 1 << 20


def stored(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.iterdir() if path.name != "owner")


def resident(server: Server) -> int:
    """Bytes that the server has in memory and that are no file's."""
    for line in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no RssAnon")


def frame(name: str = "x") -> tuple[bytes, bytes]:
    """What comes before a file's bytes in a form, and what comes after them."""
    before, after = multipart([("file", name, "application/x", b"\0cut\0")]).split(b"\0cut\0")
    return before, after


def send(server: Server, count: int, piece: bytes, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    """Uploads `count` times `piece`."""
    before, after = frame()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    connection.connect()
    # Else the last bytes wait for the acknowledgement of those before them.
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.putrequest("POST", "/v3/storage/file")
    length = len(before) + count * len(piece) + len(after)
    named = {"Content-Type": "multipart/form-data; boundary=boundary42", "Content-Length": str(length)}
    for key, value in {**server.admin.headers, **named, **(headers or {})}.items():
        connection.putheader(key, value)
    connection.endheaders(before)
    try:
        for _ in range(count):
            connection.send(piece)
        connection.send(after)
    except (BrokenPipeError, ConnectionResetError):
        pass  # It was answered before its end.
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


def refused(status: int, *options: str) -> str:
    """What a server says that does not start."""
    ended = subprocess.run([program(), *options], capture_output=True, text=True, timeout=DEADLINE)
    assert ended.returncode == status, ended
    return ended.stderr


def until(holds: Any) -> None:
    deadline = time.monotonic() + DEADLINE
    while not holds():
        assert time.monotonic() < deadline


def test_it_lies_in_the_folder(start: Any, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "files"
    options = ("--db", str(tmp_path / "chat.db"), "--files", str(folder), "--api-token", "t")
    server = start(*options)
    data = bytes(range(256)) * 400 + b"\r\n--boundary4\r\n--boundary43"
    answer = post(server.admin, "/v3/storage/file", multipart([("file", "a.bin", "image/x", data)])).json
    assert answer["file_size"] == len(data) and answer["name"] == "a.bin"
    empty = post(server.admin, "/v3/storage/file", multipart([("file", "e", "", b"")])).json
    assert [path.stat().st_size for path in stored(folder)] in ([0, len(data)], [len(data), 0])
    assert {oct(path.stat().st_mode & 0o777) for path in folder.iterdir()} == {"0o600"}
    for server in (server, None):
        if server is None:
            server = start(*options)
        got = Rest(server.port, {}).call("GET", local(answer["url"]))
        assert got.body == data and got.headers["Content-Type"] == "image/x"
        part = Rest(server.port, {}).call("GET", local(answer["url"]), Range="bytes=100-199")
        assert part.status == 206 and part.body == data[100:200]
        assert Rest(server.port, {}).call("GET", local(empty["url"])).body == b""
        assert server.stop() == 0


def test_everything_that_may_bring_a_file(start: Any, tmp_path: pathlib.Path) -> None:
    server = start("--files", str(tmp_path / "files"), "--strict")
    ann = server.user("ann")
    channel = ann.channel()
    form = [("message_type", None, "", b"FILE"), ("user_id", None, "", b"ann"), ("file", "a", "text/plain", b"abc")]
    sent = post(ann.rest, channel.path + "/messages", multipart(form)).json
    assert sent["file"]["size"] == 3 and ann.rest.call("GET", local(sent["file"]["url"])).body == b"abc"
    form = [("user_id", None, "", b"bob"), ("nickname", None, "", b"B"), ("profile_file", "p", "", b"P")]
    made = post(server.admin, "/v3/users", multipart(form)).json
    assert server.admin.call("GET", local(made["profile_url"])).body == b"P"
    form = [("user_ids", None, "", b"ann,bob"), ("cover_file", "c", "", b"C")]
    made = post(ann.rest, "/v3/group_channels", multipart(form)).json
    assert server.admin.call("GET", local(made["cover_url"])).body == b"C"
    assert len(stored(tmp_path / "files")) == 3
    # What is refused leaves no file: for a key that nobody reads, for what is missing, for somebody unknown.
    wrong = multipart([("file", "a", "", b"abc"), ("nonsense", None, "", b"1")])
    assert post(server.admin, "/v3/storage/file", wrong).json["code"] == 400111
    assert post(server.admin, "/v3/storage/file", multipart([("x", "a", "", b"abc")])).json["code"] == 400105
    nobody = Rest(server.port, {})
    assert post(nobody, "/v3/storage/file", multipart([("file", "a", "", b"abc")])).json["code"] == 400402
    assert post(server.admin, "/v3/nowhere", multipart([("file", "a", "", b"abc")])).status == 404
    assert len(stored(tmp_path / "files")) == 3


def test_broken_forms_leave_nothing(start: Any, tmp_path: pathlib.Path) -> None:
    server = start("--files", str(tmp_path / "files"))
    whole = multipart([("file", "x", "", b"data"), ("a", None, "", b"b"), ("file2", "y", "", b"more")])
    for cut in range(len(whole) - 4):
        answer = post(server.admin, "/v3/storage/file", whole[:cut])
        assert answer.status == 400 and answer.json["code"] in (400403, 400105), (cut, answer.body)
    assert stored(tmp_path / "files") == []
    # In pieces of any size the same comes in.
    for size in (1, 2, 3, 7, 40):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
        pieces = (whole[at : at + size] for at in range(0, len(whole), size))
        kind = {"Content-Type": "multipart/form-data; boundary=boundary42"}
        connection.request("POST", "/v3/storage/file", pieces, {**server.admin.headers, **kind}, encode_chunked=True)
        answered = connection.getresponse()
        assert answered.status == 200, answered.read()
        connection.close()
    assert [path.read_bytes() for path in stored(tmp_path / "files")] == [b"data"] * 5


def test_limits(start: Any, tmp_path: pathlib.Path) -> None:
    server = start("--files", str(tmp_path / "files"), "--file-limit", "40", "--file-quota", "70")
    ann = server.user("ann")
    logi = ann.connect().logi
    assert logi["file_upload_size_limit"] == 40
    piece = bytes(MB)
    status, body = send(server, 41, piece)
    assert status == 413 and b"larger than 40 MB" in body
    # The server does not wait for so long a body.
    status, body = send(server, 100, piece)
    assert status == 413 and b"larger than 40 MB" in body
    assert stored(tmp_path / "files") == []
    assert send(server, 40, piece)[0] == 200
    assert len(stored(tmp_path / "files")) == 1
    assert send(server, 30, bytes(MB - 1000))[0] == 200
    status, body = send(server, 1, piece)
    assert status == 413 and b"400306" in body and b"quota of 70 MB" in body
    assert len(stored(tmp_path / "files")) == 2


def test_quota_of_files_in_the_database(start: Any, tmp_path: pathlib.Path) -> None:
    options = ("--db", str(tmp_path / "chat.db"), "--file-quota", "2", "--api-token", "t")
    server = start(*options)
    assert send(server, 1, bytes(MB))[0] == 200
    assert send(server, 2, bytes(MB))[0] == 413
    assert server.stop() == 0
    server = start(*options)
    assert send(server, 2, bytes(MB))[0] == 413
    assert send(server, 1, bytes(MB))[0] == 200


def test_options_that_do_not_fit(tmp_path: pathlib.Path) -> None:
    assert "needs --files" in refused(2, "--file-limit", "31")
    assert "no valid value" in refused(2, "--file-limit", "0")
    assert "no valid value" in refused(2, "--files", "")
    (tmp_path / "plain").write_bytes(b"")
    assert "plain cannot be used" in refused(1, "--files", str(tmp_path / "plain"))


def test_the_folder_of_another_database(start: Any, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "files"
    first = start("--db", str(tmp_path / "a.db"), "--files", str(folder))
    assert send(first, 1, b"abc")[0] == 200
    assert "in use by another server" in refused(1, "--files", str(folder))
    assert first.stop() == 0
    assert "files of another database" in refused(1, "--db", str(tmp_path / "b.db"), "--files", str(folder))
    assert "files of another database" in refused(1, "--files", str(folder))
    assert "which was not named" in refused(1, "--db", str(tmp_path / "a.db"))
    (other := folder / "mine.txt").write_bytes(b"mine")
    second = start("--db", str(tmp_path / "a.db"), "--files", str(folder))
    assert second.stop() == 0 and other.exists() and len(stored(folder)) == 2


def test_a_killed_server_has_no_half_file(start: Any, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "files"
    options = ("--db", str(tmp_path / "chat.db"), "--files", str(folder), "--api-token", "t")
    server = start(*options)
    done = post(server.admin, "/v3/storage/file", multipart([("file", "x", "", b"whole")])).json
    before, _ = frame()
    head = b"POST /v3/storage/file HTTP/1.1\r\nHost: h\r\nApi-Token: t\r\nContent-Length: 9000000\r\n"
    head += b"Content-Type: multipart/form-data; boundary=boundary42\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as half:
        half.sendall(head + before + bytes(3 * MB))
        until(lambda: sum(path.stat().st_size for path in stored(folder)) > 3 * MB - 200)
        assert len(stored(folder)) == 2
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(DEADLINE)
    again = start(*options)
    assert [path.read_bytes() for path in stored(folder)] == [b"whole"]
    assert again.admin.call("GET", local(done["url"])).body == b"whole"
    # One that is not there as a whole any more is not given.
    os.truncate(stored(folder)[0], 2)
    again.admin.refused(400201, "GET", local(done["url"]))


def test_connections_that_end_leave_nothing(start: Any, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "files"
    server = start("--files", str(folder), "--api-token", "t")
    before, _ = frame()
    head = b"POST /v3/storage/file HTTP/1.1\r\nHost: h\r\nApi-Token: t\r\nTransfer-Encoding: chunked\r\n"
    head += b"Content-Type: multipart/form-data; boundary=boundary42\r\n\r\n"
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as half:
            half.sendall(head + b"%x\r\n" % (len(before) + 5000) + before + bytes(5000) + b"\r\n")
            until(lambda: len(stored(folder)) == 1)
        until(lambda: stored(folder) == [])


def test_a_folder_of_nobody_ends_with_the_server(start: Any, tmp_path: pathlib.Path) -> None:
    server = start("--files", str(tmp_path))
    assert send(server, 1, b"abc")[0] == 200 and len(stored(tmp_path)) == 1
    assert server.stop() == 0
    assert stored(tmp_path) == []


def test_an_older_database_gets_a_folder(start: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "chat.db"
    server = start("--db", str(path), "--api-token", "t")
    old = post(server.admin, "/v3/storage/file", multipart([("file", "x", "", b"old")])).json
    assert server.stop() == 0
    with sqlite3.connect(path) as file:
        assert file.execute("SELECT size, is_apart, bytes FROM files").fetchall() == [(3, 0, b"old")]
        # As a server had it that knew no folder.
        file.executescript(
            "ALTER TABLE files DROP COLUMN size; ALTER TABLE files DROP COLUMN is_apart;"
            "DELETE FROM marks WHERE name = 'file_bytes'; PRAGMA user_version = 6;"
        )
    server = start("--db", str(path), "--api-token", "t", "--files", str(tmp_path / "files"), "--file-quota", "1")
    new = post(server.admin, "/v3/storage/file", multipart([("file", "x", "", b"new")])).json
    assert server.admin.call("GET", local(old["url"])).body == b"old"
    assert server.admin.call("GET", local(new["url"])).body == b"new"
    assert send(server, 1, bytes(MB - 3))[0] == 413


def test_memory(start: Any, tmp_path: pathlib.Path) -> None:
    """What goes through the server does not stay: neither one large file nor many small ones."""
    server = start("--files", str(tmp_path / "files"), "--file-limit", "1000")
    size = 1000 if os.environ.get("SM_LONG") else 100
    many = 10_000 if os.environ.get("SM_LONG") else 300
    for _ in range(20):
        assert send(server, 1, bytes(100_000))[0] == 200
    before = resident(server)
    status, body = send(server, size - 1, bytes(MB))
    assert status == 200
    after_large = resident(server)
    assert after_large - before < 3 * MB, (before, after_large)
    url = local(json.loads(body)["url"])
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=DEADLINE)
    connection.request("GET", url)
    answer = connection.getresponse()
    got = 0
    highest = 0
    for number, piece in enumerate(iter(lambda: answer.read(MB), b"")):
        got += len(piece)
        if number % 20 == 0:
            highest = max(highest, resident(server))
    connection.close()
    assert got == (size - 1) * MB and highest - before < 3 * MB, (before, highest)
    for _ in range(many):
        assert send(server, 1, bytes(100_000))[0] == 200
    after_many = resident(server)
    assert after_many - before < 6 * MB, (before, after_many)
