//! Marks code of the program that the library calls, so that nothing waits for itself, and no panic goes through C.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Mutex;

use crate::locks::lock;

thread_local! {
    /// The clients whose closures run on this thread, the innermost last.
    static RUNNING: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// The closures of one client.
#[derive(Default)]
pub(crate) struct Running {
    /// The payload of the first panic of a closure, until it can be raised in a caller of this crate.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Running {
    fn identity(&self) -> usize {
        self as *const Running as usize
    }

    /// Whether a closure of this client runs on this thread, so that waiting for the queue would wait for itself.
    pub(crate) fn is_here(&self) -> bool {
        RUNNING.with(|running| running.borrow().contains(&self.identity()))
    }

    /// Runs code of the program; a panic of it is kept for [`take_panic`](Running::take_panic).
    pub(crate) fn run(&self, body: impl FnOnce()) {
        RUNNING.with(|running| running.borrow_mut().push(self.identity()));
        if let Err(panic) = catch_unwind(AssertUnwindSafe(body)) {
            lock(&self.panic).get_or_insert(panic);
        }
        RUNNING.with(|running| running.borrow_mut().pop());
    }

    pub(crate) fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        lock(&self.panic).take()
    }
}
