//! What a client, its collections and its callbacks share: the live lists, and who waits for which result.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;

use crate::error::{Error, Result};
use crate::event::{Change, Event, EventKind, List, Outcome};
use crate::json::Json;
use crate::rows::Sections;

/// A panic in a callback leaves these tables as they were: no lock is held while a callback runs.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The lists of one collection, as its changes made them.
#[derive(Default)]
pub(crate) struct Lists {
    pub(crate) shown: VecDeque<Json>,
    pub(crate) pending: VecDeque<Json>,
    pub(crate) failed: VecDeque<Json>,
    /// Of a stream: its sections.
    pub(crate) rows: Sections,
}

impl Lists {
    fn apply(&mut self, change: &Change) -> Result<()> {
        change.apply(match change.list {
            List::Channels | List::Succeeded => &mut self.shown,
            List::Pending => &mut self.pending,
            List::Failed => &mut self.failed,
        })
    }
}

/// Where a result is put for the future that waits for it.
#[derive(Default)]
pub(crate) struct Slot {
    pub(crate) outcome: Option<Outcome>,
    pub(crate) waker: Option<Waker>,
}

#[derive(Default)]
pub(crate) struct Shared {
    /// Held while a collection is made, so that an event that comes at once finds it.
    pub(crate) lists: Mutex<HashMap<u64, Arc<Mutex<Lists>>>>,
    /// Held while a call is started, so that a result that comes at once finds who waits for it.
    pub(crate) slots: Mutex<HashMap<u64, Arc<Mutex<Slot>>>>,
    /// What the first callback that panicked had to say, until a caller of this crate can be told.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// A change that did not fit its list, until a caller can be told.
    fault: Mutex<Option<Error>>,
}

impl Shared {
    /// Brings the live lists up to date and hands a result to its future. Every event passes here, however it is
    /// drained, before the program sees it.
    pub(crate) fn take_in(&self, event: &Event) {
        match &event.kind {
            EventKind::Change(change) => {
                let lists = lock(&self.lists).get(&change.collection).cloned();
                if let Some(Err(error)) = lists.map(|lists| lock(&lists).apply(change)) {
                    lock(&self.fault).get_or_insert(error);
                }
            }
            EventKind::StreamBatch(batch) => self.change_rows(batch.collection, |rows| rows.apply(batch)),
            EventKind::StreamStep(step) => self.change_rows(step.collection, |rows| rows.apply_step(step)),
            EventKind::Result(outcome) => {
                let slot = lock(&self.slots).remove(&outcome.request());
                let waker = slot.and_then(|slot| {
                    let mut slot = lock(&slot);
                    slot.outcome = Some(outcome.clone());
                    slot.waker.take()
                });
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
            _ => (),
        }
    }

    fn change_rows(&self, stream: u64, change: impl FnOnce(&mut Sections) -> Result<()>) {
        let lists = lock(&self.lists).get(&stream).cloned();
        if let Some(Err(error)) = lists.map(|lists| change(&mut lock(&lists).rows)) {
            lock(&self.fault).get_or_insert(error);
        }
    }

    /// Runs code of the program below a C frame, which no panic may cross.
    pub(crate) fn guarded(&self, body: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(body)) {
            lock(&self.panic).get_or_insert(panic);
        }
    }

    pub(crate) fn take_panic(&self) -> Option<Box<dyn Any + Send>> {
        lock(&self.panic).take()
    }

    pub(crate) fn take_fault(&self) -> Result<()> {
        lock(&self.fault).take().map_or(Ok(()), Err)
    }
}
