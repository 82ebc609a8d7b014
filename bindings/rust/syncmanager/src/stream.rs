//! Events for async programs, whatever their runtime.

use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::client::Client;
use crate::error::{ErrorKind, Result};
use crate::event::Event;
use crate::watch::Watch;

/// The events of a client, one after another, for any async runtime:
///
/// ```no_run
/// # use syncmanager::{Client, EventStream, Result};
/// # async fn follow(client: &Client) -> Result<()> {
/// let mut events = EventStream::new(client)?;
/// while let Some(event) = events.next().await {
///     println!("{:?}", event?.kind);
/// }
/// # Ok(())
/// # }
/// ```
///
/// It drains the client's queue, and gives the events that futures of calls have drained besides their results. `C` is
/// a reference or an `Arc<Client>`, and is not closed while the stream is there: a task that follows the events ends by
/// itself or is aborted. While nothing waits, a thread of the client ("sm-wake") watches its descriptor.
/// With the feature `stream` it is a `futures_core::Stream`. Since 0.1.
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

    /// The next event; `None` when a test's world has ended the client. Dropping the future loses no event. Since 0.1.
    #[allow(clippy::should_implement_trait)] // it is called as in crates of streams
    pub fn next(&mut self) -> impl Future<Output = Option<Result<Event>>> + '_ {
        Next(self)
    }

    fn poll_event(&self, context: &mut Context<'_>) -> Poll<Option<Result<Event>>> {
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

/// What [`EventStream::next`] gives.
struct Next<'a, C: Deref<Target = Client>>(&'a mut EventStream<C>);

impl<C: Deref<Target = Client>> Future for Next<'_, C> {
    type Output = Option<Result<Event>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll_event(context)
    }
}

#[cfg(feature = "stream")]
impl<C: Deref<Target = Client> + Unpin> futures_core::Stream for EventStream<C> {
    type Item = Result<Event>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Event>>> {
        self.get_mut().poll_event(context)
    }
}

impl<C: Deref<Target = Client>> Drop for EventStream<C> {
    fn drop(&mut self) {
        self.watch.forget(self.ticket);
    }
}
