//! Why a block's statements stay, and what takes the place of those that go.

pub(super) const NEEDED: &str = "the code that stays needs its variables";
pub(super) const TOO_DEEP: &str = "it is nested too deeply";
pub(super) const NOTHING: &str = "it has no statement that can be left out";

/// A range of the text, and what takes its place.
pub(super) type Replacement = (std::ops::Range<usize>, String);
