//! What stages tell while they work: lines, warnings, how far they are. It goes to the one
//! that listens; nobody does unless the program says so.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Hears what stages tell. What it doesn't care for is not said.
pub trait Listener: Sync {
    /// A line about what is being done.
    fn say(&self, _text: &str) {}

    /// A line about something that went less well than it should.
    fn warn(&self, _text: &str) {}

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
struct Silent;

impl Listener for Silent {}

impl WorkProgress for Silent {}

static LISTENER: OnceLock<&'static dyn Listener> = OnceLock::new();

/// From now on a listener hears all stages of this program. The first one stays.
pub fn listen(listener: &'static dyn Listener) {
    let _ = LISTENER.set(listener);
}

fn listener() -> &'static dyn Listener {
    LISTENER.get().copied().unwrap_or(&Silent)
}

pub(crate) fn say(text: impl AsRef<str>) {
    listener().say(text.as_ref());
}

pub(crate) fn warn(text: impl AsRef<str>) {
    listener().warn(text.as_ref());
}

/// Warns of something that is found again at each stage, once.
pub(crate) fn warn_once(text: impl AsRef<str>) {
    static WARNED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if is_new(&WARNED, text.as_ref()) {
        warn(text);
    }
}

/// Whether a text was not met before.
fn is_new(met: &Mutex<BTreeSet<String>>, text: &str) -> bool {
    met.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned())
}

pub(crate) fn confirm(question: &str) -> bool {
    listener().confirm(question)
}

pub(crate) fn stage(name: &str) {
    listener().stage(name);
}

pub(crate) fn expect(part: &'static str, seconds: f64) {
    listener().expect(part, seconds);
}

pub(crate) fn campaign(folder: &Path) {
    listener().campaign(folder);
}

pub(crate) fn bar(length: u64, what: &'static str) -> Box<dyn WorkProgress> {
    listener().bar(length, what)
}

/// A time as people say it: `40 s`, `12 min`, `2.5 h`.
pub(crate) fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 90.0 * 60.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_new_once() {
        let met = Mutex::default();
        let new = ["no rapl", "no rapl", "no battery"].map(|text| is_new(&met, text));
        assert_eq!(new, [true, false, true]);
    }
}
