/// The cache's migrations. A number never changes its meaning; docs/schema.sql shows the outcome.
enum CacheSchema {
    static let migrations = [
        """
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
        """,
        """
        CREATE INDEX channel_by_name ON channel (name, url);
        """,
    ]
}
