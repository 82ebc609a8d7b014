#include "check.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int passed;
static char *directories[32];
static int directory_count;

void check_that(bool holds, const char *what, const char *file, int line) {
    if (holds) {
        atomic_fetch_add(&passed, 1);
        return;
    }
    fprintf(stderr, "%s:%d: not so: %s\n  last error: %s\n", file, line, what, sm_last_error());
    exit(1);
}

void check_status(int32_t got, int32_t wanted, const char *what, const char *file, int line) {
    if (got == wanted) {
        atomic_fetch_add(&passed, 1);
        return;
    }
    fprintf(stderr, "%s:%d: %s gives %d (%s), not %s\n  last error: %s\n", file, line, what, got, sm_status_name(got),
        sm_status_name(wanted), sm_last_error());
    exit(1);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

const char *fresh_directory(void) {
    char *path = strdup("/tmp/sm-capi-XXXXXX");
    CHECK(path && mkdtemp(path));
    CHECK(directory_count < 32);
    directories[directory_count++] = path;
    return path;
}

int checks_done(void) {
    for (int index = 0; index < directory_count; index++) {
        nftw(directories[index], remove_entry, 16, FTW_DEPTH | FTW_PHYS);
        free(directories[index]);
    }
    printf("%d checks\n", atomic_load(&passed));
    return 0;
}

char *configuration(const char *directory, const char *more) {
    char *text = NULL;
    CHECK(asprintf(&text, "{\"app_id\":\"A\",\"user_id\":\"mei\",\"data_dir\":\"%s\"%s}", directory, more) > 0);
    return text;
}

sm_client *open_client(const char *directory, const char *more) {
    char *config = configuration(directory, more);
    sm_client *client = NULL;
    GIVES(SM_OK, sm_setup(config, &client));
    free(config);
    CHECK(client != NULL);
    return client;
}

char *await_event(sm_client *client, ...) {
    for (;;) {
        const char *json = NULL;
        GIVES(SM_OK, sm_next_event(client, 60000, &json, NULL));
        bool holds = json != NULL;
        const char *text, *missing = NULL;
        va_list texts;
        va_start(texts, client);
        while ((text = va_arg(texts, const char *)) != NULL) {
            if (holds && !strstr(json, text)) holds = false;
            missing = text;
        }
        va_end(texts);
        if (holds) return strdup(json);
        if (!json) fprintf(stderr, "a minute without an event with %s\n", missing ? missing : "anything");
        CHECK(json != NULL);
    }
}

long long number_in(const char *json, const char *key) {
    const char *at = strstr(json, key);
    CHECK(at != NULL);
    return atoll(at + strlen(key) + 1);
}

bool last_error_has(const char *text) { return strstr(sm_last_error(), text) != NULL; }

int stored_messages(const char *directory) {
    char *path = NULL;
    sqlite3 *db = NULL;
    sqlite3_stmt *count = NULL;
    CHECK(asprintf(&path, "%s/A/mei/intents.db", directory) > 0);
    CHECK(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK);
    CHECK(sqlite3_prepare_v2(db, "SELECT count(*) FROM intent", -1, &count, NULL) == SQLITE_OK);
    CHECK(sqlite3_step(count) == SQLITE_ROW);
    int result = sqlite3_column_int(count, 0);
    sqlite3_finalize(count);
    sqlite3_close(db);
    free(path);
    return result;
}

static void copy_member(const char *json, const char *key, char *out, size_t size) {
    const char *at = strstr(json, key);
    CHECK(at != NULL);
    at = strchr(at + strlen(key), '"');
    CHECK(at != NULL);
    const char *end = strchr(++at, '"');
    CHECK(end != NULL && (size_t)(end - at) < size);
    memcpy(out, at, (size_t)(end - at));
    out[end - at] = 0;
}

chat_server start_server(void) {
    const char *program = getenv("SYNCMANAGER_SERVER");
    CHECK(program != NULL);
    char *import = NULL;
    CHECK(asprintf(&import, "%s/talk.jsonl", fresh_directory()) > 0);
    FILE *file = fopen(import, "w");
    CHECK(file != NULL);
    for (int index = 0; index < 250; index++)
        fprintf(file, "{\"ts\":%lld,\"sender\":\"bob\",\"text\":\"message %d é 😀\"}\n", 1700000000000LL + index / 3,
            index);
    CHECK(fclose(file) == 0);
    int in[2], out[2];
    CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        execl(program, program, "--exit-with-stdin", "--control", "--user", "mei:mei-token", "--user", "bob:bob-token",
            "--import", import, (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    FILE *reader = fdopen(out[0], "r");
    char line[16384];
    CHECK(reader && fgets(line, sizeof line, reader));
    chat_server server;
    copy_member(line, "\"api_host\":", server.api_host, sizeof server.api_host);
    copy_member(line, "\"ws_host\":", server.ws_host, sizeof server.ws_host);
    copy_member(line, "\"channel_url\":", server.channel, sizeof server.channel);
    free(import);
    fclose(reader);
    return server; /* in[1] stays open until this program ends, and the server with it */
}

sm_client *open_online(const chat_server *server, const char *user, const char *directory, const char *more) {
    char *text = NULL;
    CHECK(asprintf(&text,
        "{\"app_id\":\"syncmanager\",\"user_id\":\"%s\",\"access_token\":\"%s-token\",\"data_dir\":\"%s\","
        "\"api_host\":\"%s\",\"ws_host\":\"%s\"%s}",
        user, user, directory, server->api_host, server->ws_host, more) > 0);
    sm_client *client = NULL;
    GIVES(SM_OK, sm_setup(text, &client));
    free(text);
    return client;
}
