"""Millions of messages without syncing them: a cache of one channel that a program filled by itself is copied, by SQL
and in the program's own schema, into as many channels as wanted.

What a column means is told by its name (channel, url, json) or by its values: where all are ids of messages, it is one.
"""

import shutil
import sqlite3

import canned

STRIDE = 100_000_000  # between the message ids of one channel and the next
BATCH = 100  # channels in one transaction


def check_room(folder, size):
    """`size` is the messages' JSON; there will be the library's file and the C program's, and something to spare."""
    wanted, free = int(size * 4), shutil.disk_usage(folder).free
    if free < wanted:
        raise RuntimeError(f"needs {wanted / 1e9:.0f} GB of disk for its caches, {free / 1e9:.0f} GB are free")


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def columns_of(db, table):
    """(name, whether it is a number, whether it is the table's local key) of each column."""
    columns = db.execute("SELECT name, type, pk FROM pragma_table_info(?)", (table,)).fetchall()
    keys = [name for name, _, pk in columns if pk]
    return [(name, "INT" in kind.upper(), keys == [name] and kind.upper() == "INTEGER") for name, kind, _ in columns]


def copier(db, table, columns, first_key):
    """Keeps the first channel's rows of a table aside; gives the INSERT that copies them as those of channel :number,
    or None where a table has nothing of a channel."""
    numeric = {name: is_number for name, is_number, _ in columns}
    if "channel" in numeric:
        where, value = "channel", first_key if numeric["channel"] else canned.CHANNEL
    elif "url" in numeric:
        where, value = "url", canned.CHANNEL
    else:
        return None
    kept = quoted(f"first {table}")
    db.execute(f"CREATE TEMP TABLE {kept} AS SELECT * FROM main.{quoted(table)} WHERE {where} = ?", (value,))
    values = []
    for name, is_number, is_local_key in columns:
        column = quoted(name)
        known = f"CAST({column} AS INTEGER) IN (SELECT id FROM temp.ids)"
        is_id = db.execute(f"SELECT count(*) = sum({known}) FROM temp.{kept}").fetchone()[0]
        moved = f"CAST({column} AS INTEGER) + :number * {STRIDE}"
        if name == "channel":
            values.append(":key" if is_number else ":url")
        elif name == "url":
            values.append(":url")
        elif is_id:
            values.append(moved if is_number else f"CAST({moved} AS TEXT)")
        elif is_local_key:
            values.append(":key" if "url" in numeric else "NULL")
        elif name == "json" and "id" in numeric:
            own = f"replace(json, '\"message_id\":' || id, '\"message_id\":' || (id + :number * {STRIDE}))"
            values.append(f"replace({own}, '\"{canned.CHANNEL}\"', '\"' || :url || '\"')")
        elif name == "json":
            values.append(f"replace(json, '\"{canned.CHANNEL}\"', '\"' || :url || '\"')")
        else:
            values.append(column)
    names = ", ".join(quoted(name) for name in numeric)
    return f"INSERT INTO main.{quoted(table)} ({names}) SELECT {', '.join(values)} FROM temp.{kept}"


def multiply(path, channels):
    """Makes `channels` channels of the one that is in the file, which is no longer open elsewhere."""
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;"
                     "PRAGMA temp_store = MEMORY;"
                     "CREATE TEMP TABLE ids AS SELECT CAST(id AS INTEGER) AS id FROM message")
    db.execute("CREATE INDEX temp.ids_by_id ON ids (id)")
    before = db.execute("SELECT count(*) FROM message").fetchone()[0]
    tables = {name: columns_of(db, name) for (name,) in db.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*'"
    ).fetchall()}
    first_key = 1
    for table, columns in tables.items():
        key = [name for name, _, is_local_key in columns if is_local_key]
        if key and "url" in [name for name, _, _ in columns]:
            first_key = db.execute(
                f"SELECT {quoted(key[0])} FROM {quoted(table)} WHERE url = ?", (canned.CHANNEL,)).fetchone()[0]
    # The row that a channel's number stands in comes before what refers to it.
    inserts = [insert for table in sorted(tables, key=lambda name: not name.startswith("channel"))
               if (insert := copier(db, table, tables[table], first_key))]
    for start in range(1, channels, BATCH):
        db.execute("BEGIN")
        for number in range(start, min(start + BATCH, channels)):
            values = {"number": number, "key": first_key + number, "url": f"{canned.CHANNEL}-{number:05}"}
            for insert in inserts:
                db.execute(insert, values)
        db.execute("COMMIT")
    after = db.execute("SELECT count(*) FROM message").fetchone()[0]
    db.execute("PRAGMA journal_mode = WAL")
    db.close()
    if after != before * channels:
        raise RuntimeError(f"{after} messages where {before * channels} were to be")
