/* A host of the library, over its C interface.
 *
 * usage: host page DATA_DIR TIMES PAUSE_MS    pages out of the cache, offline; prints one JSON object
 *        host connect DATA_DIR                one page, asked for after sm_connect() to where no server is
 *        host realtime CONFIG [COLLECTIONS]   prints "ready", then "MESSAGE_ID NANOSECONDS" as each message arrives,
 *                                             until standard input ends; with so many collections open on the channel
 *        host collections DATA_DIR COUNT      opens that many and shows the first page of each, offline; prints one
 *                                             JSON object
 *        host actions CONFIG COUNT FLIGHT     asks the service COUNT times by sm_call(), FLIGHT calls at once; prints
 *                                             one JSON object
 *        host send CONFIG                     prints "ready", then sends a message for each line of standard input (its
 *                                             JSON document), and prints "sent" when it has been acknowledged
 *        host ingest CONFIG                   connects, waits until the whole channel is cached, and closes; prints one
 *                                             JSON object
 *        host fill CONFIG COUNT               connects, and fetches the list of channels to its end
 *        host channels DATA_DIR TIMES         the first page of that list out of the cache, offline; prints one JSON
 *                                             object */
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
    static const char key[] = "\"message_id\":";
    double at = now() * 1e9;
    for (const char *id = json; (id = strstr(id, key)); id++) printf("%ld %.0f\n", atol(id + strlen(key)), at);
}

/* Connects, with the messages of the benchmark's channel open. */
static sm_collection *live(const char *config, sm_client **client, sm_event_callback callback) {
    sm_collection *messages = NULL;
    must(sm_setup(config, client));
    must(sm_message_collection_new(*client, "benchmark", NULL, SM_LATEST, &messages));
    must(sm_collection_set_callback(messages, callback, NULL, NULL));
    must(sm_connect(*client, done, NULL, NULL, NULL));
    while (results < 1) must(sm_dispatch(*client, 0, -1));
    return messages;
}

static int realtime(const char *config, long collections) {
    sm_client *client = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    sm_collection *messages = live(config, &client, arrived);
    page(client, messages);
    for (long index = 1; index < collections; index++) {
        must(sm_message_collection_new(client, "benchmark", NULL, SM_LATEST, &messages));
        must(sm_collection_set_callback(messages, changed, NULL, NULL));
        page(client, messages);
    }
    puts("ready");
    struct pollfd waits[2] = {{sm_get_fd(client), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    while (!waits[1].revents) {
        if (waits[0].revents) must(sm_dispatch(client, 0, 0));
        poll(waits, 2, -1);
    }
    sm_close(client);
    return failures;
}

static int sends(const char *config) {
    sm_client *client = NULL;
    sm_collection *messages = live(config, &client, changed);
    page(client, messages);
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    static char line[65536];
    while (failures == 0 && fgets(line, sizeof line, stdin)) {
        size_t wanted = results + 1;
        must(sm_send_message(messages, line, done, NULL, NULL, NULL));
        while (results < wanted) must(sm_dispatch(client, 0, -1));
        puts(failures ? "failed" : "sent");
    }
    sm_close(client);
    return failures;
}

static int many_collections(const char *directory, long count) {
    char config[4096];
    snprintf(
        config, sizeof config, "{\"app_id\":\"benchmark\",\"user_id\":\"user\",\"data_dir\":\"%s\"}", directory);
    sm_client *client = NULL;
    must(sm_setup(config, &client));
    double start = now();
    for (long index = 0; index < count; index++) {
        sm_collection *messages = NULL;
        must(sm_message_collection_new(client, "benchmark", NULL, SM_LATEST, &messages));
        must(sm_collection_set_callback(messages, changed, NULL, NULL));
        must(sm_fetch(messages, SM_PREVIOUS, done, NULL, NULL, NULL));
    }
    while (results < (size_t)count) must(sm_dispatch(client, 0, -1));
    double taken = now() - start;
    long memory = resident();
    sm_close(client);
    printf("{\"each_seconds\":%.9f,\"rss_kb\":%ld}\n", taken / (double)count, memory);
    return failures == 0 && inserts == (size_t)count ? 0 : 1;
}

static int actions(const char *config, long count, long flight) {
    static const char request[] = "{\"action\":\"get_channel\",\"channel_url\":\"benchmark\"}";
    sm_client *client = NULL;
    live(config, &client, changed);
    size_t first = results;
    double start = now();
    for (long asked = 0; results - first < (size_t)count && failures == 0;) {
        while (asked < count && asked - (long)(results - first) < flight) {
            must(sm_call(client, request, done, NULL, NULL, NULL));
            asked++;
        }
        must(sm_dispatch(client, 0, -1));
    }
    double taken = now() - start;
    sm_close(client);
    printf("{\"each_seconds\":%.9f}\n", taken / (double)count);
    return failures;
}

static int is_complete;

static void progressed(void *user_data, const char *json, size_t length) {
    (void)user_data;
    (void)length;
    if (strstr(json, "\"type\":\"sync_progress\"") && strstr(json, "\"channel_url\":\"benchmark\"") &&
        strstr(json, "\"complete\":true"))
        is_complete = 1;
}

static int ingest(double start, const char *config) {
    sm_client *client = NULL;
    sm_collection *messages = NULL;
    must(sm_setup(config, &client));
    must(sm_set_callback(client, progressed, NULL, NULL));
    must(sm_message_collection_new(client, "benchmark", NULL, SM_LATEST, &messages));
    must(sm_connect(client, done, NULL, NULL, NULL));
    while (!is_complete && failures == 0) must(sm_dispatch(client, 0, -1));
    sm_close(client);
    printf("{\"seconds\":%.6f}\n", now() - start);
    return failures;
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* A host that asks for events a millisecond at a time, as a program with other work does, while a history is fetched:
 * how much longer than that millisecond a call takes. */
static int waits(const char *config) {
    enum { MOST = 1000000 };
    static double beyond[MOST];
    size_t count = 0;
    sm_client *client = NULL;
    sm_collection *messages = NULL;
    must(sm_setup(config, &client));
    must(sm_message_collection_new(client, "benchmark", NULL, SM_LATEST, &messages));
    must(sm_connect(client, done, NULL, NULL, NULL));
    while (!is_complete && count < MOST) {
        const char *json = NULL;
        size_t length = 0;
        double begun = now();
        must(sm_next_event(client, 1, &json, &length));
        beyond[count++] = now() - begun - 0.001;
        if (json) progressed(NULL, json, length);
    }
    sm_close(client);
    qsort(beyond, count, sizeof *beyond, by_value);
    double p99 = beyond[count * 99 / 100], most = beyond[count - 1];
    printf("{\"waits\":%zu,\"p99_seconds\":%.6f,\"most_seconds\":%.6f}\n", count, p99, most);
    return failures == 0 && is_complete ? 0 : 1;
}

static int has_more;

static void listed(void *user_data, int32_t status, const char *json, size_t length) {
    done(user_data, status, json, length);
    has_more = strstr(json, "\"has_more\":true") != NULL;
}

static void list_page(sm_client *client, sm_collection *channels) {
    size_t wanted = results + 1;
    must(sm_fetch(channels, SM_NEXT, listed, NULL, NULL, NULL));
    while (results < wanted) must(sm_dispatch(client, 0, -1));
}

static long listed_channels(sm_collection *channels) {
    char *info = NULL;
    must(sm_collection_info(channels, &info));
    const char *count = strstr(info, "\"count\":");
    long result = count ? atol(count + strlen("\"count\":")) : -1;
    sm_string_free(info);
    return result;
}

static int fill(const char *config, long count) {
    sm_client *client = NULL;
    sm_collection *channels = NULL;
    must(sm_setup(config, &client));
    must(sm_channel_collection_new(client, "{\"limit\":100}", &channels));
    must(sm_connect(client, done, NULL, NULL, NULL));
    while (results < 1) must(sm_dispatch(client, 0, -1));
    do list_page(client, channels);
    while (has_more && failures == 0);
    long got = listed_channels(channels);
    if (got != count) fprintf(stderr, "%ld channels of %ld\n", got, count);
    sm_close(client);
    return failures == 0 && got == count ? 0 : 1;
}

static int channel_lists(double start, const char *directory, long times) {
    char config[4096];
    snprintf(
        config, sizeof config, "{\"app_id\":\"benchmark\",\"user_id\":\"user\",\"data_dir\":\"%s\"}",
        directory);
    sm_client *client = NULL;
    must(sm_setup(config, &client));
    double first = 0, all = 0;
    for (long index = 0; index <= times; index++) {
        sm_collection *channels = NULL;
        if (index) start = now();
        must(sm_channel_collection_new(client, NULL, &channels));
        must(sm_collection_set_callback(channels, changed, NULL, NULL));
        list_page(client, channels);
        if (index) all += now() - start;
        else first = now() - start;
        if (listed_channels(channels) != 20) failures++;
        sm_collection_remove(channels);
    }
    sm_close(client);
    printf("{\"first_page_seconds\":%.6f,\"page_seconds\":%.9f}\n", first, times ? all / (double)times : 0.0);
    if (failures) fprintf(stderr, "%d pages were not 20 channels\n", failures);
    return failures == 0 && inserts == (size_t)times + 1 ? 0 : 1;
}

int main(int argc, char **argv) {
    const char *mode = argc > 2 ? argv[1] : "";
    if (argc == 5 && !strcmp(mode, "page")) return pages(since_exec(argv), argv[2], atol(argv[3]), atol(argv[4]), 0);
    if (argc == 3 && !strcmp(mode, "connect")) return pages(since_exec(argv), argv[2], 0, 0, 1);
    if (argc == 3 && !strcmp(mode, "realtime")) return realtime(argv[2], 1);
    if (argc == 4 && !strcmp(mode, "realtime")) return realtime(argv[2], atol(argv[3]));
    if (argc == 4 && !strcmp(mode, "collections")) return many_collections(argv[2], atol(argv[3]));
    if (argc == 5 && !strcmp(mode, "actions")) return actions(argv[2], atol(argv[3]), atol(argv[4]));
    if (argc == 3 && !strcmp(mode, "send")) return sends(argv[2]);
    if (argc == 3 && !strcmp(mode, "ingest")) return ingest(now(), argv[2]);
    if (argc == 3 && !strcmp(mode, "waits")) return waits(argv[2]);
    if (argc == 4 && !strcmp(mode, "fill")) return fill(argv[2], atol(argv[3]));
    if (argc == 4 && !strcmp(mode, "channels")) return channel_lists(since_exec(argv), argv[2], atol(argv[3]));
    fprintf(stderr,
            "usage: host page DATA_DIR TIMES PAUSE_MS | connect DATA_DIR | realtime CONFIG [COLLECTIONS] |"
            " collections DATA_DIR COUNT | actions CONFIG COUNT FLIGHT | send CONFIG |"
            " ingest CONFIG | waits CONFIG | fill CONFIG COUNT | channels DATA_DIR TIMES\n");
    return 2;
}
