//! The embedded server as a process, for tests. SYNCMANAGER_SERVER names the program, else it is looked for in PATH.
#![allow(dead_code)] // every test program uses a part of it

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{json, Value};
use syncmanager::{Client, Config};

pub const PATIENCE: Duration = Duration::from_secs(30);

pub struct Server {
    process: Child,
    ready: Value,
    folder: PathBuf,
}

impl Server {
    pub fn start() -> Server {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::SeqCst);
        let folder = env::temp_dir().join(format!("syncmanager-rust-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&folder); // of an earlier process of this number
        let program = env::var_os("SYNCMANAGER_SERVER").unwrap_or_else(|| "syncmanager-server".into());
        let mut process = Command::new(program)
            .args(["--port", "0", "--exit-with-stdin", "--control", "--user", "mei:T", "--user", "bo:U"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("syncmanager-server can be started");
        let mut line = String::new();
        let output = process.stdout.take().expect("it was asked for");
        BufReader::new(output).read_line(&mut line).expect("the server says when it is ready");
        Server { process, ready: serde_json::from_str(&line).expect("it says so in JSON"), folder }
    }

    fn text(&self, key: &str) -> &str {
        self.ready[key].as_str().expect("the ready line has it")
    }

    pub fn config(&self) -> Config {
        Config::new(self.text("app_id"), "mei")
            .access_token("T")
            .data_dir(&self.folder)
            .api_host(self.text("api_host"))
            .ws_host(self.text("ws_host"))
    }

    pub fn open(&self) -> Client {
        Client::open(&self.config()).expect("the cache can be opened")
    }

    /// A call of the server's REST interface, as its administration.
    pub fn post(&self, path: &str, body: Value) -> Value {
        let host = self.text("api_host").trim_start_matches("http://");
        let body = body.to_string();
        let mut stream = TcpStream::connect(host).expect("the server listens");
        write!(
            stream,
            "POST {path} HTTP/1.0\r\nHost: {host}\r\nApi-Token: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.text("api_token"),
            body.len()
        )
        .expect("the server takes requests");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("the server answers");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an HTTP answer");
        assert!(head.contains(" 200 "), "{path}: {head}\n{body}");
        serde_json::from_str(body).unwrap_or(Value::Null)
    }

    pub fn make_channel(&self, url: &str, name: &str) {
        self.post("/v3/group_channels", json!({"channel_url": url, "name": name, "user_ids": ["mei", "bo"]}));
    }

    pub fn say(&self, url: &str, text: &str) {
        let body = json!({"message_type": "MESG", "user_id": "bo", "message": text});
        self.post(&format!("/v3/group_channels/{url}/messages"), body);
    }

    pub fn say_many(&self, url: &str, count: u32) {
        self.post("/control/post_messages", json!({"channel_url": url, "user_id": "bo", "count": count}));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
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
