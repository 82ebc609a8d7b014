/*
 * syncmanager.h - offline-first chat for any host language
 *
 * Copyright 2026 The libsyncmanager authors. SPDX-License-Identifier: Apache-2.0
 *
 * libsyncmanager caches chat channels and messages in SQLite, keeps them in sync with a chat service in the background,
 * and hands the host ordered lists plus exact changes to them. A host opens a client, makes collections (a list of
 * channels, or the messages of one channel), fetches pages, and applies the changes it is told. Everything works from
 * the cache without a connection.
 *
 *
 * FIRST STEPS
 *
 *     sm_client *client;
 *     sm_collection *channels;
 *     sm_setup("{\"app_id\":\"A\",\"user_id\":\"mei\",\"data_dir\":\"/tmp/mei\",\"access_token\":\"T\"}", &client);
 *     sm_connect(client, NULL, NULL, NULL, NULL);
 *     sm_channel_collection_new(client, "{\"limit\":20}", &channels);
 *     sm_collection_set_callback(channels, on_event, NULL, NULL);
 *     sm_fetch(channels, SM_NEXT, on_page, NULL, NULL, NULL);
 *     for (;;) sm_dispatch(client, 0, -1);        // runs on_event and on_page on this thread
 *
 *
 * EVENTS
 *
 * All a client has to tell stands in one bounded queue per client, in order. The host drains it in one of three ways:
 *
 *   pull      sm_next_event() hands out one event after the other as JSON.
 *   dispatch  sm_dispatch() runs the registered callbacks on the calling thread.
 *   thread    with "delivery":"thread" in the configuration the library runs the callbacks on a thread of its own.
 *
 * sm_get_fd() is readable while the queue holds something: for poll, epoll, asyncio, GLib. It is level-triggered; the
 * host must not read from it.
 *
 * Every event is a JSON object with "type", "seq" (counts from 1 per client, without gaps) and "ts" (milliseconds since
 * the epoch, this machine's clock, for display only). Types:
 *
 *   change           a collection's list changed; see CHANGES
 *   result           a call is complete: "request" (the number the call gave), "call" (its name), "status" and what
 *                    the call's comment names. Every accepted call completes exactly once, also at close.
 *   new_message      "collection", "channel_url", "message": a message arrived that is not contiguous with what the
 *                    collection shows; nothing was inserted
 *   channel_updated  "collection", "channel": the channel of a message collection changed
 *   channel_removed  "collection", "channel_url": it is gone, or this user is out of it. When it is back, also as one
 *                    that was made again under its URL, a collection that showed messages shows a page of them by
 *                    itself. A public channel that this user has left can still be read: at the next login
 *                    its collection shows what the service gives, but the service tells this user of no change; a
 *                    fetch asks again. These three say why, as changes do: "source", "from_event", "detail"
 *   cache_shown      "collection", "request" (of sm_collection_start()), "count": so many messages were inserted from
 *                    the cache; what the service says comes next, and the result last
 *   parent_updated   "collection", "message": the message that a thread's collection answers, when it becomes known and
 *                    when it changes. Also with why
 *   parent_removed   "collection", "message_id" (a text): it is gone; its replies stay. Also with why
 *   huge_gap         "collection", "has_next" (true): more of what the filter takes is missing after a reconnect than
 *                    the service fills; what is shown stays usable; sm_fetch(SM_NEXT) goes on, where nothing is shown
 *                    sm_fetch(SM_PREVIOUS); sm_reset_viewpoint() jumps
 *   connection       "state": "disconnected" | "connecting" | "connected" | "waiting" (with "retry_in", ms) |
 *                    "token_needed" (offline until sm_set_token()). With "waiting", and with "disconnected" when the
 *                    host did not ask for it, "code" and "message" say why: the service's, or those of errors.md
 *   unread_counts    "all" (messages that wait for this user, over all channels), "custom_types" (an object: the same
 *                    by channels' custom types), as the service counts: after a login, and whenever they change; that a
 *                    channel has another custom type shows with the next change
 *   message_received  "id", "channel_url", "channel" (its object, if it is cached), "message", "mention" (whether it
 *                    mentions this user), "missed", "more_missed": with "notify", a message of another user that came
 *                    live or while away, whether a collection shows its channel or not. It is told again, with the same
 *                    "id", at the next start and after `overflow`, until the action "acknowledge". "missed": so many
 *                    messages of the channel before this one were let go (LIMITS); "more_missed": beside them others
 *                    may have come while away, which nobody counted. docs/events.md
 *   upload_progress  "request_id", "channel_url", "file" (which of the message's files, from 0 on), "sent" and "total"
 *                    (bytes): at most ten a second of each file, the last one always. See sm_send_message()
 *   download_progress  "request" (the number of the call of "download_file"), "received", "total" (bytes; left out when
 *                    the server does not say). The same
 *   export_progress  "request" (the number of the call of "export"), "done", "total" (messages): at most ten a second,
 *                    the last one always
 *   search_progress  "done", "total" (messages, roughly), "complete": an older cache is being indexed for search; at
 *                    most ten a second, the last one always
 *   sync_state       "state": "idle" | "running" | "paused"
 *   sync_progress    "channel_url", "done" (messages cached by this run, since its cache was emptied last), "complete".
 *                    A channel that "prefetch" is done with has "prefetch": {"done", "total"}, of how many channels
 *   cache_trimmed    "channel_url", "messages", "bytes": so many messages of the channel left the cache to make room
 *                    ("max_cache_mb") or because they are old ("max_message_age_days"), and so many bytes of rows with
 *                    them. No list changes; a page brings them again
 *   cache_full       the cache is over its bound, and "cache_order" is "host": "bytes_to_free" of rows have to go.
 *                    "candidates" are the channels that may lose messages, at most 1000, those used longest ago first,
 *                    each with "channel_url", "used_at" (ms since the epoch, to an hour; 0: never), "messages",
 *                    "bytes"; "others": how many more there are. Answer within 5 s with the action "evict"; else, and
 *                    behind the channels that it names, it goes by last use
 *   token_needed     the access token is missing, was refused or revoked, or its user is gone: "code" and "message" are
 *                    the service's. Answer with sm_set_token(); the cache stays until sm_sign_out()
 *   cache_reset      the cache file was corrupt, was set aside under "file" (its path), and is being rebuilt
 *   storage_error    "message": the data directory could not be read or written, as on a full disk; what is shown
 *                    stays, sync tries again. At the start: the outbox file is gone, unsent messages are lost; or some
 *                    of what waited there was damaged and is not sent. The latter has "lost", a list of the first
 *                    hundred, as far as they can be read: {"kind":"message","channel_url","request_id"} or
 *                    {"kind":"draft","channel_url","parent_message_id"} or
 *                    {"kind":"database_write","url","name","path","write" ("set" | "update" | "count"),"id"}, and
 *                    "lost_count". It is told once, and kept aside (docs/durability.md); all else is sent
 *   overflow         "collection", "dropped": the host lagged behind. For each list of the collection a `clear` and, if
 *                    it is not empty, one full `insert` follow; a thread is told parent_updated or parent_removed
 *                    again. A new_message or channel_updated among those dropped is not told again. No result is
 *                    dropped, so a call may complete before the list that comes in full shows what it did
 *   stream_batch     what one batch did to a stream; these and the following: see sm_stream_open()
 *   stream_loaded    a stream shows what there was at first, or will not
 *   stream_will_change  with delegate delivery, in this order instead of stream_batch
 *   stream_deleted   "rows" at their old places
 *   stream_added     "rows" at their new places
 *   stream_changed   "rows" at their new places
 *   stream_did_change  the end of the sequence
 *   database_value   "listen", "value", "current": what is at a place of the database is this now; "current": the
 *                    service is being heard. "listen" is the number of the call of the action "database_listen"
 *   database_listen_ended  "listen", "code", "message": the database refuses it; nothing more is told of it
 *   database_transform  "transaction", "value": which value does this one become? "transaction" is the number of the
 *                    call of "database_transaction"; answer with "database_transformed"
 *   database_write_refused  "path", "code", "message": a write that no call waits for is taken back
 *   database_token_needed  the database wants another token: answer with "database_set_token"
 *   resource_will_create   an object of the database is to be created: "hook" for the action resource_continue. All
 *                    of these: docs/resources.md
 *   resource_will_update    it is to be changed
 *   resource_will_destroy   it is to be removed
 *   resource_did_create     it is created here, and cannot be lost any more
 *   resource_did_update     it is changed here
 *   resource_did_destroy    it is removed here
 *   resource_persisted_create   the service has answered for it and for its counters
 *   resource_persisted_update   the same of a change
 *   resource_persisted_destroy  the same of a removal
 *   resource_action  what was done: "old" and "new"
 *   resource_error   something was refused whose call is complete
 *   closed           always the last one; only callbacks hear it, see sm_close()
 *
 *
 * CHANGES
 *
 * A collection is one ordered list: channels, or succeeded messages oldest first (newest first with the filter's
 * "reverse"; pending and failed ones stay in the order they were written), or results of a search, the newest or the
 * best one first. A message collection has two more lists, "pending" and "failed" messages of this user. A change
 * event carries
 *
 *   "collection"  its number (sm_collection_number())
 *   "list"        "channels" | "succeeded" | "pending" | "failed" | "results"
 *   "action"      "insert" | "update" | "move" | "remove" | "clear"
 *   "source"      why: "cache", "sync", "message_fill" (missed while away), "message_changelog", "channel_changelog",
 *                 "channel_refresh", "capacity" (trimmed), "overflow", "viewpoint_reset", "cache_cleared",
 *                 "local_message_pending_created" | "..._failed" | "..._canceled" | "..._resend_started",
 *                 "local_action" (an optimistic action of sm_call() is shown, or taken back), or "event_...": a
 *                 realtime event, docs/events.md lists them. More may come; treat an unknown one as "sync"
 *   "from_event"  true when "source" begins with "event_", but for "event_poll_changelog"
 *   "detail"      only when there is something to say: what happened in particular, a list of objects, each with
 *                 "event" (a source, as above) and facts as docs/events.md lists them: who joined, until when
 *   "reason"      only for the failed list, why: "none", "update_resend_failed" (an update: with the new code and
 *                 count), "remove_resend_succeeded", "remove_retention_expired", "remove_exceeded_max_count",
 *                 "remove_manual_action", "remove_unknown" (an edit took it out of the filter, or "none" keeps no
 *                 failed messages)
 *   "changes"     a list, empty for clear, to be applied in order: {"index","id"} for insert, update and remove,
 *                 {"from","to","id"} for move: take the element out at "from", then put it in at "to"
 *   "channels", "messages" or "results"   the new content of each change, in the same order (not for remove and clear)
 *
 * A host that only applies the changes, in order, always shows the right view: every index is valid at the moment it is
 * applied, and the outcome equals sm_collection_snapshot() after the same event. Ids are texts in "changes", since not
 * every host keeps 64 bits: message ids, channel URLs, request ids for pending and failed messages, and for results the
 * channel's URL, a slash and the message's id.
 *
 * Own messages in "pending" and "failed" are what the host gave plus "message_id" (0), "request_id", "channel_url",
 * "type", "created_at" (this machine's clock), "user", "status" ("pending" | "failed") and, when failed, "error_code",
 * "retry_count" and "resendable" (whether sending it again may help). A message that has failed once stays in "failed"
 * until it is sent or given up: an `update` with the status "pending" says that it is being sent again. With
 * "send_by_rest" a message may have the status "sent", with its "message_id": the service has it, and the next session
 * brings it. Both lists obey the collection's filter. All other channels and messages are the service's objects, with
 * the fields it sent.
 *
 * A channel whose members are typing has them in "typing_members" (user objects, who began first comes first): for ten
 * seconds after the service last said so, or until it says they stopped or their message comes. The connected user is
 * left out. It is not cached; a new process knows of nobody.
 *
 * A channel in which the user has written something and not sent it (action "set_draft") has it in "draft", and what
 * was written in its threads in "thread_drafts". A draft outlives the process, and goes with the message that is sent.
 *
 *
 * THREADS
 *
 *   @thread any             may be called from any thread, also from several at once, and from callbacks
 *   @thread owner           one thread at a time: the one that drains the queue
 *
 * No call waits for disk or network except sm_setup() (opens the cache), sm_close() (finishes and joins) and those that
 * wait for events: a thread in sm_next_event() or sm_dispatch() that has 50 ms or more left to wait does the engine's
 * work in the meantime, so that what it waits for needs no other thread; a piece of work that it has begun (a page, a
 * commit) may outlast sm_interrupt(). With less time, and while no thread waits, the library's thread does it.
 * A call that would wait for the callback it is made from gives SM_ERR_REENTRANT.
 *
 *
 * ENVIRONMENT
 *
 * The library starts one thread per client and one for the network in all ("sm-engine", "sm-network"), one more per
 * client with thread delivery ("sm-delivery"), and one for each file while it is sent, received or exported
 * ("sm-file"). All signals are blocked in them. It leaves signal handlers, the locale and the environment alone,
 * registers no atexit handler, and opens its descriptors close-on-exec (libcurl before 8.9 opens two sockets, by which
 * it wakes itself, without that). SIGPIPE is not raised. It cannot be unloaded (-z nodelete). In a child after fork()
 * every call that can fail gives SM_ERR_FORKED.
 * The first connection of a process loads libcurl (libcurl.so.4) with all that is behind it, on the network thread; a
 * program that stays offline never does. Meanwhile, some milliseconds, fork() waits for it (2 s at most). Constructors
 * and destructors of libraries must not call this one: they hold the dynamic loader's lock, for which sm_close() may
 * wait. A host that locks itself in (chroot, seccomp) waits for the result of its first sm_connect(), or keeps libcurl
 * in reach; every connection needs /etc/ssl and what name lookups read.
 * One client at a time has the files of a user (of one app): a second one, in this process or another, gets
 * SM_ERR_LOCKED with the owner's pid. Several users may share a data_dir.
 *
 *
 * LIMITS
 *
 * What a host does not drain does not grow without bound. At most "queue_limit" events wait, and about 32 MiB of the
 * objects, rows and values in them; beyond either changes of collections are dropped (`overflow`), "sync_progress" and
 * "cache_trimmed" are left out, and of "connection", "sync_state", "unread_counts", "token_needed", "storage_error",
 * "huge_gap", "channel_removed", "database_token_needed" and "database_value" of one place only the latest of each
 * waits. Of "cache_full" and "search_progress", and of "upload_progress", "download_progress" and "export_progress" of
 * one file, only the latest waits, and "cache_trimmed" of one channel is summed up while it waits. Of
 * "message_received" 16 wait at most, and no more than a quarter of "queue_limit"; the others wait in the file, the
 * newest 100 of each channel and 10,000 of all: older ones are let go.
 * A call that completes later takes a slot when it is accepted and frees it when its result is drained; a call without
 * a result takes one until the engine has seen it. There are as many slots as "queue_limit", but at least 1000, since a
 * host that wants short queues may still send a burst. The texts of the calls that hold slots have 64 MiB together at
 * most, those of collections not counted. When there is no room calls give SM_ERR_TOO_MANY_CALLS: drain, and call
 * again. sm_close(), sm_collection_remove() and sm_disconnect() never take a slot, and one slot more is there for
 * sm_sign_out().
 *
 * What a service answers does not grow without bound either: the body of one answer has 64 MiB at most, unpacked, and
 * those of all answers to one client that are under way or not worked in yet have 128 MiB together. Beyond it a call
 * completes with SM_ERR_TOO_LARGE and a message that names the limit. A call that has ended keeps nothing of an answer.
 * A place of the database that is listened to may take 64 MiB; beyond it "database_listen_ended" is told. A document,
 * of the service or of the host, has at most 2,000,000 values: members of its objects and elements of its arrays.
 *
 *
 * MEMORY AND TEXT
 *
 * Every text in is UTF-8, ends with NUL, is at most 16 MiB, is checked, and is copied before the call returns.
 * Outputs come last, as pointers, are untouched on failure, and may be NULL where the comment says so.
 * A user_data comes with an optional destroy function, called exactly once when the library will not use user_data any
 * more: after the callback of a call ran, when a callback is replaced, at removal or close - also when the call that
 * took it fails. It is called on the thread that drains, when a result was delivered or a callback in use is replaced
 * or removed; else on the thread that replaces, removes or closes, or whose call fails.
 */
#ifndef SYNCMANAGER_H
#define SYNCMANAGER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The one place where the version is written: the build reads it from here. */
#define SM_VERSION_MAJOR 0
#define SM_VERSION_MINOR 1
#define SM_VERSION_PATCH 0
#define SM_MAKE_VERSION(major, minor) (((major) << 16) | (minor))
#define SM_API_VERSION SM_MAKE_VERSION(SM_VERSION_MAJOR, SM_VERSION_MINOR)

/* What is declared here is exported, and nothing else is. */
#if defined(__GNUC__)
#define SM_EXPORT __attribute__((visibility("default")))
#else
#define SM_EXPORT
#endif

/* Opaque handles. A stale or foreign handle gives SM_ERR_INVALID_HANDLE, never undefined behaviour. */
typedef struct sm_client sm_client;
typedef struct sm_collection sm_collection;

/* Status of every call: 0 is success, negative an error. A number is never reused. */
enum {
    SM_OK = 0,
    SM_ERR_INVALID_ARGUMENT = -1,   /* a NULL, a number out of range, a text that is not UTF-8 or too long */
    SM_ERR_INVALID_HANDLE = -2,     /* no live handle of that kind */
    SM_ERR_INVALID_DOCUMENT = -3,   /* not JSON, an unknown key, a wrong type; sm_last_error() has the path */
    SM_ERR_CLOSED = -4,             /* the client is closing, or closed before the call was done */
    SM_ERR_REENTRANT = -5,          /* would wait for the callback it is called from */
    SM_ERR_FORKED = -6,             /* this process is a fork of the one that called sm_setup() */
    SM_ERR_DUPLICATED_FETCH = -7,   /* a fetch in that direction is in flight */
    SM_ERR_LOCKED = -8,             /* another client, in this process or another, has this user's files */
    SM_ERR_STORAGE = -9,            /* the data directory cannot be made, read or written, or is full */
    SM_ERR_NEWER_SCHEMA = -10,      /* a later version of the library wrote the files */
    SM_ERR_CORRUPT_INTENTS = -11,   /* the outbox file is damaged, or empty though it was used; it is left as it is */
    SM_ERR_NOT_CONNECTED = -12,     /* the call needs a connection and there is none */
    SM_ERR_NETWORK = -13,           /* the service did not answer */
    SM_ERR_SERVICE = -14,           /* the service refused; "code" and "message" are its own */
    SM_ERR_TIMEOUT = -15,           /* nothing came within the call's deadline */
    SM_ERR_NOT_FOUND = -16,         /* no such channel or message */
    SM_ERR_NOT_OWN_MESSAGE = -17,   /* only messages of this user can be changed */
    SM_ERR_REMOVED = -18,           /* the collection was removed, or the message given up, before the call was done */
    SM_ERR_TOKEN_REJECTED = -19,    /* the access token is missing, wrong or revoked */
    SM_ERR_BUSY = -20,              /* another thread is draining this client's queue */
    SM_ERR_TOO_MANY_CALLS = -21,    /* too many calls wait to be done or drained, see LIMITS; most calls may give it */
    SM_ERR_CANCELED = -22,          /* the host canceled the call; what the service was asked it may still do */
    SM_ERR_TOO_LARGE = -23,         /* the service's answer is larger than is taken, see LIMITS */
    SM_ERR_WRONG_KEY = -24,         /* the key does not open this user's files, is missing, or they are not encrypted */
    SM_ERR_NO_ENCRYPTION = -25,     /* a key was given, and there is no library that can use it (SQLCipher 4.6) */
    SM_ERR_INTERNAL = -99           /* no thread or descriptor is left, or a fault of the library: report that */
};

/* Directions of sm_fetch(). */
enum { SM_PREVIOUS = 1, SM_NEXT = 2 };

/* Levels of the log. */
enum { SM_LOG_NONE = 0, SM_LOG_ERROR = 1, SM_LOG_WARNING = 2, SM_LOG_INFO = 3, SM_LOG_DEBUG = 4 };

/* Newest point of a channel, as a viewpoint. */
#define SM_LATEST INT64_MAX

/* Told of an event. `json` is NUL-terminated, `length` bytes long without the NUL, and valid during the call. */
typedef void (*sm_event_callback)(void *user_data, const char *json, size_t length);
/* Told that a call is complete: `status` is SM_OK or an error, `json` the whole result event. */
typedef void (*sm_result_callback)(void *user_data, int32_t status, const char *json, size_t length);
typedef void (*sm_destroy_callback)(void *user_data);
/* Told a line of the log, one at a time. No sm_ function may be called from it. Any thread. */
typedef void (*sm_log_callback)(void *user_data, int32_t level, const char *line);

/* ---- Library ------------------------------------------------------------------------------------------------ */

/* SM_API_VERSION of the library that is loaded. Same major: compatible. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_api_version(void);

/* "0.1.0", static. @thread any. Since 0.1 */
SM_EXPORT const char *sm_version_string(void);

/* "SM_ERR_CLOSED" for -4, "SM_OK" for 0, "SM_ERR_UNKNOWN" for what is none; static. @thread any. Since 0.1 */
SM_EXPORT const char *sm_status_name(int32_t status);

/* The last error of this thread as JSON: {"code":-3,"name":"SM_ERR_INVALID_DOCUMENT","message":"...","path":"$.limit"}.
 * Borrowed until the next sm_ call on this thread. "null" when there was none; success does not clear it.
 * @thread any. Since 0.1 */
SM_EXPORT const char *sm_last_error(void);

/* Frees a text that a comment calls owned. NULL is ignored. @thread any. Since 0.1 */
SM_EXPORT void sm_string_free(char *text);

/* Sends the log of the whole process to `callback` up to `level`; NULL ends it. Lines hold no message text, no name and
 * no token. When it returns, the callback that was there before runs no more; so the host must hold no lock that this
 * callback takes. Errors: INVALID_ARGUMENT, REENTRANT (from the callback). @thread any. Since 0.1 */
SM_EXPORT int32_t sm_set_log(int32_t level, sm_log_callback callback, void *user_data);

/* ---- Client ------------------------------------------------------------------------------------------------- */

/* Opens the cache of one user and starts the engine; needs no connection. `config` is a JSON object:
 *   "app_id", "user_id"      required; "app_id" without control characters. With Matrix "app_id" may be left out
 *   "data_dir"               default: $XDG_STATE_HOME/syncmanager or ~/.local/state/syncmanager; a user's files are in
 *                            APP/USER below it. A relative path is one of the working directory during sm_setup()
 *   "cache"                  "file" (default) or "none": cache and outbox are in memory, nothing of them is ever on the
 *                            disk, and "data_dir" is not used. sm_close(), a kill or the end of the process then lose
 *                            MESSAGES THAT WAIT TO BE SENT OR HAVE FAILED, DRAFTS, and writes to the database that are
 *                            on their way. Two such clients of one user are separate (docs/cache.md)
 *   "access_token"           without control characters; may come later by sm_set_token()
 *   "service"                "sendbird" (default) or "matrix", which is in the making (docs/matrix.md)
 *   "api_host"               default: the service's own for the app; begins with "http://" or "https://". With Matrix
 *                            the homeserver, and required
 *   "ws_host"                the same for the socket; begins with "ws://" or "wss://", as "ws://127.0.0.1:8080"
 *   "ca_file"                PEM file of trusted roots, default: the system's
 *   "delivery"               "host" (default) or "thread"
 *   "notify"                 "none" (default), "mentions" or "all": which messages of others `message_received` tells
 *   "queue_limit"            events that may wait, 16..1000000, default 1000
 *   "message_collection_capacity"  messages a collection holds, 200..1000000 or "infinite", default 1000; unless
 *                            "infinite", with 32 KiB of JSON for each, all of them together, or one page. The same of
 *                            a search's results, beyond those that were fetched
 *   "resend_policy"          "automatic" (default): failed messages are sent again when that can help;
 *                            "manual": only by {"resend"}; "none": a failed message is not kept
 *   "resend_retry_count"     1..50, default 10
 *   "failed_retention_days"  1..365, default 7; older failed messages are dropped
 *   "max_failed_per_channel" 1..1000000 or "infinite", default 1000; the oldest failed messages beyond are dropped.
 *                            What sm_setup() itself drops is told by no event
 *   "request_timeout_ms"     1000..120000, default 10000
 *   "file_timeout_ms"        1000..600000, default 30000: without progress of a file that is sent or received
 *   "uploads_at_once"        1..16, default 2: messages whose files are sent at once, over all channels; the files of
 *                            one message go one after the other
 *   "send_by_rest"           true: while a lost connection is made again, messages are sent by requests; default
 *                            false, since no source says that the service knows a repeat by the other way
 *                            (docs/dev/wire.md)
 *   "background_grace_ms"    0..3600000, default 5000: see sm_set_foreground()
 *   "max_cache_mb"           64..1048576 (MiB of the rows of cached messages) or "infinite", the default until 1.0
 *                            (with "cache":"none": 256). Over it messages go while the user is logged in: of the
 *                            channels that were used longest ago, from the oldest on, the newest 200 of each channel
 *                            last (docs/cache.md)
 *   "max_message_age_days"   1..36500 or "infinite", the default: older messages leave the cache while the user is
 *                            logged in, but for those of a channel with an open collection, and are not brought by
 *                            background sync. The service keeps them, and a fetch brings them
 *   "cache_order"            which channels lose messages first: "last_opened" (default: those used longest ago) or
 *                            "host": those that the host names, see the event `cache_full`
 *   "prefetch"               {"channels": 1..10000 or "all", "messages": 1..10000}: after each login so many of the
 *                            newest messages of the first channels by last message are cached, whether a collection
 *                            shows them or not, behind what the host asks for (docs/cache.md); they come in pages of
 *                            100, so at least as many; default: only what collections show
 *   "search"                 true: cached messages are indexed behind all other work, for sm_search_collection_new();
 *                            default false, which removes an index that there is (docs/search.md)
 *   "encryption_key"         64 hexadecimal digits: this user's files are encrypted with it (docs/encryption.md). A new
 *                            directory is; one that is plain needs the action `encrypt` first
 *   "encryption_passphrase"  the same with a text, of which the key is derived, 0.1 s at each opening. One of both, and
 *                            neither has an effect with "cache":"none"
 *   "app_version"            of the host's program, for the service's records
 *   "expiring_session"       true: the service gives session keys that run out, since the host answers `token_needed`;
 *                            default false. A key that ran out is renewed by itself while the access token is good
 *   "database"               the realtime database (docs/database.md): {"url": "https://name.example", "name",
 *                            "token"}; "name" where a host has several, "token" is what it knows this user by. It is
 *                            a service beside the chat's, used from here on without sm_connect(); see sm_call()
 * Errors: INVALID_ARGUMENT, INVALID_DOCUMENT, LOCKED, STORAGE, NEWER_SCHEMA, CORRUPT_INTENTS, WRONG_KEY,
 * NO_ENCRYPTION. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_setup(const char *config, sm_client **out);

/* Connects and stays connected: after a loss it tries again by itself, with growing pauses, as often as the service
 * allows; then the state is "disconnected" until the next sm_connect(). Completes at the first login, or when the first
 * attempt failed: TOKEN_REJECTED (see sm_set_token()), SERVICE or NETWORK with "code" and "message", CANCELED by the
 * action "cancel" (trying goes on after these three), CLOSED (sm_disconnect() came first). Without `callback` the
 * result goes to the client's callback. `out_request` (may be NULL) gets the number in that event; a thread that drains
 * meanwhile may see the result before. Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_connect(
    sm_client *client, sm_result_callback callback, void *user_data, sm_destroy_callback destroy,
    uint64_t *out_request);

/* Closes the connection and stays offline; the cache and the collections stay. Errors: INVALID_HANDLE, CLOSED.
 * @thread any. Since 0.1 */
SM_EXPORT int32_t sm_disconnect(sm_client *client);

/* Lets background sync run (it does from the start) or pause. Realtime events are delivered either way.
 * Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_resume_sync(sm_client *client);
SM_EXPORT int32_t sm_pause_sync(sm_client *client);

/* A new access token, without control characters, the answer to `token_needed`: in that state the library connects with
 * it at once, else at its next attempt. There is no new result for it, see `connection`.
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_set_token(sm_client *client, const char *access_token);

/* Whether the host's program is in the foreground (1, as at the start) or not (0). In the background the connection
 * closes after "background_grace_ms", so that what is under way may end, and nothing is tried; the state is
 * "disconnected", what sm_send_message() takes waits as it does offline, and a sm_connect() waits, too. Back in the
 * foreground it connects at once if it was to be connected, without the pauses of earlier attempts, and what was missed
 * comes. sm_disconnect() is not undone. Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_set_foreground(sm_client *client, int32_t is_foreground);

/* The user leaves this machine: disconnects, forgets the token, and removes all that is kept of the user: channels,
 * messages, unsent messages (their sends complete with REMOVED), files set aside. Other users in the data_dir stay.
 * Calls that were made before and have not begun are dropped where nothing would be left of them: own messages complete
 * with REMOVED, the database's actions, operations on resources and sm_clear_cache() with CANCELED, actions that need a
 * login with NOT_CONNECTED.
 * Collections get `clear`, or `remove` for own messages; the URL of a channel that has one stays until sm_close().
 * Completes when all is gone from the files, or with STORAGE and a "message": call again. That is so, too, while
 * another process reads one of the files in a transaction, which is waited for a quarter of a second.
 * The client goes on with an empty cache: sm_set_token() and sm_connect() log the same user in again, sm_close() and
 * sm_setup() another one.
 * Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_sign_out(
    sm_client *client, sm_result_callback callback, void *user_data, sm_destroy_callback destroy,
    uint64_t *out_request);

/* Removes cached messages of one channel, or of all with NULL, and then also what the database told; their collections
 * get `clear` of the succeeded list, and fetches in flight end with "short":"reset". Unsent messages stay. Completes
 * when they are gone; the file keeps its size and uses the space again. Completion: STORAGE, CANCELED (sm_sign_out()
 * was called before it had begun). Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_clear_cache(
    sm_client *client, const char *channel_url, sm_result_callback callback, void *user_data,
    sm_destroy_callback destroy, uint64_t *out_request);

/* Ends the client: refuses new calls, completes every outstanding one with SM_ERR_CLOSED, joins the client's threads,
 * frees all its handles. It waits for the piece of work in hand; of what was called before and not begun only own
 * messages and writes to the database are still stored, all of them or (STORAGE) none, and no list is told of them;
 * the rest is not done. What is still queued, these results and `closed` go to callbacks on this thread, with thread
 * delivery too; so hold no lock that a callback takes. A host that pulls with sm_next_event() sees none of it: after
 * sm_close() every call counts as closed. While another thread closes, it returns at once with SM_ERR_CLOSED as last
 * error. NULL is ignored. From a callback of this client it does nothing but set SM_ERR_REENTRANT as last error.
 * @thread any, outside callbacks. Since 0.1 */
SM_EXPORT void sm_close(sm_client *client);

/* ---- Events ------------------------------------------------------------------------------------------------- */

/* A descriptor that is readable while events wait; owned by the client, valid until sm_close(). Negative: an error
 * (INVALID_HANDLE, CLOSED). @thread any. Since 0.1 */
SM_EXPORT int32_t sm_get_fd(sm_client *client);

/* Takes the next event, waiting up to `timeout_ms` (0: not at all, negative: for ever). On success `*json` is the
 * event, borrowed until the next sm_next_event(), sm_dispatch() or sm_close() on this client; `*json` is NULL when none
 * came or sm_interrupt() ended the wait. `out_length` may be NULL. A result taken this way does not run its callback.
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED, REENTRANT, BUSY. @thread owner. Since 0.1 */
SM_EXPORT int32_t sm_next_event(sm_client *client, int32_t timeout_ms, const char **json, size_t *out_length);

/* Waits up to `timeout_ms` for the first event, then runs the callbacks of up to `max_events` (0: all that wait, but at
 * most 1000) on this thread. An event nobody registered for is dropped. Returns how many were taken, 0 on timeout or
 * interrupt, or an error: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED, REENTRANT, BUSY. @thread owner. Since 0.1 */
SM_EXPORT int32_t sm_dispatch(sm_client *client, int32_t max_events, int32_t timeout_ms);

/* Ends a waiting sm_next_event() or sm_dispatch(), or the next one if none waits. Signals do not end them, and a signal
 * handler may call no function of this library: let it set a flag, or write to a pipe polled beside sm_get_fd().
 * Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_interrupt(sm_client *client);

/* Who hears events that belong to no collection, results of calls without a callback (of sm_fetch(), too), and events
 * of collections without a callback of their own. NULL ends it. Errors: INVALID_HANDLE, CLOSED. @thread any.
 * Since 0.1 */
SM_EXPORT int32_t sm_set_callback(
    sm_client *client, sm_event_callback callback, void *user_data, sm_destroy_callback destroy);

/* ---- Collections -------------------------------------------------------------------------------------------- */

/* A list of channels. `query` is a JSON object (docs/queries.md) or NULL for the default: "limit" (1..100, default 20),
 * "order" and the filters. Empty until the first sm_fetch(SM_NEXT).
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_channel_collection_new(sm_client *client, const char *query, sm_collection **out);

/* The messages of a channel around `viewpoint` (ms since the epoch; 0: the oldest; SM_LATEST: the newest). `filter` is
 * a JSON object (docs/queries.md) or NULL: page sizes, types, senders, replies, the order ("reverse": newest first),
 * and what is left out of what is told. With "parent_message_id" it is a thread: the replies to that message, and
 * `parent_updated` and `parent_removed` tell of the message itself. Background sync of what it shows starts. A channel
 * that turns out not to exist gives `channel_removed`. Own messages that are pending or failed come at once as inserts,
 * before any fetch; with "own_messages":"on_fetch" those from before wait for sm_fetch_pending() and sm_fetch_failed().
 * With thread delivery events may come before sm_collection_set_callback(): they go to the client's callback, and the
 * snapshot has them.
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_message_collection_new(
    sm_client *client, const char *channel_url, const char *filter, int64_t viewpoint, sm_collection **out);

/* The same for a channel that is in the cache: what an offline start opens by its URL alone. `*out` is made at once and
 * completes with "collection" and "channel" (the channel's object), after own messages were inserted; or with NOT_FOUND
 * when that channel is not cached, and then nothing is opened: fetches of it give REMOVED, and sm_collection_remove()
 * is all that is left to do. Completion also: STORAGE (the same holds), CLOSED. A refused call makes no collection.
 * Errors as sm_message_collection_new(). @thread any. Since 0.1 */
SM_EXPORT int32_t sm_message_collection_open(
    sm_client *client, const char *channel_url, const char *filter, int64_t viewpoint, sm_result_callback callback,
    void *user_data, sm_destroy_callback destroy, uint64_t *out_request, sm_collection **out);

/* The cached messages that have what is looked for; needs "search":true in the configuration. `query` is a JSON object
 * (docs/search.md): "query" (required: words, "phrases", a beginning*), "prefix" (whether the last word may go on; true
 * by default), "channel_urls", "sender_ids", "message_type", "custom_types", "since" and "until" (ms since the epoch,
 * both included), "order" ("newest" | "relevance") and "limit" (1..200, default 20). Its list is "results": each with
 * "channel_url", "message" and "snippet", and the id `channel_url/message_id`. Empty until the first sm_fetch(SM_NEXT);
 * then it is live: what is received, edited, deleted or removed from the cache moves in and out. No service is asked,
 * and no connection is needed; the action "search_messages" lets the service search all it has.
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT (search is off), INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_search_collection_new(sm_client *client, const char *query, sm_collection **out);

/* The number of the collection in events; 0 for no live handle. @thread any. Since 0.1 */
SM_EXPORT uint64_t sm_collection_number(sm_collection *collection);

/* Who hears the events of this collection. NULL ends it. Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_collection_set_callback(
    sm_collection *collection, sm_event_callback callback, void *user_data, sm_destroy_callback destroy);

/* Loads a page (the "limit" of query or filter): SM_NEXT for channels and results; SM_PREVIOUS (older, up to and
 * including the viewpoint) or SM_NEXT (newer) for messages. What is cached is inserted at once, the rest as sync brings
 * it; the result comes last, with "collection", "has_more" and, when nothing more can come for now, "short": "offline"
 * | "paused" | "error" | "reset" (the view or its cache was emptied) | "indexing" (of a search: not all that is cached
 * is indexed yet). A short page is SM_OK. A list that shows nothing after "offline", "paused" or "error" gets its page
 * without another fetch once the service can be asked. Nothing left: no insert, only the result. The next fetch in a
 * direction is accepted once the result of the one before is drained, and that of every sm_collection_start(): until
 * then it is refused (DUPLICATED_FETCH). While the account is listed for the first time, channels that become known
 * before a list's end remove as many from its end.
 * A fetch ends after three request timeouts at the latest: of messages with TIMEOUT, of channels with what the cache
 * has, both with "short":"error". Completion: TIMEOUT, CANCELED (by the action "cancel", with what was inserted so
 * far), STORAGE, NOT_FOUND (the channel is gone), REMOVED, CLOSED.
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT, DUPLICATED_FETCH, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_fetch(
    sm_collection *collection, int32_t direction, sm_result_callback callback, void *user_data,
    sm_destroy_callback destroy, uint64_t *out_request);

/* Loads every message that is newer than what is shown: inserts page by page, from the cache and as sync brings them,
 * until the newest is shown; beyond the capacity the oldest leave. Counts as a fetch in direction SM_NEXT. The result
 * comes last, as that of sm_fetch(); "has_more" is false then, unless "short" says why not. TIMEOUT counts from the
 * last insert. Completion and errors as sm_fetch(). @thread any. Since 0.1 */
SM_EXPORT int32_t sm_fetch_all_next(
    sm_collection *collection, sm_result_callback callback, void *user_data, sm_destroy_callback destroy,
    uint64_t *out_request);

/* Inserts what the list of failed, or of pending, messages does not show of what is stored: what a filter with
 * "own_messages":"on_fetch" held back when the collection was opened. Without that key there is nothing to insert. What
 * fails, or is sent, while the collection is open is shown in any case. Completes with "count", how many were inserted.
 * Completion: STORAGE, REMOVED, CLOSED. Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_fetch_failed(
    sm_collection *collection, sm_result_callback callback, void *user_data, sm_destroy_callback destroy,
    uint64_t *out_request);
SM_EXPORT int32_t sm_fetch_pending(
    sm_collection *collection, sm_result_callback callback, void *user_data, sm_destroy_callback destroy,
    uint64_t *out_request);

/* Opens a message collection on the page around its viewpoint ("previous_limit" older and "next_limit" newer messages):
 * what is cached is inserted at once, also when it stands elsewhere because nothing is cached about the viewpoint, and
 * `cache_shown` follows. Then the service is asked, whatever is cached, and its page comes as changes of what is shown.
 * The result comes last, with "collection", "has_previous", "has_next" and "short" as of sm_fetch(). Of a collection
 * that was fetched already, the page is asked for again and nothing is inserted from the cache. sm_fetch() goes on from
 * there. Completion: DUPLICATED_FETCH (a fetch or a start is in flight), else as sm_fetch(). Errors: INVALID_HANDLE,
 * CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_collection_start(
    sm_collection *collection, sm_result_callback callback, void *user_data, sm_destroy_callback destroy,
    uint64_t *out_request);

/* Empties the view of a message collection (`clear`) and moves it to another viewpoint; fetch again afterwards. A fetch
 * in flight completes with "short":"reset". Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_reset_viewpoint(sm_collection *collection, int64_t viewpoint);

/* What the host has been told so far, as JSON: "collection", "kind" ("channels" | "messages" | "search"), "count",
 * "has_next", and "query" (as given) and "limit" (of a fetch; the action "set_limit" changes it); or for messages
 * "filter" (as given), "channel_url", "pending_count", "failed_count", "has_previous", "viewpoint", "previous_limit",
 * "next_limit" and, when it is known, "channel": the channel's object, from the first result or change of sent messages
 * on, and kept current. "has_previous" and "has_next": a fetch may bring more. What was left may be gone meanwhile;
 * then the next fetch brings nothing and finds that out. Of streams see sm_stream_open().
 * Owned: sm_string_free(). Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_collection_info(sm_collection *collection, char **out_json);

/* The lists as they stand after every event drained so far: {"seq":N,"channels":[...]}, {"seq":N,"results":[...]} or
 * {"seq":N,"succeeded":[...],"pending":[...],"failed":[...]}. Owned: sm_string_free(). Errors as sm_collection_info().
 * @thread any. Since 0.1 */
SM_EXPORT int32_t sm_collection_snapshot(sm_collection *collection, char **out_json);

/* Whether what the host has been told so far includes a channel (`id` is its URL), a sent message (`id` is its message
 * id, as a text), a result (channel's URL, slash, message's id) or a stream's row (`id` is its key): 1 or 0, or an
 * error: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. Pending and failed messages do not count. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_collection_contains(sm_collection *collection, const char *id);

/* Ends the collection: after it returned no event callback of it starts (called from another thread it waits for a
 * running one, so the host must hold no lock that callback takes). Its fetches complete with SM_ERR_REMOVED; sends,
 * edits and deletions go on and complete as usual. Result callbacks of all these still run afterwards: free what they
 * use in their destroy function. NULL is ignored. @thread any. Since 0.1 */
SM_EXPORT void sm_collection_remove(sm_collection *collection);

/* ---- Streams ------------------------------------------------------------------------------------------------- */

/* Says something about a row of a stream: `key`, and its `item` as JSON, NUL-terminated, `length` bytes long without
 * the NUL, both valid during the call. For the predicate "$host": anything but 0 shows the row. For the rule "$host" of
 * a partition: the section, counted from 0; a row of any other number is not shown. The answer for the same row must be
 * the same until the predicate is set again. Called on whichever thread runs the engine, one call at a time per client,
 * and everything of the client waits for it: it must return soon, and must call no sm_ function. */
typedef int32_t (*sm_stream_function)(void *user_data, const char *key, const char *item, size_t length);

/* A stream: a list of rows of any source, sorted, filtered, limited, perhaps in sections, told in batches. `spec` is a
 * JSON object (docs/streams.md): "source" ("transient" | {"channels":query} | {"messages":{...}} |
 * {"database":{"path",...}} | {"union":[numbers]} | {"partition":{...}}), "order_by", "descending", "start", "end",
 * "limit", "predicate", "limit_after_predicate", "batch_delay", "batch_max_wait", "delivery", "section". A database is
 * refused when the configuration names none.
 *
 * It is a collection: its number, callback, info, snapshot and removal are those of collections; other functions of
 * collections give INVALID_HANDLE. Loading begins at once. Its events carry "collection" and
 *
 *   stream_batch        "deleted", "added", "moved", "changed": lists of rows {"path":[section,row],"key","item"};
 *                       those deleted have no item and their path before the batch, moved ones also "from", every
 *                       other path is that after it. To replay: take out what is deleted and what moved, from the end
 *                       on; put in what is added and what moved, in the order of the paths; replace what changed. With
 *                       "reset":true the list begins again, empty (after `overflow`)
 *   stream_loaded       once, after the first batch: "status" and, when it is not SM_OK, "message"
 *   stream_will_change, stream_deleted, stream_added, stream_changed ("rows"), stream_did_change
 *                       with "delivery":"delegate" instead of stream_batch: a row that moved is deleted and added
 *
 * sm_collection_info(): "kind" ("stream"), "source", "count", "loaded", "sections" ({"title","count"}), "stream" (the
 * spec). sm_collection_snapshot(): {"seq":N,"sections":[{"title","rows":[{"key","item"}]}]}.
 * A stream that others are made of may be removed; they keep its rows.
 *
 * `function` may be NULL when the spec does not ask for it; `destroy` is called when `function` will not be called any
 * more: on the thread that runs the engine, or, without a function or on failure, before this returns.
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_stream_open(
    sm_client *client, const char *spec, sm_stream_function function, void *user_data, sm_destroy_callback destroy,
    sm_collection **out);

/* Asks something of a stream. `request` is a JSON object (docs/streams.md) with "action":
 *   "set_predicate" ("predicate"), "set_limit" ("limit_after_predicate"), null ends either
 *   "fetch_more" ("count", "direction", "start"): completes with "result" {"has_more", "short"}
 *   of a transient stream: "add" ("rows": [{"key","item"}]), "remove" ("keys"), "reset" ("rows")
 *   "find" ("key"), "item" ("path"), "first_after" and "last_before" ("key", "item"): completes with the row as
 *   "result", or null; "slice" ("section", "from", "count"): with a list of rows
 * An unknown key, and an action that streams of this kind do not take, are refused. What changes the list completes
 * behind the batch that shows it; what looks at it answers as the events before its result left it.
 * Completion: DUPLICATED_FETCH, TIMEOUT, CANCELED, SERVICE (fetch_more: the service refused the rows, "message" is its
 * own), INVALID_ARGUMENT, NOT_FOUND, STORAGE, REMOVED, CLOSED.
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_stream_call(
    sm_collection *stream, const char *request, sm_result_callback callback, void *user_data,
    sm_destroy_callback destroy, uint64_t *out_request);

/* ---- Own messages ------------------------------------------------------------------------------------------- */

/* Sends a message through the library. `message` is a JSON object: "message" (the text; required unless there is a
 * file; the document is at most 16 MiB), "data", "custom_type", "mention_type" ("users" | "channel"),
 * "mentioned_user_ids", "parent_message_id" (an id; through the collection of a thread the thread's, unless given),
 * "reply_to_channel", "sorted_metaarray" (a list of {"key","value":[texts]}), "silent", "push_option" ("default" |
 * "suppress"), "pin_message", "target_langs" (to translate it to), "poll_id" (an id; the action "create_poll" makes
 * one), "mentioned_message_template", "extended_message_payload" (an object), "apple_critical_alert_options" ({"name",
 * "volume": 0 to 1}), "request_id" (default: a fresh one). With {"resend":"REQUEST_ID"} a failed message is sent again.
 * "file" makes it a file message, "files" one of up to 30 files (docs/files.md). Each has either "path" (absolute; the
 * library uploads the file, and tells `upload_progress`) or "url" (with "size"), and may have "name", "type" (the media
 * type, else guessed from the name), "require_auth" and, with a path, "thumbnail_sizes" ([{"width","height"}], 3 at
 * most). What cannot be sent completes the call at once and stores nothing: INVALID_ARGUMENT, with code 800270, for
 * what is no regular file, is empty or cannot be read; TOO_LARGE, with code 800260, for more than the service takes.
 * Texts of a channel go out one at a time, in the order they were written: each waits for the service's answer to the
 * one before, and while one is repeated that a retry can cure, those behind it stay pending. Messages with files of a
 * channel go out in their order; texts overtake them while they are uploaded, unless "wait" is true.
 * The message is on disk before the event `change` of the pending list is delivered; from then on it is sent or visibly
 * failed, after any kill. Under "automatic" it waits for a connection, and so does the call; under the other policies
 * it fails when there is none. With "send_by_rest" a message may go out while the connection is lost. It completes
 * then, and stays in the pending list with the status "sent" until a page of the next session brings it.
 * After three days of waiting it fails. What a login finds waiting, and what is repeated by itself, goes out once
 * channel sync has had its first answer (at once while sync is paused), in the order it was written, and not into a
 * channel that is frozen for this user: there it waits until that ends.
 * Completes after the first attempt: with "request_id" and "message" (the service's object), or with NETWORK, TIMEOUT
 * or SERVICE, "request_id", "code" and "message" (a text). Under "automatic" the library then still repeats what a
 * retry can cure: follow the lists, do not send again yourself. Completion also: INVALID_ARGUMENT ("request_id" is in
 * use), NOT_FOUND (nothing failed to resend), STORAGE, REMOVED (the message was given up, or the collection removed),
 * CANCELED (by the action "cancel", which gives the message up; "message" is the object, with the status "canceled"),
 * TOO_LARGE, CLOSED.
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_send_message(
    sm_collection *collection, const char *message, sm_result_callback callback, void *user_data,
    sm_destroy_callback destroy, uint64_t *out_request);

/* For hosts that send messages themselves. sm_append_message() shows a message in flight: "request_id" and "message"
 * (or "url", "file" or "files" of a file message) are required, all else is shown as it is. With the request id of a
 * failed one, that is sent again. sm_handle_send_response() ends it: with the service's message object, which has that
 * "request_id" (or "req_id"), when `error_code` is 0, else with the object given to append. A message that was never
 * appended is taken in all the same: sent, or failed. Append of the service's object (its "message_id" is not 0) shows
 * one that was sent already. The library never resends such a message by itself; {"resend"} makes it the library's: a
 * text, or files that each have a path or an address. A kill before the response makes it failed. Same events as
 * sm_send_message(). Both complete when stored, with "request_id". Errors: INVALID_HANDLE, INVALID_ARGUMENT,
 * INVALID_DOCUMENT, CLOSED. Completion: STORAGE, NOT_OWN_MESSAGE and REMOVED; INVALID_ARGUMENT (with "message", a text:
 * "request_id" is in use); of response NOT_FOUND (failed, never appended, and the document says nothing but ids).
 * @thread any. Since 0.1 */
SM_EXPORT int32_t sm_append_message(
    sm_collection *collection, const char *message, sm_result_callback callback, void *user_data,
    sm_destroy_callback destroy, uint64_t *out_request);
SM_EXPORT int32_t sm_handle_send_response(
    sm_collection *collection, const char *message, int32_t error_code, sm_result_callback callback, void *user_data,
    sm_destroy_callback destroy, uint64_t *out_request);

/* Tells what the host did by its own means to a sent message of this user, or changes a failed one in place, which
 * does not send it; nobody is asked. `message` is the service's object as it is now, or a JSON object with the
 * "request_id" of a failed one and of "message", "data", "custom_type", "mention_type", "mentioned_user_ids",
 * "parent_message_id", "reply_to_channel" and the other keys of sm_send_message() those to change. The cache and every
 * collection follow, the host's own included. To have the library edit a message there is the action "edit_message".
 * Completes with "message" (the object), or "request_id" for a failed one. Completion: NOT_FOUND (nothing failed under
 * that request id), NOT_OWN_MESSAGE, STORAGE, REMOVED, CLOSED.
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_update_message(
    sm_collection *collection, const char *message, sm_result_callback callback, void *user_data,
    sm_destroy_callback destroy, uint64_t *out_request);

/* Tells that the host deleted a sent message of this user by its own means ("message_id"), or gives up a pending or
 * failed one ("request_id"); no other key is taken. A send that still waits then completes with REMOVED. What is not
 * cached needs no change, and that is SM_OK. To have the library delete a message there is the action
 * "delete_message". Completes with "request_id" if that was given. Errors and completion as sm_update_message().
 * @thread any. Since 0.1 */
SM_EXPORT int32_t sm_delete_message(
    sm_collection *collection, const char *message, sm_result_callback callback, void *user_data,
    sm_destroy_callback destroy, uint64_t *out_request);

/* ---- Actions ------------------------------------------------------------------------------------------------ */

/* Anything else a chat does. `request` is a JSON object with "action" and the keys of that action; docs/actions.md has
 * the table: what each takes, whether it needs a connection, what collections are told of it. Every action also takes
 * "timeout_ms" (1..86400000; default: "request_timeout_ms"). An unknown key is refused. Example:
 * {"action":"add_reaction","channel_url":"c","message_id":"42","key":"heart"}
 * An action that the table calls optimistic (reactions, edits, deletions) is shown at once ("local_action") and stays
 * when the service agrees. When it fails the lists go back to what the service last said, before the result is told.
 * It is not in the cache until then: after a kill nothing is left of it.
 * Completes with "action" and, when the action has one, "result", after the collections were told of the outcome.
 * Completion: NOT_CONNECTED (nothing was sent and nothing is queued), NETWORK, TIMEOUT (whether it was done is not
 * known), CANCELED (by the action "cancel", or by a hook), NOT_FOUND, NOT_OWN_MESSAGE, SERVICE (refused; "code" and
 * "message" are the service's), TOO_LARGE (see LIMITS), STORAGE, TOKEN_REJECTED, CLOSED.
 * Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1 */
SM_EXPORT int32_t sm_call(
    sm_client *client, const char *request, sm_result_callback callback, void *user_data,
    sm_destroy_callback destroy, uint64_t *out_request);

#ifdef __cplusplus
}
#endif

#endif
