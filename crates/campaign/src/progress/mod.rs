//! What stages tell while they work: lines, warnings, how far they are.

pub mod times;

use std::path::Path;

/// Hears what stages tell. What it doesn't care for is not said.
pub trait Progress: Sync {
    /// A line about what is being done.
    fn say(&self, _text: &str) {}

    /// A line about something that went less well than it should.
    fn warn(&self, _text: &str) {}

    /// The same of something that is found again at each stage, and is to be told once.
    fn warn_once(&self, _text: &str) {}

    /// Whether something is wanted that takes longer than what was asked for.
    fn confirm(&self, _question: &str) -> bool {
        false
    }

    /// A stage of a pipeline begins.
    fn stage(&self, _name: &str) {}

    /// A later part takes at most so many seconds.
    fn expect(&self, _part: &'static str, _seconds: f64) {}

    /// From now on the campaign in a folder is made.
    fn campaign(&self, _folder: &Path) {}

    /// Work of `length` equal parts begins.
    fn bar(&self, _length: u64, _what: &'static str) -> Box<dyn WorkProgress> {
        Box::new(Silent)
    }
}

/// Hears how far work of equal parts is, which ends when this is dropped.
pub trait WorkProgress: Send + Sync {
    /// So many more parts were made now.
    fn inc(&self, _parts: u64) {}

    /// So many parts are done, of which those since the last call were made now.
    fn made_up_to(&self, _done: u64) {}

    /// So many parts are done, those since the last call from before.
    fn found_up_to(&self, _done: u64) {}

    /// How many parts there are has changed.
    fn set_length(&self, _length: u64) {}

    /// Calls what says something, where nothing drawn is in its way.
    fn suspend(&self, say: &mut dyn FnMut()) {
        say();
    }
}

/// Hears nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {}

impl WorkProgress for Silent {}

/// A time as people say it: `40 s`, `12 min`, `2.5 h`.
pub fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 90.0 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
