/* What a host does not drain is bounded: calls are refused beyond a limit, what ends something never is. A client that
 * is closed with calls left completes each once, and keeps the own messages among them. */
#include "check.h"

typedef struct counts {
    int results, destroyed, closed;
} counts;

static void count_result(void *user_data, int32_t status, const char *json, size_t length) {
    counts *own = user_data;
    CHECK(strlen(json) == length);
    own->results++;
    if (status == SM_ERR_CLOSED) own->closed++;
}

static void count_end(void *user_data) { ((counts *)user_data)->destroyed++; }

static int32_t clear(sm_client *client, counts *own) {
    return sm_clear_cache(client, "c", count_result, own, count_end, NULL);
}

/* Calls until one is refused; gives how many were accepted. */
static int fill(sm_client *client, counts *own) {
    int accepted = 0;
    int32_t status;
    while ((status = clear(client, own)) == SM_OK) CHECK(++accepted <= 100000);
    GIVES(SM_ERR_TOO_MANY_CALLS, status);
    CHECK(last_error_has("SM_ERR_TOO_MANY_CALLS"));
    return accepted;
}

static void refusals(void) {
    counts own = {0}, refused = {0};
    sm_client *client = open_client(fresh_directory(), ",\"search\":true");
    sm_collection *messages = NULL, *none = NULL;
    GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
    /* Once this is drained nothing waits for the engine. */
    GIVES(SM_OK, clear(client, &own));
    while (own.results < 1) CHECK(sm_dispatch(client, 0, 10000) > 0);
    own.results = own.destroyed = 0;
    CHECK(fill(client, &own) == 1000);
    CHECK(own.destroyed == 1 && own.results == 0); /* the refused one's context ended, nobody else's */

    /* Whatever would wait for the engine is refused, and leaves nothing behind. */
    uint64_t request = 7;
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_fetch(messages, SM_NEXT, count_result, &refused, count_end, &request));
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_send_message(messages, "{\"message\":\"m\"}", NULL, &refused, count_end, NULL));
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_connect(client, NULL, &refused, count_end, NULL));
    CHECK(refused.destroyed == 3 && request == 7);
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_message_collection_new(client, "d", NULL, SM_LATEST, &none));
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_channel_collection_new(client, NULL, &none));
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_search_collection_new(client, "{\"query\":\"a\"}", &none));
    CHECK(none == NULL);
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_pause_sync(client));
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_resume_sync(client));
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_set_token(client, "t"));
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_reset_viewpoint(messages, 0));
    /* What ends something is not; a sign-out once. */
    for (int index = 0; index < 10000; index++) GIVES(SM_OK, sm_disconnect(client));
    sm_collection_remove(messages);
    GIVES(SM_ERR_INVALID_HANDLE, sm_fetch(messages, SM_NEXT, NULL, NULL, NULL, NULL));

    /* Each result that is drained frees one slot. */
    while (own.results < 3) CHECK(sm_dispatch(client, 1, 10000) == 1);
    CHECK(fill(client, &own) == 3);
    while (own.results < 1003) CHECK(sm_dispatch(client, 0, 10000) > 0);
    GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
    GIVES(SM_OK, sm_fetch(messages, SM_PREVIOUS, count_result, &own, count_end, NULL));
    while (own.results < 1004) CHECK(sm_dispatch(client, 0, 10000) > 0);
    sm_close(client);
    CHECK(own.results == 1004 && own.destroyed == 1006);
}

/* A host that drains nothing any more can still sign out, once. */
static void signed_out_when_full(void) {
    counts own = {0}, last = {0};
    sm_client *client = open_client(fresh_directory(), "");
    CHECK(fill(client, &own) == 1000);
    GIVES(SM_OK, sm_sign_out(client, count_result, &last, count_end, NULL));
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_sign_out(client, count_result, &own, count_end, NULL));
    while (last.results < 1) CHECK(sm_dispatch(client, 0, 10000) > 0);
    sm_close(client);
    CHECK(own.results == 1000 && own.destroyed == 1002 && last.destroyed == 1);
}

static void with_longer_queues(void) {
    counts own = {0};
    sm_client *client = open_client(fresh_directory(), ",\"queue_limit\":3000");
    CHECK(fill(client, &own) == 3000);
    sm_close(client);
    CHECK(own.results == 3000 && own.destroyed == 3001);
}

/* Slots are left, but four texts of nearly the longest are all that may wait. */
static void long_texts(void) {
    enum { LENGTH = (16 << 20) - 4096 };
    counts own = {0};
    sm_client *client = open_client(fresh_directory(), "");
    char *url = malloc(LENGTH + 1);
    CHECK(url != NULL);
    memset(url, 'x', LENGTH);
    url[LENGTH] = 0;
    for (int index = 0; index < 4; index++)
        GIVES(SM_OK, sm_clear_cache(client, url, count_result, &own, count_end, NULL));
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_clear_cache(client, url, count_result, &own, count_end, NULL));
    CHECK(last_error_has("64 MiB") && own.destroyed == 1);
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_set_token(client, url));
    GIVES(SM_OK, clear(client, &own));
    /* Done is not drained: their room is taken until the host has the result. */
    while (own.results < 1) CHECK(sm_dispatch(client, 1, 10000) == 1);
    GIVES(SM_OK, sm_clear_cache(client, url, count_result, &own, count_end, NULL));
    GIVES(SM_ERR_TOO_MANY_CALLS, sm_clear_cache(client, url, count_result, &own, count_end, NULL));
    while (own.results < 6) CHECK(sm_dispatch(client, 0, 10000) > 0);
    GIVES(SM_OK, sm_set_token(client, url));
    sm_close(client);
    CHECK(own.results == 6 && own.destroyed == 8);
    free(url);
}

static void closed_with_calls_left(void) {
    enum { ROUNDS = 5, MESSAGES = 60 };
    for (int round = 0; round < ROUNDS; round++) {
        const char *directory = fresh_directory();
        counts own = {0}, fetch = {0};
        sm_client *client = open_client(directory, round % 2 ? ",\"delivery\":\"thread\"" : "");
        for (int index = 0; index < MESSAGES; index++) {
            sm_collection *messages = NULL;
            char text[64];
            snprintf(text, sizeof text, "{\"message\":\"m\",\"request_id\":\"r%d\"}", index);
            GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
            GIVES(SM_OK, sm_fetch(messages, SM_PREVIOUS, count_result, &fetch, count_end, NULL));
            GIVES(SM_OK, sm_append_message(messages, text, count_result, &own, count_end, NULL));
            GIVES(SM_OK, clear(client, &fetch));
        }
        sm_close(client);
        CHECK(own.results == MESSAGES && own.destroyed == MESSAGES);
        CHECK(fetch.results == 2 * MESSAGES && fetch.destroyed == 2 * MESSAGES);
        CHECK(stored_messages(directory) == MESSAGES);
    }
}

int main(void) {
    refusals();
    signed_out_when_full();
    with_longer_queues();
    long_texts();
    closed_with_calls_left();
    return checks_done();
}
