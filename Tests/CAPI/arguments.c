/* NULL, stale, foreign and mistaken handles, and numbers out of range, in every function that takes one. */
#include "check.h"

static int destroyed;

static void destroy(void *user_data) {
    CHECK(user_data == &destroyed);
    destroyed++;
}

static void event(void *user_data, const char *json, size_t length) {
    (void)user_data;
    (void)json;
    (void)length;
}

static void result(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data;
    (void)status;
    (void)json;
    (void)length;
}

/* Each call with a handle that is none gives the same, leaves its outputs alone, and ends its context once. */
static void bad_client(sm_client *client, int32_t status) {
    const char *json = (const char *)&destroyed;
    size_t length = 7;
    uint64_t request = 7;
    sm_collection *collection = (sm_collection *)&destroyed;
    destroyed = 0;
    GIVES(status, sm_connect(client, result, &destroyed, destroy, &request));
    CHECK(destroyed == 1);
    GIVES(status, sm_disconnect(client));
    GIVES(status, sm_resume_sync(client));
    GIVES(status, sm_pause_sync(client));
    GIVES(status, sm_set_token(client, "T"));
    GIVES(status, sm_set_foreground(client, 0));
    GIVES(status, sm_sign_out(client, NULL, NULL, NULL, NULL));
    GIVES(status, sm_clear_cache(client, NULL, result, &destroyed, destroy, &request));
    CHECK(destroyed == 2);
    GIVES(status, sm_call(client, "{\"action\":\"mark_as_read\",\"channel_url\":\"c\"}", result, &destroyed, destroy,
        &request));
    CHECK(destroyed == 3);
    GIVES(status, sm_get_fd(client));
    GIVES(status, sm_next_event(client, 0, &json, &length));
    GIVES(status, sm_dispatch(client, 0, 0));
    GIVES(status, sm_interrupt(client));
    GIVES(status, sm_set_callback(client, event, &destroyed, destroy));
    CHECK(destroyed == 4);
    GIVES(status, sm_channel_collection_new(client, NULL, &collection));
    GIVES(status, sm_search_collection_new(client, "{\"query\":\"a\"}", &collection));
    GIVES(status, sm_message_collection_new(client, "c", NULL, SM_LATEST, &collection));
    GIVES(status, sm_message_collection_open(client, "c", NULL, SM_LATEST, result, &destroyed, destroy, &request,
        &collection));
    CHECK(destroyed == 5);
    CHECK(json == (const char *)&destroyed && length == 7 && request == 7);
    CHECK(collection == (sm_collection *)&destroyed);
    CHECK(last_error_has(sm_status_name(status)));
    sm_close(client);
}

static void bad_collection(sm_collection *collection, int32_t status) {
    char *json = (char *)&destroyed;
    uint64_t request = 7;
    destroyed = 0;
    CHECK(sm_collection_number(collection) == 0);
    GIVES(status, sm_collection_set_callback(collection, event, &destroyed, destroy));
    GIVES(status, sm_fetch(collection, SM_NEXT, result, &destroyed, destroy, &request));
    GIVES(status, sm_fetch_all_next(collection, result, &destroyed, destroy, &request));
    GIVES(status, sm_fetch_failed(collection, result, &destroyed, destroy, &request));
    GIVES(status, sm_fetch_pending(collection, result, &destroyed, destroy, &request));
    GIVES(status, sm_collection_contains(collection, "1"));
    GIVES(status, sm_collection_start(collection, result, &destroyed, destroy, &request));
    GIVES(status, sm_reset_viewpoint(collection, SM_LATEST));
    GIVES(status, sm_collection_info(collection, &json));
    GIVES(status, sm_collection_snapshot(collection, &json));
    GIVES(status, sm_send_message(collection, "{\"message\":\"m\"}", result, &destroyed, destroy, &request));
    GIVES(status, sm_append_message(collection, "{\"request_id\":\"r\",\"message\":\"m\"}", result, &destroyed, destroy,
        &request));
    GIVES(status, sm_handle_send_response(collection, "{\"request_id\":\"r\",\"message\":\"m\"}", 1, result, &destroyed,
        destroy, &request));
    GIVES(status, sm_update_message(collection, "{\"request_id\":\"r\",\"message\":\"m\"}", result, &destroyed,
        destroy, &request));
    GIVES(status, sm_delete_message(collection, "{\"message_id\":1}", result, &destroyed, destroy, &request));
    CHECK(destroyed == 11);
    CHECK(json == (char *)&destroyed && request == 7);
    sm_collection_remove(collection);
}

int main(void) {
    sm_client *client = NULL;
    sm_collection *channels = NULL, *messages = NULL;

    /* Library functions. */
    CHECK(sm_api_version() == SM_API_VERSION);
    CHECK(sm_version_string()[0] == '0' + SM_VERSION_MAJOR);
    CHECK(!strcmp(sm_status_name(SM_OK), "SM_OK"));
    CHECK(!strcmp(sm_status_name(SM_ERR_BUSY), "SM_ERR_BUSY"));
    CHECK(!strcmp(sm_status_name(12345), "SM_ERR_UNKNOWN"));
    sm_string_free(NULL);
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_set_log(99, NULL, NULL));
    GIVES(SM_OK, sm_set_log(SM_LOG_NONE, NULL, NULL));

    /* NULL. */
    bad_client(NULL, SM_ERR_INVALID_HANDLE);
    bad_collection(NULL, SM_ERR_INVALID_HANDLE);
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_setup(NULL, &client));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_setup("{}", NULL));
    CHECK(client == NULL);

    /* What never was a handle: memory of the host, a small number, a text. */
    char text[64] = "no handle at all";
    bad_client((sm_client *)text, SM_ERR_INVALID_HANDLE);
    bad_client((sm_client *)(uintptr_t)1, SM_ERR_INVALID_HANDLE);
    bad_collection((sm_collection *)text, SM_ERR_INVALID_HANDLE);
    bad_collection((sm_collection *)(uintptr_t)-1, SM_ERR_INVALID_HANDLE);

    const char *directory = fresh_directory();
    client = open_client(directory, ",\"search\":true");
    GIVES(SM_OK, sm_channel_collection_new(client, NULL, &channels));
    GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
    CHECK(sm_collection_number(channels) != 0 && sm_collection_number(channels) != sm_collection_number(messages));

    /* Handles of the wrong kind. */
    bad_client((sm_client *)channels, SM_ERR_INVALID_HANDLE);
    bad_collection((sm_collection *)client, SM_ERR_INVALID_HANDLE);

    /* A NULL where a text or an output has to be. */
    const char *json = NULL;
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_next_event(client, 0, NULL, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_dispatch(client, -1, 0));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_set_token(client, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_set_token(client, "T\r\nX: 1"));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_call(client, NULL, NULL, NULL, NULL, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_channel_collection_new(client, NULL, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_search_collection_new(client, NULL, &messages));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_search_collection_new(client, "{\"query\":\"a\"}", NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_message_collection_new(client, NULL, NULL, 0, &messages));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_message_collection_new(client, "c", NULL, 0, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT,
          sm_message_collection_open(client, NULL, NULL, 0, NULL, NULL, NULL, NULL, &messages));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_message_collection_open(client, "c", NULL, 0, NULL, NULL, NULL, NULL, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_collection_contains(messages, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_collection_info(channels, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_collection_snapshot(messages, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_send_message(messages, NULL, NULL, NULL, NULL, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_append_message(messages, NULL, NULL, NULL, NULL, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_handle_send_response(messages, NULL, 0, NULL, NULL, NULL, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_update_message(messages, NULL, NULL, NULL, NULL, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_delete_message(messages, NULL, NULL, NULL, NULL, NULL));

    /* Numbers out of range, and calls for the other kind of collection. */
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_message_collection_new(client, "c", NULL, -1, &messages));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_message_collection_new(client, "", NULL, 0, &messages));
    destroyed = 0;
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_fetch(messages, 0, result, &destroyed, destroy, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_fetch(messages, 3, result, &destroyed, destroy, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_fetch(channels, SM_PREVIOUS, result, &destroyed, destroy, NULL));
    GIVES(SM_ERR_INVALID_HANDLE, sm_collection_start(channels, result, &destroyed, destroy, NULL));
    GIVES(SM_ERR_INVALID_HANDLE, sm_fetch_all_next(channels, result, &destroyed, destroy, NULL));
    GIVES(SM_ERR_INVALID_HANDLE, sm_fetch_failed(channels, result, &destroyed, destroy, NULL));
    GIVES(SM_ERR_INVALID_HANDLE, sm_fetch_pending(channels, result, &destroyed, destroy, NULL));
    GIVES(SM_ERR_INVALID_ARGUMENT,
        sm_message_collection_open(client, "c", NULL, -1, result, &destroyed, destroy, NULL, &messages));
    CHECK(destroyed == 8);
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_reset_viewpoint(messages, -5));
    GIVES(SM_ERR_INVALID_HANDLE, sm_reset_viewpoint(channels, 0));
    GIVES(SM_ERR_INVALID_HANDLE, sm_send_message(channels, "{\"message\":\"m\"}", NULL, NULL, NULL, NULL));
    GIVES(SM_ERR_INVALID_HANDLE, sm_delete_message(channels, "{\"message_id\":1}", NULL, NULL, NULL, NULL));

    /* Nothing that was refused left a trace. */
    do {
        GIVES(SM_OK, sm_next_event(client, 0, &json, NULL));
        CHECK(!json || strstr(json, "\"sync_state\""));
    } while (json);

    /* Stale: removed, closed. */
    sm_collection_remove(messages);
    bad_collection(messages, SM_ERR_INVALID_HANDLE);
    sm_close(client);
    bad_client(client, SM_ERR_INVALID_HANDLE);
    bad_collection(channels, SM_ERR_INVALID_HANDLE);

    /* A new client does not bring old handles back to life. */
    sm_client *second = open_client(directory, "");
    CHECK(second != client);
    bad_client(client, SM_ERR_INVALID_HANDLE);
    bad_collection(channels, SM_ERR_INVALID_HANDLE);
    sm_close(second);
    return checks_done();
}
