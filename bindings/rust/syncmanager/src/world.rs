//! A world: service, network and time in this process, for the tests of programs. Feature `world`.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::fs;
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use syncmanager_sys as sys;

use crate::acts::{channel_body, failed, message_body, messages_path, new_folder, token};
use crate::client::Client;
use crate::clock;
use crate::config::Config;
use crate::core::Handle;
use crate::document::{c_text, quoted};
use crate::error::{check, Error, ErrorKind, Result};
use crate::json::Json;
use crate::locks::lock;

/// How long the world's time may pass while a future waits and nothing happens that wakes it.
const LONGEST_IDLE: Duration = Duration::from_secs(30 * 86_400);

/// A chat service, the network that leads to it, and time, in this process: a day of chat takes milliseconds, and is
/// the same each time. There is one at a time; tests in threads of one process have to take turns. Since 0.1.
///
/// ```
/// use std::time::Duration;
/// use syncmanager::testing::World;
/// use syncmanager::{Client, Draft, Viewpoint};
///
/// let world = World::new(1, &["mei", "bo"])?;
/// world.create_channel("lunch", "Lunch", &["mei", "bo"])?;
/// let client = Client::open(&world.config("mei"))?;
/// let minute = Duration::from_secs(60);
/// client.connect().wait(minute)?; // a minute of the world's time
/// let messages = client.messages("lunch", Viewpoint::Latest, None)?;
/// messages.fetch_previous().wait(minute)?;
///
/// world.set_weather(r#"{"lost": 20, "reset": 20}"#)?;
/// messages.send(&Draft::new("hello")).wait(Duration::from_secs(3600))?;
/// world.advance(Duration::from_secs(86_400))?;
/// assert_eq!(world.messages("lunch")?, ["hello"]);
/// # client.close();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Clients that are opened while it is there are in it. Its time stands still until [`advance`](World::advance) lets it
/// pass, or this program waits: in [`Call::wait`](crate::Call::wait), [`Client::next_event`],
/// [`Client::dispatch`] or [`block_on`](World::block_on). Dropping it ends it, kills what clients are left, and removes
/// their files.
pub struct World {
    handle: Handle<sys::smt_world>,
    folder: PathBuf,
    /// The ends of sleeps, in ms since the epoch, and how many sleep until then.
    sleeps: Arc<Mutex<BTreeMap<i64, usize>>>,
}

impl World {
    /// Makes a world with these users; the access token of each is `token-` and its id. `seed`: of all that is left to
    /// chance. Since 0.1.
    ///
    /// # Errors
    ///
    /// When there is another world, or the folder for files cannot be made.
    pub fn new(seed: u64, users: &[&str]) -> io::Result<World> {
        World::with_options(seed, users, "{}")
    }

    /// The same with options, a JSON object: `start` (ms since the epoch), `weather`, `page_size`, `huge_gap`,
    /// `file_limit_mb`; syncmanager_testing.h describes them. Since 0.1.
    ///
    /// # Errors
    ///
    /// As of [`new`](World::new), and when an option is wrong.
    #[doc(alias = "smt_world_new")]
    pub fn with_options(seed: u64, users: &[&str], options: &str) -> io::Result<World> {
        let options = c_text(options).map_err(unable)?;
        let mut handle = null_mut();
        // SAFETY: the text ends with NUL and is copied; `handle` is written on success.
        check(unsafe { sys::smt_world_new(seed, options.as_ptr(), &mut handle) }).map_err(unable)?;
        clock::set(handle);
        let mut world = World { handle: Handle(handle), folder: PathBuf::new(), sleeps: Arc::default() };
        world.folder = new_folder()?;
        for user in users {
            let body = format!(
                r#"{{"user_id":{0},"nickname":{0},"profile_url":"","access_token":{1}}}"#,
                quoted(user),
                quoted(&token(user))
            );
            world.request("POST", "/v3/users", &body)?;
        }
        Ok(world)
    }

    /// The configuration of a client of a user, with a directory of the world's. Since 0.1.
    pub fn config(&self, user_id: &str) -> Config {
        Config::new("syncmanager", user_id).access_token(&token(user_id)).data_dir(self.folder.join(user_id))
    }

    /// The time, ms since the epoch. Since 0.1.
    #[doc(alias = "smt_now")]
    pub fn now(&self) -> i64 {
        // SAFETY: any thread, any handle.
        unsafe { sys::smt_now(self.handle.0) }
    }

    /// Lets time pass: all that happens meanwhile happens. Since 0.1.
    ///
    /// # Errors
    ///
    /// More than 366 days.
    #[doc(alias = "smt_advance")]
    pub fn advance(&self, duration: Duration) -> Result<()> {
        // SAFETY: any thread, any handle.
        check(unsafe { sys::smt_advance(self.handle.0, milliseconds(duration)) }).map(drop)
    }

    /// Lets time pass until a client has an event or a result more than before, `duration` at most. Gives how much has
    /// passed. Since 0.1.
    ///
    /// # Errors
    ///
    /// As of [`advance`](World::advance).
    #[doc(alias = "smt_step")]
    pub fn step(&self, duration: Duration) -> Result<Duration> {
        // SAFETY: any thread, any handle.
        let passed = unsafe { sys::smt_step(self.handle.0, milliseconds(duration)) };
        check(i32::try_from(passed.min(0)).unwrap_or(sys::SM_ERR_INTERNAL))?;
        Ok(Duration::from_millis(passed.unsigned_abs()))
    }

    /// Runs a future, as an executor does, and lets the world's time pass while it waits. It must not wait for threads,
    /// sockets or other clocks; [`sleep`](World::sleep) waits by the world's. Since 0.1.
    ///
    /// # Panics
    ///
    /// When 30 days have passed and nothing has happened that the future waits for.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let mut future = Box::pin(future);
        let waker = Waker::from(Arc::new(Idle));
        let mut idle = Duration::ZERO;
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            assert!(idle < LONGEST_IDLE, "30 days have passed, and nothing has happened that is waited for");
            let now = self.now();
            // Sleeps that are over and not dropped yet wake nobody any more.
            let next = lock(&self.sleeps).range(now.saturating_add(1)..).next().map(|(end, _)| *end);
            let most = next.map_or(LONGEST_IDLE, |end| Duration::from_millis((end - now).unsigned_abs()));
            let passed = self.step(most.min(LONGEST_IDLE)).expect("the world is there");
            idle = if next.is_some() { Duration::ZERO } else { idle + passed };
        }
    }

    /// Waits by the world's time, in [`block_on`](World::block_on). Since 0.1.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        let end = self.now().saturating_add(milliseconds(duration));
        *lock(&self.sleeps).entry(end).or_default() += 1;
        Sleep { world: self.handle, end, sleeps: self.sleeps.clone() }
    }

    /// A channel with members. Since 0.1.
    ///
    /// # Errors
    ///
    /// When the service refuses.
    pub fn create_channel(&self, channel_url: &str, name: &str, users: &[&str]) -> io::Result<Json> {
        self.request("POST", "/v3/group_channels", &channel_body(channel_url, name, users))
    }

    /// A message of a member; clients hear of it over the network. Since 0.1.
    ///
    /// # Errors
    ///
    /// When the service refuses.
    pub fn post(&self, channel_url: &str, user_id: &str, text: &str) -> io::Result<Json> {
        self.request("POST", &messages_path(channel_url), &message_body(user_id, text))
    }

    /// The texts of a channel's messages at the service, the newest 200, oldest first. Since 0.1.
    ///
    /// # Errors
    ///
    /// When the service refuses.
    pub fn messages(&self, channel_url: &str) -> io::Result<Vec<String>> {
        let target = format!("{}?message_ts={}&prev_limit=200&next_limit=0", messages_path(channel_url), i64::MAX);
        let page = self.request("GET", &target, "")?;
        let messages = page.get("messages").unwrap_or_else(|| Json::new("[]"));
        let texts = messages.elements().map(|message| message.text_at("message").unwrap_or_default()).collect();
        Ok(texts)
    }

    /// A request to the control endpoint, as `control("drop_sockets", "{}")`; docs/server.md has them all. Since 0.1.
    ///
    /// # Errors
    ///
    /// When the service refuses.
    pub fn control(&self, verb: &str, body: &str) -> io::Result<Json> {
        self.request("POST", &format!("/control/{verb}"), body)
    }

    /// A REST call of the administration, carried out at once; `body` is JSON, empty for none. Since 0.1.
    ///
    /// # Errors
    ///
    /// When the answer's status is not 200, with its body in the text.
    pub fn request(&self, method: &str, path: &str, body: &str) -> io::Result<Json> {
        let content = if body.is_empty() { None } else { Some(body) };
        match self.ask(method, path, content, false).map_err(unable)? {
            (200, text) => Ok(Json::new(&text)),
            (status, text) => Err(failed(&format!("{method} {path}: {status} {text}"))),
        }
    }

    /// A request as it is, with all rights: to the service, or to the realtime database, as
    /// `ask("PUT", "/rooms/a.json?ns=test", Some("1"), true)`. Gives the HTTP status and the answer. Since 0.1.
    ///
    /// # Errors
    ///
    /// When an argument is wrong; a refusal of the service is a status.
    #[doc(alias = "smt_request")]
    #[doc(alias = "smt_database_request")]
    pub fn ask(&self, method: &str, target: &str, body: Option<&str>, to_database: bool) -> Result<(i32, String)> {
        let function = if to_database { sys::smt_database_request } else { sys::smt_request };
        let (method, target, body) = (c_text(method)?, c_text(target)?, body.map(c_text).transpose()?);
        let content = body.as_ref().map_or(null(), |body| body.as_ptr());
        let (mut status, mut answer) = (0, null_mut());
        // SAFETY: the texts end with NUL and are copied; status and answer are written on success, and the answer is
        // freed once.
        unsafe {
            check(function(self.handle.0, method.as_ptr(), target.as_ptr(), content, &mut status, &mut answer))?;
            if answer.is_null() {
                return Err(Error::new(ErrorKind::Internal, "there is no memory for the answer"));
            }
            let text = CStr::from_ptr(answer).to_string_lossy().into_owned();
            sys::sm_string_free(answer);
            Ok((status, text))
        }
    }

    /// How bad network and service are from now on: `"\"fair\""`, `"\"usual\""`, `"\"bad\""`, or an object as
    /// `{"lost": 10}`; syncmanager_testing.h has all. Since 0.1.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    #[doc(alias = "smt_set_weather")]
    pub fn set_weather(&self, weather: &str) -> Result<()> {
        let weather = c_text(weather)?;
        // SAFETY: the text ends with NUL and is copied.
        check(unsafe { sys::smt_set_weather(self.handle.0, weather.as_ptr()) }).map(drop)
    }

    /// Something happens to the connections of a user's clients, or of all: `"reset"`, `"die"`, `"die_up"`,
    /// `"die_down"`, `"lose_pong"`. Since 0.1.
    ///
    /// # Errors
    ///
    /// Another word.
    #[doc(alias = "smt_disturb")]
    pub fn disturb(&self, what: &str, user_id: Option<&str>) -> Result<()> {
        let (what, user) = (c_text(what)?, user_id.map(c_text).transpose()?);
        let user = user.as_ref().map_or(null(), |user| user.as_ptr());
        // SAFETY: the texts end with NUL and are copied.
        check(unsafe { sys::smt_disturb(self.handle.0, user, what.as_ptr()) }).map(drop)
    }

    /// Ends a client as when its process is killed: nothing more is stored, sent or told. A new client with the same
    /// configuration goes on with what its files have. Since 0.1.
    #[doc(alias = "smt_kill")]
    pub fn kill(&self, client: &Client) {
        client.core.end(false, |handle| {
            // SAFETY: nobody else drains or will. It refuses a client that was opened before the world.
            unsafe {
                if sys::smt_kill(handle) < 0 {
                    sys::sm_close(handle);
                }
            }
        });
    }
}

impl Drop for World {
    fn drop(&mut self) {
        clock::leave();
        // SAFETY: any thread, any handle. A world that is dropped by a callback of a client in it stays.
        let _ = unsafe { sys::smt_world_free(self.handle.0) };
        if !self.folder.as_os_str().is_empty() {
            // This fails only when the files are gone, which does no harm.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn unable(error: Error) -> io::Error {
    failed(&error.to_string())
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from((duration.as_nanos() + 999_999) / 1_000_000).unwrap_or(i64::MAX)
}

/// Nothing is woken: `block_on` polls after each thing that has happened.
struct Idle;

impl Wake for Idle {
    fn wake(self: Arc<Idle>) {}
}

/// A wait by a world's time. Since 0.1.
#[must_use = "futures do nothing unless polled"]
pub struct Sleep {
    world: Handle<sys::smt_world>,
    end: i64,
    sleeps: Arc<Mutex<BTreeMap<i64, usize>>>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        // SAFETY: any thread, any handle; a world that is gone gives a negative number.
        let now = unsafe { sys::smt_now(self.world.0) };
        if now < 0 || now >= self.end {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let mut sleeps = lock(&self.sleeps);
        if let Some(count) = sleeps.get_mut(&self.end) {
            *count -= 1;
            if *count == 0 {
                sleeps.remove(&self.end);
            }
        }
    }
}
