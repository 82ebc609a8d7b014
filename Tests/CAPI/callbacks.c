/* Callbacks: what may be called from them, when their contexts end, and that they are silent after removal. Waiting:
 * the descriptor, interrupt, delivery on a thread, and a host that lags behind. */
#include "check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

typedef struct context {
    struct context *other;
    sm_client *client;
    sm_collection *collection;
    int events, results, destroyed;
    int32_t status;
    char *last;
    sem_t done;
} context;

static void end(void *user_data) { ((context *)user_data)->destroyed++; }

static void count_event(void *user_data, const char *json, size_t length) {
    context *own = user_data;
    CHECK(strlen(json) == length && own->destroyed == 0);
    own->events++;
}

static void count_result(void *user_data, int32_t status, const char *json, size_t length) {
    context *own = user_data;
    CHECK(strlen(json) == length && strstr(json, "\"type\":\"result\"") && own->destroyed == 0);
    own->results++;
    own->status = status;
}

/* Calls everything from inside a callback: what would wait for it says so, the rest works. */
static void call_all(void *user_data, int32_t status, const char *json, size_t length) {
    context *own = user_data;
    const char *text = NULL;
    char *snapshot = NULL;
    sm_collection *more = NULL;
    count_result(user_data, status, json, length);
    GIVES(SM_ERR_REENTRANT, sm_next_event(own->client, 0, &text, NULL));
    GIVES(SM_ERR_REENTRANT, sm_dispatch(own->client, 0, 0));
    sm_close(own->client);
    CHECK(last_error_has("SM_ERR_REENTRANT"));
    CHECK(sm_get_fd(own->client) >= 0);
    GIVES(SM_OK, sm_interrupt(own->client));
    GIVES(SM_OK, sm_collection_snapshot(own->collection, &snapshot));
    sm_string_free(snapshot);
    GIVES(SM_OK, sm_collection_info(own->collection, &snapshot));
    sm_string_free(snapshot);
    GIVES(SM_OK, sm_send_message(own->collection, "{\"message\":\"from a callback\"}", NULL, NULL, NULL, NULL));
    GIVES(SM_OK, sm_fetch(own->collection, SM_NEXT, count_result, own->other, end, NULL));
    GIVES(SM_OK, sm_message_collection_new(own->client, "other", NULL, SM_LATEST, &more));
    sm_collection_remove(more);
    sm_collection_remove(own->collection);
    GIVES(SM_ERR_INVALID_HANDLE, sm_fetch(own->collection, SM_PREVIOUS, NULL, NULL, NULL, NULL));
}

static void from_callbacks(const char *directory) {
    context inner = {0}, own = {.other = &inner}, later = {0};
    own.client = open_client(directory, "");
    GIVES(SM_OK, sm_message_collection_new(own.client, "c", NULL, SM_LATEST, &own.collection));
    GIVES(SM_OK, sm_fetch(own.collection, SM_PREVIOUS, call_all, &own, end, NULL));
    while (inner.results < 1) CHECK(sm_dispatch(own.client, 0, 10000) > 0);
    CHECK(own.results == 1 && own.destroyed == 1 && own.status == SM_OK);
    CHECK(inner.destroyed == 1 && (inner.status == SM_OK || inner.status == SM_ERR_REMOVED));
    sm_close(own.client);
    CHECK(own.destroyed == 1);

    /* A context ends when its callback is replaced, and the last one when the client closes. */
    sm_client *client = open_client(directory, "");
    context first = {0}, second = {0}, third = {0};
    GIVES(SM_OK, sm_set_callback(client, count_event, &first, end));
    GIVES(SM_OK, sm_set_callback(client, count_event, &second, end));
    CHECK(first.destroyed == 1 && second.destroyed == 0);
    GIVES(SM_OK, sm_set_callback(client, NULL, NULL, NULL));
    CHECK(second.destroyed == 1);
    GIVES(SM_OK, sm_set_callback(client, count_event, &third, end));
    GIVES(SM_OK, sm_clear_cache(client, NULL, count_result, &later, end, NULL));
    sm_close(client);
    CHECK(third.destroyed == 1 && third.events > 0); /* `closed` at least */
    CHECK(later.results == 1 && later.destroyed == 1);

    /* A result nobody registered for is an event; its context ends all the same. */
    client = open_client(directory, "");
    context quiet = {0};
    uint64_t request = 0;
    GIVES(SM_OK, sm_clear_cache(client, NULL, NULL, &quiet, end, &request));
    char *event = await_event(client, "\"type\":\"result\"", "\"clear_cache\"", NULL);
    CHECK(request != 0 && number_in(event, "\"request\"") == (long long)request);
    CHECK(quiet.destroyed == 1);
    free(event);
    sm_close(client);
}

static void silence(const char *directory) {
    sm_client *client = open_client(directory, "");
    context own = {0}, call = {0};
    GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &own.collection));
    GIVES(SM_OK, sm_collection_set_callback(own.collection, count_event, &own, end));
    for (int index = 0; index < 20; index++)
        GIVES(SM_OK, sm_send_message(own.collection, "{\"message\":\"m\"}", count_result, &call, NULL, NULL));
    sm_collection_remove(own.collection);
    CHECK(own.destroyed == 1);
    int events = own.events;
    sm_close(client);
    CHECK(own.events == events && own.destroyed == 1);
    CHECK(call.results == 20);
}

static void *drain_for_ever(void *argument) {
    const char *json = NULL;
    context *own = argument;
    do own->status = sm_next_event(own->client, -1, &json, NULL);
    while (own->status == SM_ERR_BUSY); /* the other thread was just asking */
    CHECK(json == NULL);
    return NULL;
}

static void waiting(const char *directory) {
    context own = {.client = open_client(directory, "")};
    sm_client *client = own.client;
    const char *json = NULL;
    struct pollfd wait = {sm_get_fd(client), POLLIN, 0};
    CHECK(poll(&wait, 1, 0) == 0);
    GIVES(SM_OK, sm_clear_cache(client, NULL, NULL, NULL, NULL, NULL));
    CHECK(poll(&wait, 1, 10000) == 1);
    CHECK(poll(&wait, 1, 0) == 1); /* level-triggered: asking does not take it away */
    while (poll(&wait, 1, 0) == 1) GIVES(SM_OK, sm_next_event(client, 0, &json, NULL));
    GIVES(SM_OK, sm_next_event(client, 0, &json, NULL));
    CHECK(json == NULL);

    /* An interrupt ends the wait of the moment, or the next one. */
    GIVES(SM_OK, sm_interrupt(client));
    GIVES(SM_OK, sm_next_event(client, -1, &json, NULL));
    CHECK(json == NULL);
    GIVES(SM_OK, sm_interrupt(client));
    CHECK(sm_dispatch(client, 0, -1) == 0);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, drain_for_ever, &own) == 0);
    /* While one thread drains, another is told; it learns that way when the first has begun to wait. */
    int32_t status;
    while ((status = sm_next_event(client, 0, &json, NULL)) != SM_ERR_BUSY) GIVES(SM_OK, status);
    GIVES(SM_ERR_BUSY, sm_dispatch(client, 0, 0));
    GIVES(SM_OK, sm_interrupt(client));
    pthread_join(thread, NULL);
    CHECK(own.status == SM_OK);
    sm_close(client);
}

static void on_thread(void *user_data, int32_t status, const char *json, size_t length) {
    context *own = user_data;
    char name[16] = "";
    (void)json;
    (void)length;
    pthread_getname_np(pthread_self(), name, sizeof name);
    CHECK(!strcmp(name, "sm-delivery"));
    own->status = status;
    /* From here too: nothing may wait for this very callback. */
    sm_close(own->client);
    CHECK(last_error_has("SM_ERR_REENTRANT"));
    own->results++;
    sem_post(&own->done);
}

static void tell(void *user_data, const char *json, size_t length) {
    context *own = user_data;
    (void)length;
    if (strstr(json, "\"pending\"")) sem_post(&own->done);
}

/* A callback that replaces itself keeps its context until it has returned. */
static void replace_itself(void *user_data, const char *json, size_t length) {
    context *own = user_data;
    (void)json;
    (void)length;
    GIVES(SM_OK, sm_set_callback(own->client, NULL, NULL, NULL));
    CHECK(own->destroyed == 0);
    own->events++;
}

/* While a client closes, what its last callbacks call says so. */
static void call_while_closing(void *user_data, const char *json, size_t length) {
    context *own = user_data;
    char *text = NULL;
    (void)length;
    if (!strstr(json, "\"closed\"")) return;
    GIVES(SM_ERR_CLOSED, sm_disconnect(own->client));
    GIVES(SM_ERR_CLOSED, sm_fetch(own->collection, SM_NEXT, NULL, NULL, NULL, NULL));
    (void)sm_collection_info(own->collection, &text);
    sm_string_free(text);
    own->events++;
}

static void lifetimes(const char *directory) {
    context own = {.client = open_client(directory, "")};
    GIVES(SM_OK, sm_set_callback(own.client, replace_itself, &own, end));
    GIVES(SM_OK, sm_clear_cache(own.client, NULL, NULL, NULL, NULL, NULL));
    while (own.events == 0) CHECK(sm_dispatch(own.client, 1, 10000) > 0);
    CHECK(own.events == 1 && own.destroyed == 1);
    sm_close(own.client);
    CHECK(own.destroyed == 1);

    context closing = {.client = open_client(directory, "")};
    GIVES(SM_OK, sm_message_collection_new(closing.client, "c", NULL, SM_LATEST, &closing.collection));
    GIVES(SM_OK, sm_set_callback(closing.client, call_while_closing, &closing, end));
    sm_close(closing.client);
    CHECK(closing.events == 1 && closing.destroyed == 1);
}

typedef struct log_context {
    sem_t entered, returned;
    int lines;
} log_context;

/* A line that is still being told when another thread ends the log. */
static void told_line(void *user_data, int32_t level, const char *line) {
    log_context *own = user_data;
    struct timespec until;
    CHECK(level >= SM_LOG_ERROR && level <= SM_LOG_DEBUG && line[0] != 0);
    if (own->lines++ > 0) return;
    GIVES(SM_ERR_REENTRANT, sm_set_log(SM_LOG_NONE, NULL, NULL));
    sem_post(&own->entered);
    /* sm_set_log() must not return before this does: what it gave is in use here. */
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    int waited;
    while ((waited = sem_timedwait(&own->returned, &until)) != 0 && errno == EINTR) {
    }
    CHECK(waited != 0 && errno == ETIMEDOUT);
}

static void log_ends(const char *directory) {
    log_context *own = calloc(1, sizeof *own);
    CHECK(own && sem_init(&own->entered, 0, 0) == 0 && sem_init(&own->returned, 0, 0) == 0);
    GIVES(SM_OK, sm_set_log(SM_LOG_DEBUG, told_line, own));
    /* Nobody listens there. */
    sm_client *client = open_client(directory,
                                    ",\"access_token\":\"t\",\"api_host\":\"http://127.0.0.1:1\","
                                    "\"ws_host\":\"ws://127.0.0.1:1\"");
    GIVES(SM_OK, sm_connect(client, NULL, NULL, NULL, NULL));
    while (sem_wait(&own->entered) != 0) {
    }
    GIVES(SM_OK, sm_set_log(SM_LOG_NONE, NULL, NULL));
    sem_post(&own->returned);
    int lines = own->lines;
    sm_close(client);
    CHECK(lines >= 1 && own->lines == lines);
    sem_destroy(&own->entered);
    sem_destroy(&own->returned);
    free(own);
}

static void thread_delivery(const char *directory) {
    context own = {.client = open_client(directory, ",\"delivery\":\"thread\"")}, told = {0};
    const char *json = NULL;
    sem_init(&own.done, 0, 0);
    sem_init(&told.done, 0, 0);
    /* From the start nobody else drains. */
    GIVES(SM_ERR_BUSY, sm_next_event(own.client, 0, &json, NULL));
    /* Removing waits for a callback that runs, not for the next event. */
    GIVES(SM_OK, sm_message_collection_new(own.client, "c", NULL, SM_LATEST, &own.collection));
    GIVES(SM_OK, sm_collection_set_callback(own.collection, tell, &told, end));
    GIVES(SM_OK, sm_append_message(own.collection, "{\"message\":\"m\",\"request_id\":\"r\"}", NULL, NULL, NULL, NULL));
    while (sem_wait(&told.done) != 0) {
    }
    sm_collection_remove(own.collection);
    CHECK(told.destroyed == 1);
    GIVES(SM_OK, sm_clear_cache(own.client, NULL, on_thread, &own, end, NULL));
    while (sem_wait(&own.done) != 0) {
    }
    CHECK(own.results == 1 && own.status == SM_OK);
    GIVES(SM_ERR_BUSY, sm_next_event(own.client, 0, &json, NULL));
    sm_close(own.client);
    CHECK(own.destroyed == 1);
    sem_destroy(&own.done);
    sem_destroy(&told.done);
}

/* A host that lags loses changes, is told so, and gets the whole list again. */
static void overflow(const char *directory) {
    sm_client *client = open_client(directory, ",\"queue_limit\":16");
    sm_collection *messages = NULL;
    char text[64];
    GIVES(SM_OK, sm_message_collection_new(client, "flood", NULL, SM_LATEST, &messages));
    for (int index = 0; index < 200; index++) {
        snprintf(text, sizeof text, "{\"message\":\"m\",\"request_id\":\"r%03d\"}", index);
        GIVES(SM_OK, sm_append_message(messages, text, NULL, NULL, NULL, NULL));
    }
    while (stored_messages(directory) < 200) sched_yield();
    /* All were taken in while nobody listened. */
    char *event = await_event(client, "\"type\":\"overflow\"", "\"dropped\":", NULL);
    CHECK(number_in(event, "\"dropped\"") > 100);
    free(event);
    free(await_event(client, "\"action\":\"clear\"", "\"list\":\"pending\"", NULL));
    event = await_event(client, "\"action\":\"insert\"", "\"list\":\"pending\"", "\"r199\"", NULL);
    CHECK(strstr(event, "\"r000\"") && strstr(event, "\"r100\""));
    free(event);
    char *snapshot = NULL;
    GIVES(SM_OK, sm_collection_info(messages, &snapshot));
    CHECK(number_in(snapshot, "\"pending_count\"") == 200);
    sm_string_free(snapshot);
    sm_close(client);
}

static void append_many(sm_collection *messages, const char *name, int count) {
    char text[64];
    for (int index = 0; index < count; index++) {
        snprintf(text, sizeof text, "{\"message\":\"m\",\"request_id\":\"%s%03d\"}", name, index);
        GIVES(SM_OK, sm_append_message(messages, text, NULL, NULL, NULL, NULL));
    }
}

static int pending_count(sm_collection *messages) {
    char *info = NULL;
    GIVES(SM_OK, sm_collection_info(messages, &info));
    int count = (int)number_in(info, "\"pending_count\"");
    sm_string_free(info);
    return count;
}

/* One collection begins to lag after another one's full lists were asked for, and before they come. */
static void overflow_of_two(const char *directory) {
    sm_client *client = open_client(directory, ",\"queue_limit\":16");
    sm_collection *first = NULL, *second = NULL;
    const char *json = NULL;
    GIVES(SM_OK, sm_message_collection_new(client, "first", NULL, SM_LATEST, &first));
    GIVES(SM_OK, sm_message_collection_new(client, "second", NULL, SM_LATEST, &second));
    append_many(first, "a", 100);
    while (stored_messages(directory) < 100) sched_yield();
    append_many(second, "b", 60);
    /* 100 results and 16 changes wait. Taken but for a few, faster than the engine stores: now the first one's lists
     * are asked for, behind most of what the second one is about to tell. */
    for (int index = 0; index < 112; index++) GIVES(SM_OK, sm_next_event(client, 0, &json, NULL));
    while (stored_messages(directory) < 160) sched_yield();
    while (pending_count(first) < 100 || pending_count(second) < 60) {
        GIVES(SM_OK, sm_next_event(client, 60000, &json, NULL));
        CHECK(json != NULL);
    }
    sm_close(client);
}

int main(void) {
    from_callbacks(fresh_directory());
    silence(fresh_directory());
    waiting(fresh_directory());
    lifetimes(fresh_directory());
    log_ends(fresh_directory());
    thread_delivery(fresh_directory());
    overflow(fresh_directory());
    overflow_of_two(fresh_directory());
    return checks_done();
}
