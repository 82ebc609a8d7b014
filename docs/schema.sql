-- The real schema of both files; a test compares it with what the library makes. Times are milliseconds since the epoch.

-- cache.db (user_version 10)
-- meta        cursors and flags: channels.changes, channels.token, channels.complete, messages.changes.KEY,
--             messages.polls.KEY (missing while no cached message holds a poll),
--             service.resume: from where a stream goes on; notices.since, notices.last: from when on messages are told,
--             and the last id of an event, which a sign-out leaves
-- channel     key is ours and not used again; messages are filed under it. (SQLite gives the number behind the greatest: of
--             one whose row a damaged file lost, what is left is removed.) json is the channel as hosts see it; name,
--             has_last_message, latest_at, created_at are the keys of three orders, of an index each. A row that is not
--             cached has a key and no channel: it was deleted, or only messages of it are known. messages are its rows in
--             message and those of its threads, bytes those of their JSON and of its relations, with 176 more for each
--             row; used_at is when a collection of it was opened or closed last, with the precision of an hour
-- thread      one that was shown by itself. Its messages and chunks are filed under minus its key, as those of a channel
--             under the channel's, its parent with them; what the channel's own rows hold of it stands there once more
-- message     key is ours and appended; id is the service's. ord and tie are the position, and a page is one range of
--             message_by_position. json is delivered as it stands
-- relation    what a service tells of a message by an event of its own, as an edit or a reaction, at most 1000 of a message;
--             the message may not be cached yet. name tells those of one kind and sender apart, ord which is later. json of
--             the message has them in it
-- chunk       where the cache of a channel is complete, both ends included. The tokens are the service's. An open-ended
--             chunk, the last one only, ends with the newest message of the channel, whatever end_ord and end_tie say
-- database_value  what a realtime database last told of a place, at most 1000 and 16 MiB of JSON together; what was used
--             longest ago goes first. url and name say which database, query which children. A row with an empty query
--             has dropped those within its path when it was written, so the longest path has the newest value
-- notice      a message that the host is told of ("notify") until it has acknowledged the id: at most 100 of a channel and
--             10000 of all. missed and may_be_more say what of the channel was let go before it. The channel need not be
--             cached, so it is filed by its URL
-- notice_mark up to where the messages of a channel were looked through for that, if has_position; is_wanted: there may be
--             others behind it, so the service is asked. missed and may_be_more are for the next message that is told
-- checksum    in message of channel, ord, tie, id, parent_id and json; in channel of url, name, has_last_message, latest_at,
--             created_at and json; in meta, thread and chunk of all that they have; in database_value of its place, its
--             size and json; in relation of all but key; in notice and notice_mark of all. key_checksum is of key and url: a key is looked up without the
--             JSON. usage_checksum is of key, messages, bytes and used_at: damaged counts are found again. fields_checksum is of
--             what filters look at beside the JSON, is_reply_to_channel to request_id. A row that does not match is damage
CREATE TABLE meta (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE channel (
    key INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    is_cached INTEGER NOT NULL DEFAULT 0,
    name TEXT NOT NULL DEFAULT '',
    has_last_message INTEGER NOT NULL DEFAULT 0,
    latest_at INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL DEFAULT 0,
    checksum INTEGER NOT NULL DEFAULT 0,
    json TEXT NOT NULL DEFAULT '',
    key_checksum INTEGER NOT NULL DEFAULT 0,
    messages INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    used_at INTEGER NOT NULL DEFAULT 0,
    usage_checksum INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX channel_by_latest ON channel (has_last_message DESC, latest_at DESC, url) WHERE is_cached = 1;
CREATE INDEX channel_by_creation ON channel (created_at DESC, url) WHERE is_cached = 1;
CREATE INDEX channel_by_name ON channel (name, url) WHERE is_cached = 1;

CREATE TABLE message (
    key INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    ord INTEGER NOT NULL,
    tie INTEGER NOT NULL,
    id TEXT NOT NULL,
    parent_id TEXT NOT NULL,
    is_reply_to_channel INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    custom_type TEXT NOT NULL,
    sender_id TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    is_silent INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    json TEXT NOT NULL,
    fields_checksum INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX message_by_position ON message (channel, ord DESC, tie DESC);
CREATE UNIQUE INDEX message_by_id ON message (channel, id);
CREATE INDEX message_by_parent ON message (channel, parent_id, ord) WHERE parent_id > '';

CREATE TABLE thread (
    key INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    parent_id TEXT NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0,
    UNIQUE (channel, parent_id)
) STRICT;

CREATE TABLE relation (
    key INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    id TEXT NOT NULL,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    sender_id TEXT NOT NULL,
    ord INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    json TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX relation_by_id ON relation (channel, id);
CREATE INDEX relation_by_target ON relation (channel, target, ord, id);

CREATE TABLE notice (
    id INTEGER PRIMARY KEY,
    channel_url TEXT NOT NULL,
    message_id TEXT NOT NULL,
    ord INTEGER NOT NULL,
    tie INTEGER NOT NULL,
    is_mention INTEGER NOT NULL,
    missed INTEGER NOT NULL,
    may_be_more INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    json TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX notice_by_message ON notice (channel_url, message_id);

CREATE TABLE notice_mark (
    channel_url TEXT NOT NULL PRIMARY KEY,
    has_position INTEGER NOT NULL,
    ord INTEGER NOT NULL,
    tie INTEGER NOT NULL,
    is_wanted INTEGER NOT NULL,
    missed INTEGER NOT NULL,
    may_be_more INTEGER NOT NULL,
    checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX notice_mark_wanted ON notice_mark (channel_url) WHERE is_wanted = 1;

CREATE TABLE chunk (
    channel INTEGER NOT NULL,
    start_ord INTEGER NOT NULL,
    start_tie INTEGER NOT NULL,
    start_token TEXT NOT NULL,
    end_ord INTEGER NOT NULL,
    end_tie INTEGER NOT NULL,
    end_token TEXT NOT NULL,
    reached_first INTEGER NOT NULL,
    is_open_ended INTEGER NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (channel, start_ord, start_tie)
) STRICT, WITHOUT ROWID;

CREATE TABLE database_value (
    key INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    query TEXT NOT NULL,
    used INTEGER NOT NULL,
    size INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    json TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX database_value_by_place ON database_value (url, name, path, query);
CREATE INDEX database_value_by_use ON database_value (used, size);

-- intents.db (user_version 7)
-- intent      own messages that are not the service's yet; status 0 pending, 1 failed, 2 accepted by the service under
--             message_id, which has not told their place yet
-- database_write  writes to a realtime database that it has not answered yet, sent in the order of their ids; kind 0 sets a
--             value, 1 updates paths within a place, 2 counts
-- draft       what the user has written in a channel and not sent, or in a thread of the message parent_id
-- checksum    of the row: in intent of id, channel_url, request_id, created_at, status, error_code, retry_count,
--             is_host_sent, body and message_id, in database_write of url, name, id, path, kind and body, in draft of all
--             but its key
-- damaged_intent, damaged_write, damaged_draft  rows that did not match, or had a number that no row has, as they were found: nothing
--             of them is sent. They go when the user signs out
-- kept        what the service's part wants to have at its next session, whatever becomes of the cache (a renewed token, the
--             id of this device), one row; under a checksum; goes when the user signs out
CREATE TABLE intent (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel_url TEXT NOT NULL,
    request_id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    status INTEGER NOT NULL DEFAULT 0,
    error_code INTEGER NOT NULL DEFAULT 0,
    retry_count INTEGER NOT NULL DEFAULT 0,
    is_host_sent INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL,
    checksum INTEGER NOT NULL DEFAULT 0,
    message_id TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE database_write (
    key INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    name TEXT NOT NULL,
    id INTEGER NOT NULL,
    path TEXT NOT NULL,
    kind INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX database_write_by_id ON database_write (url, name, id);

CREATE TABLE damaged_intent (
    id ANY,
    channel_url ANY,
    request_id ANY,
    created_at ANY,
    status ANY,
    error_code ANY,
    retry_count ANY,
    is_host_sent ANY,
    checksum ANY,
    body ANY,
    message_id ANY
) STRICT;

CREATE TABLE damaged_write (
    url ANY,
    name ANY,
    id ANY,
    path ANY,
    kind ANY,
    checksum ANY,
    body ANY
) STRICT;

CREATE TABLE kept (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    checksum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE draft (
    key INTEGER PRIMARY KEY,
    channel_url TEXT NOT NULL,
    parent_id TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX draft_by_place ON draft (channel_url, parent_id);

CREATE TABLE damaged_draft (
    channel_url ANY,
    parent_id ANY,
    updated_at ANY,
    checksum ANY,
    body ANY
) STRICT;
