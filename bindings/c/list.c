#include <stdio.h>
#include <syncmanager.h>

static void on_event(void *user_data, const char *json, size_t length) {
    printf("%.*s\n", (int)length, json); /* {"type":"change","list":"channels","action":"insert","changes":[...]...} */
}

int main(int argc, char **argv) {
    sm_client *client;
    sm_collection *channels;
    if (argc < 2 || sm_setup(argv[1], &client) != SM_OK) return fprintf(stderr, "%s\n", sm_last_error()), 1;
    sm_set_callback(client, on_event, NULL, NULL);
    sm_channel_collection_new(client, "{\"limit\":20}", &channels);
    sm_connect(client, NULL, NULL, NULL, NULL);
    sm_fetch(channels, SM_NEXT, NULL, NULL, NULL, NULL);
    while (sm_dispatch(client, 0, 5000) > 0) continue; /* until nothing happened for 5 s */
    sm_close(client);
}
