/// The schema of the intents; docs/schema.sql explains it.
enum IntentSchema {
    /// A new file gets all of it at once.
    static let whole = """
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
        """

    /// A file of an earlier version gets those that it lacks. One never changes once it is released.
    static let migrations = [
        """
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
        """,
        // Checksums. The index by channel is removed, since no query uses it any more.
        """
        DROP INDEX intent_by_channel;
        ALTER TABLE intent ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
        UPDATE intent SET checksum = checksum_of_json(body);
        """,
        // Writes to realtime databases.
        """
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
        """,
        // Checksums cover all columns; a row that was damaged gets no new checksum, so it stays damaged. New tables
        // keep damaged rows: their columns have any type, since the type of a value may be what is damaged.
        """
        UPDATE intent SET checksum = checksum_of_row(
            channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, body)
        WHERE checksum = checksum_of_text(body);
        UPDATE database_write SET checksum = checksum_of_row(url, name, id, path, kind, body)
        WHERE checksum = checksum_of_text(body);
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
            body ANY
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
        """,
        // Values that a service keeps for its next session.
        """
        CREATE TABLE kept (
            name TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL,
            checksum INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """,
        // The service's id of a message that it has accepted; the checksum also covers `id`, the order of writing.
        """
        ALTER TABLE intent ADD COLUMN message_id TEXT NOT NULL DEFAULT '';
        ALTER TABLE damaged_intent ADD COLUMN message_id ANY;
        UPDATE intent SET checksum = checksum_of_row(
            id, channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, body, message_id)
        WHERE checksum = checksum_of_row(
            channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, body);
        """,
        // Drafts: what the user has written and not sent.
        """
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
        """,
    ]
}
