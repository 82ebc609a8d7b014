"""UserApi and StatisticsApi of the Platform API client."""

from __future__ import annotations

import pytest
from platform_client import Platform, code, fault, lacks, operation
from sendbird_platform_sdk import models
from sendbird_platform_sdk.exceptions import ApiException, ApiTypeError, ApiValueError


@operation("User.create_a_user")
def test_create_a_user(platform: Platform) -> None:
    made = platform.user("ann", "Ann", metadata={"a": "1"}, discovery_keys=["k1", "k2"], issue_access_token=True)
    assert (made.user_id, made.nickname, made.metadata, made.discovery_keys) == ("ann", "Ann", {"a": "1"}, ["k1", "k2"])
    assert len(made.access_token) >= 20 and made.is_active is True and made.has_ever_logged_in is False
    assert made.created_at < 10**11 and made.last_seen_at == 0
    assert not lacks(models.SendbirdUser, platform.answer, "state", "unread_channel_count", "unread_message_count")
    with pytest.raises(ApiException) as again:
        platform.user("ann")
    assert again.value.status == 400 and code(again) == 400202


@operation("User.view_a_user")
def test_view_a_user(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob", custom_type="t").channel_url
    platform.send(url, "ann")
    platform.send(url, "ann")
    plain = platform.User.view_a_user(user_id="bob")
    assert plain.nickname == "Bob" and "unread_message_count" not in platform.answer
    counted = platform.User.view_a_user(user_id="bob", include_unread_count=True)
    assert (counted.unread_message_count, counted.unread_channel_count) == (2, 1)
    other = platform.User.view_a_user(user_id="bob", include_unread_count=True, custom_types="x,y")
    assert (other.unread_message_count, other.unread_channel_count) == (0, 0)
    with pytest.raises(ApiException) as nobody:
        platform.User.view_a_user(user_id="nobody")
    assert nobody.value.status == 400 and code(nobody) == 400201


@operation("User.update_a_user")
def test_update_a_user(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob").channel_url

    def update(**fields: object) -> object:
        return platform.User.update_a_user(user_id="ann", update_a_user_request=models.UpdateAUserRequest(**fields))

    changed = update(nickname="Anna", preferred_languages=["ko", "en"], discovery_keys=["d"], profile_url="https://p/a")
    assert (changed.nickname, changed.preferred_languages) == ("Anna", ["ko", "en"])
    assert (changed.discovery_keys, changed.profile_url) == (["d"], "https://p/a")
    assert len(update(issue_access_token=True).access_token) >= 20
    assert update(last_seen_at=1_700_000_000_000).last_seen_at == 1_700_000_000_000
    # A user that is deactivated leaves its channels unless told otherwise.
    assert update(is_active=False, leave_all_when_deactivated=False).is_active is False
    assert platform.GroupChannel.check_if_member(channel_url=url, user_id="ann").is_member is True
    assert update(is_active=True).is_active is True
    assert update(is_active=False).is_active is False
    assert platform.GroupChannel.check_if_member(channel_url=url, user_id="ann").is_member is False


@operation("User.delete_a_user")
def test_delete_a_user(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob").channel_url
    platform.User.delete_a_user(user_id="ann")
    with pytest.raises(ApiException) as gone:
        platform.User.view_a_user(user_id="ann")
    assert code(gone) == 400201
    members = platform.GroupChannel.list_members(channel_url=url).members
    assert [m.user_id for m in members] == ["bob"]


@operation("User.list_users")
def test_list_users(platform: Platform) -> None:
    for number in range(12):
        platform.user(f"user{number:02}", f"Nick{number:02}", metadata={"team": "red" if number % 2 else "blue"})
    platform.User.update_a_user(user_id="user03", update_a_user_request=models.UpdateAUserRequest(is_active=False))

    def ids(**query: object) -> list[str]:
        return [u.user_id for u in platform.User.list_users(**query).users]

    first = platform.User.list_users()
    assert len(first.users) == 10 and first.next
    assert "user03" not in ids(limit=100) and "user03" in ids(active_mode="all", limit=100)
    assert ids(active_mode="deactivated") == ["user03"]
    seen: list[str] = []
    token = ""
    while True:
        page = platform.User.list_users(limit=4, token=token)
        seen += [u.user_id for u in page.users]
        token = page.next
        if not token:
            break
    assert len(seen) == 11 and len(set(seen)) == 11
    assert sorted(ids(user_ids="user01,user02")) == ["user01", "user02"]
    assert ids(nickname="Nick05") == ["user05"]
    assert sorted(ids(nickname_startswith="Nick1")) == ["user10", "user11"]
    assert sorted(ids(metadatakey="team", metadatavalues_in="blue,green", limit=100)) == [
        f"user{n:02}" for n in range(0, 12, 2)
    ]


@operation("User.create_user_token")
def test_create_user_token(platform: Platform) -> None:
    platform.users("ann")
    until = platform.server.control("advance_clock", ms=0)["ts"] + 60_000
    made = platform.User.create_user_token(
        user_id="ann", create_user_token_request=models.CreateUserTokenRequest(expires_at=until)
    )
    assert made.expires_at == until
    key = platform.server.admin.__class__(platform.server.port, {"Session-Key": made.token})
    assert key.get("/v3/users/ann")["user_id"] == "ann"


@operation("User.create_user_metadata")
@operation("User.update_user_metadata")
@operation("User.view_specific_user_metadata")
@operation("User.update_specific_user_metadata")
@operation("User.delete_specific_user_metadata")
@operation("User.delete_user_all_metadata")
def test_metadata_of_a_user(platform: Platform) -> None:
    platform.users("ann")
    api = platform.User

    def held() -> dict[str, str]:
        return dict(api.view_a_user(user_id="ann").metadata)

    made = api.create_user_metadata(
        user_id="ann", create_user_metadata_request=models.CreateUserMetadataRequest(metadata={"a": "1", "b": "2"})
    )
    assert made["metadata"] == {"a": "1", "b": "2"} and held() == {"a": "1", "b": "2"}
    assert api.view_specific_user_metadata(user_id="ann", key="b") == {"b": "2"}
    one = api.update_specific_user_metadata(
        user_id="ann",
        key="b",
        update_specific_user_metadata_request=models.UpdateSpecificUserMetadataRequest(value="3"),
    )
    assert one == {"b": "3"} and held() == {"a": "1", "b": "3"}

    def update(upsert: bool, **values: str) -> object:
        return api.update_user_metadata(
            user_id="ann",
            update_user_metadata_request=models.UpdateUserMetadataRequest(metadata=values, upsert=upsert),
        )

    update(False, a="5", c="6")
    assert held() == {"a": "5", "b": "3"}
    update(True, c="6")
    assert held() == {"a": "5", "b": "3", "c": "6"}
    api.delete_specific_user_metadata(user_id="ann", key="a")
    assert held() == {"b": "3", "c": "6"}
    api.delete_user_all_metadata(user_id="ann")
    assert held() == {}


@operation("User.add_a_registration_or_device_token")
@operation("User.list_registration_or_device_tokens")
@operation("User.remove_a_registration_or_device_token")
@operation("User.remove_all_registration_or_device_token")
@operation("User.view_who_owns_a_registration_or_device_token")
@operation("User.remove_a_registration_or_device_token_from_an_owner")
def test_device_tokens(platform: Platform) -> None:
    platform.users("ann", "bob")
    api = platform.User

    def add(user: str, kind: str, token: str) -> object:
        names = {"gcm": "gcm_reg_token", "apns": "apns_device_token", "huawei": "huawei_device_token"}
        return api.add_a_registration_or_device_token(
            user_id=user,
            token_type=kind,
            add_a_registration_or_device_token_request=models.AddARegistrationOrDeviceTokenRequest(
                **{names[kind]: token}
            ),
        )

    def tokens(user: str, kind: str) -> list[str]:
        found = api.list_registration_or_device_tokens(user_id=user, token_type=kind)
        assert found.type == kind and found.user.user_id == user and found.token == found.tokens
        return sorted(found.tokens)

    made = add("ann", "gcm", "g/1")
    assert (made.token, made.type, made.user.user_id) == ("g/1", "gcm", "ann")
    for token in ("g2", "g3"):
        add("ann", "gcm", token)
    add("ann", "apns", "a1")
    add("ann", "huawei", "h1")
    assert tokens("ann", "gcm") == ["g/1", "g2", "g3"] and tokens("ann", "apns") == ["a1"]
    owners = api.view_who_owns_a_registration_or_device_token(token_type="gcm", token="g2")
    assert [o.user_id for o in owners.value] == ["ann"]
    # A device belongs to whoever registered it last.
    add("bob", "gcm", "g2")
    owners = api.view_who_owns_a_registration_or_device_token(token_type="gcm", token="g2")
    assert [o.user_id for o in owners.value] == ["bob"] and tokens("ann", "gcm") == ["g/1", "g3"]
    removed = api.remove_a_registration_or_device_token(user_id="ann", token_type="gcm", token="g/1")
    assert removed.user.user_id == "ann" and tokens("ann", "gcm") == ["g3"]
    from_owner = api.remove_a_registration_or_device_token_from_an_owner(token_type="gcm", token="g2")
    assert [o.user_id for o in from_owner.value] == ["bob"] and tokens("bob", "gcm") == []
    rest = api.remove_all_registration_or_device_token(user_id="ann")
    assert sorted(rest.token) == ["a1", "g3", "h1"] and rest.user.user_id == "ann"
    assert tokens("ann", "gcm") == tokens("ann", "apns") == tokens("ann", "huawei") == []


@operation("User.choose_a_push_notification_content_template")
def test_push_template(platform: Platform) -> None:
    platform.users("ann")
    for name in ("alternative", "default"):
        chosen = platform.User.choose_a_push_notification_content_template(
            user_id="ann",
            choose_a_push_notification_content_template_request=(
                models.ChooseAPushNotificationContentTemplateRequest(name=name)
            ),
        )
        assert chosen.name == name
        assert platform.server.admin.get("/v3/users/ann/push/template")["name"] == name


@operation("User.view_push_preferences")
@operation("User.update_push_preferences")
@operation("User.reset_push_preferences")
def test_push_preferences(platform: Platform) -> None:
    platform.users("ann")
    api = platform.User
    before = api.view_push_preferences(user_id="ann")
    assert not lacks(models.ViewPushPreferencesResponse, platform.answer)
    assert before.push_trigger_option.value == "all" and before.do_not_disturb is False and before.timezone == "UTC"
    wanted = models.UpdatePushPreferencesRequest(
        push_trigger_option=models.SendbirdPushTriggerOption("mention_only"),
        do_not_disturb=True,
        start_hour=22,
        start_min=30,
        end_hour=7,
        end_min=15,
        timezone="Asia/Seoul",
        snooze_enabled=True,
        snooze_start_ts=1_700_000_000_000,
        snooze_end_ts=1_700_000_600_000,
        block_push_from_bots=True,
        push_blocked_bot_ids=["b1"],
        push_sound="bell",
        enable_push_for_replies=False,
        dnd_schedules=[
            models.UpdatePushPreferencesRequestDndSchedulesInner(
                day_of_week="monday",
                time_windows=[
                    models.UpdatePushPreferencesRequestDndSchedulesInnerTimeWindowsInner(
                        start_hour=1, start_min=2, end_hour=3, end_min=4
                    )
                ],
            )
        ],
    )
    changed = api.update_push_preferences(user_id="ann", update_push_preferences_request=wanted)
    for got in (changed, api.view_push_preferences(user_id="ann")):
        assert got.to_dict() == wanted.to_dict()
    api.reset_push_preferences(user_id="ann")
    assert api.view_push_preferences(user_id="ann").to_dict() == before.to_dict()


@operation("User.view_push_preferences_for_a_channel")
@operation("User.update_push_preferences_for_a_channel")
def test_push_preferences_of_a_channel(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob").channel_url

    def update(option: str, **more: str) -> object:
        return platform.User.update_push_preferences_for_a_channel(
            user_id="ann",
            channel_url=url,
            update_push_preferences_for_a_channel_request=models.UpdatePushPreferencesForAChannelRequest(
                push_trigger_option=option, **more
            ),
        )

    for option in ("all", "mention_only"):
        assert update(option, push_sound="gong").push_trigger_option.value == option
        got = platform.User.view_push_preferences_for_a_channel(user_id="ann", channel_url=url)
        assert (got.push_trigger_option.value, got.push_sound, got.enable) == (option, "gong", True)
    # The client's specification was read as YAML, where the word "off" is false; that spelling means off.
    assert update("false").push_trigger_option.value == "off"
    assert platform.User.view_push_preferences_for_a_channel(user_id="ann", channel_url=url).enable is False


@fault(
    "User.update_push_preferences_for_a_channel",
    "refuses the answer to push_trigger_option `default`, which its own request allows",
)
@fault("User.view_push_preferences_for_a_channel", "refuses the value `default`")
@fault("User.list_my_group_channels", "refuses channels whose push_trigger_option is `default`")
@fault(
    "GroupChannel.get_a_group_channel", "refuses a channel seen by a user whose push_trigger_option is `default`"
)
def test_the_client_refuses_the_default_trigger(platform: Platform) -> None:
    models.UpdatePushPreferencesForAChannelRequest(push_trigger_option="default")
    with pytest.raises(ApiValueError):
        models.SendbirdPushTriggerOption("default")
    platform.users("ann")
    url = platform.channel("ann").channel_url
    for call in (
        lambda: platform.User.view_push_preferences_for_a_channel(user_id="ann", channel_url=url),
        lambda: platform.User.list_my_group_channels(user_id="ann"),
        lambda: platform.GroupChannel.get_a_group_channel(channel_url=url, user_id="ann"),
    ):
        with pytest.raises(ApiValueError):
            call()
        assert platform.server.admin.get(f"/v3/users/ann/push_preference/{url}")["push_trigger_option"] == "default"


@operation("User.view_count_preference_of_a_channel")
@operation("User.update_count_preference_of_a_channel")
def test_count_preference(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob").channel_url
    platform.send(url, "bob", mentioned_user_ids=["ann"])

    def update(value: str) -> object:
        return platform.User.update_count_preference_of_a_channel(
            user_id="ann",
            channel_url=url,
            update_count_preference_of_a_channel_request=models.UpdateCountPreferenceOfAChannelRequest(
                count_preference=value
            ),
        )

    for value in ("all", "unread_message_count_only"):
        assert update(value).count_preference == value
        got = platform.User.view_count_preference_of_a_channel(user_id="ann", channel_url=url)
        assert got.count_preference == value
        assert platform.User.view_number_of_unread_messages(user_id="ann").unread_count == 1


@fault("User.update_count_preference_of_a_channel", "knows `off` and `unread_mention_count_only` by wrong names only")
@fault("User.view_count_preference_of_a_channel", "refuses `off` and `unread_mention_count_only`")
def test_the_client_misspells_count_preferences(platform: Platform) -> None:
    for value in ("off", "unread_mention_count_only"):
        with pytest.raises(ApiValueError):
            models.UpdateCountPreferenceOfAChannelRequest(count_preference=value)
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob").channel_url
    # What it can say is understood all the same.
    for said, meant in (("false", "off"), ("unread_mentioned_count_only", "unread_mention_count_only")):
        with pytest.raises(ApiValueError):
            platform.User.update_count_preference_of_a_channel(
                user_id="ann",
                channel_url=url,
                update_count_preference_of_a_channel_request=models.UpdateCountPreferenceOfAChannelRequest(
                    count_preference=said
                ),
            )
        assert platform.server.admin.get(f"/v3/users/ann/count_preference/{url}")["count_preference"] == meant


@operation("User.get_channel_invitation_preference")
@operation("User.update_channel_invitation_preference")
def test_invitation_preference(platform: Platform) -> None:
    platform.users("ann", "bob")
    assert platform.User.get_channel_invitation_preference(user_id="ann").auto_accept is True
    changed = platform.User.update_channel_invitation_preference(
        user_id="ann",
        update_channel_invitation_preference_request=models.UpdateChannelInvitationPreferenceRequest(auto_accept=False),
    )
    assert changed.auto_accept is False
    assert platform.User.get_channel_invitation_preference(user_id="ann").auto_accept is False
    url = platform.channel("bob", "ann", inviter_id="bob").channel_url
    assert platform.GroupChannel.check_if_member(channel_url=url, user_id="ann").state == "invited"


@operation("User.list_my_group_channels")
def test_list_my_group_channels(platform: Platform) -> None:
    platform.users("ann", "bob", "cho")
    urls: dict[str, str] = {}
    for number, others in enumerate((["bob"], ["cho"], ["bob", "cho"])):
        name = f"room {number}"
        urls[name] = platform.channel(
            "ann", *others, name=name, custom_type=f"t{number}", channel_url=f"c{number}", inviter_id="ann"
        ).channel_url
        platform.User.update_push_preferences_for_a_channel(
            user_id="ann",
            channel_url=urls[name],
            update_push_preferences_for_a_channel_request=models.UpdatePushPreferencesForAChannelRequest(
                push_trigger_option="all"
            ),
        )
    platform.send("c1", "cho", "news")
    counter = platform.server.admin
    counter.post("/v3/group_channels/c0/metacounter", {"metacounter": {"n": 5}})
    counter.post("/v3/group_channels/c1/metacounter", {"metacounter": {"n": 9}})
    counter.post("/v3/group_channels/c2/metadata", {"metadata": {"k": "vv"}})
    counter.put("/v3/group_channels/c0/hide", {"user_id": "ann"})

    def names(**query: object) -> list[str]:
        page = platform.User.list_my_group_channels(user_id="ann", **query)
        return [c.name for c in page.channels]

    assert names(order="channel_name_alphabetical") == ["room 1", "room 2"]
    every = dict(hidden_mode="all", order="channel_name_alphabetical")
    assert names(**every) == ["room 0", "room 1", "room 2"]
    seen = platform.User.list_my_group_channels(user_id="ann", show_member=True, show_read_receipt=True, **every)
    one = seen.channels[1]
    assert (one.unread_message_count, one.last_message.message, one.my_role) == (1, "news", "none")
    assert (one.channel["name"], one.channel["member_count"], one.channel["channel_url"]) == ("room 1", 2, "c1")
    assert sorted(m.user_id for m in one.members) == ["ann", "cho"] and one.hidden_state == "unhidden"
    assert not lacks(models.SendbirdGroupChannel, platform.answer["channels"][1], "delivery_receipt", "metadata")
    assert names(**every, custom_types="t0,t1") == ["room 0", "room 1"]
    assert names(**every, channel_urls="c0,c2") == ["room 0", "room 2"]
    assert names(**every, name="room 2") == ["room 2"] and names(**every, name_startswith="room") == names(**every)
    assert names(**every, name_contains="om 1") == ["room 1"]
    assert names(**every, members_exactly_in="bob,cho") == ["room 2"]
    assert names(**every, members_include_in="bob", query_type="AND") == ["room 0", "room 2"]
    assert names(**every, members_include_in="bob,cho", query_type="AND") == ["room 2"]
    assert names(**every, members_include_in="bob,cho", query_type="OR") == ["room 0", "room 1", "room 2"]
    assert names(**every, members_nickname="Bob") == ["room 0", "room 2"]
    assert names(**every, members_nickname_startswith="Ch") == ["room 1", "room 2"]
    assert names(**every, search_query="Bo", search_fields="member_nickname,channel_name") == ["room 0", "room 2"]
    assert names(**every, metadata_key="k", metadata_values="vv,w") == ["room 2"]
    assert names(**every, metacounter_key="n", metacounter_values="5,6") == ["room 0"]
    assert names(**every, metacounter_key="n", metacounter_value_gt="5") == ["room 1"]
    assert names(**every, metacounter_key="n", metacounter_value_lte="9") == ["room 0", "room 1"]
    assert names(**every, unread_filter="unread_message") == ["room 1"]
    assert names(hidden_mode="hidden_only") == ["room 0"]
    assert names(**every, show_empty=False) == ["room 1"]
    assert names(**every, member_state_filter="joined_only", created_after=1, distinct_mode="all") == names(**every)
    first = platform.User.list_my_group_channels(user_id="ann", limit=2, **every)
    assert first.next and names(limit=2, token=first.next, **every) == ["room 2"]


@operation("User.leave_my_group_channels")
def test_leave_my_group_channels(platform: Platform) -> None:
    platform.users("ann", "bob")
    for number in range(3):
        platform.channel("ann", "bob", channel_url=f"c{number}", custom_type="t" if number else "")

    def leave(**fields: str) -> None:
        platform.User.leave_my_group_channels(
            user_id="ann", leave_my_group_channels_request=models.LeaveMyGroupChannelsRequest(**fields)
        )

    def states() -> list[str]:
        return [platform.GroupChannel.check_if_member(channel_url=f"c{n}", user_id="ann").state for n in range(3)]

    leave(custom_type="t")
    assert states() == ["joined", "none", "none"]
    leave()
    assert states() == ["none", "none", "none"]


@operation("User.mark_all_messages_as_read")
@operation("User.view_number_of_unread_messages")
@operation("User.view_number_of_channels_with_unread_messages")
def test_unread_counts(platform: Platform) -> None:
    platform.users("ann", "bob")
    for number in range(3):
        platform.channel("ann", "bob", channel_url=f"c{number}", custom_type=f"t{number}")
        for _ in range(number + 1):
            platform.send(f"c{number}", "bob")
    api = platform.User
    assert api.view_number_of_unread_messages(user_id="ann").unread_count == 6
    assert api.view_number_of_unread_messages(user_id="ann", custom_types="t0,t2").unread_count == 4
    assert api.view_number_of_unread_messages(user_id="ann", super_mode="super").unread_count == 0
    assert api.view_number_of_channels_with_unread_messages(user_id="ann").unread_count == 3
    assert api.view_number_of_channels_with_unread_messages(user_id="ann", custom_types="t1").unread_count == 1
    # One's own messages are read.
    assert api.view_number_of_unread_messages(user_id="bob").unread_count == 0
    api.mark_all_messages_as_read(
        user_id="ann",
        mark_all_messages_as_read_request=models.MarkAllMessagesAsReadRequest(channel_urls=["c2"]),
    )
    assert api.view_number_of_unread_messages(user_id="ann").unread_count == 3
    api.mark_all_messages_as_read(
        user_id="ann", mark_all_messages_as_read_request=models.MarkAllMessagesAsReadRequest()
    )
    assert api.view_number_of_unread_messages(user_id="ann").unread_count == 0


@operation("Statistics.view_number_of_daily_active_users")
@operation("Statistics.view_number_of_monthly_active_users")
def test_active_users(platform: Platform) -> None:
    platform.users("ann", "bob", "cho")
    assert platform.Statistics.view_number_of_daily_active_users().dau == 0
    for _ in range(2):
        for name in ("ann", "bob"):
            made = platform.server.admin.post(f"/v3/users/{name}/session_key", {})
            assert made["key"]
    assert platform.Statistics.view_number_of_daily_active_users().dau == 2
    assert platform.Statistics.view_number_of_monthly_active_users().mau == 2
    assert platform.Statistics.view_number_of_daily_active_users(date="2001-02-03").dau == 0
    assert platform.Statistics.view_number_of_monthly_active_users(date="2001-02").mau == 0
    with pytest.raises(ApiException) as wrong:
        platform.Statistics.view_number_of_daily_active_users(date="yesterday")
    assert code(wrong) == 400111


def test_the_client_checks_types(platform: Platform) -> None:
    """What makes it an oracle: an answer of other types than the specified ones is refused."""
    with pytest.raises(ApiTypeError):
        models.SendbirdDisappearingMessage._from_openapi_data(
            message_survival_seconds="1", _configuration=platform.client.configuration, _check_type=True
        )
