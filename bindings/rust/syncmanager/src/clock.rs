//! The time by which programs wait: the machine's, or that of a world of the testing kit.

use std::time::Duration;

#[cfg(feature = "world")]
pub(crate) use in_world::{leave, set};

/// Until when a wait lasts; without an end it lasts for ever.
#[derive(Clone, Copy)]
pub(crate) struct Deadline(Option<Duration>);

impl Deadline {
    pub(crate) fn after(timeout: Option<Duration>) -> Deadline {
        Deadline(timeout.map(|timeout| now().saturating_add(timeout)))
    }

    /// How long it is until then; `None`: for ever.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_sub(now()))
    }
}

/// The time since some moment.
fn now() -> Duration {
    #[cfg(feature = "world")]
    if let Some(time) = in_world::now() {
        return time;
    }
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it is written.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs().try_into().unwrap_or(0))
}

/// Whether a wait that ended without an event ended because nothing comes: in a world nobody interrupts it.
pub(crate) fn is_virtual() -> bool {
    #[cfg(feature = "world")]
    return in_world::now().is_some();
    #[cfg(not(feature = "world"))]
    false
}

#[cfg(feature = "world")]
mod in_world {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use syncmanager_sys as sys;

    /// The handle of the world that there is, 0 for none.
    static WORLD: AtomicUsize = AtomicUsize::new(0);

    pub(crate) fn set(world: *mut sys::smt_world) {
        WORLD.store(world as usize, Ordering::SeqCst);
    }

    pub(crate) fn leave() {
        WORLD.store(0, Ordering::SeqCst);
    }

    pub(crate) fn now() -> Option<Duration> {
        match WORLD.load(Ordering::SeqCst) {
            0 => None,
            // SAFETY: a stale handle is refused.
            world => Some(Duration::from_millis(unsafe { sys::smt_now(world as *mut sys::smt_world) }.unsigned_abs())),
        }
    }
}
