/*
 * first - shows the messages of a channel, sends one, and follows the channel until a line comes on standard input.
 *
 *     first CONFIG_JSON CHANNEL_URL TEXT
 *
 * docs/first-program.md explains it.
 */
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <syncmanager.h>

#include "terminal.h" /* print_plain(): a name or a message must not control the terminal */

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* "insert succeeded: bo: hello" for each message that a change has; the connection's state. */
static void on_event(void *user_data, const char *json, size_t length) {
    json_t *event = json_loadb(json, length, 0, NULL), *message;
    size_t i;
    (void)user_data;
    if (json_string_value(json_object_get(event, "state"))) printf("state: %s\n", text_of(event, "state"));
    json_array_foreach(json_object_get(event, "messages"), i, message) {
        printf("%s %s: ", text_of(event, "action"), text_of(event, "list"));
        print_plain(text_of(json_object_get(message, "user"), "user_id"));
        printf(": ");
        print_plain(text_of(message, "message"));
        printf("\n");
    }
    fflush(stdout);
    json_decref(event);
}

/* The service has the message, or the first attempt failed. */
static void on_sent(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data, (void)json, (void)length;
    printf("sent: %s\n", sm_status_name(status));
}

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, sm_last_error());
    return 1;
}

int main(int argc, char **argv) {
    sm_client *client = NULL;
    sm_collection *chat = NULL;
    json_t *document;
    char *text;
    int32_t status;
    if (argc < 4) return fprintf(stderr, "usage: first CONFIG_JSON CHANNEL_URL TEXT\n"), 2;

    if (sm_setup(argv[1], &client) != SM_OK) return fail("sm_setup");
    if (sm_set_callback(client, on_event, NULL, NULL) != SM_OK) return fail("sm_set_callback");
    if (sm_connect(client, NULL, NULL, NULL, NULL) != SM_OK) return fail("sm_connect");
    if (sm_message_collection_new(client, argv[2], NULL, SM_LATEST, &chat) != SM_OK) return fail("the collection");
    if (sm_fetch(chat, SM_PREVIOUS, NULL, NULL, NULL, NULL) != SM_OK) return fail("sm_fetch");

    document = json_pack("{s:s}", "message", argv[3]);
    text = document ? json_dumps(document, 0) : NULL;
    status = text ? sm_send_message(chat, text, on_sent, NULL, NULL, NULL) : SM_ERR_INVALID_ARGUMENT;
    free(text);
    json_decref(document);
    if (status != SM_OK) return fail("sm_send_message");

    struct pollfd waiting[2] = {{sm_get_fd(client), POLLIN, 0}, {0, POLLIN, 0}};
    while (waiting[1].revents == 0) {
        if (poll(waiting, 2, -1) < 0) return perror("poll"), 1;
        if (sm_dispatch(client, 0, 0) < 0) return fail("sm_dispatch"); /* runs on_event and on_sent */
    }
    sm_close(client);
    return 0;
}
