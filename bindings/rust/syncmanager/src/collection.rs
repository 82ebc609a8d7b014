//! Collections: ordered lists that the library keeps, and their live copies here.

use std::ffi::CStr;
use std::os::raw::c_void;
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex};

use syncmanager_sys as sys;

use crate::call::{Call, Start};
use crate::core::{Core, Handle, NOBODY};
use crate::document::{c_text, quoted, Document};
use crate::draft::{Draft, Edit, Target};
use crate::error::{check, Result};
use crate::event::Event;
use crate::item::{Channel, Message, SearchResult};
use crate::json::Json;
use crate::listeners::EventBody;
use crate::lists::{Lists, Shows};
use crate::locks::lock;
use crate::queries::{ChannelQuery, MessageFilter, SearchQuery};

/// A point of time in a channel. Since 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewpoint {
    /// The newest message.
    Latest,
    /// The oldest message.
    Oldest,
    /// Milliseconds since the epoch.
    At(i64),
}

impl Viewpoint {
    fn number(self) -> i64 {
        match self {
            Viewpoint::Latest => sys::SM_LATEST,
            Viewpoint::Oldest => 0,
            Viewpoint::At(time) => time,
        }
    }
}

type PlainCall = unsafe extern "C" fn(
    *mut sys::sm_collection,
    sys::sm_result_callback,
    *mut c_void,
    sys::sm_destroy_callback,
    *mut u64,
) -> i32;

/// What all kinds of collection share.
pub(crate) struct Collection {
    pub(crate) core: Arc<Core>,
    pub(crate) handle: Handle<sys::sm_collection>,
    pub(crate) number: u64,
    pub(crate) lists: Arc<Mutex<Lists>>,
}

impl Collection {
    /// `make` calls the C function. The table of lists is locked meanwhile: with threaded delivery the first event may
    /// come before the function has returned.
    pub(crate) fn open(
        core: &Arc<Core>,
        shows: Shows,
        make: impl FnOnce(*mut *mut sys::sm_collection) -> i32,
    ) -> Result<Collection> {
        let mut table = lock(&core.shared.lists);
        let mut handle = null_mut();
        check(make(&mut handle))?;
        // SAFETY: any thread, any handle.
        let number = unsafe { sys::sm_collection_number(handle) };
        let lists = Arc::new(Mutex::new(Lists::new(shows)));
        table.insert(number, lists.clone());
        drop(table);
        Ok(Collection { core: core.clone(), handle: Handle(handle), number, lists })
    }

    /// Sets the closure for its events; `None` removes it.
    pub(crate) fn listen(&self, body: Option<EventBody>) -> Result<()> {
        self.core.shared.listeners.set_collection(self.number, body)
    }

    fn fetch(&self, direction: i32) -> Call<'_> {
        let handle = self.handle;
        Call::new(
            &self.core,
            // SAFETY: no callback, no data; `out` is valid during the call.
            Ok(Box::new(move |out| unsafe { sys::sm_fetch(handle.0, direction, None, NOBODY, None, out) })),
        )
    }

    /// A call whose only argument is the collection.
    fn plain(&self, function: PlainCall) -> Call<'_> {
        let handle = self.handle;
        Call::new(
            &self.core,
            // SAFETY: no callback, no data; `out` is valid during the call.
            Ok(Box::new(move |out| unsafe { function(handle.0, None, NOBODY, None, out) })),
        )
    }

    pub(crate) fn contains(&self, id: &str) -> Result<bool> {
        let id = c_text(id)?;
        // SAFETY: the text ends with NUL and is copied.
        check(unsafe { sys::sm_collection_contains(self.handle.0, id.as_ptr()) }).map(|is_there| is_there == 1)
    }

    pub(crate) fn text_of(
        &self,
        function: unsafe extern "C" fn(*mut sys::sm_collection, *mut *mut std::os::raw::c_char) -> i32,
    ) -> Result<Json> {
        let mut text = null_mut();
        // SAFETY: on success `text` is a text of the library's, which is copied, and freed once.
        unsafe {
            check(function(self.handle.0, &mut text))?;
            let json = Json::new(&CStr::from_ptr(text).to_string_lossy());
            sys::sm_string_free(text);
            Ok(json)
        }
    }
}

/// Removes the collection: no event closure of it starts afterwards. Waits for one that runs on another thread, so hold
/// no lock that it takes.
impl Drop for Collection {
    #[doc(alias = "sm_collection_remove")]
    fn drop(&mut self) {
        // SAFETY: any thread, any handle.
        unsafe { sys::sm_collection_remove(self.handle.0) };
        self.core.shared.remove_collection(self.number);
    }
}

macro_rules! collection {
    ($name:ident) => {
        impl $name {
            /// Its number in events.
            #[doc(alias = "sm_collection_number")]
            pub fn number(&self) -> u64 {
                self.0.number
            }

            /// Sets the closure for the events of this collection, instead of the client's; see
            /// [`Client::set_callback`](crate::Client::set_callback). The live list is up to date when it is called.
            #[doc(alias = "sm_collection_set_callback")]
            pub fn set_callback(&self, body: impl FnMut(&Event) + Send + 'static) -> Result<()> {
                self.0.listen(Some(Box::new(body)))
            }

            /// Removes that closure: the client's gets the events.
            pub fn clear_callback(&self) -> Result<()> {
                self.0.listen(None)
            }

            /// Loads the next page: cached items at once, the others as sync gets them. Refused with `DuplicatedFetch`
            /// while one in that direction or a start is under way. Completion: `Timeout`, `Storage`, `NotFound`,
            /// `Removed`, `Closed`. A short page is not an error; [`Outcome::short`](crate::Outcome::short) says why it
            /// is short.
            #[doc(alias = "sm_fetch")]
            pub fn fetch_next(&self) -> Call<'_> {
                self.0.fetch(sys::SM_NEXT)
            }

            /// How many items the live list has.
            pub fn len(&self) -> usize {
                lock(&self.0.lists).shown.len()
            }

            /// Whether the live list has none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Whether the live list has a channel, by its URL, a message, by its id, or a result, by its
            /// [`id`](crate::SearchResult::id).
            #[doc(alias = "sm_collection_contains")]
            pub fn contains(&self, id: &str) -> Result<bool> {
                self.0.contains(id)
            }

            /// Counts, edges and the arguments it was opened with, as of the last drained event; for messages also
            /// their channel.
            #[doc(alias = "sm_collection_info")]
            pub fn info(&self) -> Result<Json> {
                self.0.text_of(sys::sm_collection_info)
            }

            /// The lists as the library has them, as of the last drained event.
            #[doc(alias = "sm_collection_snapshot")]
            #[doc(alias = "sm_string_free")]
            pub fn snapshot(&self) -> Result<Json> {
                self.0.text_of(sys::sm_collection_snapshot)
            }
        }
    };
}

/// A list of channels, kept in order and up to date. Dropping it ends it. Since 0.1.
pub struct ChannelCollection(Collection);

collection!(ChannelCollection);

impl ChannelCollection {
    pub(crate) fn open(core: &Arc<Core>, query: Option<&ChannelQuery>) -> Result<ChannelCollection> {
        let query = query.map(|query| query.0.to_c()).transpose()?;
        let text = query.as_ref().map_or(null(), |query| query.as_ptr());
        Collection::open(core, Shows::Channels, |out| {
            // SAFETY: the text is NULL or ends with NUL and is copied.
            unsafe { sys::sm_channel_collection_new(core.handle.0, text, out) }
        })
        .map(ChannelCollection)
    }

    /// The channels shown: a live list, which every drained change brings up to date.
    pub fn items(&self) -> Vec<Channel> {
        lock(&self.0.lists).shown.iter().cloned().map(Channel::from).collect()
    }

    /// One of them.
    pub fn get(&self, index: usize) -> Option<Channel> {
        lock(&self.0.lists).shown.get(index).cloned().map(Channel::from)
    }
}

/// The cached messages that a search has found, the newest or the best one first, kept in order and up to date.
/// Dropping it ends it. Since 0.1.
pub struct SearchCollection(Collection);

collection!(SearchCollection);

impl SearchCollection {
    pub(crate) fn open(core: &Arc<Core>, query: &SearchQuery) -> Result<SearchCollection> {
        let query = query.0.to_c()?;
        Collection::open(core, Shows::Results, |out| {
            // SAFETY: the text ends with NUL and is copied.
            unsafe { sys::sm_search_collection_new(core.handle.0, query.as_ptr(), out) }
        })
        .map(SearchCollection)
    }

    /// The results shown: a live list, which every drained change brings up to date.
    pub fn items(&self) -> Vec<SearchResult> {
        lock(&self.0.lists).shown.iter().cloned().map(SearchResult::from).collect()
    }

    /// One of them.
    pub fn get(&self, index: usize) -> Option<SearchResult> {
        lock(&self.0.lists).shown.get(index).cloned().map(SearchResult::from)
    }
}

/// The messages of a channel around a point of time, kept in order and up to date. Dropping it ends it. Since 0.1.
pub struct MessageCollection(Collection);

collection!(MessageCollection);

/// Makes a call of a C function that takes a collection and a document.
macro_rules! document_call {
    ($collection:expr, $function:path, $document:expr $(, $more:expr)*) => {{
        let (handle, document): (_, &Document) = ($collection.0.handle, $document);
        Call::new(
            &$collection.0.core,
            document.to_c().map(|document| -> Start<'_> {
                // SAFETY: the text ends with NUL and is copied; no callback, no data; `out` is valid during the call.
                Box::new(move |out| unsafe {
                    $function(handle.0, document.as_ptr(), $($more,)* None, NOBODY, None, out)
                })
            }),
        )
    }};
}

impl MessageCollection {
    pub(crate) fn open(
        core: &Arc<Core>,
        channel_url: &str,
        viewpoint: Viewpoint,
        filter: Option<&MessageFilter>,
    ) -> Result<MessageCollection> {
        let url = c_text(channel_url)?;
        let filter = filter.map(|filter| filter.0.to_c()).transpose()?;
        let text = filter.as_ref().map_or(null(), |filter| filter.as_ptr());
        Collection::open(core, Shows::Messages, |out| {
            // SAFETY: the texts end with NUL (the second may be NULL) and are copied.
            unsafe { sys::sm_message_collection_new(core.handle.0, url.as_ptr(), text, viewpoint.number(), out) }
        })
        .map(MessageCollection)
    }

    /// `opened` gets the collection when the call is made.
    pub(crate) fn open_cached<'a>(
        core: &'a Arc<Core>,
        channel_url: &str,
        viewpoint: Viewpoint,
        filter: Option<&MessageFilter>,
        opened: &'a mut Option<MessageCollection>,
    ) -> Call<'a> {
        let texts = c_text(channel_url).and_then(|url| Ok((url, filter.map(|filter| filter.0.to_c()).transpose()?)));
        Call::new(
            core,
            texts.map(|(url, filter)| -> Start<'a> {
                Box::new(move |request| {
                    let text = filter.as_ref().map_or(null(), |filter| filter.as_ptr());
                    let made = Collection::open(core, Shows::Messages, |out| {
                        // SAFETY: the texts end with NUL (the second may be NULL) and are copied; no callback, no data;
                        // `request` is valid during the call.
                        unsafe {
                            sys::sm_message_collection_open(
                                core.handle.0,
                                url.as_ptr(),
                                text,
                                viewpoint.number(),
                                None,
                                NOBODY,
                                None,
                                request,
                                out,
                            )
                        }
                    });
                    match made {
                        Ok(collection) => {
                            *opened = Some(MessageCollection(collection));
                            0
                        }
                        // The library's own words are read by who makes the call.
                        Err(error) => error.kind().code(),
                    }
                })
            }),
        )
    }

    /// The messages shown, oldest first: a live list, which every drained change brings up to date.
    pub fn items(&self) -> Vec<Message> {
        lock(&self.0.lists).shown.iter().cloned().map(Message::from).collect()
    }

    /// One of them.
    pub fn get(&self, index: usize) -> Option<Message> {
        lock(&self.0.lists).shown.get(index).cloned().map(Message::from)
    }

    /// Messages of this user under way: a live list.
    pub fn pending(&self) -> Vec<Message> {
        lock(&self.0.lists).pending.iter().cloned().map(Message::from).collect()
    }

    /// Messages of this user that failed: a live list.
    pub fn failed(&self) -> Vec<Message> {
        lock(&self.0.lists).failed.iter().cloned().map(Message::from).collect()
    }

    /// Loads the page before; see [`fetch_next`](MessageCollection::fetch_next).
    pub fn fetch_previous(&self) -> Call<'_> {
        self.0.fetch(sys::SM_PREVIOUS)
    }

    /// Loads the page around the viewpoint: cached messages at once, then the service's page, as changes. Completion as
    /// [`fetch_next`](MessageCollection::fetch_next), and `DuplicatedFetch` while a fetch or a start is under way.
    #[doc(alias = "sm_collection_start")]
    pub fn start(&self) -> Call<'_> {
        self.0.plain(sys::sm_collection_start)
    }

    /// Loads every newer message, until the newest is shown; counts as [`fetch_next`](MessageCollection::fetch_next).
    #[doc(alias = "sm_fetch_all_next")]
    pub fn fetch_all_next(&self) -> Call<'_> {
        self.0.plain(sys::sm_fetch_all_next)
    }

    /// Shows those failed messages that the filter's `own_messages` held back;
    /// [`Outcome::count`](crate::Outcome::count) says how many. Completion: `Storage`, `Removed`, `Closed`.
    #[doc(alias = "sm_fetch_failed")]
    pub fn fetch_failed(&self) -> Call<'_> {
        self.0.plain(sys::sm_fetch_failed)
    }

    /// The same for pending messages.
    #[doc(alias = "sm_fetch_pending")]
    pub fn fetch_pending(&self) -> Call<'_> {
        self.0.plain(sys::sm_fetch_pending)
    }

    /// Empties the list and moves it to another viewpoint; fetch again afterwards.
    #[doc(alias = "sm_reset_viewpoint")]
    pub fn reset_viewpoint(&self, viewpoint: Viewpoint) -> Result<()> {
        // SAFETY: any thread, any handle.
        check(unsafe { sys::sm_reset_viewpoint(self.0.handle.0, viewpoint.number()) }).map(drop)
    }

    /// Sends a text message. It is on disk before the change of the pending list is told, and from then on it is sent
    /// or shown as failed. Completes after the first attempt, with [`Outcome::message`](crate::Outcome::message).
    ///
    /// Completion: `Network`, `Timeout`, `Service`, `InvalidArgument` (the request id is in use), `Storage`, `Removed`,
    /// `Closed`.
    #[doc(alias = "sm_send_message")]
    pub fn send(&self, draft: &Draft) -> Call<'_> {
        document_call!(self, sys::sm_send_message, &draft.0)
    }

    /// Sends a failed message again. Completion as [`send`](MessageCollection::send), and `NotFound`.
    pub fn resend(&self, request_id: &str) -> Call<'_> {
        let mut document = Document::new();
        document.set("resend", &quoted(request_id));
        document_call!(self, sys::sm_send_message, &document)
    }

    /// Shows a message that the program sends by its own means; `request_id` is required.
    /// [`handle_send_response`](MessageCollection::handle_send_response) ends it. A service's object, given by
    /// [`Draft::from_json`], counts as sent already.
    ///
    /// Completion: `Storage`, `InvalidArgument` (the request id is in use), `Removed`.
    #[doc(alias = "sm_append_message")]
    pub fn append(&self, draft: &Draft) -> Call<'_> {
        document_call!(self, sys::sm_append_message, &draft.0)
    }

    /// Reports how such a send ended: `message` is the service's message object with the `request_id` when `error_code`
    /// is 0, else the document given to [`append`](MessageCollection::append), or one that could have been given.
    /// Completion: `Storage`, `NotFound`, `NotOwnMessage`.
    #[doc(alias = "sm_handle_send_response")]
    pub fn handle_send_response(&self, message: &str, error_code: i32) -> Call<'_> {
        document_call!(self, sys::sm_handle_send_response, &Document::of_text(message.to_owned()), error_code)
    }

    /// Tells that the program edited a message of this user by its own means, or changes a failed one in place. The
    /// library itself edits by the action `edit_message` of [`Client::call`](crate::Client::call).
    ///
    /// Completion: `NotFound` (nothing failed under that request id), `NotOwnMessage`, `Storage`, `Removed`, `Closed`.
    #[doc(alias = "sm_update_message")]
    pub fn update(&self, edit: &Edit) -> Call<'_> {
        document_call!(self, sys::sm_update_message, &edit.0)
    }

    /// Tells that the program deleted a message of this user by its own means, or gives up a pending or failed one. The
    /// library itself deletes by the action `delete_message`. Completion as [`update`](MessageCollection::update).
    #[doc(alias = "sm_delete_message")]
    pub fn delete(&self, target: &Target) -> Call<'_> {
        document_call!(self, sys::sm_delete_message, &target.0)
    }
}
