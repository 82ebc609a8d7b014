/* What a client holds in memory while it sends and receives a large file.
 *
 * usage: files CONFIG CHANNEL SMALL LARGE TARGET    prints one JSON object
 *
 * Sends SMALL in a message and receives it as TARGET.small, so that all is loaded that files need. Then the same with
 * LARGE; a thread looks meanwhile every 2 ms how much of the process is resident. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

#include "start.h"

static atomic_long most;
static int32_t result;
static int is_done;
static char url[1024];

static void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void must(int32_t status) {
    if (status < 0) fail("refused", sm_last_error());
}

/* Of this process, in bytes. */
static long resident(void) {
    long all, found = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &found) != 2) fail("/proc/self/statm", "cannot be read");
    fclose(file);
    return found * sysconf(_SC_PAGESIZE);
}

static void *look(void *unused) {
    (void)unused;
    for (;;) {
        long found = resident();
        if (found > atomic_load(&most)) atomic_store(&most, found);
        rest(2);
    }
    return NULL;
}

static void done(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data;
    (void)length;
    result = status;
    is_done = 1;
    if (status < 0) fail("completed", json);
    for (const char *at = json; at && (at = strstr(at, "\"url\":\"")); at++) {
        if (sscanf(at, "\"url\":\"%1000[^\"]", url) == 1 && strstr(url, "/files/")) return;
    }
}

static void wait_for_it(sm_client *client) {
    while (!is_done) must(sm_dispatch(client, 0, -1));
    is_done = 0;
}

/* Sends a file and receives it; how long each took, in seconds. */
static void carry(sm_client *client, sm_collection *messages, const char *path, const char *target, double *seconds) {
    char text[4096];
    snprintf(text, sizeof text, "{\"file\":{\"path\":\"%s\"}}", path);
    double begun = now();
    must(sm_send_message(messages, text, done, NULL, NULL, NULL));
    wait_for_it(client);
    seconds[0] = now() - begun;
    snprintf(text, sizeof text, "{\"action\":\"download_file\",\"url\":\"%s\",\"path\":\"%s\"}", url, target);
    begun = now();
    must(sm_call(client, text, done, NULL, NULL, NULL));
    wait_for_it(client);
    seconds[1] = now() - begun;
}

int main(int count, char **arguments) {
    if (count != 6) return 2;
    sm_client *client = NULL;
    sm_collection *messages = NULL;
    must(sm_setup(arguments[1], &client));
    must(sm_message_collection_new(client, arguments[2], NULL, SM_LATEST, &messages));
    must(sm_connect(client, done, NULL, NULL, NULL));
    wait_for_it(client);
    char target[4096];
    double seconds[2];
    snprintf(target, sizeof target, "%s.small", arguments[5]);
    carry(client, messages, arguments[3], target, seconds);
    long before = resident();
    pthread_t watcher;
    if (pthread_create(&watcher, NULL, look, NULL) != 0) fail("thread", "cannot be made");
    carry(client, messages, arguments[4], arguments[5], seconds);
    printf("{\"before\":%ld,\"most\":%ld,\"upload_seconds\":%.3f,\"download_seconds\":%.3f}\n", before,
           atomic_load(&most), seconds[0], seconds[1]);
    sm_close(client);
    return 0;
}
