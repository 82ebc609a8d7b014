/*
 * glib_list - a channel as GListModels (glib_list_model.h) in a GLib main loop: prints what a view would be told.
 *
 *     glib_list CONFIG_JSON CHANNEL_URL
 *
 * "+ succeeded[3] bo: hello" is a row that is new, "~" one that was replaced, "- succeeded[3]" one that was taken out.
 * Each line of standard input is sent; "/older" loads a page of older messages. The end of the input, SIGINT and
 * SIGTERM end it.
 */
#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "glib_list_model.h"
#include "terminal.h"

typedef struct {
    GMainLoop *loop;
    sm_client *client;
    ChatCollection *chat;
    GString *typed; /* the beginning of a line */
} program;

/* ---- What is shown ------------------------------------------------------------------------------------------- */

/* As a view does: rows are asked for where the signal says that there are others. */
static void on_items_changed(GListModel *model, guint position, guint removed, guint added, gpointer name) {
    for (guint i = 0; i < added; i++) {
        ChatRow *row = g_list_model_get_item(model, position + i);
        printf("%c %s[%u] ", i < removed ? '~' : '+', (const char *)name, position + i);
        print_plain(chat_row_get_sender(row));
        printf(": ");
        print_plain(chat_row_get_text(row));
        putchar('\n');
        g_object_unref(row);
    }
    for (guint i = removed; i > added; i--) printf("- %s[%u]\n", (const char *)name, position + i - 1);
}

/* Not of what the end of the program ends. */
static void print_error(const char *what, ChatCollection *chat, const GError *error) {
    if (!chat_collection_get_handle(chat)) return;
    printf("! %s: ", what);
    print_plain(error->message);
    putchar('\n');
}

static void on_error(ChatCollection *chat, const GError *error, gpointer user_data) {
    (void)user_data;
    print_error("the list", chat, error);
}

/* The channel is gone, or this user is out of it. */
static void on_removed(ChatCollection *chat, const json_t *event, gpointer user_data) {
    (void)chat, (void)event, (void)user_data;
    puts("! there is no such channel (any more)");
}

/* What the client tells: "= connected"; or the result of a call without a callback, here sm_connect(). */
static void on_event(void *user_data, const char *json, size_t length) {
    json_t *event = json_loadb(json, length, 0, NULL);
    const char *type = json_string_value(json_object_get(event, "type"));
    const char *state = json_string_value(json_object_get(event, "state"));
    const char *why = json_string_value(json_object_get(event, "message"));
    int32_t status = (int32_t)json_integer_value(json_object_get(event, "status"));
    (void)user_data;
    if (!g_strcmp0(type, "connection") && state) printf("= %s\n", state);
    if (!g_strcmp0(type, "token_needed")
        || (!g_strcmp0(type, "result") && status != SM_OK && status != SM_ERR_CLOSED)) {
        printf("! %s: ", status ? sm_status_name(status) : "another access token is needed");
        print_plain(why ? why : "");
        putchar('\n');
    }
    json_decref(event);
}

/* ---- What is asked for --------------------------------------------------------------------------------------- */

static void on_page(GObject *chat, GAsyncResult *result, gpointer user_data) {
    GError *error = NULL;
    json_t *page = chat_collection_finish(CHAT_COLLECTION(chat), result, &error);
    const char *why = json_string_value(json_object_get(page, "short"));
    (void)user_data;
    if (error)
        print_error("older messages", CHAT_COLLECTION(chat), error);
    else
        printf("= %s\n", why ? why : json_is_true(json_object_get(page, "has_more")) ? "more" : "no more");
    g_clear_error(&error);
    json_decref(page);
}

static void on_sent(GObject *chat, GAsyncResult *result, gpointer user_data) {
    GError *error = NULL;
    json_decref(chat_collection_finish(CHAT_COLLECTION(chat), result, &error));
    (void)user_data;
    if (error) print_error("not sent yet", CHAT_COLLECTION(chat), error);
    g_clear_error(&error);
}

static gboolean on_typed(gint fd, GIOCondition condition, gpointer user_data) {
    program *own = user_data;
    char bytes[4096], *end;
    ssize_t count = read(fd, bytes, sizeof bytes);
    (void)condition;
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return G_SOURCE_CONTINUE;
    if (count > 0) g_string_append_len(own->typed, bytes, count);
    if (count <= 0 && own->typed->len) g_string_append_c(own->typed, '\n'); /* the last line may have no end */
    while ((end = memchr(own->typed->str, '\n', own->typed->len))) {
        *end = 0;
        if (!strcmp(own->typed->str, "/older"))
            chat_collection_fetch_async(own->chat, SM_PREVIOUS, NULL, on_page, NULL);
        else if (*own->typed->str)
            chat_collection_send_async(own->chat, own->typed->str, NULL, on_sent, NULL);
        g_string_erase(own->typed, 0, end + 1 - own->typed->str);
    }
    if (count <= 0) g_main_loop_quit(own->loop);
    return count > 0;
}

static gboolean on_signal(gpointer loop) {
    g_main_loop_quit(loop);
    return G_SOURCE_CONTINUE;
}

/* ---- Beginning and end --------------------------------------------------------------------------------------- */

/* Makes everything that needs the library; what was made when it fails, end() ends. */
static GSource *begin(program *own, const char *config, const char *channel_url, GError **error) {
    static const char *const names[] = {"succeeded", "pending", "failed"};
    sm_collection *messages;
    if (sm_setup(config, &own->client) != SM_OK
        || sm_set_callback(own->client, on_event, NULL, NULL) != SM_OK
        || sm_message_collection_new(own->client, channel_url, NULL, SM_LATEST, &messages) != SM_OK
        || sm_connect(own->client, NULL, NULL, NULL, NULL) != SM_OK)
        return g_propagate_error(error, chat_error_new()), NULL;
    if (!(own->chat = chat_collection_new(messages, error))) return NULL;
    g_signal_connect(own->chat, "error", G_CALLBACK(on_error), NULL);
    g_signal_connect(own->chat, "event::channel_removed", G_CALLBACK(on_removed), NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        g_signal_connect(chat_collection_get_list(own->chat, names[i]), "items-changed", G_CALLBACK(on_items_changed),
            (gpointer)names[i]);
    chat_collection_fetch_async(own->chat, SM_PREVIOUS, NULL, on_page, NULL);
    return chat_source_new(own->client, error);
}

/* In this order: what a callback needs goes after what calls it. */
static void end(program *own, GSource *source) {
    if (source) g_source_destroy(source);
    if (source) g_source_unref(source);
    if (own->chat) chat_collection_close(own->chat);
    sm_close(own->client);
    while (g_main_context_iteration(NULL, FALSE)) continue; /* callbacks of calls that were under way */
    g_clear_object(&own->chat);
}

int main(int argc, char **argv) {
    program own = {0};
    GError *error = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 3) return g_printerr("usage: glib_list CONFIG_JSON CHANNEL_URL\n"), 2;
    GSource *source = begin(&own, argv[1], argv[2], &error);
    int status = source ? 0 : 1;
    if (source) {
        own.loop = g_main_loop_new(NULL, FALSE);
        own.typed = g_string_new(NULL);
        guint more[] = {g_unix_fd_add(STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, on_typed, &own),
            g_unix_signal_add(SIGINT, on_signal, own.loop), g_unix_signal_add(SIGTERM, on_signal, own.loop)};
        g_source_attach(source, NULL);
        g_main_loop_run(own.loop);
        for (size_t i = 0; i < G_N_ELEMENTS(more); i++)
            if (g_main_context_find_source_by_id(NULL, more[i])) g_source_remove(more[i]);
        g_string_free(own.typed, TRUE);
        g_main_loop_unref(own.loop);
    } else {
        g_printerr("glib_list: %s\n", error->message);
        g_clear_error(&error);
    }
    end(&own, source);
    return status;
}
