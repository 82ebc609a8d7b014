//! Streams: sorted, filtered, limited lists of any rows, perhaps in sections, told in batches.

use std::sync::Arc;
use std::time::Duration;

use syncmanager_sys as sys;

use crate::call::{Call, Start};
use crate::callback::{destroy, on_row, RowFunction, RowJudge};
use crate::client::Client;
use crate::collection::Collection;
use crate::core::{Core, NOBODY};
use crate::error::{ErrorKind, Result};
use crate::event::{Event, EventKind};
use crate::json::Json;
use crate::lists::Shows;
use crate::locks::lock;
use crate::sections::Row;
use crate::stream_event::StreamBatch;
use crate::stream_spec::{StreamRequest, StreamSpec};

/// A live list of rows, perhaps in sections. Dropping it ends it; streams made of it keep its rows. Since 0.1.
pub struct RowStream {
    collection: Collection,
    titles: Vec<String>,
    first: usize,
}

impl Client {
    /// A stream: a sorted, filtered, limited list of rows of any source, told in batches. Loading begins at once.
    #[doc(alias = "sm_stream_open")]
    pub fn stream(&self, spec: &StreamSpec) -> Result<RowStream> {
        RowStream::open(&self.core, spec, None)
    }

    /// A stream with a function of the program: with the predicate `"$host"` it decides whether a row is shown (not 0),
    /// with the rule `"$host"` its section. It is called on whichever thread runs the engine, must return soon, and
    /// must not use the client.
    pub fn stream_with(
        &self,
        spec: &StreamSpec,
        function: impl FnMut(&str, &Json) -> i32 + Send + 'static,
    ) -> Result<RowStream> {
        RowStream::open(&self.core, spec, Some(Box::new(function)))
    }
}

impl RowStream {
    fn open(core: &Arc<Core>, spec: &StreamSpec, function: Option<RowFunction>) -> Result<RowStream> {
        let text = spec.0.to_c()?;
        let collection = Collection::open(core, Shows::Rows, |out| match function {
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

    /// The titles of the sections; a stream that is not a partition has one, which is empty.
    pub fn titles(&self) -> &[String] {
        &self.titles
    }

    /// The rows of each section, in order: a copy of what is shown now.
    pub fn sections(&self) -> Vec<Vec<Row>> {
        let lists = lock(&self.collection.lists);
        (self.first..self.first + self.titles.len()).map(|section| lists.rows.section(section)).collect()
    }

    /// The rows of all sections, one section after the other: a copy of what is shown now.
    pub fn rows(&self) -> Vec<Row> {
        self.sections().into_iter().flatten().collect()
    }

    /// How many rows are shown.
    pub fn len(&self) -> usize {
        lock(&self.collection.lists).rows.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The batches from now on, one after the other. Each is drained by the thread that asks for it, together with
    /// other events; the iteration ends when the client closes, and when no batch came within `timeout`.
    pub fn batches<'a>(&'a self, client: &'a Client, timeout: impl Into<Option<Duration>>) -> Batches<'a> {
        Batches { stream: self, client, timeout: timeout.into() }
    }

    /// Asks something of the stream. [`Outcome::result`](crate::Outcome::result) has the answer; a request that changes
    /// the list completes after the batch that shows it.
    #[doc(alias = "sm_stream_call")]
    pub fn call(&self, request: &StreamRequest) -> Call<'_> {
        let handle = self.collection.handle;
        Call::new(
            &self.collection.core,
            request.0.to_c().map(|document| -> Start<'_> {
                // SAFETY: the text ends with NUL and is copied; no callback, no data; `out` is valid during the call.
                Box::new(move |out| unsafe {
                    sys::sm_stream_call(handle.0, document.as_ptr(), None, NOBODY, None, out)
                })
            }),
        )
    }

    /// Sets the closure for the events of this stream, instead of the client's. The rows are up to date when it is
    /// called.
    pub fn set_callback(&self, body: impl FnMut(&Event) + Send + 'static) -> Result<()> {
        self.collection.listen(Some(Box::new(body)))
    }

    /// Removes that closure: the client's gets the events.
    pub fn clear_callback(&self) -> Result<()> {
        self.collection.listen(None)
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
