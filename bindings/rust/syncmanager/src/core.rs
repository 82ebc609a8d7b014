//! A client's handle, and the one who drains its queue.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::panic::resume_unwind;
use std::process;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use syncmanager_sys as sys;

use crate::callback::{destroy, event_of, is_running, on_event, EventBody, Listener};
use crate::error::{check, Error, ErrorKind, Result};
use crate::event::Event;
use crate::shared::{lock, Shared};

/// A number dressed as a pointer. The library never gives one out twice and refuses a stale one, so a copy of it may
/// outlive what it names and go from thread to thread.
pub(crate) struct Handle<T>(pub(crate) *mut T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Handle<T> {
        *self
    }
}

impl<T> Copy for Handle<T> {}

// SAFETY: nobody follows the pointer. What the functions that take it ask of threads is kept by `Core::draining` (those
// marked @thread owner) or nothing (those marked @thread any).
unsafe impl<T> Send for Handle<T> {}
unsafe impl<T> Sync for Handle<T> {}

pub(crate) struct Core {
    pub(crate) handle: Handle<sys::sm_client>,
    pub(crate) shared: Arc<Shared>,
    /// Whoever holds it drains, and holds it until the text that the library lends is copied. In it: events that
    /// `Call::wait` drained for later.
    draining: Mutex<VecDeque<Event>>,
    closing: AtomicBool,
    process: u32,
}

impl Core {
    pub(crate) fn open(config: &std::ffi::CStr) -> Result<Core> {
        let mut handle = null_mut();
        // SAFETY: the text ends with NUL and is copied; `handle` is written on success.
        check(unsafe { sys::sm_setup(config.as_ptr(), &mut handle) })?;
        let core = Core {
            handle: Handle(handle),
            shared: Arc::default(),
            draining: Mutex::default(),
            closing: AtomicBool::new(false),
            process: process::id(),
        };
        // Live lists and futures hear of events by whatever means they are drained.
        match core.listen(None) {
            Ok(()) => Ok(core),
            Err(error) => {
                core.close();
                Err(error)
            }
        }
    }

    pub(crate) fn listen(&self, body: Option<EventBody>) -> Result<()> {
        let data = Listener::boxed(&self.shared, body);
        // SAFETY: `data` is a box of what `on_event` and `destroy` take; the library frees it once, on failure, too.
        check(unsafe { sys::sm_set_callback(self.handle.0, Some(on_event), data, Some(destroy::<Listener>)) })?;
        Ok(())
    }

    /// Makes the caller the one who drains.
    pub(crate) fn begin_draining(&self) -> Result<MutexGuard<'_, VecDeque<Event>>> {
        if is_running(&self.shared) {
            return Err(Error::new(ErrorKind::Reentrant, "a callback of this client runs on this thread"));
        }
        if self.closing.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::Closed, "the client is closed"));
        }
        match self.draining.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(Error::new(ErrorKind::Busy, "another thread is draining this client's queue"))
            }
        }
    }

    /// The next event of the library's queue. The guard is the proof that nobody else drains.
    pub(crate) fn pull(&self, _draining: &mut VecDeque<Event>, timeout: Option<Duration>) -> Result<Option<Event>> {
        if self.closing.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::Closed, "the client is closed"));
        }
        let (mut json, mut length) = (null(), 0);
        // SAFETY: both are written on success. The text is lent until somebody drains or closes the next time, for
        // which they would need the guard; it is copied before that is given back.
        let event = unsafe {
            check(sys::sm_next_event(self.handle.0, milliseconds(timeout), &mut json, &mut length))?;
            if json.is_null() {
                return Ok(None);
            }
            event_of(json, length)
        };
        self.shared.take_in(&event);
        self.shared.take_fault()?;
        Ok(Some(event))
    }

    pub(crate) fn dispatch(&self, max_events: i32, timeout: Option<Duration>) -> Result<usize> {
        let guard = self.begin_draining()?;
        // SAFETY: callbacks are boxes of this crate. The guard is held, so that no lent text of `pull` ends.
        let outcome = check(unsafe { sys::sm_dispatch(self.handle.0, max_events, milliseconds(timeout)) });
        drop(guard);
        if let Some(panic) = self.shared.take_panic() {
            resume_unwind(panic);
        }
        self.shared.take_fault()?;
        outcome.map(|count| usize::try_from(count).unwrap_or_default())
    }

    /// Ends the client, once. Callbacks of what is left run on this thread.
    pub(crate) fn close(&self) {
        if process::id() != self.process {
            return; // a fork: the library refuses everything, and a lock may be held by a thread that is not here
        }
        if self.closing.swap(true, Ordering::SeqCst) {
            return;
        }
        let handle = self.handle;
        // Whoever drains is woken, finds the flag, and lets go; then nothing that the library lent is in use.
        // SAFETY: any thread may interrupt.
        unsafe { sys::sm_interrupt(handle.0) };
        let guard = lock(&self.draining);
        // SAFETY: nobody else drains or will.
        unsafe { sys::sm_close(handle.0) };
        drop(guard);
    }

    /// Ends the client from wherever its last owner is dropped. In one of its own callbacks that cannot be waited for,
    /// so a thread does it.
    pub(crate) fn close_from_drop(self: &Arc<Core>) {
        if is_running(&self.shared) {
            let core = self.clone();
            // Without a thread the client stays open, which is all that can be done here.
            let _ = thread::Builder::new().name("sm-close".into()).spawn(move || core.close());
        } else {
            self.close();
        }
    }
}

/// For the C interface: rounded up, so that a wait of less than a millisecond is one; none is for ever.
pub(crate) fn milliseconds(timeout: Option<Duration>) -> i32 {
    match timeout {
        None => -1,
        Some(timeout) => i32::try_from((timeout.as_nanos() + 999_999) / 1_000_000).unwrap_or(i32::MAX),
    }
}

/// What C functions without a callback are given.
pub(crate) const NOBODY: *mut c_void = null_mut();
