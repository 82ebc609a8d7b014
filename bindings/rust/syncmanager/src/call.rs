//! A call that completes later, and the ways to get its result.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::clock::{self, Deadline};
use crate::core::{Core, Drained};
use crate::error::{check, Error, ErrorKind, Result};
use crate::event::{Event, EventKind};
use crate::locks::lock;
use crate::outcome::Outcome;
use crate::shared::Slot;
use crate::watch::Watch;

/// The call of the C function, without a callback; its argument is where the call's number goes.
pub(crate) type Start<'a> = Box<dyn FnOnce(*mut u64) -> i32 + 'a>;

/// A call that is not made yet. One of its methods makes it, and decides how the result comes:
///
/// - [`start`](Call::start): its result is an event like others;
/// - [`then`](Call::then): a closure, run by [`Client::dispatch`](crate::Client::dispatch);
/// - [`wait`](Call::wait): blocks until it is complete;
/// - [`future`](Call::future): for async programs.
///
/// Every call that was accepted completes exactly once, also at close. Since 0.1.
#[must_use = "a call is made by start, then, wait or future"]
pub struct Call<'a> {
    core: &'a Arc<Core>,
    start: Result<Start<'a>>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(core: &'a Arc<Core>, start: Result<Start<'a>>) -> Call<'a> {
        Call { core, start }
    }

    fn make(self) -> Result<u64> {
        let mut request = 0;
        check((self.start?)(&mut request))?;
        Ok(request)
    }

    /// Bounds the drained results that nothing has asked for, as the library bounds its own.
    fn check_room(&self) -> Result<()> {
        if lock(&self.core.shared.kept).is_full_of_results() {
            return Err(Error::new(ErrorKind::TooManyCalls, "too many results wait for next_event or dispatch"));
        }
        Ok(())
    }

    /// Makes the call and gives its number; the result comes as [`EventKind::Result`](crate::EventKind::Result).
    pub fn start(self) -> Result<u64> {
        self.check_room()?;
        self.make()
    }

    /// Makes the call; `body` is called with the result on the thread that dispatches. It is dropped without being
    /// called when the result is pulled. Returns the call's number.
    pub fn then(self, body: impl FnOnce(Outcome) + Send + 'static) -> Result<u64> {
        let listeners = &self.core.shared.listeners;
        listeners.start(Box::new(body), || {
            self.check_room()?;
            self.make()
        })
    }

    /// Makes the call and drains events until it is complete. Live lists follow meanwhile; the events themselves are
    /// kept, as many as `queue_limit`, and come from the next [`Client::next_event`](crate::Client::next_event) or
    /// [`Client::dispatch`](crate::Client::dispatch), in order.
    /// [`Client::interrupt`](crate::Client::interrupt) does not end it.
    ///
    /// Fails with the call's own error; with [`ErrorKind::Timeout`] when `timeout` has passed, and then the call goes
    /// on and its result comes as an event; with [`ErrorKind::Busy`] or [`ErrorKind::Reentrant`], and then the call is
    /// not made, when another thread drains or a callback runs on this one.
    pub fn wait(self, timeout: impl Into<Option<Duration>>) -> Result<Outcome> {
        let end = Deadline::after(timeout.into());
        let core = self.core;
        let turn = core.begin_turn()?;
        let request = self.make()?;
        loop {
            let left = end.left();
            match core.pull(&turn, left)? {
                Some(Event { kind: EventKind::Result(outcome), .. }) if outcome.request() == request => {
                    return outcome.ok();
                }
                Some(event) => turn.keep(event),
                None if left.map_or(false, |left| left.is_zero()) => {
                    return Err(Error::new(ErrorKind::Timeout, "the call was not complete in time"));
                }
                None if left.is_none() && clock::is_virtual() => {
                    return Err(Error::new(ErrorKind::Timeout, "a day has passed in the world without an event"));
                }
                None => (),
            }
        }
    }

    /// Makes the call; the future is ready once it is complete. It works in any runtime, and needs no thread that
    /// drains: while no other does, polling it drains, and a thread of the client ("sm-wake") wakes its task when there
    /// is something to drain.
    ///
    /// Events that it drains besides its result are applied to live lists and kept, as many as `queue_limit`, for
    /// [`Client::next_event`](crate::Client::next_event), an [`EventStream`](crate::EventStream) or
    /// [`Client::dispatch`](crate::Client::dispatch), all of which may be used at the same time. A result that is
    /// awaited is not given to any other.
    ///
    /// Fails as [`start`](Call::start); and with [`ErrorKind::Internal`], without making the call, when the system has
    /// no thread or descriptor left.
    pub fn future(self) -> Result<Reply> {
        let core = self.core;
        let watch = core.watch()?;
        if core.is_drained_by_futures() {
            watch.start()?;
        }
        let slot = Arc::new(Mutex::new(Slot::default()));
        let mut slots = lock(&core.shared.slots);
        let request = self.make()?;
        slots.insert(request, slot.clone());
        drop(slots);
        Ok(Reply { request, slot, core: core.clone(), ticket: watch.ticket(), watch })
    }
}

/// The future of a call. Dropping it does not end the call; the result then comes as an event. Since 0.1.
#[must_use = "futures do nothing unless polled; start() makes a call whose end nobody waits for"]
pub struct Reply {
    request: u64,
    slot: Arc<Mutex<Slot>>,
    core: Arc<Core>,
    watch: Arc<Watch>,
    ticket: u64,
}

impl Reply {
    /// The number of the call.
    pub fn request(&self) -> u64 {
        self.request
    }

    fn take(&self) -> Option<Outcome> {
        match lock(&self.slot).event.take()?.kind {
            EventKind::Result(outcome) => Some(outcome),
            _ => None,
        }
    }

    fn drain(&self) -> Result<Drained> {
        self.core.drain(|| lock(&self.slot).event.is_some())
    }

    /// From here on the task is woken when the result has come, or there is something to drain.
    fn register(&self, waker: &Waker) {
        let replaced = lock(&self.slot).waker.replace(waker.clone());
        drop(replaced); // with the lock free: it is the executor's code
        self.watch.register_future(self.ticket, waker);
    }
}

impl Future for Reply {
    type Output = Result<Outcome>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Outcome>> {
        let waker = context.waker();
        // First without registering the task, then once more with the task registered, so that later events wake it.
        for is_registered in [false, true] {
            if is_registered {
                self.register(waker);
            }
            let drained = if lock(&self.slot).event.is_some() { Ok(Drained::Refused) } else { self.drain() };
            if let Some(outcome) = self.take() {
                self.watch.forget(self.ticket);
                return Poll::Ready(outcome.ok());
            }
            match drained {
                Err(error) => return Poll::Ready(Err(error)),
                Ok(Drained::All) if is_registered => self.watch.arm(),
                Ok(Drained::Some) if is_registered => waker.wake_by_ref(),
                Ok(_) => (),
            }
        }
        Poll::Pending
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        lock(&self.core.shared.slots).remove(&self.request);
        self.watch.forget(self.ticket);
        let unread = lock(&self.slot).event.take();
        if let Some(event) = unread {
            lock(&self.core.shared.kept).push(event);
            self.watch.wake_streams();
        }
    }
}
