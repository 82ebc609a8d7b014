/* Groups, their messages and likes in a realtime database: groups CONFIG_JSON
 *
 * What lies where is said once; contexts say which group and which message is meant, and the library counts. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "terminal.h"

static sm_client *client;
static int is_waiting;

static const char *text(const json_t *object, const char *key) {
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static void print_line(const char *what, const char *between, const char *of) {
    print_plain(what);
    print_plain(between);
    print_plain(of);
    putchar('\n');
}

/* The end of a call. */
static void on_result(void *user_data, int32_t status, const char *result, size_t length) {
    json_t *event = json_loadb(result, length, 0, NULL);
    json_t *object = json_object_get(event, "result");
    if (status != SM_OK)
        print_line(text(event, "action"), " failed: ", text(event, "message"));
    else if (*text(object, "change"))
        print_line(text(object, "change"), " ", text(object, "path"));
    else if (json_object_get(object, "value"))
        printf("%s: %" JSON_INTEGER_FORMAT "\n", (const char *)user_data,
               json_integer_value(json_object_get(object, "value")));
    is_waiting = 0;
    json_decref(event);
}

/* The hook before a message is created: whose it is comes from here. */
static void on_event(void *user_data, const char *json, size_t length) {
    json_t *event = json_loadb(json, length, 0, NULL);
    if (strcmp(text(event, "type"), "resource_will_create") == 0) {
        json_t *value = json_deep_copy(json_object_get(event, "value"));
        json_object_set_new(value, "by", json_string((const char *)user_data));
        json_t *answer = json_pack("{s:s, s:O, s:o}", "action", "resource_continue", "hook",
                                   json_object_get(event, "hook"), "value", value);
        char *request = json_dumps(answer, JSON_COMPACT);
        if (sm_call(client, request, NULL, NULL, NULL, NULL) != SM_OK) fprintf(stderr, "%s\n", sm_last_error());
        free(request);
        json_decref(answer);
    } else if (strcmp(text(event, "type"), "resource_action") == 0) {
        fputs("log: ", stdout);
        print_line(text(event, "change"), " ", text(event, "path"));
    }
    json_decref(event);
}

static int ask(const char *request, const char *name) {
    is_waiting = 1;
    if (sm_call(client, request, on_result, (void *)name, NULL, NULL) != SM_OK) {
        fprintf(stderr, "%s\n", sm_last_error());
        return 0;
    }
    while (is_waiting)
        if (sm_dispatch(client, 0, 30000) <= 0) return 0;
    return 1;
}

int main(int argc, char **argv) {
    static const char *const steps[] = {
        "{\"action\":\"resource_register\",\"resource_type\":\"Group\",\"path\":\"/group/@\","
        "\"counters\":[{\"name\":\"message_count\",\"counting\":\"Message\"}]}",
        "{\"action\":\"resource_register\",\"resource_type\":\"Message\",\"path\":\"/group_message/$group/@\","
        "\"counters\":[{\"name\":\"likes\",\"counting\":\"Like\"}],\"hooks\":[\"will_create\",\"action\"]}",
        "{\"action\":\"resource_register\",\"resource_type\":\"Like\",\"path\":\"/like/$group/$message/@\"}",
        "{\"action\":\"resource_push\",\"context\":\"root\"}",
        "{\"action\":\"resource_create\",\"context\":\"root\",\"resource_type\":\"Group\",\"key\":\"g\","
        "\"value\":{\"name\":\"hikers\"}}",
        "{\"action\":\"resource_push\",\"context\":\"group\",\"parent\":\"root\","
        "\"resources\":{\"group\":{\"key\":\"g\",\"type\":\"Group\"}}}",
        "{\"action\":\"resource_create\",\"context\":\"group\",\"resource_type\":\"Message\",\"key\":\"m\","
        "\"value\":{\"text\":\"where to?\"}}",
        /* Pushed for one like. */
        "{\"action\":\"resource_push\",\"context\":\"message\",\"parent\":\"group\","
        "\"resources\":{\"message\":{\"key\":\"m\",\"type\":\"Message\"}}}",
        "{\"action\":\"resource_toggle\",\"context\":\"message\",\"resource_type\":\"Like\",\"key\":\"me\","
        "\"value\":true}",
        "{\"action\":\"resource_pop\",\"context\":\"message\"}",
    };
    if (argc < 2 || sm_setup(argv[1], &client) != SM_OK) return fprintf(stderr, "%s\n", sm_last_error()), 1;
    sm_set_callback(client, on_event, "me", NULL);
    int is_good = 1;
    for (size_t step = 0; is_good && step < sizeof steps / sizeof *steps; step++) is_good = ask(steps[step], NULL);
    is_good = is_good && ask("{\"action\":\"database_get\",\"path\":\"group/g/message_count\"}", "messages") &&
              ask("{\"action\":\"database_get\",\"path\":\"group_message/g/m/likes\"}", "likes");
    sm_close(client);
    return is_good ? 0 : 1;
}
