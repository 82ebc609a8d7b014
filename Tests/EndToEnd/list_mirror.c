/*
 * list_mirror - lists that are kept by the "items-changed" of the GListModels of bindings/c alone: compared with the
 * models after each change, and with the library's snapshots after each seventh. list_mirror.py makes random changes.
 *
 *     list_mirror CONFIG_JSON CHANNEL_URL
 *
 * Commands on standard input, one a line:
 *     older | newer | newest | channels | names | results   fetches; "done COMMAND: STATUS" when complete
 *     send TEXT | reset MS                a message; another viewpoint
 *     wrong                               feeds what no library tells: "wrong: ERRORS of DOCUMENTS"
 *     drop                                a collection whose last reference goes while it tells a change: "dropped"
 *     count                               "count: {...}", what happened how often, after another comparison of all
 * "row TEXT": a text that begins with "mark" was told, by a row or by `new_message`. The end of the input ends it, with
 * calls under way; "finalized" is the last line. A difference ends it at once, with a line and the status 1.
 */
#include <glib-unix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "glib_list_model.h"

typedef struct {
    const char *name;
    ChatCollection *of; /* borrowed */
    ChatList *list;
    GPtrArray *rows; /* ChatRows */
    gboolean is_over;
} mirror;

/* Of which collection which list is mirrored: channels by last message and by name, messages, and results. */
static const struct { int collection; const char *name; } lists[] = {
    {0, "channels"}, {1, "channels"}, {2, "succeeded"}, {2, "pending"}, {2, "failed"},
    {3, "results"}};
enum { COLLECTIONS = 4, LISTS = 6, EVERY = 7 };
static ChatCollection *collections[COLLECTIONS];
static mirror mirrors[LISTS];
static json_t *counts;
static unsigned changes;
static gboolean has_ended;
static const gboolean never = FALSE, always = TRUE;
static sm_client *client;
static const char *channel_url;

static void differs(const char *what, const mirror *own, guint position) {
    printf("differs: %s, %s[%u]\n", what, own->name, position);
    exit(1);
}

static void count(const char *key) {
    json_object_set_new(counts, key, json_integer(json_integer_value(json_object_get(counts, key)) + 1));
}

static void print_mark(const char *text) {
    if (g_str_has_prefix(text, "mark")) printf("row %s\n", text);
}

/* What a view shows of it: the properties are what the functions give, and that is in the JSON. */
static void look_at(ChatRow *row, const mirror *own, guint position) {
    gboolean is_channel = !strcmp(own->name, "channels"), is_result = !strcmp(own->name, "results");
    json_t *json = chat_row_get_json(row), *inside = is_result ? json_object_get(json, "message") : json;
    json_t *said = json_object_get(inside, is_channel ? "name" : "message");
    char *id, *text, *sender;
    gint64 created_at;
    g_object_get(row, "id", &id, "text", &text, "sender", &sender, "created-at", &created_at, NULL);
    if (strcmp(id, chat_row_get_id(row)) || strcmp(text, chat_row_get_text(row))
        || strcmp(sender, chat_row_get_sender(row)) || created_at != chat_row_get_created_at(row)
        || created_at != json_integer_value(json_object_get(inside, "created_at")) || created_at <= 0
        || strcmp(text, json_string_value(said)) || (*sender != 0) == is_channel)
        differs("what is shown", own, position);
    g_free(id);
    g_free(text);
    g_free(sender);
}

static void on_items_changed(GListModel *model, guint position, guint removed, guint added, gpointer user_data) {
    mirror *own = user_data;
    if (own->is_over) differs("a callback after the end", own, position);
    if (removed > own->rows->len || position > own->rows->len - removed) differs("a wrong place", own, position);
    if (removed) g_ptr_array_remove_range(own->rows, position, removed);
    for (guint i = 0; i < added; i++) {
        ChatRow *row = g_list_model_get_item(model, position + i);
        if (!row) differs("no row", own, position + i);
        g_ptr_array_insert(own->rows, (gint)(position + i), row);
        look_at(row, own, position + i);
        print_mark(chat_row_get_text(row));
    }
    if (own->rows->len != g_list_model_get_n_items(model)) differs("the length", own, own->rows->len);
    count("signals");
}

static void on_error(ChatCollection *collection, const GError *error, gpointer is_expected) {
    (void)collection;
    if (!g_error_matches(error, CHAT_ERROR, SM_ERR_INTERNAL) || !*(const gboolean *)is_expected)
        printf("differs: %s\n", error->message), exit(1);
    count("errors");
}

/* ---- Comparisons --------------------------------------------------------------------------------------------- */

static void compare_with_model(const mirror *own) {
    GListModel *model = G_LIST_MODEL(own->list);
    guint length = own->rows->len;
    if (length != g_list_model_get_n_items(model) || g_list_model_get_item(model, length))
        differs("the length of the model", own, length);
    for (guint i = 0; i < length; i++) {
        ChatRow *row = g_list_model_get_item(model, i);
        if (row != own->rows->pdata[i]) differs("the model's row", own, i);
        g_object_unref(row);
    }
}

/* As the library writes it in changes. */
static char *id_of(const char *list, json_t *item) {
    json_t *message = strcmp(list, "results") ? item : json_object_get(item, "message");
    const char *url = json_string_value(json_object_get(item, "channel_url"));
    json_int_t number = json_integer_value(json_object_get(message, "message_id"));
    if (!strcmp(list, "channels")) return g_strdup(url);
    if (!strcmp(list, "results")) return g_strdup_printf("%s/%" JSON_INTEGER_FORMAT, url, number);
    if (!strcmp(list, "succeeded")) return g_strdup_printf("%" JSON_INTEGER_FORMAT, number);
    return g_strdup(json_string_value(json_object_get(item, "request_id")));
}

static void compare_with_snapshot(const mirror *own, json_t *rows) {
    if (own->rows->len != json_array_size(rows)) differs("the length of the snapshot", own, own->rows->len);
    for (guint i = 0; i < own->rows->len; i++) {
        ChatRow *row = own->rows->pdata[i];
        json_t *item = json_array_get(rows, i);
        if (!json_equal(chat_row_get_json(row), item)) differs("the snapshot's row", own, i);
        char *id = id_of(own->name, item);
        if (strcmp(id, chat_row_get_id(row))) differs("the id", own, i);
        g_free(id);
    }
}

/* All lists of a collection, as they stand after what was drained. */
static void compare(ChatCollection *collection) {
    char *text = NULL;
    if (sm_collection_snapshot(chat_collection_get_handle(collection), &text) != SM_OK)
        differs(sm_last_error(), &mirrors[0], 0);
    json_t *snapshot = json_loads(text, 0, NULL);
    for (int i = 0; i < LISTS; i++)
        if (mirrors[i].of == collection) compare_with_snapshot(&mirrors[i], json_object_get(snapshot, mirrors[i].name));
    json_decref(snapshot);
    sm_string_free(text);
    count("comparisons");
}

static void on_event(ChatCollection *collection, json_t *event, gpointer user_data) {
    const char *action = json_string_value(json_object_get(event, "action"));
    const char *text = json_string_value(json_object_get(json_object_get(event, "message"), "message"));
    (void)user_data;
    if (action) {
        count(action);
        for (int i = 0; i < LISTS; i++)
            if (mirrors[i].of == collection) compare_with_model(&mirrors[i]);
        /* The snapshot is the costly part. At the end of the client there is none. */
        if (++changes % EVERY == 0 && !has_ended) compare(collection);
    }
    if (!g_strcmp0(action, "move") && collection == collections[1]) count("moves by name");
    if (text) print_mark(text);
}

/* ---- Commands ------------------------------------------------------------------------------------------------ */

static void on_fetched(GObject *collection, GAsyncResult *result, gpointer command) {
    GError *error = NULL;
    json_decref(chat_collection_finish(CHAT_COLLECTION(collection), result, &error));
    printf("done %s: %s\n", (const char *)command, error ? error->message : "SM_OK");
    g_clear_error(&error);
}

static void on_newest(void *command, int32_t status, const char *json, size_t length) {
    (void)json, (void)length;
    printf("done %s: %s\n", (const char *)command, sm_status_name(status));
}

static void feed_what_is_wrong(void) {
    static const char *const documents[] = {
        "", "[", "{\"type\":\"change\"}",
        "{\"type\":\"change\",\"list\":\"others\",\"action\":\"clear\",\"changes\":[]}",
        "{\"type\":\"change\",\"list\":\"failed\",\"action\":\"turn\",\"changes\":[{\"index\":0,\"id\":\"1\"}]}",
        "{\"type\":\"change\",\"list\":\"failed\",\"action\":\"remove\",\"changes\":[{\"index\":0,\"id\":\"1\"}]}",
        "{\"type\":\"change\",\"list\":\"failed\",\"action\":\"insert\",\"changes\":[{\"index\":1,\"id\":\"1\"}],"
            "\"messages\":[{}]}",
        "{\"type\":\"change\",\"list\":\"failed\",\"action\":\"insert\",\"changes\":[{\"index\":-1,\"id\":\"1\"}],"
            "\"messages\":[{}]}",
        "{\"type\":\"change\",\"list\":\"failed\",\"action\":\"insert\",\"changes\":[{\"index\":0,\"id\":\"1\"}]}",
        "{\"type\":\"change\",\"list\":\"failed\",\"action\":\"insert\",\"changes\":[{\"index\":0}],\"messages\":[{}]}",
        "{\"type\":\"change\",\"list\":\"succeeded\",\"action\":\"update\",\"changes\":[{\"index\":0,\"id\":\"1\"}],"
            "\"messages\":[7]}",
        "{\"type\":\"change\",\"list\":\"succeeded\",\"action\":\"update\","
            "\"changes\":[{\"index\":9223372036854775807,\"id\":\"1\"}],\"messages\":[{}]}",
        "{\"type\":\"change\",\"list\":\"succeeded\",\"action\":\"move\",\"changes\":[{\"from\":0,\"to\":100000,"
            "\"id\":\"1\"}],\"messages\":[{}]}",
    };
    gulong handler = g_signal_connect(collections[2], "error", G_CALLBACK(on_error), (gpointer)&always);
    g_signal_handlers_block_matched(collections[2], G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, (gpointer)&never);
    for (size_t i = 0; i < G_N_ELEMENTS(documents); i++)
        chat_collection_take(collections[2], documents[i], strlen(documents[i]));
    g_signal_handlers_unblock_matched(collections[2], G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, (gpointer)&never);
    g_signal_handler_disconnect(collections[2], handler);
    compare(collections[2]);
    printf("wrong: %" JSON_INTEGER_FORMAT " of %zu\n", json_integer_value(json_object_get(counts, "errors")),
        G_N_ELEMENTS(documents));
}

static void on_dropped(gpointer handle, GObject *collection) {
    (void)collection;
    printf("dropped%s\n", sm_collection_number(handle) == 0 ? "" : ", and its callbacks go on");
}

/* Rows are left, so that more of the change is told behind the last reference. */
static void drop(GListModel *model, guint position, guint removed, guint added, gpointer collection) {
    (void)position, (void)removed, (void)added;
    g_signal_handlers_disconnect_matched(model, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, collection);
    g_object_unref(collection);
}

static ChatCollection *open_collection(sm_collection *handle) {
    GError *error = NULL;
    ChatCollection *collection = chat_collection_new(handle, &error);
    if (!collection) printf("differs: %s\n", error->message), exit(1);
    return collection;
}

static void open_and_drop(void) {
    sm_collection *handle = NULL;
    sm_message_collection_new(client, channel_url, NULL, SM_LATEST, &handle);
    ChatCollection *collection = open_collection(handle);
    g_object_weak_ref(G_OBJECT(collection), on_dropped, handle);
    g_signal_connect(chat_collection_get_list(collection, "succeeded"), "items-changed", G_CALLBACK(drop), collection);
    if (sm_fetch(handle, SM_PREVIOUS, NULL, NULL, NULL, NULL) != SM_OK) differs(sm_last_error(), &mirrors[2], 0);
}

static void obey(const char *line) {
    ChatCollection *messages = collections[2];
    if (!strcmp(line, "older")) chat_collection_fetch_async(messages, SM_PREVIOUS, NULL, on_fetched, "older");
    if (!strcmp(line, "newer")) chat_collection_fetch_async(messages, SM_NEXT, NULL, on_fetched, "newer");
    if (!strcmp(line, "channels")) chat_collection_fetch_async(collections[0], SM_NEXT, NULL, on_fetched, "channels");
    if (!strcmp(line, "results")) chat_collection_fetch_async(collections[3], SM_NEXT, NULL, on_fetched, "results");
    if (!strcmp(line, "names")) chat_collection_fetch_async(collections[1], SM_NEXT, NULL, on_fetched, "names");
    if (!strcmp(line, "newest")
        && sm_fetch_all_next(chat_collection_get_handle(messages), on_newest, "newest", NULL, NULL) != SM_OK)
        printf("done newest: %s\n", sm_last_error());
    if (g_str_has_prefix(line, "send ")) chat_collection_send_async(messages, line + 5, NULL, NULL, NULL);
    if (g_str_has_prefix(line, "reset "))
        sm_reset_viewpoint(chat_collection_get_handle(messages), g_ascii_strtoll(line + 6, NULL, 10));
    if (!strcmp(line, "wrong")) feed_what_is_wrong();
    if (!strcmp(line, "drop")) open_and_drop();
    if (!strcmp(line, "count")) {
        for (int i = 0; i < COLLECTIONS; i++) compare(collections[i]);
        char *text = json_dumps(counts, 0);
        printf("count: %s\n", text);
        free(text);
    }
}

static gboolean on_typed(gint fd, GIOCondition condition, gpointer user_data) {
    static GString *typed;
    char bytes[4096], *end;
    ssize_t length = read(fd, bytes, sizeof bytes);
    (void)condition, (void)user_data;
    if (!typed) typed = g_string_new(NULL);
    if (length > 0) g_string_append_len(typed, bytes, length);
    while ((end = memchr(typed->str, '\n', typed->len))) {
        *end = 0;
        obey(typed->str);
        g_string_erase(typed, 0, end + 1 - typed->str);
    }
    has_ended = length <= 0;
    if (has_ended) g_string_free(typed, TRUE);
    return length > 0;
}

/* ---- Beginning and end --------------------------------------------------------------------------------------- */

static void start(const char *config) {
    sm_collection *handles[COLLECTIONS] = {0};
    if (sm_setup(config, &client) != SM_OK || sm_channel_collection_new(client, NULL, &handles[0]) != SM_OK
        || sm_channel_collection_new(client, "{\"order\":\"channel_name_alphabetical\"}", &handles[1]) != SM_OK
        || sm_message_collection_new(client, channel_url, NULL, SM_LATEST, &handles[2]) != SM_OK
        || sm_search_collection_new(client, "{\"query\":\"message\"}", &handles[3]) != SM_OK
        || sm_connect(client, NULL, NULL, NULL, NULL) != SM_OK)
        printf("differs: %s\n", sm_last_error()), exit(1);
    for (int i = 0; i < COLLECTIONS; i++) {
        collections[i] = open_collection(handles[i]);
        g_signal_connect(collections[i], "event", G_CALLBACK(on_event), NULL);
        g_signal_connect(collections[i], "error", G_CALLBACK(on_error), (gpointer)&never);
    }
    for (int i = 0; i < LISTS; i++) {
        mirror *own = &mirrors[i];
        own->name = lists[i].name;
        own->of = collections[lists[i].collection];
        own->list = g_object_ref(chat_collection_get_list(own->of, own->name));
        own->rows = g_ptr_array_new_with_free_func(g_object_unref);
        g_signal_connect(own->list, "items-changed", G_CALLBACK(on_items_changed), own);
    }
}

/* Lists and rows outlive client and collections. */
static void look_at_what_is_left(void) {
    for (int i = 0; i < LISTS; i++) {
        for (guint j = 0; j < mirrors[i].rows->len; j++)
            if (!*chat_row_get_id(mirrors[i].rows->pdata[j])) differs("the id", &mirrors[i], j);
        if (g_list_model_get_n_items(G_LIST_MODEL(mirrors[i].list)) != mirrors[i].rows->len)
            differs("what is left", &mirrors[i], 0);
        g_object_unref(mirrors[i].list);
        g_ptr_array_unref(mirrors[i].rows);
    }
}

int main(int argc, char **argv) {
    GError *error = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 3) return 2;
    counts = json_object();
    channel_url = argv[2];
    start(argv[1]);
    GSource *source = chat_source_new(client, &error);
    if (!source) return printf("differs: %s\n", error->message), 1;
    g_source_attach(source, NULL);
    g_unix_fd_add(STDIN_FILENO, G_IO_IN | G_IO_HUP, on_typed, NULL);
    while (!has_ended) g_main_context_iteration(NULL, TRUE);
    obey("older"); /* calls that are under way at the end */
    obey("channels");
    g_source_destroy(source);
    g_source_unref(source);
    sm_collection *handle = chat_collection_get_handle(collections[0]);
    chat_collection_close(collections[0]); /* the others by sm_close() */
    if (sm_collection_number(handle) != 0) differs("it is not closed", &mirrors[0], 0);
    mirrors[0].is_over = TRUE;
    sm_close(client);
    for (int i = 1; i < LISTS; i++) mirrors[i].is_over = TRUE;
    while (g_main_context_iteration(NULL, FALSE)) continue;
    for (int i = 0; i < COLLECTIONS; i++) {
        g_object_add_weak_pointer(G_OBJECT(collections[i]), (gpointer *)&collections[i]);
        g_object_unref(collections[i]);
        if (collections[i]) return printf("differs: a collection is still there\n"), 1;
    }
    look_at_what_is_left();
    json_decref(counts);
    printf("finalized\n");
    return 0;
}
