/* What a page waits for beside background work: the newest page of a channel, again and again with a rest in between.
 *
 *   beside CONFIG_JSON CHANNEL_URL trimmed           connects, and pages while the cache makes room
 *   beside CONFIG_JSON CHANNEL_URL indexed           offline, while an older cache is indexed
 *   beside CONFIG_JSON CHANNEL_URL COUNT [connect]   so many pages with none of that, offline or connected
 *
 * Only pages that begin and end while that work is on count. Prints {"pages":N,"p50":S,"p99":S,"max":S,"work":N}:
 * seconds from sm_fetch() to its result, and how many messages left the cache, or were indexed. */
#define _GNU_SOURCE
#include "start.h"
#include <stdint.h>
#include <string.h>
#include <syncmanager.h>

enum { MOST_PAGES = 1000000, MOST_REST_US = 4000, IDLE_MS = 500 };

static double times[MOST_PAGES];
static size_t count;
static long work;
static int is_running, has_begun, is_over, is_done, is_trimmed, is_indexed;

static void check(int32_t status) {
    if (status >= 0) return;
    fprintf(stderr, "%s\n", sm_last_error());
    exit(1);
}

static long number_of(const char *json, const char *key) {
    const char *at = strstr(json, key);
    return at ? atol(at + strlen(key)) : 0;
}

static void done(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data, (void)length;
    if (status != SM_OK || strstr(json, "\"short\"")) fprintf(stderr, "%s\n", json), exit(1);
    is_done = 1;
}

/* The type of an event stands at its beginning; pages are long. */
static int is(const char *json, const char *type) {
    char text[64];
    int length = snprintf(text, sizeof text, "{\"type\":\"%s\"", type);
    return strncmp(json, text, (size_t)length) == 0;
}

static void on_event(void *user_data, const char *json, size_t length) {
    (void)user_data, (void)length;
    if (is(json, "sync_state")) is_running = strstr(json, "\"running\"") != NULL;
    if (is_trimmed && is(json, "cache_trimmed")) {
        has_begun = 1;
        work += number_of(json, "\"messages\":");
    }
    if (is_indexed && is(json, "search_progress")) {
        has_begun = 1;
        work = number_of(json, "\"done\":");
        is_over = strstr(json, "\"complete\":true") != NULL;
    }
    if (is_trimmed && has_begun && !is_running) is_over = 1;
}

/* From a moment that has nothing to do with the work's. */
static void rest_a_while(sm_client *client) {
    static uint32_t state = 1;
    double end;
    state = state * 1664525u + 1013904223u;
    end = now() + (double)(state % MOST_REST_US) / 1e6;
    while (now() < end) {
        struct timespec time = {0, 100000};
        nanosleep(&time, NULL);
        check(sm_dispatch(client, 0, 0));
    }
}

static double page(sm_client *client, sm_collection *messages) {
    check(sm_reset_viewpoint(messages, INT64_MAX));
    double begun = now();
    is_done = 0;
    check(sm_fetch(messages, SM_PREVIOUS, done, NULL, NULL, NULL));
    while (!is_done) check(sm_dispatch(client, 0, -1));
    return now() - begun;
}

static int compare(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

int main(int argc, char **argv) {
    sm_client *client;
    sm_collection *messages;
    size_t wanted = 0;
    if (argc != 4 && argc != 5)
        return fprintf(stderr, "usage: beside CONFIG_JSON CHANNEL_URL trimmed | indexed | COUNT [connect]\n"), 2;
    is_trimmed = strcmp(argv[3], "trimmed") == 0;
    is_indexed = strcmp(argv[3], "indexed") == 0;
    if (!is_trimmed && !is_indexed) wanted = (size_t)atol(argv[3]);
    check(sm_setup(argv[1], &client));
    check(sm_set_callback(client, on_event, NULL, NULL));
    check(sm_message_collection_new(client, argv[2], "{\"limit\":30}", INT64_MAX, &messages));
    if (is_trimmed || argc == 5) {
        is_done = 0;
        check(sm_connect(client, done, NULL, NULL, NULL));
        while (!is_done) check(sm_dispatch(client, 0, -1));
    }
    if (wanted) {
        /* Until nothing is told for a while: what a login brings is over. */
        page(client, messages);
        while (sm_dispatch(client, 0, IDLE_MS) > 0) continue;
        has_begun = 1;
    }
    while (!is_over && count < MOST_PAGES && !(wanted && count == wanted)) {
        int counts = has_begun;
        double taken = page(client, messages);
        if (counts && !is_over) times[count++] = taken;
        rest_a_while(client);
    }
    if (count == 0) return fprintf(stderr, "no page began and ended meanwhile\n"), 1;
    qsort(times, count, sizeof *times, compare);
    printf("{\"pages\":%zu,\"p50\":%.9f,\"p99\":%.9f,\"max\":%.9f,\"work\":%ld}\n", count, times[count / 2],
           times[count * 99 / 100], times[count - 1], work);
    sm_close(client);
    return 0;
}
