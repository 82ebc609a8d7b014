/*
 * draft - keeps what the user writes, shows what was kept by an earlier run, and sends it.
 *
 *     draft CONFIG_JSON CHANNEL_URL            shows the draft
 *     draft CONFIG_JSON CHANNEL_URL TEXT       it becomes the draft
 *     draft CONFIG_JSON CHANNEL_URL --send     it is sent
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "terminal.h" /* print_plain(): a text must not control the terminal */

static int is_complete;
static int32_t last_status;

static void on_result(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data, (void)json, (void)length;
    is_complete = 1;
    last_status = status;
}

/* Runs the callbacks until the call is complete. */
static int wait_for(sm_client *client, const char *what, int32_t begun) {
    if (begun != SM_OK) return fprintf(stderr, "%s: %s\n", what, sm_last_error()), 0;
    for (; !is_complete;)
        if (sm_dispatch(client, 0, -1) < 0) return fprintf(stderr, "sm_dispatch: %s\n", sm_last_error()), 0;
    is_complete = 0;
    if (last_status != SM_OK) fprintf(stderr, "%s: %s\n", what, sm_status_name(last_status));
    return last_status == SM_OK;
}

/* The draft of the channel as the list shows it; NULL when there is none. To be freed. */
static char *draft_of(sm_collection *channels, const char *channel_url) {
    char *text = NULL, *draft = NULL;
    const char *url, *written;
    json_t *snapshot, *channel;
    size_t i;
    if (sm_collection_snapshot(channels, &text) != SM_OK) return NULL;
    snapshot = json_loads(text, 0, NULL);
    sm_string_free(text);
    json_array_foreach(json_object_get(snapshot, "channels"), i, channel)
        if (json_unpack(channel, "{s:s, s:{s:s}}", "channel_url", &url, "draft", "message", &written) == 0 &&
            strcmp(url, channel_url) == 0 && (draft = malloc(strlen(written) + 1)))
            strcpy(draft, written);
    json_decref(snapshot);
    return draft;
}

int main(int argc, char **argv) {
    sm_client *client = NULL;
    sm_collection *channels = NULL, *chat = NULL;
    json_t *document;
    char *text = NULL, *draft = NULL;
    int is_good;
    if (argc < 3 || argc > 4) return fprintf(stderr, "usage: draft CONFIG_JSON CHANNEL_URL [TEXT | --send]\n"), 1;
    /* Drafts need no connection; the channel has to be cached. */
    if (sm_setup(argv[1], &client) != SM_OK || sm_connect(client, NULL, NULL, NULL, NULL) != SM_OK ||
        sm_channel_collection_new(client, NULL, &channels) != SM_OK ||
        sm_message_collection_new(client, argv[2], NULL, SM_LATEST, &chat) != SM_OK)
        return fprintf(stderr, "%s\n", sm_last_error()), 1;
    is_good = wait_for(client, "fetch", sm_fetch(channels, SM_NEXT, on_result, NULL, NULL, NULL));
    if (is_good && argc == 4 && strcmp(argv[3], "--send") == 0) {
        draft = draft_of(channels, argv[2]);
        document = json_pack("{s:s}", "message", draft ? draft : "");
        text = json_dumps(document, 0);
        /* That it is sent is the draft's end. */
        is_good = wait_for(client, "send", sm_send_message(chat, text, on_result, NULL, NULL, NULL));
        json_decref(document);
    } else if (is_good && argc == 4) {
        document = json_pack("{s:s, s:s, s:s}", "action", "set_draft", "channel_url", argv[2], "message", argv[3]);
        text = json_dumps(document, 0);
        /* As often as the user types. */
        is_good = wait_for(client, "set_draft", sm_call(client, text, on_result, NULL, NULL, NULL));
        json_decref(document);
    }
    free(draft);
    draft = draft_of(channels, argv[2]);
    if (is_good) {
        printf("draft: ");
        print_plain(draft ? draft : "");
        printf("\n");
    }
    free(draft);
    free(text);
    sm_close(client);
    return is_good ? 0 : 1;
}
