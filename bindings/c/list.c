#include <stdio.h>
#include <syncmanager.h>

/* {"type":"change","list":"channels","action":"insert","changes":[...]...}; ? for letters that a terminal may obey */
static void on_event(void *user_data, const char *json, size_t length) {
    (void)user_data;
    for (size_t i = 0; i < length; i++) putchar(json[i] >= ' ' && json[i] <= '~' ? json[i] : '?');
    putchar('\n');
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
