//! Closures: when they are called, on which thread, when they are dropped, and what becomes of their panics.

mod support;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use support::{Server, PATIENCE};
use syncmanager::{clear_log, set_log, Client, ErrorKind, Event, EventKind, LogLevel, Viewpoint};

/// Counts how often it is dropped: a closure that owns one tells when it is.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn dispatch_until(client: &Client, what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        let left = end.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "never came: {what}");
        client.dispatch(left).expect("events can be dispatched");
    }
}

#[test]
fn closures_are_called_once_and_dropped_once() {
    let server = Server::start();
    let client = server.open();
    let drops = Arc::new(AtomicUsize::new(0));
    let calls = Arc::new(AtomicUsize::new(0));
    let dropped = || drops.load(Ordering::SeqCst);

    let (counted, called) = (Counted(drops.clone()), calls.clone());
    let own_thread = std::thread::current().id();
    let number = client.clear_cache(None).then(move |outcome| {
        let _owned = &counted;
        assert_eq!(std::thread::current().id(), own_thread);
        assert!(outcome.error().is_none());
        called.fetch_add(1, Ordering::SeqCst);
    });
    assert!(number.expect("it is open") > 0);
    dispatch_until(&client, "the result", || calls.load(Ordering::SeqCst) == 1);
    assert_eq!(dropped(), 1);

    // Replaced, twice, and ended.
    for _ in 0..2 {
        let counted = Counted(drops.clone());
        client.set_callback(move |_| assert_eq!(counted.0.load(Ordering::SeqCst), 0)).expect("it is open");
    }
    assert_eq!(dropped(), 2);
    client.clear_callback().expect("it is open");
    assert_eq!(dropped(), 3);

    // A call that is refused.
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    talk.fetch_next().start().expect("the first is taken");
    let counted = Counted(drops.clone());
    let refused = talk.fetch_next().then(move |_| drop(counted)).expect_err("one is under way");
    assert_eq!((refused.kind(), dropped()), (ErrorKind::DuplicatedFetch, 4));

    // A collection's, at its end.
    let counted = Counted(drops.clone());
    talk.set_callback(move |_| assert_eq!(counted.0.load(Ordering::SeqCst), 0)).expect("it is open");
    drop(talk);
    assert_eq!(dropped(), 5);

    // Outstanding at close: called with Closed, and dropped.
    let (counted, called) = (Counted(drops.clone()), calls.clone());
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    client.pause_sync().expect("it is open");
    talk.send(&syncmanager::Draft::new("waits for a connection"))
        .then(move |outcome| {
            let _owned = &counted;
            assert_eq!(outcome.error().map(|error| error.kind()), Some(ErrorKind::Closed));
            called.fetch_add(1, Ordering::SeqCst);
        })
        .expect("it is kept");
    client.close();
    assert_eq!((calls.load(Ordering::SeqCst), dropped()), (2, 6));
}

#[test]
fn events_go_to_the_collections_closure_or_the_clients() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let listener = |who: &'static str| {
        let heard = heard.clone();
        move |event: &Event| {
            let name = event.json().get("type").and_then(|name| name.as_str().map(|name| name.into_owned()));
            heard.lock().expect("no panic").push(format!("{who} {}", name.unwrap_or_default()));
        }
    };
    client.set_callback(listener("client")).expect("it is open");
    let channels = client.channels(None).expect("no query is right");
    channels.set_callback(listener("list")).expect("it is open");
    client.connect().start().expect("it is open");
    channels.fetch_next().start().expect("it is taken");
    let count = |text: &str| heard.lock().expect("no panic").iter().filter(|line| line.as_str() == text).count();
    dispatch_until(&client, "both results", || count("client result") == 2);
    assert!(count("list change") > 0 && count("client change") == 0);
    assert_eq!(channels.len(), 1, "the live list follows in this mode, too");
    channels.clear_callback().expect("it is open");
    server.say("talk", "hello");
    dispatch_until(&client, "a change at the client's", || count("client change") > 0);
    client.close();
    let heard = heard.lock().expect("no panic");
    assert_eq!(heard.last().map(String::as_str), Some("client closed"));
}

/// The panic of a closure comes out of `dispatch` as it was; the client goes on.
#[test]
fn panics_do_not_cross_the_library() {
    let server = Server::start();
    let client = server.open();
    client.clear_cache(None).then(|_| panic!("in a result")).expect("it is open");
    let caught = catch_unwind(AssertUnwindSafe(|| loop {
        client.dispatch(PATIENCE).expect("events can be dispatched");
    }));
    assert_eq!(caught.err().and_then(|panic| panic.downcast_ref::<&str>().copied()), Some("in a result"));

    let times = Arc::new(AtomicUsize::new(0));
    let counting = times.clone();
    client
        .set_callback(move |_| {
            if counting.fetch_add(1, Ordering::SeqCst) == 0 {
                panic!("in the first event");
            }
        })
        .expect("it is open");
    client.clear_cache(None).start().expect("it is open");
    client.clear_cache(None).start().expect("it is open");
    let caught = catch_unwind(AssertUnwindSafe(|| loop {
        client.dispatch(PATIENCE).expect("events can be dispatched");
    }));
    assert_eq!(caught.err().and_then(|panic| panic.downcast_ref::<&str>().copied()), Some("in the first event"));
    dispatch_until(&client, "the second event", || times.load(Ordering::SeqCst) >= 2);

    // What a closure owns may panic when it is dropped.
    struct Grenade;
    impl Drop for Grenade {
        fn drop(&mut self) {
            panic!("in a drop");
        }
    }
    let grenade = Grenade;
    client.clear_cache(None).then(move |_| std::mem::forget(grenade)).expect("it is open");
    let grenade = Grenade;
    client.set_callback(move |_| assert_eq!(std::mem::size_of_val(&grenade), 0)).expect("it is open");
    client.clear_callback().expect("it is open");
    let caught = catch_unwind(AssertUnwindSafe(|| client.close()));
    assert_eq!(caught.err().and_then(|panic| panic.downcast_ref::<&str>().copied()), Some("in a drop"));
}

#[test]
fn what_would_wait_for_itself_is_refused() {
    let server = Server::start();
    let client = Arc::new(server.open());
    let (told, heard) = channel();
    let weak = Arc::downgrade(&client);
    client
        .clear_cache(None)
        .then(move |_| {
            let client = weak.upgrade().expect("it is being dispatched");
            let kinds = [
                client.next_event(None).map(drop),
                client.dispatch(None).map(drop),
                client.connect().wait(None).map(drop),
            ]
            .map(|outcome| outcome.map_err(|error| error.kind()));
            // All else may be called.
            client.set_callback(|_| ()).expect("a callback may replace callbacks");
            client.channels(None).expect("a callback may make collections");
            told.send(kinds).expect("the test waits");
        })
        .expect("it is open");
    dispatch_until(&client, "the result", || match heard.try_recv() {
        Ok(kinds) => {
            assert_eq!(kinds, [Err(ErrorKind::Reentrant); 3]);
            true
        }
        Err(_) => false,
    });
}

/// With threaded delivery the last owner may be a closure: the client closes all the same.
#[test]
fn a_client_may_be_dropped_by_its_own_closure() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = Arc::new(Client::open(&server.config().threaded_delivery(true)).expect("it can be opened"));
    let (told, heard) = channel();
    let closed: Mutex<Sender<()>> = Mutex::new(told);
    client
        .set_callback(move |event| {
            if matches!(event.kind, EventKind::Closed) {
                closed.lock().expect("no panic").send(()).expect("the test waits");
            }
        })
        .expect("it is open");
    let kept = client.clone();
    client.clear_cache(None).then(move |_| drop(kept)).expect("it is open");
    drop(client);
    heard.recv_timeout(PATIENCE).expect("the client closes");
    // `closed` is told shortly before the files are free.
    let end = Instant::now() + PATIENCE;
    while Client::open(&server.config()).is_err() {
        assert!(Instant::now() < end, "the files stay locked");
        std::thread::yield_now();
    }
}

#[test]
fn live_lists_follow_on_the_librarys_thread() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    server.say_many("talk", 40);
    let client = Client::open(&server.config().threaded_delivery(true)).expect("it can be opened");
    let (told, heard) = channel();
    client.connect().then(move |outcome| told.send(outcome.error()).expect("the test waits")).expect("it is open");
    assert_eq!(heard.recv_timeout(PATIENCE).expect("it is complete"), None);
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    let (told, heard) = channel();
    talk.fetch_previous().then(move |outcome| told.send(outcome.ok()).expect("the test waits")).expect("it is taken");
    let page = heard.recv_timeout(PATIENCE).expect("it is complete").expect("a page comes");
    assert!(page.has_more());
    assert_eq!(talk.len(), 30);
    assert!(client.next_event(Duration::ZERO).is_err(), "nothing can be pulled with threaded delivery");
}

#[test]
fn the_log_is_replaced_and_ended() {
    let server = Server::start();
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let drops = Arc::new(AtomicUsize::new(0));
    let (into, counted) = (lines.clone(), Counted(drops.clone()));
    set_log(LogLevel::Debug, move |level, line| {
        let _owned = &counted;
        assert_eq!(clear_log().map_err(|error| error.kind()), Err(ErrorKind::Reentrant));
        into.lock().expect("no panic").push(format!("{level:?} {line}"));
        panic!("in the log");
    })
    .expect("it is taken");
    let client = server.open();
    client.connect().wait(PATIENCE).expect("the server lets mei in");
    client.close();
    set_log(LogLevel::Error, |_, _| ()).expect("it is taken");
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    clear_log().expect("it is taken");
    assert!(!lines.lock().expect("no panic").is_empty());
}
