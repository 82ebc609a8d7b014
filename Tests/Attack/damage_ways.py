"""Ways to damage an SQLite file: single values of any type, its schema, its bytes, its log."""

import os
import sqlite3
import struct

VALUES = [0, 1, -1, 2, 2**31, -2**31, 2**53, 2**63 - 1, -2**63, 1.5, float("inf"), -1e300, "", "0", "x", "9" * 30,
          "\x00", "{}", "[]", "null", "{\"a\":", "x" * 70000, None, b"", b"\xff\xfe\x00", "ü", "a/b", "-1",
          "[" * 5000, '{"message_id":1}', "{\"message\":1e999}"]


def tables(path):
    """Columns by table, those of the full-text index too, which lies in several tables. A virtual table has none."""
    database = sqlite3.connect(path)
    names = [row[0] for row in database.execute(
        "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'"
        " AND sql NOT LIKE 'CREATE VIRTUAL TABLE%'")]
    made = {name: [row[1] for row in database.execute(f'PRAGMA table_info("{name}")')] for name in names}
    database.close()
    return made


def loosen(database, table):
    """Lets a table take values of any type; what puts its schema back."""
    old = database.execute("SELECT sql FROM sqlite_schema WHERE name=?", (table,)).fetchone()[0]
    database.execute("PRAGMA writable_schema=1")
    loose = old.replace(" STRICT", "").replace(") ,", ")").replace("),", ")") if "STRICT, " not in old else old.replace(
        "STRICT, ", "")
    for word in (" NOT NULL", " UNIQUE"):
        loose = loose.replace(word, "") if word == " NOT NULL" else loose
    database.execute("UPDATE sqlite_schema SET sql=? WHERE name=?", (loose, table))
    database.commit()
    return old


def restore(path, table, old):
    database = sqlite3.connect(path)
    database.execute("PRAGMA writable_schema=1")
    database.execute("UPDATE sqlite_schema SET sql=? WHERE name=?", (old, table))
    database.commit()
    database.close()


def value(path, table, column, choice):
    """Another value in one column, of one row or of all."""
    new = choice.choice(VALUES)
    database = sqlite3.connect(path)
    old = loosen(database, table)
    database.close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA ignore_check_constraints=1")
    where = choice.choice(["", f" WHERE \"{column}\" IN "
                               f"(SELECT \"{column}\" FROM \"{table}\" ORDER BY random() LIMIT 1)"])
    count = f'SELECT count(*) FROM "{table}"'
    changed, before = 0, database.execute(count).fetchone()[0]
    try:
        changed = database.execute(f'UPDATE OR REPLACE "{table}" SET "{column}"=?{where}', (new,)).rowcount
        database.commit()
    except sqlite3.Error:
        database.rollback()
    gone = before - database.execute(count).fetchone()[0]
    database.close()
    restore(path, table, old)
    # The row that had the value is deleted; who reads the file cannot know that there was one.
    deletes = f"DELETE of {gone} rows by " if gone else ""
    return f"{deletes}{table}.{column} = {str(new)[:40]!r} ({type(new).__name__}) in {changed} rows"


def nudge(path, table, column, choice):
    """A number a little otherwise, or a text with one letter changed."""
    words = choice.choice([f'"{column}"+1', f'"{column}"-1', f"-\"{column}\"", f'"{column}"*2', f"'x'||\"{column}\"",
                           f'substr("{column}", 2)'])
    database = sqlite3.connect(path)
    changed = 0
    try:
        changed = database.execute(f'UPDATE OR IGNORE "{table}" SET "{column}"={words}').rowcount
        database.commit()
    except sqlite3.Error:
        database.rollback()
    database.close()
    return f"{table}.{column} = {words} in {changed} rows"


def rows(path, table, column, choice):
    """Rows doubled, or gone."""
    database = sqlite3.connect(path)
    words = choice.choice([f'DELETE FROM "{table}" WHERE random() % 2 = 0', f'DELETE FROM "{table}"'])
    database.execute(words)
    database.commit()
    database.close()
    return words


def schema(path, table, column, choice):
    """A table gone or of another form, an index gone, another version."""
    database = sqlite3.connect(path)
    indexes = [row[0] for row in database.execute(
        "SELECT name FROM sqlite_schema WHERE type='index' AND sql IS NOT NULL AND tbl_name=?", (table,))]
    words = choice.choice(
        [f'DROP TABLE "{table}"', f'ALTER TABLE "{table}" RENAME TO other',
         f'ALTER TABLE "{table}" ADD COLUMN extra INTEGER',
         f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO other',
         f'CREATE TRIGGER t AFTER INSERT ON "{table}" BEGIN DELETE FROM "{table}"; END',
         f'PRAGMA user_version={choice.choice([0, 1, 2, 3, 5, 99, 2**31 - 1, -1])}']
        + [f'DROP INDEX "{name}"' for name in indexes])
    try:
        database.execute(words)
        database.commit()
    except sqlite3.Error as error:
        words += f" ({error})"
    database.close()
    return words


def patch(path, place, data):
    with open(path, "r+b") as file:
        file.seek(place)
        file.write(data)


def flip(path, table, column, choice):
    size = os.path.getsize(path)
    count = choice.choice([1, 1, 3, 50])
    with open(path, "r+b") as file:
        for _ in range(count):
            place = choice.randrange(size)
            file.seek(place)
            old = file.read(1)[0]
            file.seek(place)
            file.write(bytes([old ^ (1 << choice.randrange(8))]))
    return f"{count} bits flipped"


def page(path, table, column, choice):
    size = os.path.getsize(path)
    length = struct.unpack(">H", open(path, "rb").read(18)[16:18])[0] or 4096
    number = choice.randrange(max(1, size // length))
    data = choice.choice([b"\x00" * length, b"\xff" * length, os.urandom(length)])
    patch(path, number * length, data)
    return f"page {number} of {length} bytes overwritten"


def cut(path, table, column, choice):
    size = os.path.getsize(path)
    left = choice.choice([0, 1, 16, 99, 100, 512, size // 2, size - 1, choice.randrange(size)])
    os.truncate(path, left)
    return f"truncated to {left} of {size}"


def header(path, table, column, choice):
    place = choice.randrange(100)
    patch(path, place, os.urandom(choice.choice([1, 4])))
    return f"header changed at {place}"


def log(path, table, column, choice):
    """The log is garbage, or belongs to nothing."""
    head = choice.choice([b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83", b"abcd", b""])
    data = head + os.urandom(choice.choice([0, 20, 28, 4000, 40000]))
    with open(str(path) + "-wal", "wb") as file:
        file.write(data)
    if choice.random() < 0.5:
        with open(str(path) + "-shm", "wb") as file:
            file.write(os.urandom(choice.choice([0, 10, 32768])))
    return f"log of {len(data)} bytes, beginning {head!r}"


def foreign(path, table, column, choice):
    """Something else in its place."""
    os.unlink(path)
    way = choice.choice(["directory", "text", "dangling link", "nothing", "fifo"])
    if way == "directory":
        os.mkdir(path)
    elif way == "text":
        path.write_text("this is not a database\n" * 1000)
    elif way == "dangling link":
        path.symlink_to("/nonexistent/file")
    elif way == "fifo":
        os.mkfifo(path)
    return "replaced by " + way


SQL = [value, value, value, value, nudge, rows, schema]
BYTES = [flip, flip, page, page, cut, header, log, foreign]
