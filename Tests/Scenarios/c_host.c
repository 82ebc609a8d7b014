/*
 * The C host of the scenarios: PROTOCOL.md on the bare C interface. It decides nothing. jansson reads the steps; what
 * the library tells goes out as it came.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SM_WORLD
#include "syncmanager_testing.h"
#else
#include "syncmanager.h"
#endif

enum { NAMES = 64 };

typedef struct {
    char *name;
    sm_collection *collection;
} view;

static sm_client *client;
static view views[NAMES];

/* A step that makes no sense is a fault of the runner. */
static void nonsense(const char *what, const char *which) {
    fprintf(stderr, "%s %s\n", what, which ? which : "");
    exit(2);
}

static const char *text_of(json_t *step, const char *key) {
    const char *text = json_string_value(json_object_get(step, key));
    if (!text) nonsense("no text", key);
    return text;
}

static json_int_t number_of(json_t *step, const char *key) {
    json_t *number = json_object_get(step, key);
    if (!json_is_integer(number)) nonsense("no number", key);
    return json_integer_value(number);
}

/* A member as a text to be freed; NULL when it is missing or null. */
static char *document(json_t *step, const char *key) {
    json_t *member = json_object_get(step, key);
    return !member || json_is_null(member) ? NULL : json_dumps(member, JSON_COMPACT | JSON_ENCODE_ANY);
}

static view *find(const char *name) {
    for (int i = 0; i < NAMES; i++)
        if (views[i].name && !strcmp(views[i].name, name)) return &views[i];
    return NULL;
}

static sm_collection *collection_of(json_t *step) {
    view *found = find(text_of(step, "on"));
    if (!found) nonsense("no collection", text_of(step, "on"));
    return found->collection;
}

static void forget(view *gone) {
    free(gone->name);
    gone->name = NULL;
}

static void keep(json_t *step, sm_collection *collection) {
    const char *name = text_of(step, "as");
    view *place = find(name);
    for (int i = 0; !place && i < NAMES; i++)
        if (!views[i].name) place = &views[i];
    if (!place) nonsense("too many collections", NULL);
    forget(place);
    place->name = strdup(name);
    place->collection = collection;
}

static sm_client *open_client(void) {
    if (!client) nonsense("there is no client", NULL);
    return client;
}

/* ---- Answers */

static void answer(json_int_t id, const char *more) {
    printf("{\"id\":%" JSON_INTEGER_FORMAT "%s}\n", id, more);
    fflush(stdout);
}

static void answer_json(json_int_t id, const char *key, const char *json) {
    printf("{\"id\":%" JSON_INTEGER_FORMAT ",\"%s\":%s}\n", id, key, json);
    fflush(stdout);
}

static void answer_number(json_int_t id, const char *key, uint64_t number) {
    printf("{\"id\":%" JSON_INTEGER_FORMAT ",\"%s\":%" PRIu64 "}\n", id, key, number);
    fflush(stdout);
}

static void answer_status(json_int_t id, int32_t status) {
    if (status < 0) answer_json(id, "error", sm_last_error());
    else answer(id, "");
}

static void answer_request(json_int_t id, int32_t status, uint64_t request) {
    if (status < 0) answer_json(id, "error", sm_last_error());
    else answer_number(id, "request", request);
}

static void answer_collection(json_int_t id, json_t *step, int32_t status, sm_collection *collection) {
    if (status >= 0) keep(step, collection);
    if (status < 0) answer_json(id, "error", sm_last_error());
    else answer_number(id, "collection", sm_collection_number(collection));
}

static void answer_owned(json_int_t id, const char *key, int32_t status, char *json) {
    if (status < 0) answer_json(id, "error", sm_last_error());
    else answer_json(id, key, json);
    if (status >= 0) sm_string_free(json);
}

/* ---- Steps */

typedef int32_t (*message_call)(
    sm_collection *, const char *, sm_result_callback, void *, sm_destroy_callback, uint64_t *);

static void do_message(json_int_t id, json_t *step, message_call call) {
    uint64_t request = 0;
    char *message = document(step, "message");
    int32_t status = call(collection_of(step), message, NULL, NULL, NULL, &request);
    free(message);
    answer_request(id, status, request);
}

static void do_response(json_int_t id, json_t *step) {
    uint64_t request = 0;
    char *message = document(step, "message");
    int32_t status = sm_handle_send_response(
        collection_of(step), message, (int32_t)number_of(step, "error_code"), NULL, NULL, NULL, &request);
    free(message);
    answer_request(id, status, request);
}

static void do_setup(json_int_t id, json_t *step) {
    char *config = document(step, "config");
    int32_t status = sm_setup(config, &client);
    free(config);
    answer_status(id, status);
}

static void do_close(json_int_t id) {
    sm_close(open_client());
    client = NULL;
    for (int i = 0; i < NAMES; i++) forget(&views[i]);
    answer(id, "");
}

static void do_call(json_int_t id, json_t *step) {
    uint64_t request = 0;
    char *text = document(step, "document");
    int32_t status = sm_call(open_client(), text, NULL, NULL, NULL, &request);
    free(text);
    answer_request(id, status, request);
}

static void do_channels(json_int_t id, json_t *step) {
    sm_collection *collection = NULL;
    char *query = document(step, "query");
    int32_t status = sm_channel_collection_new(open_client(), query, &collection);
    free(query);
    answer_collection(id, step, status, collection);
}

static void do_search(json_int_t id, json_t *step) {
    sm_collection *collection = NULL;
    char *query = document(step, "query");
    int32_t status = sm_search_collection_new(open_client(), query, &collection);
    free(query);
    answer_collection(id, step, status, collection);
}

static void do_messages(json_int_t id, json_t *step) {
    sm_collection *collection = NULL;
    char *filter = document(step, "filter");
    int32_t status = sm_message_collection_new(
        open_client(), text_of(step, "channel_url"), filter, number_of(step, "viewpoint"), &collection);
    free(filter);
    answer_collection(id, step, status, collection);
}

/* What the host's function says of a row: the number of its key in the step, else 0. */
static int32_t of_row(void *table, const char *key, const char *item, size_t length) {
    (void)item;
    (void)length;
    return (int32_t)json_integer_value(json_object_get(table, key));
}

static void free_table(void *table) { json_decref(table); }

static void do_stream(json_int_t id, json_t *step) {
    sm_collection *stream = NULL;
    char *spec = document(step, "spec");
    json_t *table = json_object_get(step, "function");
    int32_t status = json_is_object(table)
        ? sm_stream_open(open_client(), spec, of_row, json_incref(table), free_table, &stream)
        : sm_stream_open(open_client(), spec, NULL, NULL, NULL, &stream);
    free(spec);
    answer_collection(id, step, status, stream);
}

static void do_ask(json_int_t id, json_t *step) {
    uint64_t request = 0;
    char *text = document(step, "request");
    int32_t status = sm_stream_call(collection_of(step), text, NULL, NULL, NULL, &request);
    free(text);
    answer_request(id, status, request);
}

static void do_open_cached(json_int_t id, json_t *step) {
    sm_collection *collection = NULL;
    uint64_t request = 0;
    char *filter = document(step, "filter");
    int32_t status = sm_message_collection_open(
        open_client(), text_of(step, "channel_url"), filter, number_of(step, "viewpoint"), NULL, NULL, NULL, &request,
        &collection);
    free(filter);
    if (status < 0) {
        answer_json(id, "error", sm_last_error());
        return;
    }
    keep(step, collection);
    printf("{\"id\":%" JSON_INTEGER_FORMAT ",\"collection\":%" PRIu64 ",\"request\":%" PRIu64 "}\n", id,
           sm_collection_number(collection), request);
    fflush(stdout);
}

typedef int32_t (*plain_call)(sm_collection *, sm_result_callback, void *, sm_destroy_callback, uint64_t *);

static void do_plain(json_int_t id, json_t *step, plain_call call) {
    uint64_t request = 0;
    int32_t status = call(collection_of(step), NULL, NULL, NULL, &request);
    answer_request(id, status, request);
}

static void do_contains(json_int_t id, json_t *step) {
    int32_t status = sm_collection_contains(collection_of(step), text_of(step, "item"));
    if (status < 0) answer_json(id, "error", sm_last_error());
    else answer_json(id, "contains", status ? "true" : "false");
}

static void do_fetch(json_int_t id, json_t *step) {
    uint64_t request = 0;
    const char *direction = text_of(step, "direction");
    int32_t number = !strcmp(direction, "next") ? SM_NEXT : !strcmp(direction, "previous") ? SM_PREVIOUS : 0;
    if (!number) nonsense("no direction", direction);
    int32_t status = sm_fetch(collection_of(step), number, NULL, NULL, NULL, &request);
    answer_request(id, status, request);
}

static void do_take(json_int_t id, json_t *step) {
    const char *event = NULL;
    int32_t status = sm_next_event(open_client(), (int32_t)number_of(step, "timeout_ms"), &event, NULL);
    if (status < 0) answer_status(id, status);
    else answer_json(id, "event", event ? event : "null");
}

#ifdef SM_WORLD

static smt_world *world;

static void do_world(json_int_t id, json_t *step) {
    char *options = document(step, "options");
    int32_t status = smt_world_new((uint64_t)number_of(step, "seed"), options, &world);
    free(options);
    answer_status(id, status);
}

static void do_ask_world(json_int_t id, json_t *step) {
    int is_database = json_is_true(json_object_get(step, "database"));
    const char *body = json_string_value(json_object_get(step, "body"));
    int32_t status = 0;
    char *content = NULL;
    int32_t code = (is_database ? smt_database_request : smt_request)(
        world, text_of(step, "method"), text_of(step, "target"), body, &status, &content);
    if (code < 0) {
        answer_status(id, code);
        return;
    }
    json_t *text = json_string(content);
    char *quoted = json_dumps(text, JSON_COMPACT | JSON_ENCODE_ANY);
    printf("{\"id\":%" JSON_INTEGER_FORMAT ",\"status\":%" PRId32 ",\"body\":%s}\n", id, status, quoted);
    fflush(stdout);
    free(quoted);
    json_decref(text);
    sm_string_free(content);
}

static void do_kill(json_int_t id) {
    int32_t status = smt_kill(open_client());
    client = NULL;
    for (int i = 0; i < NAMES; i++) forget(&views[i]);
    answer_status(id, status);
}

/* The steps of a world; 0 for others. */
static int run_in_world(json_int_t id, const char *verb, json_t *step) {
    if (!strcmp(verb, "world")) {
        do_world(id, step);
    } else if (!strcmp(verb, "ask_world")) {
        do_ask_world(id, step);
    } else if (!strcmp(verb, "end_world")) {
        answer_status(id, smt_world_free(world));
    } else if (!strcmp(verb, "kill")) {
        do_kill(id);
    } else {
        return 0;
    }
    return 1;
}

#else

static int run_in_world(json_int_t id, const char *verb, json_t *step) {
    (void)id, (void)verb, (void)step;
    return 0;
}

#endif

static void run(json_int_t id, const char *verb, json_t *step) {
    uint64_t request = 0;
    char *json = NULL;
    int32_t status;
    if (run_in_world(id, verb, step)) return;
    if (!strcmp(verb, "setup")) {
        do_setup(id, step);
    } else if (!strcmp(verb, "close")) {
        do_close(id);
    } else if (!strcmp(verb, "connect")) {
        status = sm_connect(open_client(), NULL, NULL, NULL, &request);
        answer_request(id, status, request);
    } else if (!strcmp(verb, "disconnect")) {
        answer_status(id, sm_disconnect(open_client()));
    } else if (!strcmp(verb, "resume_sync")) {
        answer_status(id, sm_resume_sync(open_client()));
    } else if (!strcmp(verb, "pause_sync")) {
        answer_status(id, sm_pause_sync(open_client()));
    } else if (!strcmp(verb, "set_token")) {
        answer_status(id, sm_set_token(open_client(), text_of(step, "token")));
    } else if (!strcmp(verb, "set_foreground")) {
        answer_status(id, sm_set_foreground(open_client(), json_is_true(json_object_get(step, "foreground"))));
    } else if (!strcmp(verb, "sign_out")) {
        status = sm_sign_out(open_client(), NULL, NULL, NULL, &request);
        answer_request(id, status, request);
    } else if (!strcmp(verb, "clear_cache")) {
        const char *url = json_string_value(json_object_get(step, "channel_url"));
        status = sm_clear_cache(open_client(), url, NULL, NULL, NULL, &request);
        answer_request(id, status, request);
    } else if (!strcmp(verb, "call")) {
        do_call(id, step);
    } else if (!strcmp(verb, "channels")) {
        do_channels(id, step);
    } else if (!strcmp(verb, "search")) {
        do_search(id, step);
    } else if (!strcmp(verb, "messages")) {
        do_messages(id, step);
    } else if (!strcmp(verb, "stream")) {
        do_stream(id, step);
    } else if (!strcmp(verb, "ask")) {
        do_ask(id, step);
    } else if (!strcmp(verb, "fetch")) {
        do_fetch(id, step);
    } else if (!strcmp(verb, "start")) {
        do_plain(id, step, sm_collection_start);
    } else if (!strcmp(verb, "open_cached")) {
        do_open_cached(id, step);
    } else if (!strcmp(verb, "fetch_all_next")) {
        do_plain(id, step, sm_fetch_all_next);
    } else if (!strcmp(verb, "fetch_failed")) {
        do_plain(id, step, sm_fetch_failed);
    } else if (!strcmp(verb, "fetch_pending")) {
        do_plain(id, step, sm_fetch_pending);
    } else if (!strcmp(verb, "contains")) {
        do_contains(id, step);
    } else if (!strcmp(verb, "reset_viewpoint")) {
        answer_status(id, sm_reset_viewpoint(collection_of(step), number_of(step, "viewpoint")));
    } else if (!strcmp(verb, "info")) {
        status = sm_collection_info(collection_of(step), &json);
        answer_owned(id, "info", status, json);
    } else if (!strcmp(verb, "snapshot")) {
        status = sm_collection_snapshot(collection_of(step), &json);
        answer_owned(id, "snapshot", status, json);
    } else if (!strcmp(verb, "remove")) {
        sm_collection_remove(collection_of(step));
        forget(find(text_of(step, "on")));
        answer(id, "");
    } else if (!strcmp(verb, "send")) {
        do_message(id, step, sm_send_message);
    } else if (!strcmp(verb, "append")) {
        do_message(id, step, sm_append_message);
    } else if (!strcmp(verb, "update")) {
        do_message(id, step, sm_update_message);
    } else if (!strcmp(verb, "delete")) {
        do_message(id, step, sm_delete_message);
    } else if (!strcmp(verb, "response")) {
        do_response(id, step);
    } else if (!strcmp(verb, "take")) {
        do_take(id, step);
    } else {
        nonsense("no such verb:", verb);
    }
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    printf("{\"host\":\"c\",\"version\":\"%s\",\"items\":false}\n", sm_version_string());
    fflush(stdout);
    while (getline(&line, &size, stdin) > 0) {
        json_error_t error;
        json_t *step = json_loads(line, JSON_ALLOW_NUL, &error);
        if (!step) nonsense("not JSON:", error.text);
        run(number_of(step, "id"), text_of(step, "do"), step);
        json_decref(step);
    }
    free(line);
    sm_close(client);
    for (int i = 0; i < NAMES; i++) forget(&views[i]);
    return 0;
}
