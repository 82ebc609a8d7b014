"""What lies around the chat itself: scheduled messages, search, translation, reports, emoji, announcements."""

from __future__ import annotations

from typing import Any

from running import Server, User


def test_scheduled_messages(start: Any, tmp_path: Any) -> None:
    where = ("--db", str(tmp_path / "chat.db"))
    server = start(*where)
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    path = channel.path + "/scheduled_messages"
    now = server.control("advance_clock", ms=0)["ts"]

    def schedule(text: str, after: int) -> Any:
        return ann.rest.post(path, {"message": text, "scheduled_at": now + after, "custom_type": "t"})

    first, second, third, fourth = (schedule(t, n) for t, n in (("1", 60_000), ("2", 90_000), ("3", 5e5), ("4", 6e5)))
    assert first["status"] == "pending" and first["message"] == "1" and first["user"]["user_id"] == "ann"
    ann.rest.refused(400113, "POST", path, {"message": "x", "scheduled_at": now - 1})
    ann.rest.refused(400105, "POST", path, {"message": "x"})
    server.user("eve").rest.refused(900020, "POST", path, {"message": "x", "scheduled_at": now + 60_000})
    mine = f"{path}/{second['scheduled_message_id']}"
    assert ann.rest.put(mine, {"message": "two"})["message"] == "two"
    bob.rest.refused(400108, "GET", mine)
    ann.rest.delete(f"{path}/{third['scheduled_message_id']}")
    ann.rest.refused(400111, "PUT", f"{path}/{third['scheduled_message_id']}", {"message": "x"})
    assert ann.rest.post(f"{path}/{fourth['scheduled_message_id']}/send_now")["status"] == "sent"
    assert ann.rest.get("/v3/scheduled_messages/count", status="pending")["count"] == 2
    listed = ann.rest.get("/v3/scheduled_messages", channel_url=channel)["scheduled_messages"]
    assert [(m["message"], m["status"]) for m in listed] == [
        ("1", "pending"),
        ("two", "pending"),
        ("3", "canceled"),
        ("4", "sent"),
    ]
    assert bob.rest.get("/v3/scheduled_messages")["scheduled_messages"] == []
    assert server.stop() == 0
    server = start(*where)
    ann, bob = User(server, "ann", ann.token), User(server, "bob", bob.token)
    b = bob.connect()
    server.control("advance_clock", ms=100_000)
    got = [b.wait("MESG") for _ in range(2)]
    assert [(m["message"], m["custom_type"], m["user"]["user_id"]) for m in got] == [
        ("1", "t", "ann"),
        ("two", "t", "ann"),
    ]
    assert got[0]["scheduled_message_id"] == first["scheduled_message_id"]
    assert ann.rest.get("/v3/scheduled_messages/count", status="pending")["count"] == 0


def test_a_scheduled_message_that_fails(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    gone, kept = ann.channel(bob), ann.channel(bob)
    now = server.control("advance_clock", ms=0)["ts"]
    for channel in (gone, kept):
        ann.rest.post(channel.path + "/scheduled_messages", {"message": "m", "scheduled_at": now + 1000})
    server.admin.delete(gone.path)
    b = bob.connect()
    server.control("advance_clock", ms=2000)
    assert b.wait("MESG")["channel_url"] == kept
    states = server.admin.get("/v3/scheduled_messages")["scheduled_messages"]
    assert sorted(m["status"] for m in states) == ["failed", "sent"]


def test_search(server: Server) -> None:
    ann, bob, eve = server.user("ann"), server.user("bob"), server.user("eve")
    tea, milk = ann.channel(bob, name="Tea"), ann.channel(bob)
    for channel in (tea, milk):
        for number in range(12):
            ann.rest.post(channel.path + "/messages", {"message": f"Green tea number {number}", "custom_type": "t"})
    ann.rest.post(tea.path + "/messages", {"message": "tea, but green"})

    def found(user: User, query: str, **more: Any) -> list[str]:
        return [m["message"] for m in user.rest.get("/v3/search/messages", query=query, **more)["results"]]

    assert len(found(bob, "GREEN tea", limit=100)) == 25
    assert len(found(bob, "green tea", limit=100, exact_match=True)) == 24
    assert found(bob, "but", channel_url=tea) == ["tea, but green"]
    assert found(bob, "number 11", channel_url=milk, custom_type="t") == ["Green tea number 11"]
    assert found(eve, "green") == [] and found(bob, "coffee") == []
    eve.rest.refused(900020, "GET", f"/v3/search/messages?query=x&channel_url={tea}")
    bob.rest.refused(400105, "GET", "/v3/search/messages")
    first = bob.rest.get("/v3/search/messages", query="green", channel_url=tea, limit=10)
    assert first["total_count"] == 13 and first["has_next"] is True and first["results"][0]["channel"]["name"] == "Tea"
    rest = bob.rest.get("/v3/search/messages", query="green", channel_url=tea, limit=10, token=first["end_cursor"])
    assert len(rest["results"]) == 3 and rest["has_next"] is False


def test_translation_is_an_echo(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    sent = ann.rest.post(channel.path + "/messages", {"message": "hello"})
    b = bob.connect()
    path = f"{channel.path}/messages/{sent['message_id']}/translation"
    got = bob.rest.post(path, {"target_langs": ["ko", "de"]})
    assert got["translations"] == {"ko": "[ko] hello", "de": "[de] hello"} == b.wait("MEDI")["translations"]
    bob.rest.refused(400105, "POST", path, {})


def test_reports(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    sent = bob.rest.post(channel.path + "/messages", {"message": "rude"})
    quoted = channel.path.rsplit("/", 1)[1]
    body = {"report_category": "harassing", "report_description": "d"}
    of_message = ann.rest.post(f"/v3/report/group_channels/{quoted}/messages/{sent['message_id']}", body)
    assert of_message["reported_message"]["message"] == "rude" and of_message["offending_user"]["user_id"] == "bob"
    assert of_message["reporting_user"]["user_id"] == "ann" and of_message["channel"]["channel_url"] == channel
    ann.rest.post(f"/v3/report/group_channels/{quoted}", body)
    ann.rest.post("/v3/report/users/bob", body)
    ann.rest.refused(400201, "POST", "/v3/report/users/nobody", body)
    ann.rest.refused(400108, "GET", "/v3/report")
    kinds = [r["report_type"] for r in server.admin.get("/v3/report")["report_logs"]]
    assert kinds == ["message", "channel", "user"]
    assert len(server.admin.get(f"/v3/report/group_channels/{quoted}")["report_logs"]) == 2
    assert len(server.admin.get("/v3/report/users/bob")["report_logs"]) == 1


def test_emoji_sets(server: Server) -> None:
    ann = server.user("ann")
    assert ann.rest.get("/v3/emoji_categories") == {"emoji_hash": "0", "emoji_categories": []}
    assert ann.connect().logi["emoji_hash"] == "0"
    made = server.admin.post("/v3/emojis", {"emojis": [{"key": "up", "url": "u"}, {"key": "down", "url": "d"}]})
    assert [e["key"] for e in made["emojis"]] == ["up", "down"]
    hands = {"name": "hands", "emojis": ["up", "down"]}
    sets = server.admin.post("/v3/emoji_categories", {"emoji_categories": [hands]})
    one = sets["emoji_categories"][0]
    got = ann.rest.get("/v3/emoji_categories")
    assert got["emoji_categories"] == [one] and [e["url"] for e in one["emojis"]] == ["u", "d"]
    assert ann.connect().logi["emoji_hash"] == got["emoji_hash"] != "0"
    assert server.admin.put("/v3/emojis/up", {"url": "other"})["url"] == "other"
    assert ann.rest.get("/v3/emojis/up") == {"key": "up", "url": "other"}
    assert ann.rest.get("/v3/emoji_categories")["emoji_hash"] != got["emoji_hash"]
    ann.rest.refused(400108, "DELETE", "/v3/emojis/up")
    server.admin.delete("/v3/emojis/up")
    ann.rest.refused(400201, "GET", "/v3/emojis/up")
    server.admin.delete(f"/v3/emoji_categories/{one['id']}")
    assert ann.rest.get("/v3/emoji_categories")["emoji_categories"] == []


def test_settings_of_the_application(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    settings = ann.rest.get("/v3/sdk/applications/settings", ts=0)
    assert settings["configs"]["message_purge_offset"] == {"global": 0} and settings["has_more"] is False
    path = "/v3/applications/default_channel_invitation_preference"
    assert server.admin.get(path) == {"auto_accept": True}
    server.admin.put(path, {"auto_accept": False})
    late = server.user("late")
    channel = ann.channel(bob, late)
    states = {m["user_id"]: m["state"] for m in ann.rest.get(channel.path)["members"]}
    # Who was there before keeps what held then.
    assert states == {"ann": "joined", "bob": "joined", "late": "invited"}
    ann.connect()
    assert server.admin.get("/v3/applications/ccu") == {"ccu": 1}
    assert server.admin.get("/v3/applications/settings_global")["file_upload_size_limit"] == 30
    ann.rest.refused(400108, "GET", "/v3/applications/ccu")


def test_statistics_are_taken(server: Server) -> None:
    """Clients send them by themselves; they are of no use here, and must not look like a failure."""
    ann = server.user("ann")
    assert ann.rest.post("/v3/sdk/statistics", {"log_entries": [{"stat_type": "x", "ts": 1, "data": {}}]}) == {}
    ann.rest.refused(400930, "GET", "/v3/sdk/statistics")


def test_announcements_are_paused_and_canceled(server: Server) -> None:
    ann, bob = server.user("ann"), server.user("bob")
    channel = ann.channel(bob)
    now = server.control("advance_clock", ms=0)["ts"]
    for name in ("a", "b"):
        server.admin.post(
            "/v3/announcements",
            {
                "unique_id": name,
                "message": {"type": "ADMM", "content": name},
                "target_at": "target_channels",
                "target_list": [channel],
                "scheduled_at": now + 1000,
            },
        )
    assert server.admin.put("/v3/announcements/a", {"action": "cancel"})["status"] == "canceled"
    assert server.admin.put("/v3/announcements/b", {"action": "pause"})["status"] == "paused"
    server.control("advance_clock", ms=2000)
    assert bob.rest.get(channel.path)["last_message"] is None
    b = bob.connect()
    server.admin.put("/v3/announcements/b", {"action": "resume"})
    assert b.wait("ADMM")["message"] == "b"
    listed = server.admin.get("/v3/announcements")["announcements"]
    assert [(a["unique_id"], a["status"]) for a in listed] == [("a", "canceled"), ("b", "completed")]
    for wrong in ({"target_at": "x"}, {"message": {"type": "FILE"}}, {"message": {"user_id": "nobody"}}):
        body = {"message": {"type": "ADMM", "content": "x"}, "target_at": "target_channels", **wrong}
        assert server.admin.call("POST", "/v3/announcements", body).status == 400


def test_extra_data_by_another_member(server: Server) -> None:
    ann, bob, eve = server.user("ann"), server.user("bob"), server.user("eve")
    channel = ann.channel(bob)
    sent = ann.rest.post(channel.path + "/messages", {"message": "m"})
    path = f"{channel.path}/messages/{sent['message_id']}/sorted_metaarray"
    bob.rest.post(path, {"sorted_metaarray": [{"key": "k", "value": ["1", "2"]}]})
    got = bob.rest.put(path, {"sorted_metaarray": [{"key": "k", "value": ["1"]}], "mode": "remove"})
    assert got["sorted_metaarray"] == [{"key": "k", "value": ["2"]}] and got["message"] == "m"
    eve.rest.refused(900020, "POST", path, {"sorted_metaarray": []})
    bob.rest.refused(400111, "PUT", path, {"sorted_metaarray": [], "mode": "other"})
