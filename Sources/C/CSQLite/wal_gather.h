#ifndef SYNCMANAGER_WAL_GATHER_H
#define SYNCMANAGER_WAL_GATHER_H
#include "library.h"
#include <stdlib.h>

/*
 * A VFS over another one that writes the frames of a WAL commit with one call instead of two for each page.
 *
 * SQLite appends a commit to the log as frames: a header of 24 bytes, then the page. Here frames are held back as long
 * as each one follows the last, and written together when the page of the commit frame has come (bytes 4 to 7 of its
 * header are not zero). This happens inside SQLite's own last write of the commit: when it fails, that write fails,
 * before the log's index tells anybody of the commit, and nothing is held when a commit has returned. A write that is
 * not a plain appended frame goes to the file at once, behind what is held. Only frames of a transaction that has not
 * committed can be lost with the process, and nobody would read them.
 *
 * Files other than the log are opened by the VFS below and never seen here. One thread at a time uses a file.
 */

enum {
    SHIM_WAL_HEADER = 32,
    SHIM_FRAME_HEADER = 24,
    /* Bytes. Some fifteen pages of 4 KiB: more than a received message changes. */
    SHIM_HELD_MAX = 65536,
};

enum shim_wal_expected { SHIM_ANYTHING, SHIM_FRAME, SHIM_PAGE, SHIM_COMMIT_PAGE };

typedef struct {
    sqlite3_file base;
    /* The file of the VFS below, in the same memory behind this one. */
    sqlite3_file *file;
    /* SHIM_HELD_MAX bytes, made when first needed. */
    unsigned char *held;
    int count;
    /* Where in the file the held bytes begin. */
    sqlite3_int64 start;
    /* Where the last write ended, and what follows there when frames are appended. */
    sqlite3_int64 next;
    enum shim_wal_expected expected;
} shim_wal_file;

static inline int shim_wal_flush(shim_wal_file *wal) {
    int count = wal->count;
    if (count == 0) return SQLITE_OK;
    wal->count = 0;
    int code = wal->file->pMethods->xWrite(wal->file, wal->held, count, wal->start);
    if (code != SQLITE_OK) wal->expected = SHIM_ANYTHING;
    return code;
}

/* Writes to the file at once, behind what is held. */
static inline int shim_wal_write_now(shim_wal_file *wal, const void *bytes, int count, sqlite3_int64 offset) {
    int code = shim_wal_flush(wal);
    if (code != SQLITE_OK) return code;
    return wal->file->pMethods->xWrite(wal->file, bytes, count, offset);
}

static inline int shim_wal_hold(shim_wal_file *wal, const void *bytes, int count, sqlite3_int64 offset) {
    if (wal->held == NULL) wal->held = (unsigned char *)malloc(SHIM_HELD_MAX);
    if (wal->held == NULL || count > SHIM_HELD_MAX) return shim_wal_write_now(wal, bytes, count, offset);
    if (count > SHIM_HELD_MAX - wal->count) {
        int code = shim_wal_flush(wal);
        if (code != SQLITE_OK) return code;
    }
    if (wal->count == 0) wal->start = offset;
    memcpy(wal->held + wal->count, bytes, (size_t)count);
    wal->count += count;
    return SQLITE_OK;
}

static inline int shim_wal_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    shim_wal_file *wal = (shim_wal_file *)base;
    enum shim_wal_expected expected = offset == wal->next ? wal->expected : SHIM_ANYTHING;
    int is_page = expected == SHIM_PAGE || expected == SHIM_COMMIT_PAGE;
    enum shim_wal_expected following = SHIM_ANYTHING;
    int code;
    if (is_page && count > SHIM_FRAME_HEADER) {
        code = shim_wal_hold(wal, bytes, count, offset);
        if (code == SQLITE_OK && expected == SHIM_COMMIT_PAGE) code = shim_wal_flush(wal);
        following = SHIM_FRAME;
    } else if (!is_page && count == SHIM_FRAME_HEADER) {
        static const unsigned char no_commit[4];
        int commits = memcmp((const unsigned char *)bytes + 4, no_commit, sizeof no_commit) != 0;
        code = expected == SHIM_FRAME ? shim_wal_hold(wal, bytes, count, offset)
                                      : shim_wal_write_now(wal, bytes, count, offset);
        following = commits ? SHIM_COMMIT_PAGE : SHIM_PAGE;
    } else {
        code = shim_wal_write_now(wal, bytes, count, offset);
        if (offset == 0 && count == SHIM_WAL_HEADER) following = SHIM_FRAME;
    }
    wal->expected = code == SQLITE_OK ? following : SHIM_ANYTHING;
    wal->next = offset + count;
    return code;
}

static inline int shim_wal_close(sqlite3_file *base) {
    shim_wal_file *wal = (shim_wal_file *)base;
    /* Frames of a transaction that never committed: nobody waits for them, so a failure does not matter. */
    (void)shim_wal_flush(wal);
    free(wal->held);
    wal->held = NULL;
    return wal->file->pMethods->xClose(wal->file);
}

static inline int shim_wal_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    shim_wal_file *wal = (shim_wal_file *)base;
    int code = shim_wal_flush(wal);
    return code != SQLITE_OK ? code : wal->file->pMethods->xRead(wal->file, bytes, count, offset);
}

static inline int shim_wal_truncate(sqlite3_file *base, sqlite3_int64 size) {
    shim_wal_file *wal = (shim_wal_file *)base;
    int code = shim_wal_flush(wal);
    return code != SQLITE_OK ? code : wal->file->pMethods->xTruncate(wal->file, size);
}

static inline int shim_wal_sync(sqlite3_file *base, int flags) {
    shim_wal_file *wal = (shim_wal_file *)base;
    int code = shim_wal_flush(wal);
    return code != SQLITE_OK ? code : wal->file->pMethods->xSync(wal->file, flags);
}

static inline int shim_wal_size(sqlite3_file *base, sqlite3_int64 *size) {
    shim_wal_file *wal = (shim_wal_file *)base;
    int code = shim_wal_flush(wal);
    return code != SQLITE_OK ? code : wal->file->pMethods->xFileSize(wal->file, size);
}

/* SQLite does not lock a log by itself, but a file must have these methods. */
static inline int shim_wal_lock(sqlite3_file *base, int level) {
    sqlite3_file *file = ((shim_wal_file *)base)->file;
    return file->pMethods->xLock(file, level);
}
static inline int shim_wal_unlock(sqlite3_file *base, int level) {
    sqlite3_file *file = ((shim_wal_file *)base)->file;
    return file->pMethods->xUnlock(file, level);
}
static inline int shim_wal_check_lock(sqlite3_file *base, int *is_reserved) {
    sqlite3_file *file = ((shim_wal_file *)base)->file;
    return file->pMethods->xCheckReservedLock(file, is_reserved);
}
static inline int shim_wal_control(sqlite3_file *base, int operation, void *argument) {
    sqlite3_file *file = ((shim_wal_file *)base)->file;
    return file->pMethods->xFileControl(file, operation, argument);
}
static inline int shim_wal_sector(sqlite3_file *base) {
    sqlite3_file *file = ((shim_wal_file *)base)->file;
    return file->pMethods->xSectorSize(file);
}
static inline int shim_wal_device(sqlite3_file *base) {
    sqlite3_file *file = ((shim_wal_file *)base)->file;
    return file->pMethods->xDeviceCharacteristics(file);
}

static inline sqlite3_vfs *shim_vfs_below(sqlite3_vfs *vfs) { return (sqlite3_vfs *)vfs->pAppData; }

static inline int shim_vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *given) {
    static const sqlite3_io_methods methods = {
        1, shim_wal_close, shim_wal_read, shim_wal_write, shim_wal_truncate, shim_wal_sync, shim_wal_size,
        shim_wal_lock, shim_wal_unlock, shim_wal_check_lock, shim_wal_control, shim_wal_sector, shim_wal_device,
        0, 0, 0, 0, 0, 0,
    };
    sqlite3_vfs *below = shim_vfs_below(vfs);
    if ((flags & SQLITE_OPEN_WAL) == 0) return below->xOpen(below, path, base, flags, given);
    shim_wal_file *wal = (shim_wal_file *)base;
    memset(wal, 0, sizeof *wal);
    wal->file = (sqlite3_file *)(wal + 1);
    int code = below->xOpen(below, path, wal->file, flags, given);
    /* When a file has methods, SQLite closes it, also after a failure. */
    if (wal->file->pMethods != NULL) wal->base.pMethods = &methods;
    return code;
}

static inline int shim_vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    return shim_vfs_below(vfs)->xDelete(shim_vfs_below(vfs), path, syncs);
}
static inline int shim_vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    return shim_vfs_below(vfs)->xAccess(shim_vfs_below(vfs), path, flags, result);
}
static inline int shim_vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *result) {
    return shim_vfs_below(vfs)->xFullPathname(shim_vfs_below(vfs), path, size, result);
}
static inline void *shim_vfs_library(sqlite3_vfs *vfs, const char *path) {
    return shim_vfs_below(vfs)->xDlOpen(shim_vfs_below(vfs), path);
}
static inline void shim_vfs_library_error(sqlite3_vfs *vfs, int size, char *result) {
    shim_vfs_below(vfs)->xDlError(shim_vfs_below(vfs), size, result);
}
static inline void (*shim_vfs_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
    return shim_vfs_below(vfs)->xDlSym(shim_vfs_below(vfs), library, name);
}
static inline void shim_vfs_library_close(sqlite3_vfs *vfs, void *library) {
    shim_vfs_below(vfs)->xDlClose(shim_vfs_below(vfs), library);
}
static inline int shim_vfs_random(sqlite3_vfs *vfs, int size, char *result) {
    return shim_vfs_below(vfs)->xRandomness(shim_vfs_below(vfs), size, result);
}
static inline int shim_vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    return shim_vfs_below(vfs)->xSleep(shim_vfs_below(vfs), microseconds);
}
static inline int shim_vfs_time(sqlite3_vfs *vfs, double *time) {
    return shim_vfs_below(vfs)->xCurrentTime(shim_vfs_below(vfs), time);
}
static inline int shim_vfs_last_error(sqlite3_vfs *vfs, int size, char *result) {
    return shim_vfs_below(vfs)->xGetLastError(shim_vfs_below(vfs), size, result);
}

/* Registers the VFS in a library under a name, over another one of that library (NULL: the default one). Both strings
 * and VFS stay for good: call it once for a name. */
static inline int shim_register_wal_gathering(
    const shim_sqlite *_Nonnull sqlite, const char *name, const char *name_below
) {
    sqlite3_vfs *below = sqlite->vfs_find(name_below);
    sqlite3_vfs *vfs = below == NULL ? NULL : (sqlite3_vfs *)calloc(1, sizeof *vfs);
    if (vfs == NULL) return SQLITE_NOMEM;
    vfs->iVersion = 1;
    vfs->szOsFile = (int)sizeof(shim_wal_file) + below->szOsFile;
    vfs->mxPathname = below->mxPathname;
    vfs->zName = name;
    vfs->pAppData = below;
    vfs->xOpen = shim_vfs_open;
    vfs->xDelete = shim_vfs_delete;
    vfs->xAccess = shim_vfs_access;
    vfs->xFullPathname = shim_vfs_full_path;
    vfs->xDlOpen = shim_vfs_library;
    vfs->xDlError = shim_vfs_library_error;
    vfs->xDlSym = shim_vfs_symbol;
    vfs->xDlClose = shim_vfs_library_close;
    vfs->xRandomness = shim_vfs_random;
    vfs->xSleep = shim_vfs_sleep;
    vfs->xCurrentTime = shim_vfs_time;
    vfs->xGetLastError = shim_vfs_last_error;
    return sqlite->vfs_register(vfs, 0);
}
#endif
