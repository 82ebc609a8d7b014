//! Async: a stream of events and futures of calls, on the smallest executor there is.
#![cfg(feature = "stream")]

mod support;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Instant;

use futures_core::Stream;
use support::{Server, PATIENCE};
use syncmanager::{Client, Draft, ErrorKind, Event, EventKind, EventStream, Result, Viewpoint};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls on this thread, which sleeps until it is woken. The time only bounds a test that would hang.
fn block_on<T>(mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let end = Instant::now() + PATIENCE;
    loop {
        if let Poll::Ready(value) = poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        let left = end.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "nobody woke the task");
        std::thread::park_timeout(left);
    }
}

type Events = EventStream<Arc<Client>>;

fn next(events: &mut Events) -> Option<Result<Event>> {
    block_on(|context| Pin::new(&mut *events).poll_next(context))
}

/// A future beside the stream that drains for it, as two tasks of one executor.
fn drive<F: Future + Unpin>(events: &mut Events, mut future: F) -> F::Output {
    block_on(|context| loop {
        if let Poll::Ready(output) = Pin::new(&mut future).poll(context) {
            return Poll::Ready(output);
        }
        match Pin::new(&mut *events).poll_next(context) {
            Poll::Ready(Some(event)) => drop(event.expect("events can be drained")),
            Poll::Ready(None) => panic!("the stream ended"),
            Poll::Pending => return Poll::Pending,
        }
    })
}

#[test]
fn calls_are_awaited_beside_the_stream() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = Arc::new(server.open());
    let mut events = EventStream::new(client.clone()).expect("it is open");
    drive(&mut events, client.connect().future().expect("it is open")).expect("the server lets mei in");
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    drive(&mut events, talk.fetch_previous().future().expect("it is taken")).expect("an empty page comes");
    let sent = drive(&mut events, talk.send(&Draft::new("hi")).future().expect("it is kept")).expect("it is sent");
    assert_eq!(sent.message().map(|message| message.text()).as_deref(), Some("hi"));

    server.say("talk", "hello");
    while talk.items().last().map(|message| message.text()).as_deref() != Some("hello") {
        next(&mut events).expect("the stream goes on").expect("events can be drained");
    }
}

#[test]
fn a_stream_sleeps_until_it_is_woken_and_ends_with_its_client() {
    let server = Server::start();
    let client = Arc::new(server.open());
    let mut events = EventStream::new(client.clone()).expect("it is open");
    let reply = client.clear_cache(None).future().expect("it is open");
    let number = reply.request();
    drop(reply); // the call goes on; its result is an event like others
    loop {
        let event = next(&mut events).expect("the stream goes on").expect("events can be drained");
        if matches!(&event.kind, EventKind::Result(outcome) if outcome.request() == number) {
            break;
        }
    }
    // Another thread makes work while this one sleeps in the stream.
    let thread = std::thread::spawn(move || client.clear_cache(None).start());
    next(&mut events).expect("the stream goes on").expect("events can be drained");
    thread.join().expect("no panic").expect("it is open");
}

/// Outstanding futures are completed by closing, though nobody drains any more.
#[test]
fn futures_end_at_close() {
    let server = Server::start();
    let client = server.open();
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    let mut reply = talk.send(&Draft::new("waits for a connection")).future().expect("it is kept");
    client.close();
    let outcome = block_on(|context| Pin::new(&mut reply).poll(context));
    assert_eq!(outcome.map(drop).map_err(|error| error.kind()), Err(ErrorKind::Closed));
}
