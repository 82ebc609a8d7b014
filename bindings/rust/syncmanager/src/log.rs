//! The log of the process.

use std::cell::Cell;
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null_mut;
use std::sync::Mutex;

use syncmanager_sys as sys;

use crate::callback::text_of;
use crate::error::{check, Error, ErrorKind, Result};
use crate::locks::lock;

/// How much a line of the log matters. Since 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LogLevel {
    Error,
    Warning,
    Info,
    Debug,
}

impl LogLevel {
    fn number(self) -> i32 {
        match self {
            LogLevel::Error => sys::SM_LOG_ERROR,
            LogLevel::Warning => sys::SM_LOG_WARNING,
            LogLevel::Info => sys::SM_LOG_INFO,
            LogLevel::Debug => sys::SM_LOG_DEBUG,
        }
    }

    fn of(number: i32) -> LogLevel {
        match number {
            sys::SM_LOG_ERROR => LogLevel::Error,
            sys::SM_LOG_WARNING => LogLevel::Warning,
            sys::SM_LOG_INFO => LogLevel::Info,
            _ => LogLevel::Debug,
        }
    }
}

type Body = Box<dyn FnMut(LogLevel, &str) + Send>;

struct Installed(*mut Body);

// SAFETY: what it points at is `Send`, and is used by the library, one line at a time, until it is replaced.
unsafe impl Send for Installed {}

static INSTALLED: Mutex<Installed> = Mutex::new(Installed(null_mut()));

thread_local! {
    static LOGGING: Cell<bool> = const { Cell::new(false) };
}

/// Sends the log of the whole process to `body`, up to `level`. Lines hold no message text, no name and no token; they
/// come from any thread, one at a time. `body` must not call this crate. A panic of it is caught, after the panic hook
/// has reported it.
///
/// When this returns, the previous closure does not run any more; so hold no lock that it takes. Fails with `Reentrant`
/// in `body` itself. Since 0.1.
#[doc(alias = "sm_set_log")]
pub fn set_log(level: LogLevel, body: impl FnMut(LogLevel, &str) + Send + 'static) -> Result<()> {
    let body: Body = Box::new(body);
    install(level.number(), Box::into_raw(Box::new(body)))
}

/// Ends the log. Since 0.1.
pub fn clear_log() -> Result<()> {
    install(sys::SM_LOG_NONE, null_mut())
}

fn install(level: i32, body: *mut Body) -> Result<()> {
    let outcome = if LOGGING.with(Cell::get) {
        Err(Error::new(ErrorKind::Reentrant, "the log's closure runs on this thread"))
    } else {
        let callback: sys::sm_log_callback = if body.is_null() { None } else { Some(on_line) };
        let mut installed = lock(&INSTALLED);
        // SAFETY: `body` lives until it is replaced here.
        check(unsafe { sys::sm_set_log(level, callback, body.cast()) })
            .map(|_| std::mem::replace(&mut *installed, Installed(body)))
    };
    let (unused, outcome) = match outcome {
        Ok(before) => (before.0, Ok(())),
        Err(error) => (body, Err(error)),
    };
    if !unused.is_null() {
        // SAFETY: it is a box of ours that the library does not use: not any more, or not at all.
        drop(unsafe { Box::from_raw(unused) });
    }
    outcome
}

unsafe extern "C" fn on_line(user_data: *mut c_void, level: i32, line: *const c_char) {
    // SAFETY: the box lives while it is installed, and the library tells one line at a time; the line ends with NUL.
    let (body, line) = unsafe { (&mut *user_data.cast::<Body>(), CStr::from_ptr(line)) };
    LOGGING.with(|logging| logging.set(true));
    // The panic hook has reported it. There is no caller to give it to, and it must not go through C frames.
    drop(catch_unwind(AssertUnwindSafe(|| body(LogLevel::of(level), text_of(line.to_bytes())))));
    LOGGING.with(|logging| logging.set(false));
}
