//! What a client, its collections and its callbacks share: the live lists, the futures that wait for results, the
//! closures, and the events that were drained for later.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::task::Waker;

use crate::error::{Error, Result};
use crate::event::{Event, EventKind};
use crate::kept::Kept;
use crate::listeners::Listeners;
use crate::lists::Lists;
use crate::locks::lock;
use crate::sections::Sections;

/// Where a result is put for the future that waits for it.
#[derive(Default)]
pub(crate) struct Slot {
    pub(crate) event: Option<Event>,
    pub(crate) waker: Option<Waker>,
}

pub(crate) struct Shared {
    /// Held while a collection is made, so that an event that comes at once finds it.
    pub(crate) lists: Mutex<HashMap<u64, Arc<Mutex<Lists>>>>,
    /// Held while a call is started, so that a result that comes at once finds its future.
    pub(crate) slots: Mutex<HashMap<u64, Arc<Mutex<Slot>>>>,
    pub(crate) listeners: Listeners,
    pub(crate) kept: Mutex<Kept>,
    /// Futures whose results came. Their tasks are woken when no lock is held.
    woken: Mutex<Vec<Waker>>,
    /// The error of a change that did not fit its list, until it can be given to a caller.
    fault: Mutex<Option<Error>>,
}

impl Shared {
    /// `limit`: how many events may wait.
    pub(crate) fn new(limit: usize) -> Shared {
        Shared {
            lists: Mutex::default(),
            slots: Mutex::default(),
            listeners: Listeners::default(),
            kept: Mutex::new(Kept::new(limit)),
            woken: Mutex::default(),
            fault: Mutex::default(),
        }
    }

    /// Applies an event to the live lists, and gives a result to the future that awaits it; no other gets that result
    /// then. Every event passes here once, in whichever way it was drained, before the program gets it.
    pub(crate) fn take_in(&self, mut event: Event) -> Option<Event> {
        match &mut event.kind {
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
                if let Some(slot) = slot {
                    let mut slot = lock(&slot);
                    slot.event = Some(event);
                    lock(&self.woken).extend(slot.waker.take());
                    return None;
                }
            }
            _ => (),
        }
        Some(event)
    }

    fn change_rows(&self, stream: u64, change: impl FnOnce(&mut Sections) -> Result<()>) {
        let lists = lock(&self.lists).get(&stream).cloned();
        if let Some(Err(error)) = lists.map(|lists| change(&mut lock(&lists).rows)) {
            lock(&self.fault).get_or_insert(error);
        }
    }

    /// Wakes the tasks whose results came.
    pub(crate) fn wake(&self) {
        let woken = std::mem::take(&mut *lock(&self.woken));
        woken.into_iter().for_each(Waker::wake);
    }

    /// The next of the events that were drained for later. Only for the one who drains: a collection that lagged starts
    /// over with its current lists.
    pub(crate) fn take_kept(&self) -> Option<Event> {
        let lists = |collection| lock(&self.lists).get(&collection).cloned();
        lock(&self.kept)
            .pop(|restart| lists(restart.collection).map_or_else(Vec::new, |lists| lock(&lists).restart(restart)))
    }

    /// No more events of a collection are told.
    pub(crate) fn remove_collection(&self, number: u64) {
        lock(&self.lists).remove(&number);
        lock(&self.kept).remove(number);
        self.listeners.remove_collection(number);
    }

    pub(crate) fn take_fault(&self) -> Result<()> {
        lock(&self.fault).take().map_or(Ok(()), Err)
    }
}
