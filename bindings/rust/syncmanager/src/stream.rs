//! Events for async programs, whatever their runtime.

use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;

use crate::client::Client;
use crate::error::{ErrorKind, Result};
use crate::event::Event;
use crate::watch::Watch;

/// The events of a client as a [`Stream`], for any async runtime. It ends when the client closes.
///
/// It drains the client's queue, and gives the events that futures of calls have drained besides their results. `C` is
/// a reference or an `Arc<Client>`. While nothing waits, a thread of the client ("sm-wake") watches its descriptor.
/// Feature `stream`. Since 0.1.
pub struct EventStream<C: Deref<Target = Client>> {
    client: C,
    watch: Arc<Watch>,
    ticket: u64,
}

impl<C: Deref<Target = Client>> EventStream<C> {
    /// Fails with `Closed`, or with `Internal` when the system has no thread or descriptor left.
    pub fn new(client: C) -> Result<EventStream<C>> {
        let watch = client.core.watch()?;
        watch.start()?;
        Ok(EventStream { client, ticket: watch.ticket(), watch })
    }
}

impl<C: Deref<Target = Client> + Unpin> Stream for EventStream<C> {
    type Item = Result<Event>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Event>>> {
        // First without registering the task, then once more with the task registered, so that later events wake it.
        for is_registered in [false, true] {
            if is_registered {
                self.watch.register_stream(self.ticket, context.waker());
            }
            match self.client.next_event(Duration::ZERO) {
                Ok(None) => continue,
                Ok(Some(event)) => return Poll::Ready(Some(Ok(event))),
                Err(error) if error.kind() == ErrorKind::Closed => return Poll::Ready(None),
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
        self.watch.arm();
        Poll::Pending
    }
}

impl<C: Deref<Target = Client>> Drop for EventStream<C> {
    fn drop(&mut self) {
        self.watch.forget(self.ticket);
    }
}
