/* Prefetches what the configuration says, and exports what is cached then: prefetch_export CONFIG_JSON PATH. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <syncmanager.h>

static int is_prefetched, is_complete, is_good;

static void on_event(void *user_data, const char *json, size_t length) {
    json_t *event = json_loadb(json, length, 0, NULL);
    json_int_t done = -1, total = 0;
    (void)user_data;
    json_unpack(event, "{s:{s:I, s:I}}", "prefetch", "done", &done, "total", &total);
    if (done == total) printf("prefetched: %d of %d\n", (int)done, (int)total);
    is_prefetched |= done == total;
    json_decref(event);
}

static void on_exported(void *user_data, int32_t status, const char *json, size_t length) {
    json_t *event = json_loadb(json, length, 0, NULL);
    json_int_t messages = 0;
    (void)user_data;
    is_complete = 1;
    is_good = status == SM_OK && json_unpack(event, "{s:{s:I}}", "result", "messages", &messages) == 0;
    printf("exported: %d messages\n", (int)messages);
    json_decref(event);
}

static int fail(void) { return fprintf(stderr, "%s\n", sm_last_error()), 1; }

int main(int argc, char **argv) {
    sm_client *client = NULL;
    json_t *request;
    char *text;
    int32_t status;
    if (argc != 3) return fprintf(stderr, "usage: prefetch_export CONFIG_JSON PATH\n"), 2;
    if (sm_setup(argv[1], &client) != SM_OK || sm_set_callback(client, on_event, NULL, NULL) != SM_OK ||
        sm_connect(client, NULL, NULL, NULL, NULL) != SM_OK)
        return fail();
    while (!is_prefetched)
        if (sm_dispatch(client, 0, -1) < 0) return fail();
    request = json_pack("{s:s, s:s}", "action", "export", "path", argv[2]);
    text = json_dumps(request, 0);
    status = sm_call(client, text, on_exported, NULL, NULL, NULL);
    free(text);
    json_decref(request);
    if (status != SM_OK) return fail();
    while (!is_complete)
        if (sm_dispatch(client, 0, -1) < 0) return fail();
    sm_close(client);
    return !is_good;
}
