/* A long chat from a realtime database, newest message first: long_chat CONFIG_JSON
 *
 * It is loaded a page at a time, and a row of the program's own behind the last one asks for the next page. Here that
 * row is tapped as soon as it is shown. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "terminal.h"

enum { PAGE = 3 };

static sm_client *client;
static int is_good = 1, is_waiting, has_more;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    is_good = 0;
}

/* Runs callbacks until one of them ends the wait. */
static void wait_for_callback(void) {
    while (is_good && is_waiting) {
        int32_t taken = sm_dispatch(client, 0, 30000);
        if (taken <= 0) fail("sm_dispatch", taken ? sm_last_error() : "nothing came for half a minute");
    }
}

static void on_event(void *user_data, const char *json, size_t length) {
    const char *type = "", *message = NULL;
    int status = SM_OK;
    json_t *event = json_loadb(json, length, 0, NULL);
    json_unpack(event, "{s:s, s?i, s?s}", "type", &type, "status", &status, "message", &message);
    if (strcmp(type, "stream_loaded") == 0) {
        is_waiting = 0;
        if (status != SM_OK) fail("the chat", message ? message : sm_status_name(status));
    }
    json_decref(event);
}

static void on_result(void *user_data, int32_t status, const char *json, size_t length) {
    const char *message = NULL, *reason = NULL;
    json_t *event = json_loadb(json, length, 0, NULL);
    has_more = 0;
    json_unpack(event, "{s?s, s?{s?b, s?s}}", "message", &message, "result", "has_more", &has_more, "short", &reason);
    is_waiting = 0;
    if (status != SM_OK) fail(user_data, message ? message : sm_status_name(status));
    /* Whoever taps again later gets the rest. */
    if (reason) fail(user_data, reason);
    json_decref(event);
}

/* Asks a stream, waits for the result, and gives its "has_more"; `request` is released. */
static int ask(sm_collection *stream, char *what, json_t *request) {
    char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    is_waiting = 1;
    if (is_good && sm_stream_call(stream, text, on_result, what, NULL, NULL) != SM_OK) fail(what, sm_last_error());
    wait_for_callback();
    free(text);
    json_decref(request);
    return has_more;
}

/* To be released. */
static json_t *rows_of(sm_collection *stream) {
    char *text = NULL;
    if (sm_collection_snapshot(stream, &text) != SM_OK) fail("sm_collection_snapshot", sm_last_error());
    json_t *snapshot = text ? json_loads(text, 0, NULL) : NULL;
    json_t *section = json_array_get(json_object_get(snapshot, "sections"), 0);
    json_t *rows = json_incref(json_object_get(section, "rows"));
    sm_string_free(text);
    json_decref(snapshot);
    return rows;
}

static void show(sm_collection *stream) {
    size_t index;
    json_t *row, *rows = is_good ? rows_of(stream) : NULL;
    if (!rows) return;
    json_array_foreach(rows, index, row) {
        const char *text = json_string_value(json_object_get(json_object_get(row, "item"), "text"));
        fputs(index ? " | " : "", stdout);
        print_plain(text ? text : "");
    }
    puts("");
    json_decref(rows);
}

/* A key that stands behind the last row. A key that is the start of another one comes before it: here behind it. */
static json_t *key_behind(sm_collection *stream) {
    json_t *rows = rows_of(stream);
    const char *last = json_string_value(json_object_get(json_array_get(rows, json_array_size(rows) - 1), "key"));
    size_t length = last ? strlen(last) : 0;
    while (length > 0 && (last[--length] & 0xC0) == 0x80) {} /* a whole character of UTF-8 */
    json_t *key = json_stringn(last ? last : "", length);
    json_decref(rows);
    return key;
}

int main(int argc, char **argv) {
    sm_collection *chat = NULL, *own = NULL, *shown = NULL;
    char spec[200];
    if (argc != 2) return fprintf(stderr, "usage: long_chat CONFIG_JSON\n"), 1;
    if (sm_setup(argv[1], &client) != SM_OK) return fprintf(stderr, "sm_setup: %s\n", sm_last_error()), 1;
    snprintf(spec, sizeof spec,
             "{\"source\":{\"database\":{\"path\":\"messages\"}},\"order_by\":\"$key\",\"descending\":true,"
             "\"limit\":%d}", PAGE);
    int32_t status = sm_stream_open(client, spec, NULL, NULL, NULL, &chat);
    if (status == SM_OK) status = sm_stream_open(client, "{\"source\":\"transient\"}", NULL, NULL, NULL, &own);
    /* The order is the chat's, and so a row's key says where it stands. */
    snprintf(spec, sizeof spec, "{\"source\":{\"union\":[%llu,%llu]},\"batch_delay\":null}",
             (unsigned long long)sm_collection_number(chat), (unsigned long long)sm_collection_number(own));
    if (status == SM_OK) status = sm_stream_open(client, spec, NULL, NULL, NULL, &shown);
    if (status == SM_OK) status = sm_collection_set_callback(shown, on_event, NULL, NULL);
    if (status != SM_OK) fail("sm_stream_open", sm_last_error());
    is_waiting = 1;
    wait_for_callback();

    json_t *page = is_good ? rows_of(chat) : NULL;
    int more = json_array_size(page) == PAGE;
    json_decref(page);
    while (is_good && more) {
        json_t *tap = key_behind(chat);
        ask(own, "add", json_pack("{s:s, s:[{s:O, s:{s:s}}]}", "action", "add", "rows", "key", tap, "item", "text",
                                  "fetch more"));
        show(shown);
        more = ask(chat, "fetch_more", json_pack("{s:s, s:i}", "action", "fetch_more", "count", PAGE));
        ask(own, "remove", json_pack("{s:s, s:[O]}", "action", "remove", "keys", tap));
        json_decref(tap);
    }
    show(shown);
    sm_close(client);
    return is_good ? 0 : 1;
}
