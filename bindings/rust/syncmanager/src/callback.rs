//! Closures as C callbacks: boxed, given to the library with a function that frees them, and no panic passes.

use std::cell::RefCell;
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::slice;
use std::str;
use std::sync::Arc;

use crate::event::{Event, EventKind, Outcome};
use crate::json::Json;
use crate::shared::Shared;

thread_local! {
    /// The clients whose callbacks run on this thread, the innermost last.
    static RUNNING: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Whether a callback of this client runs on this thread, so that waiting for the queue would wait for itself.
pub(crate) fn is_running(shared: &Shared) -> bool {
    RUNNING.with(|running| running.borrow().contains(&identity(shared)))
}

fn identity(shared: &Shared) -> usize {
    shared as *const Shared as usize
}

fn run(shared: &Shared, body: impl FnOnce()) {
    RUNNING.with(|running| running.borrow_mut().push(identity(shared)));
    shared.guarded(body);
    RUNNING.with(|running| running.borrow_mut().pop());
}

pub(crate) type EventBody = Box<dyn FnMut(&Event) + Send>;

/// Who hears events. The library calls it on one thread at a time and never from within itself, so `FnMut` is enough.
pub(crate) struct Listener {
    shared: Arc<Shared>,
    body: Option<EventBody>,
}

impl Listener {
    pub(crate) fn boxed(shared: &Arc<Shared>, body: Option<EventBody>) -> *mut c_void {
        Box::into_raw(Box::new(Listener { shared: shared.clone(), body })).cast()
    }
}

pub(crate) type RowFunction = Box<dyn FnMut(&str, &Json) -> i32 + Send>;

/// A function of the program that says something about rows of a stream. The library calls it on one thread at a time.
pub(crate) struct RowJudge {
    shared: Arc<Shared>,
    body: RowFunction,
}

impl RowJudge {
    pub(crate) fn boxed(shared: &Arc<Shared>, body: RowFunction) -> *mut c_void {
        Box::into_raw(Box::new(RowJudge { shared: shared.clone(), body })).cast()
    }
}

pub(crate) unsafe extern "C" fn on_row(
    user_data: *mut c_void,
    key: *const c_char,
    item: *const c_char,
    length: usize,
) -> i32 {
    // SAFETY: a box made by `RowJudge::boxed`, which lives until `destroy`; the texts are valid during the call.
    let (judge, key, item) = unsafe {
        let item = slice::from_raw_parts(item.cast::<u8>(), length);
        (&mut *user_data.cast::<RowJudge>(), CStr::from_ptr(key).to_string_lossy(), String::from_utf8_lossy(item))
    };
    let shared = judge.shared.clone();
    let mut answer = 0;
    run(&shared, || answer = (judge.body)(&key, &Json::new(&item)));
    answer
}

/// Who hears the result of one call.
pub(crate) struct Completion {
    shared: Arc<Shared>,
    body: Option<Box<dyn FnOnce(Outcome) + Send>>,
}

impl Completion {
    pub(crate) fn boxed(shared: &Arc<Shared>, body: Box<dyn FnOnce(Outcome) + Send>) -> *mut c_void {
        Box::into_raw(Box::new(Completion { shared: shared.clone(), body: Some(body) })).cast()
    }
}

/// The text of an event that the library lends for the time of a call.
///
/// # Safety
/// `json` points at `length` bytes that stay as they are while the result is used.
pub(crate) unsafe fn event_of(json: *const c_char, length: usize) -> Event {
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice::from_raw_parts(json.cast::<u8>(), length) };
    Event::read(&String::from_utf8_lossy(bytes))
}

pub(crate) unsafe extern "C" fn on_event(user_data: *mut c_void, json: *const c_char, length: usize) {
    // SAFETY: it is a box made by `Listener::boxed`, which the library does not free before this returns, and it makes
    // no second call with it meanwhile. The text is valid during the call.
    let (listener, event) = unsafe { (&mut *user_data.cast::<Listener>(), event_of(json, length)) };
    let shared = listener.shared.clone();
    run(&shared, || {
        shared.take_in(&event);
        if let Some(body) = &mut listener.body {
            body(&event);
        }
    });
}

pub(crate) unsafe extern "C" fn on_result(user_data: *mut c_void, _status: i32, json: *const c_char, length: usize) {
    // SAFETY: as in `on_event`; the library calls it once.
    let (completion, event) = unsafe { (&mut *user_data.cast::<Completion>(), event_of(json, length)) };
    let shared = completion.shared.clone();
    run(&shared, || {
        shared.take_in(&event);
        if let (Some(body), EventKind::Result(outcome)) = (completion.body.take(), event.kind) {
            body(outcome);
        }
    });
}

/// Frees a box of `T`. Dropping what the program's closure holds may run its code, too.
pub(crate) unsafe extern "C" fn destroy<T: Shares>(user_data: *mut c_void) {
    // SAFETY: the library calls it exactly once, with the box it was given.
    let owned = unsafe { Box::from_raw(user_data.cast::<T>()) };
    let shared = owned.shared();
    run(&shared, || drop(owned));
}

pub(crate) trait Shares {
    fn shared(&self) -> Arc<Shared>;
}

impl Shares for Listener {
    fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }
}

impl Shares for RowJudge {
    fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }
}

impl Shares for Completion {
    fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }
}

/// What the library's log says cannot be Rust text otherwise.
pub(crate) fn text_of(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or("(a line that is not UTF-8)")
}
