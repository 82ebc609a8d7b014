/* Tasks by the day they are due, as a stream of the program's own rows: tasks CONFIG_JSON */
#include <stdio.h>
#include <syncmanager.h>

static int is_found;

/* The list after each batch. All of it is this program's own; of rows from outside see docs/display.md. */
static void on_event(void *user_data, const char *json, size_t length) {
    char *list = NULL;
    if (sm_collection_snapshot(user_data, &list) == SM_OK) printf("%.*s\n%s\n", (int)length, json, list);
    sm_string_free(list);
}

static void on_found(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data;
    printf("%s: %.*s\n", sm_status_name(status), (int)length, json);
    is_found = 1;
}

int main(int argc, char **argv) {
    sm_client *client;
    sm_collection *tasks;
    if (argc < 2 || sm_setup(argv[1], &client) != SM_OK) return fprintf(stderr, "%s\n", sm_last_error()), 1;
    if (sm_stream_open(client, "{\"source\":\"transient\",\"order_by\":\"due\"}", NULL, NULL, NULL, &tasks) != SM_OK ||
        sm_collection_set_callback(tasks, on_event, tasks, NULL) != SM_OK ||
        sm_stream_call(tasks, "{\"action\":\"add\",\"rows\":[{\"key\":\"a\",\"item\":{\"due\":3}},"
                              "{\"key\":\"b\",\"item\":{\"due\":1}}]}", NULL, NULL, NULL, NULL) != SM_OK ||
        sm_stream_call(tasks, "{\"action\":\"find\",\"key\":\"a\"}", on_found, NULL, NULL, NULL) != SM_OK)
        return fprintf(stderr, "%s\n", sm_last_error()), 1;
    while (!is_found && sm_dispatch(client, 0, 5000) > 0) continue;
    sm_close(client);
    return !is_found;
}
