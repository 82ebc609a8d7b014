/* What is no JSON, not UTF-8, unknown, mistyped or too long, in every function that takes a document. */
#include "check.h"

static const char *const broken[] = {
    "", " ", "{", "}", "[]", "null", "\"\"", "7", "{\"limit\"}", "{\"limit\":}", "{\"limit\":1,}", "{\"limit\":1}{}",
    "{'limit':1}", "{\"limit\":01}", "{\"limit\":1e999}", "{\"limit\":NaN}", "{\"limit\":tru}", "// {}",
    "{\"message\":\"\\uD800\"}", "{\"message\":\"\\x41\"}", "{\"message\":\"line\nbreak\"}", NULL};

/* Overlong forms, surrogates, beyond the last code point, cut off, a lone continuation, no UTF-8 at all. */
static const char *const not_utf8[] = {
    "{\"message\":\"\xC0\xAF\"}", "{\"message\":\"\xE0\x80\xAF\"}", "{\"message\":\"\xED\xA0\x80\"}",
    "{\"message\":\"\xF4\x90\x80\x80\"}", "{\"message\":\"\xE2\x82\"}", "{\"message\":\"\x80\"}",
    "{\"message\":\"\xFF\xFE\"}", "\xEF\xBF", NULL};

typedef int32_t (*taker)(sm_client *client, sm_collection *messages, const char *document);

static int32_t take_setup(sm_client *client, sm_collection *messages, const char *document) {
    (void)client;
    (void)messages;
    sm_client *out = NULL;
    int32_t status = sm_setup(document, &out);
    CHECK(out == NULL);
    return status;
}

static int32_t take_query(sm_client *client, sm_collection *messages, const char *document) {
    (void)messages;
    sm_collection *out = NULL;
    int32_t status = sm_channel_collection_new(client, document, &out);
    CHECK(out == NULL);
    return status;
}

static int32_t take_search(sm_client *client, sm_collection *messages, const char *document) {
    (void)messages;
    sm_collection *out = NULL;
    int32_t status = sm_search_collection_new(client, document, &out);
    CHECK(out == NULL);
    return status;
}

static int32_t take_filter(sm_client *client, sm_collection *messages, const char *document) {
    (void)messages;
    sm_collection *out = NULL;
    int32_t status = sm_message_collection_new(client, "c", document, 0, &out);
    CHECK(out == NULL);
    return status;
}

static int32_t take_send(sm_client *client, sm_collection *messages, const char *document) {
    (void)client;
    return sm_send_message(messages, document, NULL, NULL, NULL, NULL);
}

static int32_t take_append(sm_client *client, sm_collection *messages, const char *document) {
    (void)client;
    return sm_append_message(messages, document, NULL, NULL, NULL, NULL);
}

static int32_t take_response(sm_client *client, sm_collection *messages, const char *document) {
    (void)client;
    return sm_handle_send_response(messages, document, 5, NULL, NULL, NULL, NULL);
}

static int32_t take_update(sm_client *client, sm_collection *messages, const char *document) {
    (void)client;
    return sm_update_message(messages, document, NULL, NULL, NULL, NULL);
}

static int32_t take_delete(sm_client *client, sm_collection *messages, const char *document) {
    (void)client;
    return sm_delete_message(messages, document, NULL, NULL, NULL, NULL);
}

static int32_t take_call(sm_client *client, sm_collection *messages, const char *document) {
    (void)messages;
    return sm_call(client, document, NULL, NULL, NULL, NULL);
}

static const struct {
    taker take;
    /* A key it does not know, one of a wrong type, and the path the error names. */
    const char *unknown, *unknown_path, *mistyped, *mistyped_path;
} takers[] = {
    {take_setup, "{\"app_id\":\"A\",\"user_id\":\"u\",\"colour\":1}", "$.colour",
        "{\"app_id\":\"A\",\"user_id\":7}", "$.user_id"},
    {take_query, "{\"limit\":3,\"colour\":1}", "$.colour", "{\"limit\":\"3\"}", "$.limit"},
    {take_search, "{\"query\":\"a\",\"colour\":1}", "$.colour", "{\"query\":7}", "$.query"},
    {take_filter, "{\"limit\":3,\"colour\":1}", "$.colour", "{\"sender_ids\":[\"a\",7]}", "$.sender_ids[1]"},
    {take_send, "{\"message\":\"m\",\"colour\":1}", "$.colour", "{\"message\":7}", "$.message"},
    /* What the host sends itself may have any members. */
    {take_append, NULL, NULL, "{\"message\":\"m\",\"request_id\":7}", "$.request_id"},
    {take_response, NULL, NULL, "{\"message\":\"m\",\"request_id\":7}", "$.request_id"},
    {take_update, "{\"request_id\":\"r\",\"message\":\"m\",\"colour\":1}", "$.colour",
        "{\"message_id\":true,\"message\":\"m\"}", "$.message_id"},
    {take_delete, "{\"message_id\":1,\"colour\":1}", "$.colour", "{\"message_id\":[]}", "$.message_id"},
    {take_call, "{\"action\":\"mark_as_read\",\"channel_url\":\"c\",\"colour\":1}", "$.colour",
        "{\"action\":\"mark_as_read\",\"channel_url\":7}", "$.channel_url"},
    /* A whole number beyond 64 bits is a number like any other, and none of those that a key of whole numbers takes. */
    {take_query, "{\"colour\":123456789012345678901234567890}", "$.colour",
        "{\"limit\":9223372036854775808}", "$.limit"},
    {take_call, "{\"action\":\"mark_as_read\",\"channel_url\":\"c\",\"colour\":-9223372036854775809}", "$.colour",
        "{\"action\":\"get_message\",\"channel_url\":\"c\",\"message_id\":123456789012345678901}", "$.message_id"},
    {take_call, "{\"action\":\"no_such_action\"}", "$.action", "{\"action\":\"mark_as_read\"}", "$.channel_url"},
};

/* A document with so many letters in a text. */
static char *long_document(const char *start, size_t letters, const char *end) {
    char *text = malloc(strlen(start) + letters + strlen(end) + 1);
    CHECK(text != NULL);
    strcpy(text, start);
    memset(text + strlen(start), 'x', letters);
    strcpy(text + strlen(start) + letters, end);
    return text;
}

int main(void) {
    const char *directory = fresh_directory();
    sm_client *client = open_client(directory, ",\"search\":true");
    sm_collection *messages = NULL;
    GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
    char *deep = malloc(200001);
    CHECK(deep != NULL);
    memset(deep, '[', 200000);
    deep[200000] = 0;
    char *deep_member = NULL;
    CHECK(asprintf(&deep_member, "{\"message\":%s", deep) > 0);
    char *huge = long_document("{\"message\":\"", 17u << 20, "\"}");

    for (size_t index = 0; index < sizeof takers / sizeof *takers; index++) {
        taker take = takers[index].take;
        for (const char *const *text = broken; *text; text++) {
            GIVES(SM_ERR_INVALID_DOCUMENT, take(client, messages, *text));
            CHECK(last_error_has("SM_ERR_INVALID_DOCUMENT"));
        }
        for (const char *const *text = not_utf8; *text; text++)
            GIVES(SM_ERR_INVALID_ARGUMENT, take(client, messages, *text));
        GIVES(SM_ERR_INVALID_DOCUMENT, take(client, messages, deep));
        GIVES(SM_ERR_INVALID_DOCUMENT, take(client, messages, deep_member));
        GIVES(SM_ERR_INVALID_ARGUMENT, take(client, messages, huge));
        if (takers[index].unknown) {
            GIVES(SM_ERR_INVALID_DOCUMENT, take(client, messages, takers[index].unknown));
            CHECK(last_error_has(takers[index].unknown_path));
        }
        GIVES(SM_ERR_INVALID_DOCUMENT, take(client, messages, takers[index].mistyped));
        CHECK(last_error_has(takers[index].mistyped_path));
    }

    /* Texts that are no documents. */
    char *url = long_document("", 17u << 20, "");
    sm_collection *none = NULL;
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_message_collection_new(client, url, NULL, 0, &none));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_message_collection_new(client, "\xC0\xAF", NULL, 0, &none));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_set_token(client, url));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_set_token(client, "\xFF"));
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_clear_cache(client, "\xFF", NULL, NULL, NULL, NULL));
    CHECK(none == NULL);

    /* Refused documents left nothing behind; a large one within the bounds is taken, and comes back whole. */
    const char *json = NULL;
    do {
        GIVES(SM_OK, sm_next_event(client, 0, &json, NULL));
        CHECK(!json || strstr(json, "\"sync_state\""));
    } while (json);
    /* valgrind and the sanitizers would spend most of their time on the large one */
    size_t letters = getenv("CAPI_SLOW") ? 1u << 20 : 15u << 20;
    char *large = long_document("{\"request_id\":\"large\",\"message\":\"", letters, "\"}");
    GIVES(SM_OK, sm_send_message(messages, large, NULL, NULL, NULL, NULL));
    char *event = await_event(client, "\"list\":\"pending\"", "\"insert\"", "\"large\"", NULL);
    const char *start = strchr(event, 'x');
    while (start && strspn(start, "x") < letters) start = strchr(start + strspn(start, "x"), 'x');
    CHECK(start && strspn(start, "x") == letters);
    free(event);

    /* Where any number goes, one beyond 64 bits does; one beyond a double does not. */
    GIVES(SM_ERR_INVALID_DOCUMENT, sm_append_message(messages, "{\"data\":1e999}", NULL, NULL, NULL, NULL));
    CHECK(last_error_has("real number overflow"));
    const char *host_sent = "{\"request_id\":\"beyond\",\"message\":\"m\",\"created_at\":1,"
                            "\"extra\":123456789012345678901234567890}";
    GIVES(SM_OK, sm_append_message(messages, host_sent, NULL, NULL, NULL, NULL));
    free(await_event(client, "\"list\":\"pending\"", "\"insert\"", "1.2345678901234568e29", NULL));
    sm_close(client);
    free(large);
    free(url);
    free(huge);
    free(deep_member);
    free(deep);
    return checks_done();
}
