/* Collections of the library as GListModels: glib_list_model.h. */
#include "glib_list_model.h"

#include <glib-unix.h>
#include <string.h>

/* ---- Errors -------------------------------------------------------------------------------------------------- */

G_DEFINE_QUARK(chat-error-quark, chat_error)

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

GError *chat_error_new(void) {
    json_t *last = json_loads(sm_last_error(), 0, NULL);
    int32_t status = (int32_t)json_integer_value(json_object_get(last, "code"));
    GError *error = g_error_new(CHAT_ERROR, status, "%s: %s", sm_status_name(status), text_of(last, "message"));
    json_decref(last);
    return error;
}

/* Of a call that completed with an error. */
static GError *error_of_result(int32_t status, const json_t *result) {
    const char *message = text_of(result, "message");
    return g_error_new(CHAT_ERROR, status, "%s%s%s", sm_status_name(status), *message ? ": " : "", message);
}

/* ---- Events -------------------------------------------------------------------------------------------------- */

/* The descriptor stays readable while events wait: a few at a time, and other sources get their turn between them. */
static gboolean on_readable(gint fd, GIOCondition condition, gpointer client) {
    (void)fd, (void)condition;
    int32_t taken = sm_dispatch(client, 64, 0);
    if (taken >= 0) return G_SOURCE_CONTINUE;
    g_warning("the events of the client are not drained any more: %s", sm_last_error());
    return G_SOURCE_REMOVE;
}

GSource *chat_source_new(sm_client *client, GError **error) {
    int32_t fd = sm_get_fd(client);
    if (fd < 0) return g_propagate_error(error, chat_error_new()), NULL;
    GSource *source = g_unix_fd_source_new(fd, G_IO_IN);
    g_source_set_callback(source, G_SOURCE_FUNC(on_readable), client, NULL);
    g_source_set_priority(source, G_PRIORITY_HIGH_IDLE + 30); /* GTK lays out and draws at up to + 20 */
    return source;
}

/* ---- Rows ---------------------------------------------------------------------------------------------------- */

struct _ChatRow {
    GObject parent_instance;
    char *id;
    json_t *json;
};

enum { ROW_ID = 1, ROW_TEXT, ROW_SENDER, ROW_CREATED_AT, ROW_PROPERTIES };

G_DEFINE_TYPE(ChatRow, chat_row, G_TYPE_OBJECT)

static ChatRow *row_new(const char *id, json_t *json) {
    ChatRow *row = g_object_new(CHAT_TYPE_ROW, NULL);
    row->id = g_strdup(id);
    row->json = json_incref(json);
    return row;
}

/* A result of a search has its message inside. */
static json_t *content(ChatRow *row) {
    json_t *message = json_object_get(row->json, "message");
    return json_is_object(message) ? message : row->json;
}

const char *chat_row_get_id(ChatRow *row) { return row->id; }

const char *chat_row_get_text(ChatRow *row) {
    const char *text = text_of(content(row), "message");
    if (!*text) text = text_of(json_object_get(content(row), "file"), "name");
    return *text ? text : text_of(row->json, "name");
}

const char *chat_row_get_sender(ChatRow *row) {
    const json_t *user = json_object_get(content(row), "user");
    const char *nickname = text_of(user, "nickname");
    return *nickname ? nickname : text_of(user, "user_id");
}

gint64 chat_row_get_created_at(ChatRow *row) {
    return json_integer_value(json_object_get(content(row), "created_at"));
}

json_t *chat_row_get_json(ChatRow *row) { return row->json; }

static void row_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    ChatRow *row = CHAT_ROW(object);
    switch (id) {
    case ROW_ID: g_value_set_string(value, row->id); break;
    case ROW_TEXT: g_value_set_string(value, chat_row_get_text(row)); break;
    case ROW_SENDER: g_value_set_string(value, chat_row_get_sender(row)); break;
    case ROW_CREATED_AT: g_value_set_int64(value, chat_row_get_created_at(row)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

static void row_finalize(GObject *object) {
    ChatRow *row = CHAT_ROW(object);
    g_free(row->id);
    json_decref(row->json);
    G_OBJECT_CLASS(chat_row_parent_class)->finalize(object);
}

static void chat_row_class_init(ChatRowClass *class) {
    const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
    GParamSpec *properties[ROW_PROPERTIES] = {
        NULL,
        g_param_spec_string("id", NULL, NULL, NULL, flags),
        g_param_spec_string("text", NULL, NULL, NULL, flags),
        g_param_spec_string("sender", NULL, NULL, NULL, flags),
        g_param_spec_int64("created-at", NULL, NULL, 0, G_MAXINT64, 0, flags),
    };
    G_OBJECT_CLASS(class)->get_property = row_get_property;
    G_OBJECT_CLASS(class)->finalize = row_finalize;
    g_object_class_install_properties(G_OBJECT_CLASS(class), ROW_PROPERTIES, properties);
}

static void chat_row_init(ChatRow *row) { (void)row; }

/* ---- Lists --------------------------------------------------------------------------------------------------- */

struct _ChatList {
    GObject parent_instance;
    const char *name;
    GPtrArray *rows;
};

static GType list_get_item_type(GListModel *model) {
    (void)model;
    return CHAT_TYPE_ROW;
}

static guint list_get_n_items(GListModel *model) {
    return CHAT_LIST(model)->rows->len;
}

static gpointer list_get_item(GListModel *model, guint position) {
    GPtrArray *rows = CHAT_LIST(model)->rows;
    return position < rows->len ? g_object_ref(rows->pdata[position]) : NULL;
}

static void list_model_init(GListModelInterface *model) {
    model->get_item_type = list_get_item_type;
    model->get_n_items = list_get_n_items;
    model->get_item = list_get_item;
}

G_DEFINE_TYPE_WITH_CODE(ChatList, chat_list, G_TYPE_OBJECT, G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_model_init))

static void list_finalize(GObject *object) {
    g_ptr_array_unref(CHAT_LIST(object)->rows);
    G_OBJECT_CLASS(chat_list_parent_class)->finalize(object);
}

static void chat_list_class_init(ChatListClass *class) {
    G_OBJECT_CLASS(class)->finalize = list_finalize;
}

static void chat_list_init(ChatList *list) {
    list->rows = g_ptr_array_new_with_free_func(g_object_unref);
}

/* Takes out `removed` rows and puts in others, which become the list's, or replaces as many as it takes out. */
static void splice(ChatList *list, guint position, guint removed, ChatRow **added, guint count) {
    GPtrArray *rows = list->rows;
    guint behind = rows->len - position;
    if (removed == count) {
        for (guint i = 0; i < count; i++) g_object_unref(rows->pdata[position + i]);
    } else {
        if (removed) g_ptr_array_remove_range(rows, position, removed), behind -= removed;
        g_ptr_array_set_size(rows, (gint)(position + behind + count));
        memmove(rows->pdata + position + count, rows->pdata + position, behind * sizeof *rows->pdata);
    }
    for (guint i = 0; i < count; i++) rows->pdata[position + i] = added[i];
    g_list_model_items_changed(G_LIST_MODEL(list), position, removed, count);
}

/* Where a change is, if that is below `end`; else -1. */
static gint64 place(const json_t *changes, size_t i, const char *key, guint end) {
    const json_t *index = json_object_get(json_array_get(changes, i), key);
    gint64 found = json_is_integer(index) ? json_integer_value(index) : -1;
    return found < end ? MAX(found, -1) : -1;
}

/* The row that a change brings; NULL if it brings none. */
static ChatRow *row_of(const json_t *changes, const json_t *items, size_t i) {
    const char *id = json_string_value(json_object_get(json_array_get(changes, i), "id"));
    json_t *item = json_array_get(items, i);
    return id && json_is_object(item) ? row_new(id, item) : NULL;
}

/* From change `i` on, what is inserted at places beside each other. How many that are; 0: it does not fit. */
static size_t insert(ChatList *list, const json_t *changes, const json_t *items, size_t i) {
    gint64 first = place(changes, i, "index", list->rows->len + 1);
    GPtrArray *fresh = g_ptr_array_new();
    ChatRow *row;
    while (first >= 0 && place(changes, i + fresh->len, "index", G_MAXUINT) == first + fresh->len
           && (row = row_of(changes, items, i + fresh->len)))
        g_ptr_array_add(fresh, row);
    size_t count = fresh->len;
    if (count) splice(list, (guint)first, 0, (ChatRow **)fresh->pdata, fresh->len);
    g_ptr_array_unref(fresh);
    return count;
}

/* The same of a change of one row that is there: `action` is "update", "move" or "remove". */
static size_t change(ChatList *list, const char *action, const json_t *changes, const json_t *items, size_t i) {
    gboolean is_move = !strcmp(action, "move"), is_removal = !strcmp(action, "remove");
    guint length = list->rows->len;
    gint64 from = place(changes, i, is_move ? "from" : "index", length);
    gint64 to = is_move ? place(changes, i, "to", length) : from;
    ChatRow *row = is_removal || from < 0 || to < 0 ? NULL : row_of(changes, items, i);
    if (from < 0 || (!row && !is_removal)) return 0;
    splice(list, (guint)from, 1, &row, row && !is_move ? 1 : 0);
    if (is_move) splice(list, (guint)to, 0, &row, 1);
    return 1;
}

/* Applies a change event. Whether there is such a list and all of it fits. */
static gboolean apply(ChatList *list, const json_t *event) {
    if (!list) return FALSE;
    const char *action = text_of(event, "action");
    const json_t *changes = json_object_get(event, "changes");
    const json_t *items = json_object_get(event, !strcmp(list->name, "channels") || !strcmp(list->name, "results")
        ? list->name : "messages");
    size_t count = json_array_size(changes), done = 1;
    gboolean is_insert = !strcmp(action, "insert");
    if (!strcmp(action, "clear")) {
        if (list->rows->len) splice(list, 0, list->rows->len, NULL, 0);
        return TRUE;
    }
    if (!is_insert && strcmp(action, "update") && strcmp(action, "move") && strcmp(action, "remove")) return FALSE;
    for (size_t i = 0; i < count && done; i += done)
        done = is_insert ? insert(list, changes, items, i) : change(list, action, changes, items, i);
    return done > 0;
}

/* ---- Collections --------------------------------------------------------------------------------------------- */

enum { LISTS = 3 };

struct _ChatCollection {
    GObject parent_instance;
    sm_collection *handle;
    ChatList *lists[LISTS];
};

enum { EVENT, ERROR_SIGNAL, SIGNALS };
static guint signals[SIGNALS];

G_DEFINE_TYPE(ChatCollection, chat_collection, G_TYPE_OBJECT)

static void collection_dispose(GObject *object) {
    chat_collection_close(CHAT_COLLECTION(object));
    G_OBJECT_CLASS(chat_collection_parent_class)->dispose(object);
}

static void collection_finalize(GObject *object) {
    for (int i = 0; i < LISTS; i++) g_clear_object(&CHAT_COLLECTION(object)->lists[i]);
    G_OBJECT_CLASS(chat_collection_parent_class)->finalize(object);
}

static void chat_collection_class_init(ChatCollectionClass *class) {
    G_OBJECT_CLASS(class)->dispose = collection_dispose;
    G_OBJECT_CLASS(class)->finalize = collection_finalize;
    signals[EVENT] = g_signal_new("event", CHAT_TYPE_COLLECTION, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL,
        NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
    signals[ERROR_SIGNAL] = g_signal_new("error", CHAT_TYPE_COLLECTION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
        G_TYPE_NONE, 1, G_TYPE_ERROR);
}

static void chat_collection_init(ChatCollection *collection) { (void)collection; }

/* A handler may drop the last reference to the collection. */
void chat_collection_take(ChatCollection *collection, const char *json, gsize length) {
    json_error_t wrong;
    json_t *event = json_loadb(json, length, 0, &wrong);
    const char *type = text_of(event, "type");
    GError *error = NULL;
    g_object_ref(collection);
    if (!event)
        g_set_error(&error, CHAT_ERROR, SM_ERR_INTERNAL, "SM_ERR_INTERNAL: an event is no JSON: %s", wrong.text);
    else if (!strcmp(type, "change") && !apply(chat_collection_get_list(collection, text_of(event, "list")), event))
        g_set_error_literal(&error, CHAT_ERROR, SM_ERR_INTERNAL, "SM_ERR_INTERNAL: a change does not fit its list");
    if (error)
        g_signal_emit(collection, signals[ERROR_SIGNAL], 0, error);
    else
        g_signal_emit(collection, signals[EVENT], g_quark_from_string(type), event);
    g_clear_error(&error);
    json_decref(event);
    g_object_unref(collection);
}

static void on_event(void *collection, const char *json, size_t length) {
    chat_collection_take(collection, json, length);
}

/* The names of its lists, by its kind. NULL: it is none of these, or events of it were drained. */
static const char *const *names_of(const json_t *info) {
    static const char *const names[][LISTS + 1] = {
        {"channels", NULL}, {"succeeded", "pending", "failed", NULL}, {"results", NULL}};
    const char *kind = text_of(info, "kind");
    for (const char *const *key = (const char *const[]){"count", "pending_count", "failed_count", NULL}; *key; key++)
        if (json_integer_value(json_object_get(info, *key)) != 0) return NULL;
    return !strcmp(kind, "channels") ? names[0] : !strcmp(kind, "messages") ? names[1]
        : !strcmp(kind, "search") ? names[2] : NULL;
}

ChatCollection *chat_collection_new(sm_collection *handle, GError **error) {
    char *text = NULL;
    if (sm_collection_info(handle, &text) != SM_OK) return g_propagate_error(error, chat_error_new()), NULL;
    json_t *info = json_loads(text, 0, NULL);
    const char *const *names = names_of(info);
    json_decref(info);
    sm_string_free(text);
    if (!names) {
        g_set_error_literal(error, CHAT_ERROR, SM_ERR_INVALID_ARGUMENT,
            "SM_ERR_INVALID_ARGUMENT: this is a stream, or a collection of which events were drained");
        return NULL;
    }
    ChatCollection *collection = g_object_new(CHAT_TYPE_COLLECTION, NULL);
    for (int i = 0; names[i]; i++) {
        collection->lists[i] = g_object_new(CHAT_TYPE_LIST, NULL);
        collection->lists[i]->name = names[i];
    }
    if (sm_collection_set_callback(handle, on_event, collection, NULL) != SM_OK) {
        g_propagate_error(error, chat_error_new());
        g_object_unref(collection);
        return NULL;
    }
    collection->handle = handle;
    return collection;
}

ChatList *chat_collection_get_list(ChatCollection *collection, const char *name) {
    for (int i = 0; i < LISTS && collection->lists[i]; i++)
        if (!strcmp(collection->lists[i]->name, name)) return collection->lists[i];
    return NULL;
}

sm_collection *chat_collection_get_handle(ChatCollection *collection) { return collection->handle; }

void chat_collection_close(ChatCollection *collection) {
    sm_collection_remove(g_steal_pointer(&collection->handle)); /* after it no callback of it starts */
}

/* ---- Calls --------------------------------------------------------------------------------------------------- */

static void free_json(void *json) {
    json_decref(json);
}

static void on_result(void *task, int32_t status, const char *json, size_t length) {
    json_t *result = json_loadb(json, length, 0, NULL);
    if (status == SM_OK && result) {
        g_task_return_pointer(task, result, free_json);
    } else {
        g_task_return_error(task, error_of_result(status == SM_OK ? SM_ERR_INTERNAL : status, result));
        json_decref(result);
    }
}

/* Of a call that took the task with a reference for its result: the library drops it in any case. */
static void begun(GTask *task, int32_t status) {
    if (status != SM_OK) g_task_return_error(task, chat_error_new());
    g_object_unref(task);
}

void chat_collection_fetch_async(ChatCollection *collection, int32_t direction, GCancellable *cancellable,
    GAsyncReadyCallback callback, gpointer user_data) {
    GTask *task = g_task_new(collection, cancellable, callback, user_data);
    begun(task, sm_fetch(collection->handle, direction, on_result, g_object_ref(task), g_object_unref, NULL));
}

void chat_collection_send_async(ChatCollection *collection, const char *text, GCancellable *cancellable,
    GAsyncReadyCallback callback, gpointer user_data) {
    GTask *task = g_task_new(collection, cancellable, callback, user_data);
    json_t *document = json_pack("{s:s}", "message", text);
    char *message = document ? json_dumps(document, JSON_COMPACT) : NULL;
    json_decref(document);
    /* What is not UTF-8 has no JSON, and the library refuses NULL. */
    begun(task, sm_send_message(collection->handle, message, on_result, g_object_ref(task), g_object_unref, NULL));
    free(message);
}

json_t *chat_collection_finish(ChatCollection *collection, GAsyncResult *result, GError **error) {
    g_return_val_if_fail(g_task_is_valid(result, collection), NULL);
    return g_task_propagate_pointer(G_TASK(result), error);
}
