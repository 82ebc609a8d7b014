/* What a good engineer would write in an hour with jansson and SQLite: the measure for the library.
 *
 * usage: baseline ingest DB PAGES COUNT | page DB TIMES | first-page DB      Prints one JSON object. */
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check(sqlite3 *db, int code) {
    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE) return;
    fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static sqlite3 *open_database(const char *path) {
    sqlite3 *db = NULL;
    check(db, sqlite3_open(path, &db));
    check(db, sqlite3_exec(db,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, channel TEXT NOT NULL, created_at INTEGER NOT NULL,"
        " json TEXT NOT NULL);"
        "CREATE INDEX IF NOT EXISTS message_by_time ON message (channel, created_at, id);", NULL, NULL, NULL));
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    check(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    return statement;
}

static long ingest(const char *path, const char *pages, long most) {
    sqlite3 *db = open_database(path);
    sqlite3_stmt *insert =
        prepare(db, "INSERT OR REPLACE INTO message (id, channel, created_at, json) VALUES (?, ?, ?, ?)");
    FILE *file = fopen(pages, "r");
    if (!file) {
        perror(pages);
        exit(1);
    }
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    long count = 0;
    while (count < most && (length = getline(&line, &size, file)) > 0) {
        json_t *root = json_loadb(line, (size_t)length, 0, NULL);
        json_t *message;
        size_t index;
        if (!root) {
            fprintf(stderr, "a page is not JSON\n");
            exit(1);
        }
        check(db, sqlite3_exec(db, "BEGIN", NULL, NULL, NULL));
        json_array_foreach(json_object_get(root, "messages"), index, message) {
            char *text = json_dumps(message, JSON_COMPACT);
            const char *channel = json_string_value(json_object_get(message, "channel_url"));
            sqlite3_bind_int64(insert, 1, json_integer_value(json_object_get(message, "message_id")));
            sqlite3_bind_text(insert, 2, channel, -1, SQLITE_STATIC);
            sqlite3_bind_int64(insert, 3, json_integer_value(json_object_get(message, "created_at")));
            sqlite3_bind_text(insert, 4, text, -1, SQLITE_STATIC);
            check(db, sqlite3_step(insert));
            sqlite3_reset(insert);
            free(text);
            count++;
        }
        check(db, sqlite3_exec(db, "COMMIT", NULL, NULL, NULL));
        json_decref(root);
    }
    free(line);
    fclose(file);
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return count;
}

static size_t delivered;

/* The host: it gets one JSON array. */
static void host(const char *json, size_t length) {
    if (length > 2 && json[0] == '[') delivered++;
}

static void page(sqlite3_stmt *select) {
    char *copies[30];
    size_t lengths[30], total = 3;
    int count = 0;
    sqlite3_bind_text(select, 1, "benchmark", -1, SQLITE_STATIC);
    while (sqlite3_step(select) == SQLITE_ROW && count < 30) {
        lengths[count] = (size_t)sqlite3_column_bytes(select, 0);
        copies[count] = malloc(lengths[count]);
        memcpy(copies[count], sqlite3_column_text(select, 0), lengths[count]);
        total += lengths[count++] + 1;
    }
    sqlite3_reset(select);
    char *text = malloc(total), *end = text;
    *end++ = '[';
    for (int index = count - 1; index >= 0; index--) {
        memcpy(end, copies[index], lengths[index]);
        end += lengths[index];
        if (index) *end++ = ',';
        free(copies[index]);
    }
    *end++ = ']';
    *end = 0;
    host(text, (size_t)(end - text));
    free(text);
}

static long resident(void) {
    long kilobytes = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &kilobytes) == 1) break;
    if (file) fclose(file);
    return kilobytes;
}

int main(int argc, char **argv) {
    double start = now();
    if (argc == 5 && !strcmp(argv[1], "ingest")) {
        long count = ingest(argv[2], argv[3], atol(argv[4]));
        printf("{\"messages\":%ld,\"seconds\":%.6f}\n", count, now() - start);
        return 0;
    }
    if (argc >= 3 && (!strcmp(argv[1], "page") || !strcmp(argv[1], "first-page"))) {
        sqlite3 *db = open_database(argv[2]);
        sqlite3_stmt *select =
            prepare(db, "SELECT json FROM message WHERE channel = ? ORDER BY created_at DESC, id DESC LIMIT 30");
        page(select);
        double first = now() - start;
        long memory = resident();
        long times = argc > 3 ? atol(argv[3]) : 0;
        start = now();
        for (long index = 0; index < times; index++) page(select);
        printf(
            "{\"delivered\":%zu,\"first_page_seconds\":%.6f,\"page_seconds\":%.9f,\"rss_kb\":%ld}\n", delivered, first,
            times ? (now() - start) / (double)times : 0.0, memory);
        return delivered == (size_t)times + 1 ? 0 : 1;
    }
    fprintf(stderr, "usage: baseline ingest DB PAGES COUNT | page DB TIMES | first-page DB\n");
    return 2;
}
