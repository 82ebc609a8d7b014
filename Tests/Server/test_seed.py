"""Imported and generated accounts."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import Any

from running import Server, User
from wire import Rest, quote


def log_in(server: Server, number: int = 0) -> User:
    user = server.ready["users"][number]
    return User(server, user["user_id"], user["access_token"])


def all_messages(user: User, url: str, size: int = 100) -> list[Any]:
    """Everything of a channel by pages, as a client would sync it: backwards, de-duplicated at the edges."""
    seen: dict[int, Any] = {}
    edge = 2**62
    path = f"/v3/group_channels/{quote(url)}/messages"
    while True:
        page = user.rest.get(
            path,
            message_ts=edge,
            prev_limit=size,
            next_limit=0,
            include=True,
            include_reply_type="all",
            with_sorted_meta_array=True,
            include_reactions=True,
            include_thread_info=True,
        )["messages"]
        fresh = [m for m in page if m["message_id"] not in seen]
        assert [(m["created_at"], m["message_id"]) for m in page] == sorted(
            (m["created_at"], m["message_id"]) for m in page
        )
        if not fresh:
            return sorted(seen.values(), key=lambda m: (m["created_at"], m["message_id"]))
        seen.update({m["message_id"]: m for m in fresh})
        edge = page[0]["created_at"]


def test_import_keeps_order_and_bytes(start: Any, tmp_path: pathlib.Path) -> None:
    lines = []
    for number in range(1234):
        text = ["plain", "ünïcode 日本", 'quote " \\ back', "new\nline", "👩‍👩‍👧 e\u0301", ""][
            number % 6
        ] + f" {number}"
        # Runs of equal timestamps, some longer than a page.
        lines.append({"ts": 1_500_000_000_000 + (number // 150) * 1000, "sender": f"s{number % 7}", "text": text})
    for name in ("talk.jsonl", "packed.jsonl.gz"):
        data = "".join(
            json.dumps(line, ensure_ascii=number % 2 == 0) + "\n" for number, line in enumerate(lines)
        ).encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    server = start("--import", str(tmp_path / "talk.jsonl"), "--import", str(tmp_path / "packed.jsonl.gz"))
    reader = log_in(server)
    assert [c["channel_url"] for c in server.ready["channels"]] == ["import-talk", "import-packed"]
    for url in ("import-talk", "import-packed"):
        found = all_messages(reader, url)
        assert [(m["created_at"], m["user"]["user_id"], m["message"]) for m in found] == [
            (line["ts"], line["sender"], line["text"]) for line in lines
        ]
        truth = Rest(server.port, {}).get("/control/channel_messages", channel_url=url)
        assert truth["message_ids"] == [m["message_id"] for m in found]


def test_broken_import_is_an_error(tmp_path: pathlib.Path) -> None:
    import subprocess

    from running import program

    (tmp_path / "bad.jsonl").write_text('{"ts": 1, "sender": "a", "text": "ok"}\n{"ts": "x"}\n')
    for path, word in (("bad.jsonl", ":2:"), ("missing.jsonl", "cannot open")):
        ended = subprocess.run(
            [program(), "--import", str(tmp_path / path)], capture_output=True, text=True, timeout=20
        )
        assert ended.returncode == 1 and word in ended.stderr and not ended.stdout


def test_generated_account_is_the_same_for_the_same_seed(start: Any) -> None:
    first, second, other = start("--generate", "7"), start("--generate", "7"), start("--generate", "8")
    assert first.ready["users"] == second.ready["users"] and first.ready["users"] != other.ready["users"]
    assert first.ready["channels"] == second.ready["channels"]
    for channel in first.ready["channels"][:4]:
        a, b = (
            Rest(s.port, {}).get("/control/channel_messages", channel_url=channel["channel_url"], full=True)
            for s in (first, second)
        )
        assert a == b


def test_generated_account_has_what_makes_clients_stumble(start: Any) -> None:
    server = start("--generate", "1")
    mia = log_in(server)
    sizes = [c["message_count"] for c in server.ready["channels"]]
    assert max(sizes) > 2000 and min(sizes) == 0 and len(set(sizes)) > 20
    big = all_messages(mia, server.ready["channels"][0]["channel_url"])
    assert len(big) == max(sizes)
    times = [m["created_at"] for m in big]
    assert len(times) - len(set(times)) > 100
    texts = "".join(m["message"] for m in big)
    for low, high in ((0x4E00, 0x9FFF), (0x0590, 0x06FF), (0x1F300, 0x1FAFF), (0x0300, 0x036F), (0x0900, 0x097F)):
        assert any(low <= ord(c) <= high for c in texts), hex(low)
    assert any(len(m["message"]) == 5000 for m in big)
    assert any(m["updated_at"] for m in big) and any(m.get("reactions") for m in big)
    assert any(m.get("thread_info", {}).get("reply_count") for m in big) and any(m["type"] == "FILE" for m in big)
    changes = mia.rest.get(
        f"/v3/group_channels/{quote(server.ready['channels'][0]['channel_url'])}/messages/changelogs",
        change_ts=0,
        include_reply_type="all",
        limit=200,
    )
    assert changes["updated"] and changes["deleted"]
    ids = {m["message_id"] for m in big}
    assert not ids & {d["message_id"] for d in changes["deleted"]}
    listed = mia.rest.get(mia.me + "/my_group_channels", limit=100)["channels"]
    hidden = mia.rest.get(mia.me + "/my_group_channels", limit=100, hidden_mode="hidden_only")["channels"]
    assert len(listed) == len(sizes) - 2 and len(hidden) == 2
    assert [
        c["name"] for c in mia.rest.get(mia.me + "/my_group_channels", member_state_filter="invited_only")["channels"]
    ] == ["Invitation pending"]


def test_generated_account_survives_in_a_file(start: Any, tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "chat.db")
    first = start("--generate", "3", "--db", path)
    before = first.ready
    mia = log_in(first)
    url = before["channels"][3]["channel_url"]
    sent = mia.rest.post(f"/v3/group_channels/{url}/messages", {"message": "still here", "user_id": "mia"})
    first.process.kill()
    first.process.wait()
    second = start("--generate", "3", "--db", path)
    assert second.ready["users"] == before["users"]
    assert [c["channel_url"] for c in second.ready["channels"]] == [c["channel_url"] for c in before["channels"]]
    found = all_messages(log_in(second), url)
    assert found[-1]["message_id"] == sent["message_id"] and len(found) == before["channels"][3]["message_count"] + 1
