/* A host of the library, over its C interface, offline: pages out of the cache.
 *
 * usage: host DATA_DIR TIMES      Prints one JSON object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>
#include <time.h>

static size_t inserts, results;
static int failures;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

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

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: host DATA_DIR TIMES\n");
        return 2;
    }
    char config[4096];
    snprintf(config, sizeof config, "{\"app_id\":\"benchmark\",\"user_id\":\"user\",\"data_dir\":\"%s\"}", argv[1]);
    sm_client *client = NULL;
    sm_collection *messages = NULL;
    double start = now();
    must(sm_setup(config, &client));
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
    long times = atol(argv[2]);
    start = now();
    for (long index = 0; index < times; index++) {
        must(sm_reset_viewpoint(messages, SM_LATEST));
        page(client, messages);
    }
    double each = times ? (now() - start) / (double)times : 0;
    sm_close(client);
    printf(
        "{\"inserts\":%zu,\"shown\":%zu,\"first_page_seconds\":%.6f,\"page_seconds\":%.9f,\"rss_kb\":%ld}\n", inserts, shown, first,
        each, memory);
    /* A page is 30 messages, and each fetch inserted one. */
    return failures == 0 && shown == 30 && inserts == (size_t)times + 1 ? 0 : 1;
}
