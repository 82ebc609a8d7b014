"""Every key that the Platform API client can send is read: none is accepted and left without effect.

All tests of this folder run on a server that refuses what nothing reads (`--strict`). They set the keys they are about;
here each operation is asked with all the keys that its specification gives it, each at least once in a request that
succeeds. Keys that are read and have no effect are named in docs/server.md.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Iterator

import pytest
import table
from platform_client import APIS
from running import Server
from wire import quote

USERS = ["ann", "bob", "cid"]

class World:
    """A strict server with three users; each request gets what it needs made anew."""

    def __init__(self) -> None:
        self.server = Server("--strict")
        self.admin = self.server.admin
        self.made = 0
        for user in USERS:
            self.admin.post("/v3/users", {"user_id": user, "nickname": user.title(), "profile_url": ""})

    def name(self, what: str) -> str:
        self.made += 1
        return f"{what}-{self.made}"

    def channel(self, **fields: Any) -> str:
        body = {"user_ids": USERS, "operator_ids": ["ann"], "channel_url": self.name("channel"), **fields}
        return str(self.admin.post("/v3/group_channels", body)["channel_url"])

    def message(self, channel: str, **fields: Any) -> int:
        body = {"message_type": "MESG", "user_id": "bob", "message": "hello", **fields}
        return int(self.admin.post(f"/v3/group_channels/{channel}/messages", body)["message_id"])

    def user(self) -> str:
        name = self.name("user")
        self.admin.post("/v3/users", {"user_id": name, "nickname": name, "profile_url": ""})
        return name

    def bot(self, **fields: Any) -> str:
        name = self.name("bot")
        self.admin.post("/v3/bots", {
            "bot_userid": name, "bot_nickname": name, "bot_profile_url": "", "bot_callback_url": "",
            "is_privacy_mode": False, **fields})
        return name

    def device(self, user: str) -> str:
        token = self.name("token")
        self.admin.post(f"/v3/users/{user}/push/gcm", {"gcm_reg_token": token})
        return token


class Ask:
    """What one request has beside its method: values of the path, a query, a body (or a form)."""

    def __init__(self, path: dict[str, Any] | None = None, query: Any = None, body: Any = None, form: Any = None):
        self.path = {"channel_type": "group_channels", **(path or {})}
        self.query: dict[str, Any] = query or {}
        self.body: dict[str, Any] | None = body
        self.form: list[tuple[str, str, bytes | None]] = form or []

    @property
    def keys(self) -> set[str]:
        return set(self.query) | set(self.body or {}) | {name for name, _, _ in self.form}


LIST_QUERY = {
    "limit": 5, "distinct_mode": "all", "public_mode": "all", "super_mode": "all", "created_after": 1,
    "created_before": 4102444800, "show_empty": True, "show_member": True, "show_delivery_receipt": True,
    "show_read_receipt": True, "show_metadata": True, "show_frozen": True, "order": "chronological",
    "custom_types": "", "custom_type_startswith": "", "name_contains": "", "members_include_in": "ann",
    "query_type": "AND", "include_sorted_metaarray_in_last_message": True,
}
LIST_QUERIES = [
    LIST_QUERY,
    {"order": "metadata_value_alphabetical", "metadata_order_key": "k", "metadata_key": "k", "metadata_values": "v"},
    {"metadata_key": "k", "metadata_value_startswith": "v", "token": ""},
    {"metacounter_key": "c", "metacounter_values": "1"},
    {"metacounter_key": "c", "metacounter_value_gt": 1},
    {"metacounter_key": "c", "metacounter_value_gte": 1},
    {"metacounter_key": "c", "metacounter_value_lt": 1},
    {"metacounter_key": "c", "metacounter_value_lte": 1},
    {"name": "x", "name_startswith": "x", "channel_urls": "a,b", "members_exactly_in": "ann"},
    {"members_nickname": "Ann"}, {"members_nickname_contains": "An"},
]


def on_channel(query: Any = None, body: Any = None) -> Callable[[World], list[Ask]]:
    return lambda w: [Ask({"channel_url": w.channel()}, query, body)]


def on_user(query: Any = None, body: Any = None) -> Callable[[World], list[Ask]]:
    return lambda w: [Ask({"user_id": "ann"}, query, body)]


def on_message(w: World, query: Any = None, body: Any = None) -> Ask:
    url = w.channel()
    message = w.message(url, sorted_metaarray=[{"key": "color", "value": ["red"]}])
    return Ask({"channel_url": url, "message_id": message}, query, body)


def announcement(w: World) -> list[Ask]:
    now = w.server.control("advance_clock", ms=0)["ts"]
    message = {"type": "MESG", "user_id": "ann", "content": "hear", "data": "", "custom_type": ""}
    base = {
        "announcement_group": "g", "enable_push": False, "mark_as_read": True, "message": message,
        "scheduled_at": now + 600_000, "send_to_frozen_channels": True, "target_channel_type": "distinct",
        "target_custom_type": "", "cease_at": "2300", "resume_at": "0700", "end_at": now + 900_000,
        "create_channel": True, "assign_sender_as_channel_inviter": True, "keep_channel_hidden_for_sender": True,
        "create_channel_options": {
            "distinct": True, "name": "n", "cover_url": "", "custom_type": "", "data": "",
        },
    }
    return [
        Ask(body={**base, "unique_id": w.name("a"), "target_at": "target_users_included_channels",
                  "target_list": ["bob"]}),
    ]


def bot_send(w: World) -> list[Ask]:
    bot, url = w.bot(), w.channel()
    w.admin.post(f"/v3/bots/{bot}/channels", {"channel_urls": [url]})
    fields = {
        "message_type": "MESG", "channel_url": url, "message": "hi", "mention_type": "users",
        "mentioned": '["ann"]', "mentioned_user_ids": '["ann"]', "is_silent": "false",
        "extended_message_payload": "{}", "sorted_metaarray": '[{"key":"k","value":["v"]}]', "apns_bundle_id": "x",
        "apple_critical_alert_options": '{"critical_sound":"a","volume":1}', "sound": "s", "volume": "1.0",
        "created_at": "1", "custom_type": "t", "data": "d", "dedup_id": "1", "mark_as_read": "true",
        "send_push": "false",
    }
    text = [(name, value, None) for name, value in fields.items()]
    file = [("message_type", "FILE", None), ("channel_url", url, None), ("require_auth", "false", None),
            ("file", "a.txt", b"text")]
    return [Ask({"bot_userid": bot}, form=text), Ask({"bot_userid": bot}, form=file)]


BOT = {
    "bot_nickname": "B", "bot_profile_url": "", "bot_callback_url": "http://x", "is_privacy_mode": True,
    "enable_mark_as_read": True, "show_member": True, "channel_invitation_preference": 0,
}
UNREAD = {"custom_types": "", "super_mode": "all"}

ASKS: dict[str, Callable[[World], list[Ask]]] = {
    "Announcement.schedule_an_announcement": announcement,
    "Bot.create_a_bot": lambda w: [Ask(body={**BOT, "bot_userid": w.name("bot"), "bot_type": "x"})],
    "Bot.delete_bot_by_id": lambda w: [Ask({"bot_userid": w.bot()})],
    "Bot.join_channels": lambda w: [Ask({"bot_userid": w.bot()}, body={"channel_urls": [w.channel()]})],
    "Bot.leave_a_group_channel": lambda w: [Ask(bot_in_channel(w))],
    "Bot.leave_group_channels": lambda w: [Ask(bot_in_channel(w))],
    "Bot.list_bots": lambda w: [Ask(query={"token": "", "limit": 5})],
    "Bot.send_a_bot_message": bot_send,
    "Bot.update_bot_by_id": lambda w: [Ask({"bot_userid": (bot := w.bot())}, body={**BOT, "bot_userid": bot})],
    "Bot.view_bot_by_id": lambda w: [Ask({"bot_userid": w.bot()})],
    "GroupChannel.accept_an_invitation": lambda w: [
        Ask({"channel_url": invited(w)}, body={"user_id": "cid", "access_code": "x"})],
    "GroupChannel.cancel_the_registration_of_operators": lambda w: [
        Ask({"channel_url": w.channel()}, {"operator_ids": "ann", "delete_all": False}),
        Ask({"channel_url": w.channel()}, {"delete_all": True})],
    "GroupChannel.check_if_member": lambda w: [Ask({"channel_url": w.channel(), "user_id": "ann"})],
    "GroupChannel.create_a_group_channel": lambda w: [
        Ask(body={
            "user_ids": USERS, "access_code": "", "block_sdk_user_channel_join": False, "channel_url": w.name("made"),
            "cover_url": "", "custom_type": "", "data": "", "hidden_status": {"bob": "hidden_allow_auto_unhide"},
            "invitation_status": {"cid": "invited_by_friend"}, "inviter_id": "ann", "is_distinct": False,
            "is_ephemeral": False, "is_public": False, "is_super": False, "name": "n", "operator_ids": ["ann"],
            "strict": True}),
        Ask(body={"users": [{"user_id": "ann"}]}),
        Ask(form=[("user_ids", '["ann"]', None), ("cover_file", "c.png", b"png")])],
    "GroupChannel.delete_a_group_channel": on_channel(),
    "GroupChannel.get_a_group_channel": on_channel({
        "show_delivery_receipt": True, "show_read_receipt": True, "show_member": True, "member_active_mode": "all",
        "user_id": "ann"}),
    "GroupChannel.hide_a_channel": on_channel(body={
        "user_id": "ann", "allow_auto_unhide": True, "hide_previous_messages": True, "should_hide_all": False}),
    "GroupChannel.invite_as_members": lambda w: [Ask({"channel_url": w.channel()}, body={
        "user_ids": [w.user()], "hidden_status": {}, "invitation_status": {}, "inviter_id": "ann"})],
    "GroupChannel.join_a_channel": lambda w: [
        Ask({"channel_url": w.channel(is_public=True, access_code="x")},
            body={"user_id": w.user(), "access_code": "x"})],
    "GroupChannel.leave_a_channel": on_channel(body={
        "user_ids": ["bob"], "should_leave_all": False, "should_remove_operator_status": True, "reason": "r"}),
    "GroupChannel.list_channels": lambda w: [Ask(query=query) for query in LIST_QUERIES],
    "GroupChannel.list_members": on_channel({
        "token": "", "limit": 5, "user_id": "ann", "show_delivery_receipt": True, "show_read_receipt": True,
        "show_member_is_muted": True, "order": "member_nickname_alphabetical", "operator_filter": "all",
        "member_state_filter": "all", "muted_member_filter": "all", "member_active_mode_filter": "all",
        "nickname_startswith": "A", "include_push_preference": True}),
    "GroupChannel.list_operators": on_channel({"token": "", "limit": 5}),
    "GroupChannel.register_operators_to_a_group_channel": on_channel(body={"operator_ids": ["bob"]}),
    "GroupChannel.reset_chat_history": lambda w: [
        Ask({"channel_url": w.channel()}, body={"user_id": "ann", "reset_all": False}),
        Ask({"channel_url": w.channel()}, body={"reset_all": True})],
    "GroupChannel.start_typing_indicators": on_channel(body={"user_ids": ["ann"]}),
    "GroupChannel.stop_typing_indicators": on_channel(body={"user_ids": ["ann"]}),
    "GroupChannel.unhide_a_channel": on_channel({"user_id": "ann", "should_unhide_all": False}),
    "GroupChannel.update_a_group_channel": lambda w: [
        Ask({"channel_url": w.channel()}, body={
            "access_code": "", "cover_url": "", "custom_type": "", "data": "", "is_distinct": False,
            "is_public": False, "is_super": False, "name": "m", "operator_ids": ["bob"]}),
        Ask({"channel_url": w.channel()}, form=[("cover_file", "c.png", b"png")])],
    "Message.add_extra_data_to_a_message": lambda w: [
        on_message(w, body={"sorted_metaarray": [{"key": "size", "value": ["x"]}]})],
    "Message.delete_a_message": lambda w: [on_message(w)],
    "Message.get_a_message": lambda w: [on_message(w, {
        "include_reactions": True, "include_thread_info": True, "include_parent_message_info": True,
        "include_poll_details": True, "with_sorted_meta_array": True})],
    "Message.get_total_number_of_messages_in_a_channel": on_channel(),
    "Message.list_messages": lambda w: [
        Ask({"channel_url": w.channel()}, {
            "message_ts": 1, "prev_limit": 5, "next_limit": 5, "include": True, "reverse": True, "sender_id": "ann",
            "sender_ids": "ann", "operator_filter": "all", "custom_types": "", "message_type": "MESG",
            "including_removed": True, "include_reactions": True, "include_reply_type": "all",
            "include_parent_message_info": True, "include_thread_info": True, "include_poll_details": True,
            "with_sorted_meta_array": True, "show_subchannel_messages_only": False, "user_id": "ann"}),
        Ask({"channel_url": (url := w.channel())}, {"message_id": w.message(url)})],
    "Message.mark_channel_messages_as_read": on_channel(body={"user_id": "ann"}),
    "Message.migrate_messages": lambda w: [Ask({"target_channel_url": w.channel()}, body={
        "messages": [{"message_type": "MESG", "user_id": "ann", "message": "old", "timestamp": 1, "data": "",
                      "custom_type": "", "mention_type": "users", "mentioned_user_ids": ["bob"], "dedup_id": "d"}],
        "update_read_ts": True, "rewind_read_ts": True})],
    "Message.remove_extra_data_from_a_message": lambda w: [on_message(w, {"keys": "color"})],
    "Message.send_a_message": lambda w: [
        Ask({"channel_url": w.channel()}, body={
            "message_type": "MESG", "user_id": "bob", "message": "m", "push_message_template": {"title": "t"},
            "apns_bundle_id": "x", "apple_critical_alert_options": {"critical_sound": "a", "volume": 1.0},
            "created_at": 1, "custom_type": "", "data": "", "dedup_id": "1", "include_poll_details": True,
            "is_silent": False, "mark_as_read": True, "mention_type": "users", "mentioned_user_ids": ["ann"],
            "send_push": False, "sorted_metaarray": [{"key": "k", "value": ["v"]}], "sound": "s", "volume": 1.0}),
        Ask({"channel_url": w.channel()}, body={
            "message_type": "MESG", "user_id": "bob", "message": "vote",
            "poll_id": w.admin.post("/v3/polls", {"title": "p", "options": ["a"]})["id"]}),
        Ask({"channel_url": w.channel()}, form=[
            ("message_type", "FILE", None), ("user_id", "bob", None), ("require_auth", "true", None),
            ("thumbnail1", "100,100", None), ("thumbnail2", "200,200", None), ("thumbnail3", "300,300", None),
            ("file", "a.txt", b"text")]),
        Ask({"channel_url": w.channel()}, body={
            "message_type": "FILE", "user_id": "bob", "url": "http://x/a",
            "thumbnails": [{"url": "http://x/t", "width": 1, "height": 1}]}),
        Ask({"channel_url": w.channel()}, body={
            "message_type": "FILE", "user_id": "bob",
            "files": [{"url": "http://x/a", "file_name": "a", "file_size": 1, "file_type": "text/plain"},
                      {"url": "http://x/b"}]})],
    "Message.update_a_message": lambda w: [
        on_message(w, body={
            "message_type": "MESG", "custom_type": "", "data": "", "mention_type": "users",
            "mentioned_user_ids": ["ann"], "message": "n"}),
        changed_file(w)],
    "Message.update_extra_data_in_a_message": lambda w: [on_message(w, body={
        "mode": "add", "upsert": True, "sorted_metaarray": [{"key": "color", "value": ["blue"]}]})],
    "Metadata.create_a_channel_metadata": on_channel(body={"metadata": {"a": "b"}, "include_ts": True}),
    "Metadata.delete_a_channel_metadata_when_deleting_all_items_of_a_channel_metadata": on_channel(),
    "Metadata.update_a_channel_metadata": on_channel(body={"metadata": {"a": "b"}, "upsert": True}),
    "Metadata.view_a_channel_metadata_when_retrieving_all_items_of_a_channel_metadata": lambda w: [
        Ask({"channel_url": w.channel()}, {"key": "a"}), Ask({"channel_url": w.channel()}, {"keys": "a,b"})],
    "Moderation.block_a_user": lambda w: [
        Ask({"user_id": "ann"}, body={"target_id": w.user()}), Ask({"user_id": "ann"}, body={"user_ids": [w.user()]})],
    "Moderation.freeze_a_group_channel": on_channel(body={"freeze": True}),
    "Moderation.list_blocked_users": on_user({
        "list": "blocked_by_me", "token": "", "limit": 5, "user_ids": "bob", "metadatakey": "k",
        "metadatavalues_in": "v"}),
    "Moderation.unblock_a_user": lambda w: [blocked(w)],
    "Statistics.view_number_of_daily_active_users": lambda w: [Ask(query={"date": "2026-01-02"})],
    "Statistics.view_number_of_monthly_active_users": lambda w: [Ask(query={"date": "2026-01"})],
    "User.add_a_registration_or_device_token": lambda w: [
        Ask({"user_id": "ann", "token_type": kind}, body={key: w.name("token")})
        for kind, key in (("apns", "apns_device_token"), ("gcm", "gcm_reg_token"), ("huawei", "huawei_device_token"))],
    "User.choose_a_push_notification_content_template": on_user(body={"name": "default"}),
    "User.create_a_user": lambda w: [
        Ask(body={"nickname": "n", "profile_url": "", "user_id": w.name("user"), "discovery_keys": ["k"],
                  "issue_access_token": True, "metadata": {"a": "b"}}),
        Ask(form=[("user_id", w.name("user"), None), ("nickname", "n", None), ("profile_file", "p.png", b"png")])],
    "User.create_user_metadata": lambda w: [Ask({"user_id": w.user()}, body={"metadata": {"a": "b"}})],
    "User.create_user_token": on_user(body={"expires_at": 4102444800000}),
    "User.delete_a_user": lambda w: [Ask({"user_id": w.user()})],
    "User.delete_specific_user_metadata": lambda w: [Ask({"user_id": with_metadata(w), "key": "a"})],
    "User.delete_user_all_metadata": lambda w: [Ask({"user_id": with_metadata(w)})],
    "User.get_channel_invitation_preference": on_user(),
    "User.leave_my_group_channels": lambda w: [Ask({"user_id": w.user()}, body={"custom_type": "t"})],
    "User.list_my_group_channels": lambda w: [
        Ask({"user_id": "ann"}, query) for query in (
            *LIST_QUERIES, {"members_nickname_startswith": "B"}, {"search_query": "x", "search_fields": "channel_name"},
            {"hidden_mode": "all", "unread_filter": "all", "member_state_filter": "all"})],
    "User.list_registration_or_device_tokens": lambda w: [Ask({"user_id": "ann", "token_type": "gcm"})],
    "User.list_users": lambda w: [
        Ask(query={"token": "", "limit": 5, "active_mode": "all", "show_bot": True, "user_ids": "ann",
                   "nickname": "Ann", "nickname_startswith": "A", "metadatakey": "k", "metadatavalues_in": "v"})],
    "User.mark_all_messages_as_read": lambda w: [Ask({"user_id": "ann"}, body={"channel_urls": [w.channel()]})],
    "User.remove_a_registration_or_device_token": lambda w: [
        Ask({"user_id": "ann", "token_type": "gcm", "token": w.device("ann")})],
    "User.remove_a_registration_or_device_token_from_an_owner": lambda w: [
        Ask({"token_type": "gcm", "token": w.device("ann")})],
    "User.remove_all_registration_or_device_token": on_user(),
    "User.reset_push_preferences": on_user(),
    "User.update_a_user": lambda w: [
        Ask({"user_id": w.user()}, body={
            "discovery_keys": ["k"], "is_active": False, "issue_access_token": True, "last_seen_at": 1,
            "leave_all_when_deactivated": True, "nickname": "n", "preferred_languages": ["ko"], "profile_url": ""}),
        Ask({"user_id": w.user()}, form=[("profile_file", "p.png", b"png")])],
    "User.update_channel_invitation_preference": on_user(body={"auto_accept": True}),
    "User.update_count_preference_of_a_channel": lambda w: [
        Ask({"user_id": "ann", "channel_url": w.channel()}, body={"count_preference": "all"})],
    "User.update_push_preferences": on_user(body={
        "block_push_from_bots": True, "do_not_disturb": True, "enable_push_for_replies": True, "end_hour": 1,
        "end_min": 1, "push_blocked_bot_ids": ["x"], "push_sound": "s", "push_trigger_option": "all",
        "snooze_enabled": False, "snooze_end_ts": 1, "snooze_start_ts": 1, "start_hour": 1, "start_min": 1,
        "timezone": "UTC", "dnd_schedules": []}),
    "User.update_push_preferences_for_a_channel": lambda w: [
        Ask({"user_id": "ann", "channel_url": w.channel()}, body={"push_trigger_option": "all", "push_sound": "s"})],
    "User.update_specific_user_metadata": lambda w: [
        Ask({"user_id": with_metadata(w), "key": "a"}, body={"value": "c"})],
    "User.update_user_metadata": lambda w: [Ask({"user_id": w.user()}, body={"metadata": {"a": "b"}, "upsert": True})],
    "User.view_a_user": on_user({**UNREAD, "include_unread_count": True}),
    "User.view_count_preference_of_a_channel": lambda w: [Ask({"user_id": "ann", "channel_url": w.channel()})],
    "User.view_number_of_channels_with_unread_messages": on_user(UNREAD),
    "User.view_number_of_unread_messages": on_user(UNREAD),
    "User.view_push_preferences": on_user(),
    "User.view_push_preferences_for_a_channel": lambda w: [Ask({"user_id": "ann", "channel_url": w.channel()})],
    "User.view_specific_user_metadata": lambda w: [Ask({"user_id": with_metadata(w), "key": "a"})],
    "User.view_who_owns_a_registration_or_device_token": lambda w: [
        Ask({"token_type": "gcm", "token": w.device("ann")})],
}


def bot_in_channel(w: World) -> dict[str, Any]:
    bot, url = w.bot(), w.channel()
    w.admin.post(f"/v3/bots/{bot}/channels", {"channel_urls": [url]})
    return {"bot_userid": bot, "channel_url": url}


def invited(w: World) -> str:
    return w.channel(access_code="x", is_public=True, invitation_status={"cid": "invited_by_friend"})


def with_metadata(w: World) -> str:
    user = w.user()
    w.admin.post(f"/v3/users/{user}/metadata", {"metadata": {"a": "b"}})
    return user


def blocked(w: World) -> Ask:
    target = w.user()
    w.admin.post("/v3/users/ann/block", {"target_id": target})
    return Ask({"user_id": "ann", "target_id": target})


def changed_file(w: World) -> Ask:
    url = w.channel()
    message = w.message(url, message_type="FILE", url="http://x/a")
    return Ask({"channel_url": url, "message_id": message}, body={"message_type": "FILE", "url": "http://x/b"})


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World()
    yield made
    assert made.server.stop() == 0


def declared(name: str) -> set[str]:
    """The keys of the query, the body and the form that the specification gives an operation."""
    api, operation = name.split(".")
    endpoint = getattr(APIS[api + "Api"](), operation + "_endpoint")
    found: set[str] = set()
    for parameter, place in endpoint.location_map.items():
        if place in ("query", "form"):
            found.add(endpoint.attribute_map[parameter])
        elif place == "body":
            for kind in endpoint.openapi_types[parameter]:
                found |= set(kind.attribute_map.values())
    return found


def multipart(fields: list[tuple[str, str, bytes | None]]) -> bytes:
    parts = b""
    for name, value, content in fields:
        head = f'--xx\r\nContent-Disposition: form-data; name="{name}"'
        if content is None:
            parts += f"{head}\r\n\r\n{value}\r\n".encode()
        else:
            parts += f'{head}; filename="{value}"\r\nContent-Type: text/plain\r\n\r\n'.encode() + content + b"\r\n"
    return parts + b"--xx--\r\n"


def ask(world: World, method: str, path: str, ask: Ask) -> None:
    target = path
    for name, value in ask.path.items():
        target = target.replace("{" + name + "}", quote(str(value)))
    pairs = [f"{key}={quote(str(value).lower() if isinstance(value, bool) else str(value))}"
             for key, value in ask.query.items()]
    target += "?" + "&".join(pairs) if pairs else ""
    if ask.form:
        answer = world.admin.call(
            method, target, multipart(ask.form), Content_Type="multipart/form-data; boundary=xx")
    else:
        answer = world.admin.call(method, target, None if ask.body is None else json.dumps(ask.body).encode())
    assert answer.status == 200, (method, target, ask.body or ask.form, answer.body)


OPERATIONS = {name: call for name, call in table.operations().items() if not table.out(call[1])}


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_key_is_unread(world: World, name: str) -> None:
    method, path = OPERATIONS[name]
    asks = ASKS[name](world)
    sent: set[str] = set()
    for one in asks:
        ask(world, method, path, one)
        sent |= one.keys
    assert not declared(name) - sent, "a key of the specification is not tried"
