"""The checksums of rows as SyncStore/Checksum.swift has them: for files that are well formed and hostile."""

from __future__ import annotations

import sqlite3

MASK = 2**64 - 1
SEED, FACTOR = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
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


def mixed(total: int, word: int) -> int:
    product = (total ^ word & MASK) * FACTOR & MASK
    return product ^ product >> 29


def folded(total: int) -> int:
    value = (total >> 32 ^ total) & 0xFFFFFFFF
    return value - 2**32 if value >= 2**31 else value


def of_text(text: bytes) -> int:
    lanes, at = [SEED, ~SEED & MASK, FACTOR, ~FACTOR & MASK], 0
    while len(text) - at >= 8:
        for lane in range(4 if len(text) - at >= 32 else 1):
            lanes[lane] = mixed(lanes[lane], int.from_bytes(text[at:at + 8], "little"))
            at += 8
    rest = len(text) - at
    for byte in text[at:]:
        rest = (rest << 8 | byte) & MASK
    lanes[0] = mixed(lanes[0], rest)
    total = len(text)
    for lane in lanes:
        total = mixed(total, lane)
    return folded(total)


def of_row(*columns: object) -> int:
    total = SEED
    for column in columns:
        total = mixed(total, column if isinstance(column, int) else of_text(str(column).encode()))
    return folded(total)


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
