//! Profiles: sampled stacks with their counts, assigned to methods of the dictionary, and
//! compared with accounts.

mod campaign_spread;
mod compare;
mod counted_lines;
mod hits;
pub(crate) mod nearest_line;
mod reference_profile;

#[cfg(test)]
mod tests;

pub use compare::{ProfileEvaluation, RunSpreadErrors, SpreadSource, compare_with_profile};
pub use hits::Hits;
pub use reference_profile::ReferenceProfile;
