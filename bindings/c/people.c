/* Organizers and participants, live from a realtime database: people CONFIG_JSON COUNT
 *
 * Prints both sections whenever they change, until COUNT people are shown. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

static sm_collection *roles;
static size_t shown;

/* Every change of the sections; the library keeps the list itself. */
static void on_event(void *user_data, const char *json, size_t length) {
    char *text = NULL;
    size_t section, row;
    json_t *value, *person;
    if (sm_collection_snapshot(roles, &text) != SM_OK) {
        fprintf(stderr, "%s\n", sm_last_error());
        return;
    }
    json_t *snapshot = json_loads(text, 0, NULL);
    sm_string_free(text);
    shown = 0;
    json_array_foreach(json_object_get(snapshot, "sections"), section, value) {
        printf("%s%s:", section ? "; " : "", json_string_value(json_object_get(value, "title")));
        json_array_foreach(json_object_get(value, "rows"), row, person) {
            printf(" %s", json_string_value(json_object_get(json_object_get(person, "item"), "name")));
            shown++;
        }
    }
    puts("");
    fflush(stdout);
    json_decref(snapshot);
}

int main(int argc, char **argv) {
    sm_client *client = NULL;
    sm_collection *people = NULL;
    char partition[300];
    if (argc < 3 || sm_setup(argv[1], &client) != SM_OK) return fprintf(stderr, "%s\n", sm_last_error()), 1;
    int32_t status = sm_stream_open(
        client, "{\"source\":{\"database\":{\"path\":\"people\"}},\"order_by\":\"name\"}", NULL, NULL, NULL, &people);
    if (status == SM_OK) {
        snprintf(partition, sizeof partition,
                 "{\"source\":{\"partition\":{\"stream\":%llu,\"titles\":[\"organizers\",\"participants\"],"
                 "\"rule\":[{\"==\":[\"is_organizer\",true]},true]}}}",
                 (unsigned long long)sm_collection_number(people));
        status = sm_stream_open(client, partition, NULL, NULL, NULL, &roles);
    }
    if (status == SM_OK) status = sm_collection_set_callback(roles, on_event, NULL, NULL);
    if (status != SM_OK) fprintf(stderr, "%s\n", sm_last_error());
    while (status == SM_OK && shown < (size_t)atoi(argv[2]))
        if (sm_dispatch(client, 0, 30000) <= 0) status = SM_ERR_TIMEOUT;
    sm_close(client);
    return status == SM_OK ? 0 : 1;
}
