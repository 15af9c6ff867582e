//! Reasons why a block's statements can't be removed, and replacements of removed text.

pub(super) const VARIABLES_NEEDED: &str = "the code that stays needs its variables";
pub(super) const TOO_DEEP: &str = "it is nested too deeply";
pub(super) const NOTHING_TO_REMOVE: &str = "it has no statement that can be left out";

/// Range of the text, and its replacement.
pub(super) type Replacement = (std::ops::Range<usize>, String);
