/*
 * send_file - sends a file into a channel, with a bar that shows how far it is, and receives it again.
 *
 *     send_file CONFIG_JSON CHANNEL_URL PATH TARGET
 *
 * docs/files.md explains the events. PATH is absolute.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "terminal.h" /* print_plain(): a name must not control the terminal */

/* How a call ended. */
typedef struct {
    int is_complete;
    int32_t status;
    json_t *event;
} call;

static void bar(const char *what, json_int_t done, json_int_t total) {
    int filled = total > 0 ? (int)(done * 20 / total) : 0;
    printf("\r%s [%.*s%.*s] %3d %%", what, filled, "####################", 20 - filled, "....................",
           total > 0 ? (int)(done * 100 / total) : 0);
    fflush(stdout);
}

static void on_event(void *user_data, const char *json, size_t length) {
    json_t *event = json_loadb(json, length, 0, NULL);
    const char *type = "";
    json_int_t sent = 0, received = 0, total = 0; /* the total of what is received may be missing */
    (void)user_data;
    json_unpack(event, "{s:s, s?I, s?I, s?I}", "type", &type, "sent", &sent, "received", &received, "total", &total);
    if (strcmp(type, "upload_progress") == 0) bar("sending", sent, total);
    if (strcmp(type, "download_progress") == 0) bar("receiving", received, total);
    json_decref(event);
}

static void on_result(void *user_data, int32_t status, const char *json, size_t length) {
    call *ended = user_data;
    ended->is_complete = 1;
    ended->status = status;
    ended->event = json_loadb(json, length, 0, NULL);
}

/* Runs the callbacks until the call is complete. */
static int wait_for(sm_client *client, const char *what, int32_t begun, call *waited) {
    const char *message = NULL;
    if (begun != SM_OK) return fprintf(stderr, "%s: %s\n", what, sm_last_error()), 0;
    while (!waited->is_complete)
        if (sm_dispatch(client, 0, -1) < 0) return fprintf(stderr, "sm_dispatch: %s\n", sm_last_error()), 0;
    if (waited->status == SM_OK) return 1;
    json_unpack(waited->event, "{s?s}", "message", &message);
    fprintf(stderr, "\n%s: %s\n", what, message ? message : sm_status_name(waited->status));
    return 0;
}

int main(int argc, char **argv) {
    sm_client *client = NULL;
    sm_collection *chat = NULL;
    call sent = {0, SM_OK, NULL}, received = {0, SM_OK, NULL};
    json_t *document;
    char *text;
    const char *url = "", *name = "";
    int is_good = 0;
    if (argc != 5) return fprintf(stderr, "usage: send_file CONFIG_JSON CHANNEL_URL PATH TARGET\n"), 1;

    if (sm_setup(argv[1], &client) != SM_OK || sm_set_callback(client, on_event, NULL, NULL) != SM_OK ||
        sm_connect(client, NULL, NULL, NULL, NULL) != SM_OK ||
        sm_message_collection_new(client, argv[2], NULL, SM_LATEST, &chat) != SM_OK)
        return fprintf(stderr, "%s\n", sm_last_error()), 1;

    document = json_pack("{s:{s:s}}", "file", "path", argv[3]);
    text = json_dumps(document, 0);
    json_decref(document);
    if (!wait_for(client, "send", sm_send_message(chat, text, on_result, &sent, NULL, NULL), &sent)) goto end;
    json_unpack(sent.event, "{s:{s:{s:s, s:s}}}", "message", "file", "url", &url, "name", &name);
    printf("\nsent: ");
    print_plain(name);

    free(text);
    document = json_pack("{s:s, s:s, s:s}", "action", "download_file", "url", url, "path", argv[4]);
    text = json_dumps(document, 0);
    json_decref(document);
    printf("\n");
    if (!wait_for(client, "download", sm_call(client, text, on_result, &received, NULL, NULL), &received)) goto end;
    printf("\nreceived: %s\n", argv[4]);
    is_good = 1;
end:
    free(text);
    json_decref(sent.event);
    json_decref(received.event);
    sm_close(client);
    return is_good ? 0 : 1;
}
