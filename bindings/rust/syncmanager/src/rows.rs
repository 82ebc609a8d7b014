//! Streams: sorted, filtered, limited lists of any rows, perhaps in sections, told in batches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use syncmanager_sys as sys;

use crate::call::{Call, Start};
use crate::callback::{destroy, on_row, RowFunction, RowJudge};
use crate::client::Client;
use crate::collection::Collection;
use crate::core::{Core, NOBODY};
use crate::document::{StreamRequest, StreamSpec};
use crate::error::{Error, ErrorKind, Result};
use crate::event::{Event, EventKind, StreamBatch, StreamRow, StreamStep};
use crate::json::Json;
use crate::shared::lock;

/// A row of a stream. Since 0.1.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// Unique within the stream.
    pub key: String,
    /// Any JSON value.
    pub item: Json,
}

/// The sections of a stream as its batches made them, by the numbers that are told.
#[derive(Default)]
pub(crate) struct Sections(BTreeMap<usize, Vec<Row>>);

impl Sections {
    pub(crate) fn apply(&mut self, batch: &StreamBatch) -> Result<()> {
        if batch.reset {
            self.0.clear();
        }
        let left = batch.moved.iter().filter_map(|row| row.from);
        self.take_out(batch.deleted.iter().map(|row| row.path).chain(left).collect())?;
        self.put_in(batch.added.iter().chain(&batch.moved).collect())?;
        self.replace(&batch.changed)
    }

    pub(crate) fn apply_step(&mut self, step: &StreamStep) -> Result<()> {
        match step.step.as_str() {
            "deleted" => self.take_out(step.rows.iter().map(|row| row.path).collect()),
            "added" => self.put_in(step.rows.iter().collect()),
            "changed" => self.replace(&step.rows),
            _ => Ok(()),
        }
    }

    fn take_out(&mut self, mut paths: Vec<(usize, usize)>) -> Result<()> {
        paths.sort_unstable();
        for path in paths.into_iter().rev() {
            match self.0.get_mut(&path.0) {
                Some(rows) if path.1 < rows.len() => drop(rows.remove(path.1)),
                _ => return misfit(path),
            }
        }
        Ok(())
    }

    fn put_in(&mut self, mut rows: Vec<&StreamRow>) -> Result<()> {
        rows.sort_by_key(|row| row.path);
        for row in rows {
            let section = self.0.entry(row.path.0).or_default();
            match &row.item {
                Some(item) if row.path.1 <= section.len() => {
                    section.insert(row.path.1, Row { key: row.key.clone(), item: item.detached() })
                }
                _ => return misfit(row.path),
            }
        }
        Ok(())
    }

    fn replace(&mut self, rows: &[StreamRow]) -> Result<()> {
        for row in rows {
            let place = self.0.get_mut(&row.path.0).and_then(|rows| rows.get_mut(row.path.1));
            match (place, &row.item) {
                (Some(place), Some(item)) => *place = Row { key: row.key.clone(), item: item.detached() },
                _ => return misfit(row.path),
            }
        }
        Ok(())
    }
}

fn misfit(path: (usize, usize)) -> Result<()> {
    Err(Error::new(ErrorKind::Internal, format!("a change at {path:?} does not fit its stream")))
}

/// A live list of rows, perhaps in sections. Dropping it ends it; streams made of it keep its rows. Since 0.1.
pub struct RowStream {
    collection: Collection,
    titles: Vec<String>,
    first: usize,
}

impl RowStream {
    pub(crate) fn open(core: &Arc<Core>, spec: &StreamSpec, function: Option<RowFunction>) -> Result<RowStream> {
        let text = spec.0.to_c()?;
        let collection = Collection::open(core, |out| match function {
            Some(function) => {
                let data = RowJudge::boxed(&core.shared, function);
                // SAFETY: the function and its data belong together, and are freed once, also on failure.
                unsafe {
                    sys::sm_stream_open(
                        core.handle.0,
                        text.as_ptr(),
                        Some(on_row),
                        data,
                        Some(destroy::<RowJudge>),
                        out,
                    )
                }
            }
            // SAFETY: no function, no data.
            None => unsafe { sys::sm_stream_open(core.handle.0, text.as_ptr(), None, NOBODY, None, out) },
        })?;
        let mut stream = RowStream { collection, titles: Vec::new(), first: 0 };
        let info = stream.info()?;
        let titles = info.get("sections").into_iter().flat_map(|list| list.elements().collect::<Vec<_>>());
        stream.titles = titles.map(|section| section.text_at("title").unwrap_or_default()).collect();
        let section = info.get("stream").and_then(|spec| spec.u64_at("section"));
        stream.first = section.and_then(|section| usize::try_from(section).ok()).unwrap_or_default();
        Ok(stream)
    }

    /// Its number in events, and in the sources of other streams.
    pub fn number(&self) -> u64 {
        self.collection.number
    }

    /// The titles of the sections; one that is empty for a stream that is no partition.
    pub fn titles(&self) -> &[String] {
        &self.titles
    }

    /// The rows of each section, in order: a copy of what is shown now.
    pub fn sections(&self) -> Vec<Vec<Row>> {
        let lists = lock(&self.collection.lists);
        (self.first..self.first + self.titles.len())
            .map(|section| lists.rows.0.get(&section).cloned().unwrap_or_default())
            .collect()
    }

    /// The rows of all sections, one section after the other: a copy of what is shown now.
    pub fn rows(&self) -> Vec<Row> {
        self.sections().into_iter().flatten().collect()
    }

    /// How many rows are shown.
    pub fn len(&self) -> usize {
        lock(&self.collection.lists).rows.0.values().map(Vec::len).sum()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The batches from now on, one after the other. Each is drained by the thread that asks for it, with whatever else
    /// comes in between; it ends when the client closes, and when none came within `timeout`.
    pub fn batches<'a>(&'a self, client: &'a Client, timeout: impl Into<Option<Duration>>) -> Batches<'a> {
        Batches { stream: self, client, timeout: timeout.into() }
    }

    /// Asks something of the stream. [`Outcome::result`](crate::Outcome::result) has the answer; what changes the list
    /// completes behind the batch that shows it.
    #[doc(alias = "sm_stream_call")]
    pub fn call(&self, request: &StreamRequest) -> Call<'_> {
        let handle = self.collection.handle;
        Call::new(
            &self.collection.core,
            request.0.to_c().map(|document| -> Start<'_> {
                // SAFETY: the text ends with NUL and is copied; the callback and its data belong together; `out` is
                // valid during the call.
                Box::new(move |callback, data, destroy, out| unsafe {
                    sys::sm_stream_call(handle.0, document.as_ptr(), callback, data, destroy, out)
                })
            }),
        )
    }

    /// Who hears the events of this stream, instead of the client's closure. The rows are up to date when it is called.
    pub fn set_callback(&self, body: impl FnMut(&Event) + Send + 'static) -> Result<()> {
        self.collection.listen(Box::new(body))
    }

    /// Ends it: the client's closure hears them.
    pub fn clear_callback(&self) -> Result<()> {
        self.collection.stop_listening()
    }

    /// Whether the row of a key is shown, as of the last drained event.
    pub fn contains(&self, key: &str) -> Result<bool> {
        self.collection.contains(key)
    }

    /// Kind, counts and spec, as of the last drained event.
    pub fn info(&self) -> Result<Json> {
        self.collection.text_of(sys::sm_collection_info)
    }

    /// The sections as the library has them, as of the last drained event.
    pub fn snapshot(&self) -> Result<Json> {
        self.collection.text_of(sys::sm_collection_snapshot)
    }
}

/// The batches of a stream as an iterator; see [`RowStream::batches`]. Since 0.1.
pub struct Batches<'a> {
    stream: &'a RowStream,
    client: &'a Client,
    timeout: Option<Duration>,
}

impl Iterator for Batches<'_> {
    type Item = Result<StreamBatch>;

    fn next(&mut self) -> Option<Result<StreamBatch>> {
        loop {
            match self.client.next_event(self.timeout) {
                Ok(Some(event)) => match event.kind {
                    EventKind::StreamBatch(batch) if batch.collection == self.stream.number() => {
                        return Some(Ok(batch))
                    }
                    _ => continue,
                },
                Ok(None) => return None,
                Err(error) if error.kind() == ErrorKind::Closed => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
