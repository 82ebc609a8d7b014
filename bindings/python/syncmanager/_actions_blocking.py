"""The actions of a client and of a channel as methods that wait.

Written by scripts/actions from the table of actions; change that, not this file."""

from __future__ import annotations

from os import PathLike
from typing import Any, Literal, overload

from ._actions import ChannelActions, ClientActions, CollectionActions
from .actions import (
    ChannelPage,
    Count,
    CountPreference,
    DatabaseRead,
    Exported,
    FileURL,
    FoundMessages,
    HistoryOffset,
    ListenNumber,
    MarkedUnread,
    MemberPage,
    ObjectChange,
    ObjectPath,
    PollChanges,
    PollPage,
    PushedKey,
    PushPreference,
    PushToken,
    PushTokens,
    ReceivedFile,
    Report,
    ResourceStatistics,
    ScheduledMessage,
    ScheduledPage,
    SeenResources,
    ServiceInfo,
    Statistics,
    TransactionEnd,
    UserPage,
    Vote,
)
from .documents import Channel, ChannelOrder, Config, Message, MessageId, Poll, User


class BlockingClientActions:
    """The actions; each waits for its end. Since 0.1."""

    @property
    def start(self) -> ClientActions:
        """The same calls without waiting: each gives a ``Call``."""
        raise NotImplementedError

    @overload
    def call(
        self,
        action: Literal["edit_message"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        message: str | None = ...,
        data: str | None = ...,
        custom_type: str | None = ...,
        mention_type: Literal["users", "channel"] | None = ...,
        mentioned_user_ids: list[str] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Message: ...
    @overload
    def call(
        self,
        action: Literal["delete_message"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["add_reaction"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        key: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> dict[str, Any]: ...
    @overload
    def call(
        self,
        action: Literal["remove_reaction"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        key: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> dict[str, Any]: ...
    @overload
    def call(
        self,
        action: Literal["pin_message"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["unpin_message"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["translate_message"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        target_langs: list[str],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Message: ...
    @overload
    def call(
        self,
        action: Literal["create_meta_array_keys"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        keys: list[str],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Message: ...
    @overload
    def call(
        self,
        action: Literal["delete_meta_array_keys"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        keys: list[str],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Message: ...
    @overload
    def call(
        self,
        action: Literal["add_meta_array_values"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        values: dict[str, list[str]],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Message: ...
    @overload
    def call(
        self,
        action: Literal["remove_meta_array_values"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        values: dict[str, list[str]],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Message: ...
    @overload
    def call(
        self,
        action: Literal["create_poll"],
        /,
        *,
        title: str,
        options: list[str],
        data: str | None = ...,
        allow_user_suggestion: bool | None = ...,
        allow_multiple_votes: bool | None = ...,
        close_at: int | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Poll: ...
    @overload
    def call(
        self,
        action: Literal["get_poll"],
        /,
        *,
        channel_url: str,
        poll_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Poll: ...
    @overload
    def call(
        self,
        action: Literal["list_polls"],
        /,
        *,
        channel_url: str,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> PollPage: ...
    @overload
    def call(
        self,
        action: Literal["update_poll"],
        /,
        *,
        channel_url: str,
        poll_id: int | str,
        title: str | None = ...,
        data: str | None = ...,
        allow_user_suggestion: bool | None = ...,
        allow_multiple_votes: bool | None = ...,
        close_at: int | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Poll: ...
    @overload
    def call(
        self,
        action: Literal["close_poll"],
        /,
        *,
        channel_url: str,
        poll_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Poll: ...
    @overload
    def call(
        self,
        action: Literal["delete_poll"],
        /,
        *,
        channel_url: str,
        poll_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["add_poll_option"],
        /,
        *,
        channel_url: str,
        poll_id: int | str,
        text: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Poll: ...
    @overload
    def call(
        self,
        action: Literal["update_poll_option"],
        /,
        *,
        channel_url: str,
        poll_id: int | str,
        option_id: int | str,
        text: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Poll: ...
    @overload
    def call(
        self,
        action: Literal["delete_poll_option"],
        /,
        *,
        channel_url: str,
        poll_id: int | str,
        option_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["vote_poll"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        poll_id: int | str,
        option_ids: list[int | str],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Vote: ...
    @overload
    def call(
        self,
        action: Literal["list_poll_voters"],
        /,
        *,
        channel_url: str,
        poll_id: int | str,
        option_id: int | str,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> UserPage: ...
    @overload
    def call(
        self,
        action: Literal["list_poll_changes"],
        /,
        *,
        channel_url: str,
        since: int | None = ...,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> PollChanges: ...
    @overload
    def call(
        self,
        action: Literal["schedule_message"],
        /,
        *,
        channel_url: str,
        scheduled_at: int,
        message: str,
        data: str | None = ...,
        custom_type: str | None = ...,
        mention_type: Literal["users", "channel"] | None = ...,
        mentioned_user_ids: list[str] | None = ...,
        push_option: Literal["default", "suppress"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ScheduledMessage: ...
    @overload
    def call(
        self,
        action: Literal["get_scheduled_message"],
        /,
        *,
        channel_url: str,
        scheduled_message_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ScheduledMessage: ...
    @overload
    def call(
        self,
        action: Literal["list_scheduled_messages"],
        /,
        *,
        channel_url: str | None = ...,
        status: list[Literal["pending", "sent", "failed", "canceled"]] | None = ...,
        order: Literal["scheduled_at", "created_at"] | None = ...,
        reverse: bool | None = ...,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ScheduledPage: ...
    @overload
    def call(
        self,
        action: Literal["update_scheduled_message"],
        /,
        *,
        channel_url: str,
        scheduled_message_id: int | str,
        scheduled_at: int | None = ...,
        message: str | None = ...,
        data: str | None = ...,
        custom_type: str | None = ...,
        mention_type: Literal["users", "channel"] | None = ...,
        mentioned_user_ids: list[str] | None = ...,
        push_option: Literal["default", "suppress"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ScheduledMessage: ...
    @overload
    def call(
        self,
        action: Literal["cancel_scheduled_message"],
        /,
        *,
        channel_url: str,
        scheduled_message_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["send_scheduled_message_now"],
        /,
        *,
        channel_url: str,
        scheduled_message_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ScheduledMessage: ...
    @overload
    def call(
        self,
        action: Literal["mark_as_read"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["mark_all_as_read"],
        /,
        *,
        channel_urls: list[str] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["mark_as_unread"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> MarkedUnread: ...
    @overload
    def call(
        self,
        action: Literal["mark_as_delivered"],
        /,
        *,
        channel_url: str,
        time: int | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> dict[str, Any]: ...
    @overload
    def call(
        self,
        action: Literal["start_typing"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["end_typing"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["create_channel"],
        /,
        *,
        user_ids: list[str] | None = ...,
        channel_url: str | None = ...,
        is_super: bool | None = ...,
        is_broadcast: bool | None = ...,
        is_exclusive: bool | None = ...,
        is_ephemeral: bool | None = ...,
        strict: bool | None = ...,
        name: str | None = ...,
        cover_url: str | None = ...,
        data: str | None = ...,
        custom_type: str | None = ...,
        is_distinct: bool | None = ...,
        is_public: bool | None = ...,
        is_discoverable: bool | None = ...,
        access_code: str | None = ...,
        message_survival_seconds: int | None = ...,
        operator_ids: list[str] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Channel: ...
    @overload
    def call(
        self,
        action: Literal["get_channel"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Channel: ...
    @overload
    def call(
        self,
        action: Literal["update_channel"],
        /,
        *,
        channel_url: str,
        name: str | None = ...,
        cover_url: str | None = ...,
        data: str | None = ...,
        custom_type: str | None = ...,
        is_distinct: bool | None = ...,
        is_public: bool | None = ...,
        is_discoverable: bool | None = ...,
        access_code: str | None = ...,
        message_survival_seconds: int | None = ...,
        operator_ids: list[str] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Channel: ...
    @overload
    def call(
        self,
        action: Literal["delete_channel"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["hide_channel"],
        /,
        *,
        channel_url: str,
        hide_previous_messages: bool | None = ...,
        allow_auto_unhide: bool | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> HistoryOffset: ...
    @overload
    def call(
        self,
        action: Literal["unhide_channel"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["freeze_channel"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Channel: ...
    @overload
    def call(
        self,
        action: Literal["unfreeze_channel"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Channel: ...
    @overload
    def call(
        self,
        action: Literal["reset_history"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> HistoryOffset: ...
    @overload
    def call(
        self,
        action: Literal["get_message"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Message: ...
    @overload
    def call(
        self,
        action: Literal["list_public_channels"],
        /,
        *,
        membership: Literal["all", "joined"] | None = ...,
        order: ChannelOrder | None = ...,
        channel_urls: list[str] | None = ...,
        custom_types: list[str] | None = ...,
        custom_type_starts_with: str | None = ...,
        channel_name_contains: str | None = ...,
        metadata_order_key: str | None = ...,
        include_empty: bool | None = ...,
        include_frozen: bool | None = ...,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ChannelPage: ...
    @overload
    def call(
        self,
        action: Literal["invite"],
        /,
        *,
        channel_url: str,
        user_ids: list[str],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Channel: ...
    @overload
    def call(
        self,
        action: Literal["accept_invitation"],
        /,
        *,
        channel_url: str,
        access_code: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Channel: ...
    @overload
    def call(
        self,
        action: Literal["decline_invitation"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["join"],
        /,
        *,
        channel_url: str,
        access_code: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Channel: ...
    @overload
    def call(
        self,
        action: Literal["leave"],
        /,
        *,
        channel_url: str,
        should_remove_operator_status: bool | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["list_members"],
        /,
        *,
        channel_url: str,
        order: Literal["member_nickname_alphabetical", "operator_then_member_alphabetical"] | None = ...,
        operator_filter: Literal["all", "operator", "nonoperator"] | None = ...,
        muted_member_filter: Literal["all", "muted", "unmuted"] | None = ...,
        member_state_filter: Literal["all", "joined_only", "invited_only"] | None = ...,
        nickname_startswith: str | None = ...,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> MemberPage: ...
    @overload
    def call(
        self,
        action: Literal["add_operators"],
        /,
        *,
        channel_url: str,
        user_ids: list[str],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["remove_operators"],
        /,
        *,
        channel_url: str,
        user_ids: list[str],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["list_operators"],
        /,
        *,
        channel_url: str,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> UserPage: ...
    @overload
    def call(
        self,
        action: Literal["mute_user"],
        /,
        *,
        channel_url: str,
        user_id: str,
        seconds: int | None = ...,
        description: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["unmute_user"],
        /,
        *,
        channel_url: str,
        user_id: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["list_muted_users"],
        /,
        *,
        channel_url: str,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> UserPage: ...
    @overload
    def call(
        self,
        action: Literal["ban_user"],
        /,
        *,
        channel_url: str,
        user_id: str,
        seconds: int | None = ...,
        description: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["unban_user"],
        /,
        *,
        channel_url: str,
        user_id: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["list_banned_users"],
        /,
        *,
        channel_url: str,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> UserPage: ...
    @overload
    def call(
        self,
        action: Literal["create_metadata"],
        /,
        *,
        channel_url: str,
        metadata: dict[str, str],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> dict[str, str]: ...
    @overload
    def call(
        self,
        action: Literal["update_metadata"],
        /,
        *,
        channel_url: str,
        metadata: dict[str, str],
        upsert: bool | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> dict[str, str]: ...
    @overload
    def call(
        self,
        action: Literal["delete_metadata"],
        /,
        *,
        channel_url: str,
        keys: list[str] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["get_metadata"],
        /,
        *,
        channel_url: str,
        keys: list[str] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> dict[str, str]: ...
    @overload
    def call(
        self,
        action: Literal["create_counters"],
        /,
        *,
        channel_url: str,
        counters: dict[str, int],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> dict[str, int]: ...
    @overload
    def call(
        self,
        action: Literal["update_counters"],
        /,
        *,
        channel_url: str,
        counters: dict[str, int],
        mode: Literal["set", "increase", "decrease"] | None = ...,
        upsert: bool | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> dict[str, int]: ...
    @overload
    def call(
        self,
        action: Literal["delete_counters"],
        /,
        *,
        channel_url: str,
        keys: list[str] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["get_counters"],
        /,
        *,
        channel_url: str,
        keys: list[str] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> dict[str, int]: ...
    @overload
    def call(
        self,
        action: Literal["get_push_preference"],
        /,
        *,
        channel_url: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> PushPreference: ...
    @overload
    def call(
        self,
        action: Literal["set_push_preference"],
        /,
        *,
        channel_url: str,
        push_trigger_option: Literal["default", "all", "mention_only", "off"],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> PushPreference: ...
    @overload
    def call(
        self,
        action: Literal["set_count_preference"],
        /,
        *,
        channel_url: str,
        count_preference: Literal["all", "unread_message_count_only", "unread_mention_count_only", "off"],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> CountPreference: ...
    @overload
    def call(
        self,
        action: Literal["list_users"],
        /,
        *,
        user_ids: list[str] | None = ...,
        nickname_startswith: str | None = ...,
        nickname: str | None = ...,
        metadata_key: str | None = ...,
        metadata_values: list[str] | None = ...,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> UserPage: ...
    @overload
    def call(
        self,
        action: Literal["block_user"],
        /,
        *,
        user_id: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> User: ...
    @overload
    def call(
        self,
        action: Literal["unblock_user"],
        /,
        *,
        user_id: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["list_blocked_users"],
        /,
        *,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> UserPage: ...
    @overload
    def call(
        self,
        action: Literal["update_profile"],
        /,
        *,
        nickname: str | None = ...,
        profile_url: str | None = ...,
        preferred_languages: list[str] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> User: ...
    @overload
    def call(
        self,
        action: Literal["list_push_tokens"],
        /,
        *,
        type: Literal["gcm", "apns", "apns_voip", "huawei"],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> PushTokens: ...
    @overload
    def call(
        self,
        action: Literal["register_push_token"],
        /,
        *,
        type: Literal["gcm", "apns", "apns_voip", "huawei"],
        token: str,
        is_unique: bool | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> PushToken: ...
    @overload
    def call(
        self,
        action: Literal["unregister_push_token"],
        /,
        *,
        type: Literal["gcm", "apns", "apns_voip", "huawei"],
        token: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["unregister_all_push_tokens"],
        /,
        *,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["report_user"],
        /,
        *,
        user_id: str,
        category: Literal["suspicious", "harassing", "spam", "inappropriate"],
        channel_url: str | None = ...,
        description: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Report: ...
    @overload
    def call(
        self,
        action: Literal["report_channel"],
        /,
        *,
        channel_url: str,
        category: Literal["suspicious", "harassing", "spam", "inappropriate"],
        user_id: str | None = ...,
        description: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Report: ...
    @overload
    def call(
        self,
        action: Literal["report_message"],
        /,
        *,
        channel_url: str,
        message_id: int | str,
        category: Literal["suspicious", "harassing", "spam", "inappropriate"],
        user_id: str | None = ...,
        description: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Report: ...
    @overload
    def call(
        self,
        action: Literal["search_messages"],
        /,
        *,
        query: str,
        channel_url: str | None = ...,
        custom_type: str | None = ...,
        since: int | None = ...,
        until: int | None = ...,
        exact: bool | None = ...,
        fields: list[Literal["message", "data", "custom_type"]] | None = ...,
        reverse: bool | None = ...,
        limit: int | None = ...,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> FoundMessages: ...
    @overload
    def call(
        self,
        action: Literal["download_file"],
        /,
        *,
        url: str,
        path: str | PathLike[str],
        overwrite: bool | None = ...,
        max_bytes: int | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ReceivedFile: ...
    @overload
    def call(
        self, action: Literal["file_url"], /, *, url: str, timeout_ms: int | None = ..., timeout: float | None = ...
    ) -> FileURL: ...
    @overload
    def call(
        self,
        action: Literal["database_get"],
        /,
        *,
        path: str,
        order_by: str | None = ...,
        start_at: bool | float | str | None | list[Any] | None = ...,
        start_after: bool | float | str | None | list[Any] | None = ...,
        end_at: bool | float | str | None | list[Any] | None = ...,
        end_before: bool | float | str | None | list[Any] | None = ...,
        equal_to: bool | float | str | None | list[Any] | None = ...,
        limit_to_first: int | None = ...,
        limit_to_last: int | None = ...,
        shallow: bool | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> DatabaseRead: ...
    @overload
    def call(
        self,
        action: Literal["database_set"],
        /,
        *,
        path: str,
        value: Any,
        when: Literal["answered", "kept"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["database_update"],
        /,
        *,
        path: str,
        values: dict[str, Any],
        when: Literal["answered", "kept"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["database_push"],
        /,
        *,
        path: str,
        value: Any,
        when: Literal["answered", "kept"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> PushedKey: ...
    @overload
    def call(
        self,
        action: Literal["database_remove"],
        /,
        *,
        path: str,
        when: Literal["answered", "kept"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["database_count"],
        /,
        *,
        path: str,
        by: int,
        when: Literal["answered", "kept"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["database_transaction"],
        /,
        *,
        path: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> TransactionEnd: ...
    @overload
    def call(
        self,
        action: Literal["database_transformed"],
        /,
        *,
        transaction: int,
        value: Any = ...,
        abort: bool | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["database_listen"],
        /,
        *,
        path: str,
        order_by: str | None = ...,
        start_at: bool | float | str | None | list[Any] | None = ...,
        start_after: bool | float | str | None | list[Any] | None = ...,
        end_at: bool | float | str | None | list[Any] | None = ...,
        end_before: bool | float | str | None | list[Any] | None = ...,
        equal_to: bool | float | str | None | list[Any] | None = ...,
        limit_to_first: int | None = ...,
        limit_to_last: int | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ListenNumber: ...
    @overload
    def call(
        self,
        action: Literal["database_unlisten"],
        /,
        *,
        listen: int,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["database_set_token"],
        /,
        *,
        token: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self, action: Literal["database_offline"], /, *, timeout_ms: int | None = ..., timeout: float | None = ...
    ) -> None: ...
    @overload
    def call(
        self, action: Literal["database_online"], /, *, timeout_ms: int | None = ..., timeout: float | None = ...
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["resource_register"],
        /,
        *,
        resource_type: str,
        path: str,
        counters: list[Any] | None = ...,
        hooks: list[str] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["resource_push"],
        /,
        *,
        context: str,
        parent: str | None = ...,
        resources: dict[str, Any] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["resource_reset"],
        /,
        *,
        context: str,
        resources: dict[str, Any] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["resource_pop"],
        /,
        *,
        context: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["resource_lookup"],
        /,
        *,
        context: str,
        name: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> SeenResources: ...
    @overload
    def call(
        self,
        action: Literal["resource_create"],
        /,
        *,
        resource_type: str,
        context: str,
        value: Any,
        key: str | None = ...,
        when: Literal["answered", "kept"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ObjectChange: ...
    @overload
    def call(
        self,
        action: Literal["resource_update"],
        /,
        *,
        resource_type: str,
        context: str,
        value: dict[str, Any],
        key: str | None = ...,
        when: Literal["answered", "kept"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ObjectChange: ...
    @overload
    def call(
        self,
        action: Literal["resource_destroy"],
        /,
        *,
        resource_type: str,
        context: str,
        key: str | None = ...,
        when: Literal["answered", "kept"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ObjectChange: ...
    @overload
    def call(
        self,
        action: Literal["resource_create_or_update"],
        /,
        *,
        resource_type: str,
        context: str,
        value: Any,
        key: str | None = ...,
        exists: bool | None = ...,
        when: Literal["answered", "kept"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ObjectChange: ...
    @overload
    def call(
        self,
        action: Literal["resource_toggle"],
        /,
        *,
        resource_type: str,
        context: str,
        key: str | None = ...,
        value: Any = ...,
        exists: bool | None = ...,
        when: Literal["answered", "kept"] | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ObjectChange: ...
    @overload
    def call(
        self,
        action: Literal["resource_continue"],
        /,
        *,
        hook: int,
        value: Any = ...,
        refuse: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["resource_ref"],
        /,
        *,
        resource_type: str,
        context: str,
        key: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ObjectPath: ...
    @overload
    def call(
        self,
        action: Literal["resource_collection_ref"],
        /,
        *,
        resource_type: str,
        context: str,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> ObjectPath: ...
    @overload
    def call(
        self, action: Literal["resource_statistics"], /, *, timeout_ms: int | None = ..., timeout: float | None = ...
    ) -> ResourceStatistics: ...
    @overload
    def call(
        self,
        action: Literal["resend_failed_messages"],
        /,
        *,
        channel_url: str | None = ...,
        request_id: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Count: ...
    @overload
    def call(
        self,
        action: Literal["remove_failed_messages"],
        /,
        *,
        channel_url: str | None = ...,
        request_id: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Count: ...
    @overload
    def call(
        self,
        action: Literal["set_draft"],
        /,
        *,
        channel_url: str,
        parent_message_id: int | str | None = ...,
        message: str | None = ...,
        data: str | None = ...,
        reply_to: int | str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["statistics"],
        /,
        *,
        channel_url: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Statistics: ...
    @overload
    def call(
        self, action: Literal["options"], /, *, timeout_ms: int | None = ..., timeout: float | None = ...
    ) -> Config: ...
    @overload
    def call(
        self, action: Literal["cancel"], /, *, request: int, timeout_ms: int | None = ..., timeout: float | None = ...
    ) -> None: ...
    @overload
    def call(
        self, action: Literal["acknowledge"], /, *, id: int, timeout_ms: int | None = ..., timeout: float | None = ...
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["evict"],
        /,
        *,
        channel_urls: list[str],
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Count: ...
    @overload
    def call(
        self,
        action: Literal["export"],
        /,
        *,
        path: str | PathLike[str],
        channel_url: str | None = ...,
        overwrite: bool | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> Exported: ...
    @overload
    def call(
        self,
        action: Literal["encrypt"],
        /,
        *,
        encryption_key: str | None = ...,
        encryption_passphrase: str | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["rekey"],
        /,
        *,
        encryption_key: str | None = ...,
        encryption_passphrase: str | None = ...,
        full: bool | None = ...,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    @overload
    def call(
        self, action: Literal["service_info"], /, *, timeout_ms: int | None = ..., timeout: float | None = ...
    ) -> ServiceInfo: ...
    @overload
    def call(
        self, action: Literal["clear_channels"], /, *, timeout_ms: int | None = ..., timeout: float | None = ...
    ) -> None: ...
    @overload
    def call(
        self,
        action: Literal["set_limit"],
        /,
        *,
        collection: int,
        limit: int,
        timeout_ms: int | None = ...,
        timeout: float | None = ...,
    ) -> None: ...
    def call(self, action: str, /, *, timeout: float | None = None, **arguments: Any) -> Any:
        """Asks for one of the actions of docs/actions.md and waits for its end; returns its result as read from JSON,
        or None. ``timeout`` (s) ends the wait; ``timeout_ms``, an argument of every action, ends the call. The methods
        named as the actions do the same."""
        return self.start.call_document({"action": action, **arguments}).result(timeout)

    def edit_message(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        *,
        message: str | None = None,
        data: str | None = None,
        custom_type: str | None = None,
        mention_type: Literal["users", "channel"] | None = None,
        mentioned_user_ids: list[str] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``edit_message``. Collections: ``update`` of the message, ``event_message_updated``; what is not
        named stays. Only the sender may: of a cached message of somebody else it completes with NOT_OWN_MESSAGE and
        asks nobody.

        Gives the message as the service has it.

        Args:
            channel_url: the channel
            message_id: the message
            message: the new text
            data: the new data
            custom_type: the new custom type
            mention_type: whom it mentions: the users named, or all members
            mentioned_user_ids: the users it mentions; replaces those it mentioned before
        """
        call = self.start.edit_message(
            channel_url,
            message_id,
            message=message,
            data=data,
            custom_type=custom_type,
            mention_type=mention_type,
            mentioned_user_ids=mentioned_user_ids,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def delete_message(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``delete_message``. Collections: ``remove`` of the message, ``event_message_deleted``. The sender
        may, and operators.

        Args:
            channel_url: the channel
            message_id: the message
        """
        call = self.start.delete_message(channel_url, message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def add_reaction(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        key: str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """The action ``add_reaction``. Collections: ``update`` of the message, ``event_reaction_updated``.

        Gives the reaction as the service has it.

        Args:
            channel_url: the channel
            message_id: the message
            key: the reaction
        """
        call = self.start.add_reaction(channel_url, message_id, key, timeout_ms=timeout_ms)
        return call.result(timeout)

    def remove_reaction(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        key: str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        """The action ``remove_reaction``. Collections: ``update`` of the message, ``event_reaction_updated``.

        Gives the reaction as the service has it.

        Args:
            channel_url: the channel
            message_id: the message
            key: the reaction
        """
        call = self.start.remove_reaction(channel_url, message_id, key, timeout_ms=timeout_ms)
        return call.result(timeout)

    def pin_message(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``pin_message``. Collections: ``update`` of the channel, ``event_pinned_message_updated``.

        Args:
            channel_url: the channel
            message_id: the message
        """
        call = self.start.pin_message(channel_url, message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def unpin_message(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``unpin_message``. Collections: ``update`` of the channel, ``event_pinned_message_updated``.

        Args:
            channel_url: the channel
            message_id: the message
        """
        call = self.start.unpin_message(channel_url, message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def translate_message(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        target_langs: list[str],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``translate_message``. Collections: ``update`` of the message, ``event_message_updated``: its
        ``translations`` have the languages.

        Gives the message as the service has it.

        Args:
            channel_url: the channel
            message_id: the message
            target_langs: languages to translate it to
        """
        call = self.start.translate_message(channel_url, message_id, target_langs, timeout_ms=timeout_ms)
        return call.result(timeout)

    def create_meta_array_keys(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        keys: list[str],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``create_meta_array_keys``. Collections: ``update`` of the message, ``event_message_updated``.

        Gives the message as the service has it.

        Args:
            channel_url: the channel
            message_id: the message
            keys: keys of the message's ``sorted_metaarray``
        """
        call = self.start.create_meta_array_keys(channel_url, message_id, keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def delete_meta_array_keys(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        keys: list[str],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``delete_meta_array_keys``. Collections: ``update`` of the message, ``event_message_updated``.

        Gives the message as the service has it.

        Args:
            channel_url: the channel
            message_id: the message
            keys: keys of the message's ``sorted_metaarray``
        """
        call = self.start.delete_meta_array_keys(channel_url, message_id, keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def add_meta_array_values(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        values: dict[str, list[str]],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``add_meta_array_values``. Collections: ``update`` of the message, ``event_message_updated``.

        Gives the message as the service has it.

        Args:
            channel_url: the channel
            message_id: the message
            values: for each key the values, as ``{"color": ["red"]}``
        """
        call = self.start.add_meta_array_values(channel_url, message_id, values, timeout_ms=timeout_ms)
        return call.result(timeout)

    def remove_meta_array_values(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        values: dict[str, list[str]],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``remove_meta_array_values``. Collections: ``update`` of the message, ``event_message_updated``.

        Gives the message as the service has it.

        Args:
            channel_url: the channel
            message_id: the message
            values: for each key the values, as ``{"color": ["red"]}``
        """
        call = self.start.remove_meta_array_values(channel_url, message_id, values, timeout_ms=timeout_ms)
        return call.result(timeout)

    def create_poll(
        self,
        title: str,
        options: list[str],
        *,
        data: str | None = None,
        allow_user_suggestion: bool | None = None,
        allow_multiple_votes: bool | None = None,
        close_at: int | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Poll:
        """The action ``create_poll``. Collections: none: a poll is seen when it is sent, with ``poll_id`` of a message.

        Gives the poll as the service has it.

        Args:
            title: the question
            options: what can be chosen
            data: the poll's data
            allow_user_suggestion: whether other members may add options
            allow_multiple_votes: whether a member may choose several options
            close_at: when it closes by itself, in seconds since the epoch as the poll has it; -1: never
        """
        call = self.start.create_poll(
            title,
            options,
            data=data,
            allow_user_suggestion=allow_user_suggestion,
            allow_multiple_votes=allow_multiple_votes,
            close_at=close_at,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def get_poll(
        self, channel_url: str, poll_id: int | str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> Poll:
        """The action ``get_poll``. Collections: none.

        Gives the poll as the service has it.

        Args:
            channel_url: the channel
            poll_id: the poll
        """
        call = self.start.get_poll(channel_url, poll_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_polls(
        self,
        channel_url: str,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> PollPage:
        """The action ``list_polls``. Collections: none.

        Gives ``polls``: a page of the channel's; ``next``: token of the next page, empty at the end.

        Args:
            channel_url: the channel
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_polls(channel_url, limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_poll(
        self,
        channel_url: str,
        poll_id: int | str,
        *,
        title: str | None = None,
        data: str | None = None,
        allow_user_suggestion: bool | None = None,
        allow_multiple_votes: bool | None = None,
        close_at: int | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Poll:
        """The action ``update_poll``. Collections: ``update`` of the message, ``event_poll_updated``; what is not named
        stays. Only who made it may.

        Gives the poll as the service has it.

        Args:
            channel_url: the channel
            poll_id: the poll
            title: the question
            data: the poll's data
            allow_user_suggestion: whether other members may add options
            allow_multiple_votes: whether a member may choose several options
            close_at: when it closes by itself, in seconds since the epoch as the poll has it; -1: never
        """
        call = self.start.update_poll(
            channel_url,
            poll_id,
            title=title,
            data=data,
            allow_user_suggestion=allow_user_suggestion,
            allow_multiple_votes=allow_multiple_votes,
            close_at=close_at,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def close_poll(
        self, channel_url: str, poll_id: int | str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> Poll:
        """The action ``close_poll``. Collections: ``update`` of the message, ``event_poll_updated``: its ``status`` is
        "closed", nobody votes any more. Only who made it may.

        Gives the poll as the service has it.

        Args:
            channel_url: the channel
            poll_id: the poll
        """
        call = self.start.close_poll(channel_url, poll_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def delete_poll(
        self, channel_url: str, poll_id: int | str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``delete_poll``. Collections: ``update`` of the message, ``event_poll_updated``: its ``status`` is
        "removed", the message stays. Only who made it may.

        Args:
            channel_url: the channel
            poll_id: the poll
        """
        call = self.start.delete_poll(channel_url, poll_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def add_poll_option(
        self,
        channel_url: str,
        poll_id: int | str,
        text: str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Poll:
        """The action ``add_poll_option``. Collections: ``update`` of the message, ``event_poll_updated``. Who made the
        poll may, others where ``allow_user_suggestion`` is set.

        Gives the poll as the service has it.

        Args:
            channel_url: the channel
            poll_id: the poll
            text: what the option says
        """
        call = self.start.add_poll_option(channel_url, poll_id, text, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_poll_option(
        self,
        channel_url: str,
        poll_id: int | str,
        option_id: int | str,
        text: str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Poll:
        """The action ``update_poll_option``. Collections: ``update`` of the message, ``event_poll_updated``. Who made
        the poll or the option may.

        Gives the poll as the service has it.

        Args:
            channel_url: the channel
            poll_id: the poll
            option_id: one of the poll's options
            text: what the option says
        """
        call = self.start.update_poll_option(channel_url, poll_id, option_id, text, timeout_ms=timeout_ms)
        return call.result(timeout)

    def delete_poll_option(
        self,
        channel_url: str,
        poll_id: int | str,
        option_id: int | str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``delete_poll_option``. Collections: ``update`` of the message, ``event_poll_updated``: the option
        is gone, and its votes. Who made the poll or the option may.

        Args:
            channel_url: the channel
            poll_id: the poll
            option_id: one of the poll's options
        """
        call = self.start.delete_poll_option(channel_url, poll_id, option_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def vote_poll(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        poll_id: int | str,
        option_ids: list[int | str],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Vote:
        """The action ``vote_poll``. Collections: ``update`` of the message, ``event_poll_voted``: counts, and
        ``voted_option_ids`` of its ``poll``.

        Gives ``poll_id``, ``message_id``, ``updated_vote_counts``: a list of ``option_id`` and ``vote_count``.

        Args:
            channel_url: the channel
            message_id: the message that shows the poll
            poll_id: the poll
            option_ids: all that this user chooses: these and no others; empty takes the vote back
        """
        call = self.start.vote_poll(channel_url, message_id, poll_id, option_ids, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_poll_voters(
        self,
        channel_url: str,
        poll_id: int | str,
        option_id: int | str,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> UserPage:
        """The action ``list_poll_voters``. Collections: none.

        Gives ``users``: a page of who chose the option, the latest first; ``vote_count``; ``next``: token of the
        next page, empty at the end.

        Args:
            channel_url: the channel
            poll_id: the poll
            option_id: one of the poll's options
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_poll_voters(
            channel_url, poll_id, option_id, limit=limit, token=token, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def list_poll_changes(
        self,
        channel_url: str,
        *,
        since: int | None = None,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> PollChanges:
        """The action ``list_poll_changes``. Collections: none; what collections show follows this log by itself.

        Gives ``updated``: polls as they are now; ``deleted``: ids of polls that are gone; ``has_more``; ``next``:
        the token to go on from, also later.

        Args:
            channel_url: the channel
            since: what has changed since; everything without it and a token
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_poll_changes(channel_url, since=since, limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def schedule_message(
        self,
        channel_url: str,
        scheduled_at: int,
        message: str,
        *,
        data: str | None = None,
        custom_type: str | None = None,
        mention_type: Literal["users", "channel"] | None = None,
        mentioned_user_ids: list[str] | None = None,
        push_option: Literal["default", "suppress"] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> ScheduledMessage:
        """The action ``schedule_message``. Collections: none before its time; then as any message that this user sends
        elsewhere.

        Gives the scheduled message as the service has it: ``scheduled_message_id``, ``scheduled_at``, ``status``,
        and what it will say.

        Args:
            channel_url: the channel
            scheduled_at: when it is sent, by the service's clock; not in the past
            message: its text
            data: its data
            custom_type: its custom type
            mention_type: whom it mentions: the users named, or all members
            mentioned_user_ids: the users it mentions
            push_option: whether members are notified of it
        """
        call = self.start.schedule_message(
            channel_url,
            scheduled_at,
            message,
            data=data,
            custom_type=custom_type,
            mention_type=mention_type,
            mentioned_user_ids=mentioned_user_ids,
            push_option=push_option,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def get_scheduled_message(
        self,
        channel_url: str,
        scheduled_message_id: int | str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> ScheduledMessage:
        """The action ``get_scheduled_message``. Collections: none.

        Gives the scheduled message as the service has it: ``scheduled_message_id``, ``scheduled_at``, ``status``,
        and what it will say.

        Args:
            channel_url: the channel
            scheduled_message_id: the scheduled message
        """
        call = self.start.get_scheduled_message(channel_url, scheduled_message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_scheduled_messages(
        self,
        *,
        channel_url: str | None = None,
        status: list[Literal["pending", "sent", "failed", "canceled"]] | None = None,
        order: Literal["scheduled_at", "created_at"] | None = None,
        reverse: bool | None = None,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> ScheduledPage:
        """The action ``list_scheduled_messages``. Collections: none.

        Gives ``scheduled_messages``: a page of this user's; ``next``: token of the next page, empty at the end.

        Args:
            channel_url: only those of this channel
            status: only those of these states
            order: by which time; ``scheduled_at``
            reverse: whether the latest comes first
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_scheduled_messages(
            channel_url=channel_url,
            status=status,
            order=order,
            reverse=reverse,
            limit=limit,
            token=token,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def update_scheduled_message(
        self,
        channel_url: str,
        scheduled_message_id: int | str,
        *,
        scheduled_at: int | None = None,
        message: str | None = None,
        data: str | None = None,
        custom_type: str | None = None,
        mention_type: Literal["users", "channel"] | None = None,
        mentioned_user_ids: list[str] | None = None,
        push_option: Literal["default", "suppress"] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> ScheduledMessage:
        """The action ``update_scheduled_message``. Collections: none; what is not named stays. Refused once it was sent
        or canceled.

        Gives the scheduled message as the service has it: ``scheduled_message_id``, ``scheduled_at``, ``status``,
        and what it will say.

        Args:
            channel_url: the channel
            scheduled_message_id: the scheduled message
            scheduled_at: when it is sent
            message: its text
            data: its data
            custom_type: its custom type
            mention_type: whom it mentions: the users named, or all members
            mentioned_user_ids: the users it mentions
            push_option: whether members are notified of it
        """
        call = self.start.update_scheduled_message(
            channel_url,
            scheduled_message_id,
            scheduled_at=scheduled_at,
            message=message,
            data=data,
            custom_type=custom_type,
            mention_type=mention_type,
            mentioned_user_ids=mentioned_user_ids,
            push_option=push_option,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def cancel_scheduled_message(
        self,
        channel_url: str,
        scheduled_message_id: int | str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``cancel_scheduled_message``. Collections: none: it will not be sent.

        Args:
            channel_url: the channel
            scheduled_message_id: the scheduled message
        """
        call = self.start.cancel_scheduled_message(channel_url, scheduled_message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def send_scheduled_message_now(
        self,
        channel_url: str,
        scheduled_message_id: int | str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> ScheduledMessage:
        """The action ``send_scheduled_message_now``. Collections: those of any message that this user sends elsewhere.

        Gives the scheduled message as the service has it: ``scheduled_message_id``, ``scheduled_at``, ``status``,
        and what it will say.

        Args:
            channel_url: the channel
            scheduled_message_id: the scheduled message
        """
        call = self.start.send_scheduled_message_now(channel_url, scheduled_message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def mark_as_read(self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``mark_as_read``. Collections: the channel's counts become 0; ``update`` in lists.

        Args:
            channel_url: the channel
        """
        call = self.start.mark_as_read(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def mark_all_as_read(
        self, *, channel_urls: list[str] | None = None, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``mark_all_as_read``. Collections: the counts of the channels become 0; ``update`` in lists.
        Within a second after another one it completes with SERVICE and code 800160, and nobody is asked.

        Args:
            channel_urls: only these channels
        """
        call = self.start.mark_all_as_read(channel_urls=channel_urls, timeout_ms=timeout_ms)
        return call.result(timeout)

    def mark_as_unread(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> MarkedUnread:
        """The action ``mark_as_unread``. Collections: the message and what follows it count as unread again; ``update``
        in lists.

        Gives ``channel_url``, ``ts`` (read until then), ``unread_message_count``.

        Args:
            channel_url: the channel
            message_id: the message
        """
        call = self.start.mark_as_unread(channel_url, message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def mark_as_delivered(
        self, channel_url: str, *, time: int | None = None, timeout_ms: int | None = None, timeout: float | None = None
    ) -> dict[str, Any]:
        """The action ``mark_as_delivered``. Collections: ``update`` of the channel, ``event_delivery_status_updated``.
        Messages that come over this client's connection are acknowledged without it.

        Gives ``ts``.

        Args:
            channel_url: the channel
            time: messages up to then have arrived; now when it is missing
        """
        call = self.start.mark_as_delivered(channel_url, time=time, timeout_ms=timeout_ms)
        return call.result(timeout)

    def start_typing(self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``start_typing``. Collections: the others are told, once a second at most however often it is
        called. Typing ends by itself ten seconds after it was last started.

        Args:
            channel_url: the channel
        """
        call = self.start.start_typing(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def end_typing(self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``end_typing``. Collections: the others are told, once a second at most however often it is
        called. Typing ends by itself ten seconds after it was last started.

        Args:
            channel_url: the channel
        """
        call = self.start.end_typing(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def create_channel(
        self,
        *,
        user_ids: list[str] | None = None,
        channel_url: str | None = None,
        is_super: bool | None = None,
        is_broadcast: bool | None = None,
        is_exclusive: bool | None = None,
        is_ephemeral: bool | None = None,
        strict: bool | None = None,
        name: str | None = None,
        cover_url: str | None = None,
        data: str | None = None,
        custom_type: str | None = None,
        is_distinct: bool | None = None,
        is_public: bool | None = None,
        is_discoverable: bool | None = None,
        access_code: str | None = None,
        message_survival_seconds: int | None = None,
        operator_ids: list[str] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Channel:
        """The action ``create_channel``. Collections: ``insert`` of the channel into lists, ``event_channel_created``;
        nothing when a distinct one is there.

        Gives the channel, with ``is_created``: whether it is new.

        Args:
            user_ids: members beside this user; whom the service does not let in at once is invited
            channel_url: its URL; the service makes one when it is missing
            is_super: a supergroup channel
            is_broadcast: a supergroup channel where operators write
            is_exclusive: a supergroup channel of its own kind
            is_ephemeral: its messages are not kept
            strict: refuse it when one of the users does not exist
            name: its name
            cover_url: where its picture is
            data: text for programs
            custom_type: its type
            is_distinct: there is only one such channel of these members
            is_public: anybody may join
            is_discoverable: a public one is found by others
            access_code: what has to be known to join a public one
            message_survival_seconds: messages are deleted after so many seconds; -1: never
            operator_ids: users who become operators
        """
        call = self.start.create_channel(
            user_ids=user_ids,
            channel_url=channel_url,
            is_super=is_super,
            is_broadcast=is_broadcast,
            is_exclusive=is_exclusive,
            is_ephemeral=is_ephemeral,
            strict=strict,
            name=name,
            cover_url=cover_url,
            data=data,
            custom_type=custom_type,
            is_distinct=is_distinct,
            is_public=is_public,
            is_discoverable=is_discoverable,
            access_code=access_code,
            message_survival_seconds=message_survival_seconds,
            operator_ids=operator_ids,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def get_channel(self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> Channel:
        """The action ``get_channel``. Collections: a channel of this user is cached: ``insert`` or ``update``,
        ``channel_refresh``.

        Gives the channel as the service has it.

        Args:
            channel_url: the channel
        """
        call = self.start.get_channel(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_channel(
        self,
        channel_url: str,
        *,
        name: str | None = None,
        cover_url: str | None = None,
        data: str | None = None,
        custom_type: str | None = None,
        is_distinct: bool | None = None,
        is_public: bool | None = None,
        is_discoverable: bool | None = None,
        access_code: str | None = None,
        message_survival_seconds: int | None = None,
        operator_ids: list[str] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Channel:
        """The action ``update_channel``. Collections: ``update`` of the channel, ``event_channel_changed``; what is not
        named stays.

        Gives the channel as the service has it.

        Args:
            channel_url: the channel
            name: its name
            cover_url: where its picture is
            data: text for programs
            custom_type: its type
            is_distinct: there is only one such channel of these members
            is_public: anybody may join
            is_discoverable: a public one is found by others
            access_code: what has to be known to join a public one
            message_survival_seconds: messages are deleted after so many seconds; -1: never
            operator_ids: users who become operators
        """
        call = self.start.update_channel(
            channel_url,
            name=name,
            cover_url=cover_url,
            data=data,
            custom_type=custom_type,
            is_distinct=is_distinct,
            is_public=is_public,
            is_discoverable=is_discoverable,
            access_code=access_code,
            message_survival_seconds=message_survival_seconds,
            operator_ids=operator_ids,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def delete_channel(self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``delete_channel``. Collections: ``remove`` of the channel, ``channel_removed``,
        ``event_channel_deleted``.

        Args:
            channel_url: the channel
        """
        call = self.start.delete_channel(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def hide_channel(
        self,
        channel_url: str,
        *,
        hide_previous_messages: bool | None = None,
        allow_auto_unhide: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> HistoryOffset:
        """The action ``hide_channel``. Collections: it leaves lists of channels that are not hidden,
        ``event_channel_hidden``.

        Gives ``ts_message_offset``: what is older (ms) is not for this user any more.

        Args:
            channel_url: the channel
            hide_previous_messages: this user sees its messages from now on only; false
            allow_auto_unhide: the next message shows it again; true
        """
        call = self.start.hide_channel(
            channel_url,
            hide_previous_messages=hide_previous_messages,
            allow_auto_unhide=allow_auto_unhide,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def unhide_channel(self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``unhide_channel``. Collections: it comes back to lists of channels that are not hidden,
        ``event_channel_unhidden``.

        Args:
            channel_url: the channel
        """
        call = self.start.unhide_channel(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def freeze_channel(
        self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> Channel:
        """The action ``freeze_channel``. Collections: ``update`` of the channel, ``event_channel_frozen``.

        Gives the channel as the service has it.

        Args:
            channel_url: the channel
        """
        call = self.start.freeze_channel(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def unfreeze_channel(
        self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> Channel:
        """The action ``unfreeze_channel``. Collections: ``update`` of the channel, ``event_channel_unfrozen``.

        Gives the channel as the service has it.

        Args:
            channel_url: the channel
        """
        call = self.start.unfreeze_channel(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def reset_history(
        self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> HistoryOffset:
        """The action ``reset_history``. Collections: ``remove`` of the messages so far, for this user alone; ``update``
        of the channel, ``event_channel_reset_history``.

        Gives ``ts_message_offset``: what is older (ms) is not for this user any more.

        Args:
            channel_url: the channel
        """
        call = self.start.reset_history(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def get_message(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``get_message``. Collections: none.

        Gives the message as the service has it.

        Args:
            channel_url: the channel
            message_id: the message
        """
        call = self.start.get_message(channel_url, message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_public_channels(
        self,
        *,
        membership: Literal["all", "joined"] | None = None,
        order: ChannelOrder | None = None,
        channel_urls: list[str] | None = None,
        custom_types: list[str] | None = None,
        custom_type_starts_with: str | None = None,
        channel_name_contains: str | None = None,
        metadata_order_key: str | None = None,
        include_empty: bool | None = None,
        include_frozen: bool | None = None,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> ChannelPage:
        """The action ``list_public_channels``. Collections: none: channels that this user is not in are in no list.
        ``join`` brings one in.

        Gives ``channels``: a page of public channels; ``next``: token of the next page, empty at the end.

        Args:
            membership: whether only those that this user is in; ``all``
            order: in which order; ``chronological``
            channel_urls: only these
            custom_types: only those of these types
            custom_type_starts_with: only those whose type begins with it
            channel_name_contains: only those whose name has it
            metadata_order_key: the metadata that the order goes by
            include_empty: whether those without a message are among them; true
            include_frozen: whether frozen ones are among them; true
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_public_channels(
            membership=membership,
            order=order,
            channel_urls=channel_urls,
            custom_types=custom_types,
            custom_type_starts_with=custom_type_starts_with,
            channel_name_contains=channel_name_contains,
            metadata_order_key=metadata_order_key,
            include_empty=include_empty,
            include_frozen=include_frozen,
            limit=limit,
            token=token,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def invite(
        self, channel_url: str, user_ids: list[str], *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> Channel:
        """The action ``invite``. Collections: ``update`` of the channel, ``event_user_received_invitation``.

        Gives the channel as the service has it.

        Args:
            channel_url: the channel
            user_ids: whom
        """
        call = self.start.invite(channel_url, user_ids, timeout_ms=timeout_ms)
        return call.result(timeout)

    def accept_invitation(
        self,
        channel_url: str,
        *,
        access_code: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Channel:
        """The action ``accept_invitation``. Collections: ``update`` of the channel, ``event_user_joined``.

        Gives the channel as the service has it.

        Args:
            channel_url: the channel
            access_code: of a channel that asks for one
        """
        call = self.start.accept_invitation(channel_url, access_code=access_code, timeout_ms=timeout_ms)
        return call.result(timeout)

    def decline_invitation(
        self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``decline_invitation``. Collections: ``remove`` of the channel, ``channel_removed``,
        ``event_user_declined_invitation``.

        Args:
            channel_url: the channel
        """
        call = self.start.decline_invitation(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def join(
        self,
        channel_url: str,
        *,
        access_code: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Channel:
        """The action ``join``. Collections: ``insert`` of the channel into lists, ``event_user_joined``.

        Gives the channel as the service has it.

        Args:
            channel_url: the channel
            access_code: of a channel that asks for one
        """
        call = self.start.join(channel_url, access_code=access_code, timeout_ms=timeout_ms)
        return call.result(timeout)

    def leave(
        self,
        channel_url: str,
        *,
        should_remove_operator_status: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``leave``. Collections: ``remove`` of the channel, ``channel_removed``, ``event_user_left``.

        Args:
            channel_url: the channel
            should_remove_operator_status: coming back later as no operator; false
        """
        call = self.start.leave(
            channel_url, should_remove_operator_status=should_remove_operator_status, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def list_members(
        self,
        channel_url: str,
        *,
        order: Literal["member_nickname_alphabetical", "operator_then_member_alphabetical"] | None = None,
        operator_filter: Literal["all", "operator", "nonoperator"] | None = None,
        muted_member_filter: Literal["all", "muted", "unmuted"] | None = None,
        member_state_filter: Literal["all", "joined_only", "invited_only"] | None = None,
        nickname_startswith: str | None = None,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> MemberPage:
        """The action ``list_members``. Collections: none.

        Gives ``members``: a page of them; ``next``: token of the next page, empty at the end.

        Args:
            channel_url: the channel
            order: by name (default), or operators first
            operator_filter: which members
            muted_member_filter: which members
            member_state_filter: which members
            nickname_startswith: only names that begin with it
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_members(
            channel_url,
            order=order,
            operator_filter=operator_filter,
            muted_member_filter=muted_member_filter,
            member_state_filter=member_state_filter,
            nickname_startswith=nickname_startswith,
            limit=limit,
            token=token,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def add_operators(
        self, channel_url: str, user_ids: list[str], *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``add_operators``. Collections: ``update`` of the channel, ``event_operator_updated``.

        Args:
            channel_url: the channel
            user_ids: members who become operators
        """
        call = self.start.add_operators(channel_url, user_ids, timeout_ms=timeout_ms)
        return call.result(timeout)

    def remove_operators(
        self, channel_url: str, user_ids: list[str], *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``remove_operators``. Collections: ``update`` of the channel, ``event_operator_updated``.

        Args:
            channel_url: the channel
            user_ids: operators who become plain members
        """
        call = self.start.remove_operators(channel_url, user_ids, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_operators(
        self,
        channel_url: str,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> UserPage:
        """The action ``list_operators``. Collections: none.

        Gives ``users``: a page of the channel's operators; ``next``: token of the next page, empty at the end.

        Args:
            channel_url: the channel
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_operators(channel_url, limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def mute_user(
        self,
        channel_url: str,
        user_id: str,
        *,
        seconds: int | None = None,
        description: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``mute_user``. Collections: ``update`` of the channel, ``event_user_muted``.

        Args:
            channel_url: the channel
            user_id: the user
            seconds: for how long; without end when it is missing
            description: why
        """
        call = self.start.mute_user(
            channel_url, user_id, seconds=seconds, description=description, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def unmute_user(
        self, channel_url: str, user_id: str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``unmute_user``. Collections: ``update`` of the channel, ``event_user_unmuted``.

        Args:
            channel_url: the channel
            user_id: the user
        """
        call = self.start.unmute_user(channel_url, user_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_muted_users(
        self,
        channel_url: str,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> UserPage:
        """The action ``list_muted_users``. Collections: none.

        Gives ``users``: a page of who is muted, with ``description``, ``start_at``, ``end_at`` (-1: without end),
        ``remaining_duration`` (ms); ``next``: token of the next page, empty at the end.

        Args:
            channel_url: the channel
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_muted_users(channel_url, limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def ban_user(
        self,
        channel_url: str,
        user_id: str,
        *,
        seconds: int | None = None,
        description: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``ban_user``. Collections: ``update`` of the channel, ``event_user_banned``.

        Args:
            channel_url: the channel
            user_id: the user
            seconds: for how long; without end when it is missing
            description: why
        """
        call = self.start.ban_user(
            channel_url, user_id, seconds=seconds, description=description, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def unban_user(
        self, channel_url: str, user_id: str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``unban_user``. Collections: ``update`` of the channel, ``event_user_unbanned``; the user may join
        again.

        Args:
            channel_url: the channel
            user_id: the user
        """
        call = self.start.unban_user(channel_url, user_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_banned_users(
        self,
        channel_url: str,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> UserPage:
        """The action ``list_banned_users``. Collections: none.

        Gives ``users``: a page of who is banned, with ``description``, ``start_at``, ``end_at`` (-1: without end);
        ``next``: token of the next page, empty at the end.

        Args:
            channel_url: the channel
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_banned_users(channel_url, limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def create_metadata(
        self, channel_url: str, metadata: dict[str, str], *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> dict[str, str]:
        """The action ``create_metadata``. Collections: ``update`` of the channel, ``event_meta_data_created``; refused
        when one of the keys exists.

        Gives the keys with their values.

        Args:
            channel_url: the channel
            metadata: keys with their values
        """
        call = self.start.create_metadata(channel_url, metadata, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_metadata(
        self,
        channel_url: str,
        metadata: dict[str, str],
        *,
        upsert: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> dict[str, str]:
        """The action ``update_metadata``. Collections: ``update`` of the channel, ``event_meta_data_updated``.

        Gives the changed keys with their values.

        Args:
            channel_url: the channel
            metadata: keys with their values
            upsert: make keys that do not exist; false: they are left out
        """
        call = self.start.update_metadata(channel_url, metadata, upsert=upsert, timeout_ms=timeout_ms)
        return call.result(timeout)

    def delete_metadata(
        self,
        channel_url: str,
        *,
        keys: list[str] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``delete_metadata``. Collections: ``update`` of the channel, ``event_meta_data_deleted``.

        Args:
            channel_url: the channel
            keys: only these; all when it is missing
        """
        call = self.start.delete_metadata(channel_url, keys=keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def get_metadata(
        self,
        channel_url: str,
        *,
        keys: list[str] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> dict[str, str]:
        """The action ``get_metadata``. Collections: none.

        Gives the keys with their values.

        Args:
            channel_url: the channel
            keys: only these; all when it is missing
        """
        call = self.start.get_metadata(channel_url, keys=keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def create_counters(
        self, channel_url: str, counters: dict[str, int], *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> dict[str, int]:
        """The action ``create_counters``. Collections: ``event_meta_counter_created``, as far as the channel shows
        them; refused when one of the keys exists.

        Gives the keys with their values.

        Args:
            channel_url: the channel
            counters: keys with whole numbers
        """
        call = self.start.create_counters(channel_url, counters, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_counters(
        self,
        channel_url: str,
        counters: dict[str, int],
        *,
        mode: Literal["set", "increase", "decrease"] | None = None,
        upsert: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> dict[str, int]:
        """The action ``update_counters``. Collections: ``event_meta_counter_updated``, as far as the channel shows
        them.

        Gives the changed keys with their values.

        Args:
            channel_url: the channel
            counters: keys with whole numbers
            mode: what the numbers are for; ``set``
            upsert: make keys that do not exist; false: they are left out
        """
        call = self.start.update_counters(channel_url, counters, mode=mode, upsert=upsert, timeout_ms=timeout_ms)
        return call.result(timeout)

    def delete_counters(
        self,
        channel_url: str,
        *,
        keys: list[str] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``delete_counters``. Collections: ``event_meta_counter_deleted``, as far as the channel shows
        them.

        Args:
            channel_url: the channel
            keys: only these; all when it is missing
        """
        call = self.start.delete_counters(channel_url, keys=keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def get_counters(
        self,
        channel_url: str,
        *,
        keys: list[str] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> dict[str, int]:
        """The action ``get_counters``. Collections: none.

        Gives the keys with their values.

        Args:
            channel_url: the channel
            keys: only these; all when it is missing
        """
        call = self.start.get_counters(channel_url, keys=keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def get_push_preference(
        self, channel_url: str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> PushPreference:
        """The action ``get_push_preference``. Collections: none.

        Gives ``push_trigger_option``, ``push_sound``.

        Args:
            channel_url: the channel
        """
        call = self.start.get_push_preference(channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def set_push_preference(
        self,
        channel_url: str,
        push_trigger_option: Literal["default", "all", "mention_only", "off"],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> PushPreference:
        """The action ``set_push_preference``. Collections: ``update`` of the channel, ``event_channel_changed``.

        Gives ``push_trigger_option``, ``push_sound``.

        Args:
            channel_url: the channel
            push_trigger_option: of which messages this user's devices are told
        """
        call = self.start.set_push_preference(channel_url, push_trigger_option, timeout_ms=timeout_ms)
        return call.result(timeout)

    def set_count_preference(
        self,
        channel_url: str,
        count_preference: Literal["all", "unread_message_count_only", "unread_mention_count_only", "off"],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> CountPreference:
        """The action ``set_count_preference``. Collections: ``update`` of the channel, ``event_channel_changed``.

        Gives ``count_preference``.

        Args:
            channel_url: the channel
            count_preference: what is counted for this user
        """
        call = self.start.set_count_preference(channel_url, count_preference, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_users(
        self,
        *,
        user_ids: list[str] | None = None,
        nickname_startswith: str | None = None,
        nickname: str | None = None,
        metadata_key: str | None = None,
        metadata_values: list[str] | None = None,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> UserPage:
        """The action ``list_users``. Collections: none.

        Gives ``users``: a page of them; ``next``: token of the next page, empty at the end.

        Args:
            user_ids: only these
            nickname_startswith: only names that begin with it
            nickname: only those of this name
            metadata_key: only those with such metadata
            metadata_values: and one of these values
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_users(
            user_ids=user_ids,
            nickname_startswith=nickname_startswith,
            nickname=nickname,
            metadata_key=metadata_key,
            metadata_values=metadata_values,
            limit=limit,
            token=token,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def block_user(self, user_id: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> User:
        """The action ``block_user``. Collections: none by itself; the service tells what follows from it.

        Gives the user.

        Args:
            user_id: the user
        """
        call = self.start.block_user(user_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def unblock_user(self, user_id: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``unblock_user``. Collections: none by itself; the service tells what follows from it.

        Args:
            user_id: the user
        """
        call = self.start.unblock_user(user_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_blocked_users(
        self,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> UserPage:
        """The action ``list_blocked_users``. Collections: none.

        Gives ``users``: a page of whom this user blocks; ``next``: token of the next page, empty at the end.

        Args:
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_blocked_users(limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_profile(
        self,
        *,
        nickname: str | None = None,
        profile_url: str | None = None,
        preferred_languages: list[str] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> User:
        """The action ``update_profile``. Collections: none by itself: channels have it when they are asked for again.
        What is not named stays.

        Gives the user as the service has it.

        Args:
            nickname: the new name
            profile_url: where the new picture is
            preferred_languages: languages to translate messages to, the first one first
        """
        call = self.start.update_profile(
            nickname=nickname, profile_url=profile_url, preferred_languages=preferred_languages, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def list_push_tokens(
        self,
        type: Literal["gcm", "apns", "apns_voip", "huawei"],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> PushTokens:
        """The action ``list_push_tokens``. Collections: none.

        Gives ``type``, ``tokens``: a list of texts.

        Args:
            type: of which notification service the tokens are
        """
        call = self.start.list_push_tokens(type, timeout_ms=timeout_ms)
        return call.result(timeout)

    def register_push_token(
        self,
        type: Literal["gcm", "apns", "apns_voip", "huawei"],
        token: str,
        *,
        is_unique: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> PushToken:
        """The action ``register_push_token``. Collections: none: the service notifies the device of what comes while
        this user is not connected.

        Gives ``type``, ``token``.

        Args:
            type: of which notification service the tokens are
            token: the device's token
            is_unique: whether this user's other tokens of the type go
        """
        call = self.start.register_push_token(type, token, is_unique=is_unique, timeout_ms=timeout_ms)
        return call.result(timeout)

    def unregister_push_token(
        self,
        type: Literal["gcm", "apns", "apns_voip", "huawei"],
        token: str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``unregister_push_token``. Collections: none.

        Args:
            type: of which notification service the tokens are
            token: the device's token
        """
        call = self.start.unregister_push_token(type, token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def unregister_all_push_tokens(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``unregister_all_push_tokens``. Collections: none: no device of this user is notified."""
        call = self.start.unregister_all_push_tokens(timeout_ms=timeout_ms)
        return call.result(timeout)

    def report_user(
        self,
        user_id: str,
        category: Literal["suspicious", "harassing", "spam", "inappropriate"],
        *,
        channel_url: str | None = None,
        description: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Report:
        """The action ``report_user``. Collections: none: moderators see it.

        Gives ``report_type``, ``report_category``, ``report_description``, ``created_at`` and what was reported.

        Args:
            user_id: the user
            category: what is wrong
            channel_url: where it happened
            description: in the user's words
        """
        call = self.start.report_user(
            user_id, category, channel_url=channel_url, description=description, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def report_channel(
        self,
        channel_url: str,
        category: Literal["suspicious", "harassing", "spam", "inappropriate"],
        *,
        user_id: str | None = None,
        description: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Report:
        """The action ``report_channel``. Collections: none: moderators see it.

        Gives ``report_type``, ``report_category``, ``report_description``, ``created_at`` and what was reported.

        Args:
            channel_url: the channel
            category: what is wrong
            user_id: who is to blame
            description: in the user's words
        """
        call = self.start.report_channel(
            channel_url, category, user_id=user_id, description=description, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def report_message(
        self,
        channel_url: str,
        message_id: Message | MessageId,
        category: Literal["suspicious", "harassing", "spam", "inappropriate"],
        *,
        user_id: str | None = None,
        description: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Report:
        """The action ``report_message``. Collections: none: moderators see it.

        Gives ``report_type``, ``report_category``, ``report_description``, ``created_at`` and what was reported.

        Args:
            channel_url: the channel
            message_id: the message
            category: what is wrong
            user_id: who sent it
            description: in the user's words
        """
        call = self.start.report_message(
            channel_url, message_id, category, user_id=user_id, description=description, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def search_messages(
        self,
        query: str,
        *,
        channel_url: str | None = None,
        custom_type: str | None = None,
        since: int | None = None,
        until: int | None = None,
        exact: bool | None = None,
        fields: list[Literal["message", "data", "custom_type"]] | None = None,
        reverse: bool | None = None,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> FoundMessages:
        """The action ``search_messages``. Collections: none: the service looks through all that it has, cached or not.

        Gives ``messages``: a page of them, newest first, each with ``channel`` (``channel_url``, ``name``);
        ``total``: how many there are, where the service counts; ``next``: token of the next page, empty at the end.

        Args:
            query: words that a message has to have, in any order, without regard to case
            channel_url: only messages of this channel; without it of all that this user is in
            custom_type: only messages of this custom type
            since: only messages from this time on
            until: only messages up to this time
            exact: whether the words have to stand together as they are
            fields: where to look; in ``message``
            reverse: whether the oldest come first
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.search_messages(
            query,
            channel_url=channel_url,
            custom_type=custom_type,
            since=since,
            until=until,
            exact=exact,
            fields=fields,
            reverse=reverse,
            limit=limit,
            token=token,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def download_file(
        self,
        url: str,
        path: str | PathLike[str],
        *,
        overwrite: bool | None = None,
        max_bytes: int | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> ReceivedFile:
        """The action ``download_file``. Collections: none; ``download_progress`` tells how far it is. Until it is
        complete the file is called ``PATH.HEX.part``; the next call for the same address and path goes on with it.
        The key of the login goes only to the service's own hosts. ``timeout_ms`` is time without progress (default
        30 s). ``cancel`` ends it at once and removes what it received; a call that was still waiting to begin leaves
        what an earlier one received.

        Gives ``path``.

        Args:
            url: its address, as a message's ``file`` has it: https, or http where ``api_host`` is http
            path: where it is to be; the folder is there already
            overwrite: replaces a file that has the name (default: refused)
            max_bytes: a larger file is refused (TOO_LARGE)
        """
        call = self.start.download_file(url, path, overwrite=overwrite, max_bytes=max_bytes, timeout_ms=timeout_ms)
        return call.result(timeout)

    def file_url(self, url: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> FileURL:
        """The action ``file_url``. Collections: none.

        Gives ``url``: the address with the key of the login, for hosts that load files by themselves; valid for as
        long as the service says. Where the file is not at the service, the address as it is.

        Args:
            url: its address, as a message's ``file`` has it: https, or http where ``api_host`` is http
        """
        call = self.start.file_url(url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def resend_failed_messages(
        self,
        *,
        channel_url: str | None = None,
        request_id: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Count:
        """The action ``resend_failed_messages``. Collections: own messages that failed go from the list ``failed`` to
        ``pending``, ``local_message_resend_started``, and are sent in their order; without a connection they wait
        for one, or fail again, as the resend policy says.

        Gives ``count``: how many.

        Args:
            channel_url: only those of this channel
            request_id: only this one; NOT_FOUND when it has not failed
        """
        call = self.start.resend_failed_messages(channel_url=channel_url, request_id=request_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def remove_failed_messages(
        self,
        *,
        channel_url: str | None = None,
        request_id: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Count:
        """The action ``remove_failed_messages``. Collections: own messages that failed are given up: ``remove`` from
        the list ``failed``, ``remove_manual_action``.

        Gives ``count``: how many.

        Args:
            channel_url: only those of this channel
            request_id: only this one; NOT_FOUND when it has not failed
        """
        call = self.start.remove_failed_messages(channel_url=channel_url, request_id=request_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def set_draft(
        self,
        channel_url: str,
        *,
        parent_message_id: int | str | None = None,
        message: str | None = None,
        data: str | None = None,
        reply_to: int | str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``set_draft``. Collections: the channel is told again, ``draft_changed``: its ``draft``, or
        ``thread_drafts``, has these keys and ``updated_at`` (ms since the epoch); an empty text alone is no draft.
        It is on the disk within a second, however often it is set. It goes with the message that is sent there with
        a text, with the channel, and with the user who signs out. TOO_LARGE: over 65,536 bytes of JSON, or all
        drafts over 1,048,576 bytes or 1,000.

        Args:
            channel_url: the channel
            parent_message_id: the message that a thread answers: the draft is the thread's
            message: what the user has written; missing or null: there is no draft any more
            data: what the host wants to have with it
            reply_to: the message that it is to answer in the channel
        """
        call = self.start.set_draft(
            channel_url,
            parent_message_id=parent_message_id,
            message=message,
            data=data,
            reply_to=reply_to,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def statistics(
        self, *, channel_url: str | None = None, timeout_ms: int | None = None, timeout: float | None = None
    ) -> Statistics:
        """The action ``statistics``. Collections: none.

        Gives ``cached_channels``, ``cached_messages``, ``cache_bytes`` (of the file), ``cache_used_bytes`` (of the
        rows of messages), ``cache_limit_bytes`` (of those; null: none), ``pending_messages``, ``failed_messages``,
        ``connected``, ``waiting_calls``; of the channel ``channel_messages``, ``channel_bytes``, ``channel_used_at``
        (ms since the epoch, to an hour), all 0 when nothing of it is cached.

        Args:
            channel_url: what its messages take is told, too
        """
        call = self.start.statistics(channel_url=channel_url, timeout_ms=timeout_ms)
        return call.result(timeout)

    def options(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> Config:
        """The action ``options``. Collections: none.

        Gives the configuration as it is in effect, with the defaults and without the access token: the keys of
        ``sm_setup()``, among them ``app_id`` and ``user_id``.
        """
        call = self.start.options(timeout_ms=timeout_ms)
        return call.result(timeout)

    def cancel(self, request: int, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``cancel``. Collections: that call completes with CANCELED if it waits for the service: an action,
        a fetch, a start, a connect, a send. A message that is canceled is given up: ``remove`` from ``pending`` or
        ``failed``, ``local_message_canceled``. The service may do all the same what it was asked already, and then
        collections are told. Connecting goes on. NOT_FOUND when no such call waits.

        Args:
            request: the number of the call
        """
        call = self.start.cancel(request, timeout_ms=timeout_ms)
        return call.result(timeout)

    def acknowledge(self, id: int, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``acknowledge``. Collections: none. That event and all with a smaller id are not told again, but
        for those that wait in the queue. NOT_FOUND when no event has had so large an id.

        Args:
            id: ``id`` of an event ``message_received``
        """
        call = self.start.acknowledge(id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def evict(self, channel_urls: list[str], *, timeout_ms: int | None = None, timeout: float | None = None) -> Count:
        """The action ``evict``. Collections: the answer to the event ``cache_full``, within 5 s: those of its
        candidates lose their oldest messages first, then others in the order of last use, each ``cache_trimmed``.
        One that a collection shows by then keeps its own. NOT_FOUND when the cache does not wait for an answer, or
        not any more.

        Gives ``count``: how many of them are candidates.

        Args:
            channel_urls: the channels that lose messages first, in this order
        """
        call = self.start.evict(channel_urls, timeout_ms=timeout_ms)
        return call.result(timeout)

    def export(
        self,
        path: str | PathLike[str],
        *,
        channel_url: str | None = None,
        overwrite: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Exported:
        """The action ``export``. Collections: none. What is cached is written as lines of JSON (docs/export.md), behind
        all that syncs; ``export_progress`` tells how far it is. Until it is complete the file is called
        ``PATH.HEX.part``. It is on the disk, for its owner alone, when the call completes; one that is canceled or
        fails leaves no file. Without ``timeout_ms`` it takes as long as it takes. Messages that are not sent yet are
        not exported. Signing out cancels it.

        Gives ``channels``, ``messages``, ``bytes``: how many were written.

        Args:
            path: the file to write; its folder is there already
            channel_url: only this channel; NOT_FOUND when nothing of it is cached
            overwrite: replaces a file that has the name (default: refused)
        """
        call = self.start.export(path, channel_url=channel_url, overwrite=overwrite, timeout_ms=timeout_ms)
        return call.result(timeout)

    def encrypt(
        self,
        *,
        encryption_key: str | None = None,
        encryption_passphrase: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``encrypt``. Collections: none. The files of this client are encrypted from now on, and
        ``sm_setup()`` needs the key. They are written again, about a second for 100 MB, while every other call
        waits; twice their space is needed meanwhile. What had been removed before may stay readable on the disk.
        NO_ENCRYPTION without a fitting library; STORAGE also when another program is reading the files; then they
        are as before. There is no way back: sign out, delete the directory and sync again.

        Args:
            encryption_key: 64 hexadecimal digits: the key's 32 bytes. One of both is needed
            encryption_passphrase: a text that is not empty: the key is derived of it
        """
        call = self.start.encrypt(
            encryption_key=encryption_key, encryption_passphrase=encryption_passphrase, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def rekey(
        self,
        *,
        encryption_key: str | None = None,
        encryption_passphrase: str | None = None,
        full: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``rekey``. Collections: none. From now on ``sm_setup()`` needs the new key, and the old one opens
        nothing more. It takes some milliseconds; who had copied the directory, and has the old key, can read what
        the files have, unless ``full`` is true: then they are written again, as by ``encrypt``.

        Args:
            encryption_key: 64 hexadecimal digits: the key's 32 bytes. One of both is needed
            encryption_passphrase: a text that is not empty: the key is derived of it
            full: the files are written again under another data key, too; false
        """
        call = self.start.rekey(
            encryption_key=encryption_key, encryption_passphrase=encryption_passphrase, full=full, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def service_info(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> ServiceInfo:
        """The action ``service_info``. Collections: none. The service is asked for the emoji categories, once for each
        ``emoji_hash``.

        Gives what the service tells of itself at login: ``file_upload_size_limit`` (MiB),
        ``multiple_file_send_max_size`` (files), ``premium_feature_list``, ``application_attributes``,
        ``use_reaction``, ``emoji_hash``; and ``emoji_categories``: each with ``id``, ``name``, ``url`` and
        ``emojis``, a list of ``key`` (of a reaction) and ``url``.
        """
        call = self.start.service_info(timeout_ms=timeout_ms)
        return call.result(timeout)

    def clear_channels(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``clear_channels``. Collections: the cached channels are gone: channel lists are told ``clear``
        (``cache_cleared``), their fetches end with ``"short":"reset"``; with a connection all is listed again.
        Messages stay, see sm_clear_cache().
        """
        call = self.start.clear_channels(timeout_ms=timeout_ms)
        return call.result(timeout)

    def set_limit(
        self, collection: int, limit: int, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``set_limit``. Collections: each further fetch of that collection brings so many, in either
        direction. NOT_FOUND when there is no such collection.

        Args:
            collection: its number, as sm_collection_number() gives it
            limit: 1 to 200 messages, or 1 to 100 channels
        """
        call = self.start.set_limit(collection, limit, timeout_ms=timeout_ms)
        return call.result(timeout)


class BlockingChannelActions:
    """The actions on a channel; each waits for its end. Since 0.1."""

    @property
    def start(self) -> ChannelActions:
        """The same calls without waiting: each gives a ``Call``."""
        raise NotImplementedError

    def edit_message(
        self,
        message_id: Message | MessageId,
        *,
        message: str | None = None,
        data: str | None = None,
        custom_type: str | None = None,
        mention_type: Literal["users", "channel"] | None = None,
        mentioned_user_ids: list[str] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``edit_message``. Collections: ``update`` of the message, ``event_message_updated``; what is not
        named stays. Only the sender may: of a cached message of somebody else it completes with NOT_OWN_MESSAGE and
        asks nobody.

        Gives the message as the service has it.

        Args:
            message_id: the message
            message: the new text
            data: the new data
            custom_type: the new custom type
            mention_type: whom it mentions: the users named, or all members
            mentioned_user_ids: the users it mentions; replaces those it mentioned before
        """
        call = self.start.edit_message(
            message_id,
            message=message,
            data=data,
            custom_type=custom_type,
            mention_type=mention_type,
            mentioned_user_ids=mentioned_user_ids,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def delete_message(
        self, message_id: Message | MessageId, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``delete_message``. Collections: ``remove`` of the message, ``event_message_deleted``. The sender
        may, and operators.

        Args:
            message_id: the message
        """
        call = self.start.delete_message(message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def add_reaction(
        self, message_id: Message | MessageId, key: str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> dict[str, Any]:
        """The action ``add_reaction``. Collections: ``update`` of the message, ``event_reaction_updated``.

        Gives the reaction as the service has it.

        Args:
            message_id: the message
            key: the reaction
        """
        call = self.start.add_reaction(message_id, key, timeout_ms=timeout_ms)
        return call.result(timeout)

    def remove_reaction(
        self, message_id: Message | MessageId, key: str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> dict[str, Any]:
        """The action ``remove_reaction``. Collections: ``update`` of the message, ``event_reaction_updated``.

        Gives the reaction as the service has it.

        Args:
            message_id: the message
            key: the reaction
        """
        call = self.start.remove_reaction(message_id, key, timeout_ms=timeout_ms)
        return call.result(timeout)

    def pin_message(
        self, message_id: Message | MessageId, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``pin_message``. Collections: ``update`` of the channel, ``event_pinned_message_updated``.

        Args:
            message_id: the message
        """
        call = self.start.pin_message(message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def unpin_message(
        self, message_id: Message | MessageId, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``unpin_message``. Collections: ``update`` of the channel, ``event_pinned_message_updated``.

        Args:
            message_id: the message
        """
        call = self.start.unpin_message(message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def translate_message(
        self,
        message_id: Message | MessageId,
        target_langs: list[str],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``translate_message``. Collections: ``update`` of the message, ``event_message_updated``: its
        ``translations`` have the languages.

        Gives the message as the service has it.

        Args:
            message_id: the message
            target_langs: languages to translate it to
        """
        call = self.start.translate_message(message_id, target_langs, timeout_ms=timeout_ms)
        return call.result(timeout)

    def create_meta_array_keys(
        self,
        message_id: Message | MessageId,
        keys: list[str],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``create_meta_array_keys``. Collections: ``update`` of the message, ``event_message_updated``.

        Gives the message as the service has it.

        Args:
            message_id: the message
            keys: keys of the message's ``sorted_metaarray``
        """
        call = self.start.create_meta_array_keys(message_id, keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def delete_meta_array_keys(
        self,
        message_id: Message | MessageId,
        keys: list[str],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``delete_meta_array_keys``. Collections: ``update`` of the message, ``event_message_updated``.

        Gives the message as the service has it.

        Args:
            message_id: the message
            keys: keys of the message's ``sorted_metaarray``
        """
        call = self.start.delete_meta_array_keys(message_id, keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def add_meta_array_values(
        self,
        message_id: Message | MessageId,
        values: dict[str, list[str]],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``add_meta_array_values``. Collections: ``update`` of the message, ``event_message_updated``.

        Gives the message as the service has it.

        Args:
            message_id: the message
            values: for each key the values, as ``{"color": ["red"]}``
        """
        call = self.start.add_meta_array_values(message_id, values, timeout_ms=timeout_ms)
        return call.result(timeout)

    def remove_meta_array_values(
        self,
        message_id: Message | MessageId,
        values: dict[str, list[str]],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Message:
        """The action ``remove_meta_array_values``. Collections: ``update`` of the message, ``event_message_updated``.

        Gives the message as the service has it.

        Args:
            message_id: the message
            values: for each key the values, as ``{"color": ["red"]}``
        """
        call = self.start.remove_meta_array_values(message_id, values, timeout_ms=timeout_ms)
        return call.result(timeout)

    def get_poll(self, poll_id: int | str, *, timeout_ms: int | None = None, timeout: float | None = None) -> Poll:
        """The action ``get_poll``. Collections: none.

        Gives the poll as the service has it.

        Args:
            poll_id: the poll
        """
        call = self.start.get_poll(poll_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_polls(
        self,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> PollPage:
        """The action ``list_polls``. Collections: none.

        Gives ``polls``: a page of the channel's; ``next``: token of the next page, empty at the end.

        Args:
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_polls(limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_poll(
        self,
        poll_id: int | str,
        *,
        title: str | None = None,
        data: str | None = None,
        allow_user_suggestion: bool | None = None,
        allow_multiple_votes: bool | None = None,
        close_at: int | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Poll:
        """The action ``update_poll``. Collections: ``update`` of the message, ``event_poll_updated``; what is not named
        stays. Only who made it may.

        Gives the poll as the service has it.

        Args:
            poll_id: the poll
            title: the question
            data: the poll's data
            allow_user_suggestion: whether other members may add options
            allow_multiple_votes: whether a member may choose several options
            close_at: when it closes by itself, in seconds since the epoch as the poll has it; -1: never
        """
        call = self.start.update_poll(
            poll_id,
            title=title,
            data=data,
            allow_user_suggestion=allow_user_suggestion,
            allow_multiple_votes=allow_multiple_votes,
            close_at=close_at,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def close_poll(self, poll_id: int | str, *, timeout_ms: int | None = None, timeout: float | None = None) -> Poll:
        """The action ``close_poll``. Collections: ``update`` of the message, ``event_poll_updated``: its ``status`` is
        "closed", nobody votes any more. Only who made it may.

        Gives the poll as the service has it.

        Args:
            poll_id: the poll
        """
        call = self.start.close_poll(poll_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def delete_poll(self, poll_id: int | str, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``delete_poll``. Collections: ``update`` of the message, ``event_poll_updated``: its ``status`` is
        "removed", the message stays. Only who made it may.

        Args:
            poll_id: the poll
        """
        call = self.start.delete_poll(poll_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def add_poll_option(
        self, poll_id: int | str, text: str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> Poll:
        """The action ``add_poll_option``. Collections: ``update`` of the message, ``event_poll_updated``. Who made the
        poll may, others where ``allow_user_suggestion`` is set.

        Gives the poll as the service has it.

        Args:
            poll_id: the poll
            text: what the option says
        """
        call = self.start.add_poll_option(poll_id, text, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_poll_option(
        self,
        poll_id: int | str,
        option_id: int | str,
        text: str,
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Poll:
        """The action ``update_poll_option``. Collections: ``update`` of the message, ``event_poll_updated``. Who made
        the poll or the option may.

        Gives the poll as the service has it.

        Args:
            poll_id: the poll
            option_id: one of the poll's options
            text: what the option says
        """
        call = self.start.update_poll_option(poll_id, option_id, text, timeout_ms=timeout_ms)
        return call.result(timeout)

    def delete_poll_option(
        self, poll_id: int | str, option_id: int | str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``delete_poll_option``. Collections: ``update`` of the message, ``event_poll_updated``: the option
        is gone, and its votes. Who made the poll or the option may.

        Args:
            poll_id: the poll
            option_id: one of the poll's options
        """
        call = self.start.delete_poll_option(poll_id, option_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def vote_poll(
        self,
        message_id: Message | MessageId,
        poll_id: int | str,
        option_ids: list[int | str],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Vote:
        """The action ``vote_poll``. Collections: ``update`` of the message, ``event_poll_voted``: counts, and
        ``voted_option_ids`` of its ``poll``.

        Gives ``poll_id``, ``message_id``, ``updated_vote_counts``: a list of ``option_id`` and ``vote_count``.

        Args:
            message_id: the message that shows the poll
            poll_id: the poll
            option_ids: all that this user chooses: these and no others; empty takes the vote back
        """
        call = self.start.vote_poll(message_id, poll_id, option_ids, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_poll_voters(
        self,
        poll_id: int | str,
        option_id: int | str,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> UserPage:
        """The action ``list_poll_voters``. Collections: none.

        Gives ``users``: a page of who chose the option, the latest first; ``vote_count``; ``next``: token of the
        next page, empty at the end.

        Args:
            poll_id: the poll
            option_id: one of the poll's options
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_poll_voters(poll_id, option_id, limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_poll_changes(
        self,
        *,
        since: int | None = None,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> PollChanges:
        """The action ``list_poll_changes``. Collections: none; what collections show follows this log by itself.

        Gives ``updated``: polls as they are now; ``deleted``: ids of polls that are gone; ``has_more``; ``next``:
        the token to go on from, also later.

        Args:
            since: what has changed since; everything without it and a token
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_poll_changes(since=since, limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def schedule_message(
        self,
        scheduled_at: int,
        message: str,
        *,
        data: str | None = None,
        custom_type: str | None = None,
        mention_type: Literal["users", "channel"] | None = None,
        mentioned_user_ids: list[str] | None = None,
        push_option: Literal["default", "suppress"] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> ScheduledMessage:
        """The action ``schedule_message``. Collections: none before its time; then as any message that this user sends
        elsewhere.

        Gives the scheduled message as the service has it: ``scheduled_message_id``, ``scheduled_at``, ``status``,
        and what it will say.

        Args:
            scheduled_at: when it is sent, by the service's clock; not in the past
            message: its text
            data: its data
            custom_type: its custom type
            mention_type: whom it mentions: the users named, or all members
            mentioned_user_ids: the users it mentions
            push_option: whether members are notified of it
        """
        call = self.start.schedule_message(
            scheduled_at,
            message,
            data=data,
            custom_type=custom_type,
            mention_type=mention_type,
            mentioned_user_ids=mentioned_user_ids,
            push_option=push_option,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def get_scheduled_message(
        self, scheduled_message_id: int | str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> ScheduledMessage:
        """The action ``get_scheduled_message``. Collections: none.

        Gives the scheduled message as the service has it: ``scheduled_message_id``, ``scheduled_at``, ``status``,
        and what it will say.

        Args:
            scheduled_message_id: the scheduled message
        """
        call = self.start.get_scheduled_message(scheduled_message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_scheduled_message(
        self,
        scheduled_message_id: int | str,
        *,
        scheduled_at: int | None = None,
        message: str | None = None,
        data: str | None = None,
        custom_type: str | None = None,
        mention_type: Literal["users", "channel"] | None = None,
        mentioned_user_ids: list[str] | None = None,
        push_option: Literal["default", "suppress"] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> ScheduledMessage:
        """The action ``update_scheduled_message``. Collections: none; what is not named stays. Refused once it was sent
        or canceled.

        Gives the scheduled message as the service has it: ``scheduled_message_id``, ``scheduled_at``, ``status``,
        and what it will say.

        Args:
            scheduled_message_id: the scheduled message
            scheduled_at: when it is sent
            message: its text
            data: its data
            custom_type: its custom type
            mention_type: whom it mentions: the users named, or all members
            mentioned_user_ids: the users it mentions
            push_option: whether members are notified of it
        """
        call = self.start.update_scheduled_message(
            scheduled_message_id,
            scheduled_at=scheduled_at,
            message=message,
            data=data,
            custom_type=custom_type,
            mention_type=mention_type,
            mentioned_user_ids=mentioned_user_ids,
            push_option=push_option,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def cancel_scheduled_message(
        self, scheduled_message_id: int | str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``cancel_scheduled_message``. Collections: none: it will not be sent.

        Args:
            scheduled_message_id: the scheduled message
        """
        call = self.start.cancel_scheduled_message(scheduled_message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def send_scheduled_message_now(
        self, scheduled_message_id: int | str, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> ScheduledMessage:
        """The action ``send_scheduled_message_now``. Collections: those of any message that this user sends elsewhere.

        Gives the scheduled message as the service has it: ``scheduled_message_id``, ``scheduled_at``, ``status``,
        and what it will say.

        Args:
            scheduled_message_id: the scheduled message
        """
        call = self.start.send_scheduled_message_now(scheduled_message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def mark_as_read(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``mark_as_read``. Collections: the channel's counts become 0; ``update`` in lists."""
        call = self.start.mark_as_read(timeout_ms=timeout_ms)
        return call.result(timeout)

    def mark_as_unread(
        self, message_id: Message | MessageId, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> MarkedUnread:
        """The action ``mark_as_unread``. Collections: the message and what follows it count as unread again; ``update``
        in lists.

        Gives ``channel_url``, ``ts`` (read until then), ``unread_message_count``.

        Args:
            message_id: the message
        """
        call = self.start.mark_as_unread(message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def mark_as_delivered(
        self, *, time: int | None = None, timeout_ms: int | None = None, timeout: float | None = None
    ) -> dict[str, Any]:
        """The action ``mark_as_delivered``. Collections: ``update`` of the channel, ``event_delivery_status_updated``.
        Messages that come over this client's connection are acknowledged without it.

        Gives ``ts``.

        Args:
            time: messages up to then have arrived; now when it is missing
        """
        call = self.start.mark_as_delivered(time=time, timeout_ms=timeout_ms)
        return call.result(timeout)

    def start_typing(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``start_typing``. Collections: the others are told, once a second at most however often it is
        called. Typing ends by itself ten seconds after it was last started.
        """
        call = self.start.start_typing(timeout_ms=timeout_ms)
        return call.result(timeout)

    def end_typing(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``end_typing``. Collections: the others are told, once a second at most however often it is
        called. Typing ends by itself ten seconds after it was last started.
        """
        call = self.start.end_typing(timeout_ms=timeout_ms)
        return call.result(timeout)

    def get_channel(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> Channel:
        """The action ``get_channel``. Collections: a channel of this user is cached: ``insert`` or ``update``,
        ``channel_refresh``.

        Gives the channel as the service has it.
        """
        call = self.start.get_channel(timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_channel(
        self,
        *,
        name: str | None = None,
        cover_url: str | None = None,
        data: str | None = None,
        custom_type: str | None = None,
        is_distinct: bool | None = None,
        is_public: bool | None = None,
        is_discoverable: bool | None = None,
        access_code: str | None = None,
        message_survival_seconds: int | None = None,
        operator_ids: list[str] | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Channel:
        """The action ``update_channel``. Collections: ``update`` of the channel, ``event_channel_changed``; what is not
        named stays.

        Gives the channel as the service has it.

        Args:
            name: its name
            cover_url: where its picture is
            data: text for programs
            custom_type: its type
            is_distinct: there is only one such channel of these members
            is_public: anybody may join
            is_discoverable: a public one is found by others
            access_code: what has to be known to join a public one
            message_survival_seconds: messages are deleted after so many seconds; -1: never
            operator_ids: users who become operators
        """
        call = self.start.update_channel(
            name=name,
            cover_url=cover_url,
            data=data,
            custom_type=custom_type,
            is_distinct=is_distinct,
            is_public=is_public,
            is_discoverable=is_discoverable,
            access_code=access_code,
            message_survival_seconds=message_survival_seconds,
            operator_ids=operator_ids,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def delete_channel(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``delete_channel``. Collections: ``remove`` of the channel, ``channel_removed``,
        ``event_channel_deleted``.
        """
        call = self.start.delete_channel(timeout_ms=timeout_ms)
        return call.result(timeout)

    def hide_channel(
        self,
        *,
        hide_previous_messages: bool | None = None,
        allow_auto_unhide: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> HistoryOffset:
        """The action ``hide_channel``. Collections: it leaves lists of channels that are not hidden,
        ``event_channel_hidden``.

        Gives ``ts_message_offset``: what is older (ms) is not for this user any more.

        Args:
            hide_previous_messages: this user sees its messages from now on only; false
            allow_auto_unhide: the next message shows it again; true
        """
        call = self.start.hide_channel(
            hide_previous_messages=hide_previous_messages, allow_auto_unhide=allow_auto_unhide, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def unhide_channel(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``unhide_channel``. Collections: it comes back to lists of channels that are not hidden,
        ``event_channel_unhidden``.
        """
        call = self.start.unhide_channel(timeout_ms=timeout_ms)
        return call.result(timeout)

    def freeze_channel(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> Channel:
        """The action ``freeze_channel``. Collections: ``update`` of the channel, ``event_channel_frozen``.

        Gives the channel as the service has it.
        """
        call = self.start.freeze_channel(timeout_ms=timeout_ms)
        return call.result(timeout)

    def unfreeze_channel(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> Channel:
        """The action ``unfreeze_channel``. Collections: ``update`` of the channel, ``event_channel_unfrozen``.

        Gives the channel as the service has it.
        """
        call = self.start.unfreeze_channel(timeout_ms=timeout_ms)
        return call.result(timeout)

    def reset_history(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> HistoryOffset:
        """The action ``reset_history``. Collections: ``remove`` of the messages so far, for this user alone; ``update``
        of the channel, ``event_channel_reset_history``.

        Gives ``ts_message_offset``: what is older (ms) is not for this user any more.
        """
        call = self.start.reset_history(timeout_ms=timeout_ms)
        return call.result(timeout)

    def get_message(
        self, message_id: Message | MessageId, *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> Message:
        """The action ``get_message``. Collections: none.

        Gives the message as the service has it.

        Args:
            message_id: the message
        """
        call = self.start.get_message(message_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def invite(self, user_ids: list[str], *, timeout_ms: int | None = None, timeout: float | None = None) -> Channel:
        """The action ``invite``. Collections: ``update`` of the channel, ``event_user_received_invitation``.

        Gives the channel as the service has it.

        Args:
            user_ids: whom
        """
        call = self.start.invite(user_ids, timeout_ms=timeout_ms)
        return call.result(timeout)

    def accept_invitation(
        self, *, access_code: str | None = None, timeout_ms: int | None = None, timeout: float | None = None
    ) -> Channel:
        """The action ``accept_invitation``. Collections: ``update`` of the channel, ``event_user_joined``.

        Gives the channel as the service has it.

        Args:
            access_code: of a channel that asks for one
        """
        call = self.start.accept_invitation(access_code=access_code, timeout_ms=timeout_ms)
        return call.result(timeout)

    def decline_invitation(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``decline_invitation``. Collections: ``remove`` of the channel, ``channel_removed``,
        ``event_user_declined_invitation``.
        """
        call = self.start.decline_invitation(timeout_ms=timeout_ms)
        return call.result(timeout)

    def join(
        self, *, access_code: str | None = None, timeout_ms: int | None = None, timeout: float | None = None
    ) -> Channel:
        """The action ``join``. Collections: ``insert`` of the channel into lists, ``event_user_joined``.

        Gives the channel as the service has it.

        Args:
            access_code: of a channel that asks for one
        """
        call = self.start.join(access_code=access_code, timeout_ms=timeout_ms)
        return call.result(timeout)

    def leave(
        self,
        *,
        should_remove_operator_status: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``leave``. Collections: ``remove`` of the channel, ``channel_removed``, ``event_user_left``.

        Args:
            should_remove_operator_status: coming back later as no operator; false
        """
        call = self.start.leave(should_remove_operator_status=should_remove_operator_status, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_members(
        self,
        *,
        order: Literal["member_nickname_alphabetical", "operator_then_member_alphabetical"] | None = None,
        operator_filter: Literal["all", "operator", "nonoperator"] | None = None,
        muted_member_filter: Literal["all", "muted", "unmuted"] | None = None,
        member_state_filter: Literal["all", "joined_only", "invited_only"] | None = None,
        nickname_startswith: str | None = None,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> MemberPage:
        """The action ``list_members``. Collections: none.

        Gives ``members``: a page of them; ``next``: token of the next page, empty at the end.

        Args:
            order: by name (default), or operators first
            operator_filter: which members
            muted_member_filter: which members
            member_state_filter: which members
            nickname_startswith: only names that begin with it
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_members(
            order=order,
            operator_filter=operator_filter,
            muted_member_filter=muted_member_filter,
            member_state_filter=member_state_filter,
            nickname_startswith=nickname_startswith,
            limit=limit,
            token=token,
            timeout_ms=timeout_ms,
        )
        return call.result(timeout)

    def add_operators(
        self, user_ids: list[str], *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``add_operators``. Collections: ``update`` of the channel, ``event_operator_updated``.

        Args:
            user_ids: members who become operators
        """
        call = self.start.add_operators(user_ids, timeout_ms=timeout_ms)
        return call.result(timeout)

    def remove_operators(
        self, user_ids: list[str], *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``remove_operators``. Collections: ``update`` of the channel, ``event_operator_updated``.

        Args:
            user_ids: operators who become plain members
        """
        call = self.start.remove_operators(user_ids, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_operators(
        self,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> UserPage:
        """The action ``list_operators``. Collections: none.

        Gives ``users``: a page of the channel's operators; ``next``: token of the next page, empty at the end.

        Args:
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_operators(limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def mute_user(
        self,
        user_id: str,
        *,
        seconds: int | None = None,
        description: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``mute_user``. Collections: ``update`` of the channel, ``event_user_muted``.

        Args:
            user_id: the user
            seconds: for how long; without end when it is missing
            description: why
        """
        call = self.start.mute_user(user_id, seconds=seconds, description=description, timeout_ms=timeout_ms)
        return call.result(timeout)

    def unmute_user(self, user_id: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``unmute_user``. Collections: ``update`` of the channel, ``event_user_unmuted``.

        Args:
            user_id: the user
        """
        call = self.start.unmute_user(user_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_muted_users(
        self,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> UserPage:
        """The action ``list_muted_users``. Collections: none.

        Gives ``users``: a page of who is muted, with ``description``, ``start_at``, ``end_at`` (-1: without end),
        ``remaining_duration`` (ms); ``next``: token of the next page, empty at the end.

        Args:
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_muted_users(limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def ban_user(
        self,
        user_id: str,
        *,
        seconds: int | None = None,
        description: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``ban_user``. Collections: ``update`` of the channel, ``event_user_banned``.

        Args:
            user_id: the user
            seconds: for how long; without end when it is missing
            description: why
        """
        call = self.start.ban_user(user_id, seconds=seconds, description=description, timeout_ms=timeout_ms)
        return call.result(timeout)

    def unban_user(self, user_id: str, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``unban_user``. Collections: ``update`` of the channel, ``event_user_unbanned``; the user may join
        again.

        Args:
            user_id: the user
        """
        call = self.start.unban_user(user_id, timeout_ms=timeout_ms)
        return call.result(timeout)

    def list_banned_users(
        self,
        *,
        limit: int | None = None,
        token: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> UserPage:
        """The action ``list_banned_users``. Collections: none.

        Gives ``users``: a page of who is banned, with ``description``, ``start_at``, ``end_at`` (-1: without end);
        ``next``: token of the next page, empty at the end.

        Args:
            limit: how many a page has; 20
            token: ``next`` of the page before; the first page without it
        """
        call = self.start.list_banned_users(limit=limit, token=token, timeout_ms=timeout_ms)
        return call.result(timeout)

    def create_metadata(
        self, metadata: dict[str, str], *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> dict[str, str]:
        """The action ``create_metadata``. Collections: ``update`` of the channel, ``event_meta_data_created``; refused
        when one of the keys exists.

        Gives the keys with their values.

        Args:
            metadata: keys with their values
        """
        call = self.start.create_metadata(metadata, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_metadata(
        self,
        metadata: dict[str, str],
        *,
        upsert: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> dict[str, str]:
        """The action ``update_metadata``. Collections: ``update`` of the channel, ``event_meta_data_updated``.

        Gives the changed keys with their values.

        Args:
            metadata: keys with their values
            upsert: make keys that do not exist; false: they are left out
        """
        call = self.start.update_metadata(metadata, upsert=upsert, timeout_ms=timeout_ms)
        return call.result(timeout)

    def delete_metadata(
        self, *, keys: list[str] | None = None, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``delete_metadata``. Collections: ``update`` of the channel, ``event_meta_data_deleted``.

        Args:
            keys: only these; all when it is missing
        """
        call = self.start.delete_metadata(keys=keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def get_metadata(
        self, *, keys: list[str] | None = None, timeout_ms: int | None = None, timeout: float | None = None
    ) -> dict[str, str]:
        """The action ``get_metadata``. Collections: none.

        Gives the keys with their values.

        Args:
            keys: only these; all when it is missing
        """
        call = self.start.get_metadata(keys=keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def create_counters(
        self, counters: dict[str, int], *, timeout_ms: int | None = None, timeout: float | None = None
    ) -> dict[str, int]:
        """The action ``create_counters``. Collections: ``event_meta_counter_created``, as far as the channel shows
        them; refused when one of the keys exists.

        Gives the keys with their values.

        Args:
            counters: keys with whole numbers
        """
        call = self.start.create_counters(counters, timeout_ms=timeout_ms)
        return call.result(timeout)

    def update_counters(
        self,
        counters: dict[str, int],
        *,
        mode: Literal["set", "increase", "decrease"] | None = None,
        upsert: bool | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> dict[str, int]:
        """The action ``update_counters``. Collections: ``event_meta_counter_updated``, as far as the channel shows
        them.

        Gives the changed keys with their values.

        Args:
            counters: keys with whole numbers
            mode: what the numbers are for; ``set``
            upsert: make keys that do not exist; false: they are left out
        """
        call = self.start.update_counters(counters, mode=mode, upsert=upsert, timeout_ms=timeout_ms)
        return call.result(timeout)

    def delete_counters(
        self, *, keys: list[str] | None = None, timeout_ms: int | None = None, timeout: float | None = None
    ) -> None:
        """The action ``delete_counters``. Collections: ``event_meta_counter_deleted``, as far as the channel shows
        them.

        Args:
            keys: only these; all when it is missing
        """
        call = self.start.delete_counters(keys=keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def get_counters(
        self, *, keys: list[str] | None = None, timeout_ms: int | None = None, timeout: float | None = None
    ) -> dict[str, int]:
        """The action ``get_counters``. Collections: none.

        Gives the keys with their values.

        Args:
            keys: only these; all when it is missing
        """
        call = self.start.get_counters(keys=keys, timeout_ms=timeout_ms)
        return call.result(timeout)

    def get_push_preference(self, *, timeout_ms: int | None = None, timeout: float | None = None) -> PushPreference:
        """The action ``get_push_preference``. Collections: none.

        Gives ``push_trigger_option``, ``push_sound``.
        """
        call = self.start.get_push_preference(timeout_ms=timeout_ms)
        return call.result(timeout)

    def set_push_preference(
        self,
        push_trigger_option: Literal["default", "all", "mention_only", "off"],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> PushPreference:
        """The action ``set_push_preference``. Collections: ``update`` of the channel, ``event_channel_changed``.

        Gives ``push_trigger_option``, ``push_sound``.

        Args:
            push_trigger_option: of which messages this user's devices are told
        """
        call = self.start.set_push_preference(push_trigger_option, timeout_ms=timeout_ms)
        return call.result(timeout)

    def set_count_preference(
        self,
        count_preference: Literal["all", "unread_message_count_only", "unread_mention_count_only", "off"],
        *,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> CountPreference:
        """The action ``set_count_preference``. Collections: ``update`` of the channel, ``event_channel_changed``.

        Gives ``count_preference``.

        Args:
            count_preference: what is counted for this user
        """
        call = self.start.set_count_preference(count_preference, timeout_ms=timeout_ms)
        return call.result(timeout)

    def report_channel(
        self,
        category: Literal["suspicious", "harassing", "spam", "inappropriate"],
        *,
        user_id: str | None = None,
        description: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Report:
        """The action ``report_channel``. Collections: none: moderators see it.

        Gives ``report_type``, ``report_category``, ``report_description``, ``created_at`` and what was reported.

        Args:
            category: what is wrong
            user_id: who is to blame
            description: in the user's words
        """
        call = self.start.report_channel(category, user_id=user_id, description=description, timeout_ms=timeout_ms)
        return call.result(timeout)

    def report_message(
        self,
        message_id: Message | MessageId,
        category: Literal["suspicious", "harassing", "spam", "inappropriate"],
        *,
        user_id: str | None = None,
        description: str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> Report:
        """The action ``report_message``. Collections: none: moderators see it.

        Gives ``report_type``, ``report_category``, ``report_description``, ``created_at`` and what was reported.

        Args:
            message_id: the message
            category: what is wrong
            user_id: who sent it
            description: in the user's words
        """
        call = self.start.report_message(
            message_id, category, user_id=user_id, description=description, timeout_ms=timeout_ms
        )
        return call.result(timeout)

    def set_draft(
        self,
        *,
        parent_message_id: int | str | None = None,
        message: str | None = None,
        data: str | None = None,
        reply_to: int | str | None = None,
        timeout_ms: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """The action ``set_draft``. Collections: the channel is told again, ``draft_changed``: its ``draft``, or
        ``thread_drafts``, has these keys and ``updated_at`` (ms since the epoch); an empty text alone is no draft.
        It is on the disk within a second, however often it is set. It goes with the message that is sent there with
        a text, with the channel, and with the user who signs out. TOO_LARGE: over 65,536 bytes of JSON, or all
        drafts over 1,048,576 bytes or 1,000.

        Args:
            parent_message_id: the message that a thread answers: the draft is the thread's
            message: what the user has written; missing or null: there is no draft any more
            data: what the host wants to have with it
            reply_to: the message that it is to answer in the channel
        """
        call = self.start.set_draft(
            parent_message_id=parent_message_id, message=message, data=data, reply_to=reply_to, timeout_ms=timeout_ms
        )
        return call.result(timeout)


class BlockingCollectionActions:
    """The actions on a collection; each waits for its end. Since 0.1."""

    @property
    def start(self) -> CollectionActions:
        """The same calls without waiting: each gives a ``Call``."""
        raise NotImplementedError

    def set_limit(self, limit: int, *, timeout_ms: int | None = None, timeout: float | None = None) -> None:
        """The action ``set_limit``. Collections: each further fetch of that collection brings so many, in either
        direction. NOT_FOUND when there is no such collection.

        Args:
            limit: 1 to 200 messages, or 1 to 100 channels
        """
        call = self.start.set_limit(limit, timeout_ms=timeout_ms)
        return call.result(timeout)
