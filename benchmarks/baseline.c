/* What a good engineer would write in an hour with jansson and SQLite: the measure for the library.
 *
 * usage: baseline ingest DB PAGES COUNT | page DB TIMES PAUSE_MS      prints one JSON object
 *        baseline realtime DB PORT QUERY    prints "ready", then "MESSAGE_ID NANOSECONDS" as each message arrives,
 *                                           until standard input ends */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <jansson.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "start.h"

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
        "CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, channel TEXT NOT NULL,"
        " created_at INTEGER NOT NULL, json TEXT NOT NULL);"
        "CREATE INDEX IF NOT EXISTS message_by_time ON message (channel, created_at, id);", NULL, NULL, NULL));
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = NULL;
    check(db, sqlite3_prepare_v2(db, sql, -1, &statement, NULL));
    return statement;
}

static const char insert_message[] =
    "INSERT OR REPLACE INTO message (id, channel, created_at, json) VALUES (?, ?, ?, ?)";

static void store(sqlite3 *db, sqlite3_stmt *insert, json_t *message, const char *text) {
    const char *channel = json_string_value(json_object_get(message, "channel_url"));
    sqlite3_bind_int64(insert, 1, json_integer_value(json_object_get(message, "message_id")));
    sqlite3_bind_text(insert, 2, channel, -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 3, json_integer_value(json_object_get(message, "created_at")));
    sqlite3_bind_text(insert, 4, text, -1, SQLITE_STATIC);
    check(db, sqlite3_step(insert));
    sqlite3_reset(insert);
}

static long ingest(const char *path, const char *pages, long most) {
    sqlite3 *db = open_database(path);
    sqlite3_stmt *insert = prepare(db, insert_message);
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
            store(db, insert, message, text);
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

static void read_fully(int descriptor, void *buffer, size_t count) {
    for (char *at = buffer; count > 0;) {
        ssize_t got = read(descriptor, at, count);
        if (got <= 0) {
            perror("read");
            exit(1);
        }
        at += got;
        count -= (size_t)got;
    }
}

/* A frame of the server: unmasked, never in parts here. Gives its text, to be freed. */
static char *read_frame(int descriptor) {
    uint8_t head[2], more[8];
    read_fully(descriptor, head, 2);
    uint64_t length = head[1] & 127;
    int extra = length == 126 ? 2 : length == 127 ? 8 : 0;
    read_fully(descriptor, more, (size_t)extra);
    if (extra) length = 0;
    for (int index = 0; index < extra; index++) length = length << 8 | more[index];
    char *text = malloc(length + 1);
    read_fully(descriptor, text, length);
    text[length] = 0;
    return text;
}

static int realtime(const char *path, int port, const char *query) {
    sqlite3 *db = open_database(path);
    sqlite3_stmt *insert = prepare(db, insert_message);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("connect");
        return 1;
    }
    dprintf(descriptor,
        "GET /?%s HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", query);
    char last[4] = "";
    while (memcmp(last, "\r\n\r\n", 4) != 0) {
        memmove(last, last + 1, 3);
        read_fully(descriptor, last + 3, 1);
    }
    char *login = read_frame(descriptor);
    int is_in = !strncmp(login, "LOGI{", 5) && !strstr(login, "\"error\":true");
    free(login);
    if (!is_in) return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    struct pollfd waits[2] = {{descriptor, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    while (poll(waits, 2, -1) > 0 && !waits[1].revents) {
        char *frame = read_frame(descriptor);
        json_t *message = strncmp(frame, "MESG", 4) ? NULL : json_loads(frame + 4, 0, NULL);
        if (message) {
            json_int_t id = json_integer_value(json_object_get(message, "message_id"));
            if (!id) id = json_integer_value(json_object_get(message, "msg_id"));
            json_object_set_new(message, "message_id", json_integer(id));
            if (!json_object_get(message, "created_at"))
                json_object_set(message, "created_at", json_object_get(message, "ts"));
            char *text = json_dumps(message, JSON_COMPACT);
            store(db, insert, message, text);
            printf("%lld %.0f\n", (long long)id, now() * 1e9);
            free(text);
        }
        json_decref(message);
        free(frame);
    }
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 5 && !strcmp(argv[1], "ingest")) {
        double start = now();
        long count = ingest(argv[2], argv[3], atol(argv[4]));
        printf("{\"messages\":%ld,\"seconds\":%.6f}\n", count, now() - start);
        return 0;
    }
    if (argc == 5 && !strcmp(argv[1], "page")) {
        double start = since_exec(argv);
        sqlite3 *db = open_database(argv[2]);
        sqlite3_stmt *select =
            prepare(db, "SELECT json FROM message WHERE channel = ? ORDER BY created_at DESC, id DESC LIMIT 30");
        page(select);
        double first = now() - start;
        long memory = resident();
        long times = atol(argv[3]);
        double all = 0;
        for (long index = 0; index < times; index++) {
            rest(atol(argv[4]));
            start = now();
            page(select);
            all += now() - start;
        }
        printf(
            "{\"delivered\":%zu,\"first_page_seconds\":%.6f,\"page_seconds\":%.9f,\"rss_kb\":%ld}\n", delivered, first,
            times ? all / (double)times : 0.0, memory);
        return delivered == (size_t)times + 1 ? 0 : 1;
    }
    if (argc == 5 && !strcmp(argv[1], "realtime")) return realtime(argv[2], atoi(argv[3]), argv[4]);
    fprintf(stderr, "usage: baseline ingest DB PAGES COUNT | page DB TIMES PAUSE_MS | realtime DB PORT QUERY\n");
    return 2;
}
