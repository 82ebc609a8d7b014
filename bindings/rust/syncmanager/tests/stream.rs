//! Async: a stream of events and futures of calls, on the smallest executor there is.
#![cfg(feature = "stream")]

mod support;

use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc::{channel, Sender};
use std::sync::{Arc, Mutex};
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
        std::thread::park_timeout(end.saturating_duration_since(Instant::now()));
        assert!(Instant::now() < end, "nobody woke the task");
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

/// Tasks of their own: some await calls, one follows the stream, and it hears all that those have drained.
#[test]
fn a_stream_hears_what_futures_on_other_threads_drained() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = Arc::new(server.open());
    let mut events = EventStream::new(client.clone()).expect("it is open");
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let await_one = |mut reply: syncmanager::Reply| block_on(|context| Pin::new(&mut reply).poll(context));
            await_one(client.connect().future().expect("it is open")).expect("the server lets mei in");
            await_one(talk.fetch_previous().future().expect("it is taken")).expect("an empty page comes");
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let (await_one, talk) = (&await_one, &talk);
                    scope.spawn(move || {
                        for number in 0..10 {
                            let draft = Draft::new(&format!("{thread}.{number}"));
                            await_one(talk.send(&draft).future().expect("it is kept")).expect("it is sent");
                        }
                    });
                }
            });
        });
        let (mut heard, mut last) = (std::collections::VecDeque::<syncmanager::Message>::new(), 0);
        while heard.len() < 40 {
            let event = next(&mut events).expect("the stream goes on").expect("nobody else counts as draining");
            assert!(event.seq > last);
            last = event.seq;
            match event.kind {
                EventKind::Change(change) if change.list == syncmanager::List::Succeeded => {
                    change.apply(&mut heard).expect("every change fits")
                }
                EventKind::Result(_) => panic!("an awaited result is an event"),
                _ => (),
            }
        }
        let texts = |messages: Vec<syncmanager::Message>| {
            messages.iter().map(|message| message.text()).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(texts(heard.into()).len(), 40);
    });
}

struct Told(Mutex<Sender<()>>);

impl Wake for Told {
    fn wake(self: Arc<Self>) {
        let _ = self.0.lock().expect("no panic").send(()); // nobody listens at the end
    }
}

/// What was drained by somebody who waited for a result wakes the stream's task.
#[test]
fn a_stream_is_woken_for_what_others_kept() {
    let server = Server::start();
    let client = Arc::new(server.open());
    let mut events = EventStream::new(client.clone()).expect("it is open");
    let (told, woken) = channel();
    let waker = Waker::from(Arc::new(Told(Mutex::new(told))));
    // As a task does it: until nothing is there.
    let mut poll = |heard: &mut Vec<u64>| {
        while let Poll::Ready(event) = Pin::new(&mut events).poll_next(&mut Context::from_waker(&waker)) {
            if let EventKind::Result(outcome) = event.expect("it goes on").expect("events can be drained").kind {
                heard.push(outcome.request());
            }
        }
    };
    let mut heard = Vec::new();
    poll(&mut heard);
    for round in 0..100 {
        let number = client.clear_cache(None).start().expect("it is open");
        let cleared = client.clear_cache(None);
        if round % 2 == 0 {
            cleared.wait(PATIENCE).map(drop)
        } else {
            let mut reply = cleared.future().expect("it is open");
            block_on(|context| Pin::new(&mut reply).poll(context)).map(drop)
        }
        .expect("it is cleared");
        while heard.last() != Some(&number) {
            woken.recv_timeout(PATIENCE).expect("nobody woke the task");
            poll(&mut heard);
        }
    }

    // A result that was there for a future which nobody polled any more.
    let unread = client.clear_cache(None).future().expect("it is open");
    client.clear_cache(None).wait(PATIENCE).expect("it is cleared");
    poll(&mut heard);
    while woken.try_recv().is_ok() {}
    let number = unread.request();
    drop(unread);
    woken.recv_timeout(PATIENCE).expect("nobody woke the task");
    poll(&mut heard);
    assert_eq!(heard.last(), Some(&number));
}
