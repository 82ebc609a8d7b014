/*
 * glib_loop - a client in a GLib main loop, as in a GTK program: its descriptor is a source like any other, and all
 * callbacks come in the loop's thread.
 *
 *     glib_loop CONFIG_JSON
 *
 * Prints a line for every change of the channel list. SIGINT and SIGTERM end it.
 */
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <syncmanager.h>

#include "terminal.h"

typedef struct {
    GMainLoop *loop;
    sm_client *client;
    unsigned changes;
} program;

static void on_change(void *user_data, const char *json, size_t length) {
    (void)length;
    printf("%u: ", ++((program *)user_data)->changes);
    print_json(json);
}

/* The descriptor stays readable while events wait: a few at a time, and other sources get their turn between them. */
static gboolean on_readable(gint fd, GIOCondition condition, gpointer user_data) {
    program *own = user_data;
    (void)fd, (void)condition;
    if (sm_dispatch(own->client, 64, 0) >= 0) return G_SOURCE_CONTINUE;
    g_printerr("%s\n", sm_last_error());
    g_main_loop_quit(own->loop);
    return G_SOURCE_CONTINUE;
}

static gboolean on_signal(gpointer loop) {
    g_main_loop_quit(loop);
    return G_SOURCE_CONTINUE;
}

int main(int argc, char **argv) {
    program own = {0};
    sm_collection *channels;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc != 2) return g_printerr("usage: glib_loop CONFIG_JSON\n"), 2;
    if (sm_setup(argv[1], &own.client) != SM_OK) return g_printerr("%s\n", sm_last_error()), 1;
    own.loop = g_main_loop_new(NULL, FALSE);
    guint source = g_unix_fd_add(sm_get_fd(own.client), G_IO_IN, on_readable, &own);
    g_unix_signal_add(SIGINT, on_signal, own.loop);
    g_unix_signal_add(SIGTERM, on_signal, own.loop);
    gboolean is_started = sm_channel_collection_new(own.client, NULL, &channels) == SM_OK
        && sm_collection_set_callback(channels, on_change, &own, NULL) == SM_OK
        && sm_connect(own.client, NULL, NULL, NULL, NULL) == SM_OK
        && sm_fetch(channels, SM_NEXT, NULL, NULL, NULL, NULL) == SM_OK;
    if (is_started)
        g_main_loop_run(own.loop);
    else
        g_printerr("%s\n", sm_last_error());
    g_source_remove(source); /* before the client: its descriptor goes with it */
    sm_close(own.client);
    g_main_loop_unref(own.loop);
    return is_started ? 0 : 1;
}
