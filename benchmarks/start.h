/* The clock of the benchmarks, and how long a new process takes from its very beginning. Needs _GNU_SOURCE. */
#ifndef START_H
#define START_H
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* What a user does between two pages. */
static inline void rest(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    if (milliseconds > 0) nanosleep(&time, NULL);
}

/* When this process was started: it notes the time and starts itself once more, so that loading the program and its
 * libraries counts. */
static inline double since_exec(char **argv) {
    const char *noted = getenv("BENCHMARK_START");
    if (noted) return atof(noted);
    char text[64];
    snprintf(text, sizeof text, "%.9f", now());
    setenv("BENCHMARK_START", text, 1);
    execv("/proc/self/exe", argv);
    perror("/proc/self/exe");
    exit(1);
}
#endif
