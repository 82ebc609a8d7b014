/* Who comes to an event, live from a realtime database: people CONFIG_JSON COUNT
 *
 * One list, the same in sections, and two limited queries as the sections of one list. Prints what is shown whenever it
 * changes, until each way shows COUNT people. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "terminal.h"

typedef struct {
    const char *name;
    sm_collection *stream;
    size_t count;
} list;

static int is_good = 1;

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    is_good = 0;
}

/* The library keeps the list itself. */
static void show(list *shown) {
    char *text = NULL;
    size_t section, row;
    json_t *value, *person;
    if (sm_collection_snapshot(shown->stream, &text) != SM_OK) {
        fail(shown->name, sm_last_error());
        return;
    }
    json_t *snapshot = json_loads(text, 0, NULL);
    sm_string_free(text);
    shown->count = 0;
    json_array_foreach(json_object_get(snapshot, "sections"), section, value) {
        const char *title = json_string_value(json_object_get(value, "title"));
        json_t *rows = json_object_get(value, "rows");
        printf("%s%s: ", section ? "; " : "", title && *title ? title : shown->name); /* this program's own */
        if (json_array_size(rows) == 0) printf("nobody");
        json_array_foreach(rows, row, person) {
            const char *name = json_string_value(json_object_get(json_object_get(person, "item"), "name"));
            fputs(row ? ", " : "", stdout);
            print_plain(name ? name : json_string_value(json_object_get(person, "key")));
        }
        shown->count += json_array_size(rows);
    }
    puts("");
    fflush(stdout);
    json_decref(snapshot);
}

static void on_event(void *user_data, const char *json, size_t length) {
    list *shown = user_data;
    const char *type = "", *message = NULL;
    int status = SM_OK;
    json_t *event = json_loadb(json, length, 0, NULL);
    json_unpack(event, "{s:s, s?i, s?s}", "type", &type, "status", &status, "message", &message);
    if (strcmp(type, "stream_batch") == 0)
        show(shown);
    else if (strcmp(type, "stream_loaded") == 0 && status != SM_OK)
        fail(shown->name, message ? message : sm_status_name(status));
    json_decref(event);
}

static void open_list(sm_client *client, list *opened, const char *spec) {
    if (is_good && (sm_stream_open(client, spec, NULL, NULL, NULL, &opened->stream) != SM_OK ||
                    sm_collection_set_callback(opened->stream, on_event, opened, NULL) != SM_OK))
        fail(opened->name, sm_last_error());
}

int main(int argc, char **argv) {
    list everybody = {"everybody", NULL, 0}, roles = {"roles", NULL, 0};
    list first = {"section 0", NULL, 0}, second = {"section 1", NULL, 0};
    sm_client *client = NULL;
    char partition[300], *end = NULL;
    long count = argc == 3 ? strtol(argv[2], &end, 10) : 0;
    if (count < 1 || *end) return fprintf(stderr, "usage: people CONFIG_JSON COUNT\n"), 1;
    if (sm_setup(argv[1], &client) != SM_OK) return fprintf(stderr, "sm_setup: %s\n", sm_last_error()), 1;
    size_t wanted = (size_t)count;

    open_list(client, &everybody, "{\"source\":{\"database\":{\"path\":\"people\"}},\"order_by\":\"name\"}");
    /* Organizers and participants of the same list. */
    snprintf(partition, sizeof partition,
             "{\"source\":{\"partition\":{\"stream\":%llu,\"titles\":[\"organizers\",\"participants\"],"
             "\"rule\":[{\"==\":[\"is_organizer\",true]},true]}}}",
             (unsigned long long)sm_collection_number(everybody.stream));
    open_list(client, &roles, partition);
    /* A list of hundreds is better asked for in parts: each section has a query and a limit of its own. */
    open_list(client, &first,
              "{\"source\":{\"database\":{\"path\":\"people\",\"order_by\":\"is_organizer\",\"start_at\":true}},"
              "\"limit\":100,\"section\":0}");
    open_list(client, &second,
              "{\"source\":{\"database\":{\"path\":\"people\",\"order_by\":\"is_organizer\",\"end_at\":false}},"
              "\"limit\":100,\"section\":1}");

    while (is_good &&
           (everybody.count != wanted || roles.count != wanted || first.count + second.count != wanted)) {
        int32_t taken = sm_dispatch(client, 0, 30000);
        if (taken <= 0) fail("sm_dispatch", taken ? sm_last_error() : "nobody came for half a minute");
    }
    sm_close(client);
    return is_good ? 0 : 1;
}
