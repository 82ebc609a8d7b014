//! Events for async programs, whatever their runtime.

use std::ops::Deref;
use std::os::unix::io::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use futures_core::Stream;

use crate::client::Client;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::shared::lock;

/// The events of a client as a [`Stream`], for any async runtime. It ends when the client closes.
///
/// It drains the client's queue: whoever awaits [`Reply`](crate::Reply) futures keeps it polled. `C` is a reference or
/// an `Arc<Client>`. While nothing waits, a thread of its own ("sm-stream") watches the client's descriptor. Feature
/// `stream`. Since 0.1.
pub struct EventStream<C: Deref<Target = Client>> {
    client: C,
    watch: Arc<Watch>,
    thread: Option<JoinHandle<()>>,
}

/// What the stream and its thread share.
struct Watch {
    state: Mutex<State>,
    changed: Condvar,
    /// Readable when the thread should end: it may be waiting for the client's descriptor then.
    stop: OwnedFd,
}

#[derive(Default)]
struct State {
    waker: Option<Waker>,
    ended: bool,
}

impl<C: Deref<Target = Client>> EventStream<C> {
    /// Starts the thread. Fails with `Closed`, or with `Internal` when the system has no thread or descriptor left.
    pub fn new(client: C) -> Result<EventStream<C>> {
        let queue = client.as_raw_fd();
        if queue < 0 {
            return Err(Error::new(ErrorKind::Closed, "the client is closed"));
        }
        // The descriptor itself ends with the client; this one when the thread does.
        // SAFETY: it is open: the client is.
        let queue = unsafe { BorrowedFd::borrow_raw(queue) }.try_clone_to_owned().map_err(no_resource)?;
        // SAFETY: a new descriptor, which nobody else has.
        let stop = unsafe {
            match libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) {
                -1 => return Err(no_resource(std::io::Error::last_os_error())),
                descriptor => OwnedFd::from_raw_fd(descriptor),
            }
        };
        let watch = Arc::new(Watch { state: Mutex::default(), changed: Condvar::new(), stop });
        let watching = watch.clone();
        let thread = Builder::new()
            .name("sm-stream".into())
            .spawn(move || watching.run(queue.as_raw_fd()))
            .map_err(no_resource)?;
        Ok(EventStream { client, watch, thread: Some(thread) })
    }
}

fn no_resource(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Internal, error.to_string())
}

impl Watch {
    /// Waits until somebody wants to be woken, then for the queue, then wakes them.
    fn run(&self, queue: RawFd) {
        let mut state = lock(&self.state);
        while !state.ended {
            if state.waker.is_none() {
                state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
                continue;
            }
            drop(state);
            let mut descriptors =
                [queue, self.stop.as_raw_fd()].map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
            // SAFETY: two descriptors that stay open: one is this thread's, the other is in `self`. An interrupted wait
            // wakes the stream for nothing, which is allowed.
            unsafe { libc::poll(descriptors.as_mut_ptr(), 2, -1) };
            state = lock(&self.state);
            if let Some(waker) = state.waker.take() {
                drop(state);
                waker.wake();
                state = lock(&self.state);
            }
        }
    }
}

impl<C: Deref<Target = Client> + Unpin> Stream for EventStream<C> {
    type Item = Result<Event>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Event>>> {
        match self.client.next_event(Duration::ZERO) {
            Ok(Some(event)) => Poll::Ready(Some(Ok(event))),
            Ok(None) => {
                // The descriptor is level-triggered: an event that came just now is seen by the thread.
                lock(&self.watch.state).waker = Some(context.waker().clone());
                self.watch.changed.notify_one();
                Poll::Pending
            }
            Err(error) if error.kind() == ErrorKind::Closed => Poll::Ready(None),
            Err(error) => Poll::Ready(Some(Err(error))),
        }
    }
}

impl<C: Deref<Target = Client>> Drop for EventStream<C> {
    fn drop(&mut self) {
        lock(&self.watch.state).ended = true;
        self.watch.changed.notify_one();
        let one = 1u64.to_ne_bytes();
        // SAFETY: eight bytes to a descriptor that is open. It cannot be full: it is written once.
        unsafe { libc::write(self.watch.stop.as_raw_fd(), one.as_ptr().cast(), one.len()) };
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it panics only if a waker does, whose hook has told of it
        }
    }
}
