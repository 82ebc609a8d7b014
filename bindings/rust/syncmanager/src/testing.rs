//! The embedded chat server as a process, for the tests of programs that use this crate. Feature `testing`.
//!
//! It speaks the protocol of the chat service on 127.0.0.1 and keeps everything in memory. The program
//! `syncmanager-server` is the one that the environment variable SYNCMANAGER_SERVER names, else the one in PATH
//! (Debian: package `syncmanager-server`). All functions may be called from any thread; they block until the server has
//! answered.
//!
//! ```
//! use std::time::Duration;
//! use syncmanager::testing::Server;
//! use syncmanager::{Client, Viewpoint};
//!
//! let server = Server::start(&["mei", "bo"])?;
//! server.create_channel("lunch", "Lunch", &["mei", "bo"])?;
//! server.post("lunch", "bo", "hello")?;
//!
//! let client = Client::open(&server.config("mei"))?;
//! let minute = Duration::from_secs(60);
//! client.connect().wait(minute)?;
//! let messages = client.messages("lunch", Viewpoint::Latest, None)?;
//! messages.fetch_previous().wait(minute)?;
//! assert_eq!(messages.get(0).map(|message| message.text()).as_deref(), Some("hello"));
//!
//! // What a network does: the next three requests fail.
//! server.control("fault", r#"{"kind":"5xx","count":3}"#)?;
//! # client.close();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

#[cfg(feature = "world")]
pub use crate::world::{Sleep, World};

use crate::acts::{channel_body, failed, message_body, messages_path, new_folder, token};
use crate::config::Config;
use crate::json::Json;

/// How long an answer of the server may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A running server, and a directory for the caches of its users. Dropping it ends the server and removes the
/// directory, so close clients before. Since 0.1.
#[derive(Debug)]
pub struct Server {
    process: Child,
    ready: Json,
    folder: PathBuf,
}

impl Server {
    /// Starts a server with these users; the access token of each is `token-` and its id. Since 0.1.
    ///
    /// # Errors
    ///
    /// When the program is missing, or ends before it is ready; its message is on standard error.
    pub fn start(users: &[&str]) -> io::Result<Server> {
        Server::start_with(users, [""; 0])
    }

    /// The same with options of the program, as `["--generate", "1"]`. Since 0.1.
    ///
    /// # Errors
    ///
    /// As of [`start`](Server::start).
    pub fn start_with(users: &[&str], options: impl IntoIterator<Item = impl AsRef<OsStr>>) -> io::Result<Server> {
        let folder = new_folder()?;
        let program = env::var_os("SYNCMANAGER_SERVER").unwrap_or_else(|| "syncmanager-server".into());
        let mut command = Command::new(&program);
        command.args(["--port", "0", "--exit-with-stdin", "--control"]);
        for user in users {
            command.arg("--user").arg(format!("{user}:{}", token(user)));
        }
        let process = command.args(options).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|error| {
            let name = program.to_string_lossy();
            io::Error::new(
                error.kind(),
                format!("{name}: {error}; install syncmanager-server or set SYNCMANAGER_SERVER"),
            )
        })?;
        let mut server = Server { process, ready: Json::new("null"), folder };
        let mut line = String::new();
        if let Some(output) = server.process.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        if line.is_empty() {
            return Err(failed("syncmanager-server ended before it was ready"));
        }
        server.ready = Json::new(&line);
        Ok(server)
    }

    /// The server's ready line: `api_host`, `ws_host`, `app_id`, `api_token`, `users`. Since 0.1.
    pub fn ready(&self) -> &Json {
        &self.ready
    }

    fn text(&self, key: &str) -> String {
        self.ready.text_at(key).unwrap_or_default()
    }

    /// The configuration of a client of a user, with a directory of the server's. Since 0.1.
    pub fn config(&self, user_id: &str) -> Config {
        Config::new(&self.text("app_id"), user_id)
            .access_token(&token(user_id))
            .data_dir(&self.folder)
            .api_host(&self.text("api_host"))
            .ws_host(&self.text("ws_host"))
    }

    /// A channel with members. Since 0.1.
    ///
    /// # Errors
    ///
    /// When the server refuses the request or cannot be reached.
    pub fn create_channel(&self, channel_url: &str, name: &str, users: &[&str]) -> io::Result<Json> {
        self.request("POST", "/v3/group_channels", &channel_body(channel_url, name, users))
    }

    /// A message of a member. Since 0.1.
    ///
    /// # Errors
    ///
    /// As of [`create_channel`](Server::create_channel).
    pub fn post(&self, channel_url: &str, user_id: &str, text: &str) -> io::Result<Json> {
        self.request("POST", &messages_path(channel_url), &message_body(user_id, text))
    }

    /// A request to the control endpoint, as `control("drop_sockets", "{}")`: faults, delays, moving the clock, ending
    /// sessions. docs/server.md has them all. Since 0.1.
    ///
    /// # Errors
    ///
    /// As of [`create_channel`](Server::create_channel).
    pub fn control(&self, verb: &str, body: &str) -> io::Result<Json> {
        self.request("POST", &format!("/control/{verb}"), body)
    }

    /// A REST call of the administration; `body` is JSON, empty for none. Since 0.1.
    ///
    /// # Errors
    ///
    /// When the answer's status is not 200, with its body in the text, and when the server cannot be reached.
    pub fn request(&self, method: &str, path: &str, body: &str) -> io::Result<Json> {
        let host = self.text("api_host");
        let host = host.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\nApi-Token: {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.text("api_token"),
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| failed("the answer is not HTTP"))?;
        let status = head.lines().next().unwrap_or_default();
        if status.split(' ').nth(1) != Some("200") {
            return Err(failed(&format!("{method} {path}: {status} {body}")));
        }
        Ok(Json::new(body))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // This fails only when the server has ended already or its files are gone, which does no harm.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
