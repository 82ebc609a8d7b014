//! The functions that the library calls. No panic leaves them.

use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::slice;
use std::str;
use std::sync::Arc;

use crate::event::Event;
use crate::json::Json;
use crate::shared::Shared;

/// The user data of `on_event`: the listeners for events, behind one callback for the client, its collections and its
/// calls.
pub(crate) struct Hears(Arc<Shared>);

impl Hears {
    pub(crate) fn boxed(shared: &Arc<Shared>) -> *mut c_void {
        Box::into_raw(Box::new(Hears(shared.clone()))).cast()
    }
}

pub(crate) type RowFunction = Box<dyn FnMut(&str, &Json) -> i32 + Send>;

/// A function of the program that decides about rows of a stream. The library calls it on one thread at a time.
pub(crate) struct RowJudge {
    shared: Arc<Shared>,
    body: RowFunction,
}

impl RowJudge {
    pub(crate) fn boxed(shared: &Arc<Shared>, body: RowFunction) -> *mut c_void {
        Box::into_raw(Box::new(RowJudge { shared: shared.clone(), body })).cast()
    }
}

/// The text of an event, which is valid during the callback.
///
/// # Safety
/// `json` points at `length` bytes that stay as they are while the result is used.
pub(crate) unsafe fn event_of(json: *const c_char, length: usize) -> Event {
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice::from_raw_parts(json.cast::<u8>(), length) };
    Event::read(&String::from_utf8_lossy(bytes))
}

pub(crate) unsafe extern "C" fn on_event(user_data: *mut c_void, json: *const c_char, length: usize) {
    // SAFETY: it is a box made by `Hears::boxed`, which the library does not free before this returns. The text is
    // valid during the call.
    let (shared, event) = unsafe { ((*user_data.cast::<Hears>()).0.clone(), event_of(json, length)) };
    if let Some(event) = shared.take_in(event) {
        shared.listeners.tell(&event);
    }
    shared.listeners.running.run(|| shared.wake());
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
    shared.listeners.running.run(|| answer = (judge.body)(&key, &Json::new(&item)));
    answer
}

/// Frees a box of `T`. Dropping what the program's function holds may run its code, too.
pub(crate) unsafe extern "C" fn destroy<T: Shares>(user_data: *mut c_void) {
    // SAFETY: the library calls it exactly once, with the box it was given.
    let owned = unsafe { Box::from_raw(user_data.cast::<T>()) };
    let shared = owned.shared();
    shared.listeners.running.run(|| drop(owned));
}

pub(crate) trait Shares {
    fn shared(&self) -> Arc<Shared>;
}

impl Shares for Hears {
    fn shared(&self) -> Arc<Shared> {
        self.0.clone()
    }
}

impl Shares for RowJudge {
    fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }
}

/// A line of the library's log that is not valid UTF-8 is replaced.
pub(crate) fn text_of(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or("(a line that is not UTF-8)")
}
