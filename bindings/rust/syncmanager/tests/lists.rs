//! Lists, calls and events as a program that pulls sees them, against the embedded server.

mod support;

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;
use support::{until, Server, PATIENCE};
use syncmanager::{
    Action, Change, ChannelOrder, ChannelQuery, Client, Config, Draft, ErrorKind, EventKind, List, Message,
    MessageFilter, SearchQuery, Source, Step, Target, Viewpoint,
};

fn value(json: &syncmanager::Json) -> Value {
    serde_json::from_str(json.as_text()).expect("the library tells JSON")
}

#[test]
fn a_live_list_is_what_the_library_has() {
    let server = Server::start();
    for number in 0..5 {
        server.make_channel(&format!("c{number}"), &format!("Channel {number}"));
    }
    server.say("c3", "up to the top");
    let client = server.open();
    client.connect().wait(PATIENCE).expect("the server lets mei in");
    let query = ChannelQuery::new().limit(3).order(ChannelOrder::LatestLastMessage);
    let channels = client.channels(&query).expect("the query is right");
    let page = channels.fetch_next().wait(PATIENCE).expect("a page comes");
    assert!(page.has_more());
    assert!(channels.len() >= 3); // what ties with the last of a page comes with it
    channels.fetch_next().wait(PATIENCE).expect("the rest comes");
    assert_eq!(channels.items()[0].name(), "Channel 3");

    server.say("c1", "now this one");
    until(&client, "the channel at the top", || channels.get(0).map(|channel| channel.url()) == Some("c1".into()));
    assert_eq!(channels.items()[0].last_message().map(|message| message.text()).as_deref(), Some("now this one"));
    let live: Vec<Value> = channels.items().iter().map(|channel| value(channel.json())).collect();
    let snapshot = value(&channels.snapshot().expect("the client is open"));
    assert_eq!(snapshot["channels"], Value::Array(live));
    let info = channels.info().expect("the client is open");
    assert_eq!(info.get("count").and_then(|count| count.as_u64()), Some(5));
}

#[test]
fn a_search_follows_the_cache() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    server.say("talk", "Köln: lunch tomorrow");
    assert_eq!(
        server.open().search(&SearchQuery::new("lunch")).map(drop).map_err(|error| error.kind()),
        Err(ErrorKind::InvalidArgument)
    );
    let client = Client::open(&server.config().search(true)).expect("the cache can be opened");
    client.connect().wait(PATIENCE).expect("the server lets mei in");
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    talk.fetch_previous().wait(PATIENCE).expect("a page comes");
    let query = SearchQuery::new("lunch tomor").channel_urls(&["talk"]).limit(5);
    let found = client.search(&query).expect("the query is right");
    assert!(found.is_empty());
    assert!(!found.fetch_next().wait(PATIENCE).expect("a page comes").has_more());
    let result = found.get(0).expect("it is found");
    let snippet = result.snippet();
    let marked: Vec<_> = result.matches().into_iter().map(|range| &snippet[range]).collect();
    assert_eq!(marked, ["lunch", "tomorrow"]);
    assert_eq!((result.channel_url().as_str(), result.message()), ("talk", talk.items()[0].clone()));
    assert!(found.contains(&result.id()).expect("it is open"));

    server.say("talk", "lunch, but not tomorrow");
    until(&client, "the next result", || found.len() == 2);
    let live: Vec<Value> = found.items().iter().map(|result| value(result.json())).collect();
    assert_eq!(value(&found.snapshot().expect("it is open"))["results"], Value::Array(live));
}

/// A list of one's own, fed by nothing but the events, is the live list: whatever is drained, nothing is missing.
#[test]
fn events_say_all_that_happened() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    server.say_many("talk", 120);
    let client = server.open();
    client.connect().wait(PATIENCE).expect("the server lets mei in");
    let filter = MessageFilter::new().limit(50);
    let talk = client.messages("talk", Viewpoint::Latest, &filter).expect("the filter is right");
    while talk.fetch_previous().wait(PATIENCE).expect("a page comes").has_more() {}
    talk.send(&Draft::new("and one of my own")).wait(PATIENCE).expect("it is sent");
    server.say("talk", "the last");
    let mut own: VecDeque<Message> = VecDeque::new();
    let (mut last, mut sources) = (0, Vec::new());
    // What `wait` drained comes first, in order, then what the queue still holds.
    while own.back().map(|message| message.text()) != Some("the last".into()) {
        let event = client.next_event(PATIENCE).expect("events can be drained").expect("the last message comes");
        assert!(event.seq > last); // the results waited for are not told again
        last = event.seq;
        if let EventKind::Change(change) = event.kind {
            sources.push(change.source.clone());
            if change.list == List::Succeeded {
                change.apply(&mut own).expect("every change fits");
            }
        }
    }
    assert_eq!(own.len(), 122);
    assert_eq!(Vec::from(own), talk.items());
    assert!(sources.contains(&Source::LocalMessagePendingCreated), "{sources:?}");
}

#[test]
fn own_messages_are_sent_edited_and_deleted() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    client.connect().wait(PATIENCE).expect("the server lets mei in");
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    talk.fetch_previous().wait(PATIENCE).expect("an empty page comes");

    let sent = talk.send(&Draft::new("hi \"there\" 🦀").custom_type("greeting")).wait(PATIENCE).expect("it is sent");
    let message = sent.message().expect("the service's message comes with the result");
    assert_eq!((message.text().as_str(), message.sender_id().as_deref()), ("hi \"there\" 🦀", Some("mei")));
    until(&client, "the message in the list", || talk.len() == 1 && talk.pending().is_empty());

    client.call(&Action::edit_message("talk", message.id()).message("hello")).wait(PATIENCE).expect("it is edited");
    until(&client, "the edit in the list", || talk.items()[0].text() == "hello");
    client.call(&Action::delete_message("talk", message.id_text())).wait(PATIENCE).expect("it is deleted");
    let gone = loop {
        let event = client.next_event(PATIENCE).expect("events can be drained").expect("the deletion is told");
        if let EventKind::Change(Change { list: List::Succeeded, steps, .. }) = event.kind {
            if let Some(Step::Remove { id, item, .. }) = steps.into_iter().next() {
                break (id, item.map(Message::from).expect("the live list had it"));
            }
        }
    };
    assert_eq!((gone.0, gone.1.text()), (message.id_text(), "hello".to_owned()));
    assert!(talk.is_empty());

    talk.delete(&Target::message_id(1)).wait(PATIENCE).expect("what is not there needs no change");
    let missing = talk.delete(&Target::request_id("none")).wait(PATIENCE).expect_err("there is none");
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}

#[test]
fn messages_wait_for_a_connection() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    talk.send(&Draft::new("later")).start().expect("it is kept");
    until(&client, "the pending message", || talk.pending().len() == 1);
    assert_eq!(talk.pending()[0].status().as_deref(), Some("pending"));
    client.connect().start().expect("it is open");
    until(&client, "the message at the service", || talk.pending().is_empty());
    assert!(talk.failed().is_empty());

    talk.append(&Draft::new("by other means").request_id("r1")).wait(PATIENCE).expect("it is stored");
    until(&client, "the appended message", || talk.pending().len() == 1);
    let response = r#"{"request_id":"r1","message":"by other means"}"#;
    talk.handle_send_response(response, 500).wait(PATIENCE).expect("it is stored");
    until(&client, "the failed message", || talk.failed().len() == 1);
    assert_eq!(talk.failed()[0].error_code(), Some(500));
    talk.resend("r1").wait(PATIENCE).expect("it is sent");
    until(&client, "the message at the service", || talk.failed().is_empty() && talk.pending().is_empty());
}

#[test]
fn actions_give_what_the_service_answers() {
    let server = Server::start();
    server.make_channel("talk", "Talk");
    let client = server.open();
    let read = Action::mark_as_read("talk");
    let refused = client.call(&read).wait(PATIENCE).expect_err("there is no connection");
    assert_eq!(refused.kind(), ErrorKind::NotConnected);
    let wrong = Action::new("mark_as_read").text("channel_url", "talk").flag("colour", true);
    let error = client.call(&wrong).start().expect_err("it has no such key");
    assert_eq!((error.kind(), error.path()), (ErrorKind::InvalidDocument, Some("$.colour")));

    client.connect().wait(PATIENCE).expect("it is connected");
    assert_eq!(client.call(&read.timeout_ms(9000)).wait(PATIENCE).expect("it is done").result(), None);
    let talk = client.messages("talk", Viewpoint::Latest, None).expect("no filter is right");
    let sent = talk.send(&Draft::new("hi")).wait(PATIENCE).expect("it is sent").message().expect("it is a message");
    let outcome = client.call(&Action::add_reaction("talk", sent.id(), "heart")).wait(PATIENCE).expect("it is done");
    let result = outcome.result().expect("the reaction");
    assert_eq!(result.get("reaction").and_then(|key| key.as_str().map(String::from)), Some("heart".into()));
    let values = [("colour", vec!["red".to_owned()])];
    client.call(&Action::create_meta_array_keys("talk", sent.id(), &["colour"])).wait(PATIENCE).expect("they are made");
    client.call(&Action::add_meta_array_values("talk", sent.id(), &values)).wait(PATIENCE).expect("it is added");
    let tags = Action::create_metadata("talk", &[("colour", "r\"ed")]);
    let made = client.call(&tags).wait(PATIENCE).expect("it is made").result().expect("the metadata");
    assert_eq!(made.get("colour").and_then(|value| value.as_str().map(String::from)), Some("r\"ed".into()));
    let count = Action::create_counters("talk", &[("seen", 3)]);
    let made = client.call(&count).wait(PATIENCE).expect("it is made").result().expect("the counters");
    assert_eq!(made.get("seen").and_then(|value| value.as_i64()), Some(3));
}

#[test]
fn errors_say_what_is_wrong() {
    let server = Server::start();
    let refused = |config: Config| Client::open(&config).map(drop).expect_err("it is refused");
    let error = refused(server.config().queue_limit(3));
    assert_eq!((error.kind(), error.path()), (ErrorKind::InvalidDocument, Some("$.queue_limit")));
    assert_eq!(refused(Config::from_json("{")).kind(), ErrorKind::InvalidDocument);
    assert_eq!(refused(server.config().with("nul", "\"\0\"")).kind(), ErrorKind::InvalidArgument);

    let client = server.open();
    let error = refused(server.config());
    assert_eq!(error.kind(), ErrorKind::Locked);
    assert!(error.to_string().starts_with("SM_ERR_LOCKED: "), "{error}");

    let error = client.channels(&ChannelQuery::new().limit(1000)).map(drop).expect_err("too many");
    assert_eq!(error.path(), Some("$.limit"));
    let talk = client.messages("talk", Viewpoint::Oldest, None).expect("no filter is right");
    talk.fetch_next().start().expect("the first is taken");
    assert_eq!(talk.fetch_next().start().expect_err("one is under way").kind(), ErrorKind::DuplicatedFetch);
    assert_eq!(talk.send(&Draft::from_json("{}")).start().expect_err("no text").path(), Some("$.message"));

    client.close();
    let kind = talk.fetch_previous().start().expect_err("the client is gone").kind();
    assert!(matches!(kind, ErrorKind::Closed | ErrorKind::InvalidHandle), "{kind:?}");
    assert!(talk.snapshot().is_err());
    server.open().close(); // nothing holds the files
}

#[test]
fn a_wrong_token_is_told_and_a_new_one_lets_in() {
    let server = Server::start();
    let client = Client::open(&server.config().with("access_token", "\"wrong\"")).map_err(|error| error.kind());
    // A key that is there twice is refused or the later one holds; both are told apart here.
    let client = match client {
        Ok(client) => client,
        Err(kind) => {
            assert_eq!(kind, ErrorKind::InvalidDocument);
            let text = server.config().to_json().replace("\"T\"", "\"wrong\"");
            Client::open(&Config::from_json(text)).expect("the cache can be opened")
        }
    };
    let error = client.connect().wait(PATIENCE).expect_err("the token is wrong");
    assert_eq!(error.kind(), ErrorKind::TokenRejected);
    let mut asked = false;
    while !asked {
        let event = client.next_event(PATIENCE).expect("events can be drained").expect("it asks for a token");
        asked = matches!(event.kind, EventKind::TokenNeeded { .. });
    }
    client.set_token("token-mei").expect("it is taken");
    client.connect().wait(PATIENCE).expect("the server lets mei in");
}

#[test]
fn waiting_ends_in_time_or_when_interrupted() {
    let server = Server::start();
    let client = server.open();
    client.pause_sync().expect("it is open");
    client.resume_sync().expect("it is open");
    // Ends only if a wait can end without an event.
    while client.next_event(Duration::from_millis(1)).expect("events can be drained").is_some() {}
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| while client.next_event(None).expect("events can be drained").is_some() {});
        client.interrupt().expect("it is open");
        waiting.join().expect("no panic");
    });
    client.clear_cache(None).wait(PATIENCE).expect("it is cleared");
    client.clear_cache(Some("talk")).wait(PATIENCE).expect("it is cleared");
    client.disconnect().expect("it is open");
    client.interrupt().expect("it is open");
    assert!(client.events().all(|event| event.is_ok())); // ends at the interrupt
}

#[test]
fn a_second_thread_that_drains_is_refused() {
    let server = Server::start();
    let client = server.open();
    while client.next_event(Duration::ZERO).expect("events can be drained").is_some() {}
    std::thread::scope(|scope| {
        // That thread may itself meet this one while it drains.
        let waiting = scope.spawn(|| loop {
            match client.next_event(None) {
                Err(error) if error.kind() == ErrorKind::Busy => std::thread::yield_now(),
                result => break result,
            }
        });
        // Until that thread waits, this one may drain itself.
        while client.next_event(Duration::ZERO).map(drop).map_err(|error| error.kind()) != Err(ErrorKind::Busy) {
            std::thread::yield_now();
        }
        let call = client.connect().wait(None);
        assert_eq!(call.map(drop).map_err(|error| error.kind()), Err(ErrorKind::Busy));
        client.interrupt().expect("it is open");
        waiting.join().expect("no panic").expect("events can be drained");
    });
}
