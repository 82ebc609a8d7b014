#ifndef SYNCMANAGER_CSQLITE_H
#define SYNCMANAGER_CSQLITE_H
#include <sqlite3.h>

static inline void shim_sqlite3_result_text_transient(sqlite3_context *context, const void *text, int count) {
    sqlite3_result_text(context, text, count, SQLITE_TRANSIENT);
}

/* SQLITE_STATIC and SQLITE_TRANSIENT are casts, which Swift does not import. */
static inline int shim_sqlite3_bind_text_static(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_STATIC);
}
static inline int shim_sqlite3_bind_text_transient(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
static inline int shim_sqlite3_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}
static inline int shim_sqlite3_bind_blob_transient(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
#endif
