//! A world: time, repetition, weather, kills.
#![cfg(feature = "world")]

use std::sync::Mutex;
use std::time::{Duration, Instant};

use syncmanager::testing::World;
use syncmanager::{Client, Draft, ErrorKind, Notify, Viewpoint};

#[allow(dead_code)] // its main()
#[path = "../examples/bot.rs"]
mod bot;

const HOUR: Duration = Duration::from_secs(3600);
const BAD: &str = r#"{"lost":10,"answer_lost":10,"reset":10,"broken":10,"refused":50}"#;

/// There is one world at a time, and tests run in threads.
static TURN: Mutex<()> = Mutex::new(());

fn world(seed: u64) -> World {
    let world = World::new(seed, &["mei", "bo"]).expect("a world");
    world.create_channel("lunch", "Lunch", &["mei", "bo"]).expect("a channel");
    world
}

/// All that a client is told in an hour of bad weather.
fn story(seed: u64) -> Vec<String> {
    let world = world(seed);
    world.set_weather(BAD).expect("a weather");
    let client = Client::open(&world.config("mei")).expect("a client");
    let mut told = Vec::new();
    client.connect().start().expect("accepted");
    let messages = client.messages("lunch", Viewpoint::Latest, None).expect("a collection");
    messages.fetch_previous().start().expect("accepted");
    for number in 0..10 {
        world.post("lunch", "bo", &format!("from bo {number}")).expect("posted");
        let draft = Draft::new(&format!("from mei {number}")).request_id(&format!("mei-{number}"));
        messages.send(&draft).start().expect("accepted");
        world.advance(Duration::from_secs(360)).expect("time passes");
        while let Some(event) = client.next_event(Duration::ZERO).expect("drained") {
            told.push(event.json().to_string());
        }
    }
    let mut there = world.messages("lunch").expect("messages");
    there.sort();
    let mut wanted: Vec<String> =
        (0..10).flat_map(|number| [format!("from bo {number}"), format!("from mei {number}")]).collect();
    wanted.sort();
    assert_eq!(there, wanted);
    told
}

#[test]
fn one_seed_is_one_story() {
    let _turn = TURN.lock();
    let first = story(7);
    assert!(first.len() > 50, "{}", first.len());
    assert_eq!(first, story(7));
    assert_ne!(first, story(8));
}

#[test]
fn a_killed_client_goes_on() {
    let _turn = TURN.lock();
    let world = world(1);
    world.set_weather(r#"{"lost":100,"refused":100}"#).expect("a weather");
    let client = Client::open(&world.config("mei")).expect("a client");
    let messages = client.messages("lunch", Viewpoint::Latest, None).expect("a collection");
    messages.send(&Draft::new("kept")).start().expect("accepted");
    world.advance(HOUR).expect("time passes");
    world.kill(&client);
    assert_eq!(client.connect().start().map_err(|error| error.kind()), Err(ErrorKind::InvalidHandle));
    world.set_weather("\"fair\"").expect("a weather");
    let again = Client::open(&world.config("mei")).expect("the files are free");
    again.connect().wait(HOUR).expect("connected");
    world.advance(HOUR).expect("time passes");
    assert_eq!(world.messages("lunch").expect("messages"), ["kept"]);
    again.close();
}

/// Lets the bot of docs/rust.md do what there is to do.
fn serve(client: &Client) {
    while let Some(event) = client.next_event(HOUR).expect("drained") {
        bot::handle(client, "mei", event).expect("handled");
    }
}

#[test]
fn the_bot_answers_each_message_once() {
    let _turn = TURN.lock();
    let world = world(5);
    world.create_channel("plans", "Plans", &["mei", "bo"]).expect("a channel");
    let config = world.config("mei").notify(Notify::All);
    let first = Client::open(&config).expect("a client");
    first.connect().wait(HOUR).expect("connected");
    world.post("lunch", "bo", "one").expect("posted");
    serve(&first);
    // Killed behind its answer, before the acknowledgement.
    world.post("lunch", "bo", "two").expect("posted");
    let mark = format!("answers {}", last_id(&world, "lunch"));
    let chat = first.messages("lunch", Viewpoint::Latest, None).expect("a collection");
    let answer = Draft::new("You said: two").data(&mark).request_id(&mark);
    chat.send(&answer).wait(HOUR).expect("sent");
    drop(chat);
    world.kill(&first);
    world.post("lunch", "bo", "three").expect("posted");
    let second = Client::open(&config).expect("the files are free");
    second.connect().wait(HOUR).expect("connected");
    serve(&second);
    // Refused for good: given up, and nothing else waits for it.
    world.request("PUT", "/v3/group_channels/lunch/freeze", r#"{"freeze":true}"#).expect("frozen");
    world.post("lunch", "bo", "four").expect("posted");
    world.post("plans", "bo", "five").expect("posted");
    serve(&second);
    world.request("PUT", "/v3/group_channels/lunch/freeze", r#"{"freeze":false}"#).expect("not frozen");
    serve(&second);
    let mut there = world.messages("lunch").expect("messages");
    there.sort();
    assert_eq!(there, ["You said: one", "You said: three", "You said: two", "four", "one", "three", "two"]);
    assert_eq!(world.messages("plans").expect("messages"), ["five", "You said: five"]);
    second.close();
}

/// Of the newest message.
fn last_id(world: &World, channel_url: &str) -> i64 {
    let channel = world.request("GET", &format!("/v3/group_channels/{channel_url}"), "").expect("the channel");
    let last = channel.get("last_message").and_then(|message| message.get("message_id"));
    last.and_then(|id| id.as_i64()).expect("an id")
}

#[test]
fn futures_take_no_time() {
    let _turn = TURN.lock();
    let began = Instant::now();
    let world = world(2);
    let client = Client::open(&world.config("mei")).expect("a client");
    world.block_on(async {
        client.connect().future().expect("accepted").await.expect("connected");
        let messages = client.messages("lunch", Viewpoint::Latest, None).expect("a collection");
        messages.fetch_previous().future().expect("accepted").await.expect("fetched");
        let before = world.now();
        world.sleep(HOUR * 24).await;
        assert!(world.now() - before >= 86_400_000);
        world.set_weather(BAD).expect("a weather");
        messages.send(&Draft::new("hello")).future().expect("accepted").await.expect("sent");
    });
    assert_eq!(world.messages("lunch").expect("messages"), ["hello"]);
    assert!(began.elapsed() < Duration::from_secs(60));
    client.close();
}

#[test]
fn a_sleep_that_is_over_does_not_stop_time() {
    let _turn = TURN.lock();
    let world = world(4);
    let before = world.now();
    world.block_on(async {
        let early = world.sleep(Duration::from_secs(1));
        world.sleep(HOUR).await;
        early.await;
        world.sleep(HOUR * 24 * 40).await;
    });
    assert_eq!(world.now() - before, 3_600_000 + 40 * 86_400_000);
}

#[test]
fn what_is_wrong_is_named() {
    let _turn = TURN.lock();
    let world = world(3);
    let error = World::new(4, &[]).map(drop).expect_err("there is one already");
    assert!(error.to_string().contains("a world already"), "{error}");
    assert_eq!(world.set_weather(r#"{"snow":1}"#).map_err(|error| error.kind()), Err(ErrorKind::InvalidDocument));
    assert_eq!(world.disturb("rain", None).map_err(|error| error.kind()), Err(ErrorKind::InvalidArgument));
    let error = world.post("nowhere", "mei", "hi").expect_err("there is no such channel");
    assert!(error.to_string().contains("/v3/group_channels/nowhere/messages: 40"), "{error}");
}
