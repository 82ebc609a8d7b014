/* A host of the library, over its C interface.
 *
 * usage: host page DATA_DIR TIMES PAUSE_MS    pages out of the cache, offline; prints one JSON object
 *        host connect DATA_DIR                one page, asked for after sm_connect() to where no server is
 *        host realtime CONFIG                 prints "ready", then "MESSAGE_ID NANOSECONDS" as each message arrives,
 *                                             until standard input ends */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>
#include <time.h>
#include <unistd.h>

#include "start.h"

static size_t inserts, results;
static int failures;

static void changed(void *user_data, const char *json, size_t length) {
    (void)user_data;
    (void)length;
    if (strstr(json, "\"insert\"")) inserts++;
}

static void done(void *user_data, int32_t status, const char *json, size_t length) {
    (void)user_data;
    (void)json;
    (void)length;
    results++;
    if (status != SM_OK) failures++;
}

static long resident(void) {
    long kilobytes = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &kilobytes) == 1) break;
    if (file) fclose(file);
    return kilobytes;
}

static void must(int32_t status) {
    if (status >= 0) return;
    fprintf(stderr, "%s\n", sm_last_error());
    exit(1);
}

static void page(sm_client *client, sm_collection *messages) {
    size_t wanted = results + 1;
    must(sm_fetch(messages, SM_PREVIOUS, done, NULL, NULL, NULL));
    while (results < wanted) must(sm_dispatch(client, 0, -1));
}

static int pages(double start, const char *directory, long times, long pause_ms, int connects) {
    char config[4096];
    snprintf(
        config, sizeof config, "{\"app_id\":\"benchmark\",\"user_id\":\"user\",\"data_dir\":\"%s\"%s}", directory,
        connects ? ",\"access_token\":\"t\",\"api_host\":\"http://127.0.0.1:9\",\"ws_host\":\"ws://127.0.0.1:9\"" : "");
    sm_client *client = NULL;
    sm_collection *messages = NULL;
    must(sm_setup(config, &client));
    if (connects) must(sm_connect(client, NULL, NULL, NULL, NULL));
    must(sm_message_collection_new(client, "benchmark", NULL, SM_LATEST, &messages));
    must(sm_collection_set_callback(messages, changed, NULL, NULL));
    page(client, messages);
    double first = now() - start;
    long memory = resident();
    char *snapshot = NULL;
    must(sm_collection_snapshot(messages, &snapshot));
    size_t shown = 0;
    for (const char *at = snapshot; (at = strstr(at, "\"message_id\":")); at++) shown++;
    sm_string_free(snapshot);
    double all = 0;
    for (long index = 0; index < times; index++) {
        rest(pause_ms);
        start = now();
        must(sm_reset_viewpoint(messages, SM_LATEST));
        page(client, messages);
        all += now() - start;
    }
    double each = times ? all / (double)times : 0;
    sm_close(client);
    printf(
        "{\"inserts\":%zu,\"shown\":%zu,\"first_page_seconds\":%.6f,\"page_seconds\":%.9f,\"rss_kb\":%ld}\n", inserts,
        shown, first, each, memory);
    /* A page is 30 messages, and each fetch inserted one. */
    return failures == 0 && shown == 30 && inserts == (size_t)times + 1 ? 0 : 1;
}

static void arrived(void *user_data, const char *json, size_t length) {
    (void)user_data;
    (void)length;
    if (!strstr(json, "\"insert\"") || !strstr(json, "\"source\":\"event_")) return;
    const char *id = strstr(json, "\"message_id\":");
    if (id) printf("%ld %.0f\n", atol(id + strlen("\"message_id\":")), now() * 1e9);
}

static int realtime(const char *config) {
    sm_client *client = NULL;
    sm_collection *messages = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    must(sm_setup(config, &client));
    must(sm_message_collection_new(client, "benchmark", NULL, SM_LATEST, &messages));
    must(sm_collection_set_callback(messages, arrived, NULL, NULL));
    must(sm_connect(client, done, NULL, NULL, NULL));
    while (results < 1) must(sm_dispatch(client, 0, -1));
    page(client, messages);
    puts("ready");
    struct pollfd waits[2] = {{sm_get_fd(client), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    while (!waits[1].revents) {
        if (waits[0].revents) must(sm_dispatch(client, 0, 0));
        poll(waits, 2, -1);
    }
    sm_close(client);
    return failures;
}

int main(int argc, char **argv) {
    if (argc == 5 && !strcmp(argv[1], "page"))
        return pages(since_exec(argv), argv[2], atol(argv[3]), atol(argv[4]), 0);
    if (argc == 3 && !strcmp(argv[1], "connect")) return pages(since_exec(argv), argv[2], 0, 0, 1);
    if (argc == 3 && !strcmp(argv[1], "realtime")) return realtime(argv[2]);
    fprintf(stderr, "usage: host page DATA_DIR TIMES PAUSE_MS | connect DATA_DIR | realtime CONFIG\n");
    return 2;
}
