"""What events tell beside their source: objects told apart by their member ``event`` (docs/events.md).

    for detail in change.detail:
        if detail["event"] == "event_user_joined":
            print(*[user["user_id"] for user in detail["users"]], "came")

Each is a plain dict as the library told it, and not to be modified. Message ids are texts here, as in ``changes``. A
member that the service did not send is missing; later versions may add members, and objects with other ``event``.
Since 0.1.
"""

from __future__ import annotations

from typing import Literal, TypedDict, Union

from .documents import ThreadInfo, User


class PlainDetail(TypedDict):
    """Something happened to the channel, without further facts. Since 0.1."""

    event: Literal[
        "event_channel_changed",
        "event_channel_deleted",
        "event_channel_unhidden",
        "event_channel_frozen",
        "event_channel_unfrozen",
    ]


class _Mention(TypedDict):
    event: Literal["event_mention"]
    message_id: str


class MentionDetail(_Mention, total=False):
    """A message that arrived mentions the connected user. Since 0.1."""

    user: User  #: who mentioned


class ReactionDetail(TypedDict):
    """A reaction was added to a message, or taken back. Since 0.1."""

    event: Literal["event_reaction_updated"]
    message_id: str
    key: str
    user: User
    is_added: bool  #: False: taken back


class _Thread(TypedDict):
    event: Literal["event_thread_info_updated"]
    message_id: str  #: of the parent


class ThreadDetail(_Thread, total=False):
    """The thread of a message changed. Since 0.1."""

    thread_info: ThreadInfo  #: as the service has it now


class PollDetail(TypedDict):
    """The poll in a message was changed, closed or removed, or its options were. Since 0.1."""

    event: Literal["event_poll_updated"]
    message_id: str
    poll_id: str


class VoteDetail(TypedDict):
    """Somebody voted in the poll of a message. Since 0.1."""

    event: Literal["event_poll_voted"]
    message_id: str
    poll_id: str
    is_own: bool  #: the connected user, here or on another device


class PollChangelogDetail(TypedDict):
    """Something was missed of the poll in a message while away. Since 0.1."""

    event: Literal["event_poll_changelog"]
    message_id: str
    poll_id: str


class _Hidden(TypedDict):
    event: Literal["event_channel_hidden"]
    allow_auto_unhide: bool


class HiddenDetail(_Hidden, total=False):
    """The channel was hidden. Since 0.1."""

    history_offset: int  #: ms since the epoch: this user does not see older messages; missing: none were hidden


class _MemberCount(TypedDict):
    event: Literal["event_channel_member_count_changed"]


class MemberCountDetail(_MemberCount, total=False):
    """How many members the channel has. Since 0.1."""

    member_count: int
    joined_member_count: int


class _Joined(TypedDict):
    event: Literal["event_user_joined"]
    users: list[User]


class JoinedDetail(_Joined, total=False):
    """Users joined the channel, or accepted an invitation. Since 0.1."""

    joined_at: int  #: ms since the epoch


class LeftDetail(TypedDict):
    """Users left the channel. Since 0.1."""

    event: Literal["event_user_left"]
    users: list[User]


class _Invited(TypedDict):
    event: Literal["event_user_received_invitation"]
    invitees: list[User]


class InvitedDetail(_Invited, total=False):
    """Users were invited. Since 0.1."""

    inviter: User
    invited_at: int  #: ms since the epoch


class _Declined(TypedDict):
    event: Literal["event_user_declined_invitation"]


class DeclinedDetail(_Declined, total=False):
    """An invitation was declined. Since 0.1."""

    inviter: User
    invitee: User


class _Restricted(TypedDict):
    event: Literal["event_user_muted", "event_user_banned"]


class RestrictedDetail(_Restricted, total=False):
    """A user was muted or banned. Since 0.1."""

    user: User
    description: str
    end_at: int  #: ms since the epoch; -1: never


class _Released(TypedDict):
    event: Literal["event_user_unmuted", "event_user_unbanned"]


class ReleasedDetail(_Released, total=False):
    """The end of a mute or a ban. Since 0.1."""

    user: User


class _Operators(TypedDict):
    event: Literal["event_operator_updated"]


class OperatorsDetail(_Operators, total=False):
    """Who runs the channel changed. Since 0.1."""

    operators: list[User]  #: all of them, as they are now
    my_role: Literal["operator", "none"]  #: instead of the others, for the user whose role changed


class ReadDetail(TypedDict):
    """A member read, or marked as unread: the connected user with ``current_user``, else another one. Since 0.1."""

    event: Literal[
        "event_user_marked_read",
        "event_user_marked_unread",
        "event_current_user_marked_read",
        "event_current_user_marked_unread",
    ]
    user: User
    read_at: int  #: ms since the epoch: everything up to it has been read


class DeliveredDetail(TypedDict):
    """Messages reached members. Since 0.1."""

    event: Literal["event_delivery_status_updated"]
    delivered_at: dict[str, int]  #: by user ids, in ms since the epoch


class TypingDetail(TypedDict):
    """A member began or ended typing. Since 0.1."""

    event: Literal["event_typing_status_updated"]
    user: User
    is_typing: bool


class MetadataDetail(TypedDict):
    """Keys of the channel's metadata have new values. Since 0.1."""

    event: Literal["event_meta_data_created", "event_meta_data_updated"]
    values: dict[str, str]


class CountersDetail(TypedDict):
    """Counters of the channel have new values. Since 0.1."""

    event: Literal["event_meta_counter_created", "event_meta_counter_updated"]
    values: dict[str, int]


class KeysDetail(TypedDict):
    """Keys of the channel's metadata or counters are gone. Since 0.1."""

    event: Literal["event_meta_data_deleted", "event_meta_counter_deleted"]
    keys: list[str]


class PinnedDetail(TypedDict):
    """Messages were pinned or unpinned. Since 0.1."""

    event: Literal["event_pinned_message_updated"]
    pinned_message_ids: list[str]  #: all that are pinned now


#: What happened in particular; ``event`` says which it is.
Detail = Union[
    PlainDetail,
    MentionDetail,
    ReactionDetail,
    ThreadDetail,
    PollDetail,
    VoteDetail,
    PollChangelogDetail,
    HiddenDetail,
    MemberCountDetail,
    JoinedDetail,
    LeftDetail,
    InvitedDetail,
    DeclinedDetail,
    RestrictedDetail,
    ReleasedDetail,
    OperatorsDetail,
    ReadDetail,
    DeliveredDetail,
    TypingDetail,
    MetadataDetail,
    CountersDetail,
    KeysDetail,
    PinnedDetail,
]
