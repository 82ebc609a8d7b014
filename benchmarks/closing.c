/* How long a client takes to end while much waits for it.
 *
 * usage: closing CONFIG KIND KEPT WAITING LISTENS END    prints one JSON object
 *
 * Opens so many listens with a query, keeps so many writes to the database, makes WAITING calls of a KIND, and ends
 * the client at once: END is "close", "sign_out", which is waited for, or "late", a sign-out when all is carried out.
 * KIND is "writes" (to the database), "increments" (server values), "messages" (sm_send_message), "appended"
 * (sm_append_message), "questions" (sm_call to the service), "reads" (database_get), or "resources" (each created, and
 * counted). Every call has to complete, once. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "start.h"

enum { STATUSES = 64 };

static size_t results, statuses[STATUSES];
static int32_t signed_out = -1;

static void must(int32_t status) {
    if (status >= 0) return;
    fprintf(stderr, "%s\n", sm_last_error());
    exit(1);
}

static void done(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data;
    (void)json;
    (void)length;
    results++;
    if (status <= 0 && -status < STATUSES) statuses[-status]++;
}

static void ended(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data;
    (void)json;
    (void)length;
    signed_out = status;
}

/* Of all threads of this process, in seconds. */
static double processor(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void wait_for(sm_client *client, size_t wanted) {
    while (results < wanted) must(sm_dispatch(client, 0, -1));
}

static void call(sm_client *client, const char *text) { must(sm_call(client, text, done, NULL, NULL, NULL)); }

/* Everything below one place, so that each write concerns each listen. */
static void make(sm_client *client, sm_collection *messages, const char *kind, long number) {
    char text[512];
    if (strcmp(kind, "messages") == 0 || strcmp(kind, "appended") == 0) {
        snprintf(text, sizeof text, "{\"message\":\"number %ld\",\"request_id\":\"r%ld\"}", number, number);
        if (kind[0] == 'm') {
            must(sm_send_message(messages, text, done, NULL, NULL, NULL));
        } else {
            must(sm_append_message(messages, text, done, NULL, NULL, NULL));
        }
        return;
    }
    if (strcmp(kind, "writes") == 0) {
        snprintf(
            text, sizeof text,
            "{\"action\":\"database_set\",\"path\":\"/notes/n%ld\",\"value\":{\"at\":%ld,\"text\":\"see the notes\"}}",
            number, number);
    } else if (strcmp(kind, "increments") == 0) {
        snprintf(
            text, sizeof text,
            "{\"action\":\"database_set\",\"path\":\"/notes/n%ld/at\",\"value\":{\".sv\":{\"increment\":1}}}",
            number % 1000);
    } else if (strcmp(kind, "resources") == 0) {
        snprintf(
            text, sizeof text,
            "{\"action\":\"resource_create\",\"resource_type\":\"Note\",\"context\":\"here\",\"key\":\"r%ld\","
            "\"value\":{\"at\":%ld,\"done\":true}}",
            number, number);
    } else if (strcmp(kind, "reads") == 0) {
        snprintf(text, sizeof text, "{\"action\":\"database_get\",\"path\":\"/other/n%ld\"}", number);
    } else {
        snprintf(text, sizeof text, "{\"action\":\"get_message\",\"channel_url\":\"benchmark\",\"message_id\":\"%ld\"}",
                 number + 1);
    }
    call(client, text);
}

static void prepare_resources(sm_client *client) {
    call(client, "{\"action\":\"resource_register\",\"resource_type\":\"Note\",\"path\":\"/notes/@\"}");
    call(client,
         "{\"action\":\"resource_register\",\"resource_type\":\"Book\",\"path\":\"/books/@\","
         "\"counters\":[{\"name\":\"notes\",\"counting\":\"Note\",\"predicate\":{\"==\":[\"done\",true]}}]}");
    call(client, "{\"action\":\"resource_push\",\"context\":\"here\",\"resources\":{\"book\":{\"key\":\"b\","
                 "\"type\":\"Book\"}}}");
    wait_for(client, 3);
    if (statuses[0] != 3) {
        fprintf(stderr, "resources are refused\n");
        exit(1);
    }
}

int main(int count, char **arguments) {
    if (count != 7) return 2;
    const char *config = arguments[1], *kind = arguments[2];
    long kept = atol(arguments[3]), waiting = atol(arguments[4]), listens = atol(arguments[5]);
    int is_late = strcmp(arguments[6], "late") == 0, signs_out = is_late || strcmp(arguments[6], "sign_out") == 0;
    sm_client *client = NULL;
    sm_collection *messages = NULL;
    must(sm_setup(config, &client));
    must(sm_message_collection_new(client, "benchmark", NULL, SM_LATEST, &messages));
    if (strcmp(kind, "resources") == 0) prepare_resources(client);
    for (long index = 0; index < listens; index++) {
        char text[256];
        snprintf(text, sizeof text,
                 "{\"action\":\"database_listen\",\"path\":\"/notes\",\"order_by\":\"at\",\"limit_to_last\":%ld}",
                 index + 100);
        call(client, text);
    }
    for (long index = 0; index < kept; index++) {
        char text[256];
        snprintf(text, sizeof text,
                 "{\"action\":\"database_set\",\"path\":\"/notes/k%ld\",\"value\":{\"at\":%ld},\"when\":\"kept\"}",
                 index, index);
        call(client, text);
        /* No call is refused for want of room. */
        if (index % 100 == 99) wait_for(client, results + 1);
    }
    wait_for(client, (size_t)(listens + kept) + (strcmp(kind, "resources") == 0 ? 3 : 0));
    size_t before = results;
    memset(statuses, 0, sizeof statuses);
    double begun = now(), worked = processor();
    for (long index = 0; index < waiting; index++) make(client, messages, kind, index);
    if (is_late) {
        call(client, "{\"action\":\"statistics\"}");
        wait_for(client, results + 1);
        before++;
    }
    double called = now();
    if (signs_out) {
        must(sm_sign_out(client, ended, NULL, NULL, NULL));
        while (signed_out < 0) must(sm_dispatch(client, 0, -1));
    }
    double out = now();
    sm_close(client);
    double closed = now();
    printf(
        "{\"call_seconds\":%.6f,\"sign_out_seconds\":%.6f,\"close_seconds\":%.6f,\"processor_seconds\":%.6f,"
        "\"statuses\":{",
        called - begun, out - called, closed - out, processor() - worked);
    for (int status = 0, isFirst = 1; status < STATUSES; status++) {
        if (!statuses[status]) continue;
        printf("%s\"%d\":%zu", isFirst ? "" : ",", status, statuses[status]);
        isFirst = 0;
    }
    printf("}}\n");
    return results == before + (size_t)waiting ? 0 : 1;
}
