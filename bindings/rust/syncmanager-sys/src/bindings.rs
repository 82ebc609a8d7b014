// Written by scripts/rust-bindings from include/syncmanager.h; change the header, not this file.

use core::ffi::c_void;
use std::os::raw::c_char;

pub const SM_VERSION_MAJOR: i32 = 0;
pub const SM_VERSION_MINOR: i32 = 1;
pub const SM_VERSION_PATCH: i32 = 0;
/// The header's version, to be compared with [`sm_api_version`].
pub const SM_API_VERSION: i32 = (SM_VERSION_MAJOR << 16) | SM_VERSION_MINOR;
/// Newest point of a channel, as a viewpoint.
pub const SM_LATEST: i64 = i64::MAX;

pub const SM_OK: i32 = 0;
/// `a NULL, a number out of range, a text that is not UTF-8 or too long`
pub const SM_ERR_INVALID_ARGUMENT: i32 = -1;
/// `no live handle of that kind`
pub const SM_ERR_INVALID_HANDLE: i32 = -2;
/// `not JSON, an unknown key, a wrong type; sm_last_error() has the path`
pub const SM_ERR_INVALID_DOCUMENT: i32 = -3;
/// `the client is closing, or closed before the call was done`
pub const SM_ERR_CLOSED: i32 = -4;
/// `would wait for the callback it is called from`
pub const SM_ERR_REENTRANT: i32 = -5;
/// `this process is a fork of the one that called sm_setup()`
pub const SM_ERR_FORKED: i32 = -6;
/// `a fetch in that direction is in flight`
pub const SM_ERR_DUPLICATED_FETCH: i32 = -7;
/// `another client, in this process or another, has this user's files`
pub const SM_ERR_LOCKED: i32 = -8;
/// `the data directory cannot be made, read or written, or is full`
pub const SM_ERR_STORAGE: i32 = -9;
/// `a later version of the library wrote the files`
pub const SM_ERR_NEWER_SCHEMA: i32 = -10;
/// `the outbox file is damaged, or empty though it was used; it is left as it is`
pub const SM_ERR_CORRUPT_INTENTS: i32 = -11;
/// `the call needs a connection and there is none`
pub const SM_ERR_NOT_CONNECTED: i32 = -12;
/// `the service did not answer`
pub const SM_ERR_NETWORK: i32 = -13;
/// `the service refused; "code" and "message" are its own`
pub const SM_ERR_SERVICE: i32 = -14;
/// `nothing came within the call's deadline`
pub const SM_ERR_TIMEOUT: i32 = -15;
/// `no such channel or message`
pub const SM_ERR_NOT_FOUND: i32 = -16;
/// `only messages of this user can be changed`
pub const SM_ERR_NOT_OWN_MESSAGE: i32 = -17;
/// `the collection was removed, or the message given up, before the call was done`
pub const SM_ERR_REMOVED: i32 = -18;
/// `the access token is missing, wrong or revoked`
pub const SM_ERR_TOKEN_REJECTED: i32 = -19;
/// `another thread is draining this client's queue`
pub const SM_ERR_BUSY: i32 = -20;
/// `too many calls wait to be done or drained, see LIMITS; most calls may give it`
pub const SM_ERR_TOO_MANY_CALLS: i32 = -21;
/// `the host canceled the call; what the service was asked it may still do`
pub const SM_ERR_CANCELED: i32 = -22;
/// `the service's answer is larger than is taken, see LIMITS`
pub const SM_ERR_TOO_LARGE: i32 = -23;
/// `the key does not open this user's files, is missing, or they are not encrypted`
pub const SM_ERR_WRONG_KEY: i32 = -24;
/// `a key was given, and there is no library that can use it (SQLCipher 4.6)`
pub const SM_ERR_NO_ENCRYPTION: i32 = -25;
/// `no thread or descriptor is left, or a fault of the library: report that`
pub const SM_ERR_INTERNAL: i32 = -99;

pub const SM_PREVIOUS: i32 = 1;
pub const SM_NEXT: i32 = 2;

pub const SM_LOG_NONE: i32 = 0;
pub const SM_LOG_ERROR: i32 = 1;
pub const SM_LOG_WARNING: i32 = 2;
pub const SM_LOG_INFO: i32 = 3;
pub const SM_LOG_DEBUG: i32 = 4;

/// An opaque handle: a number dressed as a pointer, which nobody may follow.
#[repr(C)]
pub struct sm_client {
    _opaque: [u8; 0],
    _not_send: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// An opaque handle: a number dressed as a pointer, which nobody may follow.
#[repr(C)]
pub struct sm_collection {
    _opaque: [u8; 0],
    _not_send: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

/// ```text
/// Told of an event. `json` is NUL-terminated, `length` bytes long without the NUL, and valid during the call.
/// ```
pub type sm_event_callback = Option<unsafe extern "C" fn(user_data: *mut c_void, json: *const c_char, length: usize)>;

/// ```text
/// Told that a call is complete: `status` is SM_OK or an error, `json` the whole result event.
/// ```
pub type sm_result_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, status: i32, json: *const c_char, length: usize)>;

pub type sm_destroy_callback = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// ```text
/// Told a line of the log, one at a time. No sm_ function may be called from it. Any thread.
/// ```
pub type sm_log_callback = Option<unsafe extern "C" fn(user_data: *mut c_void, level: i32, line: *const c_char)>;

/// ```text
/// Says something about a row of a stream: `key`, and its `item` as JSON, NUL-terminated, `length` bytes long
/// without
/// the NUL, both valid during the call. For the predicate "$host": anything but 0 shows the row. For the rule
/// "$host" of
/// a partition: the section, counted from 0; a row of any other number is not shown. The answer for the same
/// row must be
/// the same until the predicate is set again. Called on whichever thread runs the engine, one call at a time
/// per client,
/// and everything of the client waits for it: it must return soon, and must call no sm_ function.
/// ```
pub type sm_stream_function =
    Option<unsafe extern "C" fn(user_data: *mut c_void, key: *const c_char, item: *const c_char, length: usize) -> i32>;

extern "C" {
    /// ```text
    /// SM_API_VERSION of the library that is loaded. Same major: compatible. @thread any. Since 0.1
    /// ```
    pub fn sm_api_version() -> i32;

    /// ```text
    /// "0.1.0", static. @thread any. Since 0.1
    /// ```
    pub fn sm_version_string() -> *const c_char;

    /// ```text
    /// "SM_ERR_CLOSED" for -4, "SM_OK" for 0, "SM_ERR_UNKNOWN" for what is none; static. @thread any. Since 0.1
    /// ```
    pub fn sm_status_name(status: i32) -> *const c_char;

    /// ```text
    /// The last error of this thread as JSON:
    /// {"code":-3,"name":"SM_ERR_INVALID_DOCUMENT","message":"...","path":"$.limit"}.
    /// Borrowed until the next sm_ call on this thread. "null" when there was none; success does not clear it.
    /// @thread any. Since 0.1
    /// ```
    pub fn sm_last_error() -> *const c_char;

    /// ```text
    /// Frees a text that a comment calls owned. NULL is ignored. @thread any. Since 0.1
    /// ```
    pub fn sm_string_free(text: *mut c_char);

    /// ```text
    /// Sends the log of the whole process to `callback` up to `level`; NULL ends it. Lines hold no message text, no
    /// name and
    /// no token. When it returns, the callback that was there before runs no more; so the host must hold no lock
    /// that this
    /// callback takes. Errors: INVALID_ARGUMENT, REENTRANT (from the callback). @thread any. Since 0.1
    /// ```
    pub fn sm_set_log(level: i32, callback: sm_log_callback, user_data: *mut c_void) -> i32;

    /// ```text
    /// Opens the cache of one user and starts the engine; needs no connection. `config` is a JSON object:
    ///   "app_id", "user_id"      required; "app_id" without control characters. With Matrix "app_id" may be left
    /// out
    ///   "data_dir"               default: $XDG_STATE_HOME/syncmanager or ~/.local/state/syncmanager; a user's
    /// files are in
    ///                            APP/USER below it. A relative path is one of the working directory during
    /// sm_setup()
    ///   "cache"                  "file" (default) or "none": cache and outbox are in memory, nothing of them is
    /// ever on the
    ///                            disk, and "data_dir" is not used. sm_close(), a kill or the end of the process
    /// then lose
    ///                            MESSAGES THAT WAIT TO BE SENT OR HAVE FAILED, DRAFTS, and writes to the database
    /// that are
    ///                            on their way. Two such clients of one user are separate (docs/cache.md)
    ///   "access_token"           without control characters; may come later by sm_set_token()
    ///   "service"                "sendbird" (default) or "matrix", which is in the making (docs/matrix.md)
    ///   "api_host"               default: the service's own for the app; begins with "http://" or "https://". With
    /// Matrix
    ///                            the homeserver, and required
    ///   "ws_host"                the same for the socket; begins with "ws://" or "wss://", as
    /// "ws://127.0.0.1:8080"
    ///   "ca_file"                PEM file of trusted roots, default: the system's
    ///   "delivery"               "host" (default) or "thread"
    ///   "notify"                 "none" (default), "mentions" or "all": which messages of others
    /// `message_received` tells
    ///   "queue_limit"            events that may wait, 16..1000000, default 1000
    ///   "message_collection_capacity"  messages a collection holds, 200..1000000 or "infinite", default 1000;
    /// unless
    ///                            "infinite", with 32 KiB of JSON for each, all of them together, or one page. The
    /// same of
    ///                            a search's results, beyond those that were fetched
    ///   "resend_policy"          "automatic" (default): failed messages are sent again when that can help;
    ///                            "manual": only by {"resend"}; "none": a failed message is not kept
    ///   "resend_retry_count"     1..50, default 10
    ///   "failed_retention_days"  1..365, default 7; older failed messages are dropped
    ///   "max_failed_per_channel" 1..1000000 or "infinite", default 1000; the oldest failed messages beyond are
    /// dropped.
    ///                            What sm_setup() itself drops is told by no event
    ///   "request_timeout_ms"     1000..120000, default 10000
    ///   "file_timeout_ms"        1000..600000, default 30000: without progress of a file that is sent or received
    ///   "uploads_at_once"        1..16, default 2: messages whose files are sent at once, over all channels; the
    /// files of
    ///                            one message go one after the other
    ///   "send_by_rest"           true: while a lost connection is made again, messages are sent by requests;
    /// default
    ///                            false, since no source says that the service knows a repeat by the other way
    ///                            (docs/dev/wire.md)
    ///   "background_grace_ms"    0..3600000, default 5000: see sm_set_foreground()
    ///   "max_cache_mb"           64..1048576 (MiB of the rows of cached messages) or "infinite", the default until
    /// 1.0
    ///                            (with "cache":"none": 256). Over it messages go while the user is logged in: of
    /// the
    ///                            channels that were used longest ago, from the oldest on, the newest 200 of each
    /// channel
    ///                            last (docs/cache.md)
    ///   "max_message_age_days"   1..36500 or "infinite", the default: older messages leave the cache while the
    /// user is
    ///                            logged in, but for those of a channel with an open collection, and are not
    /// brought by
    ///                            background sync. The service keeps them, and a fetch brings them
    ///   "cache_order"            which channels lose messages first: "last_opened" (default: those used longest
    /// ago) or
    ///                            "host": those that the host names, see the event `cache_full`
    ///   "prefetch"               {"channels": 1..10000 or "all", "messages": 1..10000}: after each login so many
    /// of the
    ///                            newest messages of the first channels by last message are cached, whether a
    /// collection
    ///                            shows them or not, behind what the host asks for (docs/cache.md); they come in
    /// pages of
    ///                            100, so at least as many; default: only what collections show
    ///   "search"                 true: cached messages are indexed behind all other work, for
    /// sm_search_collection_new();
    ///                            default false, which removes an index that there is (docs/search.md)
    ///   "encryption_key"         64 hexadecimal digits: this user's files are encrypted with it
    /// (docs/encryption.md). A new
    ///                            directory is; one that is plain needs the action `encrypt` first
    ///   "encryption_passphrase"  the same with a text, of which the key is derived, 0.1 s at each opening. One of
    /// both, and
    ///                            neither has an effect with "cache":"none"
    ///   "app_version"            of the host's program, for the service's records
    ///   "expiring_session"       true: the service gives session keys that run out, since the host answers
    /// `token_needed`;
    ///                            default false. A key that ran out is renewed by itself while the access token is
    /// good
    ///   "database"               the realtime database (docs/database.md): {"url": "https://name.example", "name",
    ///                            "token"}; "name" where a host has several, "token" is what it knows this user by.
    /// It is
    ///                            a service beside the chat's, used from here on without sm_connect(); see
    /// sm_call()
    /// Errors: INVALID_ARGUMENT, INVALID_DOCUMENT, LOCKED, STORAGE, NEWER_SCHEMA, CORRUPT_INTENTS, WRONG_KEY,
    /// NO_ENCRYPTION. @thread any. Since 0.1
    /// ```
    pub fn sm_setup(config: *const c_char, out: *mut *mut sm_client) -> i32;

    /// ```text
    /// Connects and stays connected: after a loss it tries again by itself, with growing pauses, as often as the
    /// service
    /// allows; then the state is "disconnected" until the next sm_connect(). Completes at the first login, or when
    /// the first
    /// attempt failed: TOKEN_REJECTED (see sm_set_token()), SERVICE or NETWORK with "code" and "message", CANCELED
    /// by the
    /// action "cancel" (trying goes on after these three), CLOSED (sm_disconnect() came first). Without `callback`
    /// the
    /// result goes to the client's callback. `out_request` (may be NULL) gets the number in that event; a thread
    /// that drains
    /// meanwhile may see the result before. Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_connect(
        client: *mut sm_client,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Closes the connection and stays offline; the cache and the collections stay. Errors: INVALID_HANDLE, CLOSED.
    /// @thread any. Since 0.1
    /// ```
    pub fn sm_disconnect(client: *mut sm_client) -> i32;

    /// ```text
    /// Lets background sync run (it does from the start) or pause. Realtime events are delivered either way.
    /// Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_resume_sync(client: *mut sm_client) -> i32;

    /// See [`sm_resume_sync`].
    pub fn sm_pause_sync(client: *mut sm_client) -> i32;

    /// ```text
    /// A new access token, without control characters, the answer to `token_needed`: in that state the library
    /// connects with
    /// it at once, else at its next attempt. There is no new result for it, see `connection`.
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_set_token(client: *mut sm_client, access_token: *const c_char) -> i32;

    /// ```text
    /// Whether the host's program is in the foreground (1, as at the start) or not (0). In the background the
    /// connection
    /// closes after "background_grace_ms", so that what is under way may end, and nothing is tried; the state is
    /// "disconnected", what sm_send_message() takes waits as it does offline, and a sm_connect() waits, too. Back
    /// in the
    /// foreground it connects at once if it was to be connected, without the pauses of earlier attempts, and what
    /// was missed
    /// comes. sm_disconnect() is not undone. Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. @thread any. Since
    /// 0.1
    /// ```
    pub fn sm_set_foreground(client: *mut sm_client, is_foreground: i32) -> i32;

    /// ```text
    /// The user leaves this machine: disconnects, forgets the token, and removes all that is kept of the user:
    /// channels,
    /// messages, unsent messages (their sends complete with REMOVED), files set aside. Other users in the data_dir
    /// stay.
    /// Calls that were made before and have not begun are dropped where nothing would be left of them: own messages
    /// complete
    /// with REMOVED, the database's actions, operations on resources and sm_clear_cache() with CANCELED, actions
    /// that need a
    /// login with NOT_CONNECTED.
    /// Collections get `clear`, or `remove` for own messages; the URL of a channel that has one stays until
    /// sm_close().
    /// Completes when all is gone from the files, or with STORAGE and a "message": call again. That is so, too,
    /// while
    /// another process reads one of the files in a transaction, which is waited for a quarter of a second.
    /// The client goes on with an empty cache: sm_set_token() and sm_connect() log the same user in again,
    /// sm_close() and
    /// sm_setup() another one.
    /// Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_sign_out(
        client: *mut sm_client,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Removes cached messages of one channel, or of all with NULL, and then also what the database told; their
    /// collections
    /// get `clear` of the succeeded list, and fetches in flight end with "short":"reset". Unsent messages stay.
    /// Completes
    /// when they are gone; the file keeps its size and uses the space again. Completion: STORAGE, CANCELED
    /// (sm_sign_out()
    /// was called before it had begun). Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_clear_cache(
        client: *mut sm_client,
        channel_url: *const c_char,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Ends the client: refuses new calls, completes every outstanding one with SM_ERR_CLOSED, joins the client's
    /// threads,
    /// frees all its handles. It waits for the piece of work in hand; of what was called before and not begun only
    /// own
    /// messages and writes to the database are still stored, all of them or (STORAGE) none, and no list is told of
    /// them;
    /// the rest is not done. What is still queued, these results and `closed` go to callbacks on this thread, with
    /// thread
    /// delivery too; so hold no lock that a callback takes. A host that pulls with sm_next_event() sees none of it:
    /// after
    /// sm_close() every call counts as closed. While another thread closes, it returns at once with SM_ERR_CLOSED
    /// as last
    /// error. NULL is ignored. From a callback of this client it does nothing but set SM_ERR_REENTRANT as last
    /// error.
    /// @thread any, outside callbacks. Since 0.1
    /// ```
    pub fn sm_close(client: *mut sm_client);

    /// ```text
    /// A descriptor that is readable while events wait; owned by the client, valid until sm_close(). Negative: an
    /// error
    /// (INVALID_HANDLE, CLOSED). @thread any. Since 0.1
    /// ```
    pub fn sm_get_fd(client: *mut sm_client) -> i32;

    /// ```text
    /// Takes the next event, waiting up to `timeout_ms` (0: not at all, negative: for ever). On success `*json` is
    /// the
    /// event, borrowed until the next sm_next_event(), sm_dispatch() or sm_close() on this client; `*json` is NULL
    /// when none
    /// came or sm_interrupt() ended the wait. `out_length` may be NULL. A result taken this way does not run its
    /// callback.
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED, REENTRANT, BUSY. @thread owner. Since 0.1
    /// ```
    pub fn sm_next_event(
        client: *mut sm_client,
        timeout_ms: i32,
        json: *mut *const c_char,
        out_length: *mut usize,
    ) -> i32;

    /// ```text
    /// Waits up to `timeout_ms` for the first event, then runs the callbacks of up to `max_events` (0: all that
    /// wait, but at
    /// most 1000) on this thread. An event nobody registered for is dropped. Returns how many were taken, 0 on
    /// timeout or
    /// interrupt, or an error: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED, REENTRANT, BUSY. @thread owner. Since 0.1
    /// ```
    pub fn sm_dispatch(client: *mut sm_client, max_events: i32, timeout_ms: i32) -> i32;

    /// ```text
    /// Ends a waiting sm_next_event() or sm_dispatch(), or the next one if none waits. Signals do not end them, and
    /// a signal
    /// handler may call no function of this library: let it set a flag, or write to a pipe polled beside
    /// sm_get_fd().
    /// Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_interrupt(client: *mut sm_client) -> i32;

    /// ```text
    /// Who hears events that belong to no collection, results of calls without a callback (of sm_fetch(), too), and
    /// events
    /// of collections without a callback of their own. NULL ends it. Errors: INVALID_HANDLE, CLOSED. @thread any.
    /// Since 0.1
    /// ```
    pub fn sm_set_callback(
        client: *mut sm_client,
        callback: sm_event_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
    ) -> i32;

    /// ```text
    /// A list of channels. `query` is a JSON object (docs/queries.md) or NULL for the default: "limit" (1..100,
    /// default 20),
    /// "order" and the filters. Empty until the first sm_fetch(SM_NEXT).
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_channel_collection_new(client: *mut sm_client, query: *const c_char, out: *mut *mut sm_collection)
        -> i32;

    /// ```text
    /// The messages of a channel around `viewpoint` (ms since the epoch; 0: the oldest; SM_LATEST: the newest).
    /// `filter` is
    /// a JSON object (docs/queries.md) or NULL: page sizes, types, senders, replies, the order ("reverse": newest
    /// first),
    /// and what is left out of what is told. With "parent_message_id" it is a thread: the replies to that message,
    /// and
    /// `parent_updated` and `parent_removed` tell of the message itself. Background sync of what it shows starts. A
    /// channel
    /// that turns out not to exist gives `channel_removed`. Own messages that are pending or failed come at once as
    /// inserts,
    /// before any fetch; with "own_messages":"on_fetch" those from before wait for sm_fetch_pending() and
    /// sm_fetch_failed().
    /// With thread delivery events may come before sm_collection_set_callback(): they go to the client's callback,
    /// and the
    /// snapshot has them.
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_message_collection_new(
        client: *mut sm_client,
        channel_url: *const c_char,
        filter: *const c_char,
        viewpoint: i64,
        out: *mut *mut sm_collection,
    ) -> i32;

    /// ```text
    /// The same for a channel that is in the cache: what an offline start opens by its URL alone. `*out` is made at
    /// once and
    /// completes with "collection" and "channel" (the channel's object), after own messages were inserted; or with
    /// NOT_FOUND
    /// when that channel is not cached, and then nothing is opened: fetches of it give REMOVED, and
    /// sm_collection_remove()
    /// is all that is left to do. Completion also: STORAGE (the same holds), CLOSED. A refused call makes no
    /// collection.
    /// Errors as sm_message_collection_new(). @thread any. Since 0.1
    /// ```
    pub fn sm_message_collection_open(
        client: *mut sm_client,
        channel_url: *const c_char,
        filter: *const c_char,
        viewpoint: i64,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
        out: *mut *mut sm_collection,
    ) -> i32;

    /// ```text
    /// The cached messages that have what is looked for; needs "search":true in the configuration. `query` is a
    /// JSON object
    /// (docs/search.md): "query" (required: words, "phrases", a beginning*), "prefix" (whether the last word may go
    /// on; true
    /// by default), "channel_urls", "sender_ids", "message_type", "custom_types", "since" and "until" (ms since the
    /// epoch,
    /// both included), "order" ("newest" | "relevance") and "limit" (1..200, default 20). Its list is "results":
    /// each with
    /// "channel_url", "message" and "snippet", and the id `channel_url/message_id`. Empty until the first
    /// sm_fetch(SM_NEXT);
    /// then it is live: what is received, edited, deleted or removed from the cache moves in and out. No service is
    /// asked,
    /// and no connection is needed; the action "search_messages" lets the service search all it has.
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT (search is off), INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_search_collection_new(client: *mut sm_client, query: *const c_char, out: *mut *mut sm_collection) -> i32;

    /// ```text
    /// The number of the collection in events; 0 for no live handle. @thread any. Since 0.1
    /// ```
    pub fn sm_collection_number(collection: *mut sm_collection) -> u64;

    /// ```text
    /// Who hears the events of this collection. NULL ends it. Errors: INVALID_HANDLE, CLOSED. @thread any. Since
    /// 0.1
    /// ```
    pub fn sm_collection_set_callback(
        collection: *mut sm_collection,
        callback: sm_event_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
    ) -> i32;

    /// ```text
    /// Loads a page (the "limit" of query or filter): SM_NEXT for channels and results; SM_PREVIOUS (older, up to
    /// and
    /// including the viewpoint) or SM_NEXT (newer) for messages. What is cached is inserted at once, the rest as
    /// sync brings
    /// it; the result comes last, with "collection", "has_more" and, when nothing more can come for now, "short":
    /// "offline"
    /// | "paused" | "error" | "reset" (the view or its cache was emptied) | "indexing" (of a search: not all that
    /// is cached
    /// is indexed yet). A short page is SM_OK. A list that shows nothing after "offline", "paused" or "error" gets
    /// its page
    /// without another fetch once the service can be asked. Nothing left: no insert, only the result. The next
    /// fetch in a
    /// direction is accepted once the result of the one before is drained, and that of every sm_collection_start():
    /// until
    /// then it is refused (DUPLICATED_FETCH). While the account is listed for the first time, channels that become
    /// known
    /// before a list's end remove as many from its end.
    /// A fetch ends after three request timeouts at the latest: of messages with TIMEOUT, of channels with what the
    /// cache
    /// has, both with "short":"error". Completion: TIMEOUT, CANCELED (by the action "cancel", with what was
    /// inserted so
    /// far), STORAGE, NOT_FOUND (the channel is gone), REMOVED, CLOSED.
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT, DUPLICATED_FETCH, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_fetch(
        collection: *mut sm_collection,
        direction: i32,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Loads every message that is newer than what is shown: inserts page by page, from the cache and as sync
    /// brings them,
    /// until the newest is shown; beyond the capacity the oldest leave. Counts as a fetch in direction SM_NEXT. The
    /// result
    /// comes last, as that of sm_fetch(); "has_more" is false then, unless "short" says why not. TIMEOUT counts
    /// from the
    /// last insert. Completion and errors as sm_fetch(). @thread any. Since 0.1
    /// ```
    pub fn sm_fetch_all_next(
        collection: *mut sm_collection,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Inserts what the list of failed, or of pending, messages does not show of what is stored: what a filter with
    /// "own_messages":"on_fetch" held back when the collection was opened. Without that key there is nothing to
    /// insert. What
    /// fails, or is sent, while the collection is open is shown in any case. Completes with "count", how many were
    /// inserted.
    /// Completion: STORAGE, REMOVED, CLOSED. Errors: INVALID_HANDLE, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_fetch_failed(
        collection: *mut sm_collection,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// See [`sm_fetch_failed`].
    pub fn sm_fetch_pending(
        collection: *mut sm_collection,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Opens a message collection on the page around its viewpoint ("previous_limit" older and "next_limit" newer
    /// messages):
    /// what is cached is inserted at once, also when it stands elsewhere because nothing is cached about the
    /// viewpoint, and
    /// `cache_shown` follows. Then the service is asked, whatever is cached, and its page comes as changes of what
    /// is shown.
    /// The result comes last, with "collection", "has_previous", "has_next" and "short" as of sm_fetch(). Of a
    /// collection
    /// that was fetched already, the page is asked for again and nothing is inserted from the cache. sm_fetch()
    /// goes on from
    /// there. Completion: DUPLICATED_FETCH (a fetch or a start is in flight), else as sm_fetch(). Errors:
    /// INVALID_HANDLE,
    /// CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_collection_start(
        collection: *mut sm_collection,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Empties the view of a message collection (`clear`) and moves it to another viewpoint; fetch again
    /// afterwards. A fetch
    /// in flight completes with "short":"reset". Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. @thread any.
    /// Since 0.1
    /// ```
    pub fn sm_reset_viewpoint(collection: *mut sm_collection, viewpoint: i64) -> i32;

    /// ```text
    /// What the host has been told so far, as JSON: "collection", "kind" ("channels" | "messages" | "search"),
    /// "count",
    /// "has_next", and "query" (as given) and "limit" (of a fetch; the action "set_limit" changes it); or for
    /// messages
    /// "filter" (as given), "channel_url", "pending_count", "failed_count", "has_previous", "viewpoint",
    /// "previous_limit",
    /// "next_limit" and, when it is known, "channel": the channel's object, from the first result or change of sent
    /// messages
    /// on, and kept current. "has_previous" and "has_next": a fetch may bring more. What was left may be gone
    /// meanwhile;
    /// then the next fetch brings nothing and finds that out. Of streams see sm_stream_open().
    /// Owned: sm_string_free(). Errors: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_collection_info(collection: *mut sm_collection, out_json: *mut *mut c_char) -> i32;

    /// ```text
    /// The lists as they stand after every event drained so far: {"seq":N,"channels":[...]},
    /// {"seq":N,"results":[...]} or
    /// {"seq":N,"succeeded":[...],"pending":[...],"failed":[...]}. Owned: sm_string_free(). Errors as
    /// sm_collection_info().
    /// @thread any. Since 0.1
    /// ```
    pub fn sm_collection_snapshot(collection: *mut sm_collection, out_json: *mut *mut c_char) -> i32;

    /// ```text
    /// Whether what the host has been told so far includes a channel (`id` is its URL), a sent message (`id` is its
    /// message
    /// id, as a text), a result (channel's URL, slash, message's id) or a stream's row (`id` is its key): 1 or 0,
    /// or an
    /// error: INVALID_HANDLE, INVALID_ARGUMENT, CLOSED. Pending and failed messages do not count. @thread any.
    /// Since 0.1
    /// ```
    pub fn sm_collection_contains(collection: *mut sm_collection, id: *const c_char) -> i32;

    /// ```text
    /// Ends the collection: after it returned no event callback of it starts (called from another thread it waits
    /// for a
    /// running one, so the host must hold no lock that callback takes). Its fetches complete with SM_ERR_REMOVED;
    /// sends,
    /// edits and deletions go on and complete as usual. Result callbacks of all these still run afterwards: free
    /// what they
    /// use in their destroy function. NULL is ignored. @thread any. Since 0.1
    /// ```
    pub fn sm_collection_remove(collection: *mut sm_collection);

    /// ```text
    /// A stream: a list of rows of any source, sorted, filtered, limited, perhaps in sections, told in batches.
    /// `spec` is a
    /// JSON object (docs/streams.md): "source" ("transient" | {"channels":query} | {"messages":{...}} |
    /// {"database":{"path",...}} | {"union":[numbers]} | {"partition":{...}}), "order_by", "descending", "start",
    /// "end",
    /// "limit", "predicate", "limit_after_predicate", "batch_delay", "batch_max_wait", "delivery", "section". A
    /// database is
    /// refused when the configuration names none.
    ///
    /// It is a collection: its number, callback, info, snapshot and removal are those of collections; other
    /// functions of
    /// collections give INVALID_HANDLE. Loading begins at once. Its events carry "collection" and
    ///
    ///   stream_batch        "deleted", "added", "moved", "changed": lists of rows
    /// {"path":[section,row],"key","item"};
    ///                       those deleted have no item and their path before the batch, moved ones also "from",
    /// every
    ///                       other path is that after it. To replay: take out what is deleted and what moved, from
    /// the end
    ///                       on; put in what is added and what moved, in the order of the paths; replace what
    /// changed. With
    ///                       "reset":true the list begins again, empty (after `overflow`)
    ///   stream_loaded       once, after the first batch: "status" and, when it is not SM_OK, "message"
    ///   stream_will_change, stream_deleted, stream_added, stream_changed ("rows"), stream_did_change
    ///                       with "delivery":"delegate" instead of stream_batch: a row that moved is deleted and
    /// added
    ///
    /// sm_collection_info(): "kind" ("stream"), "source", "count", "loaded", "sections" ({"title","count"}),
    /// "stream" (the
    /// spec). sm_collection_snapshot(): {"seq":N,"sections":[{"title","rows":[{"key","item"}]}]}.
    /// A stream that others are made of may be removed; they keep its rows.
    ///
    /// `function` may be NULL when the spec does not ask for it; `destroy` is called when `function` will not be
    /// called any
    /// more: on the thread that runs the engine, or, without a function or on failure, before this returns.
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_stream_open(
        client: *mut sm_client,
        spec: *const c_char,
        function: sm_stream_function,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out: *mut *mut sm_collection,
    ) -> i32;

    /// ```text
    /// Asks something of a stream. `request` is a JSON object (docs/streams.md) with "action":
    ///   "set_predicate" ("predicate"), "set_limit" ("limit_after_predicate"), null ends either
    ///   "fetch_more" ("count", "direction", "start"): completes with "result" {"has_more", "short"}
    ///   of a transient stream: "add" ("rows": [{"key","item"}]), "remove" ("keys"), "reset" ("rows")
    ///   "find" ("key"), "item" ("path"), "first_after" and "last_before" ("key", "item"): completes with the row
    /// as
    ///   "result", or null; "slice" ("section", "from", "count"): with a list of rows
    /// An unknown key, and an action that streams of this kind do not take, are refused. What changes the list
    /// completes
    /// behind the batch that shows it; what looks at it answers as the events before its result left it.
    /// Completion: DUPLICATED_FETCH, TIMEOUT, CANCELED, SERVICE (fetch_more: the service refused the rows,
    /// "message" is its
    /// own), INVALID_ARGUMENT, NOT_FOUND, STORAGE, REMOVED, CLOSED.
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_stream_call(
        stream: *mut sm_collection,
        request: *const c_char,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Sends a message through the library. `message` is a JSON object: "message" (the text; required unless there
    /// is a
    /// file; the document is at most 16 MiB), "data", "custom_type", "mention_type" ("users" | "channel"),
    /// "mentioned_user_ids", "parent_message_id" (an id; through the collection of a thread the thread's, unless
    /// given),
    /// "reply_to_channel", "sorted_metaarray" (a list of {"key","value":[texts]}), "silent", "push_option"
    /// ("default" |
    /// "suppress"), "pin_message", "target_langs" (to translate it to), "poll_id" (an id; the action "create_poll"
    /// makes
    /// one), "mentioned_message_template", "extended_message_payload" (an object), "apple_critical_alert_options"
    /// ({"name",
    /// "volume": 0 to 1}), "request_id" (default: a fresh one). With {"resend":"REQUEST_ID"} a failed message is
    /// sent again.
    /// "file" makes it a file message, "files" one of up to 30 files (docs/files.md). Each has either "path"
    /// (absolute; the
    /// library uploads the file, and tells `upload_progress`) or "url" (with "size"), and may have "name", "type"
    /// (the media
    /// type, else guessed from the name), "require_auth" and, with a path, "thumbnail_sizes" ([{"width","height"}],
    /// 3 at
    /// most). What cannot be sent completes the call at once and stores nothing: INVALID_ARGUMENT, with code
    /// 800270, for
    /// what is no regular file, is empty or cannot be read; TOO_LARGE, with code 800260, for more than the service
    /// takes.
    /// Texts of a channel go out one at a time, in the order they were written: each waits for the service's answer
    /// to the
    /// one before, and while one is repeated that a retry can cure, those behind it stay pending. Messages with
    /// files of a
    /// channel go out in their order; texts overtake them while they are uploaded, unless "wait" is true.
    /// The message is on disk before the event `change` of the pending list is delivered; from then on it is sent
    /// or visibly
    /// failed, after any kill. Under "automatic" it waits for a connection, and so does the call; under the other
    /// policies
    /// it fails when there is none. With "send_by_rest" a message may go out while the connection is lost. It
    /// completes
    /// then, and stays in the pending list with the status "sent" until a page of the next session brings it.
    /// After three days of waiting it fails. What a login finds waiting, and what is repeated by itself, goes out
    /// once
    /// channel sync has had its first answer (at once while sync is paused), in the order it was written, and not
    /// into a
    /// channel that is frozen for this user: there it waits until that ends.
    /// Completes after the first attempt: with "request_id" and "message" (the service's object), or with NETWORK,
    /// TIMEOUT
    /// or SERVICE, "request_id", "code" and "message" (a text). Under "automatic" the library then still repeats
    /// what a
    /// retry can cure: follow the lists, do not send again yourself. Completion also: INVALID_ARGUMENT
    /// ("request_id" is in
    /// use), NOT_FOUND (nothing failed to resend), STORAGE, REMOVED (the message was given up, or the collection
    /// removed),
    /// CANCELED (by the action "cancel", which gives the message up; "message" is the object, with the status
    /// "canceled"),
    /// TOO_LARGE, CLOSED.
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_send_message(
        collection: *mut sm_collection,
        message: *const c_char,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// For hosts that send messages themselves. sm_append_message() shows a message in flight: "request_id" and
    /// "message"
    /// (or "url", "file" or "files" of a file message) are required, all else is shown as it is. With the request
    /// id of a
    /// failed one, that is sent again. sm_handle_send_response() ends it: with the service's message object, which
    /// has that
    /// "request_id" (or "req_id"), when `error_code` is 0, else with the object given to append. A message that was
    /// never
    /// appended is taken in all the same: sent, or failed. Append of the service's object (its "message_id" is not
    /// 0) shows
    /// one that was sent already. The library never resends such a message by itself; {"resend"} makes it the
    /// library's: a
    /// text, or files that each have a path or an address. A kill before the response makes it failed. Same events
    /// as
    /// sm_send_message(). Both complete when stored, with "request_id". Errors: INVALID_HANDLE, INVALID_ARGUMENT,
    /// INVALID_DOCUMENT, CLOSED. Completion: STORAGE, NOT_OWN_MESSAGE and REMOVED; INVALID_ARGUMENT (with
    /// "message", a text:
    /// "request_id" is in use); of response NOT_FOUND (failed, never appended, and the document says nothing but
    /// ids).
    /// @thread any. Since 0.1
    /// ```
    pub fn sm_append_message(
        collection: *mut sm_collection,
        message: *const c_char,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// See [`sm_append_message`].
    pub fn sm_handle_send_response(
        collection: *mut sm_collection,
        message: *const c_char,
        error_code: i32,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Tells what the host did by its own means to a sent message of this user, or changes a failed one in place,
    /// which
    /// does not send it; nobody is asked. `message` is the service's object as it is now, or a JSON object with the
    /// "request_id" of a failed one and of "message", "data", "custom_type", "mention_type", "mentioned_user_ids",
    /// "parent_message_id", "reply_to_channel" and the other keys of sm_send_message() those to change. The cache
    /// and every
    /// collection follow, the host's own included. To have the library edit a message there is the action
    /// "edit_message".
    /// Completes with "message" (the object), or "request_id" for a failed one. Completion: NOT_FOUND (nothing
    /// failed under
    /// that request id), NOT_OWN_MESSAGE, STORAGE, REMOVED, CLOSED.
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_update_message(
        collection: *mut sm_collection,
        message: *const c_char,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Tells that the host deleted a sent message of this user by its own means ("message_id"), or gives up a
    /// pending or
    /// failed one ("request_id"); no other key is taken. A send that still waits then completes with REMOVED. What
    /// is not
    /// cached needs no change, and that is SM_OK. To have the library delete a message there is the action
    /// "delete_message". Completes with "request_id" if that was given. Errors and completion as
    /// sm_update_message().
    /// @thread any. Since 0.1
    /// ```
    pub fn sm_delete_message(
        collection: *mut sm_collection,
        message: *const c_char,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;

    /// ```text
    /// Anything else a chat does. `request` is a JSON object with "action" and the keys of that action;
    /// docs/actions.md has
    /// the table: what each takes, whether it needs a connection, what collections are told of it. Every action
    /// also takes
    /// "timeout_ms" (1..86400000; default: "request_timeout_ms"). An unknown key is refused. Example:
    /// {"action":"add_reaction","channel_url":"c","message_id":"42","key":"heart"}
    /// An action that the table calls optimistic (reactions, edits, deletions) is shown at once ("local_action")
    /// and stays
    /// when the service agrees. When it fails the lists go back to what the service last said, before the result is
    /// told.
    /// It is not in the cache until then: after a kill nothing is left of it.
    /// Completes with "action" and, when the action has one, "result", after the collections were told of the
    /// outcome.
    /// Completion: NOT_CONNECTED (nothing was sent and nothing is queued), NETWORK, TIMEOUT (whether it was done is
    /// not
    /// known), CANCELED (by the action "cancel", or by a hook), NOT_FOUND, NOT_OWN_MESSAGE, SERVICE (refused;
    /// "code" and
    /// "message" are the service's), TOO_LARGE (see LIMITS), STORAGE, TOKEN_REJECTED, CLOSED.
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT, INVALID_DOCUMENT, CLOSED. @thread any. Since 0.1
    /// ```
    pub fn sm_call(
        client: *mut sm_client,
        request: *const c_char,
        callback: sm_result_callback,
        user_data: *mut c_void,
        destroy: sm_destroy_callback,
        out_request: *mut u64,
    ) -> i32;
}
