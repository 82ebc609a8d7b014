/*
 * poll - asks a channel something, gives the first answer, and shows how many chose what.
 *
 *     poll CONFIG_JSON CHANNEL_URL TITLE OPTION...
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "terminal.h" /* print_plain(): a text of others must not control the terminal */

/* How a call ended; the last one is kept until the next. */
static int is_complete;
static int32_t last_status;
static json_t *last_event;

static void on_result(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data;
    is_complete = 1;
    last_status = status;
    json_decref(last_event);
    last_event = json_loadb(json, length, 0, NULL);
}

/* Runs the callbacks until the call is complete. */
static int wait_for(sm_client *client, const char *what, int32_t begun) {
    const char *message = NULL;
    if (begun != SM_OK) return fprintf(stderr, "%s: %s\n", what, sm_last_error()), 0;
    for (; !is_complete;)
        if (sm_dispatch(client, 0, -1) < 0) return fprintf(stderr, "sm_dispatch: %s\n", sm_last_error()), 0;
    is_complete = 0;
    if (last_status == SM_OK) return 1;
    json_unpack(last_event, "{s?s}", "message", &message);
    fprintf(stderr, "%s: %s\n", what, message ? message : sm_status_name(last_status));
    return 0;
}

/* An action, or a message to send where `chat` is given. Takes the document. */
static int ask(sm_client *client, sm_collection *chat, const char *what, json_t *document) {
    char *text = json_dumps(document, 0);
    int32_t begun = chat ? sm_send_message(chat, text, on_result, NULL, NULL, NULL)
                         : sm_call(client, text, on_result, NULL, NULL, NULL);
    free(text);
    json_decref(document);
    return wait_for(client, what, begun);
}

static void show(const json_t *poll) {
    size_t i, k;
    json_t *option, *chosen;
    json_array_foreach(json_object_get(poll, "options"), i, option) {
        int is_own = 0;
        json_array_foreach(json_object_get(poll, "voted_option_ids"), k, chosen)
            is_own |= json_equal(chosen, json_object_get(option, "id"));
        printf("%c %d ", is_own ? '*' : ' ', (int)json_integer_value(json_object_get(option, "vote_count")));
        print_plain(json_string_value(json_object_get(option, "text")));
        printf("\n");
    }
}

/* The poll of a message, as the collection shows it. */
static json_t *shown(sm_collection *chat, const json_t *message_id) {
    char *text = NULL;
    json_t *snapshot, *message, *poll = NULL;
    size_t i;
    if (sm_collection_snapshot(chat, &text) != SM_OK) return NULL;
    snapshot = json_loads(text, 0, NULL);
    sm_string_free(text);
    json_array_foreach(json_object_get(snapshot, "succeeded"), i, message)
        if (json_equal(json_object_get(message, "message_id"), message_id))
            poll = json_incref(json_object_get(message, "poll"));
    json_decref(snapshot);
    return poll;
}

int main(int argc, char **argv) {
    sm_client *client = NULL;
    sm_collection *chat = NULL;
    json_t *options = json_array(), *poll = NULL, *message_id = NULL, *first;
    int i, is_good = 0;
    if (argc < 6) return fprintf(stderr, "usage: poll CONFIG_JSON CHANNEL_URL TITLE OPTION OPTION...\n"), 1;
    for (i = 4; i < argc; i++) json_array_append_new(options, json_string(argv[i]));

    if (sm_setup(argv[1], &client) != SM_OK ||
        sm_message_collection_new(client, argv[2], NULL, SM_LATEST, &chat) != SM_OK)
        return fprintf(stderr, "%s\n", sm_last_error()), 1;
    if (!wait_for(client, "connect", sm_connect(client, on_result, NULL, NULL, NULL))) goto end;
    if (!wait_for(client, "fetch", sm_fetch(chat, SM_PREVIOUS, on_result, NULL, NULL, NULL))) goto end;

    if (!ask(client, NULL, "create_poll",
             json_pack("{s:s, s:s, s:o}", "action", "create_poll", "title", argv[3], "options", options)))
        goto end;
    poll = json_incref(json_object_get(last_event, "result"));
    if (!ask(client, chat, "send",
             json_pack("{s:s, s:O}", "message", argv[3], "poll_id", json_object_get(poll, "id"))))
        goto end;
    message_id = json_incref(json_object_get(json_object_get(last_event, "message"), "message_id"));
    first = json_object_get(json_array_get(json_object_get(poll, "options"), 0), "id");
    if (!ask(client, NULL, "vote_poll",
             json_pack("{s:s, s:s, s:O, s:O, s:[O]}", "action", "vote_poll", "channel_url", argv[2], "message_id",
                       message_id, "poll_id", json_object_get(poll, "id"), "option_ids", first)))
        goto end;
    json_decref(poll);
    poll = shown(chat, message_id);
    show(poll);
    is_good = poll != NULL;
end:
    json_decref(poll);
    json_decref(message_id);
    json_decref(last_event);
    sm_close(client);
    return is_good ? 0 : 1;
}
