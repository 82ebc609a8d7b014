/*
 * search_typed - searches while the user types: each line of standard input is what is typed so far.
 *
 *     search_typed CONFIG_JSON CHANNEL_URL
 *
 * Messages of the channel are brought into the cache, and all that is cached is searched. docs/search.md explains it.
 */
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "terminal.h" /* print_plain(): a text of others must not control the terminal */

static char typed[4096];
static sm_collection *results; /* of what is typed; NULL before the first line */
static int is_fetching, is_short, has_failed;

static int fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    has_failed = 1;
    return 0;
}

/* A part of a text, from byte `start` up to byte `end`. */
static void print_part(const char *text, size_t start, size_t end) {
    char *part = strndup(text + start, end - start);
    print_plain(part ? part : "");
    free(part);
}

/* "see you at [lunch] [tomorrow]" for each result: what was found stands in brackets. */
static void show(void) {
    char *json = NULL;
    json_t *snapshot, *list, *result, *match;
    size_t i, k, from;
    if (sm_collection_snapshot(results, &json) != SM_OK) return;
    snapshot = json_loads(json, 0, NULL);
    sm_string_free(json);
    list = json_object_get(snapshot, "results");
    print_plain(typed);
    printf(": %d found%s\n", (int)json_array_size(list), is_short ? ", an older cache is being indexed" : "");
    json_array_foreach(list, i, result) {
        const json_t *snippet = json_object_get(result, "snippet");
        const char *text = json_string_value(json_object_get(snippet, "text"));
        if (!text) continue;
        printf("  ");
        from = 0;
        json_array_foreach(json_object_get(snippet, "matches"), k, match) {
            size_t start = (size_t)json_integer_value(json_object_get(match, "start"));
            size_t end = (size_t)json_integer_value(json_object_get(match, "end"));
            print_part(text, from, start);
            printf("[");
            print_part(text, start, end);
            printf("]");
            from = end;
        }
        print_plain(text + from);
        printf("\n");
    }
    fflush(stdout);
    json_decref(snapshot);
}

/* The first page is there. */
static void on_page(void *user_data, int32_t status, const char *json, size_t length) {
    json_t *event = json_loadb(json, length, 0, NULL);
    const char *message = NULL, *reason = "";
    json_int_t number = 0;
    (void)user_data;
    json_unpack(event, "{s?I, s?s, s?s}", "collection", &number, "message", &message, "short", &reason);
    /* A search that was removed meanwhile is of no interest: the user has typed on. */
    if (status == SM_OK && (uint64_t)number == sm_collection_number(results)) {
        is_fetching = 0;
        is_short = strcmp(reason, "indexing") == 0;
        show();
    } else if (status != SM_OK && status != SM_ERR_REMOVED)
        fail("search", message ? message : sm_status_name(status));
    json_decref(event);
}

/* The list has changed: a message came, was edited, or was deleted. */
static void on_change(void *user_data, const char *json, size_t length) {
    (void)user_data, (void)json, (void)length;
    if (!is_fetching) show(); /* a page is shown once, when all of it is there */
}

static void fetch(void) {
    is_fetching = 1;
    if (sm_fetch(results, SM_NEXT, on_page, NULL, NULL, NULL) != SM_OK) fail("search", sm_last_error());
}

/* When an older cache has been indexed, there may be more. */
static void on_event(void *user_data, const char *json, size_t length) {
    json_t *event = json_loadb(json, length, 0, NULL);
    const char *type = "";
    int is_complete = 0;
    (void)user_data;
    json_unpack(event, "{s:s, s?b}", "type", &type, "complete", &is_complete);
    if (strcmp(type, "search_progress") == 0 && is_complete && is_short && !is_fetching) fetch();
    json_decref(event);
}

/* The channel's messages are in the cache. */
static void on_messages(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data, (void)json, (void)length;
    if (status != SM_OK) fail("the channel", sm_status_name(status));
}

static void search(sm_client *client) {
    json_t *query = json_pack("{s:s}", "query", typed); /* the last word may go on: "prefix" is true by default */
    char *text = json_dumps(query, 0);
    sm_collection_remove(results); /* the earlier one; from here on nothing is told of it */
    results = NULL;
    is_short = 0;
    if (!text)
        fail("search", "the line is not UTF-8");
    else if (sm_search_collection_new(client, text, &results) != SM_OK ||
             sm_collection_set_callback(results, on_change, NULL, NULL) != SM_OK)
        fail("search", sm_last_error());
    else
        fetch();
    free(text);
    json_decref(query);
}

int main(int argc, char **argv) {
    sm_client *client = NULL;
    sm_collection *chat = NULL;
    json_t *config;
    char *text;
    int32_t status;
    if (argc != 3) return fprintf(stderr, "usage: search_typed CONFIG_JSON CHANNEL_URL\n"), 1;

    config = json_loads(argv[1], 0, NULL);
    json_object_set_new(config, "search", json_true());
    text = json_dumps(config, 0);
    status = sm_setup(text ? text : argv[1], &client);
    free(text);
    json_decref(config);
    if (status != SM_OK || sm_set_callback(client, on_event, NULL, NULL) != SM_OK ||
        sm_connect(client, NULL, NULL, NULL, NULL) != SM_OK ||
        sm_message_collection_new(client, argv[2], NULL, SM_LATEST, &chat) != SM_OK ||
        sm_fetch(chat, SM_PREVIOUS, on_messages, NULL, NULL, NULL) != SM_OK)
        return fprintf(stderr, "%s\n", sm_last_error()), 1;

    setvbuf(stdin, NULL, _IONBF, 0); /* what stdio keeps in a buffer, poll() does not see */
    struct pollfd waiting[2] = {{sm_get_fd(client), POLLIN, 0}, {0, POLLIN, 0}};
    /* At the end of the input the last search is still shown. */
    while (!has_failed && (waiting[1].fd == 0 || is_fetching)) {
        if (poll(waiting, 2, -1) < 0) return perror("poll"), 1;
        if (sm_dispatch(client, 0, 0) < 0) fail("sm_dispatch", sm_last_error());
        if (waiting[1].revents == 0) continue;
        if (fgets(typed, sizeof typed, stdin)) {
            typed[strcspn(typed, "\n")] = 0;
            search(client);
        } else {
            waiting[1].fd = -1; /* poll() leaves it out */
        }
    }
    sm_close(client);
    return has_failed;
}
