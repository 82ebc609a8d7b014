"""Files: uploads as multipart bodies, downloads whole and in ranges, who may have them."""

from __future__ import annotations

import random
from typing import Any

from running import Server
from wire import Answer, Rest

def multipart(parts: list[tuple[str, str | None, str, bytes]]) -> bytes:
    """Parts of (name, file name, type, bytes)."""
    body = b""
    for name, file_name, kind, data in parts:
        body += b"--boundary42\r\n" + f'Content-Disposition: form-data; name="{name}"'.encode()
        if file_name is not None:
            body += f'; filename="{file_name}"'.encode()
        body += b"\r\n" + (f"Content-Type: {kind}\r\n".encode() if kind else b"") + b"\r\n" + data + b"\r\n"
    return body + b"--boundary42--\r\n"


def post(rest: Rest, path: str, body: bytes, kind: str = "multipart/form-data; boundary=boundary42") -> Answer:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", rest.port, timeout=10)
    connection.request("POST", path, body, {**rest.headers, "Content-Type": kind})
    response = connection.getresponse()
    answer = Answer(response.status, response.read(), dict(response.getheaders()))
    connection.close()
    return answer


def local(url: str) -> str:
    return "/" + url.split("/", 3)[3]


def test_upload_and_download(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    # Bytes of every value, and what looks like a boundary.
    data = bytes(range(256)) * 40 + b"\r\n--boundary4\r\n--boundary43" + b"\r\n\r\n"
    answer = post(
        ann.rest,
        "/v3/storage/file",
        multipart(
            [
                ("file", "pic;ture\\\".png", "image/png", data),
                ("channel_url", None, "", channel.encode()),
                ("request_id", None, "", b"r1"),
                ("thumbnail1", None, "", b"100,100"),
            ]
        ),
    )
    assert answer.status == 200, answer.body
    stored = answer.json
    assert stored["file_size"] == len(data) and stored["name"] == 'pic;ture".png' and stored["require_auth"] is False
    got = Rest(server.port, {}).call("GET", local(stored["url"]))
    assert got.status == 200 and got.body == data and got.headers["Content-Type"] == "image/png"
    a = ann.connect()
    a.send("FILE", channel_url=channel, url=stored["url"], name="x", type="image/png", size=len(data), req_id="f")
    assert a.wait("FILE")["url"] == stored["url"]
    server.user("eve")
    eve = Rest(server.port, {"Session-Key": server.admin.post("/v3/users/eve/token", {})["token"]})
    body = multipart([("file", "x", "", b"x"), ("channel_url", None, "", channel.encode())])
    assert post(eve, "/v3/storage/file", body).json["code"] == 900020


def test_ranges(server: Server) -> None:
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    server.user("ann")
    data = chance.randbytes(1000)
    stored = post(server.admin, "/v3/storage/file", multipart([("file", "x.bin", "", data)])).json
    path = local(stored["url"])
    reader = Rest(server.port, {})

    def ranged(text: str) -> Answer:
        return reader.call("GET", path, Range=text)

    for first, last in [(0, 0), (0, 999), (999, 999), (10, 5000)] + [
        tuple(sorted((chance.randrange(1000), chance.randrange(1000)))) for _ in range(20)
    ]:
        got = ranged(f"bytes={first}-{last}")
        end = min(last, 999)
        assert got.status == 206 and got.body == data[first : end + 1], (seed, first, last)
        assert got.headers["Content-Range"] == f"bytes {first}-{end}/1000"
    assert ranged("bytes=900-").body == data[900:] and ranged("bytes=-7").body == data[-7:]
    assert ranged("bytes=-5000").body == data
    for text in ("bytes=1000-", "bytes=99999999999999999999-", "bytes=-0"):
        got = ranged(text)
        assert got.status == 416 and got.headers["Content-Range"] == "bytes */1000", text
    # What is no single range of bytes is not understood, and the whole comes.
    for text in ("bytes=5-2", "bytes=a-b", "lines=1-2", "bytes=", "bytes=-", "bytes=1-2,4-5", "bytes=+1-2"):
        got = ranged(text)
        assert got.status == 200 and got.body == data, text
    # A range that is for another file, as it was when a download began, is none of this one.
    tag = reader.call("GET", path).headers["ETag"]
    assert ranged("bytes=0-1").headers["ETag"] == tag and tag.startswith('"') and tag.endswith('"')
    assert reader.call("GET", path, **{"Range": "bytes=0-1", "If-Range": tag}).status == 206
    for other in ('"other"', "W/" + tag, "Tue, 24 Nov 2026 18:00:00 GMT", ""):
        got = reader.call("GET", path, **{"Range": "bytes=0-1", "If-Range": other})
        assert got.status == 200 and got.body == data, other
    again = post(server.admin, "/v3/storage/file", multipart([("file", "x.bin", "", data)])).json
    assert reader.call("GET", local(again["url"])).headers["ETag"] != tag
    head = reader.call("HEAD", path, Range="bytes=0-1")
    assert head.status == 200 and head.headers["Content-Length"] == "1000" and head.body == b""
    reader.refused(400201, "GET", "/files/nothing/x")


def test_files_that_need_a_login(start: Any, tmp_path: Any) -> None:
    server = start("--db", str(tmp_path / "chat.db"), "--user", "ann:secret", "--api-token", "t")
    admin = Rest(server.port, {"Api-Token": "t"})
    body = multipart([("file", "x", "text/plain", b"secret"), ("require_auth", None, "", b"true")])
    stored = post(admin, "/v3/storage/file", body).json
    assert stored["require_auth"] is True
    path = local(stored["url"])
    Rest(server.port, {}).refused(400402, "GET", path)
    Rest(server.port, {}).refused(400402, "GET", path + "?auth=wrong")
    app = server.ready["app_id"]
    key = server.socket(f"ai={app}&user_id=ann", {"SENDBIRD-WS-TOKEN": "secret"}).logi["ekey"]
    assert Rest(server.port, {}).call("GET", f"{path}?auth={key}").body == b"secret"
    assert admin.call("GET", path).body == b"secret"
    assert server.stop() == 0
    again = start("--db", str(tmp_path / "chat.db"), "--api-token", "t")
    assert Rest(again.port, {}).call("GET", f"{path}?auth={key}").body == b"secret"


def test_a_key_that_is_not_needed(start: Any) -> None:
    server = start("--strict")
    stored = post(server.admin, "/v3/storage/file", multipart([("file", "x", "text/plain", b"open")])).json
    for key in ("any", ""):
        got = Rest(server.port, {}).call("GET", local(stored["url"]) + f"?auth={key}")
        assert got.status == 200 and got.body == b"open"
    Rest(server.port, {}).refused(400111, "GET", local(stored["url"]) + "?other=1")


def test_messages_and_pictures_as_forms(server: Server) -> None:
    ann = server.user("ann")
    channel = ann.channel()
    body = multipart(
        [
            ("message_type", None, "", b"FILE"),
            ("user_id", None, "", b"ann"),
            ("mentioned_user_ids", None, "", b'["ann"]'),
            ("sorted_metaarray", None, "application/json", b'[{"key":"k","value":["v"]}]'),
            ("file", "a b.txt", "text/plain", b"\xff\x00"),
        ]
    )
    sent = post(ann.rest, channel.path + "/messages", body).json
    assert sent["file"]["name"] == "a b.txt" and sent["file"]["size"] == 2 and sent["file"]["type"] == "text/plain"
    assert sent["sorted_metaarray"] == [{"key": "k", "value": ["v"]}] and sent["mentioned_user_ids"] == ["ann"]
    assert ann.rest.call("GET", local(sent["file"]["url"])).body == b"\xff\x00"
    named = [("user_id", None, "", b"bob"), ("nickname", None, "", b"Bob")]
    picture = multipart([*named, ("profile_file", "p", "", b"P")])
    made = post(server.admin, "/v3/users", picture).json
    assert made["nickname"] == "Bob" and server.admin.call("GET", local(made["profile_url"])).body == b"P"
    cover = multipart([("user_ids", None, "", b"ann,bob"), ("name", None, "", b"N"), ("cover_file", "c", "", b"C")])
    group = post(ann.rest, "/v3/group_channels", cover).json
    assert group["name"] == "N" and group["member_count"] == 2
    assert ann.rest.call("GET", local(group["cover_url"])).body == b"C"
    form = b"message=a%26b+c&user_id=ann&is_silent=true"
    sent = post(ann.rest, channel.path + "/messages", form, "application/x-www-form-urlencoded").json
    assert sent["message"] == "a&b c" and sent["silent"] is True


def test_broken_bodies(server: Server) -> None:
    whole = multipart([("file", "x", "", b"data"), ("a", None, "", b"b")])
    kind = "multipart/form-data; boundary=boundary42"
    for cut in range(len(whole) - 4):
        answer = post(server.admin, "/v3/storage/file", whole[:cut])
        assert answer.status == 400 and answer.json["code"] in (400403, 400105), (cut, answer.body)
    for wrong in ("multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=other"):
        assert post(server.admin, "/v3/storage/file", whole, wrong).json["code"] == 400403
    assert post(server.admin, "/v3/storage/file", whole, kind + "; x=\"y\"").status == 200
    assert post(server.admin, "/v3/storage/file", multipart([("x", "x", "", b"")])).json["code"] == 400105
    large = multipart([("file", "x", "", bytes(30 * 2**20 + 1))])
    assert post(server.admin, "/v3/storage/file", large).status == 413
    assert post(server.admin, "/v3/storage/file", multipart([("file", "x", "", bytes(30 * 2**20))])).status == 200
