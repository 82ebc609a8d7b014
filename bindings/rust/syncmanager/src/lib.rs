//! Offline-first chat: a user's channels and messages are cached in SQLite, kept in sync with a chat service in the
//! background, and shown as ordered lists that every change keeps exact. This is the safe interface of the C library
//! libsyncmanager.
//!
//! ```no_run
#![doc = include_str!("../examples/list.rs")]
//! ```
//!
//! - A [`Client`] is the cache of one user. It makes collections: [`ChannelCollection`], [`MessageCollection`],
//!   [`SearchCollection`].
//! - A function that completes later gives a [`Call`]: start it, wait for it, give it a closure, or await it.
//! - [`Event`]s say what happened, and the collections' [`items`](ChannelCollection::items) follow them.
//!
//! # Threads
//!
//! Every type is [`Send`] and [`Sync`], except for [`Call`], which is made and used up in one expression. Closures need
//! only be `Send`: they are called by one thread at a time. Events are drained by one thread at a time; a second one
//! gets [`ErrorKind::Busy`]. No panic of a closure goes through the C library: it is raised again by
//! [`Client::dispatch`] or [`Client::close`].
//!
//! # Async
//!
//! [`Call::future`] awaits a call, in any runtime and without one: polling drains the queue when nobody else does, and
//! a thread of the client, "sm-wake", wakes the task when the queue has something. It starts with the first future or
//! [`EventStream`], sleeps while no task waits, and ends with the client. Events that a future (or [`Call::wait`])
//! drains besides its result are kept for the next one who asks for events, as many as `queue_limit`; beyond that a
//! collection starts over, as when the library's own queue overflows ([`EventKind::Overflow`]). A client's descriptor
//! ([`AsRawFd`](std::os::unix::io::AsRawFd)) is readable while any of this waits.
//!
//! # Features
//!
//! None is on by default, and without one there is no dependency but `syncmanager-sys` and `libc`.
//!
//! - `stream`: [`EventStream`] is a `futures_core::Stream`.
//! - `serde`: [`Json::to`] reads items into types of the program, documents are made from such types, and items can be
//!   serialised.
//! - `testing`: [`testing::Server`], the embedded chat server as a process.
//! - `world`: [`testing::World`], service, network and time in the process of a test. For dev-dependencies: it links
//!   libsyncmanager-testing in the place of libsyncmanager.
#![deny(unsafe_op_in_unsafe_fn)]
#![allow(clippy::declare_interior_mutable_const)] // clippy 1.63 takes what thread_local! makes for one
#![cfg_attr(not(all(feature = "serde", feature = "world")), allow(rustdoc::broken_intra_doc_links))]

mod action;
mod actions;
#[cfg(feature = "testing")]
mod acts;
mod call;
mod callback;
mod change;
mod client;
mod clock;
mod collection;
mod config;
mod core;
mod database;
mod document;
mod draft;
mod error;
mod event;
mod item;
mod json;
mod kept;
mod listeners;
mod lists;
mod locks;
mod log;
mod outcome;
mod queries;
mod resource_event;
mod resources;
mod rows;
mod running;
mod sections;
#[cfg(feature = "serde")]
mod serialize;
mod shared;
mod stream;
mod stream_event;
mod stream_spec;
#[cfg(feature = "testing")]
pub mod testing;
mod turns;
mod version;
mod watch;
#[cfg(feature = "world")]
mod world;

pub use action::Action;
pub use call::{Call, Reply};
pub use change::{Change, List, Source, Step};
pub use client::{Client, Events};
pub use collection::{ChannelCollection, MessageCollection, SearchCollection, Viewpoint};
pub use config::{CacheOrder, Config, Notify, ResendPolicy, Service};
pub use database::Database;
pub use draft::{Draft, Edit, OutgoingFile, Target};
pub use error::{Error, ErrorKind, Result};
pub use event::{Connection, Event, EventKind, EvictionCandidate, SyncState};
pub use item::{Channel, Message, Reaction, SearchResult};
pub use json::Json;
pub use log::{clear_log, set_log, LogLevel};
pub use outcome::Outcome;
pub use queries::{ChannelOrder, ChannelQuery, DatabaseQuery, MessageFilter, SearchQuery};
pub use resource_event::ResourceEvent;
pub use resources::ResourceContext;
pub use rows::{Batches, RowStream};
pub use sections::Row;
pub use stream::EventStream;
pub use stream_event::{StreamBatch, StreamRow, StreamStep};
pub use stream_spec::{StreamRequest, StreamSpec};
pub use version::{api_version, version};
