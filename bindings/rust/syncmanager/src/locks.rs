//! Locks that can be used after a panic.

use std::sync::{Mutex, MutexGuard};

/// No lock of this crate is held while code of the program runs, so a panic leaves what it guards as it was.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
