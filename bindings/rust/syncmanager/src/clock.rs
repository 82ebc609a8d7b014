//! The time by which programs wait: the machine's, or that of a world of the testing kit.

use std::time::Duration;
#[cfg(not(feature = "world"))]
use std::time::Instant;

#[cfg(feature = "world")]
pub(crate) use virtual_time::{leave, now, set, Instant};

/// Until when a wait lasts; without an end it lasts for ever.
#[derive(Clone, Copy)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) fn after(timeout: Option<Duration>) -> Deadline {
        Deadline(timeout.map(|timeout| now() + timeout))
    }

    /// How long it is until then; `None`: for ever.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_sub_duration(now()))
    }
}

/// What both kinds of times can do.
trait Until {
    fn saturating_sub_duration(self, earlier: Self) -> Duration;
}

#[cfg(not(feature = "world"))]
impl Until for Instant {
    fn saturating_sub_duration(self, earlier: Instant) -> Duration {
        self.saturating_duration_since(earlier)
    }
}

#[cfg(not(feature = "world"))]
fn now() -> Instant {
    Instant::now()
}

/// Whether a wait that ended without an event ended because nothing comes: in a world nobody interrupts it.
pub(crate) fn is_virtual() -> bool {
    #[cfg(feature = "world")]
    return virtual_time::is_set();
    #[cfg(not(feature = "world"))]
    false
}

#[cfg(feature = "world")]
mod virtual_time {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use syncmanager_sys as sys;

    /// The handle of the world that there is, 0 for none.
    static WORLD: AtomicUsize = AtomicUsize::new(0);

    /// A time since some moment.
    pub(crate) type Instant = Duration;

    impl super::Until for Instant {
        fn saturating_sub_duration(self, earlier: Instant) -> Duration {
            self.saturating_sub(earlier)
        }
    }

    pub(crate) fn set(world: *mut sys::smt_world) {
        WORLD.store(world as usize, Ordering::SeqCst);
    }

    pub(crate) fn leave() {
        WORLD.store(0, Ordering::SeqCst);
    }

    pub(crate) fn is_set() -> bool {
        WORLD.load(Ordering::SeqCst) != 0
    }

    pub(crate) fn now() -> Instant {
        match WORLD.load(Ordering::SeqCst) {
            0 => {
                let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
                // SAFETY: it is written.
                unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
                Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs().try_into().unwrap_or(0))
            }
            // SAFETY: a stale handle is refused.
            world => Duration::from_millis(unsafe { sys::smt_now(world as *mut sys::smt_world) }.unsigned_abs()),
        }
    }
}
