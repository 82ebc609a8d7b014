/* Prints what the library sets on the connection of its cache, one PRAGMA a line, as SQLite itself is told: most of
 * these settings are not kept in the file. Both use the SQLite of the process, which tells of every new connection.
 *
 * usage: pragmas CONFIG CACHE_FILE_NAME */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <syncmanager.h>

static const char *name;
static sqlite3 *first;

static int traced(unsigned type, void *context, void *statement, void *text) {
    sqlite3 *db = sqlite3_db_handle(statement);
    const char *path = sqlite3_db_filename(db, "main"), *sql = text;
    (void)type;
    (void)context;
    if (strncasecmp(sql, "PRAGMA", 6) != 0 || !strchr(sql, '=') || strstr(sql, "user_version")) return 0;
    size_t length = strlen(path), wanted = strlen(name);
    if (length < wanted || strcmp(path + length - wanted, name) != 0) return 0;
    if (!first) first = db;
    if (db == first) puts(sql);
    return 0;
}

static int opened(sqlite3 *db, char **error, const struct sqlite3_api_routines *routines) {
    (void)error;
    (void)routines;
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, traced, NULL);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: pragmas CONFIG CACHE_FILE_NAME\n");
        return 2;
    }
    name = argv[2];
    sqlite3_auto_extension((void (*)(void))opened);
    sm_client *client = NULL;
    if (sm_setup(argv[1], &client) != SM_OK) {
        fprintf(stderr, "%s\n", sm_last_error());
        return 1;
    }
    sm_close(client);
    if (!first) fprintf(stderr, "nothing was set on a connection to %s\n", name);
    return first ? 0 : 1;
}
