//! Whether the program is being ended.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the program is being ended.
static ENDS: AtomicBool = AtomicBool::new(false);

/// Whether the program is being ended: whatever fails then is not worth a word.
pub fn is_ending() -> bool {
    ENDS.load(Ordering::SeqCst)
}

/// From now on it is.
pub fn begin() {
    ENDS.store(true, Ordering::SeqCst);
}
