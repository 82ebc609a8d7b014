"""The results of actions (docs/actions.md), typed.

Written by scripts/actions from the table of actions; change that, not this file."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from .documents import Channel, Member, Message, Poll, User

#: The name of an action.
ActionName = Literal[
    "edit_message",
    "delete_message",
    "add_reaction",
    "remove_reaction",
    "pin_message",
    "unpin_message",
    "translate_message",
    "create_meta_array_keys",
    "delete_meta_array_keys",
    "add_meta_array_values",
    "remove_meta_array_values",
    "create_poll",
    "get_poll",
    "list_polls",
    "update_poll",
    "close_poll",
    "delete_poll",
    "add_poll_option",
    "update_poll_option",
    "delete_poll_option",
    "vote_poll",
    "list_poll_voters",
    "list_poll_changes",
    "schedule_message",
    "get_scheduled_message",
    "list_scheduled_messages",
    "update_scheduled_message",
    "cancel_scheduled_message",
    "send_scheduled_message_now",
    "mark_as_read",
    "mark_all_as_read",
    "mark_as_unread",
    "mark_as_delivered",
    "start_typing",
    "end_typing",
    "create_channel",
    "get_channel",
    "update_channel",
    "delete_channel",
    "hide_channel",
    "unhide_channel",
    "freeze_channel",
    "unfreeze_channel",
    "reset_history",
    "get_message",
    "list_public_channels",
    "invite",
    "accept_invitation",
    "decline_invitation",
    "join",
    "leave",
    "list_members",
    "add_operators",
    "remove_operators",
    "list_operators",
    "mute_user",
    "unmute_user",
    "list_muted_users",
    "ban_user",
    "unban_user",
    "list_banned_users",
    "create_metadata",
    "update_metadata",
    "delete_metadata",
    "get_metadata",
    "create_counters",
    "update_counters",
    "delete_counters",
    "get_counters",
    "get_push_preference",
    "set_push_preference",
    "set_count_preference",
    "list_users",
    "block_user",
    "unblock_user",
    "list_blocked_users",
    "update_profile",
    "list_push_tokens",
    "register_push_token",
    "unregister_push_token",
    "unregister_all_push_tokens",
    "report_user",
    "report_channel",
    "report_message",
    "search_messages",
    "download_file",
    "file_url",
    "database_get",
    "database_set",
    "database_update",
    "database_push",
    "database_remove",
    "database_count",
    "database_transaction",
    "database_transformed",
    "database_listen",
    "database_unlisten",
    "database_set_token",
    "database_offline",
    "database_online",
    "resource_register",
    "resource_push",
    "resource_reset",
    "resource_pop",
    "resource_lookup",
    "resource_create",
    "resource_update",
    "resource_destroy",
    "resource_create_or_update",
    "resource_toggle",
    "resource_continue",
    "resource_ref",
    "resource_collection_ref",
    "resource_statistics",
    "resend_failed_messages",
    "remove_failed_messages",
    "set_draft",
    "statistics",
    "options",
    "cancel",
    "acknowledge",
    "evict",
    "export",
    "encrypt",
    "rekey",
    "service_info",
    "clear_channels",
    "set_limit",
]


class ChannelPage(TypedDict):
    """The result of ``list_public_channels``. Since 0.1."""

    channels: list[Channel]
    next: str


class Count(TypedDict):
    """The result of ``resend_failed_messages``, ``remove_failed_messages``, ``evict``. Since 0.1."""

    count: int


class CountPreference(TypedDict):
    """The result of ``set_count_preference``. Since 0.1."""

    count_preference: str


class DatabaseRead(TypedDict):
    """The result of ``database_get``. Since 0.1."""

    value: Any
    current: bool


class Exported(TypedDict):
    """The result of ``export``. Since 0.1."""

    channels: int
    messages: int
    bytes: int


class FileURL(TypedDict):
    """The result of ``file_url``. Since 0.1."""

    url: str


class _RequiredFoundMessages(TypedDict):
    messages: list[Message]
    next: str


class FoundMessages(_RequiredFoundMessages, total=False):
    """The result of ``search_messages``. Since 0.1."""

    total: int


class HistoryOffset(TypedDict):
    """The result of ``hide_channel``, ``reset_history``. Since 0.1."""

    ts_message_offset: int


class ListenNumber(TypedDict):
    """The result of ``database_listen``. Since 0.1."""

    listen: int


class MarkedUnread(TypedDict):
    """The result of ``mark_as_unread``. Since 0.1."""

    channel_url: str
    ts: int
    unread_message_count: int


class MemberPage(TypedDict):
    """The result of ``list_members``. Since 0.1."""

    members: list[Member]
    next: str


class ObjectChange(TypedDict):
    """The result of ``resource_create``, ``resource_update``, ``resource_destroy``, ``resource_create_or_update``,
    ``resource_toggle``. Since 0.1."""

    change: Literal["create", "update", "destroy"]
    key: str
    path: str
    counters: list[dict[str, Any]]
    uncounted: list[str]


class ObjectPath(TypedDict):
    """The result of ``resource_ref``, ``resource_collection_ref``. Since 0.1."""

    path: str


class PollChanges(TypedDict):
    """The result of ``list_poll_changes``. Since 0.1."""

    updated: list[Poll]
    deleted: list[Any]
    has_more: bool
    next: str


class PollPage(TypedDict):
    """The result of ``list_polls``. Since 0.1."""

    polls: list[Poll]
    next: str


class PushPreference(TypedDict):
    """The result of ``get_push_preference``, ``set_push_preference``. Since 0.1."""

    push_trigger_option: str
    push_sound: str


class PushToken(TypedDict):
    """The result of ``register_push_token``. Since 0.1."""

    type: str
    token: str


class PushTokens(TypedDict):
    """The result of ``list_push_tokens``. Since 0.1."""

    type: str
    tokens: list[str]


class PushedKey(TypedDict):
    """The result of ``database_push``. Since 0.1."""

    key: str


class ReceivedFile(TypedDict):
    """The result of ``download_file``. Since 0.1."""

    path: str


class _RequiredReport(TypedDict):
    report_category: str


class Report(_RequiredReport, total=False):
    """The result of ``report_user``, ``report_channel``, ``report_message``. Since 0.1."""

    report_type: str
    report_description: str


class ResourceStatistics(TypedDict):
    """The result of ``resource_statistics``. Since 0.1."""

    types: int
    counters: int
    contexts: int
    in_flight: int


class _RequiredScheduledMessage(TypedDict):
    scheduled_message_id: int
    scheduled_at: int
    status: str


class ScheduledMessage(_RequiredScheduledMessage, total=False):
    """The result of ``schedule_message``, ``get_scheduled_message``, ``update_scheduled_message``,
    ``send_scheduled_message_now``. Since 0.1."""

    channel_url: str
    message: str


class ScheduledPage(TypedDict):
    """The result of ``list_scheduled_messages``. Since 0.1."""

    scheduled_messages: list[dict[str, Any]]
    next: str


class SeenResources(TypedDict):
    """The result of ``resource_lookup``. Since 0.1."""

    resources: dict[str, Any]
    depth: int


class _RequiredServiceInfo(TypedDict):
    emoji_categories: list[dict[str, Any]]


class ServiceInfo(_RequiredServiceInfo, total=False):
    """The result of ``service_info``. Since 0.1."""

    file_upload_size_limit: int
    multiple_file_send_max_size: int
    premium_feature_list: list[str]
    application_attributes: list[str]
    use_reaction: bool
    emoji_hash: str


class _RequiredStatistics(TypedDict):
    cached_channels: int
    cached_messages: int
    cache_bytes: int
    cache_used_bytes: int
    cache_limit_bytes: int | None
    pending_messages: int
    failed_messages: int
    connected: bool
    waiting_calls: int


class Statistics(_RequiredStatistics, total=False):
    """The result of ``statistics``. Since 0.1."""

    channel_messages: int
    channel_bytes: int
    channel_used_at: int


class _RequiredTransactionEnd(TypedDict):
    committed: bool


class TransactionEnd(_RequiredTransactionEnd, total=False):
    """The result of ``database_transaction``. Since 0.1."""

    value: Any


class UserPage(TypedDict):
    """The result of ``list_poll_voters``, ``list_operators``, ``list_muted_users``, ``list_banned_users``,
    ``list_users``, ``list_blocked_users``. Since 0.1."""

    users: list[User]
    next: str


class _RequiredVote(TypedDict):
    poll_id: int


class Vote(_RequiredVote, total=False):
    """The result of ``vote_poll``. Since 0.1."""

    message_id: int
    updated_vote_counts: list[dict[str, Any]]
