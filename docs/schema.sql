-- The real schema of both files; a test compares it with what the library makes. Times are milliseconds since the epoch.

-- cache.db (user_version 2)
-- meta        cursors and flags: channels.changes, channels.token, channels.complete, messages.changes.KEY
-- channel     json is the channel as hosts see it; the other columns are the keys of three orders, of an index each
-- channel_key the short number under which a channel's messages are filed; never used again
-- message     a page is one range of the primary key; json is delivered as it stands
-- chunk       where the cache of a channel is complete, both ends included
CREATE TABLE meta (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE channel (
    url TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    has_last_message INTEGER NOT NULL,
    latest_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    json TEXT NOT NULL
) STRICT;
CREATE INDEX channel_by_latest ON channel (has_last_message DESC, latest_at DESC, url);
CREATE INDEX channel_by_creation ON channel (created_at DESC, url);
CREATE INDEX channel_by_name ON channel (name, url);

CREATE TABLE channel_key (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    url TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE message (
    channel INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    id INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    custom_type TEXT NOT NULL,
    sender_id TEXT NOT NULL,
    parent_id INTEGER NOT NULL,
    is_reply_to_channel INTEGER NOT NULL,
    is_silent INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (channel, created_at, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX message_by_id ON message (id);

CREATE TABLE chunk (
    channel INTEGER NOT NULL,
    start_created_at INTEGER NOT NULL,
    start_id INTEGER NOT NULL,
    end_created_at INTEGER NOT NULL,
    end_id INTEGER NOT NULL,
    reached_first INTEGER NOT NULL,
    PRIMARY KEY (channel, start_created_at, start_id)
) STRICT, WITHOUT ROWID;

-- intents.db (user_version 1)
-- intent      own messages that are not the service's yet; status 0 pending, 1 failed
CREATE TABLE intent (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel_url TEXT NOT NULL,
    request_id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    status INTEGER NOT NULL DEFAULT 0,
    error_code INTEGER NOT NULL DEFAULT 0,
    retry_count INTEGER NOT NULL DEFAULT 0,
    is_host_sent INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX intent_by_channel ON intent (channel_url, id);
