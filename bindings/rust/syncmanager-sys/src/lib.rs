//! The C interface of libsyncmanager, as it stands in `syncmanager.h`; the comments are the header's.
//!
//! Functions marked `@thread any` may be called from any thread, `@thread owner` from one thread at a time. Handles are
//! numbers that are never given out twice: a stale one is refused, never followed. The safe crate is `syncmanager`.
#![allow(non_camel_case_types)]

mod bindings;
#[cfg(feature = "world")]
mod testing;

pub use bindings::*;
#[cfg(feature = "world")]
pub use testing::*;
