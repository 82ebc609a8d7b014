/* Counts what a program writes, by what it writes to: preloaded into it, without its knowledge.
 *
 * LD_PRELOAD=writes.so BENCHMARK_WRITES=FILE program     FILE holds five numbers of 64 bits, kept up to date while the
 * program runs: calls and bytes that went to regular files, calls and bytes that went elsewhere (sockets, eventfds,
 * pipes, terminals), and calls of fsync() and fdatasync(). /proc/PID/io adds the first four up and tells them apart
 * by nothing. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { DISK_CALLS, DISK_BYTES, OTHER_CALLS, OTHER_BYTES, SYNCS, NUMBERS };

static uint64_t *numbers;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("BENCHMARK_WRITES");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, NUMBERS * sizeof *numbers, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) numbers = memory;
    close(file);
}

static void add(int which, uint64_t value) {
    if (numbers) __atomic_fetch_add(&numbers[which], value, __ATOMIC_RELAXED);
}

static ssize_t count(int file, long written) {
    int before = errno;
    struct stat found;
    int is_disk = fstat(file, &found) == 0 && S_ISREG(found.st_mode);
    add(is_disk ? DISK_CALLS : OTHER_CALLS, 1);
    if (written > 0) add(is_disk ? DISK_BYTES : OTHER_BYTES, (uint64_t)written);
    errno = before;
    return written;
}

ssize_t write(int file, const void *data, size_t size) { return count(file, syscall(SYS_write, file, data, size)); }

ssize_t pwrite(int file, const void *data, size_t size, off_t at) {
    return count(file, syscall(SYS_pwrite64, file, data, size, at));
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
    return count(file, syscall(SYS_pwrite64, file, data, size, at));
}

ssize_t writev(int file, const struct iovec *parts, int amount) {
    return count(file, syscall(SYS_writev, file, parts, amount));
}

int fsync(int file) {
    add(SYNCS, 1);
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    add(SYNCS, 1);
    return (int)syscall(SYS_fdatasync, file);
}
