/* How long a context, a handle and a directory live when callbacks, threads, the client's end and a fork get in
 * between. */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void wait_for(const int *counter, int count) {
    pthread_mutex_lock(&mutex);
    while (*counter < count) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static sm_collection *new_messages(sm_client *client) {
    sm_collection *messages = NULL;
    GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
    return messages;
}

static void append(sm_collection *messages, const char *request_id) {
    char text[64];
    snprintf(text, sizeof text, "{\"message\":\"m\",\"request_id\":\"%s\"}", request_id);
    GIVES(SM_OK, sm_append_message(messages, text, NULL, NULL, NULL, NULL));
}

/* ---- From the callbacks that sm_close() runs: the client is closing, and its handles are still its own ---- */

typedef struct closing {
    sm_client *client;
    sm_collection *messages;
    int runs, destroyed;
} closing;

static void end_in_closing(void *user_data) { ((closing *)user_data)->destroyed++; }

static void ignore_event(void *user_data, const char *json, size_t length) {
    (void)user_data;
    (void)json;
    (void)length;
}

static void on_closing(void *user_data, const char *json, size_t length) {
    closing *own = user_data;
    const char *event = NULL;
    char *snapshot = NULL;
    sm_collection *more = NULL;
    (void)length;
    if (!strstr(json, "\"type\":\"closed\"")) return;
    GIVES(SM_ERR_REENTRANT, sm_next_event(own->client, 0, &event, NULL));
    GIVES(SM_ERR_REENTRANT, sm_dispatch(own->client, 0, 0));
    sm_close(own->client);
    CHECK(last_error_has("SM_ERR_REENTRANT"));
    GIVES(SM_ERR_CLOSED, sm_connect(own->client, NULL, own, end_in_closing, NULL));
    GIVES(SM_ERR_CLOSED, sm_get_fd(own->client));
    GIVES(SM_ERR_CLOSED, sm_interrupt(own->client));
    GIVES(SM_ERR_CLOSED, sm_channel_collection_new(own->client, NULL, &more));
    GIVES(SM_ERR_CLOSED, sm_search_collection_new(own->client, "{\"query\":\"a\"}", &more));
    GIVES(SM_ERR_CLOSED, sm_collection_snapshot(own->messages, &snapshot));
    GIVES(SM_ERR_CLOSED, sm_send_message(own->messages, "{\"message\":\"m\"}", NULL, own, end_in_closing, NULL));
    GIVES(SM_ERR_CLOSED, sm_set_callback(own->client, ignore_event, own, end_in_closing));
    GIVES(SM_ERR_CLOSED, sm_collection_set_callback(own->messages, ignore_event, own, end_in_closing));
    CHECK(own->destroyed == 4);
    own->runs++;
}

static void while_closing(void) {
    closing own = {.client = open_client(fresh_directory(), "")};
    own.messages = new_messages(own.client);
    GIVES(SM_OK, sm_set_callback(own.client, on_closing, &own, end_in_closing));
    sm_close(own.client);
    CHECK(own.runs == 1 && own.destroyed == 5);
}

/* ---- A callback that replaces or removes itself has its context until it returns ---- */

typedef struct itself {
    sm_client *client;
    sm_collection *messages;
    int how, destroyed;
} itself;

static void end_itself(void *user_data) {
    pthread_mutex_lock(&mutex);
    ((itself *)user_data)->destroyed++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void replace_itself(void *user_data, const char *json, size_t length) {
    itself *own = user_data;
    (void)json;
    (void)length;
    if (own->how == 0) GIVES(SM_OK, sm_set_callback(own->client, NULL, NULL, NULL));
    if (own->how == 1) GIVES(SM_OK, sm_collection_set_callback(own->messages, ignore_event, NULL, NULL));
    if (own->how == 2) sm_collection_remove(own->messages);
    CHECK(own->destroyed == 0);
}

static void from_itself(const char *delivery) {
    for (int how = 0; how < 3; how++) {
        itself own = {.client = open_client(fresh_directory(), delivery), .how = how};
        own.messages = new_messages(own.client);
        if (how == 0) {
            GIVES(SM_OK, sm_set_callback(own.client, replace_itself, &own, end_itself));
        } else {
            GIVES(SM_OK, sm_collection_set_callback(own.messages, replace_itself, &own, end_itself));
        }
        append(own.messages, "r");
        while (!*delivery && own.destroyed == 0) CHECK(sm_dispatch(own.client, 1, 10000) > 0);
        wait_for(&own.destroyed, 1);
        sm_close(own.client);
        CHECK(own.destroyed == 1);
    }
}

/* ---- Delivery on a thread: others replace, remove and drain meanwhile ---- */

static int delivered, ended;
static bool holds;

static void on_delivery(void *user_data, const char *json, size_t length) {
    (void)user_data;
    (void)json;
    (void)length;
    pthread_mutex_lock(&mutex);
    delivered++;
    pthread_cond_broadcast(&changed);
    while (holds) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void on_end(void *user_data) {
    (void)user_data;
    pthread_mutex_lock(&mutex);
    ended++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void on_thread(void) {
    const char *json = NULL;
    sm_client *client = open_client(fresh_directory(), ",\"delivery\":\"thread\"");
    /* From the first moment on, even when that thread has not begun to run. */
    GIVES(SM_ERR_BUSY, sm_next_event(client, 0, &json, NULL));
    GIVES(SM_ERR_BUSY, sm_dispatch(client, 0, 0));

    /* A removal waits for a callback that runs, and for nothing else: here the last event was of this collection. */
    for (int round = 0; round < 20; round++) {
        sm_collection *messages = new_messages(client);
        char name[16];
        snprintf(name, sizeof name, "r%d", round);
        delivered = ended = 0;
        GIVES(SM_OK, sm_collection_set_callback(messages, on_delivery, NULL, on_end));
        append(messages, name);
        wait_for(&delivered, 1);
        sm_collection_remove(messages);
        pthread_mutex_lock(&mutex);
        CHECK(ended == 1);
        pthread_mutex_unlock(&mutex);
    }

    /* Replaced while it runs: its context is in use until it returns. */
    delivered = ended = 0;
    holds = true;
    GIVES(SM_OK, sm_set_callback(client, on_delivery, NULL, on_end));
    GIVES(SM_OK, sm_clear_cache(client, NULL, NULL, NULL, NULL, NULL));
    wait_for(&delivered, 1);
    GIVES(SM_OK, sm_set_callback(client, NULL, NULL, NULL));
    pthread_mutex_lock(&mutex);
    CHECK(ended == 0);
    holds = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    wait_for(&ended, 1);
    sm_close(client);
    CHECK(ended == 1);
}

/* ---- Contexts and handles that come while the client ends ---- */

enum { THREADS = 8, CLIENTS = 20 };

static sm_client *closed_client;
static sm_collection *closed_messages;
static atomic_int given, taken_back;
static pthread_barrier_t barrier;

static void take_back(void *user_data) {
    (void)user_data;
    atomic_fetch_add(&taken_back, 1);
}

static void *use_until_closed(void *argument) {
    (void)argument;
    pthread_barrier_wait(&barrier);
    /* Nobody drains, so there are too many calls at some time. */
    for (int32_t status = SM_OK; status == SM_OK || status == SM_ERR_TOO_MANY_CALLS;) {
        sm_collection *more = NULL;
        atomic_fetch_add(&given, 5);
        sm_set_callback(closed_client, ignore_event, NULL, take_back);
        sm_collection_set_callback(closed_messages, ignore_event, NULL, take_back);
        sm_clear_cache(closed_client, "c", NULL, NULL, take_back, NULL);
        sm_call(closed_client, "{\"action\":\"mark_as_read\",\"channel_url\":\"c\"}", NULL, NULL, take_back, NULL);
        status = sm_channel_collection_new(closed_client, NULL, &more);
        sm_collection_set_callback(more, ignore_event, NULL, take_back);
        CHECK(status == SM_OK || status == SM_ERR_CLOSED || status == SM_ERR_INVALID_HANDLE ||
            status == SM_ERR_TOO_MANY_CALLS);
        CHECK((status == SM_OK) == (more != NULL));
    }
    return NULL;
}

static void at_the_end(void) {
    const char *directory = fresh_directory();
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS + 1) == 0);
    for (int round = 0; round < CLIENTS; round++) {
        pthread_t threads[THREADS];
        /* Fails if the directory is not free the moment sm_close() has returned. */
        closed_client = open_client(directory, round % 2 ? ",\"delivery\":\"thread\"" : "");
        closed_messages = new_messages(closed_client);
        for (int index = 0; index < THREADS; index++)
            CHECK(pthread_create(&threads[index], NULL, use_until_closed, NULL) == 0);
        pthread_barrier_wait(&barrier);
        sm_close(closed_client);
        sm_client *next = open_client(directory, "");
        for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
        sm_close(next);
        CHECK(atomic_load(&given) == atomic_load(&taken_back));
    }
    pthread_barrier_destroy(&barrier);
}

/* ---- A fork that lives on keeps nothing of the parent's ---- */

static void after_a_fork(void) {
    const char *directory = fresh_directory();
    sm_client *client = open_client(directory, "");
    pid_t child = fork();
    CHECK(child >= 0);
    while (child == 0) pause();
    sm_close(client);
    sm_close(open_client(directory, ""));
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
}

int main(void) {
    after_a_fork();
    while_closing();
    from_itself("");
    from_itself(",\"delivery\":\"thread\"");
    on_thread();
    at_the_end();
    return checks_done();
}
