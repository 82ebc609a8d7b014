//! Streams: live sections, batches as an iterator, a function of the program's own.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use support::{Server, PATIENCE};
use syncmanager::{ErrorKind, Json, RowStream, StreamRequest, StreamSpec};

struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn keys(stream: &RowStream) -> Vec<Vec<String>> {
    stream.sections().into_iter().map(|rows| rows.into_iter().map(|row| row.key).collect()).collect()
}

fn ask(stream: &RowStream, request: &StreamRequest) -> Option<Json> {
    stream.call(request).wait(PATIENCE).expect("the stream answers").result()
}

#[test]
fn sections_follow_the_stream_they_are_made_of() {
    let server = Server::start();
    let client = server.open();
    let people = client.stream(&StreamSpec::transient()).expect("a stream");
    let rule = r#"[{"==":["is_organizer",true]},true]"#;
    let spec = StreamSpec::partition(people.number(), &["organizers", "participants"], rule);
    let parted = client.stream(&spec).expect("a partition");
    ask(&people, &StreamRequest::add("ana", r#"{"is_organizer":true}"#));
    ask(&people, &StreamRequest::add("bo", "{}"));
    assert_eq!(keys(&parted), [["ana"], ["bo"]]);
    assert_eq!(parted.titles(), ["organizers", "participants"]);
    ask(&people, &StreamRequest::add("bo", r#"{"is_organizer":true}"#));
    assert_eq!(keys(&parted), [vec!["ana", "bo"], vec![]]);
    assert!(parted.contains("bo").expect("an open stream"));
    let found = ask(&parted, &StreamRequest::find("bo")).expect("a row");
    assert_eq!(found.get("path").expect("a path").as_text(), "[0,1]");
    let there = ask(&parted, &StreamRequest::item(0, 1)).expect("a row");
    assert_eq!(there.as_text(), found.as_text());
    let rows = ask(&parted, &StreamRequest::slice(0, 1, 5)).expect("rows");
    assert_eq!(rows.as_text(), format!("[{}]", found.as_text()));
}

#[test]
fn batches_are_an_iterator() {
    let server = Server::start();
    let client = server.open();
    let stream = client.stream(&StreamSpec::transient().order_by("$value")).expect("a stream");
    for (key, item) in [("a", "1"), ("b", "2"), ("a", "3")] {
        stream.call(&StreamRequest::add(key, item)).start().expect("it is accepted");
    }
    let batches: Vec<_> = stream.batches(&client, PATIENCE).take(3).collect::<Result<_, _>>().expect("batches");
    assert_eq!(batches[0].added[0].key, "a");
    assert_eq!(batches[2].moved[0].from, Some((0, 0)));
    assert_eq!(batches[2].moved[0].path, (0, 1));
    assert_eq!(keys(&stream), [["b", "a"]]);
}

#[test]
fn a_function_is_asked_and_dropped_once() {
    let server = Server::start();
    let client = server.open();
    let drops = Arc::new(AtomicUsize::new(0));
    let counted = Counted(drops.clone());
    let spec = StreamSpec::transient().predicate(r#""$host""#);
    let judge = move |key: &str, item: &Json| {
        let _ = &counted;
        i32::from(key != "b" && item.as_i64() > Some(1))
    };
    let stream = client.stream_with(&spec, judge).expect("a stream");
    for (key, item) in [("a", "1"), ("b", "2"), ("c", "3")] {
        ask(&stream, &StreamRequest::add(key, item));
    }
    assert_eq!(keys(&stream), [["c"]]);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    drop(stream);
    client.close();
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn a_refused_stream_drops_its_function() {
    let server = Server::start();
    let client = server.open();
    let drops = Arc::new(AtomicUsize::new(0));
    let counted = Counted(drops.clone());
    let refused = client.stream_with(&StreamSpec::transient().predicate("5"), move |_, _| {
        let _ = &counted;
        1
    });
    assert_eq!(refused.err().map(|error| error.kind()), Some(ErrorKind::InvalidDocument));
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}
