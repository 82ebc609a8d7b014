"""The checksums of all rows made right again: for files that are well formed and hostile."""

from __future__ import annotations

import sqlite3

from row_checksum import of_row

#: Of each table, the columns of each of its checksums.
COVERED = {
    "meta": {"checksum": "key, value"},
    "channel": {"key_checksum": "key, url", "usage_checksum": "key, messages, bytes, used_at",
                "checksum": "url, name, has_last_message, latest_at, created_at, json"},
    "thread": {"checksum": "key, channel, parent_id"},
    "message": {"checksum": "channel, ord, tie, id, parent_id, json",
                "fields_checksum": "is_reply_to_channel, kind, custom_type, sender_id, updated_at, is_silent, "
                                   "request_id"},
    "chunk": {"checksum": "channel, start_ord, start_tie, start_token, end_ord, end_tie, end_token, reached_first, "
                          "is_open_ended"},
    "database_value": {"checksum": "url, name, path, query, size, json"},
    "intent": {"checksum": "id, channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, "
                           "body, message_id"},
    "database_write": {"checksum": "url, name, id, path, kind, body"},
    "draft": {"checksum": "channel_url, parent_id, updated_at, body"},
}


def change(path, *statements: str) -> int:
    """Changes a file and makes all checksums right again; gives how many rows the statements changed."""
    database = sqlite3.connect(path)
    database.create_function("checksum_of_row", -1, of_row, deterministic=True)
    changed = sum(database.execute(statement).rowcount for statement in statements)
    there = {row[0] for row in database.execute("SELECT name FROM sqlite_schema")}
    for table in COVERED.keys() & there:
        sums = ", ".join(f"{name} = checksum_of_row({columns})" for name, columns in COVERED[table].items())
        database.execute(f"UPDATE {table} SET {sums}")
    if "channel" in there:
        database.execute("UPDATE channel SET checksum = 0 WHERE is_cached = 0")
    database.commit()
    database.close()
    return changed
