/*
 * syncmanager_testing.h - tests of programs that use libsyncmanager: a day of chat in milliseconds, the same each time
 *
 * Copyright 2026 The libsyncmanager authors. SPDX-License-Identifier: Apache-2.0
 *
 * libsyncmanager-testing is libsyncmanager and more: link a program's tests with it instead of libsyncmanager, and all
 * functions of syncmanager.h are there, unchanged. While no world is made, they also do the same.
 *
 * A world is a chat service, the network that leads to it, and time, in this process. The service is the one that
 * syncmanager-server serves, all of it. Time stands still until a test lets it pass: by smt_advance(), or by waiting
 * for events in sm_next_event() or sm_dispatch(), which let it pass until an event comes, or until their timeout is
 * over in the world, or a day of it. Nothing sleeps, no socket is opened, and no thread decides what comes first. So a
 * test that makes the same calls with the same seed sees the same events, with the same times, ids and texts.
 *
 *     smt_world *world;
 *     smt_world_new(1, NULL, &world);
 *     smt_request(world, "POST", "/v3/users", "{\"user_id\":\"mei\",\"nickname\":\"Mei\",\"profile_url\":\"\"}",
 *                 NULL, NULL);
 *     sm_setup("{\"app_id\":\"A\",\"user_id\":\"mei\",\"data_dir\":\"/tmp/mei\"}", &client);
 *     ...
 *     smt_set_weather(world, "\"bad\"");     // requests are lost, sockets break
 *     smt_advance(world, 86400000);          // a day later
 *
 * ERRORS and TEXTS are as in syncmanager.h: a negative status is SM_ERR_*, sm_last_error() says more, texts that are
 * given out are freed with sm_string_free(). THREADS: all functions may be called on any thread, one at a time does
 * something; not from a log callback, nor from the function of a stream or what frees its user data. Since 0.1.
 */
#ifndef SYNCMANAGER_TESTING_H
#define SYNCMANAGER_TESTING_H

#include "syncmanager.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A service, a network and time. */
typedef struct smt_world smt_world;

/* Makes a world; clients that sm_setup() makes from now on are in it, whatever application and hosts their
 * configuration names. There is one at a time: SM_ERR_BUSY while there is another one. `seed`: of all that is left to
 * chance. `options`: NULL, or a JSON object with some of
 *
 *   "start"         the time at the beginning, ms since the epoch, 1000000000000 to 4102444800000, the years 2001 to
 *                   2099 (default 1700000000000)
 *   "weather"       see smt_set_weather() (default "fair")
 *   "page_size"     how many channels or changes the service gives at once, 1 to 100 (default: as many as asked for)
 *   "huge_gap"      a gap of more messages than this is huge, 1 to 1000000 (default 300)
 *   "file_limit_mb"  the largest file, 1 to 30 (default 30)
 *
 * Whatever the configuration of a client says, its engine runs on the calling threads, without a thread of its own;
 * with "delivery":"thread" its callbacks run on a thread, and tests do not repeat exactly. Errors: INVALID_ARGUMENT,
 * INVALID_DOCUMENT, BUSY, STORAGE. @thread any. Since 0.1 */
SM_EXPORT int32_t smt_world_new(uint64_t seed, const char *options, smt_world **out);

/* Ends a world, and what clients are left in it as smt_kill() does. Their handles are not valid any more. NULL is
 * ignored. No other thread may be in sm_setup() meanwhile: its client might be left without a world. Errors:
 * INVALID_HANDLE, REENTRANT (by a callback of a client of the world; nothing is ended). @thread any. Since 0.1 */
SM_EXPORT int32_t smt_world_free(smt_world *world);

/* The time of the world, ms since the epoch, or a negative status: INVALID_HANDLE. @thread any. Since 0.1 */
SM_EXPORT int64_t smt_now(smt_world *world);

/* Lets `ms` milliseconds pass (0 to 31622400000, 366 days): all that happens meanwhile happens, and its events wait in
 * the queues of the clients. Errors: INVALID_HANDLE, INVALID_ARGUMENT. @thread any. Since 0.1 */
SM_EXPORT int32_t smt_advance(smt_world *world, int64_t ms);

/* Lets the time pass until a client has an event or a result more for its host than before, at most `ms` milliseconds.
 * For hosts with an event loop of their own, which look at their descriptors in between. Gives how many milliseconds
 * have passed, or a negative status: INVALID_HANDLE, INVALID_ARGUMENT. @thread any. Since 0.1 */
SM_EXPORT int64_t smt_step(smt_world *world, int64_t ms);

/* A request of the administration to the service, carried out at once and past the network: acts of other users, and
 * the control endpoint, all as docs/server.md has them. `method`: GET, POST, PUT, PATCH or DELETE. `target`: path and
 * query, percent-encoded, as "/v3/users". `body`: JSON, or NULL. `out_status` (may be NULL): the HTTP status.
 * `out_body` (may be NULL): the answer, to be freed with sm_string_free(). What the service tells its clients of it
 * comes over the network, when time passes. Errors: INVALID_HANDLE, INVALID_ARGUMENT; a refusal of the service is SM_OK
 * with its HTTP status. @thread any. Since 0.1 */
SM_EXPORT int32_t smt_request(smt_world *world, const char *method, const char *target, const char *body,
                              int32_t *out_status, char **out_body);

/* As smt_request(), to the realtime database with all rights; `target` as "/rooms/a.json?ns=test". Errors:
 * INVALID_HANDLE, INVALID_ARGUMENT. @thread any. Since 0.1 */
SM_EXPORT int32_t smt_database_request(smt_world *world, const char *method, const char *target, const char *body,
                                       int32_t *out_status, char **out_body);

/* How bad the network and the service are from now on: "fair", "usual" or "bad" as a JSON text, or an object with some
 * of these, in percent (0 to 100) of requests, connections or frames:
 *
 *   "lost"            requests never arrive
 *   "answer_lost"     answers never arrive; what was asked for is done
 *   "reset"           connections break, before or after the request was carried out
 *   "half"            half of an answer comes
 *   "rate_limited"    the service answers 429
 *   "broken"          the service answers 5xx
 *   "garbage"         an answer is no JSON
 *   "refused"         a socket cannot be opened
 *   "slow"            requests and frames take up to three seconds
 *   "token_expired"   page tokens are too old
 *   "change_refused"  requests that change something in a channel are refused
 *
 * The realtime database knows "lost", "answer_lost", "reset", "broken" and, for its streams, half of "refused"; files
 * that are received know the first six, and "slow". Faults of the control endpoint concern all.
 * Errors: INVALID_HANDLE, INVALID_DOCUMENT. @thread any. Since 0.1 */
SM_EXPORT int32_t smt_set_weather(smt_world *world, const char *weather);

/* Something happens to the connections of a user's clients (`user_id`; NULL: of all), at once:
 *
 *   "reset"      they break, and both sides learn of it
 *   "die"        nothing arrives any more, and nobody is told
 *   "die_up"     the same of what clients send
 *   "die_down"   the same of what the service sends
 *   "lose_pong"  the answer to the next sign of life is lost
 *
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT. @thread any. Since 0.1 */
SM_EXPORT int32_t smt_disturb(smt_world *world, const char *user_id, const char *what);

/* Ends a client as when its process is killed: nothing more is stored, sent or told, calls that wait get no result,
 * and what was on its way to the chat service arrives (of what was on its way to the realtime database, half). Its
 * handle and those of its collections are not valid any more; functions that were given to free user data are
 * called. sm_setup() with the same directory goes on with what the files have. Errors: INVALID_HANDLE, CLOSED,
 * REENTRANT (by a callback of this client), INVALID_ARGUMENT (the client is in no world). @thread any. Since 0.1 */
SM_EXPORT int32_t smt_kill(sm_client *client);

#ifdef __cplusplus
}
#endif

#endif
