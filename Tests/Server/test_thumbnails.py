"""Thumbnails of uploaded pictures, made by libgd: how large they are, who may have them, and what has none."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path
from typing import Any

from running import Server
from test_files import local, multipart, post
from wire import Rest

#: 64 x 32 pixels, red and blue.
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQEAYABgAAD//gA7Q1JFQVRPUjogZ2QtanBlZyB2MS4wICh1c2luZyBJSkcgSlBFRyB2NjIpLCBxdWFs"
    "aXR5ID0gMjAK/9sAQwAoHB4jHhkoIyEjLSsoMDxkQTw3Nzx7WF1JZJGAmZaPgIyKoLTmw6Cq2q2KjMj/y9ru9f///5vB////"
    "+v/m/f/4/9sAQwErLS08NTx2QUF2+KWMpfj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4"
    "+Pj4/8AAEQgAIABAAwEiAAIRAQMRAf/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQE"
    "AAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RV"
    "VldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY"
    "2drh4uPk5ebn6Onq8fLz9PX29/j5+v/EAB8BAAMBAQEBAQEBAQEAAAAAAAABAgMEBQYHCAkKC//EALURAAIBAgQEAwQHBQQE"
    "AAECdwABAgMRBAUhMQYSQVEHYXETIjKBCBRCkaGxwQkjM1LwFWJy0QoWJDThJfEXGBkaJicoKSo1Njc4OTpDREVGR0hJSlNU"
    "VVZXWFlaY2RlZmdoaWpzdHV2d3h5eoKDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW"
    "19jZ2uLj5OXm5+jp6vLz9PX29/j5+v/aAAwDAQACEQMRAD8Aq0UUVznsBRRRQBVooor6A8MKKKKALVFFFfPnuBRRRQBVooor"
    "6A8MKKKKAP/Z"
)


def png(width: int, height: int, rows: bytes | None = None) -> bytes:
    """Half transparent, unless `rows` are the bytes of its rows."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\x10\x80\xf0\x80" * width) * height if rows is None else rows
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def progressive(scans: int) -> bytes:
    """16 x 16 pixels that come in so many scans, all of which but the first say nothing."""

    def segment(marker: int, data: bytes) -> bytes:
        return bytes((0xFF, marker)) + struct.pack(">H", len(data) + 2) + data

    def table(kind: int, symbol: int) -> bytes:
        return segment(0xC4, bytes((kind, 1, *[0] * 15, symbol)))

    head = b"\xff\xd8" + segment(0xDB, b"\0" + b"\1" * 64)
    head += segment(0xC2, struct.pack(">BHHB", 8, 16, 16, 1) + b"\x01\x11\x00") + table(0x00, 0) + table(0x10, 0x20)
    first = segment(0xDA, b"\x01\x01\x00\x00\x00\x00") + b"\x0f"
    return head + first + (segment(0xDA, b"\x01\x01\x00\x01\x3f\x00") + b"\x1f") * (scans - 1) + b"\xff\xd9"


def size(picture: bytes) -> tuple[int, int]:
    if picture.startswith(b"\x89PNG"):
        assert picture[25] == 6, "it has lost what is transparent"
        return struct.unpack(">II", picture[16:24])
    place = picture.index(b"\xff\xc0")
    height, width = struct.unpack(">HH", picture[place + 5 : place + 9])
    return width, height


def upload(rest: Rest, data: bytes, *sizes: str, auth: bool = False) -> list[dict[str, Any]]:
    parts = [("file", "a.bin", "application/octet-stream", data)]
    parts += [(f"thumbnail{number}", None, "", text.encode()) for number, text in enumerate(sizes, 1)]
    if auth:
        parts.append(("require_auth", None, "", b"true"))
    answer = post(rest, "/v3/storage/file", multipart(parts))
    assert answer.status == 200, answer.body
    return answer.json["thumbnails"]


def test_each_size_fits(server: Server) -> None:
    rest = server.user("ann").rest
    for data, sizes, expected in [
        (JPEG, ("32,32", "10,1000", "500,500"), [(32, 16), (10, 5), (64, 32)]),
        (png(300, 100), ("30,30", "1,1"), [(30, 10), (1, 1)]),
        (png(3, 900), ("100,90",), [(1, 90)]),
    ]:
        made = upload(rest, data, *sizes)
        assert [(one["real_width"], one["real_height"]) for one in made] == expected
        assert [f"{one['width']},{one['height']}" for one in made] == list(sizes)
        for one, wanted in zip(made, expected):
            got = Rest(server.port, {}).call("GET", local(one["url"]))
            assert got.status == 200 and size(got.body) == wanted
            assert got.headers["Content-Type"] == ("image/png" if data[0] == 0x89 else "image/jpeg")


def test_they_are_of_those_who_may_have_the_picture(server: Server) -> None:
    rest = server.user("ann").rest
    (made,) = upload(rest, JPEG, "8,8", auth=True)
    assert Rest(server.port, {}).call("GET", local(made["url"])).status == 401
    assert rest.call("GET", local(made["url"])).status == 200


def test_a_message_has_them(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    parts = [("message_type", None, "", b"FILE"), ("user_id", None, "", b"ann"), ("thumbnail1", None, "", b"16,16")]
    path = f"/v3/group_channels/{channel}/messages"
    sent = post(ann.rest, path, multipart([*parts, ("file", "a.jpg", "image/jpeg", JPEG)])).json
    assert [(one["real_width"], one["real_height"]) for one in sent["thumbnails"]] == [(16, 8)]


def test_what_is_in_a_folder_has_them(start: Any, tmp_path: Path) -> None:
    server = start("--files", str(tmp_path / "files"))
    (made,) = upload(server.user("ann").rest, png(40, 40), "20,20")
    assert size(Rest(server.port, {}).call("GET", local(made["url"])).body) == (20, 20)


def test_what_is_no_picture_has_none(server: Server) -> None:
    rest = server.user("ann").rest
    huge = png(20_000, 20_000, b"")  # a few bytes that would be 1.6 GB unpacked
    wrong = [
        b"", b"x", b"\x89PNG\r\n\x1a\n", png(4, 4)[:-20], png(4, 4)[:40], png(0, 4, b""), huge, png(2**31 - 1, 1, b""),
        JPEG[:3], JPEG[:200], b"\xff\xd8" + b"\xff" * 100, b"\xff\xd8\xff\xe0\0\0" * 20,
        b"\xff\xd8\xff\xc0\0\x11\x08\xff\xff\xff\xff\x03" + b"\0" * 30,
    ]
    for data in wrong:
        assert upload(rest, data, "10,10") == [], data[:40]
    for text in ["", "10", "10,", "0,10", "-1,5", "10,10,10", "a,b", "99999,1", "1e3,5", " 1,1"]:
        assert upload(rest, JPEG, text) == [], text


def test_a_picture_of_many_scans_has_none(server: Server) -> None:
    """Each scan costs a visit of all points, and a few bytes: of those that a program writes there are about ten."""
    rest = server.user("ann").rest
    assert len(upload(rest, progressive(40), "10,10")) == 1
    assert upload(rest, progressive(41), "10,10") == []
    # What stands in a comment, or behind the picture, is no scan.
    comment = b"\xff\xfe\x00\xc8" + b"\xff\xda" * 99
    assert len(upload(rest, JPEG[:2] + comment + JPEG[2:] + b"\xff\xda" * 99, "10,10")) == 1


def test_random_damage_ends_no_server(server: Server) -> None:
    import random

    rest, source = server.user("ann").rest, random.Random(20261125)
    for _ in range(200):
        data = bytearray(source.choice([JPEG, png(30, 20)]))
        for _ in range(source.randrange(1, 6)):
            data[source.randrange(len(data))] = source.randrange(256)
        for one in upload(rest, bytes(data), "10,10"):
            assert one["real_width"] <= 10 and one["real_height"] <= 10
    assert len(upload(rest, JPEG, "10,10")) == 1
