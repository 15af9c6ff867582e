//! Set of the classes that a file's analysis looked up, from which later runs decide whether its
//! results are still valid.

use std::cell::RefCell;
use std::hash::Hasher;

use super::fast_hash::{FastHasher, Set};

/// Hash of a class's binary name in four bytes. Names may share one: a change of either then
/// counts as a change of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClassNameHash(pub u32);

impl ClassNameHash {
    /// Computes the hash of a class's binary name.
    pub fn of(class: &str) -> ClassNameHash {
        let mut hasher = FastHasher::default();
        hasher.write(class.as_bytes());
        ClassNameHash((hasher.finish() >> 32) as u32)
    }
}

/// Name hashes of the classes that were looked up, those that do not exist included.
#[derive(Debug, Default)]
pub(crate) struct ReadSet(RefCell<Set<ClassNameHash>>);

impl ReadSet {
    pub fn note(&self, class: &str) {
        self.0.borrow_mut().insert(ClassNameHash::of(class));
    }

    /// Returns the name hashes, ascending.
    pub fn names(&self) -> Vec<u32> {
        let mut names: Vec<u32> = self.0.borrow().iter().map(|name| name.0).collect();
        names.sort_unstable();
        names
    }
}
