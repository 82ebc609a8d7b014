//! The embedded server with two users, for tests.
#![allow(dead_code)] // every test program uses a part of it

use std::time::Duration;

use serde_json::{json, Value};
use syncmanager::testing;
use syncmanager::{Client, Config, Json};

pub const PATIENCE: Duration = Duration::from_secs(30);

pub struct Server(testing::Server);

impl Server {
    pub fn start() -> Server {
        Server(testing::Server::start(&["mei", "bo"]).expect("syncmanager-server can be started"))
    }

    pub fn config(&self) -> Config {
        self.0.config("mei")
    }

    pub fn open(&self) -> Client {
        Client::open(&self.config()).expect("the cache can be opened")
    }

    pub fn post(&self, path: &str, body: Value) -> Json {
        self.0.request("POST", path, &body.to_string()).expect("the server answers")
    }

    pub fn make_channel(&self, url: &str, name: &str) {
        self.0.create_channel(url, name, &["mei", "bo"]).expect("the server makes channels");
    }

    pub fn say(&self, url: &str, text: &str) {
        self.0.post(url, "bo", text).expect("bo is a member");
    }

    pub fn say_many(&self, url: &str, count: u32) {
        self.post("/control/post_messages", json!({"channel_url": url, "user_id": "bo", "count": count}));
    }
}

/// Drains until something holds.
pub fn until(client: &Client, what: &str, mut holds: impl FnMut() -> bool) {
    let end = std::time::Instant::now() + PATIENCE;
    while !holds() {
        let left = end.saturating_duration_since(std::time::Instant::now());
        assert!(!left.is_zero(), "never came: {what}");
        client.next_event(left).expect("events can be drained");
    }
}
