#ifndef SYNCMANAGER_CLINUX_H
#define SYNCMANAGER_CLINUX_H
/* What Swift's Glibc module leaves out. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* GNU-only functions, hidden unless _GNU_SOURCE was defined before the first system header. */
extern int accept4(int socket, struct sockaddr *address, socklen_t *count, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);
extern int renameat2(int old_place, const char *old_path, int new_place, const char *new_path, unsigned int flags);
extern void *memmem(const void *haystack, size_t count, const void *needle, size_t needle_count);

/* shutdown(2) of both directions: SHUT_RDWR is a constant of an unnamed enum, which Swift does not find where two C
   modules include its header. */
static inline int shim_shutdown(int socket) { return shutdown(socket, SHUT_RDWR); }

/* open(2), fcntl(2) and the std streams are variadic or mutable globals, which Swift 6 refuses. */
static inline int shim_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int shim_write_stderr(const char *text) { return fputs(text, stderr); }
static inline int shim_write_stdout(const char *text) {
    int result = fputs(text, stdout);
    fflush(stdout);
    return result;
}
/* getopt_long(3) answers through mutable globals. */
static inline const char *shim_option_argument(void) { return optarg; }
static inline int shim_option_index(void) { return optind; }
#endif
