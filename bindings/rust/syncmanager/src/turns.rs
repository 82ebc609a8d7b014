//! Whose turn it is to drain a client's queue: one thread's at a time.

use std::sync::{Condvar, Mutex};
use std::thread::{self, ThreadId};

use crate::error::{Error, ErrorKind, Result};
use crate::locks::lock;

#[derive(Default)]
pub(crate) struct Turns {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    holder: Option<Holder>,
    /// A future would have drained and could not. Who ends the turn sees to it that it is woken.
    was_refused: bool,
}

struct Holder {
    thread: ThreadId,
    /// A future that looks what there is, and never waits: nobody is refused because of it.
    is_brief: bool,
}

impl Turns {
    /// Makes this thread the one that drains, for as long as it likes.
    pub(crate) fn begin(&self) -> Result<()> {
        let own = thread::current().id();
        let mut state = lock(&self.state);
        loop {
            match &state.holder {
                None => break,
                Some(holder) if holder.is_brief && holder.thread != own => {
                    state = self.freed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
                }
                Some(_) => {
                    return Err(Error::new(ErrorKind::Busy, "another thread is draining this client's queue"));
                }
            }
        }
        state.holder = Some(Holder { thread: own, is_brief: false });
        Ok(())
    }

    /// The same once everybody else has ended, for closing.
    pub(crate) fn begin_last(&self) {
        let mut state = lock(&self.state);
        while state.holder.is_some() {
            state = self.freed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        state.holder = Some(Holder { thread: thread::current().id(), is_brief: false });
    }

    /// Makes this thread the one that drains what is there, unless it is somebody's turn.
    pub(crate) fn begin_brief(&self) -> bool {
        let mut state = lock(&self.state);
        if state.holder.is_some() {
            state.was_refused = true;
            return false;
        }
        state.holder = Some(Holder { thread: thread::current().id(), is_brief: true });
        true
    }

    /// Ends it; gives whether a future was refused meanwhile.
    pub(crate) fn end(&self) -> bool {
        let mut state = lock(&self.state);
        state.holder = None;
        self.freed.notify_all();
        std::mem::take(&mut state.was_refused)
    }
}
