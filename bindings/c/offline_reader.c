/*
 * offline_reader - prints what the cache holds of a channel, oldest first, and never connects.
 *
 *     offline_reader CONFIG_JSON CHANNEL_URL
 *
 * It needs no token and no network: libcurl is not even loaded. It prints one line of JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "terminal.h"

typedef struct {
    int is_complete, has_more;
    int32_t status;
} page;

static void on_page(void *user_data, int32_t status, const char *json, size_t length) {
    page *fetched = user_data;
    (void)length;
    fetched->is_complete = 1;
    fetched->status = status;
    /* A program with a JSON library reads the members; the library writes them without spaces. Offline, the page where
     * the cache ends is "short": more may exist, and cannot come now. */
    fetched->has_more = strstr(json, "\"has_more\":true") && !strstr(json, "\"short\":");
}

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, sm_last_error());
    return 1;
}

int main(int argc, char **argv) {
    sm_client *client = NULL;
    sm_collection *messages = NULL;
    char *shown = NULL;
    page fetched = {0, 1, SM_OK};
    if (argc < 3) {
        fprintf(stderr, "usage: offline_reader CONFIG_JSON CHANNEL_URL\n");
        return 2;
    }
    if (sm_setup(argv[1], &client) != SM_OK) return fail("sm_setup");
    if (sm_message_collection_new(client, argv[2], "{\"limit\":200}", SM_LATEST, &messages) != SM_OK)
        return fail("sm_message_collection_new");
    /* Page by page towards the oldest. */
    while (fetched.has_more) {
        fetched.is_complete = 0;
        fetched.has_more = 0;
        if (sm_fetch(messages, SM_PREVIOUS, on_page, &fetched, NULL, NULL) != SM_OK) return fail("sm_fetch");
        while (!fetched.is_complete)
            if (sm_dispatch(client, 0, -1) < 0) return fail("sm_dispatch");
        if (fetched.status != SM_OK) {
            fprintf(stderr, "the page: %s\n", sm_status_name(fetched.status));
            return 1;
        }
    }
    if (sm_collection_snapshot(messages, &shown) != SM_OK) return fail("sm_collection_snapshot");
    print_json(shown);
    sm_string_free(shown);
    sm_close(client);
    return 0;
}
