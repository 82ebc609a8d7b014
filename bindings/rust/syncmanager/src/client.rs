//! A client: the cache of one user and its connection to the chat service.

use std::os::unix::io::{AsRawFd, RawFd};
use std::panic::resume_unwind;
use std::ptr::null;
use std::sync::Arc;
use std::time::Duration;

use syncmanager_sys as sys;

use crate::action::Action;
use crate::call::{Call, Start};
use crate::collection::{ChannelCollection, MessageCollection, SearchCollection, Viewpoint};
use crate::config::Config;
use crate::core::{Core, NOBODY};
use crate::document::c_text;
use crate::error::{check, Error, ErrorKind, Result};
use crate::event::{Event, EventKind};
use crate::queries::{ChannelQuery, MessageFilter, SearchQuery};
use crate::version::{api_version, version};

/// The cache of one user and its way to the chat service.
///
/// Dropping it closes it; [`close`](Client::close) does the same, and raises a callback's panic again. It may be shared
/// between threads, by reference or in an [`Arc`]. Events are drained by one thread at a time, in one of two ways,
/// which must not be mixed: pulled ([`next_event`](Client::next_event), [`events`](Client::events), an
/// [`EventStream`](crate::EventStream)), or dispatched to closures ([`dispatch`](Client::dispatch)). [`Call::wait`] and
/// futures of calls work with both: events that they drain are kept for the next one who drains. Since 0.1.
///
/// # Examples
///
#[cfg_attr(feature = "testing", doc = "```")]
#[cfg_attr(not(feature = "testing"), doc = "```ignore")]
/// use std::time::Duration;
/// use syncmanager::{Client, Config, Draft, Viewpoint};
///
/// # let server = syncmanager::testing::Server::start(&["mei", "bo"])?;
/// # server.create_channel("lunch", "Lunch", &["mei", "bo"])?;
/// # let config = server.config("mei");
/// # /*
/// let config = Config::new("A", "mei").access_token("T");
/// # */
/// let client = Client::open(&config)?;
/// let minute = Duration::from_secs(60);
/// client.connect().wait(minute)?;
///
/// let channels = client.channels(None)?;
/// channels.fetch_next().wait(minute)?;
/// let first = channels.get(0).ok_or("no channel")?;
/// println!("{} ({} unread)", first.name(), first.unread_message_count());
///
/// let messages = client.messages(&first.url(), Viewpoint::Latest, None)?;
/// messages.fetch_previous().wait(minute)?;
/// let sent = messages.send(&Draft::new("hi")).wait(minute)?;
/// assert_eq!(sent.message().map(|message| message.text()).as_deref(), Some("hi"));
/// # client.close();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Without a connection, channels and the messages of channels that were opened before come from the cache, and
/// messages to be sent wait.
pub struct Client {
    pub(crate) core: Arc<Core>,
}

impl Client {
    /// Opens the cache and starts the engine; needs no connection. Blocks while it opens the files.
    ///
    /// Fails with `InvalidDocument`, `Locked`, `Storage`, `NewerSchema` or `CorruptIntents`; with `WrongKey` or
    /// `NoEncryption` (see [`Config::encryption_key`](crate::Config::encryption_key)); with `Internal` when the loaded
    /// library has another interface than the one that this crate was written for.
    #[doc(alias = "sm_setup")]
    pub fn open(config: &Config) -> Result<Client> {
        if api_version() != sys::SM_API_VERSION {
            let message = format!("libsyncmanager {} is not what this crate is for", version());
            return Err(Error::new(ErrorKind::Internal, message));
        }
        Ok(Client { core: Arc::new(Core::open(&config.0.to_c()?)?) })
    }

    /// Connects and stays connected. Completes at the first login, or when the first attempt failed; it goes on trying.
    ///
    /// Completion: `TokenRejected`, `Service`, `Network`, `Closed`.
    #[doc(alias = "sm_connect")]
    pub fn connect(&self) -> Call<'_> {
        let handle = self.core.handle;
        Call::new(
            &self.core,
            // SAFETY: no callback, no data; `out` is valid during the call.
            Ok(Box::new(move |out| unsafe { sys::sm_connect(handle.0, None, NOBODY, None, out) })),
        )
    }

    /// Closes the connection and stays offline; the cache and the collections stay.
    #[doc(alias = "sm_disconnect")]
    pub fn disconnect(&self) -> Result<()> {
        // SAFETY: any thread, any handle.
        check(unsafe { sys::sm_disconnect(self.core.handle.0) }).map(drop)
    }

    /// Lets background sync run, as it does from the start.
    #[doc(alias = "sm_resume_sync")]
    pub fn resume_sync(&self) -> Result<()> {
        // SAFETY: any thread, any handle.
        check(unsafe { sys::sm_resume_sync(self.core.handle.0) }).map(drop)
    }

    /// Pauses background sync; realtime events go on.
    #[doc(alias = "sm_pause_sync")]
    pub fn pause_sync(&self) -> Result<()> {
        // SAFETY: any thread, any handle.
        check(unsafe { sys::sm_pause_sync(self.core.handle.0) }).map(drop)
    }

    /// Whether the program is in the foreground, as at the start. In the background the connection closes after
    /// `background_grace_ms`; back in the foreground it is made again at once.
    #[doc(alias = "sm_set_foreground")]
    pub fn set_foreground(&self, is_foreground: bool) -> Result<()> {
        // SAFETY: any thread, any handle.
        check(unsafe { sys::sm_set_foreground(self.core.handle.0, is_foreground.into()) }).map(drop)
    }

    /// A new access token, the answer to [`EventKind::TokenNeeded`](crate::EventKind::TokenNeeded).
    #[doc(alias = "sm_set_token")]
    pub fn set_token(&self, access_token: &str) -> Result<()> {
        let token = c_text(access_token)?;
        // SAFETY: the text ends with NUL and is copied.
        check(unsafe { sys::sm_set_token(self.core.handle.0, token.as_ptr()) }).map(drop)
    }

    /// Disconnects and removes all that is kept of the user on this machine, unsent messages included; the client goes
    /// on with an empty cache. Completion: `Storage`, `Closed`.
    #[doc(alias = "sm_sign_out")]
    pub fn sign_out(&self) -> Call<'_> {
        let handle = self.core.handle;
        Call::new(
            &self.core,
            // SAFETY: as in `connect`.
            Ok(Box::new(move |out| unsafe { sys::sm_sign_out(handle.0, None, NOBODY, None, out) })),
        )
    }

    /// Removes cached messages of one channel, or of all; unsent ones stay. Completion: `Storage`, `Closed`.
    #[doc(alias = "sm_clear_cache")]
    pub fn clear_cache(&self, channel_url: Option<&str>) -> Call<'_> {
        let handle = self.core.handle;
        Call::new(
            &self.core,
            channel_url.map(c_text).transpose().map(|url| -> Start<'_> {
                Box::new(move |out| {
                    let url = url.as_ref().map_or(null(), |url| url.as_ptr());
                    // SAFETY: the text is NULL or ends with NUL and is copied; the rest as in `connect`.
                    unsafe { sys::sm_clear_cache(handle.0, url, None, NOBODY, None, out) }
                })
            }),
        )
    }

    /// Asks for one of the actions of `docs/actions.md`; [`Outcome::result`](crate::Outcome::result) is its result.
    ///
    /// Completion: `NotConnected` (nothing was sent and nothing is queued), `Network`, `Timeout` (whether it was done
    /// is not known), `NotFound`, `Service` (refused), `TokenRejected`, `Closed`.
    #[doc(alias = "sm_call")]
    pub fn call(&self, action: &Action) -> Call<'_> {
        let handle = self.core.handle;
        Call::new(
            &self.core,
            action.0.to_c().map(|document| -> Start<'_> {
                // SAFETY: the text ends with NUL and is copied; the rest as in `connect`.
                Box::new(move |out| unsafe { sys::sm_call(handle.0, document.as_ptr(), None, NOBODY, None, out) })
            }),
        )
    }

    /// A list of channels, empty until its first fetch.
    #[doc(alias = "sm_channel_collection_new")]
    pub fn channels<'q>(&self, query: impl Into<Option<&'q ChannelQuery>>) -> Result<ChannelCollection> {
        ChannelCollection::open(&self.core, query.into())
    }

    /// The cached messages that have what is looked for, empty until the first fetch; needs
    /// [`Config::search`](crate::Config::search). [`Action::search_messages`](crate::Action::search_messages) lets the
    /// service search what it has.
    #[doc(alias = "sm_search_collection_new")]
    pub fn search(&self, query: &SearchQuery) -> Result<SearchCollection> {
        SearchCollection::open(&self.core, query)
    }

    /// The messages of a channel around a point of time; background sync of the channel starts.
    #[doc(alias = "sm_message_collection_new")]
    pub fn messages<'f>(
        &self,
        channel_url: &str,
        viewpoint: Viewpoint,
        filter: impl Into<Option<&'f MessageFilter>>,
    ) -> Result<MessageCollection> {
        MessageCollection::open(&self.core, channel_url, viewpoint, filter.into())
    }

    /// The same for a channel that is in the cache. `opened` gets the collection when the call is made; the outcome has
    /// the [`channel`](crate::Outcome::channel). Completion: `NotFound` (the channel is not cached, and nothing was
    /// opened: drop the collection), `Storage`, `Closed`.
    #[doc(alias = "sm_message_collection_open")]
    pub fn open_messages<'a, 'f>(
        &'a self,
        channel_url: &str,
        viewpoint: Viewpoint,
        filter: impl Into<Option<&'f MessageFilter>>,
        opened: &'a mut Option<MessageCollection>,
    ) -> Call<'a> {
        MessageCollection::open_cached(&self.core, channel_url, viewpoint, filter.into(), opened)
    }

    /// The next event; `None` when none came in time or [`interrupt`](Client::interrupt) ended the wait. Without a
    /// timeout it waits for ever; zero does not wait.
    ///
    /// Fails with `Closed`, with `Busy` when another thread drains, with `Reentrant` in a callback of this client.
    #[doc(alias = "sm_next_event")]
    pub fn next_event(&self, timeout: impl Into<Option<Duration>>) -> Result<Option<Event>> {
        let turn = self.core.begin_turn()?;
        let event = match self.core.shared.take_kept() {
            Some(event) => Some(event),
            None => self.core.pull(&turn, timeout.into())?,
        };
        drop(turn);
        if let Some(Event { kind: EventKind::Result(outcome), .. }) = &event {
            self.core.shared.listeners.forget_result(outcome.request());
        }
        Ok(event)
    }

    /// The events, one after the other. The iteration ends when the client closes or a wait is
    /// [interrupted](Client::interrupt).
    pub fn events(&self) -> Events<'_> {
        Events { client: self }
    }

    /// Waits up to `timeout` (without one, for ever) for the first event, then runs the closures of all that wait on
    /// this thread. Returns how many were taken. A closure's panic is raised again here, where no C frame is on the
    /// stack.
    ///
    /// Fails like [`next_event`](Client::next_event).
    #[doc(alias = "sm_dispatch")]
    pub fn dispatch(&self, timeout: impl Into<Option<Duration>>) -> Result<usize> {
        self.core.dispatch(0, timeout.into())
    }

    /// Like [`dispatch`](Client::dispatch), with `max_events` at most.
    pub fn dispatch_some(&self, max_events: u16, timeout: impl Into<Option<Duration>>) -> Result<usize> {
        self.core.dispatch(i32::from(max_events).max(1), timeout.into())
    }

    /// Ends a wait for events, or the next one if none waits. Any thread.
    #[doc(alias = "sm_interrupt")]
    pub fn interrupt(&self) -> Result<()> {
        // SAFETY: any thread, any handle.
        check(unsafe { sys::sm_interrupt(self.core.handle.0) }).map(drop)
    }

    /// Sets the closure for events that belong to no collection, results of calls that were only started, and events of
    /// collections without a closure of their own. It replaces the previous one. It is called by
    /// [`dispatch`](Client::dispatch), and by closing, for the events that are left; with threaded delivery, it is
    /// called on a thread of the library. After a panic it is called again for the next event.
    #[doc(alias = "sm_set_callback")]
    pub fn set_callback(&self, body: impl FnMut(&Event) + Send + 'static) -> Result<()> {
        self.core.shared.listeners.set_client(Some(Box::new(body)))
    }

    /// Removes that closure.
    pub fn clear_callback(&self) -> Result<()> {
        self.core.shared.listeners.set_client(None)
    }

    /// Closes the client: completes every outstanding call with `Closed`, joins the client's threads, and runs the
    /// closures for events that are still queued, on this thread. Blocks; hold no lock that a closure takes.
    #[doc(alias = "sm_close")]
    pub fn close(self) {
        self.core.close();
        if let Some(panic) = self.core.shared.listeners.running.take_panic() {
            resume_unwind(panic);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.core.close_from_drop();
    }
}

/// Readable while events wait, those included that a future or [`Call::wait`] has drained: for poll, epoll, or the
/// reactor of an async runtime. It must not be read from. The client owns it; for a closed client it is -1.
impl AsRawFd for Client {
    #[doc(alias = "sm_get_fd")]
    fn as_raw_fd(&self) -> RawFd {
        self.core.descriptor()
    }
}

/// Events as an iterator; see [`Client::events`]. Since 0.1.
pub struct Events<'a> {
    client: &'a Client,
}

impl Iterator for Events<'_> {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Result<Event>> {
        match self.client.next_event(None) {
            Ok(event) => event.map(Ok),
            Err(error) if error.kind() == ErrorKind::Closed => None,
            Err(error) => Some(Err(error)),
        }
    }
}
