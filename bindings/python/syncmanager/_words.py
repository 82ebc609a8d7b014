"""The words that events tell."""

from __future__ import annotations

from typing import Literal

ListName = Literal["channels", "succeeded", "pending", "failed", "results"]
Action = Literal["insert", "update", "move", "remove", "clear"]
#: Why a list changed.
Source = Literal[
    "cache",
    "sync",
    "message_fill",
    "message_changelog",
    "channel_changelog",
    "channel_refresh",
    "capacity",
    "overflow",
    "viewpoint_reset",
    "cache_cleared",
    "local_message_pending_created",
    "local_message_failed",
    "local_message_canceled",
    "local_message_resend_started",
    "local_action",
    "draft_changed",
    "event_message_received",
    "event_message_sent",
    "event_message_updated",
    "event_message_deleted",
    "event_reaction_updated",
    "event_thread_info_updated",
    "event_poll_updated",
    "event_poll_voted",
    "event_poll_changelog",
    "event_mention",
    "event_channel_created",
    "event_channel_changed",
    "event_channel_deleted",
    "event_channel_hidden",
    "event_channel_unhidden",
    "event_channel_reset_history",
    "event_channel_frozen",
    "event_channel_unfrozen",
    "event_channel_member_count_changed",
    "event_user_muted",
    "event_user_unmuted",
    "event_user_banned",
    "event_user_unbanned",
    "event_user_joined",
    "event_user_left",
    "event_user_received_invitation",
    "event_user_declined_invitation",
    "event_operator_updated",
    "event_user_marked_read",
    "event_user_marked_unread",
    "event_current_user_marked_read",
    "event_current_user_marked_unread",
    "event_delivery_status_updated",
    "event_typing_status_updated",
    "event_meta_data_created",
    "event_meta_data_updated",
    "event_meta_data_deleted",
    "event_meta_counter_created",
    "event_meta_counter_updated",
    "event_meta_counter_deleted",
    "event_pinned_message_updated",
]
#: Why the list ``failed`` changed.
FailedReason = Literal[
    "none",
    "update_resend_failed",
    "remove_resend_succeeded",
    "remove_retention_expired",
    "remove_exceeded_max_count",
    "remove_manual_action",
    "remove_unknown",
]
ConnectionName = Literal["disconnected", "connecting", "connected", "waiting", "token_needed"]
SyncName = Literal["idle", "running", "paused"]
Short = Literal["offline", "paused", "error", "reset", "indexing"]
