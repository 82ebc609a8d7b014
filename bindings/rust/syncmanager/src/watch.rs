//! Waking tasks that wait for a client's queue, whatever their runtime: a descriptor that is readable while events
//! wait, and a thread that watches it for tasks without a reactor.

use std::collections::HashMap;
use std::io;
use std::mem;
use std::os::unix::io::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Condvar, Mutex};
use std::task::Waker;
use std::thread::Builder;

use crate::error::{Error, ErrorKind, Result};
use crate::locks::lock;

/// Readable while it is raised: an eventfd.
pub(crate) struct Signal(OwnedFd);

impl Signal {
    fn new() -> io::Result<Signal> {
        // SAFETY: a new descriptor, which nobody else has.
        owned(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) }).map(Signal)
    }

    pub(crate) fn raise(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: eight bytes to a descriptor that is open. When its counter is full it is readable anyway.
        unsafe { libc::write(self.0.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }

    pub(crate) fn lower(&self) {
        let mut count = [0u8; 8];
        // SAFETY: eight bytes from a descriptor that is open. One that was not raised has nothing to read.
        unsafe { libc::read(self.0.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
    }
}

fn owned(descriptor: RawFd) -> io::Result<OwnedFd> {
    match descriptor {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: the caller has just been given it.
        descriptor => Ok(unsafe { OwnedFd::from_raw_fd(descriptor) }),
    }
}

fn no_resource(error: io::Error) -> Error {
    Error::new(ErrorKind::Internal, error.to_string())
}

/// One for each client of which calls are awaited, or whose descriptor was asked for.
pub(crate) struct Watch {
    /// The library's descriptor, readable while its queue holds something. A copy, so that it outlives the client.
    queue: OwnedFd,
    /// Raised while events wait that futures have drained.
    pub(crate) kept: Arc<Signal>,
    /// Both descriptors together, for a reactor.
    both: OwnedFd,
    /// Ends the thread, which may be waiting for the queue.
    stop: Signal,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The tasks that wait for the queue, by their tickets: futures of calls, and event streams.
    futures: HashMap<u64, Waker>,
    streams: HashMap<u64, Waker>,
    tickets: u64,
    /// A task found the queue empty, so it is watched.
    is_armed: bool,
    has_thread: bool,
    has_ended: bool,
}

impl Watch {
    /// `queue` is the descriptor of a client that is open.
    pub(crate) fn new(queue: RawFd) -> Result<Watch> {
        Watch::made(queue).map_err(no_resource)
    }

    fn made(queue: RawFd) -> io::Result<Watch> {
        // SAFETY: it is open: the client is.
        let queue = unsafe { BorrowedFd::borrow_raw(queue) }.try_clone_to_owned()?;
        let (kept, stop) = (Arc::new(Signal::new()?), Signal::new()?);
        // SAFETY: a new descriptor, which nobody else has.
        let both = owned(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) })?;
        for descriptor in [queue.as_raw_fd(), kept.0.as_raw_fd()] {
            let mut event = libc::epoll_event { events: libc::EPOLLIN as u32, u64: 0 };
            // SAFETY: three descriptors that are open; `event` is copied.
            if unsafe { libc::epoll_ctl(both.as_raw_fd(), libc::EPOLL_CTL_ADD, descriptor, &mut event) } == -1 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(Watch { queue, kept, both, stop, state: Mutex::default(), changed: Condvar::new() })
    }

    /// Readable while the library's queue holds something or drained events wait.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.both.as_raw_fd()
    }

    /// Starts the thread "sm-wake", unless it runs. It is not joined: it may itself drop the last owner of a client,
    /// and call wakers that take a lock which the thread that closes the client holds. It uses nothing but this.
    pub(crate) fn start(self: &Arc<Watch>) -> Result<()> {
        let mut state = lock(&self.state);
        if !state.has_thread {
            let watch = self.clone();
            Builder::new().name("sm-wake".into()).spawn(move || watch.run()).map_err(no_resource)?;
            state.has_thread = true;
        }
        Ok(())
    }

    /// Ends the thread, and wakes all tasks for the last time.
    pub(crate) fn end(&self) {
        lock(&self.state).has_ended = true;
        self.changed.notify_one();
        self.stop.raise();
        self.wake_all();
    }

    /// A ticket for a task that will wait.
    pub(crate) fn ticket(&self) -> u64 {
        let mut state = lock(&self.state);
        state.tickets += 1;
        state.tickets
    }

    /// Registers a task that waits for a result. It is woken once, when there may be something for it; it has to check
    /// after this call and after it is woken.
    pub(crate) fn register_future(&self, ticket: u64, waker: &Waker) {
        let replaced = lock(&self.state).futures.insert(ticket, waker.clone());
        drop(replaced); // with the lock free: it is the executor's code
    }

    /// The same for one that waits for events.
    pub(crate) fn register_stream(&self, ticket: u64, waker: &Waker) {
        let replaced = lock(&self.state).streams.insert(ticket, waker.clone());
        drop(replaced);
    }

    pub(crate) fn forget(&self, ticket: u64) {
        let mut state = lock(&self.state);
        let forgotten = (state.futures.remove(&ticket), state.streams.remove(&ticket));
        drop(state);
        drop(forgotten);
    }

    /// Watches the queue until it is readable, and wakes all tasks then. It is level-triggered, so events that have
    /// just come count.
    pub(crate) fn arm(&self) {
        lock(&self.state).is_armed = true;
        self.changed.notify_one();
    }

    /// Wakes all tasks that wait, since a single one may not be polled for a long time.
    fn wake_all(&self) {
        let futures = mem::take(&mut lock(&self.state).futures);
        futures.into_iter().for_each(|(_, waker)| waker.wake());
        self.wake_streams();
    }

    /// Wakes the tasks that wait for events, since some were drained and kept.
    pub(crate) fn wake_streams(&self) {
        let streams = mem::take(&mut lock(&self.state).streams);
        streams.into_iter().for_each(|(_, waker)| waker.wake());
    }

    fn run(&self) {
        let mut state = lock(&self.state);
        while !state.has_ended {
            if !state.is_armed {
                state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
                continue;
            }
            drop(state);
            let mut descriptors = [self.queue.as_raw_fd(), self.stop.0.as_raw_fd()].map(|fd| libc::pollfd {
                fd,
                events: libc::POLLIN,
                revents: 0,
            });
            // SAFETY: two descriptors that are `self`'s. An interrupted wait wakes for nothing, which is allowed.
            unsafe { libc::poll(descriptors.as_mut_ptr(), 2, -1) };
            lock(&self.state).is_armed = false;
            self.wake_all();
            state = lock(&self.state);
        }
    }
}
