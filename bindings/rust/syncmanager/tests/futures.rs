//! Calls awaited on the smallest executor there is, with nobody else who drains, and beside all who may.

mod support;

use std::collections::VecDeque;
use std::future::Future;
use std::os::unix::io::AsRawFd;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Sender};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use support::{until, Server, PATIENCE};
use syncmanager::{
    Client, Draft, ErrorKind, Event, EventKind, EventStream, List, Message, MessageCollection, MessageFilter, Reply,
    StreamRequest, StreamSpec, Viewpoint,
};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls on this thread, which sleeps until it is woken. The time only bounds a test that would hang.
fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let end = Instant::now() + PATIENCE;
    loop {
        if let Poll::Ready(value) = Pin::new(&mut future).poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        thread::park_timeout(end.saturating_duration_since(Instant::now()));
        assert!(Instant::now() < end, "nobody woke the task");
    }
}

struct Nobody;

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

/// Polls once for a task that does not come when it is woken.
fn is_pending(reply: &mut Reply) -> bool {
    let waker = Waker::from(Arc::new(Nobody));
    Pin::new(reply).poll(&mut Context::from_waker(&waker)).is_pending()
}

fn talk(client: &Client) -> MessageCollection {
    client.messages("talk", Viewpoint::Latest, None).expect("no filter is right")
}

/// Applies the changes of events to lists of one's own.
#[derive(Default)]
struct Replay {
    succeeded: VecDeque<Message>,
    overflows: usize,
    last: u64,
}

impl Replay {
    fn apply(&mut self, event: &Event) {
        assert!(event.seq >= self.last, "{} after {}", event.seq, self.last);
        self.last = event.seq;
        match &event.kind {
            EventKind::Change(change) if change.list == List::Succeeded => {
                change.apply(&mut self.succeeded).expect("every change fits")
            }
            EventKind::Overflow { dropped, .. } => {
                assert!(*dropped > 0);
                self.overflows += 1;
            }
            _ => (),
        }
    }

    fn apply_all(&mut self, client: &Client) -> usize {
        let mut count = 0;
        while let Some(event) = client.next_event(Duration::ZERO).expect("events can be drained") {
            self.apply(&event);
            count += 1;
        }
        count
    }
}

#[test]
fn a_future_needs_nobody_who_drains() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    block_on(client.connect().future().expect("it is open")).expect("the server lets mei in");
    let talk = talk(&client);
    block_on(talk.fetch_previous().future().expect("it is taken")).expect("an empty page comes");
    for number in 0..20 {
        let text = format!("number {number}");
        let sent = block_on(talk.send(&Draft::new(&text)).future().expect("it is kept")).expect("it is sent");
        assert_eq!(sent.message().map(|message| message.text()), Some(text));
    }
    assert_eq!(talk.len(), 20, "the live list follows");

    // What came meanwhile waits, in order, but for the results: they were told to who awaited them.
    let mut replay = Replay::default();
    while let Some(event) = client.next_event(Duration::ZERO).expect("events can be drained") {
        assert!(!matches!(event.kind, EventKind::Result(_)), "{event:?}");
        replay.apply(&event);
    }
    assert_eq!(replay.overflows, 0);
    assert_eq!(Vec::from(replay.succeeded), talk.items());
}

#[test]
fn many_threads_await_at_once() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    block_on(client.connect().future().expect("it is open")).expect("the server lets mei in");
    let talk = talk(&client);
    block_on(talk.fetch_previous().future().expect("it is taken")).expect("an empty page comes");
    thread::scope(|scope| {
        for thread in 0..8 {
            let (client, talk) = (&client, &talk);
            scope.spawn(move || {
                for number in 0..10 {
                    let text = format!("{thread}.{number}");
                    let sent = block_on(talk.send(&Draft::new(&text)).future().expect("it is kept"));
                    assert_eq!(sent.expect("it is sent").message().map(|message| message.text()), Some(text));
                    block_on(client.clear_cache(Some("other")).future().expect("it is open")).expect("it is cleared");
                }
            });
        }
    });
    assert_eq!(talk.len(), 80);
    let mut replay = Replay::default();
    replay.apply_all(&client);
    assert_eq!(Vec::from(replay.succeeded), talk.items());
}

/// Futures drain only as long as nobody else does, and nobody is refused because of them.
#[test]
fn a_thread_that_pulls_goes_on_beside() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    let talk = talk(&client);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let pulling = scope.spawn(|| {
            let mut replay = Replay::default();
            while !is_over.load(Ordering::SeqCst) {
                // A wait, and looks that do not wait, by turns.
                for timeout in [None, Some(Duration::ZERO), Some(Duration::from_millis(1))] {
                    if let Some(event) = client.next_event(timeout).expect("nobody else counts as draining") {
                        replay.apply(&event);
                    }
                }
            }
            replay.apply_all(&client);
            replay
        });
        block_on(client.connect().future().expect("it is open")).expect("the server lets mei in");
        block_on(talk.fetch_previous().future().expect("it is taken")).expect("an empty page comes");
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..10 {
                        let call = talk.send(&Draft::new(&number.to_string()));
                        block_on(call.future().expect("it is kept")).expect("it is sent");
                    }
                });
            }
        });
        is_over.store(true, Ordering::SeqCst);
        client.interrupt().expect("it is open");
        let replay = pulling.join().expect("no panic");
        assert_eq!(replay.succeeded.len(), 40);
        assert_eq!(Vec::from(replay.succeeded), talk.items());
    });
}

/// A reactor that polls the descriptor learns of what futures have drained.
#[test]
fn the_descriptor_is_readable_while_kept_events_wait() {
    let is_readable = |client: &Client| {
        let mut polled = libc::pollfd { fd: client.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which is open: the client is.
        unsafe { libc::poll(&mut polled, 1, 0) == 1 }
    };
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    block_on(client.connect().future().expect("it is open")).expect("the server lets mei in");
    let talk = talk(&client);
    block_on(talk.fetch_previous().future().expect("it is taken")).expect("an empty page comes");
    block_on(talk.send(&Draft::new("hi")).future().expect("it is kept")).expect("it is sent");
    assert!(is_readable(&client));
    let mut replay = Replay::default();
    while is_readable(&client) {
        assert!(replay.apply_all(&client) > 0, "readable, and nothing waits");
    }
    assert_eq!(replay.succeeded.len(), 1);
    // What only the library's queue has is told, too.
    client.clear_cache(None).start().expect("it is open");
    let mut polled = libc::pollfd { fd: client.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: as above.
    assert_eq!(unsafe { libc::poll(&mut polled, 1, 30_000) }, 1);
    // A duplicate, as a reactor has one, in an epoll of its own.
    assert!(client.as_raw_fd() >= 0);
}

#[test]
fn what_waits_is_bounded_and_whoever_lags_starts_over() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    server.say_many("talk", 150);
    let client = Client::open(&server.config().queue_limit(16)).expect("it can be opened");
    block_on(client.connect().future().expect("it is open")).expect("the server lets mei in");
    let filter = MessageFilter::new().limit(2);
    let talk = client.messages("talk", Viewpoint::Latest, &filter).expect("the filter is right");
    let channels = client.channels(None).expect("no query is right");
    let rows = client.stream(&StreamSpec::transient().at_once()).expect("the spec is right");
    block_on(channels.fetch_next().future().expect("it is taken")).expect("a page comes");
    for number in 0..30 {
        block_on(talk.fetch_previous().future().expect("it is taken")).expect("a page comes");
        let request = StreamRequest::add(&format!("k{number:02}"), &number.to_string());
        block_on(rows.call(&request).future().expect("it is taken")).expect("it is added");
    }
    assert!(talk.len() >= 60);
    assert_eq!(rows.len(), 30);
    // Events without a collection, and a notice of each, may stand beside the sixteen.
    let (mut replay, mut seen, mut kinds) = (Replay::default(), 0, Vec::new());
    let mut keys: Vec<String> = Vec::new();
    let mut take = |replay: &mut Replay, keys: &mut Vec<String>, event: &Event| {
        if event.collection.map_or(true, |number| number == talk.number()) {
            replay.apply(event);
        }
        kinds.push(format!("{:?}", event.kind).chars().take(12).collect::<String>());
        if let EventKind::StreamBatch(batch) = &event.kind {
            if batch.reset {
                keys.clear();
            }
            for row in &batch.added {
                keys.insert(row.path.1, row.key.clone());
            }
        }
    };
    while let Some(event) = client.next_event(Duration::ZERO).expect("events can be drained") {
        take(&mut replay, &mut keys, &event);
        seen += 1;
    }
    assert!((16..60).contains(&seen), "{seen}: {kinds:?}");
    assert_eq!(replay.overflows, 1);
    assert_eq!(Vec::from(replay.succeeded.clone()), talk.items());
    assert_eq!(keys, rows.rows().iter().map(|row| row.key.clone()).collect::<Vec<_>>());

    // From then on every change is told again.
    server.say("talk", "one more");
    until_seen(&client, &mut replay, talk.number(), || {
        talk.items().last().map(|last| last.text()) == Some("one more".into())
    });
    assert_eq!(Vec::from(replay.succeeded), talk.items());
    assert_eq!(replay.overflows, 1);
}

fn until_seen(client: &Client, replay: &mut Replay, collection: u64, holds: impl Fn() -> bool) {
    while !holds() {
        let event = client.next_event(PATIENCE).expect("events can be drained").expect("it comes");
        if event.collection.map_or(true, |number| number == collection) {
            replay.apply(&event);
        }
    }
}

/// The same holds for `wait`, which keeps events, too.
#[test]
fn what_wait_keeps_is_bounded() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    server.say_many("talk", 100);
    let client = Client::open(&server.config().queue_limit(16)).expect("it can be opened");
    client.connect().wait(PATIENCE).expect("the server lets mei in");
    let filter = MessageFilter::new().limit(2);
    let talk = client.messages("talk", Viewpoint::Latest, &filter).expect("the filter is right");
    for _ in 0..40 {
        talk.fetch_previous().wait(PATIENCE).expect("a page comes");
    }
    let mut replay = Replay::default();
    assert!(replay.apply_all(&client) < 40);
    assert_eq!(replay.overflows, 1);
    assert_eq!(Vec::from(replay.succeeded), talk.items());
}

/// Their results are never dropped; so whoever starts calls, and asks for none of the results, is refused at some
/// point.
#[test]
fn results_that_wait_are_bounded() {
    let server = Server::start();
    let client = server.open();
    let mut started = 0;
    let refused = loop {
        match client.clear_cache(Some("c")).start() {
            Ok(_) => started += 1,
            Err(error) => break error,
        }
        block_on(client.clear_cache(Some("c")).future().expect("a future takes its result away"))
            .expect("it is cleared");
        assert!(started < 5000, "nobody is refused");
    };
    assert_eq!(refused.kind(), ErrorKind::TooManyCalls);
    assert!(started >= 1000);
    let mut results = 0;
    while let Some(event) = client.next_event(Duration::ZERO).expect("events can be drained") {
        results += usize::from(matches!(event.kind, EventKind::Result(_)));
    }
    assert_eq!(results, started);
    client.clear_cache(Some("c")).start().expect("there is room again");
}

#[test]
fn the_result_of_a_dropped_future_is_an_event() {
    let server = Server::start();
    let client = server.open();
    let results = |client: &Client| {
        let mut numbers = Vec::new();
        while let Some(event) = client.next_event(Duration::ZERO).expect("events can be drained") {
            if let EventKind::Result(outcome) = event.kind {
                numbers.push(outcome.request());
            }
        }
        numbers
    };
    // Dropped before it came.
    let early = client.clear_cache(None).future().expect("it is open");
    let number = early.request();
    drop(early);
    block_on(client.clear_cache(None).future().expect("it is open")).expect("it is cleared");
    assert_eq!(results(&client), [number]);
    // Dropped when it was there, and nobody had polled for it.
    let late = client.clear_cache(None).future().expect("it is open");
    let number = late.request();
    block_on(client.clear_cache(None).future().expect("it is open")).expect("it is cleared");
    assert!(results(&client).is_empty());
    drop(late);
    assert_eq!(results(&client), [number]);
    // Polled to its end.
    let mut read = client.clear_cache(None).future().expect("it is open");
    block_on(&mut read).expect("it is cleared");
    drop(read);
    assert!(results(&client).is_empty());
}

struct Told(Mutex<Sender<()>>);

impl Wake for Told {
    fn wake(self: Arc<Self>) {
        let _ = self.0.lock().expect("no panic").send(()); // nobody listens at the end
    }
}

/// Whoever takes a result out of the queue wakes the task that awaits it, and does not end a wait for that.
#[test]
fn a_result_that_somebody_else_drained_wakes_its_task() {
    let server = Server::start();
    let client = server.open();
    let (told, woken) = channel();
    let waker = Waker::from(Arc::new(Told(Mutex::new(told))));
    let poll = |reply: &mut Reply| Pin::new(reply).poll(&mut Context::from_waker(&waker));
    let clear = || client.clear_cache(None);
    let talk = talk(&client);
    let mut other = talk.send(&Draft::new("waits for a connection")).future().expect("it is kept");
    for round in 0..150 {
        let mut reply = clear().future().expect("it is open");
        while poll(&mut reply).is_ready() {
            reply = clear().future().expect("it is open"); // its result was there at once
        }
        while woken.try_recv().is_ok() {}
        if round % 3 == 0 {
            clear().wait(PATIENCE).expect("it is cleared");
        } else if round % 3 == 1 {
            block_on(clear().future().expect("it is open")).expect("it is cleared");
        } else {
            let end = Instant::now() + PATIENCE;
            while woken.try_recv().is_err() {
                assert!(is_pending(&mut other) && Instant::now() < end, "nobody woke the task");
            }
            // For the result, or because there was something to drain.
            while poll(&mut reply).is_pending() {
                woken.recv_timeout(PATIENCE).expect("nobody woke the task");
            }
            continue;
        }
        woken.recv_timeout(PATIENCE).expect("nobody woke the task");
        assert!(poll(&mut reply).is_ready());
    }

    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                client.next_event(None).expect("events can be drained"); // it has none, and waits
            }
        });
        let awaited = catch_unwind(AssertUnwindSafe(|| {
            for _ in 0..100 {
                let mut reply = clear().future().expect("it is open");
                while poll(&mut reply).is_pending() {
                    woken.recv_timeout(PATIENCE).expect("nobody woke the task");
                }
            }
        }));
        is_over.store(true, Ordering::SeqCst);
        client.interrupt().expect("it is open");
        awaited.unwrap_or_else(|panic| resume_unwind(panic));
    });
}

/// One that is held back does not keep others waiting, though its task was woken, too.
#[test]
fn a_future_that_nobody_polls_holds_nobody_up() {
    let server = Server::start();
    let client = server.open();
    let talk = talk(&client);
    let mut held = talk.send(&Draft::new("waits for a connection")).future().expect("it is kept");
    for _ in 0..100 {
        assert!(is_pending(&mut held));
        block_on(client.clear_cache(None).future().expect("it is open")).expect("it is cleared");
    }
    client.close();
    assert_eq!(block_on(held).map(drop).map_err(|error| error.kind()), Err(ErrorKind::Closed));
}

#[test]
fn futures_end_when_the_client_does() {
    let server = Server::start();
    let client = Arc::new(server.open());
    let mut replies: Vec<Reply> = (0..4)
        .map(|number| talk(&client).send(&Draft::new(&number.to_string())).future().expect("it is kept"))
        .collect();
    let last = replies.pop().expect("there are four");
    thread::scope(|scope| {
        let waiting: Vec<_> = replies.into_iter().map(|reply| scope.spawn(|| block_on(reply))).collect();
        let other = client.clone();
        drop(client);
        // Some are polled by now and some are not: it makes no difference.
        drop(other);
        for thread in waiting {
            let outcome = thread.join().expect("no panic");
            assert_eq!(outcome.map(drop).map_err(|error| error.kind()), Err(ErrorKind::Closed));
        }
    });
    assert_eq!(block_on(last).map(drop).map_err(|error| error.kind()), Err(ErrorKind::Closed));
    server.open().close(); // nothing holds the files
}

/// A program that dispatches to closures awaits, too: what a future drains waits for the next dispatch.
#[test]
fn closures_hear_what_futures_drained() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    let own = thread::current().id();
    let replay: Arc<Mutex<Replay>> = Arc::default();
    let (results, thens) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = results.clone();
    client
        .set_callback(move |event| {
            counted.fetch_add(usize::from(matches!(event.kind, EventKind::Result(_))), Ordering::SeqCst);
        })
        .expect("it is open");
    let talk = talk(&client);
    let told = replay.clone();
    talk.set_callback(move |event| {
        assert_eq!(thread::current().id(), own, "closures run where the program dispatches");
        told.lock().expect("no panic").apply(event);
    })
    .expect("it is open");
    let called = thens.clone();
    client
        .clear_cache(None)
        .then(move |_| {
            called.fetch_add(1, Ordering::SeqCst);
        })
        .expect("it is open");
    client.clear_cache(None).start().expect("it is open");
    thread::scope(|scope| {
        scope.spawn(|| {
            block_on(client.connect().future().expect("it is open")).expect("the server lets mei in");
            block_on(talk.fetch_previous().future().expect("it is taken")).expect("an empty page comes");
            block_on(talk.send(&Draft::new("hi")).future().expect("it is kept")).expect("it is sent");
        });
    });
    assert_eq!(thens.load(Ordering::SeqCst), 0);
    assert_eq!(talk.len(), 1);
    while client.dispatch(Duration::ZERO).expect("events can be dispatched") > 0 {}
    assert_eq!((thens.load(Ordering::SeqCst), results.load(Ordering::SeqCst)), (1, 1));
    assert_eq!(Vec::from(std::mem::take(&mut replay.lock().expect("no panic").succeeded)), talk.items());

    // And beside a dispatch that waits.
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..20 {
                block_on(client.clear_cache(Some(&number.to_string())).future().expect("it is open"))
                    .expect("it is cleared");
            }
            is_over.store(true, Ordering::SeqCst);
            client.interrupt().expect("it is open");
        });
        while !is_over.load(Ordering::SeqCst) {
            client.dispatch(None).expect("nobody else counts as draining");
        }
    });

    // What is left at the end is told then.
    client.clear_cache(None).start().expect("it is open");
    block_on(client.clear_cache(None).future().expect("it is open")).expect("it is cleared");
    client.close();
    assert_eq!(results.load(Ordering::SeqCst), 2);
}

/// Nothing can be drained in a closure; the task is woken when the dispatch is over, if nobody else drains then.
#[test]
fn a_closure_may_poll() {
    let server = Server::start();
    let client = Arc::new(server.open());
    for _ in 0..20 {
        let (weak, kept) = (Arc::downgrade(&client), Arc::new(Mutex::new(None)));
        let (given, task) = (kept.clone(), thread::current());
        client
            .clear_cache(None)
            .then(move |_| {
                let client = weak.upgrade().expect("it is being dispatched");
                let mut reply = client.clear_cache(None).future().expect("it is open");
                let waker = Waker::from(Arc::new(Unpark(task)));
                assert!(Pin::new(&mut reply).poll(&mut Context::from_waker(&waker)).is_pending());
                *given.lock().expect("no panic") = Some(reply);
            })
            .expect("it is open");
        while kept.lock().expect("no panic").is_none() {
            client.dispatch_some(1, PATIENCE).expect("events can be dispatched");
        }
        // Not polled again before it is woken.
        let start = Instant::now();
        thread::park_timeout(PATIENCE);
        assert!(start.elapsed() < PATIENCE, "nobody woke the task");
        let reply = kept.lock().expect("no panic").take().expect("it is there");
        block_on(reply).expect("it is cleared");
        while client.dispatch(Duration::ZERO).expect("events can be dispatched") > 0 {}
    }
}

#[test]
fn futures_with_threaded_delivery() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = Client::open(&server.config().threaded_delivery(true)).expect("it can be opened");
    block_on(client.connect().future().expect("it is open")).expect("the server lets mei in");
    let talk = talk(&client);
    block_on(talk.fetch_previous().future().expect("it is taken")).expect("an empty page comes");
    let sent = block_on(talk.send(&Draft::new("hi")).future().expect("it is kept")).expect("it is sent");
    assert_eq!(sent.message().map(|message| message.text()).as_deref(), Some("hi"));
}

/// Nothing of a removed collection is told, though it was drained before.
#[test]
fn a_removed_collection_is_quiet() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    client.connect().wait(PATIENCE).expect("the server lets mei in");
    let talk = talk(&client);
    let number = talk.number();
    block_on(talk.send(&Draft::new("hi")).future().expect("it is kept")).expect("it is sent");
    drop(talk);
    while let Some(event) = client.next_event(Duration::ZERO).expect("events can be drained") {
        assert_ne!(event.collection, Some(number));
    }
    // The client is as it was.
    let again = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    block_on(again.fetch_previous().future().expect("it is taken")).expect("a page comes");
    until(&client, "the message", || again.len() == 1);
}

/// Without the feature `stream`. A future that is dropped has taken no event with it.
#[test]
fn events_come_one_after_another() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    let mut events = EventStream::new(&client).expect("it is open");
    let talk = talk(&client);
    block_on(client.connect().future().expect("it is open")).expect("the server lets mei in");
    block_on(talk.fetch_previous().future().expect("it is taken")).expect("an empty page comes");
    let mut replay = Replay::default();
    for number in 1..=10 {
        server.say("talk", &number.to_string());
        drop(events.next());
        while replay.succeeded.len() < number {
            replay.apply(&block_on(events.next()).expect("it goes on").expect("events can be drained"));
        }
    }
    assert_eq!(replay.succeeded[9].text(), "10");
    drop(events);
    client.close();
}
