//! Progress of the stages of a command: messages, warnings, and parts done.

pub mod times;

use std::path::Path;

/// Listener for progress of the stages; each method does nothing by default.
pub trait Progress: Sync {
    /// Shows a line about the current work.
    fn say(&self, _text: &str) {}

    /// Shows a warning.
    fn warn(&self, _text: &str) {}

    /// Shows a warning that several stages may repeat, only once.
    fn warn_once(&self, _text: &str) {}

    /// Asks whether to do something that takes longer than the requested work.
    fn confirm(&self, _question: &str) -> bool {
        false
    }

    /// Announces the beginning of a stage.
    fn stage(&self, _name: &str) {}

    /// Announces the greatest duration of a later part, in seconds.
    fn expect(&self, _part: &'static str, _seconds: f64) {}

    /// Announces the folder of the campaign that is worked on from now on.
    fn campaign(&self, _folder: &Path) {}

    /// Begins a progress bar of `length` equal parts.
    fn bar(&self, _length: u64, _what: &'static str) -> Box<dyn WorkProgress> {
        Box::new(Silent)
    }
}

/// Progress of work in equal parts, which ends when this is dropped.
pub trait WorkProgress: Send + Sync {
    /// Adds parts that were done now.
    fn inc(&self, _parts: u64) {}

    /// Sets the number of parts done, the new ones since the last call done now.
    fn set_done_now(&self, _done: u64) {}

    /// Sets the number of parts done, the new ones since the last call found from earlier work.
    fn set_done_before(&self, _done: u64) {}

    /// Changes the total number of parts.
    fn set_length(&self, _length: u64) {}

    /// Calls `say` while nothing is drawn, so that its output is not overwritten.
    fn suspend(&self, say: &mut dyn FnMut()) {
        say();
    }
}

/// Progress listener that shows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {}

impl WorkProgress for Silent {}

/// A duration for readers: `40 s`, `12 min`, `2.5 h`.
pub fn duration_text(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 90.0 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
