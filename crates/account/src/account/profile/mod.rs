//! Profiles: stacks with how often each was seen, joined with the dictionary, and held against
//! accounts.

mod compare;
mod counted;
mod hits;
pub(crate) mod nearest_line;
mod own_spread;
mod reference;

#[cfg(test)]
mod tests;

pub use compare::{AnotherRun, ProfileEvaluation, SpreadOf, against};
pub use hits::Hits;
pub use reference::ReferenceProfile;
