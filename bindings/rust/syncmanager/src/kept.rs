//! Events that `Call::wait` or a future has drained besides its result. They are kept here for the next one who asks
//! for events, and bounded like the library's own queue.

use std::collections::{BTreeMap, VecDeque};
use std::mem::discriminant;
use std::sync::Arc;

use crate::event::{Event, EventKind};
use crate::watch::Signal;

/// The library's own least number of calls whose results may wait.
const LEAST_RESULTS: usize = 1000;

pub(crate) struct Kept {
    events: VecDeque<Event>,
    limit: usize,
    /// How many of the events are results.
    results: usize,
    /// Collections of which events were dropped because the queue was full, and how many. No event of them is kept
    /// until they start over.
    lagging: BTreeMap<u64, u64>,
    /// The sequence number of the last drained event, which events that are made here get, too.
    last: (u64, i64),
    /// Raised while events wait, when a task or a program watches it.
    signal: Option<Arc<Signal>>,
}

impl Kept {
    /// `limit`: the client's `queue_limit`.
    pub(crate) fn new(limit: usize) -> Kept {
        Kept { events: VecDeque::new(), limit, results: 0, lagging: BTreeMap::new(), last: (0, 0), signal: None }
    }

    pub(crate) fn tell(&mut self, signal: Arc<Signal>) {
        self.signal = Some(signal);
        self.show();
    }

    fn show(&self) {
        if let Some(signal) = &self.signal {
            if self.events.is_empty() && self.lagging.is_empty() {
                signal.lower();
            } else {
                signal.raise();
            }
        }
    }

    /// Whether so many results wait that calls without a waiter are refused, as the library does it.
    pub(crate) fn is_full_of_results(&self) -> bool {
        self.results >= self.limit.max(LEAST_RESULTS)
    }

    /// Keeps an event or drops it. Results are kept; of a state only the latest event is; a collection whose event does
    /// not fit starts over later.
    pub(crate) fn push(&mut self, event: Event) {
        self.last = (event.seq, event.ts);
        let is_full = self.events.len() >= self.limit;
        match (&event.kind, event.collection) {
            (EventKind::Result(_), _) => {
                self.results += 1;
                self.events.push_back(event);
            }
            (EventKind::SyncProgress { .. }, _) if is_full => (),
            // What waits of a channel is summed up.
            (EventKind::CacheTrimmed { channel_url, messages, bytes }, _) => {
                let waiting = self.events.iter_mut().find_map(|kept| match &mut kept.kind {
                    EventKind::CacheTrimmed { channel_url: url, messages, bytes } if url == channel_url => {
                        Some((messages, bytes))
                    }
                    _ => None,
                });
                if let Some((sum, sum_of_bytes)) = waiting {
                    *sum = sum.saturating_add(*messages);
                    *sum_of_bytes = sum_of_bytes.saturating_add(*bytes);
                } else if !is_full {
                    self.events.push_back(event);
                }
            }
            // Of these, and of each file, only the latest waits, however many events there is room for.
            (
                EventKind::UploadProgress { .. }
                | EventKind::DownloadProgress { .. }
                | EventKind::ExportProgress { .. }
                | EventKind::SearchProgress { .. }
                | EventKind::CacheFull { .. },
                _,
            ) => {
                self.forget(|kept| is_same_state(kept, &event));
                self.events.push_back(event);
            }
            // Told even when the collection lags, since the lists of a collection that starts over do not show it.
            (EventKind::HugeGap { .. } | EventKind::ChannelRemoved { .. } | EventKind::StreamLoaded { .. }, _)
            | (
                EventKind::Connection(_)
                | EventKind::SyncState(_)
                | EventKind::UnreadCounts { .. }
                | EventKind::TokenNeeded { .. }
                | EventKind::StorageError { .. }
                | EventKind::DatabaseValue { .. }
                | EventKind::DatabaseTokenNeeded,
                _,
            ) => {
                if is_full {
                    self.forget(|kept| is_same_state(kept, &event));
                }
                self.events.push_back(event);
            }
            (_, Some(collection)) if is_full || self.lagging.contains_key(&collection) => {
                *self.lagging.entry(collection).or_default() += 1;
            }
            _ => self.events.push_back(event),
        }
        self.show();
    }

    /// The next event. `whole` gives the events by which a collection starts over, as its lists stand now: after
    /// everything that was drained.
    pub(crate) fn pop(&mut self, mut whole: impl FnMut(&Restart) -> Vec<Event>) -> Option<Event> {
        if !self.lagging.is_empty() && self.events.len() <= self.limit / 2 {
            for (collection, dropped) in std::mem::take(&mut self.lagging) {
                let (seq, ts) = self.last;
                self.events.extend(whole(&Restart { collection, dropped, seq, ts }));
            }
        }
        let event = self.events.pop_front();
        self.results -= usize::from(matches!(&event, Some(Event { kind: EventKind::Result(_), .. })));
        self.show();
        event
    }

    /// Drops the events of a removed collection, except results.
    pub(crate) fn remove(&mut self, collection: u64) {
        self.lagging.remove(&collection);
        self.forget(|kept| kept.collection == Some(collection) && !matches!(kept.kind, EventKind::Result(_)));
        self.show();
    }

    fn forget(&mut self, is_meant: impl Fn(&Event) -> bool) {
        self.events.retain(|kept| !is_meant(kept));
    }
}

/// Whether an event is of the state that another one tells.
fn is_same_state(one: &Event, other: &Event) -> bool {
    let listen = |event: &Event| match &event.kind {
        EventKind::DatabaseValue { listen, .. } => Some(*listen),
        EventKind::DownloadProgress { request, .. } | EventKind::ExportProgress { request, .. } => Some(*request),
        _ => None,
    };
    let file = |event: &Event| match &event.kind {
        EventKind::UploadProgress { request_id, file, .. } => Some((request_id.clone(), *file)),
        _ => None,
    };
    discriminant(&one.kind) == discriminant(&other.kind)
        && one.collection == other.collection
        && listen(one) == listen(other)
        && file(one) == file(other)
}

/// A collection that starts over: the number and time for its events, and how many were dropped.
pub(crate) struct Restart {
    pub(crate) collection: u64,
    pub(crate) dropped: u64,
    pub(crate) seq: u64,
    pub(crate) ts: i64,
}
