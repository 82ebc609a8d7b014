"""The documents that go in and out, typed. Channels and messages are the service's objects: plain dicts, whose other
members are there, too."""

from __future__ import annotations

from os import PathLike
from typing import Any, Literal, TypedDict, Union

#: Newest point of a channel, as a viewpoint.
LATEST = 2**63 - 1

Direction = Literal["previous", "next"]
ChannelOrder = Literal[
    "latest_last_message", "chronological", "channel_name_alphabetical", "metadata_value_alphabetical"
]
#: A condition on rows: true, false, or an object of one operator.
Condition = Union[bool, dict[str, Any]]


#: What the service calls a message: today's has numbers. Of a message that was never sent it is 0.
MessageId = Union[int, str]


class _RequiredUser(TypedDict):
    user_id: str


class User(_RequiredUser, total=False):
    """A user, as the service tells it. Since 0.1."""

    nickname: str | None
    profile_url: str | None
    is_active: bool
    metadata: dict[str, str]


class Member(User, total=False):
    """A user as a member of a channel. Since 0.1."""

    state: str  #: "joined" or "invited"
    role: str  #: "operator" or "none"
    is_muted: bool
    muted_end_at: int  #: ms since the epoch; -1: never
    muted_description: str
    is_blocked_by_me: bool
    is_blocking_me: bool
    joined_ts: int


class _RequiredReaction(TypedDict):
    key: str


class Reaction(_RequiredReaction, total=False):
    """A reaction to a message, and the users who gave it. Since 0.1."""

    user_ids: list[str]
    updated_at: int  #: ms since the epoch


class ThreadInfo(TypedDict, total=False):
    """The replies to a message, in numbers. Since 0.1."""

    reply_count: int
    most_replies: list[User]  #: those who answered most
    last_replied_at: int  #: ms since the epoch
    updated_at: int  #: ms since the epoch


class MetaArray(TypedDict):
    """A named list of texts that belongs to a message. Since 0.1."""

    key: str
    value: list[str]


class File(TypedDict, total=False):
    """What a file message refers to. In ``files`` of a message that was sent the service says ``file_name``,
    ``file_type`` and ``file_size`` in place of ``name``, ``type`` and ``size``. Since 0.1."""

    url: str
    name: str
    type: str  #: of media, as "image/png"
    size: int  #: bytes
    file_name: str
    file_type: str
    file_size: int
    data: str
    require_auth: bool


class ParentMessageInfo(TypedDict, total=False):
    """What a reply says of its parent message. Since 0.1."""

    type: str  #: as that of a message; "DELE": it was deleted
    ts: int  #: ms since the epoch: when it was sent
    message: str
    user: User | None
    file: File
    files: list[File]
    custom_type: str


class PollOption(TypedDict, total=False):
    """An option of a poll. Since 0.1."""

    id: int
    poll_id: int
    text: str
    created_by: str
    created_at: int  #: s since the epoch
    updated_at: int  #: s since the epoch
    vote_count: int


class _RequiredPoll(TypedDict):
    id: int


class Poll(_RequiredPoll, total=False):
    """The poll of a message; only its ``id`` where ``include_poll_details`` is off. Since 0.1."""

    title: str
    status: Literal["open", "closed", "removed"]
    message_id: MessageId
    data: dict[str, Any]
    options: list[PollOption]
    voter_count: int
    voted_option_ids: list[int]  #: of the connected user
    created_by: str
    created_at: int  #: s since the epoch
    updated_at: int  #: s since the epoch
    close_at: int  #: s since the epoch; -1: never
    allow_user_suggestion: bool
    allow_multiple_votes: bool


class _RequiredMessage(TypedDict):
    message_id: MessageId  #: 0 while it was never sent
    created_at: int  #: ms since the epoch, the service's clock (pending, failed: this machine's)


class Message(_RequiredMessage, total=False):
    """A message: the service's object, or, in the lists ``pending`` and ``failed``, the given document. Since 0.1."""

    request_id: str  #: of own messages that are pending or failed
    req_id: str  #: the same, as the service echoes it
    channel_url: str
    type: str  #: "MESG", "FILE", "ADMM"
    message: str
    data: str
    custom_type: str
    updated_at: int  #: ms since the epoch, 0 if never edited
    user: User | None  #: None or missing in admin messages
    mention_type: Literal["users", "channel"]
    mentioned_users: list[User]
    mentioned_user_ids: list[str]
    parent_message_id: MessageId | None
    parent_message_info: ParentMessageInfo
    thread_info: ThreadInfo
    reactions: list[Reaction]
    sorted_metaarray: list[MetaArray]
    translations: dict[str, str]  #: by languages
    poll: Poll
    file: File
    files: list[File]  #: of a message of several files, in their order
    silent: bool
    status: Literal["pending", "sent", "failed", "canceled"]  #: of own messages in "pending" and "failed"
    error_code: int  #: of failed ones
    retry_count: int  #: of failed ones
    resendable: bool  #: of failed ones: whether sending it again may help


class _RequiredDraft(TypedDict):
    message: str
    updated_at: int  #: ms since the epoch, by this machine


class Draft(_RequiredDraft, total=False):
    """What the user has written in a channel or thread and not sent. Since 0.1."""

    parent_message_id: MessageId  #: of a thread's: the message that the thread answers
    data: str
    reply_to: MessageId  #: the message that it is to answer


class _RequiredChannel(TypedDict):
    channel_url: str


class Channel(_RequiredChannel, total=False):
    """A channel, as the service tells it. Since 0.1."""

    name: str
    cover_url: str
    data: str
    custom_type: str
    created_at: int  #: s since the epoch
    freeze: bool
    member_count: int
    joined_member_count: int
    members: list[Member]
    typing_members: list[User]  #: who types now, who began first comes first; missing when nobody does
    draft: Draft  #: what the user has written and not sent; missing when there is nothing
    thread_drafts: list[Draft]  #: the same in threads
    last_message: Message | None
    unread_message_count: int
    unread_mention_count: int
    read_receipt: dict[str, int]  #: up to when each has read, in ms since the epoch, by user ids
    delivery_receipt: dict[str, int]  #: the same of what has reached each
    ts_message_offset: int  #: ms since the epoch: this user does not see older messages
    metadata: dict[str, str]
    hidden_state: str
    is_super: bool
    is_broadcast: bool
    is_public: bool
    my_role: str


class _RequiredConfig(TypedDict):
    user_id: str


class Config(_RequiredConfig, total=False):
    """The arguments of ``SyncManager``; the header's comment of ``sm_setup`` explains them. Since 0.1."""

    #: Needed by every service but Matrix.
    app_id: str
    data_dir: str | PathLike[str]
    cache: Literal["file", "none"]
    access_token: str
    service: Literal["sendbird", "matrix"]
    api_host: str
    ws_host: str
    ca_file: str | PathLike[str]
    queue_limit: int
    message_collection_capacity: int | Literal["infinite"]
    resend_policy: Literal["automatic", "manual", "none"]
    resend_retry_count: int
    failed_retention_days: int
    max_failed_per_channel: int | Literal["infinite"]
    request_timeout_ms: int
    file_timeout_ms: int
    uploads_at_once: int
    send_by_rest: bool
    expiring_session: bool
    background_grace_ms: int
    max_cache_mb: int | Literal["infinite"]
    max_message_age_days: int | Literal["infinite"]
    notify: Literal["none", "mentions", "all"]
    cache_order: Literal["last_opened", "host"]
    prefetch: PrefetchConfig
    search: bool
    encryption_key: str
    encryption_passphrase: str
    app_version: str
    database: DatabaseConfig


class PrefetchConfig(TypedDict):
    """How many channels, by last message, have how many of their newest messages cached after each login, whether a
    collection shows them or not: each 1 to 10,000. Since 0.1."""

    channels: int | Literal["all"]
    messages: int


class _RequiredDatabase(TypedDict):
    url: str


class DatabaseConfig(_RequiredDatabase, total=False):
    """The realtime database: scheme and host, its name when the host serves several, and the user's token. Since
    0.1."""

    name: str
    token: str


class ChannelQuery(TypedDict, total=False):
    """Which channels, in which order; docs/queries.md. Since 0.1."""

    limit: int
    order: ChannelOrder
    include_empty: bool
    include_frozen: bool
    include_metadata: bool
    include_member_list: bool
    include_chat_notification: bool
    channel_urls: list[str]
    custom_types: list[str]
    custom_type_starts_with: str
    channel_name_contains: str
    user_ids_exact: list[str]
    user_ids_include: list[str]
    user_ids_query_type: Literal["and", "or"]
    nickname_contains: str
    nickname_starts_with: str
    nickname_exact: str
    member_state: Literal["all", "joined_only", "invited_only", "invited_by_friend", "invited_by_non_friend"]
    super_channels: Literal["all", "super", "nonsuper", "broadcast_only", "exclusive_only"]
    public_channels: Literal["all", "public", "private"]
    unread_channels: Literal["all", "unread_message"]
    hidden_channels: Literal[
        "unhidden_only", "all", "hidden_only", "hidden_allow_auto_unhide", "hidden_prevent_auto_unhide"
    ]
    metadata_key: str
    metadata_values: list[str]
    metadata_value_starts_with: str
    metadata_order_key: str
    search_query: str
    search_fields: list[Literal["member_nickname", "channel_name"]]
    created_before: int
    created_after: int


class MessageFilter(TypedDict, total=False):
    """Which messages of a channel; docs/queries.md. Since 0.1."""

    limit: int
    own_messages: Literal["at_once", "on_fetch"]
    message_type: Literal["all", "user", "file", "admin"]
    custom_types: list[str]
    sender_ids: list[str]
    reply_type: Literal["none", "only_reply_to_channel", "all"]
    previous_limit: int
    next_limit: int
    is_inclusive: bool
    reverse: bool
    parent_message_id: MessageId
    include_reactions: bool
    include_thread_info: bool
    include_meta_array: bool
    include_parent_message_info: bool
    include_poll_details: bool


class SearchOptions(TypedDict, total=False):
    """Where to search, and in which order; docs/search.md. Since 0.1."""

    prefix: bool
    channel_urls: list[str]
    sender_ids: list[str]
    message_type: Literal["all", "user", "file", "admin"]
    custom_types: list[str]
    since: int  #: ms since the epoch, included
    until: int  #: ms since the epoch, included
    order: Literal["newest", "relevance"]
    limit: int


class SearchQuery(SearchOptions):
    """What is looked for among the cached messages. Since 0.1."""

    query: str


class SnippetMatch(TypedDict):
    """A place in the text of a snippet. Since 0.1."""

    start: int  #: bytes of UTF-8
    end: int  #: bytes of UTF-8
    utf16_start: int  #: code units of UTF-16
    utf16_end: int  #: code units of UTF-16


class Snippet(TypedDict):
    """The part of a message's text around the first match; ``snippet_spans`` gives the places as indices of ``text``.
    Since 0.1."""

    text: str
    matches: list[SnippetMatch]


class SearchResult(TypedDict):
    """A cached message that a search has found. Since 0.1."""

    channel_url: str
    message: Message
    snippet: Snippet


class MessageFields(TypedDict, total=False):
    """The keys of a message to be sent or changed, besides its text. Since 0.1."""

    data: str
    custom_type: str
    mention_type: Literal["users", "channel"]
    mentioned_user_ids: list[str]
    parent_message_id: MessageId
    reply_to_channel: bool
    sorted_metaarray: list[MetaArray]
    silent: bool
    push_option: Literal["default", "suppress"]
    pin_message: bool
    target_langs: list[str]
    poll_id: MessageId  #: of a poll that was made and not sent yet
    mentioned_message_template: str
    extended_message_payload: dict[str, Any]
    apple_critical_alert_options: CriticalAlert


class CriticalAlert(TypedDict, total=False):
    """How a message rings on a device that is silent. Since 0.1."""

    name: str  #: of the sound
    volume: float  #: 0 to 1


class ThumbnailSize(TypedDict):
    """In which size a picture of a file is to be made, in pixels. Since 0.1."""

    width: int
    height: int


class OutgoingFile(TypedDict, total=False):
    """A file of a message to be sent: ``path`` for a file of this machine, or ``url``. Since 0.1."""

    #: Absolute.
    path: str | PathLike[str]
    url: str
    #: Default: the last part of the path.
    name: str
    #: The media type; default: guessed from the name.
    type: str
    #: Bytes, of a url.
    size: int
    #: Of a path; three at most.
    thumbnail_sizes: list[ThumbnailSize]
    #: It is given only to who is logged in.
    require_auth: bool


class Section(TypedDict):
    """The title and the number of rows of a stream's section. Since 0.1."""

    title: str
    count: int


class _RequiredInfo(TypedDict):
    collection: int
    kind: Literal["channels", "messages", "search", "stream"]
    count: int


class CollectionInfo(_RequiredInfo, total=False):
    """What a collection is and how far it reaches. Since 0.1."""

    has_next: bool
    has_previous: bool
    query: ChannelQuery | SearchQuery
    filter: MessageFilter
    channel_url: str
    pending_count: int
    failed_count: int
    viewpoint: int
    limit: int
    previous_limit: int
    next_limit: int
    channel: Channel
    #: Of streams, as what follows.
    source: Literal["transient", "channels", "messages", "database", "union", "partition"]
    loaded: bool
    sections: list[Section]
    stream: dict[str, Any]  #: what it was opened with


class ChannelSnapshot(TypedDict):
    """The channels shown after the event ``seq``. Since 0.1."""

    seq: int
    channels: list[Channel]


class MessageSnapshot(TypedDict):
    """The messages shown after the event ``seq``. Since 0.1."""

    seq: int
    succeeded: list[Message]
    pending: list[Message]
    failed: list[Message]


class SearchSnapshot(TypedDict):
    """The results shown after the event ``seq``. Since 0.1."""

    seq: int
    results: list[SearchResult]


#: Where one item of a change is: ``index``, or ``from`` and ``to`` of a move; and its id, a text.
Position = TypedDict("Position", {"index": int, "from": int, "to": int, "id": str}, total=False)


_MovedRow = TypedDict("_MovedRow", {"from": list[int]}, total=False)


class _RequiredRow(TypedDict):
    path: list[int]
    key: str


class StreamRow(_MovedRow, _RequiredRow, total=False):
    """A row of a stream: ``path`` is [section, row], ``from`` that of a row that moved. Since 0.1."""

    item: Any  #: a row that was deleted has none


class EvictionCandidate(TypedDict):
    """A channel that may lose messages to make room in the cache. Since 0.1."""

    channel_url: str
    #: Milliseconds since the epoch, to an hour; 0: never.
    used_at: int
    messages: int
    #: Of the rows of its messages.
    bytes: int


class Prefetched(TypedDict):
    """How many channels ``prefetch`` is done with, of how many. Since 0.1."""

    done: int
    total: int


class Lost(TypedDict, total=False):
    """A message, a write to the database or a draft that is damaged and will not be sent. Since 0.1."""

    #: "message", with ``channel_url`` and ``request_id``; "draft", with ``channel_url`` and ``parent_message_id``
    #: (empty: the channel's own); or "database_write", with all others.
    kind: str
    channel_url: str
    request_id: str
    parent_message_id: str
    url: str
    name: str
    path: str
    #: "set", "update" or "count"; absent where that cannot be read.
    write: str
    id: int
