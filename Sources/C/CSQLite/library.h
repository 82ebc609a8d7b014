#ifndef SYNCMANAGER_SQLITE_LIBRARY_H
#define SYNCMANAGER_SQLITE_LIBRARY_H
#include <dlfcn.h>
#include <sqlite3.h>
#include <string.h>

/*
 * The functions of one SQLite library as a table. A process may have two: the one that is linked, for plain files, and
 * SQLCipher, which has functions of the same names, for encrypted ones. What one of them made (connections, statements,
 * values) goes to functions of the same table only.
 */

#define SHIM_SQLITE_FUNCTIONS(X)                                                                                       \
    X(bind_blob) X(bind_int64) X(bind_null) X(bind_parameter_count) X(bind_text) X(busy_timeout) X(changes)            \
    X(clear_bindings) X(close_v2) X(column_blob) X(column_bytes) X(column_count) X(column_decltype) X(column_double)   \
    X(column_int64) X(column_text) X(column_type) X(create_function_v2) X(db_readonly) X(errcode) X(errmsg) X(errstr)  \
    X(exec) X(file_control) X(finalize) X(get_autocommit) X(last_insert_rowid) X(libversion) X(libversion_number)      \
    X(next_stmt) X(open_v2) X(prepare_v3) X(reset) X(result_error_code) X(result_int64) X(result_text) X(step)         \
    X(stmt_busy) X(stmt_readonly) X(stmt_status) X(system_errno) X(total_changes) X(user_data) X(value_bytes)          \
    X(value_int64) X(value_text) X(value_type) X(vfs_find) X(vfs_register) X(wal_checkpoint_v2) X(wal_hook)

typedef struct {
#define SHIM_FIELD(name) __typeof__(&sqlite3_##name) _Nonnull name;
    SHIM_SQLITE_FUNCTIONS(SHIM_FIELD)
#undef SHIM_FIELD
    /* Only SQLCipher has these two, which set a file's key and change it; NULL in the library that is linked. */
    int (*_Nullable key)(sqlite3 *connection, const void *key, int count);
    int (*_Nullable rekey)(sqlite3 *connection, const void *key, int count);
} shim_sqlite;

/* The library that is linked. */
static inline const shim_sqlite *_Nonnull shim_sqlite_linked(void) {
    static const shim_sqlite linked = {
#define SHIM_FIELD(name) sqlite3_##name,
        SHIM_SQLITE_FUNCTIONS(SHIM_FIELD)
#undef SHIM_FIELD
        NULL, NULL,
    };
    return &linked;
}

/*
 * Without counts of the memory that SQLite uses, for which each allocation takes a lock of the process. For a program
 * that owns its process, as the simulation does, before its first use of SQLite; later SQLite refuses it.
 */
static inline int shim_sqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/*
 * Loads a library of this file name, for good; NULL when the system has none. Its own calls must find its own functions
 * and not those of the same names that are linked, or the first use ends the process: so RTLD_DEEPBIND. With
 * RTLD_LOCAL nobody else finds its functions.
 */
static inline void *_Nullable shim_sqlite_open(const char *_Nonnull file) {
    return dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
}

/* What an opened library calls its version of SQLite; NULL when it is not SQLite. */
static inline const char *_Nullable shim_sqlite_version(void *_Nonnull opened) {
    const char *(*version)(void) = (const char *(*)(void))dlsym(opened, "sqlite3_libversion");
    return version == NULL ? NULL : version();
}

static inline int shim_sqlite_find(void *_Nonnull opened, const char *_Nonnull name, void *_Nonnull place) {
    /* ISO C has no cast from a pointer to data to one to a function; POSIX says that the bytes are the same. */
    void *found = dlsym(opened, name);
    memcpy(place, &found, sizeof found);
    return found != NULL;
}

/* Fills the table from an opened library. The result is the name of a function that it lacks; NULL: it has all. */
static inline const char *_Nullable shim_sqlite_fill(void *_Nonnull opened, shim_sqlite *_Nonnull table) {
    memset(table, 0, sizeof *table);
#define SHIM_FIELD(name)                                                                                               \
    if (!shim_sqlite_find(opened, "sqlite3_" #name, (void *)&table->name)) return "sqlite3_" #name;
    SHIM_SQLITE_FUNCTIONS(SHIM_FIELD)
    SHIM_FIELD(key)
    SHIM_FIELD(rekey)
#undef SHIM_FIELD
    return NULL;
}

/* SQLITE_STATIC and SQLITE_TRANSIENT are casts, which Swift does not import. */
static inline void shim_sqlite3_result_text_transient(
    const shim_sqlite *_Nonnull sqlite, sqlite3_context *context, const void *text, int count
) {
    sqlite->result_text(context, text, count, SQLITE_TRANSIENT);
}
static inline int shim_sqlite3_bind_text_static(
    const shim_sqlite *_Nonnull sqlite, sqlite3_stmt *statement, int index, const char *text, int count
) {
    return sqlite->bind_text(statement, index, text, count, SQLITE_STATIC);
}
static inline int shim_sqlite3_bind_text_transient(
    const shim_sqlite *_Nonnull sqlite, sqlite3_stmt *statement, int index, const char *text, int count
) {
    return sqlite->bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
static inline int shim_sqlite3_bind_blob_transient(
    const shim_sqlite *_Nonnull sqlite, sqlite3_stmt *statement, int index, const void *bytes, int count
) {
    return sqlite->bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
#endif
