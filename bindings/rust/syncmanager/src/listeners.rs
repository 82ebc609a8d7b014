//! The program's closures, and which of them gets an event.

use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex};

use crate::error::{Error, ErrorKind, Result};
use crate::event::{Event, EventKind};
use crate::locks::lock;
use crate::outcome::Outcome;
use crate::running::Running;

pub(crate) type EventBody = Box<dyn FnMut(&Event) + Send>;
pub(crate) type ResultBody = Box<dyn FnOnce(Outcome) + Send>;

/// A closure for events. Its lock is held while it runs, so it runs on one thread at a time, and never inside itself.
type Listener = Arc<Mutex<EventBody>>;

/// The closures of one client. The library has one callback, which calls this; so do those who drained events in other
/// ways.
#[derive(Default)]
pub(crate) struct Listeners {
    table: Mutex<Table>,
    pub(crate) running: Running,
}

#[derive(Default)]
struct Table {
    client: Option<Listener>,
    collections: HashMap<u64, Listener>,
    results: HashMap<u64, ResultBody>,
    has_ended: bool,
}

impl Listeners {
    /// Sets the closure for events of no collection, and of collections without a closure. `None` removes it.
    pub(crate) fn set_client(&self, body: Option<EventBody>) -> Result<()> {
        self.change(|table| mem::replace(&mut table.client, body.map(listener)))
    }

    /// Sets the closure for the events of a collection.
    pub(crate) fn set_collection(&self, collection: u64, body: Option<EventBody>) -> Result<()> {
        self.change(|table| match body {
            Some(body) => table.collections.insert(collection, listener(body)),
            None => table.collections.remove(&collection),
        })
    }

    fn change(&self, change: impl FnOnce(&mut Table) -> Option<Listener>) -> Result<()> {
        let mut table = lock(&self.table);
        if table.has_ended {
            return Err(Error::new(ErrorKind::Closed, "the client is closed"));
        }
        let before = change(&mut table);
        drop(table);
        // A closure that is running is dropped when it has returned.
        self.running.run(|| drop(before));
        Ok(())
    }

    /// Removes the closure of a collection; waits for it when another thread runs it.
    pub(crate) fn remove_collection(&self, collection: u64) {
        let before = lock(&self.table).collections.remove(&collection);
        if let Some(before) = before {
            if !self.running.is_here() {
                drop(lock(&before));
            }
            self.running.run(|| drop(before));
        }
    }

    /// Sets the closure for the result of the call that `start` makes. The table is locked meanwhile: with threaded
    /// delivery the result may come before `start` has returned.
    pub(crate) fn start(&self, body: ResultBody, start: impl FnOnce() -> Result<u64>) -> Result<u64> {
        let mut table = lock(&self.table);
        let started = start();
        match &started {
            Ok(request) => drop(table.results.insert(*request, body)),
            Err(_) => {
                drop(table);
                self.running.run(|| drop(body));
            }
        }
        started
    }

    /// Removes the closure of a call whose result was given in another way.
    pub(crate) fn forget_result(&self, request: u64) {
        let body = lock(&self.table).results.remove(&request);
        if body.is_some() {
            self.running.run(|| drop(body));
        }
    }

    /// Runs the closure for this event, if there is one.
    pub(crate) fn tell(&self, event: &Event) {
        let mut table = lock(&self.table);
        if let EventKind::Result(outcome) = &event.kind {
            if let Some(body) = table.results.remove(&outcome.request()) {
                drop(table);
                return self.running.run(|| body(outcome.clone()));
            }
        }
        let own = match event.kind {
            EventKind::Result(_) => None, // though it may name a collection
            _ => event.collection.and_then(|collection| table.collections.get(&collection)),
        };
        let listener = own.or(table.client.as_ref()).cloned();
        drop(table);
        if let Some(listener) = listener {
            self.running.run(move || {
                let mut body = lock(&listener);
                (*body)(event);
            });
        }
    }

    /// The client is closed: no closure runs any more.
    pub(crate) fn end(&self) {
        let mut table = lock(&self.table);
        table.has_ended = true;
        let left = (table.client.take(), mem::take(&mut table.collections), mem::take(&mut table.results));
        drop(table);
        let (client, collections, results) = left;
        // Each by itself, so that a panic of one does not leave the others.
        self.running.run(|| drop(client));
        collections.into_iter().for_each(|(_, listener)| self.running.run(|| drop(listener)));
        results.into_iter().for_each(|(_, body)| self.running.run(|| drop(body)));
    }
}

fn listener(body: EventBody) -> Listener {
    Arc::new(Mutex::new(body))
}
