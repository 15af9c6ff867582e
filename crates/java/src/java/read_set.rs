//! The names of the classes that the work on one file asked for, so that one can tell later
//! whether the same work would find the same again.

use std::cell::RefCell;
use std::hash::Hasher;

use super::fast::{FastHasher, Set};

/// The name of a class in four bytes. Names may share them: what is known of one is then
/// taken as known of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ShortName(pub u32);

impl ShortName {
    /// Those of a class's binary name.
    pub fn of(class: &str) -> ShortName {
        let mut hasher = FastHasher::default();
        hasher.write(class.as_bytes());
        ShortName((hasher.finish() >> 32) as u32)
    }
}

/// The names of classes that were asked for, those that are not there, too.
#[derive(Debug, Default)]
pub(crate) struct ReadSet(RefCell<Set<ShortName>>);

impl ReadSet {
    pub fn note(&self, class: &str) {
        self.0.borrow_mut().insert(ShortName::of(class));
    }

    /// The short names, ascending.
    pub fn names(&self) -> Vec<u32> {
        let mut names: Vec<u32> = self.0.borrow().iter().map(|name| name.0).collect();
        names.sort_unstable();
        names
    }
}
