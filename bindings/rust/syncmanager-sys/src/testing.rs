// Written by scripts/rust-bindings from include/syncmanager_testing.h; change the header, not this file.

use std::os::raw::c_char;

use crate::sm_client;

/// An opaque handle: a number dressed as a pointer, which nobody may follow.
#[repr(C)]
pub struct smt_world {
    _opaque: [u8; 0],
    _not_send: core::marker::PhantomData<(*mut u8, core::marker::PhantomPinned)>,
}

extern "C" {
    /// ```text
    /// Makes a world; clients that sm_setup() makes from now on are in it, whatever application and hosts their
    /// configuration names. There is one at a time: SM_ERR_BUSY while there is another one. `seed`: of all that is
    /// left to
    /// chance. `options`: NULL, or a JSON object with some of
    ///
    ///   "start"         the time at the beginning, ms since the epoch, 1000000000000 to 4102444800000, the years
    /// 2001 to
    ///                   2099 (default 1700000000000)
    ///   "weather"       see smt_set_weather() (default "fair")
    ///   "page_size"     how many channels or changes the service gives at once, 1 to 100 (default: as many as
    /// asked for)
    ///   "huge_gap"      a gap of more messages than this is huge, 1 to 1000000 (default 300)
    ///   "file_limit_mb"  the largest file, 1 to 30 (default 30)
    ///
    /// Whatever the configuration of a client says, its engine runs on the calling threads, without a thread of its
    /// own;
    /// with "delivery":"thread" its callbacks run on a thread, and tests do not repeat exactly. Errors:
    /// INVALID_ARGUMENT,
    /// INVALID_DOCUMENT, BUSY, STORAGE. @thread any. Since 0.1
    /// ```
    pub fn smt_world_new(seed: u64, options: *const c_char, out: *mut *mut smt_world) -> i32;

    /// ```text
    /// Ends a world, and what clients are left in it as smt_kill() does. Their handles are not valid any more. NULL
    /// is
    /// ignored. No other thread may be in sm_setup() meanwhile: its client might be left without a world. Errors:
    /// INVALID_HANDLE, REENTRANT (by a callback of a client of the world; nothing is ended). @thread any. Since 0.1
    /// ```
    pub fn smt_world_free(world: *mut smt_world) -> i32;

    /// ```text
    /// The time of the world, ms since the epoch, or a negative status: INVALID_HANDLE. @thread any. Since 0.1
    /// ```
    pub fn smt_now(world: *mut smt_world) -> i64;

    /// ```text
    /// Lets `ms` milliseconds pass (0 to 31622400000, 366 days): all that happens meanwhile happens, and its events
    /// wait in
    /// the queues of the clients. Errors: INVALID_HANDLE, INVALID_ARGUMENT. @thread any. Since 0.1
    /// ```
    pub fn smt_advance(world: *mut smt_world, ms: i64) -> i32;

    /// ```text
    /// Lets the time pass until a client has an event or a result more for its host than before, at most `ms`
    /// milliseconds.
    /// For hosts with an event loop of their own, which look at their descriptors in between. Gives how many
    /// milliseconds
    /// have passed, or a negative status: INVALID_HANDLE, INVALID_ARGUMENT. @thread any. Since 0.1
    /// ```
    pub fn smt_step(world: *mut smt_world, ms: i64) -> i64;

    /// ```text
    /// A request of the administration to the service, carried out at once and past the network: acts of other
    /// users, and
    /// the control endpoint, all as docs/server.md has them. `method`: GET, POST, PUT, PATCH or DELETE. `target`:
    /// path and
    /// query, percent-encoded, as "/v3/users". `body`: JSON, or NULL. `out_status` (may be NULL): the HTTP status.
    /// `out_body` (may be NULL): the answer, to be freed with sm_string_free(). What the service tells its clients
    /// of it
    /// comes over the network, when time passes. Errors: INVALID_HANDLE, INVALID_ARGUMENT; a refusal of the service
    /// is SM_OK
    /// with its HTTP status. @thread any. Since 0.1
    /// ```
    pub fn smt_request(
        world: *mut smt_world,
        method: *const c_char,
        target: *const c_char,
        body: *const c_char,
        out_status: *mut i32,
        out_body: *mut *mut c_char,
    ) -> i32;

    /// ```text
    /// As smt_request(), to the realtime database with all rights; `target` as "/rooms/a.json?ns=test". Errors:
    /// INVALID_HANDLE, INVALID_ARGUMENT. @thread any. Since 0.1
    /// ```
    pub fn smt_database_request(
        world: *mut smt_world,
        method: *const c_char,
        target: *const c_char,
        body: *const c_char,
        out_status: *mut i32,
        out_body: *mut *mut c_char,
    ) -> i32;

    /// ```text
    /// How bad the network and the service are from now on: "fair", "usual" or "bad" as a JSON text, or an object
    /// with some
    /// of these, in percent (0 to 100) of requests, connections or frames:
    ///
    ///   "lost"            requests never arrive
    ///   "answer_lost"     answers never arrive; what was asked for is done
    ///   "reset"           connections break, before or after the request was carried out
    ///   "half"            half of an answer comes
    ///   "rate_limited"    the service answers 429
    ///   "broken"          the service answers 5xx
    ///   "garbage"         an answer is no JSON
    ///   "refused"         a socket cannot be opened
    ///   "slow"            requests and frames take up to three seconds
    ///   "token_expired"   page tokens are too old
    ///   "change_refused"  requests that change something in a channel are refused
    ///
    /// The realtime database knows "lost", "answer_lost", "reset", "broken" and, for its streams, half of
    /// "refused"; files
    /// that are received know the first six, and "slow". Faults of the control endpoint concern all.
    /// Errors: INVALID_HANDLE, INVALID_DOCUMENT. @thread any. Since 0.1
    /// ```
    pub fn smt_set_weather(world: *mut smt_world, weather: *const c_char) -> i32;

    /// ```text
    /// Something happens to the connections of a user's clients (`user_id`; NULL: of all), at once:
    ///
    ///   "reset"      they break, and both sides learn of it
    ///   "die"        nothing arrives any more, and nobody is told
    ///   "die_up"     the same of what clients send
    ///   "die_down"   the same of what the service sends
    ///   "lose_pong"  the answer to the next sign of life is lost
    ///
    /// Errors: INVALID_HANDLE, INVALID_ARGUMENT. @thread any. Since 0.1
    /// ```
    pub fn smt_disturb(world: *mut smt_world, user_id: *const c_char, what: *const c_char) -> i32;

    /// ```text
    /// Ends a client as when its process is killed: nothing more is stored, sent or told, calls that wait get no
    /// result,
    /// and what was on its way to the chat service arrives (of what was on its way to the realtime database, half).
    /// Its
    /// handle and those of its collections are not valid any more; functions that were given to free user data are
    /// called. sm_setup() with the same directory goes on with what the files have. Errors: INVALID_HANDLE, CLOSED,
    /// REENTRANT (by a callback of this client), INVALID_ARGUMENT (the client is in no world). @thread any. Since
    /// 0.1
    /// ```
    pub fn smt_kill(client: *mut sm_client) -> i32;
}
