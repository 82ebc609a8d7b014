/*
 * watch - a small chat program in C: shows the channel list, opens a channel, and follows both, live or from the cache.
 *
 *     watch CONFIG_JSON [CHANNEL_URL]
 *
 * Without a channel it opens the first of the list. Commands on standard input, one a line:
 *     send TEXT | more | newer | channels | snapshot | quit
 * `channels` and `snapshot` print one line of JSON, for programs that drive this one.
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "syncmanager.h"
#include "terminal.h"

typedef struct {
    sm_client *client;
    sm_collection *channels;
    sm_collection *messages;
    const char *wanted_channel;
} watch;

static const char *text_of(json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* The beginning of a text from outside. */
static void print_short(const char *text) {
    char start[64];
    size_t length = strlen(text), most = sizeof start - 4;
    if (length > most)
        for (length = most; length > 0 && (text[length] & 0xC0) == 0x80;) length--; /* whole characters of UTF-8 */
    memcpy(start, text, length);
    start[length] = 0;
    print_plain(start);
}

static void die(const char *what) {
    fprintf(stderr, "%s: %s\n", what, sm_last_error());
    exit(1);
}

/* "+ 12 bo: text" for an insert at index 12, and so on. */
static void print_change(json_t *event) {
    const char *action = text_of(event, "action");
    const char *list = text_of(event, "list");
    const char *sign = !strcmp(action, "insert") ? "+" : !strcmp(action, "update") ? "~" : !strcmp(action, "move") ? ">"
        : !strcmp(action, "remove") ? "-" : "x";
    json_t *changes = json_object_get(event, "changes");
    json_t *items = json_object_get(event, !strcmp(list, "channels") ? "channels" : "messages");
    size_t count = json_array_size(changes);
    if (count > 6) {
        printf("%s %s: %zu items (%s)\n", sign, list, count, text_of(event, "source"));
        return;
    }
    if (count == 0) printf("%s %s (%s)\n", sign, list, text_of(event, "source"));
    for (size_t i = 0; i < count; i++) {
        json_t *change = json_array_get(changes, i), *item = json_array_get(items, i);
        json_t *index = json_object_get(change, "index");
        if (!index) index = json_object_get(change, "to");
        printf("%s %s[%" JSON_INTEGER_FORMAT "] ", sign, list, json_integer_value(index));
        if (!item) {
            print_plain(text_of(change, "id"));
        } else if (!strcmp(list, "channels")) {
            print_plain(text_of(item, "name"));
            printf(" (%" JSON_INTEGER_FORMAT " unread)",
                json_integer_value(json_object_get(item, "unread_message_count")));
        } else {
            print_plain(text_of(json_object_get(item, "user"), "user_id"));
            fputs(": ", stdout);
            print_short(text_of(item, "message"));
        }
        printf("   (%s)\n", text_of(event, "source"));
    }
}

static void on_event(void *user_data, const char *json, size_t length) {
    (void)user_data;
    json_t *event = json_loadb(json, length, 0, NULL);
    const char *type = text_of(event, "type");
    if (!strcmp(type, "change")) {
        print_change(event);
    } else if (!strcmp(type, "connection")) {
        printf("= %s\n", text_of(event, "state"));
    } else if (!strcmp(type, "huge_gap") || !strcmp(type, "new_message") || !strcmp(type, "channel_removed")
               || !strcmp(type, "overflow") || !strcmp(type, "cache_reset") || !strcmp(type, "token_needed")) {
        printf("! %s\n", type);
    } else if (!strcmp(type, "sync_progress") && json_is_true(json_object_get(event, "complete"))) {
        fputs("= synced ", stdout);
        print_plain(text_of(event, "channel_url"));
        putchar('\n');
    }
    json_decref(event);
}

static void on_result(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data;
    json_t *event = json_loadb(json, length, 0, NULL);
    printf("= %s: %s%s%s%s%s", text_of(event, "call"), sm_status_name(status),
        json_is_true(json_object_get(event, "has_more")) ? ", more" : "",
        *text_of(event, "short") ? ", short: " : "", text_of(event, "short"),
        *text_of(event, "message") ? ": " : "");
    print_plain(text_of(event, "message"));
    putchar('\n');
    json_decref(event);
}

static void open_channel(watch *w, const char *url) {
    if (sm_message_collection_new(w->client, url, NULL, SM_LATEST, &w->messages) != SM_OK)
        die("sm_message_collection_new");
    sm_collection_set_callback(w->messages, on_event, w, NULL);
    fputs("= opened ", stdout);
    print_plain(url);
    putchar('\n');
    sm_fetch(w->messages, SM_PREVIOUS, on_result, w, NULL, NULL);
}

static void on_channels(void *user_data, int32_t status, const char *json, size_t length) {
    watch *w = user_data;
    char *snapshot = NULL;
    on_result(user_data, status, json, length);
    if (w->messages || sm_collection_snapshot(w->channels, &snapshot) != SM_OK) return;
    json_t *root = json_loads(snapshot, 0, NULL);
    json_t *list = json_object_get(root, "channels");
    const char *url = w->wanted_channel ? w->wanted_channel : text_of(json_array_get(list, 0), "channel_url");
    printf("= %zu channels\n", json_array_size(list));
    if (*url) open_channel(w, url);
    json_decref(root);
    sm_string_free(snapshot);
}

static void print_snapshot(sm_collection *collection) {
    char *json = NULL;
    if (sm_collection_snapshot(collection, &json) != SM_OK) die("sm_collection_snapshot");
    print_json(json);
    sm_string_free(json);
}

/* Carries out one command; 0 ends the program. */
static int run_command(watch *w, char *line) {
    line[strcspn(line, "\n")] = 0;
    if (!strcmp(line, "quit")) return 0;
    if (!strcmp(line, "channels")) print_snapshot(w->channels);
    if (!w->messages) return 1;
    if (!strcmp(line, "snapshot")) print_snapshot(w->messages);
    if (!strcmp(line, "more")) sm_fetch(w->messages, SM_PREVIOUS, on_result, w, NULL, NULL);
    if (!strcmp(line, "newer")) sm_fetch(w->messages, SM_NEXT, on_result, w, NULL, NULL);
    if (!strncmp(line, "send ", 5)) {
        json_t *message = json_pack("{s:s}", "message", line + 5);
        char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
        if (text) sm_send_message(w->messages, text, on_result, w, NULL, NULL);
        free(text);
        json_decref(message);
    }
    return 1;
}

int main(int argc, char **argv) {
    watch w = {NULL, NULL, NULL, NULL};
    if (argc < 2) {
        fprintf(stderr, "usage: watch CONFIG_JSON [CHANNEL_URL]\n");
        return 2;
    }
    if (argc > 2) w.wanted_channel = argv[2];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (sm_setup(argv[1], &w.client) != SM_OK) die("sm_setup");
    sm_set_callback(w.client, on_event, &w, NULL);
    if (sm_channel_collection_new(w.client, "{\"limit\":20}", &w.channels) != SM_OK) die("sm_channel_collection_new");
    sm_connect(w.client, on_result, &w, NULL, NULL);
    sm_fetch(w.channels, SM_NEXT, on_channels, &w, NULL, NULL);

    struct pollfd polled[2] = {{sm_get_fd(w.client), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    for (int alive = 1; alive;) {
        if (poll(polled, 2, -1) < 0 && errno != EINTR) break;
        if (polled[0].revents) sm_dispatch(w.client, 0, 0);
        if (polled[1].revents) {
            /* Whole lines at once: what stdio buffers, poll does not see. */
            static char buffer[1 << 16];
            static size_t held;
            ssize_t count = read(STDIN_FILENO, buffer + held, sizeof buffer - 1 - held);
            if (count <= 0) break;
            held += (size_t)count;
            buffer[held] = 0;
            char *start = buffer, *end;
            while (alive && (end = strchr(start, '\n')) != NULL) {
                *end = 0;
                alive = run_command(&w, start);
                start = end + 1;
            }
            held = strlen(start);
            memmove(buffer, start, held + 1);
        }
    }
    sm_close(w.client);
    return 0;
}
