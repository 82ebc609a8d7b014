/*
 * epoll_loop - several users in one program, one thread, one epoll: each client's descriptor is a source of events
 * among others, here a signal to end and a timer that tells what is shown.
 *
 *     epoll_loop CONFIG_JSON [CONFIG_JSON ...]
 *
 * Prints a line for every change of a channel list, and every second one with the number of changes so far. SIGINT and
 * SIGTERM end it.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <syncmanager.h>
#include <unistd.h>

#include "terminal.h"

typedef struct {
    int number;
    unsigned changes;
    sm_client *client;
    sm_collection *channels;
} user;

static void on_change(void *user_data, const char *json, size_t length) {
    user *own = user_data;
    (void)length;
    own->changes++;
    printf("user %d: ", own->number);
    print_json(json);
}

static void on_event(void *user_data, const char *json, size_t length) {
    (void)length;
    if (strstr(json, "\"type\":\"token_needed\"")) printf("user %d needs a token\n", ((user *)user_data)->number);
}

static int start(user *own, const char *config) {
    return sm_setup(config, &own->client) == SM_OK
        && sm_set_callback(own->client, on_event, own, NULL) == SM_OK
        && sm_channel_collection_new(own->client, NULL, &own->channels) == SM_OK
        && sm_collection_set_callback(own->channels, on_change, own, NULL) == SM_OK
        && sm_connect(own->client, NULL, NULL, NULL, NULL) == SM_OK
        && sm_fetch(own->channels, SM_NEXT, NULL, NULL, NULL, NULL) == SM_OK;
}

static int watch(int epoll, int fd, void *what) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = what}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int main(int argc, char **argv) {
    const struct itimerspec second = {{1, 0}, {1, 0}};
    sigset_t ends;
    int epoll = epoll_create1(EPOLL_CLOEXEC), count = argc - 1, is_running = 1;
    user *users = calloc((size_t)count + 1, sizeof *users);
    if (count < 1 || !users) {
        fprintf(stderr, "usage: epoll_loop CONFIG_JSON [CONFIG_JSON ...]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* Blocked before the first client: its threads block all signals anyway, so these come to the descriptor alone. */
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    int end = signalfd(-1, &ends, SFD_CLOEXEC), timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (epoll < 0 || end < 0 || timer < 0 || timerfd_settime(timer, 0, &second, NULL) < 0
        || watch(epoll, end, &end) < 0 || watch(epoll, timer, &timer) < 0) {
        perror("epoll");
        return 1;
    }
    for (int i = 0; i < count; i++) {
        users[i].number = i + 1;
        if (!start(&users[i], argv[i + 1]) || watch(epoll, sm_get_fd(users[i].client), &users[i]) < 0) {
            fprintf(stderr, "user %d: %s\n", i + 1, sm_last_error());
            return 1;
        }
    }
    while (is_running) {
        struct epoll_event ready[8];
        int number = epoll_wait(epoll, ready, 8, -1);
        if (number < 0 && errno != EINTR) break;
        for (int i = 0; i < number; i++) {
            if (ready[i].data.ptr == &end) {
                is_running = 0;
            } else if (ready[i].data.ptr == &timer) {
                uint64_t ticks;
                unsigned changes = 0;
                if (read(timer, &ticks, sizeof ticks) != sizeof ticks) continue;
                for (int j = 0; j < count; j++) changes += users[j].changes;
                printf("%u changes so far\n", changes);
            } else {
                /* The descriptor stays readable while events wait, so a few at a time are enough: all users get on. */
                sm_dispatch(((user *)ready[i].data.ptr)->client, 64, 0);
            }
        }
    }
    for (int i = 0; i < count; i++) sm_close(users[i].client);
    free(users);
    return 0;
}
