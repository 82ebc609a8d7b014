/* Everything from many threads at once: on one client, while it closes, and many clients side by side. */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 8 };

static int rounds = 60;

static sm_client *shared;
static sm_collection *shared_messages;
static atomic_int accepted, answered;
static pthread_barrier_t barrier;

static void answer(void *user_data, int32_t status, const char *json, size_t length) {
    (void)status;
    (void)json;
    (void)length;
    (void)user_data;
}

static void answer_ended(void *user_data) {
    (void)user_data;
    atomic_fetch_add(&answered, 1);
}

static bool is_one_of(int32_t status, int32_t first, int32_t second, int32_t third) {
    return status == first || status == second || status == third;
}

/* Uses the shared client in every way until it is closed under its hands. */
static void *use(void *argument) {
    long number = (long)argument;
    pthread_barrier_wait(&barrier);
    for (int round = 0;; round++) {
        sm_collection *own = NULL;
        char *json = NULL, text[64];
        const char *event = NULL;
        int32_t status = sm_message_collection_new(shared, number % 2 ? "odd" : "even", NULL, SM_LATEST, &own);
        if (status != SM_OK) {
            CHECK(is_one_of(status, SM_ERR_CLOSED, SM_ERR_INVALID_HANDLE, SM_ERR_CLOSED));
            return NULL;
        }
        snprintf(text, sizeof text, "{\"message\":\"m\",\"request_id\":\"t%ld-%d\"}", number, round);
        atomic_fetch_add(&accepted, 1);
        status = sm_append_message(shared_messages, text, answer, NULL, answer_ended, NULL);
        CHECK(is_one_of(status, SM_OK, SM_ERR_CLOSED, SM_ERR_INVALID_HANDLE));
        atomic_fetch_add(&accepted, 1);
        status = sm_fetch(own, SM_PREVIOUS, answer, NULL, answer_ended, NULL);
        CHECK(is_one_of(status, SM_OK, SM_ERR_CLOSED, SM_ERR_INVALID_HANDLE));
        if (sm_collection_snapshot(shared_messages, &json) == SM_OK) sm_string_free(json);
        if (sm_collection_info(own, &json) == SM_OK) sm_string_free(json);
        status = sm_next_event(shared, 0, &event, NULL);
        CHECK(status == SM_ERR_BUSY || is_one_of(status, SM_OK, SM_ERR_CLOSED, SM_ERR_INVALID_HANDLE));
        sm_interrupt(shared);
        sm_collection_remove(own);
        if (round == rounds) sm_close(shared); /* whoever comes first; the others are told that it is closing */
    }
}

/* A client of its own, from beginning to end, while others do the same. */
static void *live(void *argument) {
    const char *directory = argument;
    for (int round = 0; round < rounds / 10; round++) {
        sm_client *client = open_client(directory, round % 2 ? ",\"delivery\":\"thread\"" : "");
        sm_collection *messages = NULL;
        GIVES(SM_OK, sm_message_collection_new(client, "c", NULL, SM_LATEST, &messages));
        char text[64], id[16];
        snprintf(id, sizeof id, "\"r%d\"", round);
        snprintf(text, sizeof text, "{\"message\":\"m\",\"request_id\":%s}", id);
        GIVES(SM_OK, sm_send_message(messages, text, NULL, NULL, NULL, NULL));
        if (round % 2 == 0) free(await_event(client, "\"list\":\"pending\"", id, NULL));
        sm_close(client);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    if (getenv("CAPI_SLOW")) rounds = 10; /* valgrind runs one thread at a time */
    /* The threads drain one event for two calls: on a slow machine calls would be refused. */
    shared = open_client(fresh_directory(), ",\"queue_limit\":100000");
    GIVES(SM_OK, sm_message_collection_new(shared, "even", NULL, SM_LATEST, &shared_messages));
    CHECK(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
    for (long index = 0; index < THREADS; index++)
        CHECK(pthread_create(&threads[index], NULL, use, (void *)index) == 0);
    for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
    /* Refused or answered: each call's context has ended, once. */
    CHECK(atomic_load(&accepted) == atomic_load(&answered));
    pthread_barrier_destroy(&barrier);

    for (int index = 0; index < THREADS; index++)
        CHECK(pthread_create(&threads[index], NULL, live, (void *)fresh_directory()) == 0);
    for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
    return checks_done();
}
