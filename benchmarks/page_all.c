/* Pages through the cache of a channel to its oldest message, offline, and hands every event to nobody: what the bare
 * interface takes, beside what bindings make of it.
 *
 *   page_all CONFIG_JSON CHANNEL_URL PAGE
 *
 * Prints {"seconds":S,"messages":N}. */
#define _GNU_SOURCE
#include "start.h"
#include <stdint.h>
#include <string.h>
#include <syncmanager.h>

static void check(int32_t status) {
    if (status == SM_OK) return;
    fprintf(stderr, "%s\n", sm_last_error());
    exit(1);
}

/* The fetch's result comes last, so what is asked of an event is only whether it is that. */
static int is_result(const char *json) { return strstr(json, "\"type\":\"result\"") != NULL; }

int main(int argc, char **argv) {
    sm_client *client;
    sm_collection *messages;
    char filter[64], *info;
    if (argc != 4) return fprintf(stderr, "usage: page_all CONFIG_JSON CHANNEL_URL PAGE\n"), 2;
    snprintf(filter, sizeof filter, "{\"limit\":%d}", atoi(argv[3]));
    check(sm_setup(argv[1], &client));
    check(sm_message_collection_new(client, argv[2], filter, INT64_MAX, &messages));
    double begun = now();
    for (int has_more = 1; has_more;) {
        const char *json = NULL;
        size_t length;
        check(sm_fetch(messages, SM_PREVIOUS, NULL, NULL, NULL, NULL));
        for (int is_over = 0; !is_over;) {
            check(sm_next_event(client, 60000, &json, &length));
            if (!json) return fprintf(stderr, "a page did not come\n"), 1;
            /* A page of messages is long: only a short event can be the result. */
            is_over = length < 1000 && is_result(json);
        }
        if (strstr(json, "\"status\":0") == NULL) return fprintf(stderr, "%s\n", json), 1;
        has_more = strstr(json, "\"has_more\":true") != NULL && strstr(json, "\"short\"") == NULL;
    }
    double taken = now() - begun;
    check(sm_collection_info(messages, &info));
    const char *count = strstr(info, "\"count\":");
    printf("{\"seconds\":%.9f,\"messages\":%ld}\n", taken, count ? atol(count + 8) : -1L);
    sm_string_free(info);
    sm_close(client);
    return 0;
}
