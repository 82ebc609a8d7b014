/* Directories that cannot be used, a full disk, and files that are damaged or from a later version. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

static void refuses(const char *directory, int32_t status) {
    char *config = configuration(directory, "");
    sm_client *client = NULL;
    GIVES(status, sm_setup(config, &client));
    CHECK(client == NULL);
    free(config);
}

static char *path_in(const char *directory, const char *name) {
    char *path = NULL;
    CHECK(asprintf(&path, "%s/A/mei/%s", directory, name) > 0);
    return path;
}

static void overwrite(const char *path, const char *text, off_t at) {
    int file = open(path, O_WRONLY);
    CHECK(file >= 0);
    CHECK(pwrite(file, text, strlen(text), at) == (ssize_t)strlen(text));
    close(file);
}

/* Writes another schema version into a file; gives the one that was there. */
static int set_version(const char *path, int version) {
    char *text = NULL;
    sqlite3 *db = NULL;
    sqlite3_stmt *query = NULL;
    CHECK(asprintf(&text, "PRAGMA user_version = %d", version) > 0);
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &query, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(query) == SQLITE_ROW);
    int before = sqlite3_column_int(query, 0);
    CHECK(sqlite3_finalize(query) == SQLITE_OK);
    CHECK(sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK);
    CHECK(sqlite3_close(db) == SQLITE_OK);
    free(text);
    return before;
}

static void refuses_later(const char *directory, const char *path) {
    int version = set_version(path, 9999);
    refuses(directory, SM_ERR_NEWER_SCHEMA);
    CHECK(set_version(path, version) == 9999);
}

/* Leaves an accepted message behind. */
static void accept_message(const char *directory, const char *request_id) {
    sm_client *client = open_client(directory, "");
    sm_collection *messages = NULL;
    char text[128];
    snprintf(text, sizeof text, "{\"message\":\"kept\",\"request_id\":\"%s\"}", request_id);
    GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
    GIVES(SM_OK, sm_send_message(messages, text, NULL, NULL, NULL, NULL));
    free(await_event(client, "\"list\":\"pending\"", "\"insert\"", request_id, NULL));
    sm_close(client);
}

static void still_has(const char *directory, const char *request_id) {
    sm_client *client = open_client(directory, "");
    sm_collection *messages = NULL;
    GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
    free(await_event(client, "\"list\":\"pending\"", "\"insert\"", request_id, NULL));
    sm_close(client);
}

static void unusable(void) {
    refuses("/proc/no-directory-here", SM_ERR_STORAGE);
    CHECK(last_error_has("/proc/no-directory-here"));
    const char *directory = fresh_directory();
    char *file = NULL;
    CHECK(asprintf(&file, "%s/file", directory) > 0);
    close(open(file, O_CREAT | O_WRONLY, 0600));
    refuses(file, SM_ERR_STORAGE);
    free(file);
    if (geteuid() != 0) { /* root writes anywhere */
        CHECK(chmod(directory, 0500) == 0);
        refuses(directory, SM_ERR_STORAGE);
        CHECK(chmod(directory, 0700) == 0);
    }
    /* A directory in the place of a file. */
    accept_message(directory, "first");
    char *cache = path_in(directory, "cache.db");
    CHECK(remove(cache) == 0 && mkdir(cache, 0700) == 0);
    refuses(directory, SM_ERR_STORAGE);
    CHECK(rmdir(cache) == 0);
    still_has(directory, "first");
    free(cache);
}

static void damaged(void) {
    const char *directory = fresh_directory();
    accept_message(directory, "kept-1");
    char *cache = path_in(directory, "cache.db"), *intents = path_in(directory, "intents.db");

    /* A damaged cache is set aside and a new one is made; what was accepted lives in the other file. */
    overwrite(cache, "this is no database at all", 0);
    sm_client *client = open_client(directory, "");
    char *event = await_event(client, "\"type\":\"cache_reset\"", "\"file\":", NULL);
    CHECK(strstr(event, "cache.db") != NULL);
    free(event);
    sm_close(client);
    still_has(directory, "kept-1");

    /* A later version's files are left alone. */
    refuses_later(directory, cache);
    refuses_later(directory, intents);
    still_has(directory, "kept-1");

    /* A damaged outbox is never thrown away: the same error until somebody decides. */
    struct stat before, after;
    overwrite(intents, "this is no database at all", 0);
    CHECK(stat(intents, &before) == 0);
    refuses(directory, SM_ERR_CORRUPT_INTENTS);
    refuses(directory, SM_ERR_CORRUPT_INTENTS);
    CHECK(stat(intents, &after) == 0 && before.st_size == after.st_size && before.st_ino == after.st_ino);
    /* Nor is one that was emptied taken for a new one. */
    CHECK(truncate(intents, 0) == 0);
    refuses(directory, SM_ERR_CORRUPT_INTENTS);
    CHECK(stat(intents, &after) == 0 && after.st_size == 0);
    /* Somebody decided: the loss is told once, and the client works. */
    CHECK(unlink(intents) == 0);
    client = open_client(directory, "");
    free(await_event(client, "\"type\":\"storage_error\"", "intents.db", NULL));
    sm_close(client);
    accept_message(directory, "kept-2");
    still_has(directory, "kept-2");
    free(cache);
    free(intents);
}

/* `directory` lies on a small file system of its own. */
static void full(const char *directory) {
    char *filler = NULL;
    static char block[4096];
    CHECK(asprintf(&filler, "%s/filler", directory) > 0);
    accept_message(directory, "before");
    int file = open(filler, O_CREAT | O_WRONLY, 0600);
    CHECK(file >= 0);
    while (write(file, block, sizeof block) > 0) {
    }
    CHECK(errno == ENOSPC);
    while (write(file, block, 1) > 0) {
    }
    close(file);

    /* Setting up may work or say why not; a message that cannot be kept is not accepted. */
    char *config = configuration(directory, "");
    sm_client *client = NULL;
    int32_t status = sm_setup(config, &client);
    free(config);
    if (status == SM_OK) {
        sm_collection *messages = NULL;
        static char text[1 << 19];
        int length = snprintf(text, sizeof text, "{\"request_id\":\"while-full\",\"message\":\"");
        memset(text + length, 'x', sizeof text - (size_t)length - 3);
        strcpy(text + sizeof text - 3, "\"}");
        GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
        GIVES(SM_OK, sm_send_message(messages, text, NULL, NULL, NULL, NULL));
        char *event = await_event(client, "\"type\":\"result\"", "\"send_message\"", NULL);
        CHECK(number_in(event, "\"status\"") == SM_ERR_STORAGE);
        free(event);
        sm_close(client);
    } else {
        CHECK(status == SM_ERR_STORAGE);
    }
    CHECK(remove(filler) == 0);
    still_has(directory, "before");
    accept_message(directory, "after");
    still_has(directory, "after");
    free(filler);
}

int main(int argc, char **argv) {
    unusable();
    damaged();
    if (argc > 1) full(argv[1]);
    return checks_done();
}
