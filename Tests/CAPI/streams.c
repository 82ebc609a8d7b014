/* How long the function of a stream lives: it is called while its stream or one made of it is there, and its context is
 * destroyed once, when it is called no more. */
#include "check.h"

#include <pthread.h>

typedef struct context {
    int calls, destroyed;
    /* A call that came when the context was destroyed already. */
    bool too_late;
} context;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Rows whose key ends in an even digit are shown, or are in the first section. */
static int32_t even(void *user_data, const char *key, const char *item, size_t length) {
    context *own = user_data;
    CHECK(strlen(item) == length);
    pthread_mutex_lock(&mutex);
    own->calls++;
    if (own->destroyed) own->too_late = true;
    pthread_mutex_unlock(&mutex);
    return (key[strlen(key) - 1] - '0') % 2 == 0;
}

static void destroy(void *user_data) {
    context *own = user_data;
    pthread_mutex_lock(&mutex);
    own->destroyed++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void await_destroyed(context *own) {
    pthread_mutex_lock(&mutex);
    while (own->destroyed == 0) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static context seen(context *own) {
    pthread_mutex_lock(&mutex);
    context copy = *own;
    pthread_mutex_unlock(&mutex);
    return copy;
}

static const char *const host_predicate = "{\"source\":\"transient\",\"predicate\":\"$host\"}";

static sm_collection *open_stream(sm_client *client, const char *spec, context *own) {
    sm_collection *stream = NULL;
    GIVES(SM_OK, sm_stream_open(client, spec, own ? even : NULL, own, own ? destroy : NULL, &stream));
    return stream;
}

/* Adds so many rows, "r0" to …, without waiting for them. */
static void add(sm_collection *stream, int rows) {
    char *text = malloc(64 + (size_t)rows * 40);
    char *end = text + sprintf(text, "{\"action\":\"add\",\"rows\":[");
    for (int row = 0; row < rows; row++)
        end += sprintf(end, "%s{\"key\":\"r%d\",\"item\":%d}", row ? "," : "", row, row);
    strcpy(end, "]}");
    GIVES(SM_OK, sm_stream_call(stream, text, NULL, NULL, NULL, NULL));
    free(text);
}

static void ask(sm_client *client, sm_collection *stream, const char *request) {
    uint64_t number = 0;
    char text[40];
    GIVES(SM_OK, sm_stream_call(stream, request, NULL, NULL, NULL, &number));
    snprintf(text, sizeof text, "\"request\":%llu", (unsigned long long)number);
    free(await_event(client, text, NULL));
}

/* ---- A stream that is not opened, or needs no function, gives the context back before the call returns ---- */

static void refused(void) {
    sm_client *client = open_client(fresh_directory(), "");
    sm_collection *stream = NULL;
    context own = {0};
    GIVES(SM_ERR_INVALID_HANDLE, sm_stream_open(NULL, host_predicate, even, &own, destroy, &stream));
    CHECK(own.destroyed == 1);
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_stream_open(client, NULL, even, &own, destroy, &stream));
    CHECK(own.destroyed == 2);
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_stream_open(client, host_predicate, even, &own, destroy, NULL));
    CHECK(own.destroyed == 3);
    GIVES(SM_ERR_INVALID_DOCUMENT, sm_stream_open(client, "{\"source\":1}", even, &own, destroy, &stream));
    CHECK(own.destroyed == 4);
    /* What it would be made of is not there. */
    GIVES(SM_ERR_INVALID_DOCUMENT,
          sm_stream_open(client, "{\"source\":{\"union\":[9]},\"predicate\":\"$host\"}", even, &own, destroy, &stream));
    CHECK(own.destroyed == 5);
    /* The spec asks for a function, and there is none. */
    GIVES(SM_ERR_INVALID_ARGUMENT, sm_stream_open(client, host_predicate, NULL, &own, destroy, &stream));
    CHECK(own.destroyed == 6);
    /* A context without a function has no use either. */
    GIVES(SM_OK, sm_stream_open(client, "{\"source\":\"transient\"}", NULL, &own, destroy, &stream));
    CHECK(own.destroyed == 7);
    sm_collection_remove(stream);
    sm_close(client);
    stream = NULL;
    GIVES(SM_ERR_INVALID_HANDLE, sm_stream_open(client, host_predicate, even, &own, destroy, &stream));
    CHECK(own.destroyed == 8 && own.calls == 0 && stream == NULL);
}

/* ---- Removed ---- */

static void removed(void) {
    sm_client *client = open_client(fresh_directory(), "");
    context own = {0};
    sm_collection *stream = open_stream(client, host_predicate, &own);
    add(stream, 10);
    free(await_event(client, "stream_batch", "\"r8\"", NULL));
    CHECK(seen(&own).calls == 10 && seen(&own).destroyed == 0);
    /* Another predicate does not end it: it may be set again. */
    ask(client, stream, "{\"action\":\"set_predicate\",\"predicate\":true}");
    ask(client, stream, "{\"action\":\"set_predicate\",\"predicate\":\"$host\"}");
    CHECK(seen(&own).calls >= 20 && seen(&own).destroyed == 0);
    sm_collection_remove(stream);
    await_destroyed(&own);
    sm_close(client);
    CHECK(own.destroyed == 1 && !own.too_late);
}

/* A stream that has a function though its spec does not ask for one, so that the predicate may be set later. */
static void unused(void) {
    sm_client *client = open_client(fresh_directory(), "");
    context own = {0};
    sm_collection *stream = open_stream(client, "{\"source\":\"transient\"}", &own);
    add(stream, 4);
    free(await_event(client, "stream_batch", "\"r3\"", NULL));
    CHECK(seen(&own).calls == 0 && seen(&own).destroyed == 0);
    sm_collection_remove(stream);
    await_destroyed(&own);
    sm_close(client);
    CHECK(own.destroyed == 1 && own.calls == 0);
}

/* ---- Another stream is made of it: it goes on, and its function with it ---- */

static void kept_by_another(void) {
    sm_client *client = open_client(fresh_directory(), "");
    context own = {0}, rule = {0};
    char spec[200];
    sm_collection *stream = open_stream(client, host_predicate, &own);
    snprintf(spec, sizeof spec,
             "{\"source\":{\"partition\":{\"stream\":%llu,\"titles\":[\"odd\",\"even\"],\"rule\":\"$host\"}}}",
             (unsigned long long)sm_collection_number(stream));
    sm_collection *partition = open_stream(client, spec, &rule);
    add(stream, 6);
    /* The add waits in front of the removal. */
    sm_collection_remove(stream);
    free(await_event(client, "stream_batch", "\"r4\"", NULL));
    CHECK(seen(&own).destroyed == 0 && seen(&rule).destroyed == 0);
    int before = seen(&own).calls;
    CHECK(before >= 6 && seen(&rule).calls >= 3);
    sm_collection_remove(partition);
    await_destroyed(&own);
    await_destroyed(&rule);
    sm_close(client);
    CHECK(own.destroyed == 1 && rule.destroyed == 1 && !own.too_late && !rule.too_late);
}

/* ---- The client closes with streams that are open, that wait for a batch, and that are on their way ---- */

static void closed(void) {
    for (int round = 0; round < 20; round++) {
        sm_client *client = open_client(fresh_directory(), "");
        context own = {0}, waiting = {0}, on_its_way = {0};
        add(open_stream(client, host_predicate, &own), 100);
        const char *slow = "{\"source\":\"transient\",\"predicate\":\"$host\",\"batch_delay\":60000}";
        add(open_stream(client, slow, &waiting), 100);
        open_stream(client, host_predicate, &on_its_way);
        if (round % 2 == 0) free(await_event(client, "stream_loaded", NULL));
        sm_close(client);
        await_destroyed(&own);
        await_destroyed(&waiting);
        await_destroyed(&on_its_way);
        CHECK(seen(&own).destroyed == 1 && seen(&waiting).destroyed == 1 && seen(&on_its_way).destroyed == 1);
        CHECK(!seen(&own).too_late && !seen(&waiting).too_late && !seen(&on_its_way).too_late);
    }
}

/* ---- Removed by one thread while another one's events are taken, and its function called ---- */

typedef struct racing {
    sm_client *client;
    sm_collection *stream;
} racing;

static void *remove_it(void *user_data) {
    sm_collection_remove(((racing *)user_data)->stream);
    return NULL;
}

static void raced(void) {
    sm_client *client = open_client(fresh_directory(), "");
    for (int round = 0; round < 20; round++) {
        context own = {0};
        pthread_t thread;
        racing race = {client, open_stream(client, host_predicate, &own)};
        add(race.stream, 200);
        CHECK(pthread_create(&thread, NULL, remove_it, &race) == 0);
        while (seen(&own).destroyed == 0) CHECK(sm_dispatch(client, 0, 1) >= 0);
        CHECK(pthread_join(thread, NULL) == 0);
        CHECK(seen(&own).destroyed == 1 && !seen(&own).too_late);
    }
    sm_close(client);
}

int main(void) {
    refused();
    removed();
    unused();
    kept_by_another();
    closed();
    raced();
    return checks_done();
}
