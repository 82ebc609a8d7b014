/*
 * full_cache - reads all channels of a user into a cache that holds 64 MiB, and says which of them make room.
 *
 *     full_cache CONFIG_JSON [PINNED_CHANNEL_URL...]
 *
 * The pinned channels keep their messages as long as there are others. docs/cache.md explains the events.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "terminal.h" /* print_plain(): a name or a URL must not control the terminal */

static sm_client *client;
static char **pinned; /* ends with NULL, as argv does */
static int is_running; /* background work, of which making room is a part */

/* How a call ended; the last one is kept until the next. */
static int is_complete;
static int32_t last_status;
static json_t *last_event;

static void on_result(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data;
    is_complete = 1;
    last_status = status;
    json_decref(last_event);
    last_event = json_loadb(json, length, 0, NULL);
}

/* Runs the callbacks until the call is complete. */
static int wait_for(const char *what, int32_t begun) {
    const char *message = NULL;
    if (begun != SM_OK) return fprintf(stderr, "%s: %s\n", what, sm_last_error()), 0;
    for (; !is_complete;)
        if (sm_dispatch(client, 0, -1) < 0) return fprintf(stderr, "sm_dispatch: %s\n", sm_last_error()), 0;
    is_complete = 0;
    if (last_status == SM_OK) return 1;
    json_unpack(last_event, "{s?s}", "message", &message);
    fprintf(stderr, "%s: %s\n", what, message ? message : sm_status_name(last_status));
    return 0;
}

static int is_pinned(const char *channel_url) {
    for (char **pin = pinned; *pin; pin++)
        if (strcmp(*pin, channel_url) == 0) return 1;
    return 0;
}

static void on_evicted(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data, (void)json, (void)length;
    if (status == SM_OK) return;
    /* NOT_FOUND: the answer came after the five seconds. Then those used longest ago make room. */
    printf("evict: %s\n", status == SM_ERR_NOT_FOUND ? "too late" : sm_status_name(status));
}

/* The cache is over its bound, and asks which channels lose messages first. */
static void choose(const json_t *event) {
    json_t *candidate, *chosen = json_array(), *answer;
    size_t i;
    char *text;
    printf("full:");
    json_array_foreach(json_object_get(event, "candidates"), i, candidate) {
        const char *url = json_string_value(json_object_get(candidate, "channel_url"));
        printf(" ");
        print_plain(url);
        printf(" (%d messages)", (int)json_integer_value(json_object_get(candidate, "messages")));
        if (!is_pinned(url)) json_array_append_new(chosen, json_string(url));
    }
    printf("\nevict:");
    json_array_foreach(chosen, i, candidate) {
        printf(" ");
        print_plain(json_string_value(candidate));
    }
    printf("\n");
    /* In this order, until there is room. If that is not enough, or the list is empty, it goes on by last use. */
    answer = json_pack("{s:s, s:o}", "action", "evict", "channel_urls", chosen);
    text = json_dumps(answer, 0);
    if (sm_call(client, text, on_evicted, NULL, NULL, NULL) != SM_OK) fprintf(stderr, "evict: %s\n", sm_last_error());
    free(text);
    json_decref(answer);
}

static void on_event(void *user_data, const char *json, size_t length) {
    json_t *event = json_loadb(json, length, 0, NULL);
    const char *type = "", *url = "", *state = "";
    json_int_t messages = 0;
    (void)user_data;
    json_unpack(event, "{s:s, s?s, s?s, s?I}", "type", &type, "channel_url", &url, "state", &state, "messages",
                &messages);
    if (strcmp(type, "sync_state") == 0) is_running = strcmp(state, "running") == 0;
    if (strcmp(type, "cache_full") == 0) choose(event);
    if (strcmp(type, "cache_trimmed") == 0) {
        printf("trimmed: ");
        print_plain(url);
        printf(", %d messages\n", (int)messages);
    }
    fflush(stdout);
    json_decref(event);
}

/* Page after page, until nothing is left. */
static int fetch_all(sm_collection *list, int32_t direction) {
    const char *reason = NULL;
    int has_more = 1;
    while (has_more) {
        if (!wait_for("fetch", sm_fetch(list, direction, on_result, NULL, NULL, NULL))) return 0;
        json_unpack(last_event, "{s:b, s?s}", "has_more", &has_more, "short", &reason);
        if (reason) return fprintf(stderr, "fetch: %s\n", reason), 0; /* "offline": the rest cannot be had now */
    }
    return 1;
}

/* Reads a channel from its newest message to its first. While it is open nothing of it leaves the cache. */
static int read_channel(const char *channel_url) {
    sm_collection *chat = NULL;
    int is_good;
    if (sm_message_collection_new(client, channel_url, NULL, SM_LATEST, &chat) != SM_OK)
        return fprintf(stderr, "%s\n", sm_last_error()), 0;
    is_good = fetch_all(chat, SM_PREVIOUS);
    sm_collection_remove(chat);
    if (is_good) {
        printf("read: ");
        print_plain(channel_url);
        printf("\n");
    }
    return is_good;
}

static int show_statistics(void) {
    json_int_t messages = 0, used = 0, limit = 0;
    const char *ask = "{\"action\":\"statistics\"}";
    if (!wait_for("statistics", sm_call(client, ask, on_result, NULL, NULL, NULL))) return 0;
    /* While room is being made: the numbers of afterwards. */
    while (is_running)
        if (sm_dispatch(client, 0, -1) < 0) return fprintf(stderr, "sm_dispatch: %s\n", sm_last_error()), 0;
    if (!wait_for("statistics", sm_call(client, ask, on_result, NULL, NULL, NULL))) return 0;
    json_unpack(last_event, "{s:{s:I, s:I, s:I}}", "result", "cached_messages", &messages, "cache_used_bytes", &used,
                "cache_limit_bytes", &limit);
    printf("cached: %d messages, %d of %d MiB\n", (int)messages, (int)(used >> 20), (int)(limit >> 20));
    return 1;
}

int main(int argc, char **argv) {
    sm_collection *channels = NULL;
    json_t *config, *snapshot = NULL, *channel;
    char *text;
    size_t i;
    int32_t status;
    int is_good;
    if (argc < 2) return fprintf(stderr, "usage: full_cache CONFIG_JSON [PINNED_CHANNEL_URL...]\n"), 1;
    pinned = argv + 2;

    config = json_loads(argv[1], 0, NULL);
    json_object_set_new(config, "max_cache_mb", json_integer(64));
    json_object_set_new(config, "cache_order", json_string("host"));
    text = json_dumps(config, 0);
    status = sm_setup(text ? text : argv[1], &client);
    free(text);
    json_decref(config);
    if (status != SM_OK || sm_set_callback(client, on_event, NULL, NULL) != SM_OK ||
        sm_channel_collection_new(client, NULL, &channels) != SM_OK)
        return fprintf(stderr, "%s\n", sm_last_error()), 1;

    is_good = wait_for("connect", sm_connect(client, on_result, NULL, NULL, NULL)) && fetch_all(channels, SM_NEXT) &&
              sm_collection_snapshot(channels, &text) == SM_OK;
    if (is_good) {
        snapshot = json_loads(text, 0, NULL);
        sm_string_free(text);
    }
    json_array_foreach(json_object_get(snapshot, "channels"), i, channel)
        is_good = is_good && read_channel(json_string_value(json_object_get(channel, "channel_url")));
    is_good = is_good && show_statistics();
    json_decref(snapshot);
    json_decref(last_event);
    sm_close(client);
    return is_good ? 0 : 1;
}
