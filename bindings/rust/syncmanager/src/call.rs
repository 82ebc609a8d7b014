//! A call that completes later, and the ways to hear of it.

use std::future::Future;
use std::os::raw::c_void;
use std::pin::Pin;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use syncmanager_sys as sys;

use crate::callback::{destroy, on_result, Completion};
use crate::core::Core;
use crate::error::{check, Error, ErrorKind, Result};
use crate::event::Outcome;
use crate::shared::{lock, Slot};

/// How the C function is called: with a callback, its data, its destroy function, and where the number goes.
pub(crate) type Start<'a> =
    Box<dyn FnOnce(sys::sm_result_callback, *mut c_void, sys::sm_destroy_callback, *mut u64) -> i32 + 'a>;

/// A call that is not made yet. One of its methods makes it, and says how to hear of its end:
///
/// - [`start`](Call::start): its result is an event like others;
/// - [`then`](Call::then): a closure, run by [`Client::dispatch`](crate::Client::dispatch);
/// - [`wait`](Call::wait): blocks until it is complete;
/// - [`future`](Call::future): for async programs that poll an [`EventStream`](crate::EventStream) besides.
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

    /// Makes the call and gives its number; the result comes as [`EventKind::Result`](crate::EventKind::Result).
    pub fn start(self) -> Result<u64> {
        let mut request = 0;
        check((self.start?)(None, null_mut(), None, &mut request))?;
        Ok(request)
    }

    /// Makes the call; `body` hears of its end on the thread that dispatches, and is dropped unheard when events are
    /// pulled. Gives the call's number.
    pub fn then(self, body: impl FnOnce(Outcome) + Send + 'static) -> Result<u64> {
        let start = self.start?;
        let data = Completion::boxed(&self.core.shared, Box::new(body));
        let mut request = 0;
        check(start(Some(on_result), data, Some(destroy::<Completion>), &mut request))?;
        Ok(request)
    }

    /// Makes the call and drains events until it is complete. Live lists follow meanwhile; the events themselves are
    /// kept and come from the next [`Client::next_event`](crate::Client::next_event), in order.
    ///
    /// Fails with what the call failed with; with [`ErrorKind::Timeout`] when `timeout` is over, where the call goes on
    /// and its result comes as an event; with [`ErrorKind::Busy`] or [`ErrorKind::Reentrant`], the call not made, when
    /// another thread drains or a callback runs on this one.
    pub fn wait(self, timeout: impl Into<Option<Duration>>) -> Result<Outcome> {
        let end = timeout.into().map(|timeout| Instant::now() + timeout);
        let core = self.core;
        let mut draining = core.begin_draining()?;
        let request = self.start()?;
        loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let event = core.pull(&mut draining, left)?;
            if let Some(event) = event {
                if let crate::EventKind::Result(outcome) = &event.kind {
                    if outcome.request() == request {
                        return outcome.clone().ok();
                    }
                }
                draining.push_back(event);
            } else if left.map_or(false, |left| left.is_zero()) {
                return Err(Error::new(ErrorKind::Timeout, "the call was not complete in time"));
            }
        }
    }

    /// Makes the call; the future is ready once its result was drained, by whatever means the program drains.
    pub fn future(self) -> Result<Reply> {
        let slot = Arc::new(Mutex::new(Slot::default()));
        let core = self.core;
        let mut slots = lock(&core.shared.slots);
        let request = self.start()?;
        slots.insert(request, slot.clone());
        drop(slots);
        Ok(Reply { request, slot, core: core.clone() })
    }
}

/// The future of a call. Dropping it does not end the call. Since 0.1.
#[must_use = "futures do nothing unless polled; start() makes a call whose end nobody waits for"]
pub struct Reply {
    request: u64,
    slot: Arc<Mutex<Slot>>,
    core: Arc<Core>,
}

impl Reply {
    /// The number of the call.
    pub fn request(&self) -> u64 {
        self.request
    }
}

impl Future for Reply {
    type Output = Result<Outcome>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Outcome>> {
        let mut slot = lock(&self.slot);
        match slot.outcome.take() {
            Some(outcome) => Poll::Ready(outcome.ok()),
            None => {
                slot.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        lock(&self.core.shared.slots).remove(&self.request);
    }
}
