/* SQLite alone: the rows that the library made of an ingest, put once more into a file of the same schema and settings.
 * Nothing is parsed and nothing decided: what the library takes longer is its own.
 *
 * usage: alone LIBRARY_CACHE COPY PAGES COUNT PRAGMA...     prints one JSON object
 *
 * The schema is read from the library's file, the rows are held in memory before the clock starts. Messages are
 * inserted in one transaction for each 100, in the order in which the library has inserted them: by local key where the
 * table has one, else in the order of the pages. All else is one transaction at the end. */
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "start.h"

enum { PAGE = 100, MOST = 30 /* columns */ };

static void check(sqlite3 *db, int code) {
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
    fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static void run(sqlite3 *db, const char *sql) { check(db, sqlite3_exec(db, sql, NULL, NULL, NULL)); }

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    check(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    return statement;
}

/* The rows of a table and what inserts them. */
struct rows {
    char insert[4096];
    sqlite3_value **values;
    long count;
    int columns;
};

static struct rows load(sqlite3 *db, const char *table, const char *order) {
    struct rows rows = {.count = 0};
    char names[2048] = "", marks[256] = "", sql[4096];
    sqlite3_stmt *statement = prepare(db, "SELECT name FROM pragma_table_info(?)");
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    for (size_t length = 0; sqlite3_step(statement) == SQLITE_ROW && rows.columns < MOST; rows.columns++) {
        length += (size_t)snprintf(names + length, sizeof names - length, "%s\"%.60s\"", length ? ", " : "",
                                   (const char *)sqlite3_column_text(statement, 0));
        strcat(marks, *marks ? ", ?" : "?");
    }
    sqlite3_finalize(statement);
    snprintf(rows.insert, sizeof rows.insert, "INSERT INTO \"%s\" (%s) VALUES (%s)", table, names, marks);
    snprintf(sql, sizeof sql, "SELECT %s FROM \"%s\" %s", names, table, order);
    statement = prepare(db, sql);
    long room = 0;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (rows.count == room) {
            room = room ? room * 2 : 1024;
            rows.values = realloc(rows.values, sizeof *rows.values * (size_t)room * (size_t)rows.columns);
        }
        for (int column = 0; column < rows.columns; column++)
            rows.values[rows.count * rows.columns + column] =
                sqlite3_value_dup(sqlite3_column_value(statement, column));
        rows.count++;
    }
    check(db, code);
    sqlite3_finalize(statement);
    return rows;
}

/* The place of each message in the pages, where no local key tells it. */
static void number_pages(sqlite3 *db, const char *path, long most) {
    static const char mark[] = "\"message_id\":";
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    run(db, "CREATE TEMP TABLE place (place INTEGER PRIMARY KEY, place_id INTEGER); BEGIN");
    sqlite3_stmt *insert = prepare(db, "INSERT INTO temp.place (place_id) VALUES (?)");
    char *line = NULL;
    size_t size = 0;
    long count = 0;
    while (count < most && getline(&line, &size, file) > 0)
        for (const char *at = line; (at = strstr(at, mark)); count++) {
            at += strlen(mark);
            sqlite3_bind_int64(insert, 1, atoll(at));
            check(db, sqlite3_step(insert));
            sqlite3_reset(insert);
        }
    sqlite3_finalize(insert);
    run(db, "COMMIT");
    free(line);
    fclose(file);
}

static int has_local_key(sqlite3 *db) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, "SELECT rowid FROM message", -1, &statement, NULL);
    sqlite3_finalize(statement);
    return code == SQLITE_OK;
}

static void insert(sqlite3 *db, const struct rows *rows, long first, long last) {
    static const struct rows *prepared;
    static sqlite3_stmt *statement;
    if (prepared != rows) {
        sqlite3_finalize(statement);
        statement = prepare(db, rows->insert);
        prepared = rows;
    }
    if (first == last) return;
    for (long row = first; row < last; row++) {
        for (int column = 0; column < rows->columns; column++) {
            sqlite3_value *value = rows->values[row * rows->columns + column];
            /* Bound where it lies, as the library does. */
            if (sqlite3_value_type(value) == SQLITE_TEXT)
                sqlite3_bind_text(statement, column + 1, (const char *)sqlite3_value_text(value),
                                  sqlite3_value_bytes(value), SQLITE_STATIC);
            else
                sqlite3_bind_value(statement, column + 1, value);
        }
        check(db, sqlite3_step(statement));
        sqlite3_reset(statement);
    }
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: alone LIBRARY_CACHE COPY PAGES COUNT PRAGMA...\n");
        return 2;
    }
    sqlite3 *source = NULL, *copy = NULL;
    check(source, sqlite3_open_v2(argv[1], &source, SQLITE_OPEN_READONLY, NULL));
    static char schema[65536];
    /* The tables that SQLite makes by itself are left out, those behind virtual tables too; tables come first. */
    sqlite3_stmt *statement = prepare(source,
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"
        " AND tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')"
        " ORDER BY type NOT IN ('table'), rowid");
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *sql = (const char *)sqlite3_column_text(statement, 0);
        if (strlen(schema) + strlen(sql) + 2 > sizeof schema) return fprintf(stderr, "a long schema\n"), 1;
        strcat(strcat(schema, sql), ";");
    }
    sqlite3_finalize(statement);
    const char *order = "ORDER BY rowid";
    if (!has_local_key(source)) {
        number_pages(source, argv[3], atol(argv[4]));
        order = "JOIN temp.place ON place_id = id ORDER BY place";
    }
    struct rows messages = load(source, "message", order), others[64];
    if (messages.count != atol(argv[4])) {
        fprintf(stderr, "%ld messages are in the library's cache, %s were to be\n", messages.count, argv[4]);
        return 1;
    }
    int tables = 0;
    statement = prepare(source,
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'message'"
        " AND name NOT LIKE 'sqlite^_%' ESCAPE '^'");
    while (sqlite3_step(statement) == SQLITE_ROW && tables < 64)
        others[tables++] = load(source, (const char *)sqlite3_column_text(statement, 0), "");
    sqlite3_finalize(statement);
    sqlite3_close(source);

    double start = now();
    check(copy, sqlite3_open(argv[2], &copy));
    for (int index = 5; index < argc; index++) run(copy, argv[index]);
    run(copy, schema);
    sqlite3_stmt *begin = prepare(copy, "BEGIN IMMEDIATE"), *commit = prepare(copy, "COMMIT");
    for (long row = 0; row < messages.count; row += PAGE) {
        check(copy, sqlite3_step(begin));
        sqlite3_reset(begin);
        insert(copy, &messages, row, row + PAGE < messages.count ? row + PAGE : messages.count);
        check(copy, sqlite3_step(commit));
        sqlite3_reset(commit);
    }
    run(copy, "BEGIN");
    for (int table = 0; table < tables; table++) insert(copy, &others[table], 0, others[table].count);
    run(copy, "COMMIT");
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_stmt *left = NULL;
    while ((left = sqlite3_next_stmt(copy, NULL))) sqlite3_finalize(left);
    check(copy, sqlite3_close(copy));
    printf("{\"messages\":%ld,\"seconds\":%.6f}\n", messages.count, now() - start);
    return 0;
}
