"""GroupChannelApi, MetadataApi and ModerationApi of the Platform API client."""

from __future__ import annotations

import pytest
from platform_client import Platform, code, fault, lacks, operation
from sendbird_platform_sdk import models
from sendbird_platform_sdk.exceptions import ApiException, ApiValueError


@operation("GroupChannel.create_a_group_channel")
def test_create_a_group_channel(platform: Platform) -> None:
    platform.users("ann", "bob", "cho", "dan")
    made = platform.channel(
        "ann",
        "bob",
        "cho",
        channel_url="tea/1",
        name="Tea",
        cover_url="https://c/x",
        custom_type="t",
        data="d",
        inviter_id="ann",
        operator_ids=["ann"],
        is_public=False,
        invitation_status={"bob": "invited_by_non_friend"},
        hidden_status={"cho": "hidden_prevent_auto_unhide"},
        block_sdk_user_channel_join=True,
    )
    assert (made.channel_url, made.name, made.cover_url, made.custom_type, made.data) == (
        ("tea/1", "Tea", "https://c/x", "t", "d")
    )
    assert (made.member_count, made.joined_member_count, made.created_by.user_id) == (3, 2, "ann")
    assert {m.user_id: m.state for m in made.members} == {"ann": "joined", "bob": "invited", "cho": "joined"}
    assert [o.user_id for o in made.operators] == ["ann"] and made.last_message is None
    assert made.channel.to_dict() == {
        "name": "Tea",
        "channel_url": "tea/1",
        "cover_url": "https://c/x",
        "custom_type": "t",
        "data": "d",
        "member_count": 3,
        "created_at": made.created_at,
        "max_length_message": made.max_length_message,
    }
    assert (made.disappearing_message.message_survival_seconds, made.sms_fallback.wait_seconds) == (-1, -1)
    assert made.disappearing_message.is_triggered_by_message_read is False and made.sms_fallback.exclude_user_ids == []
    assert not lacks(models.SendbirdGroupChannelDetail, platform.answer)
    # Push preferences of members are told where they are asked for.
    push = ("push_trigger_option", "push_enabled", "do_not_disturb")
    assert not lacks(models.SendbirdMember, platform.answer["members"][0], *push)
    hidden = platform.server.admin.get("/v3/users/cho/my_group_channels", hidden_mode="hidden_prevent_auto_unhide")
    assert [c["channel_url"] for c in hidden["channels"]] == ["tea/1"]
    # One that is to be distinct is found again by its members.
    one = platform.channel("ann", "bob", is_distinct=True)
    assert platform.channel("bob", "ann", is_distinct=True).channel_url == one.channel_url
    assert platform.channel("ann", "dan", is_distinct=True).channel_url != one.channel_url
    assert platform.channel("ann", "nobody").member_count == 1
    with pytest.raises(ApiException) as strict:
        platform.channel("ann", "nobody", strict=True)
    assert strict.value.status == 400 and code(strict) == 400111
    with pytest.raises(ApiException) as taken:
        platform.channel("ann", channel_url="tea/1")
    assert code(taken) == 400202


@operation("GroupChannel.get_a_group_channel")
def test_get_a_group_channel(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob", name="N").channel_url
    sent = platform.send(url, "bob", "last")
    got = platform.GroupChannel.get_a_group_channel(
        channel_url=url, show_member=True, show_read_receipt=True, show_delivery_receipt=True
    )
    last = got.to_dict()["last_message"]
    assert got.name == "N" and last["message"] == "last" and last["user"]["user_id"] == "bob"
    assert sorted(m.user_id for m in got.members) == ["ann", "bob"] and got.to_dict()["channel"]["member_count"] == 2
    assert got.read_receipt["bob"] >= sent.created_at > got.read_receipt["ann"]
    assert set(got.delivery_receipt) == {"ann", "bob"}
    bare = platform.GroupChannel.get_a_group_channel(
        channel_url=url, show_member=False, show_read_receipt=False, show_delivery_receipt=False
    )
    assert "members" not in bare.to_dict() and "read_receipt" not in bare.to_dict()
    platform.User.update_push_preferences_for_a_channel(
        user_id="ann",
        channel_url=url,
        update_push_preferences_for_a_channel_request=models.UpdatePushPreferencesForAChannelRequest(
            push_trigger_option="all"
        ),
    )
    own = platform.GroupChannel.get_a_group_channel(channel_url=url, user_id="ann")
    assert (own.unread_message_count, own.member_state, own.count_preference) == (1, "joined", "all")
    platform.User.update_a_user(
        user_id="bob",
        update_a_user_request=models.UpdateAUserRequest(is_active=False, leave_all_when_deactivated=False),
    )
    for mode, expected in (("all", ["ann", "bob"]), ("activated", ["ann"]), ("deactivated", ["bob"])):
        some = platform.GroupChannel.get_a_group_channel(channel_url=url, show_member=True, member_active_mode=mode)
        assert sorted(m.user_id for m in some.members) == expected
    with pytest.raises(ApiException) as nothing:
        platform.GroupChannel.get_a_group_channel(channel_url="nothing")
    assert code(nothing) == 400201


@fault(
    "GroupChannel.get_a_group_channel",
    "its object refuses to give `last_message` and `channel`, of which it has made two each that it finds to differ",
)
def test_the_client_makes_two_last_messages(platform: Platform) -> None:
    platform.users("ann")
    url = platform.channel("ann").channel_url
    platform.send(url, "ann")
    got = platform.GroupChannel.get_a_group_channel(channel_url=url)
    assert platform.answer["last_message"]["message"] == "hello"
    for name in ("last_message", "channel"):
        with pytest.raises(ApiValueError):
            getattr(got, name)


@operation("GroupChannel.update_a_group_channel")
def test_update_a_group_channel(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob", name="N", data="d").channel_url
    changed = platform.GroupChannel.update_a_group_channel(
        channel_url=url,
        update_a_group_channel_request=models.UpdateAGroupChannelRequest(
            name="M", custom_type="t", is_public=True, access_code="secret", operator_ids=["bob"], cover_url="https://c"
        ),
    )
    assert (changed.name, changed.data, changed.custom_type, changed.cover_url) == ("M", "d", "t", "https://c")
    assert changed.is_public is True and changed.is_access_code_required is True
    assert [o.user_id for o in changed.operators] == ["bob"]
    assert platform.GroupChannel.get_a_group_channel(channel_url=url).name == "M"


@operation("GroupChannel.delete_a_group_channel")
def test_delete_a_group_channel(platform: Platform) -> None:
    platform.users("ann")
    url = platform.channel("ann").channel_url
    platform.GroupChannel.delete_a_group_channel(channel_url=url)
    with pytest.raises(ApiException) as gone:
        platform.GroupChannel.get_a_group_channel(channel_url=url)
    assert code(gone) == 400201


@operation("GroupChannel.list_channels")
def test_list_channels(platform: Platform) -> None:
    platform.users("ann", "bob", "cho")
    for number in range(12):
        platform.channel(
            "ann",
            "bob" if number % 2 else "cho",
            channel_url=f"c{number:02}",
            name=f"room {11 - number:02}",
            custom_type=f"t{number % 3}",
            is_public=number == 4,
        )
    platform.send("c03", "ann")
    rest = platform.server.admin
    for number in range(4):
        rest.post(f"/v3/group_channels/c0{number}/metacounter", {"metacounter": {"n": number * 10}})
        rest.post(f"/v3/group_channels/c0{number}/metadata", {"metadata": {"k": f"v{9 - number}"}})

    def urls(**query: object) -> list[str]:
        return [c.channel_url for c in platform.GroupChannel.list_channels(**query).channels]

    first = platform.GroupChannel.list_channels()
    assert len(first.channels) == 10 and first.next
    assert urls(token=first.next) == ["c01", "c00"]
    assert urls(limit=3) == ["c11", "c10", "c09"]
    assert urls(order="chronological", limit=2) == ["c11", "c10"]
    # The one with a message comes first.
    assert urls(order="latest_last_message", limit=3) == ["c03", "c11", "c10"]
    assert urls(order="channel_name_alphabetical", limit=3) == ["c11", "c10", "c09"]
    assert urls(order="metadata_value_alphabetical", metadata_order_key="k", limit=4) == ["c03", "c02", "c01", "c00"]
    by_name: list[str] = []
    token = ""
    while True:
        page = platform.GroupChannel.list_channels(order="channel_name_alphabetical", limit=5, token=token)
        by_name += [c.name for c in page.channels]
        token = page.next
        if not token:
            break
    assert by_name == [f"room {n:02}" for n in range(12)]
    assert urls(name="room 05") == ["c06"] and sorted(urls(name_startswith="room 1")) == ["c00", "c01"]
    assert urls(name_contains="m 05") == ["c06"] and urls(channel_urls="c07,c02") == ["c07", "c02"]
    assert urls(public_mode="public") == ["c04"] and "c04" not in urls(public_mode="private", limit=100)
    assert urls(custom_types="t0,t1", limit=100) == [f"c{n:02}" for n in range(11, -1, -1) if n % 3 < 2]
    assert urls(custom_type_startswith="t2", limit=100) == ["c11", "c08", "c05", "c02"]
    assert urls(members_include_in="bob,cho", limit=100) == []
    assert len(urls(members_include_in="bob,cho", query_type="or", limit=100)) == 12
    assert len(urls(members_exactly_in="ann,bob", limit=100)) == 6
    assert len(urls(members_nickname="Cho", limit=100)) == 6
    assert len(urls(members_nickname_contains="bo,ch", limit=100)) == 12
    assert urls(metadata_key="k", metadata_values="v9,v8") == ["c01", "c00"]
    assert urls(metadata_key="k", metadata_value_startswith="v7") == ["c02"]
    assert urls(metacounter_key="n", metacounter_values="0,30") == ["c03", "c00"]
    assert urls(metacounter_key="n", metacounter_value_gt="10") == ["c03", "c02"]
    assert urls(metacounter_key="n", metacounter_value_gte="10") == ["c03", "c02", "c01"]
    assert urls(metacounter_key="n", metacounter_value_lt="10") == ["c00"]
    assert urls(metacounter_key="n", metacounter_value_lte="10") == ["c01", "c00"]
    assert urls(show_empty=False) == ["c03"]
    shown = platform.GroupChannel.list_channels(channel_urls="c03", show_member=True, show_metadata=True).channels[0]
    assert sorted(m.user_id for m in shown.members) == ["ann", "bob"] and shown.metadata == {"k": "v6"}
    hidden = platform.GroupChannel.list_channels(channel_urls="c03", show_member=False, show_metadata=False)
    assert "members" not in hidden.channels[0].to_dict() and "metadata" not in hidden.channels[0].to_dict()


@operation("GroupChannel.list_members")
def test_list_members(platform: Platform) -> None:
    ids = [f"u{number:02}" for number in range(12)]
    platform.users(*ids)
    active = [user for user in ids if user != "u07"]
    url = platform.channel(*ids, operator_ids=["u11"], invitation_status={"u05": "invited_by_friend"}).channel_url
    platform.server.admin.post(f"/v3/group_channels/{url}/mute", {"user_id": "u02", "description": "why"})
    platform.User.update_a_user(
        user_id="u07",
        update_a_user_request=models.UpdateAUserRequest(is_active=False, leave_all_when_deactivated=False),
    )
    sent = platform.send(url, "u01")

    def members(**query: object) -> list[str]:
        return [m.user_id for m in platform.GroupChannel.list_members(channel_url=url, **query).members]

    first = platform.GroupChannel.list_members(channel_url=url)
    assert [m.user_id for m in first.members] == active[:10] and members(token=first.next) == active[10:]
    assert members(order="operator_then_member_alphabetical", limit=2) == ["u11", "u00"]
    assert members(operator_filter="operator") == ["u11"]
    assert members(operator_filter="nonoperator", limit=100) == active[:10]
    assert members(member_state_filter="invited_only") == ["u05"]
    assert members(muted_member_filter="muted") == ["u02"]
    assert members(member_active_mode_filter="deactivated") == ["u07"]
    assert members(member_active_mode_filter="activated", limit=100) == active
    assert members(nickname_startswith="U1") == ["u10", "u11"]
    full = platform.GroupChannel.list_members(
        channel_url=url,
        limit=100,
        show_read_receipt=True,
        show_delivery_receipt=True,
        show_member_is_muted=True,
        include_push_preference=True,
    ).members
    assert full[2].is_muted is True and full[2].muted_description == "why" and full[1].read_ts >= sent.created_at
    assert full[1].push_trigger_option.value == "all" and full[1].push_enabled is True
    assert full[1].do_not_disturb is False
    assert not lacks(models.SendbirdMember, platform.answer["members"][2])


@operation("GroupChannel.check_if_member")
def test_check_if_member(platform: Platform) -> None:
    platform.users("ann", "bob", "cho")
    url = platform.channel("ann", "bob", invitation_status={"bob": "invited_by_friend"}).channel_url
    for user, expected in (("ann", (True, "joined")), ("bob", (False, "invited")), ("cho", (False, "none"))):
        got = platform.GroupChannel.check_if_member(channel_url=url, user_id=user)
        assert (got.is_member, got.state) == expected


@operation("GroupChannel.invite_as_members")
def test_invite_as_members(platform: Platform) -> None:
    platform.users("ann", "bob", "cho", "dan")
    url = platform.channel("ann").channel_url
    got = platform.GroupChannel.invite_as_members(
        channel_url=url,
        invite_as_members_request=models.InviteAsMembersRequest(
            user_ids=["bob", "cho", "dan"],
            inviter_id="ann",
            invitation_status={"cho": "invited_by_non_friend"},
            hidden_status={"dan": "hidden_allow_auto_unhide"},
        ),
    )
    assert {m.user_id: m.state for m in got.members} == {
        "ann": "joined",
        "bob": "joined",
        "cho": "invited",
        "dan": "joined",
    }
    assert got.member_count == 4 and got.joined_member_count == 3
    hidden = platform.server.admin.get("/v3/users/dan/my_group_channels", hidden_mode="hidden_allow_auto_unhide")
    assert [c["channel_url"] for c in hidden["channels"]] == [url]
    with pytest.raises(ApiException) as nobody:
        platform.GroupChannel.invite_as_members(
            channel_url=url, invite_as_members_request=models.InviteAsMembersRequest(user_ids=["nobody"])
        )
    assert nobody.value.status == 400 and code(nobody) == 400201


@operation("GroupChannel.accept_an_invitation")
def test_accept_an_invitation(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob", invitation_status={"bob": "invited_by_friend"}).channel_url
    got = platform.GroupChannel.accept_an_invitation(
        channel_url=url, accept_an_invitation_request=models.AcceptAnInvitationRequest(user_id="bob")
    )
    assert got.joined_member_count == 2
    assert platform.GroupChannel.check_if_member(channel_url=url, user_id="bob").state == "joined"


@operation("GroupChannel.join_a_channel")
def test_join_a_channel(platform: Platform) -> None:
    platform.users("ann", "bob", "cho")
    url = platform.channel("ann", is_public=True, access_code="open").channel_url

    def join(user: str, **more: str) -> object:
        return platform.GroupChannel.join_a_channel(
            channel_url=url, join_a_channel_request=models.JoinAChannelRequest(user_id=user, **more)
        )

    assert join("bob", access_code="open").joined_member_count == 2
    with pytest.raises(ApiException) as wrong:
        join("cho", access_code="wrong")
    assert code(wrong) == 400108
    private = platform.channel("ann").channel_url
    with pytest.raises(ApiException):
        platform.GroupChannel.join_a_channel(
            channel_url=private, join_a_channel_request=models.JoinAChannelRequest(user_id="bob")
        )


@operation("GroupChannel.leave_a_channel")
def test_leave_a_channel(platform: Platform) -> None:
    platform.users("ann", "bob", "cho", "dan")
    url = platform.channel("ann", "bob", "cho", "dan", operator_ids=["bob", "cho"], is_public=True).channel_url

    def leave(*users: str, **more: object) -> None:
        platform.GroupChannel.leave_a_channel(
            channel_url=url, leave_a_channel_request=models.LeaveAChannelRequest(user_ids=list(users), **more)
        )

    def operators() -> list[str]:
        return [o.user_id for o in platform.GroupChannel.list_operators(channel_url=url).operators]

    def rejoin(user: str) -> None:
        platform.GroupChannel.join_a_channel(
            channel_url=url, join_a_channel_request=models.JoinAChannelRequest(user_id=user)
        )

    leave("bob")
    leave("cho", should_remove_operator_status=True, reason="LEFT_BY_OWN_CHOICE")
    assert [m.user_id for m in platform.GroupChannel.list_members(channel_url=url).members] == ["ann", "dan"]
    rejoin("bob")
    rejoin("cho")
    # An operator comes back as one, unless the status was to go.
    assert operators() == ["bob"]
    leave(should_leave_all=True)
    assert platform.GroupChannel.list_members(channel_url=url).members == []


@operation("GroupChannel.hide_a_channel")
@operation("GroupChannel.unhide_a_channel")
def test_hide_and_unhide(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob").channel_url

    def hidden(user: str) -> str:
        found = platform.server.admin.get(f"/v3/users/{user}/my_group_channels", hidden_mode="all")
        return str(found["channels"][0]["hidden_state"])

    def hide(**fields: object) -> None:
        platform.GroupChannel.hide_a_channel(
            channel_url=url, hide_a_channel_request=models.HideAChannelRequest(user_id="ann", **fields)
        )

    hide()
    assert (hidden("ann"), hidden("bob")) == ("hidden_allow_auto_unhide", "unhidden")
    hide(allow_auto_unhide=False, hide_previous_messages=True)
    assert hidden("ann") == "hidden_prevent_auto_unhide"
    platform.GroupChannel.unhide_a_channel(channel_url=url, user_id="ann")
    assert hidden("ann") == "unhidden"
    hide(should_hide_all=True)
    assert (hidden("ann"), hidden("bob")) == ("hidden_allow_auto_unhide", "hidden_allow_auto_unhide")
    platform.GroupChannel.unhide_a_channel(channel_url=url, user_id="ann", should_unhide_all=True)
    assert (hidden("ann"), hidden("bob")) == ("unhidden", "unhidden")


@operation("GroupChannel.register_operators_to_a_group_channel")
@operation("GroupChannel.list_operators")
@operation("GroupChannel.cancel_the_registration_of_operators")
def test_operators(platform: Platform) -> None:
    ids = [f"u{number:02}" for number in range(12)]
    platform.users(*ids)
    url = platform.channel(*ids).channel_url
    platform.GroupChannel.register_operators_to_a_group_channel(
        channel_url=url,
        register_operators_to_a_group_channel_request=models.RegisterOperatorsToAGroupChannelRequest(operator_ids=ids),
    )

    def operators(**query: object) -> list[str]:
        return [o.user_id for o in platform.GroupChannel.list_operators(channel_url=url, **query).operators]

    first = platform.GroupChannel.list_operators(channel_url=url)
    assert [o.user_id for o in first.operators] == ids[:10] and operators(token=first.next) == ids[10:]
    platform.GroupChannel.cancel_the_registration_of_operators(channel_url=url, operator_ids="u00,u01")
    assert operators(limit=100) == ids[2:]
    platform.GroupChannel.cancel_the_registration_of_operators(channel_url=url, operator_ids="", delete_all=True)
    assert operators() == []


@operation("GroupChannel.reset_chat_history")
def test_reset_chat_history(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob").channel_url
    sent = platform.send(url, "bob")

    def seen(user: str) -> int:
        page = platform.server.admin.get(
            f"/v3/group_channels/{url}/messages", message_ts=2**53, prev_limit=10, user_id=user
        )
        return len(page["messages"])

    got = platform.GroupChannel.reset_chat_history(
        channel_url=url, reset_chat_history_request=models.ResetChatHistoryRequest(user_id="ann")
    )
    assert got.ts_message_offset > sent.created_at and (seen("ann"), seen("bob")) == (0, 1)
    platform.GroupChannel.reset_chat_history(
        channel_url=url, reset_chat_history_request=models.ResetChatHistoryRequest(user_id="ann", reset_all=True)
    )
    assert (seen("ann"), seen("bob")) == (0, 0)


@operation("GroupChannel.start_typing_indicators")
@operation("GroupChannel.stop_typing_indicators")
def test_typing(platform: Platform) -> None:
    platform.users("ann", "bob")
    url = platform.channel("ann", "bob").channel_url
    socket = platform.server.socket("ai=syncmanager&user_id=ann")
    request = models.StartTypingIndicatorsRequest(user_ids=["bob"])
    platform.GroupChannel.start_typing_indicators(channel_url=url, start_typing_indicators_request=request)
    assert socket.system(10900)["data"]["user_id"] == "bob"
    platform.GroupChannel.stop_typing_indicators(channel_url=url, start_typing_indicators_request=request)
    assert socket.system(10901)["data"]["user_id"] == "bob"


# Metadata of channels


@operation("Metadata.create_a_channel_metadata")
@operation("Metadata.view_a_channel_metadata_when_retrieving_all_items_of_a_channel_metadata")
@operation("Metadata.update_a_channel_metadata")
@operation("Metadata.delete_a_channel_metadata_when_deleting_all_items_of_a_channel_metadata")
def test_metadata_of_a_channel(platform: Platform) -> None:
    platform.users("ann")
    where = dict(channel_type="group_channels", channel_url=platform.channel("ann").channel_url)
    view = platform.Metadata.view_a_channel_metadata_when_retrieving_all_items_of_a_channel_metadata

    made = platform.Metadata.create_a_channel_metadata(
        **where,
        create_a_channel_metadata_request=models.CreateAChannelMetadataRequest(metadata={"a": "1", "b": "2", "c": "3"}),
    )
    assert made.to_dict() == {"a": "1", "b": "2", "c": "3"}
    assert view(**where) == {"a": "1", "b": "2", "c": "3"}
    assert view(**where, key="b") == {"b": "2"} and view(**where, keys="a,c") == {"a": "1", "c": "3"}

    def update(upsert: bool, **values: str) -> object:
        return platform.Metadata.update_a_channel_metadata(
            **where,
            update_a_channel_metadata_request=models.UpdateAChannelMetadataRequest(metadata=values, upsert=upsert),
        )

    update(False, a="9", x="9")
    assert view(**where) == {"a": "9", "b": "2", "c": "3"}
    update(True, x="9")
    assert view(**where) == {"a": "9", "b": "2", "c": "3", "x": "9"}
    # With the key in the query, as the service takes it, one item goes and the rest stays.
    platform.server.admin.delete(f"/v3/group_channels/{where['channel_url']}/metadata?key=x")
    assert view(**where) == {"a": "9", "b": "2", "c": "3"}
    platform.Metadata.delete_a_channel_metadata_when_deleting_all_items_of_a_channel_metadata(**where)
    assert view(**where) == {}
    timed = platform.Metadata.create_a_channel_metadata(
        **where,
        create_a_channel_metadata_request=models.CreateAChannelMetadataRequest(metadata={"a": "1"}, include_ts=True),
    )
    assert timed.metadata == {"a": "1"} and timed.ts > 10**12


@fault(
    "Metadata.delete_a_channel_metadata_when_deleting_all_items_of_a_channel_metadata",
    "takes a `key` and never sends it, so everything goes",
)
def test_the_client_does_not_send_the_key(platform: Platform) -> None:
    platform.users("ann")
    where = dict(channel_type="group_channels", channel_url=platform.channel("ann").channel_url)
    platform.Metadata.create_a_channel_metadata(
        **where, create_a_channel_metadata_request=models.CreateAChannelMetadataRequest(metadata={"a": "1", "b": "2"})
    )
    platform.Metadata.delete_a_channel_metadata_when_deleting_all_items_of_a_channel_metadata(**where, key="a")
    asked = platform.server.admin.get("/control/received")["received"][-1]
    assert asked["method"] == "DELETE" and asked["target"].endswith("/metadata") and asked["body"] == ""


# Moderation


@operation("Moderation.block_a_user")
@operation("Moderation.list_blocked_users")
@operation("Moderation.unblock_a_user")
def test_blocks(platform: Platform) -> None:
    ids = [f"u{number:02}" for number in range(12)]
    platform.users("ann")
    for user in ids:
        platform.user(user, metadata={"team": "red" if user < "u06" else "blue"})
    one = platform.Moderation.block_a_user(
        user_id="ann", block_a_user_request=models.BlockAUserRequest(target_id="u00")
    )
    assert [u.user_id for u in one.users] == ["u00"]
    many = platform.Moderation.block_a_user(
        user_id="ann", block_a_user_request=models.BlockAUserRequest(user_ids=ids[1:])
    )
    assert [u.user_id for u in many.users] == ids[1:]

    def blocked(user: str, **query: object) -> list[str]:
        return [u.user_id for u in platform.Moderation.list_blocked_users(user_id=user, **query).users]

    first = platform.Moderation.list_blocked_users(user_id="ann")
    assert [u.user_id for u in first.users] == ids[:10] and blocked("ann", token=first.next) == ids[10:]
    assert blocked("u03") == [] and blocked("u03", list="blocking_me") == ["ann"]
    assert blocked("ann", user_ids="u01,u11,x") == ["u01", "u11"]
    assert blocked("ann", metadatakey="team", metadatavalues_in="blue", limit=100) == ids[6:]
    platform.Moderation.unblock_a_user(user_id="ann", target_id="u05")
    assert blocked("ann", limit=100) == ids[:5] + ids[6:]
    with pytest.raises(ApiException) as nobody:
        platform.Moderation.block_a_user(
            user_id="ann", block_a_user_request=models.BlockAUserRequest(target_id="nobody")
        )
    assert nobody.value.status == 400 and code(nobody) == 400201


@operation("Moderation.freeze_a_group_channel")
def test_freeze(platform: Platform) -> None:
    platform.users("ann")
    url = platform.channel("ann").channel_url
    for state in (True, False):
        got = platform.Moderation.freeze_a_group_channel(
            channel_url=url, freeze_a_group_channel_request=models.FreezeAGroupChannelRequest(freeze=state)
        )
        assert got.freeze is state and platform.GroupChannel.get_a_group_channel(channel_url=url).freeze is state
