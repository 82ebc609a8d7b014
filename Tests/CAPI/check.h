/* What the C tests share: checks that count, events waited for, the server as a child. */
#ifndef CHECK_H
#define CHECK_H

#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncmanager.h>

/* One check; the first that fails is printed with its place and with sm_last_error(), and ends the program. */
#define CHECK(condition) check_that((condition), #condition, __FILE__, __LINE__)
/* A status of a call. */
#define GIVES(status, call) check_status((call), (status), #call, __FILE__, __LINE__)

void check_that(bool holds, const char *what, const char *file, int line);
void check_status(int32_t got, int32_t wanted, const char *what, const char *file, int line);

/* A new empty directory, removed when the program ends well. The text lives as long as the program. */
const char *fresh_directory(void);
/* A client of user "mei" offline in `directory`, with `more` (",\"key\":value" or "") in its configuration. */
sm_client *open_client(const char *directory, const char *more);
/* The configuration of open_client(), to be freed. */
char *configuration(const char *directory, const char *more);

/* Takes events until one holds each of the texts (the last is NULL); gives it, to be freed. A minute without an event
 * is a failure. */
char *await_event(sm_client *client, ...);
/* The number behind "key": in an event. */
long long number_in(const char *json, const char *key);

/* How many own messages of mei the library has stored in a directory. */
int stored_messages(const char *directory);

/* Whether sm_last_error() holds a text. */
bool last_error_has(const char *text);

/* syncmanager-server, with the users mei and bob and one channel of 250 messages; ends with this program. */
typedef struct chat_server {
    char api_host[64];
    char ws_host[64];
    char channel[64];
} chat_server;
chat_server start_server(void);
/* A client of a user of that server, not connected yet. */
sm_client *open_online(const chat_server *server, const char *user, const char *directory, const char *more);

/* Prints the count and gives the exit status. */
int checks_done(void);

#endif
