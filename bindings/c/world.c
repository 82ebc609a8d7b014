/*
 * world - a test of a program: a message that is sent while the network is bad arrives once, also over a kill.
 *
 *     world DATA_DIR
 *
 * Linked with libsyncmanager-testing instead of libsyncmanager. docs/testing.md explains it.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager_testing.h>

static int failures = 0;

static void expect(int holds, const char *what) {
    printf("%s %s\n", holds ? "ok  " : "FAIL", what);
    if (!holds) failures++, fprintf(stderr, "%s\n", sm_last_error());
}

/* An act of another user, or of the administration. Gives the answer, NULL if it was refused. */
static json_t *act(smt_world *world, const char *method, const char *target, const char *body) {
    char *text = NULL;
    int32_t status = 0;
    json_t *answer = NULL;
    if (smt_request(world, method, target, body, &status, &text) == SM_OK && status == 200)
        answer = json_loads(text, 0, NULL);
    sm_string_free(text);
    return answer;
}

static sm_client *open_client(const char *data_dir) {
    sm_client *client = NULL;
    json_t *config = json_pack("{s:s, s:s, s:s, s:s}", "app_id", "A", "user_id", "mei", "access_token", "T",
                               "data_dir", data_dir);
    char *text = config ? json_dumps(config, 0) : NULL;
    expect(text && sm_setup(text, &client) == SM_OK, "the client is opened");
    free(text);
    json_decref(config);
    return client;
}

/* How often the channel has a message. */
static int count(smt_world *world, const char *text) {
    const char *target = "/v3/group_channels/lunch/messages?message_ts=0&prev_limit=0&next_limit=200";
    json_t *page = act(world, "GET", target, NULL), *message;
    size_t i;
    int found = 0;
    json_array_foreach(json_object_get(page, "messages"), i, message) {
        const char *said = json_string_value(json_object_get(message, "message"));
        if (said && !strcmp(said, text)) found++;
    }
    json_decref(page);
    return found;
}

int main(int argc, char **argv) {
    smt_world *world = NULL;
    sm_client *client;
    sm_collection *chat = NULL;
    int64_t start;
    if (argc < 2) return fprintf(stderr, "usage: world DATA_DIR\n"), 2;

    expect(smt_world_new(1, NULL, &world) == SM_OK, "the world is made");
    start = smt_now(world);
    json_decref(act(world, "POST", "/v3/users",
                    "{\"user_id\":\"mei\",\"nickname\":\"Mei\",\"profile_url\":\"\",\"access_token\":\"T\"}"));
    json_decref(act(world, "POST", "/v3/users", "{\"user_id\":\"bo\",\"nickname\":\"Bo\",\"profile_url\":\"\"}"));
    json_decref(act(world, "POST", "/v3/group_channels", "{\"channel_url\":\"lunch\",\"user_ids\":[\"mei\",\"bo\"]}"));

    /* A message is accepted while nothing gets through, and the process dies. */
    expect(smt_set_weather(world, "{\"refused\": 100, \"lost\": 100}") == SM_OK, "nothing gets through");
    client = open_client(argv[1]);
    expect(sm_connect(client, NULL, NULL, NULL, NULL) == SM_OK, "it tries to connect");
    expect(sm_message_collection_new(client, "lunch", NULL, SM_LATEST, &chat) == SM_OK, "a channel is shown");
    expect(sm_send_message(chat, "{\"message\":\"hello\"}", NULL, NULL, NULL, NULL) == SM_OK, "a message is accepted");
    expect(smt_advance(world, 3600000) == SM_OK, "an hour passes");
    expect(count(world, "hello") == 0, "the message is not there");
    expect(smt_kill(client) == SM_OK, "the client is killed");

    /* The next process sends it, once, though the weather is bad. */
    expect(smt_set_weather(world, "{\"refused\":50,\"lost\":10,\"answer_lost\":10,\"reset\":10}") == SM_OK,
           "the weather is bad");
    client = open_client(argv[1]);
    expect(sm_connect(client, NULL, NULL, NULL, NULL) == SM_OK, "it connects");
    expect(smt_advance(world, 86400000) == SM_OK, "a day passes");
    expect(count(world, "hello") == 1, "the message is there, once");

    /* What the client was told waits in its queue; a wait for more lets time pass in the world. */
    while (sm_dispatch(client, 0, 0) > 0) continue;
    expect(sm_dispatch(client, 1, 1000) >= 0 && smt_now(world) >= start + 90000000, "it is the next day");
    sm_close(client);
    expect(smt_world_free(world) == SM_OK, "the world is ended");
    printf("%d failed\n", failures);
    return failures != 0;
}
