/// The server's tables. Times are milliseconds since the epoch; `json` columns hold text that goes out as it stands.
enum Schema {
    /// A file of version N has had the first N steps; the other steps bring it up to date.
    static let steps = [first, second, third, fourth, fifth, sixth, seventh]

    /// A new file gets all of it at once, in a third of the time; what each table is for the steps say.
    static let whole = """
        CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE users (
            user_id TEXT PRIMARY KEY, nickname TEXT NOT NULL, profile_url TEXT NOT NULL, metadata TEXT NOT NULL,
            languages TEXT NOT NULL, access_token TEXT NOT NULL, revoked_token TEXT NOT NULL DEFAULT '',
            is_active INTEGER NOT NULL DEFAULT 1, created_at INTEGER NOT NULL,
            last_seen_at INTEGER NOT NULL DEFAULT 0, auto_accept INTEGER NOT NULL DEFAULT 1,
            details TEXT NOT NULL DEFAULT '{}'
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE sessions (
            key TEXT PRIMARY KEY, user_id TEXT NOT NULL, expires_at INTEGER NOT NULL,
            is_revoked INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessions_by_user ON sessions (user_id);

        CREATE TABLE blocks (
            blocker TEXT NOT NULL, blockee TEXT NOT NULL, PRIMARY KEY (blocker, blockee)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE channels (
            id INTEGER PRIMARY KEY, url TEXT NOT NULL, name TEXT NOT NULL, cover_url TEXT NOT NULL,
            data TEXT NOT NULL, custom_type TEXT NOT NULL, created_at INTEGER NOT NULL, created_by TEXT NOT NULL,
            flags INTEGER NOT NULL, access_code TEXT NOT NULL, survival INTEGER NOT NULL DEFAULT -1,
            distinct_key TEXT NOT NULL DEFAULT '', is_deleted INTEGER NOT NULL DEFAULT 0,
            last_message_id INTEGER NOT NULL DEFAULT 0, last_message_at INTEGER NOT NULL DEFAULT 0,
            countable INTEGER NOT NULL DEFAULT 0, member_count INTEGER NOT NULL DEFAULT 0,
            joined_count INTEGER NOT NULL DEFAULT 0, pinned TEXT NOT NULL DEFAULT '[]',
            change_seq INTEGER NOT NULL DEFAULT 0, change_at INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE UNIQUE INDEX channels_by_url ON channels (url) WHERE is_deleted = 0;
        CREATE INDEX channels_by_distinct_key ON channels (distinct_key) WHERE distinct_key <> '';

        CREATE TABLE members (
            channel_id INTEGER NOT NULL, user_id TEXT NOT NULL, state INTEGER NOT NULL,
            is_operator INTEGER NOT NULL, inviter TEXT NOT NULL DEFAULT '', invited_at INTEGER NOT NULL DEFAULT 0,
            joined_at INTEGER NOT NULL DEFAULT 0, last_read INTEGER NOT NULL DEFAULT 0,
            delivered INTEGER NOT NULL DEFAULT 0, read_total INTEGER NOT NULL DEFAULT 0,
            own_unread INTEGER NOT NULL DEFAULT 0, mentions INTEGER NOT NULL DEFAULT 0,
            hidden INTEGER NOT NULL DEFAULT 0, offset INTEGER NOT NULL DEFAULT 0,
            count_preference TEXT NOT NULL DEFAULT 'all', push_trigger TEXT NOT NULL DEFAULT 'default',
            muted_until INTEGER NOT NULL DEFAULT 0, muted_at INTEGER NOT NULL DEFAULT 0,
            mute_note TEXT NOT NULL DEFAULT '', change_seq INTEGER NOT NULL DEFAULT 0,
            change_at INTEGER NOT NULL DEFAULT 0, push_sound TEXT NOT NULL DEFAULT '',
            silent_id INTEGER NOT NULL DEFAULT 0, silent_at INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (channel_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX members_by_user ON members (user_id, state);

        CREATE TABLE bans (
            channel_id INTEGER NOT NULL, user_id TEXT NOT NULL, until INTEGER NOT NULL, banned_at INTEGER NOT NULL,
            note TEXT NOT NULL, PRIMARY KEY (channel_id, user_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE metadata (
            channel_id INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (channel_id, key)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE metacounters (
            channel_id INTEGER NOT NULL, key TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (channel_id, key)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE messages (
            channel_id INTEGER NOT NULL, created_at INTEGER NOT NULL, message_id INTEGER NOT NULL,
            type TEXT NOT NULL, custom_type TEXT NOT NULL, sender TEXT NOT NULL, parent_id INTEGER NOT NULL,
            in_channel INTEGER NOT NULL, is_countable INTEGER NOT NULL, json TEXT NOT NULL, metaarray TEXT,
            reactions TEXT, thread_info TEXT, parent_info TEXT, PRIMARY KEY (channel_id, created_at, message_id)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX messages_by_id ON messages (message_id);
        CREATE INDEX messages_by_parent ON messages (parent_id, created_at, message_id) WHERE parent_id > 0;

        CREATE TABLE requests (
            channel_id INTEGER NOT NULL, user_id TEXT NOT NULL, req_id TEXT NOT NULL, message_id INTEGER NOT NULL,
            at INTEGER NOT NULL, PRIMARY KEY (channel_id, user_id, req_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE changes (
            seq INTEGER PRIMARY KEY, channel_id INTEGER NOT NULL, message_id INTEGER NOT NULL, at INTEGER NOT NULL,
            is_deleted INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX changes_by_message ON changes (channel_id, message_id);
        CREATE INDEX changes_by_channel ON changes (channel_id, seq);
        CREATE INDEX changes_by_time ON changes (channel_id, at, seq);

        CREATE TABLE removed (
            channel_id INTEGER NOT NULL, created_at INTEGER NOT NULL, message_id INTEGER NOT NULL,
            type TEXT NOT NULL, custom_type TEXT NOT NULL, sender TEXT NOT NULL, parent_id INTEGER NOT NULL,
            in_channel INTEGER NOT NULL, is_countable INTEGER NOT NULL, json TEXT NOT NULL, metaarray TEXT,
            reactions TEXT, thread_info TEXT, parent_info TEXT, PRIMARY KEY (channel_id, created_at, message_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE devices (
            type TEXT NOT NULL, token TEXT NOT NULL, user_id TEXT NOT NULL, PRIMARY KEY (type, token)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX devices_by_user ON devices (user_id, type);

        CREATE TABLE activity (
            day INTEGER NOT NULL, user_id TEXT NOT NULL, PRIMARY KEY (day, user_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE restrictions (
            user_id TEXT NOT NULL, kind TEXT NOT NULL, custom_type TEXT NOT NULL, until INTEGER NOT NULL,
            since INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (user_id, kind, custom_type)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE documents (
            kind TEXT NOT NULL, id TEXT NOT NULL, scope TEXT NOT NULL, at INTEGER NOT NULL, due INTEGER NOT NULL,
            json TEXT NOT NULL, PRIMARY KEY (kind, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX documents_by_scope ON documents (kind, scope, at);
        CREATE INDEX documents_by_due ON documents (due) WHERE due > 0;

        CREATE TABLE files (
            key TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, needs_auth INTEGER NOT NULL,
            at INTEGER NOT NULL, bytes BLOB NOT NULL, size INTEGER NOT NULL DEFAULT 0,
            is_apart INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX channels_by_survival ON channels (survival) WHERE survival >= 0;
        CREATE INDEX members_by_mute ON members (muted_until) WHERE muted_until > 0;

        CREATE TABLE votes (
            number INTEGER PRIMARY KEY, poll_id INTEGER NOT NULL, option_id INTEGER NOT NULL, user_id TEXT NOT NULL,
            UNIQUE (poll_id, option_id, user_id)
        ) STRICT;

        CREATE TABLE friends (
            user_id TEXT NOT NULL, friend TEXT NOT NULL, discovery_key TEXT NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (user_id, friend)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE discoveries (
            user_id TEXT NOT NULL, discovery_key TEXT NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (user_id, discovery_key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX discoveries_by_key ON discoveries (discovery_key);

        CREATE TABLE leaves (
            tree TEXT NOT NULL, path TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (tree, path)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO marks (name, value) VALUES ('file_bytes', 0);
        """

    private static let first = """
        -- Numbers that must not be forgotten with the rows they came from.
        CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE users (
            user_id TEXT PRIMARY KEY, nickname TEXT NOT NULL, profile_url TEXT NOT NULL, metadata TEXT NOT NULL,
            languages TEXT NOT NULL, access_token TEXT NOT NULL, revoked_token TEXT NOT NULL DEFAULT '',
            is_active INTEGER NOT NULL DEFAULT 1,
            created_at INTEGER NOT NULL, last_seen_at INTEGER NOT NULL DEFAULT 0, auto_accept INTEGER NOT NULL DEFAULT 1
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE sessions (
            key TEXT PRIMARY KEY, user_id TEXT NOT NULL, expires_at INTEGER NOT NULL,
            is_revoked INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX sessions_by_user ON sessions (user_id);

        CREATE TABLE blocks (
            blocker TEXT NOT NULL, blockee TEXT NOT NULL, PRIMARY KEY (blocker, blockee)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE channels (
            id INTEGER PRIMARY KEY, url TEXT NOT NULL, name TEXT NOT NULL, cover_url TEXT NOT NULL,
            data TEXT NOT NULL, custom_type TEXT NOT NULL, created_at INTEGER NOT NULL, created_by TEXT NOT NULL,
            flags INTEGER NOT NULL, access_code TEXT NOT NULL, survival INTEGER NOT NULL DEFAULT -1,
            distinct_key TEXT NOT NULL DEFAULT '', is_deleted INTEGER NOT NULL DEFAULT 0,
            last_message_id INTEGER NOT NULL DEFAULT 0, last_message_at INTEGER NOT NULL DEFAULT 0,
            countable INTEGER NOT NULL DEFAULT 0, member_count INTEGER NOT NULL DEFAULT 0,
            joined_count INTEGER NOT NULL DEFAULT 0, pinned TEXT NOT NULL DEFAULT '[]',
            change_seq INTEGER NOT NULL DEFAULT 0, change_at INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE UNIQUE INDEX channels_by_url ON channels (url) WHERE is_deleted = 0;
        CREATE INDEX channels_by_distinct_key ON channels (distinct_key) WHERE distinct_key <> '';

        -- state: 0 gone (kept for the changelog), 1 invited, 2 joined. hidden: 0 no, 1 unhides by itself, 2 stays.
        -- read_total is the channel's countable at the last read, own_unread the member's own messages since.
        CREATE TABLE members (
            channel_id INTEGER NOT NULL, user_id TEXT NOT NULL, state INTEGER NOT NULL, is_operator INTEGER NOT NULL,
            inviter TEXT NOT NULL DEFAULT '', invited_at INTEGER NOT NULL DEFAULT 0,
            joined_at INTEGER NOT NULL DEFAULT 0, last_read INTEGER NOT NULL DEFAULT 0,
            delivered INTEGER NOT NULL DEFAULT 0,
            read_total INTEGER NOT NULL DEFAULT 0, own_unread INTEGER NOT NULL DEFAULT 0,
            mentions INTEGER NOT NULL DEFAULT 0, hidden INTEGER NOT NULL DEFAULT 0, offset INTEGER NOT NULL DEFAULT 0,
            count_preference TEXT NOT NULL DEFAULT 'all', push_trigger TEXT NOT NULL DEFAULT 'default',
            muted_until INTEGER NOT NULL DEFAULT 0, muted_at INTEGER NOT NULL DEFAULT 0,
            mute_note TEXT NOT NULL DEFAULT '',
            change_seq INTEGER NOT NULL DEFAULT 0, change_at INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (channel_id, user_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX members_by_user ON members (user_id, state);

        CREATE TABLE bans (
            channel_id INTEGER NOT NULL, user_id TEXT NOT NULL, until INTEGER NOT NULL, banned_at INTEGER NOT NULL,
            note TEXT NOT NULL, PRIMARY KEY (channel_id, user_id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE metadata (
            channel_id INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (channel_id, key)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE metacounters (
            channel_id INTEGER NOT NULL, key TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (channel_id, key)
        ) STRICT, WITHOUT ROWID;

        -- The key is the order of a channel, so that a page is one contiguous range. json is the message in REST shape
        -- without the parts that a request may leave out; those are JSON texts of their own, NULL when there is
        -- nothing.
        CREATE TABLE messages (
            channel_id INTEGER NOT NULL, created_at INTEGER NOT NULL, message_id INTEGER NOT NULL, type TEXT NOT NULL,
            custom_type TEXT NOT NULL, sender TEXT NOT NULL, parent_id INTEGER NOT NULL, in_channel INTEGER NOT NULL,
            is_countable INTEGER NOT NULL, json TEXT NOT NULL, metaarray TEXT, reactions TEXT, thread_info TEXT,
            parent_info TEXT, PRIMARY KEY (channel_id, created_at, message_id)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX messages_by_id ON messages (message_id);
        CREATE INDEX messages_by_parent ON messages (parent_id, created_at, message_id) WHERE parent_id > 0;

        -- What was sent under which request id; outlives the message, so that a retry never sends twice.
        CREATE TABLE requests (
            channel_id INTEGER NOT NULL, user_id TEXT NOT NULL, req_id TEXT NOT NULL, message_id INTEGER NOT NULL,
            at INTEGER NOT NULL, PRIMARY KEY (channel_id, user_id, req_id)
        ) STRICT, WITHOUT ROWID;

        -- The last change of each message that was ever edited or deleted.
        CREATE TABLE changes (
            seq INTEGER PRIMARY KEY, channel_id INTEGER NOT NULL, message_id INTEGER NOT NULL, at INTEGER NOT NULL,
            is_deleted INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX changes_by_message ON changes (channel_id, message_id);
        CREATE INDEX changes_by_channel ON changes (channel_id, seq);
        CREATE INDEX changes_by_time ON changes (channel_id, at, seq);
        """

    private static let second = """
        -- What is said of a user besides: discovery keys, push settings, … (a JSON object).
        ALTER TABLE users ADD COLUMN details TEXT NOT NULL DEFAULT '{}';
        ALTER TABLE members ADD COLUMN push_sound TEXT NOT NULL DEFAULT '';

        -- Deleted messages, for lists that ask for them (including_removed).
        CREATE TABLE removed (
            channel_id INTEGER NOT NULL, created_at INTEGER NOT NULL, message_id INTEGER NOT NULL, type TEXT NOT NULL,
            custom_type TEXT NOT NULL, sender TEXT NOT NULL, parent_id INTEGER NOT NULL, in_channel INTEGER NOT NULL,
            is_countable INTEGER NOT NULL, json TEXT NOT NULL, metaarray TEXT, reactions TEXT, thread_info TEXT,
            parent_info TEXT, PRIMARY KEY (channel_id, created_at, message_id)
        ) STRICT, WITHOUT ROWID;

        -- Tokens of devices that pushes would go to.
        CREATE TABLE devices (
            type TEXT NOT NULL, token TEXT NOT NULL, user_id TEXT NOT NULL, PRIMARY KEY (type, token)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX devices_by_user ON devices (user_id, type);

        -- Who was there on which day (days since the epoch).
        CREATE TABLE activity (
            day INTEGER NOT NULL, user_id TEXT NOT NULL, PRIMARY KEY (day, user_id)
        ) STRICT, WITHOUT ROWID;

        -- Bans ('ban') and mutes ('mute') of a user in all channels of a custom type; until -1 is for ever.
        CREATE TABLE restrictions (
            user_id TEXT NOT NULL, kind TEXT NOT NULL, custom_type TEXT NOT NULL, until INTEGER NOT NULL,
            since INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (user_id, kind, custom_type)
        ) STRICT, WITHOUT ROWID;

        -- Things that are read and written as a whole: bots, announcements, scheduled messages, polls, reports, emoji
        -- sets, settings. due is when something has to happen with it (0: nothing), scope what it belongs to.
        CREATE TABLE documents (
            kind TEXT NOT NULL, id TEXT NOT NULL, scope TEXT NOT NULL, at INTEGER NOT NULL, due INTEGER NOT NULL,
            json TEXT NOT NULL, PRIMARY KEY (kind, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX documents_by_scope ON documents (kind, scope, at);
        CREATE INDEX documents_by_due ON documents (due) WHERE due > 0;

        CREATE TABLE votes (
            poll_id INTEGER NOT NULL, option_id INTEGER NOT NULL, user_id TEXT NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (poll_id, option_id, user_id)
        ) STRICT, WITHOUT ROWID;

        -- Uploaded files. The key is part of their address; needs_auth asks for a login besides.
        CREATE TABLE files (
            key TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, needs_auth INTEGER NOT NULL,
            at INTEGER NOT NULL, bytes BLOB NOT NULL
        ) STRICT;

        -- When messages of channels with a survival time go.
        CREATE INDEX channels_by_survival ON channels (survival) WHERE survival >= 0;
        """

    /// Votes are numbered in the order they came: two may come within one millisecond.
    private static let third = """
        -- Mutes that end by themselves.
        CREATE INDEX members_by_mute ON members (muted_until) WHERE muted_until > 0;

        ALTER TABLE votes RENAME TO votes_2;
        CREATE TABLE votes (
            number INTEGER PRIMARY KEY, poll_id INTEGER NOT NULL, option_id INTEGER NOT NULL, user_id TEXT NOT NULL,
            UNIQUE (poll_id, option_id, user_id)
        ) STRICT;
        INSERT INTO votes (poll_id, option_id, user_id)
            SELECT poll_id, option_id, user_id FROM votes_2 ORDER BY at, user_id, option_id;
        DROP TABLE votes_2;
        """

    private static let fourth = """
        -- Whom a user has as a friend, with what it was discovered by ('' when it was added by its id).
        CREATE TABLE friends (
            user_id TEXT NOT NULL, friend TEXT NOT NULL, discovery_key TEXT NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (user_id, friend)
        ) STRICT, WITHOUT ROWID;

        -- The address book that a user has uploaded: discovery keys and the names it gives them.
        CREATE TABLE discoveries (
            user_id TEXT NOT NULL, discovery_key TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (user_id, discovery_key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX discoveries_by_key ON discoveries (discovery_key);
        """

    private static let fifth = """
        -- The values without children of the database's trees, and priorities: see Storage+Trees.
        CREATE TABLE leaves (
            tree TEXT NOT NULL, path TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (tree, path)
        ) STRICT, WITHOUT ROWID;
        """

    private static let sixth = """
        -- The newest silent message that the member sent, which is the last one to that member alone; 0: none.
        ALTER TABLE members ADD COLUMN silent_id INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE members ADD COLUMN silent_at INTEGER NOT NULL DEFAULT 0;
        """

    private static let seventh = """
        -- is_apart: the bytes lie in the folder of files, under the key, and `bytes` has none.
        ALTER TABLE files ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE files ADD COLUMN is_apart INTEGER NOT NULL DEFAULT 0;
        UPDATE files SET size = length(bytes);
        INSERT INTO marks (name, value) SELECT 'file_bytes', coalesce(sum(size), 0) FROM files;
        """
}
