//! Stack profiles: sampled stacks with their numbers of samples, parsed from collapsed stacks.

mod collapsed;
mod frame;
mod weights;

pub use collapsed::{ProfileError, parse};
pub use frame::ProfileFrame;
pub use weights::{WeightError, WeightFacts, WeightUnit, unit_of_header};

/// Stacks of a profile, with distinct frames stored once each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StackProfile {
    /// All distinct frames, in any order.
    pub frames: Vec<ProfileFrame>,
    /// Whether inlined code has its caller's name.
    pub hides_inlined: bool,
    /// Stacks as indices into `frames`, outermost first, with their numbers of samples.
    pub stacks: Vec<(Vec<u32>, u64)>,
}

impl StackProfile {
    /// Total number of samples.
    pub fn samples(&self) -> u64 {
        self.stacks.iter().map(|(_, count)| count).fold(0, |sum, n| sum.saturating_add(*n))
    }
}
