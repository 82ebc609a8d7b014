//! A client's handle, and the turn to drain its queue.

use std::cell::Cell;
use std::ffi::{c_void, CStr};
use std::os::unix::io::RawFd;
use std::panic::resume_unwind;
use std::process;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use syncmanager_sys as sys;

use crate::callback::{destroy, event_of, on_event, Hears};
use crate::clock::Deadline;
use crate::error::{check, Error, ErrorKind, Result};
use crate::event::Event;
use crate::json::Json;
use crate::locks::lock;
use crate::shared::Shared;
use crate::turns::Turns;
use crate::watch::Watch;

/// The library's own default.
const QUEUE_LIMIT: usize = 1000;

/// Events that a future drains before others have their turn.
const AT_ONCE: usize = 64;

/// As many as `sm_dispatch` takes for `max_events` 0.
const ALL: i32 = 1000;

/// A number in the form of a pointer. The library never gives one out twice and refuses a stale one, so a copy may
/// outlive its object and be sent between threads.
pub(crate) struct Handle<T>(pub(crate) *mut T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Handle<T> {
        *self
    }
}

impl<T> Copy for Handle<T> {}

// SAFETY: nobody follows the pointer. What the functions that take it ask of threads is kept by `Core::turns` (those
// marked @thread owner) or nothing (those marked @thread any).
unsafe impl<T> Send for Handle<T> {}
unsafe impl<T> Sync for Handle<T> {}

pub(crate) struct Core {
    pub(crate) handle: Handle<sys::sm_client>,
    pub(crate) shared: Arc<Shared>,
    /// The thread that has the turn drains, and keeps the turn until the text that the library lends is copied.
    turns: Turns,
    watch: Mutex<Option<Arc<Watch>>>,
    closing: AtomicBool,
    /// The library's own thread drains, and no other may.
    is_threaded: bool,
    process: u32,
}

/// The turn to drain; ends when it is dropped.
pub(crate) struct Turn<'a> {
    core: &'a Core,
    /// Whether events were drained and kept for later.
    has_kept: Cell<bool>,
}

impl Turn<'_> {
    /// Keeps an event for the next one who asks for events.
    pub(crate) fn keep(&self, event: Event) {
        lock(&self.core.shared.kept).push(event);
        self.has_kept.set(true);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let was_refused = self.core.turns.end();
        self.core.shared.wake();
        if let Some(watch) = self.core.known_watch() {
            if self.has_kept.get() {
                watch.wake_streams();
            }
            if was_refused {
                watch.arm();
            }
        }
    }
}

/// The outcome of a future's attempt to drain.
pub(crate) enum Drained {
    /// Nothing waits any more.
    All,
    /// More may wait.
    Some,
    /// Another thread has the turn; when it ends the turn, it wakes those who wait.
    Refused,
}

impl Core {
    pub(crate) fn open(config: &CStr) -> Result<Core> {
        let mut handle = null_mut();
        // SAFETY: the text ends with NUL and is copied; `handle` is written on success.
        check(unsafe { sys::sm_setup(config.as_ptr(), &mut handle) })?;
        let known = Json::new(&config.to_string_lossy());
        let limit = known.u64_at("queue_limit").and_then(|limit| usize::try_from(limit).ok());
        let core = Core {
            handle: Handle(handle),
            shared: Arc::new(Shared::new(limit.unwrap_or(QUEUE_LIMIT))),
            turns: Turns::default(),
            watch: Mutex::default(),
            closing: AtomicBool::new(false),
            is_threaded: known.text_at("delivery").as_deref() == Some("thread"),
            process: process::id(),
        };
        // SAFETY: the data is a box of what `on_event` and `destroy` take; the library frees it once, on failure, too.
        let listening = check(unsafe {
            sys::sm_set_callback(handle, Some(on_event), Hears::boxed(&core.shared), Some(destroy::<Hears>))
        });
        match listening {
            Ok(_) => Ok(core),
            Err(error) => {
                core.close();
                Err(error)
            }
        }
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    fn check_open(&self) -> Result<()> {
        if self.is_closing() {
            return Err(Error::new(ErrorKind::Closed, "the client is closed"));
        }
        Ok(())
    }

    /// Takes the turn to drain for the caller.
    pub(crate) fn begin_turn(&self) -> Result<Turn<'_>> {
        if self.shared.listeners.running.is_here() {
            return Err(Error::new(ErrorKind::Reentrant, "a callback of this client runs on this thread"));
        }
        self.check_open()?;
        self.turns.begin()?;
        Ok(self.turn())
    }

    fn turn(&self) -> Turn<'_> {
        Turn { core: self, has_kept: Cell::new(false) }
    }

    /// The next event of the library's queue that no future awaits. The turn proves that no other thread drains.
    pub(crate) fn pull(&self, turn: &Turn<'_>, timeout: Option<Duration>) -> Result<Option<Event>> {
        let end = Deadline::after(timeout);
        loop {
            let event = match self.next(end.left())? {
                None => return Ok(None),
                Some(event) => self.shared.take_in(event),
            };
            if event.is_none() {
                self.shared.wake(); // the future's task: this thread may wait for long now
            }
            if let Err(fault) = self.shared.take_fault() {
                event.into_iter().for_each(|event| turn.keep(event));
                return Err(fault);
            }
            if event.is_some() {
                return Ok(event);
            }
        }
    }

    fn next(&self, timeout: Option<Duration>) -> Result<Option<Event>> {
        self.check_open()?;
        let (mut json, mut length) = (null(), 0);
        // SAFETY: both are written on success. The text is lent until somebody drains or closes the next time, for
        // which they would need the turn; it is copied before that ends.
        unsafe {
            check(sys::sm_next_event(self.handle.0, milliseconds(timeout), &mut json, &mut length))?;
            Ok(if json.is_null() { None } else { Some(event_of(json, length)) })
        }
    }

    /// Drains waiting events for a future: until `is_done`, or none waits, or others should have their turn. The events
    /// are kept for the next one who asks for events.
    pub(crate) fn drain(&self, is_done: impl Fn() -> bool) -> Result<Drained> {
        if self.is_threaded || self.is_closing() || !self.turns.begin_brief() {
            return Ok(Drained::Refused); // with threaded delivery, and at the end, the library's callback tells
        }
        let turn = self.turn();
        let mut drained = Ok(Drained::Some);
        for _ in 0..AT_ONCE {
            match self.next(Some(Duration::ZERO)) {
                Ok(Some(event)) => {
                    if let Some(event) = self.shared.take_in(event) {
                        turn.keep(event);
                    }
                }
                Ok(None) => drained = Ok(Drained::All),
                Err(error) if error.kind() == ErrorKind::Closed => drained = Ok(Drained::Refused),
                Err(error) => drained = Err(error),
            }
            if is_done() || !matches!(drained, Ok(Drained::Some)) {
                break;
            }
        }
        drop(turn);
        self.shared.take_fault().and(drained)
    }

    pub(crate) fn dispatch(&self, max_events: i32, timeout: Option<Duration>) -> Result<usize> {
        let turn = self.begin_turn()?;
        let most = if max_events == 0 { ALL } else { max_events };
        let mut count = 0;
        while count < most {
            match self.shared.take_kept() {
                Some(event) => self.shared.listeners.tell(&event),
                None => break,
            }
            count += 1;
        }
        let outcome = if count == most {
            Ok(0)
        } else {
            let timeout = if count == 0 { timeout } else { Some(Duration::ZERO) };
            // SAFETY: the callback's data is a box of this crate. The turn is held, so that no lent text of `next`
            // ends.
            check(unsafe { sys::sm_dispatch(self.handle.0, most - count, milliseconds(timeout)) })
        };
        drop(turn);
        if let Some(panic) = self.shared.listeners.running.take_panic() {
            resume_unwind(panic);
        }
        self.shared.take_fault()?;
        outcome.map(|more| usize::try_from(count + more).unwrap_or_default())
    }

    fn known_watch(&self) -> Option<Arc<Watch>> {
        lock(&self.watch).clone()
    }

    /// Wakes tasks that wait for the queue.
    pub(crate) fn watch(&self) -> Result<Arc<Watch>> {
        self.check_open()?;
        let mut known = lock(&self.watch);
        if let Some(watch) = &*known {
            return Ok(watch.clone());
        }
        // SAFETY: any thread, any handle.
        let watch = Arc::new(Watch::new(check(unsafe { sys::sm_get_fd(self.handle.0) })?)?);
        lock(&self.shared.kept).tell(watch.kept.clone());
        *known = Some(watch.clone());
        Ok(watch)
    }

    /// Readable while events wait, drained ones included; -1 when the client is closed or the system has none left.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.watch().map_or(-1, |watch| watch.descriptor())
    }

    /// Whether futures need the thread that watches the queue.
    pub(crate) fn is_drained_by_futures(&self) -> bool {
        !self.is_threaded
    }

    /// Closes the client, once. Callbacks for events that are left run on this thread.
    pub(crate) fn close(&self) {
        // SAFETY: nobody else drains or will.
        self.end(true, |handle| unsafe { sys::sm_close(handle) });
    }

    /// Ends the client by a function of the library, once. `tells`: kept events go to their callbacks before.
    pub(crate) fn end(&self, tells: bool, ends: impl FnOnce(*mut sys::sm_client)) {
        if process::id() != self.process {
            return; // a fork: the library refuses everything, and a lock may be held by a thread that is not here
        }
        if self.closing.swap(true, Ordering::SeqCst) {
            return;
        }
        let handle = self.handle;
        // A thread that drains is woken, sees the flag, and ends its turn; then no text that the library lent is in
        // use. SAFETY: any thread may interrupt.
        unsafe { sys::sm_interrupt(handle.0) };
        self.turns.begin_last();
        let turn = self.turn();
        while let Some(event) = self.shared.take_kept() {
            if tells {
                self.shared.listeners.tell(&event);
            }
        }
        ends(handle.0);
        self.shared.listeners.end();
        drop(turn);
        let watch = lock(&self.watch).take();
        if let Some(watch) = watch {
            watch.end();
        }
    }

    /// Closes the client where its last owner is dropped. In one of its own callbacks closing would wait for itself, so
    /// a thread does it.
    pub(crate) fn close_from_drop(self: &Arc<Core>) {
        if self.shared.listeners.running.is_here() {
            let core = self.clone();
            // When no thread can be started, the client stays open.
            let _ = thread::Builder::new().name("sm-close".into()).spawn(move || core.close());
        } else {
            self.close();
        }
    }
}

/// A timeout for the C interface: rounded up to whole milliseconds; `None` means for ever.
pub(crate) fn milliseconds(timeout: Option<Duration>) -> i32 {
    match timeout {
        None => -1,
        Some(timeout) => i32::try_from((timeout.as_nanos() + 999_999) / 1_000_000).unwrap_or(i32::MAX),
    }
}

/// The arguments for C functions without a callback.
pub(crate) const NOBODY: *mut c_void = null_mut();
