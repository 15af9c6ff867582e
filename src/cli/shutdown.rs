//! State of the program's end after a signal.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the program is being ended.
static IS_SHUTTING_DOWN: AtomicBool = AtomicBool::new(false);

/// Whether the program is being ended, so that failures are no longer reported.
pub fn is_shutting_down() -> bool {
    IS_SHUTTING_DOWN.load(Ordering::SeqCst)
}

/// Notes that the program is being ended.
pub fn begin() {
    IS_SHUTTING_DOWN.store(true, Ordering::SeqCst);
}
