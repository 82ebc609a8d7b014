//! The turn to drain a client's queue: one thread has it at a time.

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
    /// A future wanted to drain and could not. The thread that ends the turn wakes it.
    was_refused: bool,
}

struct Holder {
    thread: ThreadId,
    /// The turn of a future, which takes waiting events and never waits, so no other is refused because of it.
    is_brief: bool,
}

impl Turns {
    /// Takes the turn for this thread, for any time.
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

    /// The same, after all others have ended their turns, for closing.
    pub(crate) fn begin_last(&self) {
        let mut state = lock(&self.state);
        while state.holder.is_some() {
            state = self.freed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        state.holder = Some(Holder { thread: thread::current().id(), is_brief: false });
    }

    /// Takes the turn to drain waiting events, unless another thread has it.
    pub(crate) fn begin_brief(&self) -> bool {
        let mut state = lock(&self.state);
        if state.holder.is_some() {
            state.was_refused = true;
            return false;
        }
        state.holder = Some(Holder { thread: thread::current().id(), is_brief: true });
        true
    }

    /// Ends the turn; returns whether a future was refused meanwhile.
    pub(crate) fn end(&self) -> bool {
        let mut state = lock(&self.state);
        state.holder = None;
        self.freed.notify_all();
        std::mem::take(&mut state.was_refused)
    }
}
