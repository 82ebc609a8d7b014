/// The cache's schema; docs/schema.sql explains it.
enum CacheSchema {
    /// A new file gets all of it at once.
    static let whole = """
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
        """

    /// A file of an earlier version gets those that it lacks. One never changes once it is released.
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
        // Local keys, ids as text, positions, edges with tokens, checksums. checksum_of_json is a function of this
        // library; it fails for a text that is not JSON.
        """
        DROP INDEX channel_by_latest;
        DROP INDEX channel_by_creation;
        DROP INDEX channel_by_name;
        ALTER TABLE channel RENAME TO channel_2;
        CREATE TABLE channel (
            key INTEGER PRIMARY KEY,
            url TEXT NOT NULL UNIQUE,
            is_cached INTEGER NOT NULL DEFAULT 0,
            name TEXT NOT NULL DEFAULT '',
            has_last_message INTEGER NOT NULL DEFAULT 0,
            latest_at INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL DEFAULT 0,
            checksum INTEGER NOT NULL DEFAULT 0,
            json TEXT NOT NULL DEFAULT ''
        ) STRICT;
        INSERT INTO channel (key, url) SELECT key, url FROM channel_key;
        INSERT INTO channel (url, is_cached, name, has_last_message, latest_at, created_at, checksum, json)
            SELECT url, 1, name, has_last_message, latest_at, created_at, checksum_of_json(json), json
            FROM channel_2 WHERE true
            ON CONFLICT (url) DO UPDATE SET is_cached = 1, name = excluded.name,
                has_last_message = excluded.has_last_message, latest_at = excluded.latest_at,
                created_at = excluded.created_at, checksum = excluded.checksum, json = excluded.json;
        CREATE INDEX channel_by_latest ON channel (has_last_message DESC, latest_at DESC, url) WHERE is_cached = 1;
        CREATE INDEX channel_by_creation ON channel (created_at DESC, url) WHERE is_cached = 1;
        CREATE INDEX channel_by_name ON channel (name, url) WHERE is_cached = 1;
        DROP TABLE channel_2;
        DROP TABLE channel_key;

        DROP INDEX message_by_id;
        ALTER TABLE message RENAME TO message_2;
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
            json TEXT NOT NULL
        ) STRICT;
        INSERT INTO message (channel, ord, tie, id, parent_id, is_reply_to_channel, kind, custom_type, sender_id,
                updated_at, is_silent, request_id, checksum, json)
            SELECT channel, created_at, id, CAST(id AS TEXT),
                CASE parent_id WHEN 0 THEN '' ELSE CAST(parent_id AS TEXT) END, is_reply_to_channel, kind, custom_type,
                sender_id, updated_at, is_silent, request_id, checksum_of_json(json), json
            FROM message_2 ORDER BY channel, created_at, id;
        CREATE INDEX message_by_position ON message (channel, ord DESC, tie DESC);
        CREATE UNIQUE INDEX message_by_id ON message (channel, id);
        DROP TABLE message_2;

        ALTER TABLE chunk RENAME TO chunk_2;
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
            PRIMARY KEY (channel, start_ord, start_tie)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO chunk
            SELECT channel, start_created_at, start_id, '', end_created_at, end_id, '', reached_first, 0 FROM chunk_2;
        DROP TABLE chunk_2;
        """,
        // Threads have messages and chunks of their own, under their negative key.
        """
        CREATE TABLE thread (
            key INTEGER PRIMARY KEY,
            channel INTEGER NOT NULL,
            parent_id TEXT NOT NULL,
            UNIQUE (channel, parent_id)
        ) STRICT;
        CREATE INDEX message_by_parent ON message (channel, parent_id, ord) WHERE parent_id > '';
        """,
        // The last known values of places of realtime databases.
        """
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
        """,
        // The checksum also covers the place and the size. A row that was damaged gets no new checksum, so it stays
        // damaged.
        """
        UPDATE database_value SET
            size = length(CAST(json AS BLOB)),
            checksum = checksum_of_row(url, name, path, query, length(CAST(json AS BLOB)), json)
        WHERE checksum = checksum_of_text(json);
        """,
        // Checksums cover the keys and all that is read of channels, messages and chunks. A row that was damaged gets
        // no new checksum, so it stays damaged.
        """
        ALTER TABLE channel ADD COLUMN key_checksum INTEGER NOT NULL DEFAULT 0;
        UPDATE channel SET key_checksum = checksum_of_row(key, url);
        UPDATE channel SET checksum = checksum_of_row(url, name, has_last_message, latest_at, created_at, json)
        WHERE is_cached = 1 AND checksum = checksum_of_text(json);
        ALTER TABLE thread ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
        UPDATE thread SET checksum = checksum_of_row(key, channel, parent_id);
        ALTER TABLE message ADD COLUMN fields_checksum INTEGER NOT NULL DEFAULT 0;
        UPDATE message SET
            fields_checksum = checksum_of_row(
                is_reply_to_channel, kind, custom_type, sender_id, updated_at, is_silent, request_id),
            checksum = checksum_of_row(channel, ord, tie, id, parent_id, json)
        WHERE checksum = checksum_of_text(json);
        ALTER TABLE chunk ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
        UPDATE chunk SET checksum = checksum_of_row(channel, start_ord, start_tie, start_token, end_ord, end_tie,
            end_token, reached_first, is_open_ended);
        """,
        // Checksums cover cursors and flags, too.
        """
        ALTER TABLE meta ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
        UPDATE meta SET checksum = checksum_of_row(key, value);
        """,
        // How much room the messages of each channel take; and a table of relations.
        """
        ALTER TABLE channel ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channel ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channel ADD COLUMN used_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE channel ADD COLUMN usage_checksum INTEGER NOT NULL DEFAULT 0;
        UPDATE channel SET messages = counted.messages, bytes = counted.bytes FROM (
            SELECT CASE WHEN message.channel > 0 THEN message.channel ELSE thread.channel END AS channel,
                count(*) AS messages, sum(length(CAST(json AS BLOB)) + 176) AS bytes
            FROM message LEFT JOIN thread ON thread.key = -message.channel GROUP BY 1
        ) AS counted WHERE key = counted.channel;
        UPDATE channel SET usage_checksum = checksum_of_row(key, messages, bytes, used_at);

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
        """,
        // Messages that `notify` tells the host, and up to where each channel was searched for them.
        """
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
        """,
    ]
}
