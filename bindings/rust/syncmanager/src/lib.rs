//! Offline-first chat: a user's channels and messages are cached in SQLite, kept in sync with a chat service in the
//! background, and shown as ordered lists that every change keeps exact. This is the safe interface of the C library
//! libsyncmanager.
//!
//! ```no_run
#![doc = include_str!("../examples/list.rs")]
//! ```
//!
//! - A [`Client`] is the cache of one user. It makes collections: [`ChannelCollection`], [`MessageCollection`].
//! - What takes time is a [`Call`]: start it, wait for it, give it a closure, or await it.
//! - [`Event`]s say what happened, and the collections' [`items`](ChannelCollection::items) follow them.
//!
//! # Threads
//!
//! Every type is [`Send`] and [`Sync`], except for [`Call`], which is made and used up in one expression. Closures need
//! only be `Send`: they are called by one thread at a time. Events are drained by one thread at a time; a second one
//! gets [`ErrorKind::Busy`]. No panic of a closure crosses the C library: it comes out of [`Client::dispatch`] or
//! [`Client::close`].
//!
//! # Async
//!
//! [`Call::future`] awaits a call, in any runtime and without one: polling drains the queue when nobody else does, and
//! a thread of the client, "sm-wake", wakes the task when the queue has something. It starts with the first future or
//! [`EventStream`], sleeps while nobody waits, and ends with the client. What a future (or [`Call::wait`]) drains
//! besides its result waits for whoever asks for events, as many of them as `queue_limit`; beyond it a collection
//! starts over, as when the library's own queue overflows ([`EventKind::Overflow`]). A client's descriptor
//! ([`AsRawFd`](std::os::unix::io::AsRawFd)) is readable while any of this waits.
//!
//! # Features
//!
//! None is on by default, and without one there is no dependency but `syncmanager-sys` and `libc`.
//!
//! - `stream`: [`EventStream`], a `futures_core::Stream`.
//! - `serde`: [`Json::to`] reads items into types of one's own, documents are made of such, items serialise.
//! - `testing`: [`testing::Server`], the embedded chat server as a process.
#![deny(unsafe_op_in_unsafe_fn)]
#![allow(clippy::declare_interior_mutable_const)] // clippy 1.63 takes what thread_local! makes for one
#![cfg_attr(
    not(all(feature = "stream", feature = "serde", feature = "testing")),
    allow(rustdoc::broken_intra_doc_links)
)]

mod call;
mod callback;
mod client;
mod collection;
mod core;
mod database;
mod document;
mod error;
mod event;
mod item;
mod json;
mod kept;
mod listeners;
mod lists;
mod locks;
mod log;
mod resources;
mod rows;
mod running;
mod sections;
mod shared;
#[cfg(feature = "stream")]
mod stream;
#[cfg(feature = "testing")]
pub mod testing;
mod turns;
mod watch;

use std::ffi::CStr;

pub use call::{Call, Reply};
pub use client::{Client, Events};
pub use collection::{ChannelCollection, MessageCollection, Viewpoint};
pub use database::Database;
pub use document::{
    Action, ChannelOrder, ChannelQuery, Config, DatabaseQuery, Draft, Edit, MessageFilter, ResendPolicy, StreamRequest,
    StreamSpec, Target,
};
pub use error::{Error, ErrorKind, Result};
pub use event::{
    Change, Connection, Event, EventKind, List, Outcome, ResourceEvent, Source, Step, StreamBatch, StreamRow,
    StreamStep, SyncState,
};
pub use item::{Channel, Message};
pub use json::Json;
pub use log::{clear_log, set_log, LogLevel};
pub use resources::ResourceContext;
pub use rows::{Batches, RowStream};
pub use sections::Row;
#[cfg(feature = "stream")]
pub use stream::EventStream;

/// The version of the library that is loaded, as `0.1.0`. Since 0.1.
#[doc(alias = "sm_version_string")]
pub fn version() -> &'static str {
    // SAFETY: a static text.
    unsafe { CStr::from_ptr(syncmanager_sys::sm_version_string()) }.to_str().unwrap_or_default()
}

/// Major and minor version of the interface of the library that is loaded, as `major << 16 | minor`. Since 0.1.
#[doc(alias = "sm_api_version")]
pub fn api_version() -> i32 {
    // SAFETY: it takes nothing and gives a number.
    unsafe { syncmanager_sys::sm_api_version() }
}
