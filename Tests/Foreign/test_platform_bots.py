"""BotApi and AnnouncementApi of the Platform API client."""

from __future__ import annotations

from typing import Any

import pytest
from platform_client import Platform, code, lacks, operation
from sendbird_platform_sdk import models
from sendbird_platform_sdk.exceptions import ApiException


def make(platform: Platform, bot_userid: str, **more: Any) -> Any:
    return platform.Bot.create_a_bot(
        create_a_bot_request=models.CreateABotRequest(
            bot_userid=bot_userid,
            bot_nickname=bot_userid.title(),
            bot_profile_url="https://b/x",
            bot_callback_url="https://b/callback",
            bot_type="kind",
            is_privacy_mode=True,
            **more,
        )
    )


@operation("Bot.create_a_bot")
@operation("Bot.view_bot_by_id")
@operation("Bot.update_bot_by_id")
@operation("Bot.list_bots")
@operation("Bot.delete_bot_by_id")
def test_bots(platform: Platform) -> None:
    made = make(platform, "robo", enable_mark_as_read=False, show_member=True, channel_invitation_preference=1)
    assert (made.bot.bot_userid, made.bot.bot_nickname, made.bot.bot_type) == ("robo", "Robo", "kind")
    assert len(made.bot.bot_token) >= 20 and made.bot.bot_profile_url == "https://b/x"
    assert (made.bot_callback_url, made.is_privacy_mode) == ("https://b/callback", True)
    assert (made.enable_mark_as_read, made.show_member, made.channel_invitation_preference) == (False, True, 1)
    assert not lacks(models.CreateABotResponse, platform.answer, "bot_style")
    seen = platform.Bot.view_bot_by_id(bot_userid="robo")
    assert seen.bot.bot_token == made.bot.bot_token and seen.show_member is True
    changed = platform.Bot.update_bot_by_id(
        bot_userid="robo",
        update_bot_by_id_data=models.UpdateBotByIdData(
            bot_userid="robo",
            bot_nickname="Robbie",
            bot_profile_url="https://b/y",
            bot_callback_url="https://b/other",
            is_privacy_mode=False,
            enable_mark_as_read=True,
            show_member=False,
            channel_invitation_preference=0,
        ),
    )
    assert (changed.bot.bot_nickname, changed.bot_callback_url) == ("Robbie", "https://b/other")
    assert (changed.is_privacy_mode, changed.show_member, changed.channel_invitation_preference) == (False, False, 0)
    assert platform.User.view_a_user(user_id="robo").nickname == "Robbie"
    for number in range(11):
        make(platform, f"bot{number:02}")
    first = platform.Bot.list_bots()
    assert [b.bot.bot_userid for b in first.bots] == [f"bot{n:02}" for n in range(10)] and first.next
    rest = platform.Bot.list_bots(token=first.next, limit=5)
    assert [b.bot.bot_userid for b in rest.bots] == ["bot10", "robo"] and rest.next == ""
    platform.users("ann")
    people = [u.user_id for u in platform.User.list_users(show_bot=False, limit=100).users]
    assert people == ["ann"]
    assert len(platform.User.list_users(show_bot=True, limit=100).users) == 13
    platform.Bot.delete_bot_by_id(bot_userid="robo")
    with pytest.raises(ApiException) as gone:
        platform.Bot.view_bot_by_id(bot_userid="robo")
    assert gone.value.status == 400 and code(gone) == 400201


@operation("Bot.join_channels")
@operation("Bot.leave_a_group_channel")
@operation("Bot.leave_group_channels")
@operation("Bot.send_a_bot_message")
def test_bots_in_channels(platform: Platform, tmp_path: Any) -> None:
    platform.users("ann")
    make(platform, "robo")
    urls = [platform.channel("ann", channel_url=f"c{n}", name=f"n{n}").channel_url for n in range(3)]
    joined = platform.Bot.join_channels(
        bot_userid="robo", join_channels_request=models.JoinChannelsRequest(channel_urls=urls)
    )
    assert joined.channel_url in urls and joined.member_count == 2

    def members(url: str) -> list[str]:
        return [m.user_id for m in platform.GroupChannel.list_members(channel_url=url).members]

    assert [members(url) for url in urls] == [["ann", "robo"]] * 3
    assert platform.GroupChannel.get_a_group_channel(channel_url="c0").has_bot is True
    socket = platform.server.socket("ai=syncmanager&user_id=ann")
    sent = platform.Bot.send_a_bot_message(
        bot_userid="robo",
        message_type="MESG",
        channel_url="c0",
        message="beep & é=+%",
        custom_type="t",
        data="d",
        mention_type="users",
        mentioned_user_ids=["ann"],
        is_silent=False,
        mark_as_read=True,
        dedup_id="b1",
        created_at=1_700_000_000_000,
        extended_message_payload=models.SendbirdExtendedMessagePayload(
            suggested_replies=["yes", "no"], custom_view={"a": 1}
        ),
    ).message
    assert sent.extended_message_payload.suggested_replies == ["yes", "no"]
    assert (sent.message, sent.user.user_id, sent.custom_type, sent.data) == ("beep & é=+%", "robo", "t", "d")
    assert [u.user_id for u in sent.mentioned_users] == ["ann"] and sent.created_at == 1_700_000_000_000
    assert socket.wait("MESG")["msg_id"] == sent.message_id
    picture = tmp_path / "dot.png"
    picture.write_bytes(bytes(range(256)) * 5)
    with open(picture, "rb") as handle:
        file = platform.Bot.send_a_bot_message(
            bot_userid="robo", message_type="FILE", channel_url="c0", file=handle, require_auth=False
        ).message
    assert (file.type, file.file["name"], file.file["size"]) == ("FILE", "dot.png", 1280)
    assert file.file["type"] == "image/png"
    port = platform.server.port
    path = file.file["url"].split(f":{port}", 1)[1]
    assert platform.server.admin.call("GET", path).body == picture.read_bytes()
    platform.Bot.leave_a_group_channel(bot_userid="robo", channel_url="c1")
    assert [members(url) for url in urls] == [["ann", "robo"], ["ann"], ["ann", "robo"]]
    platform.Bot.leave_group_channels(bot_userid="robo")
    assert [members(url) for url in urls] == [["ann"]] * 3
    assert platform.GroupChannel.get_a_group_channel(channel_url="c0").has_bot is False


@operation("Announcement.schedule_an_announcement")
def test_schedule_an_announcement(platform: Platform) -> None:
    platform.users("ann", "bob", "cho")
    platform.channel("ann", "bob", channel_url="c0", custom_type="news")
    platform.channel("cho", channel_url="c1")
    now = platform.server.control("advance_clock", ms=0)["ts"]

    def schedule(**fields: Any) -> Any:
        return platform.Announcement.schedule_an_announcement(
            schedule_an_announcement_request=models.ScheduleAnAnnouncementRequest(**fields)
        )

    message = models.ScheduleAnAnnouncementRequestMessage(
        type="MESG", user_id="ann", content="all hear", custom_type="mt", data="md"
    )
    made = schedule(
        unique_id="first",
        announcement_group="g",
        message=message,
        target_at="sender_all_channels",
        target_channel_type="distinct",
        scheduled_at=now + 60_000,
        enable_push=False,
        mark_as_read=True,
        send_to_frozen_channels=True,
    )
    assert (made.unique_id, made.status, made.scheduled_at) == ("first", "scheduled", now + 60_000)
    assert made.message.content == "all hear" and made.target_channel_count == 1 and made.sent_channel_count == 0
    assert not lacks(models.ScheduleAnAnnouncementResponse, platform.answer, "create_channel_options")

    def texts(url: str) -> list[str]:
        page = platform.server.admin.get(f"/v3/group_channels/{url}/messages", message_ts=2**53, prev_limit=10)
        return [m["message"] for m in page["messages"]]

    assert texts("c0") == []
    platform.server.control("advance_clock", ms=61_000)
    assert texts("c0") == ["all hear"] and texts("c1") == []
    done = platform.server.admin.get("/v3/announcements/first")
    assert (done["status"], done["sent_channel_count"]) == ("completed", 1)
    note = models.ScheduleAnAnnouncementRequestMessage(type="ADMM", content="to two")
    schedule(unique_id="second", message=note, target_at="target_channels", target_list=["c0", "c1"])
    assert texts("c0")[-1] == "to two" and texts("c1") == ["to two"]
    hello = models.ScheduleAnAnnouncementRequestMessage(type="MESG", user_id="ann", content="hi you")
    schedule(
        unique_id="third",
        message=hello,
        target_at="target_users_only_channels",
        target_list=["cho"],
        create_channel=True,
        create_channel_options=models.ScheduleAnAnnouncementRequestCreateChannelOptions(name="A", distinct=True),
    )
    found = platform.server.admin.get("/v3/users/cho/my_group_channels", name="A")["channels"]
    assert [c["last_message"]["message"] for c in found] == ["hi you"]
    with pytest.raises(ApiException) as again:
        schedule(unique_id="first", message=message, target_at="sender_all_channels")
    assert code(again) == 400202
