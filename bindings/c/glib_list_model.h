/*
 * Collections of the library as GListModels, for GTK 4 (GtkListView and its kin) and every other program with GLib:
 * two files to copy into a program that has gio-2.0 and jansson. glib_list.c uses them.
 *
 *     GSource *source = chat_source_new(client, &error);       // the main context drains the client's events
 *     g_source_attach(source, NULL);
 *     sm_message_collection_new(client, "lunch", NULL, SM_LATEST, &handle);
 *     ChatCollection *lunch = chat_collection_new(handle, &error);
 *     ChatList *messages = chat_collection_get_list(lunch, "succeeded");          // a GListModel of ChatRows
 *     chat_collection_fetch_async(lunch, SM_PREVIOUS, NULL, on_page, NULL);
 *
 * All of it belongs to the thread that runs the main context, which is the client's only drain (delivery "host"). At
 * the end, in this order:
 *
 *     g_source_destroy(source);              // its descriptor is the client's
 *     chat_collection_close(lunch);          // from here on no list changes
 *     sm_close(client);                      // completes what is under way
 *     while (g_main_context_iteration(NULL, FALSE)) continue;         // calls the callbacks of that
 *
 * Objects may be kept beyond it: a closed collection keeps its rows.
 */
#ifndef GLIB_LIST_MODEL_H
#define GLIB_LIST_MODEL_H

#include <gio/gio.h>
#include <jansson.h>
#include <syncmanager.h>

G_BEGIN_DECLS

/* Errors: the code is the library's status (SM_ERR_…), the message begins with its name. */
#define CHAT_ERROR chat_error_quark()
GQuark chat_error_quark(void);

/* The last error of the library on this thread, for the calls that a program makes by itself. g_error_free(). */
GError *chat_error_new(void);

/* Drains the client's events while the context that it is attached to runs: 64 at a time, below what GTK draws with.
 * A client that is closed meanwhile ends it, with a warning. NULL and an error: the client is no open one. */
GSource *chat_source_new(sm_client *client, GError **error);

/* A channel, message or result: an immutable object. One that was updated or moved is another object.
 * Properties, for expressions of GTK; what there is none of is "" or 0:
 *   "id"          as in the library's changes: message id, request id of pending and failed ones, channel's URL
 *   "text"        what the message says, the name of its file, or the channel's name
 *   "sender"      nickname of who wrote it, or else the user id
 *   "created-at"  ms since the epoch
 * Texts are those of the service: a terminal shows them through terminal.h. */
#define CHAT_TYPE_ROW chat_row_get_type()
G_DECLARE_FINAL_TYPE(ChatRow, chat_row, CHAT, ROW, GObject)

const char *chat_row_get_id(ChatRow *row);
const char *chat_row_get_text(ChatRow *row);
const char *chat_row_get_sender(ChatRow *row);
gint64 chat_row_get_created_at(ChatRow *row);
/* All that the library says of it: borrowed, not to be changed. */
json_t *chat_row_get_json(ChatRow *row);

/* A list of a collection. "items-changed" follows the library's changes index for index, each when it is drained. A run
 * of inserts at places beside each other is one, an update replaces a row, and a move is a removal and an insert. */
#define CHAT_TYPE_LIST chat_list_get_type()
G_DECLARE_FINAL_TYPE(ChatList, chat_list, CHAT, LIST, GObject)

/* Signals of a collection:
 *   "event" (json_t *)   an event of the library, borrowed; detailed by its type, as "event::channel_removed". Changes
 *                        come after they are applied: "event::change" has their "source" and "detail"
 *   "error" (GError *)   an event that is no JSON, or a change that does not fit its list, was left out. Lists may be
 *                        wrong from here on: close the collection and make another one */
#define CHAT_TYPE_COLLECTION chat_collection_get_type()
G_DECLARE_FINAL_TYPE(ChatCollection, chat_collection, CHAT, COLLECTION, GObject)

/* Takes over a collection of channels, messages or search results that was just made, before any event of it was
 * drained. NULL and an error (the collection is still the caller's): it is a stream, ended, or was drained already. */
ChatCollection *chat_collection_new(sm_collection *handle, GError **error);

/* Its list of that name, borrowed: "channels"; "results"; or "succeeded", "pending" and "failed". NULL: it has none. */
ChatList *chat_collection_get_list(ChatCollection *collection, const char *name);

/* For calls of the library that have no function here. NULL when the collection is closed. */
sm_collection *chat_collection_get_handle(ChatCollection *collection);

/* sm_fetch(), and sm_send_message() of a text. A call keeps the collection until it is complete. */
void chat_collection_fetch_async(ChatCollection *collection, int32_t direction, GCancellable *cancellable,
    GAsyncReadyCallback callback, gpointer user_data);
void chat_collection_send_async(ChatCollection *collection, const char *text, GCancellable *cancellable,
    GAsyncReadyCallback callback, gpointer user_data);
/* The result as the header of the library describes it, as "has_more" of a fetch: json_decref(). NULL and an error. A
 * canceled call gives G_IO_ERROR_CANCELLED, and what it asked for is done all the same. */
json_t *chat_collection_finish(ChatCollection *collection, GAsyncResult *result, GError **error);

/* Applies one event of this collection: for programs that drain by sm_next_event(). */
void chat_collection_take(ChatCollection *collection, const char *json, gsize length);

/* Ends the collection (sm_collection_remove()): its lists stay as they are, calls under way complete with an error. The
 * last g_object_unref() does it too, but a call under way is a reference. */
void chat_collection_close(ChatCollection *collection);

G_END_DECLS

#endif
