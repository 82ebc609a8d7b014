/* The whole way against a real server: connect, sync, page, send, edit, delete, another user in real time, a lost
 * connection, a new process, and the end. */
#include "check.h"

static char *await_result(sm_client *client, const char *call) {
    char *name = NULL;
    CHECK(asprintf(&name, "\"call\":\"%s\"", call) > 0);
    char *event = await_event(client, "\"type\":\"result\"", name, NULL);
    free(name);
    return event;
}

static void await_ok(sm_client *client, const char *call) {
    char *event = await_result(client, call);
    if (number_in(event, "\"status\"") != SM_OK) fprintf(stderr, "%s\n", event);
    CHECK(number_in(event, "\"status\"") == SM_OK);
    free(event);
}

static long long count_of(sm_collection *collection) {
    char *info = NULL;
    GIVES(SM_OK, sm_collection_info(collection, &info));
    long long count = number_in(info, "\"count\"");
    sm_string_free(info);
    return count;
}

/* Takes events until a collection holds so many. */
static void await_count(sm_client *client, sm_collection *collection, long long count) {
    while (count_of(collection) != count) {
        const char *json = NULL;
        GIVES(SM_OK, sm_next_event(client, 10000, &json, NULL));
        CHECK(json != NULL);
    }
}

typedef struct {
    int completed, destroyed, wrong;
} close_calls;

static void completed(void *user_data, int32_t status, const char *json, size_t length) {
    close_calls *calls = user_data;
    calls->completed++;
    if ((status != SM_OK && status != SM_ERR_CLOSED) || !length || !strstr(json, "\"action\":\"mark_as_read\""))
        calls->wrong++;
}

static void given_back(void *user_data) {
    ((close_calls *)user_data)->destroyed++;
}

int main(void) {
    const chat_server server = start_server();
    const char *directory = fresh_directory();
    sm_client *mei = open_online(&server, "mei", directory, "");
    sm_client *bob = open_online(&server, "bob", fresh_directory(), "");
    sm_collection *channels = NULL, *messages = NULL, *of_bob = NULL;
    char text[256];

    GIVES(SM_OK, sm_connect(mei, NULL, NULL, NULL, NULL));
    await_ok(mei, "connect");
    GIVES(SM_OK, sm_connect(bob, NULL, NULL, NULL, NULL));
    await_ok(bob, "connect");
    GIVES(SM_OK, sm_channel_collection_new(mei, "{\"limit\":10}", &channels));
    GIVES(SM_OK, sm_fetch(channels, SM_NEXT, NULL, NULL, NULL, NULL));
    await_ok(mei, "fetch");
    CHECK(count_of(channels) == 1);

    /* All 250 messages, page by page. */
    GIVES(SM_OK, sm_message_collection_new(mei, server.channel, "{\"limit\":100}", SM_LATEST, &messages));
    for (int page = 0; page < 3; page++) {
        GIVES(SM_OK, sm_fetch(messages, SM_PREVIOUS, NULL, NULL, NULL, NULL));
        await_ok(mei, "fetch");
    }
    CHECK(count_of(messages) == 250);
    GIVES(SM_OK, sm_message_collection_new(bob, server.channel, NULL, SM_LATEST, &of_bob));
    GIVES(SM_OK, sm_fetch(of_bob, SM_PREVIOUS, NULL, NULL, NULL, NULL));
    await_ok(bob, "fetch");

    /* mei sends; bob sees it. */
    GIVES(SM_OK, sm_send_message(messages, "{\"message\":\"hello bob 👋\",\"request_id\":\"m1\"}",
        NULL, NULL, NULL, NULL));
    char *event = await_result(mei, "send_message");
    CHECK(number_in(event, "\"status\"") == SM_OK);
    long long id = number_in(event, "\"message_id\"");
    free(event);
    free(await_event(bob, "\"insert\"", "hello bob 👋", NULL));

    /* mei edits and deletes; bob's list changes in place. bob may do neither. */
    snprintf(text, sizeof text,
        "{\"action\":\"edit_message\",\"channel_url\":\"%s\",\"message_id\":%lld,\"message\":\"hello again\"}",
        server.channel, id);
    GIVES(SM_OK, sm_call(bob, text, NULL, NULL, NULL, NULL));
    event = await_result(bob, "call");
    CHECK(number_in(event, "\"status\"") == SM_ERR_NOT_OWN_MESSAGE);
    free(event);
    GIVES(SM_OK, sm_call(mei, text, NULL, NULL, NULL, NULL));
    await_ok(mei, "call");
    free(await_event(bob, "\"update\"", "hello again", NULL));
    snprintf(text, sizeof text,
        "{\"action\":\"delete_message\",\"channel_url\":\"%s\",\"message_id\":%lld}", server.channel, id);
    GIVES(SM_OK, sm_call(mei, text, NULL, NULL, NULL, NULL));
    await_ok(mei, "call");
    snprintf(text, sizeof text, "\"id\":\"%lld\"", id);
    free(await_event(bob, "\"remove\"", text, NULL));
    /* Told again, by a host that deleted it by its own means: nothing is left to change. */
    snprintf(text, sizeof text, "{\"message_id\":%lld}", id);
    GIVES(SM_OK, sm_delete_message(messages, text, NULL, NULL, NULL, NULL));
    await_ok(mei, "delete_message");

    /* What bob does by an action reaches mei, and its end is told once. */
    GIVES(SM_OK, sm_send_message(messages, "{\"message\":\"well?\",\"request_id\":\"m3\"}", NULL, NULL, NULL, NULL));
    event = await_result(mei, "send_message");
    id = number_in(event, "\"message_id\"");
    free(event);
    snprintf(text, sizeof text,
        "{\"action\":\"add_reaction\",\"channel_url\":\"%s\",\"message_id\":%lld,\"key\":\"heart\"}",
        server.channel, id);
    uint64_t request = 0;
    GIVES(SM_OK, sm_call(bob, text, NULL, NULL, NULL, &request));
    event = await_event(bob, "\"call\":\"call\",\"action\":\"add_reaction\",\"status\":0", "\"result\":{", NULL);
    CHECK(request != 0 && number_in(event, "\"request\"") == (long long)request);
    free(event);
    free(await_event(mei, "\"update\"", "\"event_reaction_updated\"", "heart", NULL));
    snprintf(text, sizeof text,
        "{\"action\":\"delete_message\",\"channel_url\":\"%s\",\"message_id\":%lld}", server.channel, id);
    GIVES(SM_OK, sm_call(mei, text, NULL, NULL, NULL, NULL));
    await_ok(mei, "call");

    /* mei is away; bob writes; mei comes back and gets exactly that. */
    GIVES(SM_OK, sm_disconnect(mei));
    free(await_event(mei, "\"connection\"", "\"disconnected\"", NULL));
    snprintf(text, sizeof text, "{\"action\":\"mark_as_read\",\"channel_url\":\"%s\"}", server.channel);
    GIVES(SM_OK, sm_call(mei, text, NULL, NULL, NULL, NULL));
    event = await_result(mei, "call");
    CHECK(number_in(event, "\"status\"") == SM_ERR_NOT_CONNECTED);
    free(event);
    GIVES(SM_OK, sm_send_message(messages, "{\"message\":\"while away\",\"request_id\":\"m2\"}",
        NULL, NULL, NULL, NULL));
    free(await_event(mei, "\"pending\"", "\"insert\"", "\"m2\"", NULL));
    GIVES(SM_OK, sm_send_message(of_bob, "{\"message\":\"are you there?\",\"request_id\":\"b1\"}",
        NULL, NULL, NULL, NULL));
    await_ok(bob, "send_message");
    GIVES(SM_OK, sm_connect(mei, NULL, NULL, NULL, NULL));
    await_count(mei, messages, 252);
    free(await_event(bob, "\"insert\"", "while away", NULL));
    GIVES(SM_OK, sm_pause_sync(mei));
    GIVES(SM_OK, sm_resume_sync(mei));

    /* The channel list knew all along. */
    char *snapshot = NULL;
    GIVES(SM_OK, sm_collection_snapshot(channels, &snapshot));
    CHECK(strstr(snapshot, "\"last_message\"") != NULL);
    sm_string_free(snapshot);

    /* A call that is under way when the client closes completes once, and gives its context back. */
    close_calls calls = {0, 0, 0};
    for (int index = 0; index < 20; index++) GIVES(SM_OK, sm_call(bob, text, completed, &calls, given_back, NULL));
    sm_close(bob);
    CHECK(calls.completed == 20 && calls.destroyed == 20 && calls.wrong == 0);
    sm_close(mei);

    /* A new client without a connection shows the same from the cache. */
    mei = open_online(&server, "mei", directory, "");
    GIVES(SM_OK, sm_message_collection_new(mei, server.channel, "{\"limit\":200}", SM_LATEST, &messages));
    for (int page = 0; page < 2; page++) {
        GIVES(SM_OK, sm_fetch(messages, SM_PREVIOUS, NULL, NULL, NULL, NULL));
        await_ok(mei, "fetch");
    }
    CHECK(count_of(messages) == 252);

    /* Nothing is left after the cache was cleared; a wrong token is told. */
    GIVES(SM_OK, sm_clear_cache(mei, NULL, NULL, NULL, NULL, NULL));
    await_ok(mei, "clear_cache");
    CHECK(count_of(messages) == 0);
    GIVES(SM_OK, sm_set_token(mei, "not the token"));
    GIVES(SM_OK, sm_connect(mei, NULL, NULL, NULL, NULL));
    event = await_result(mei, "connect");
    CHECK(number_in(event, "\"status\"") == SM_ERR_TOKEN_REJECTED);
    free(event);
    sm_close(mei);
    return checks_done();
}
