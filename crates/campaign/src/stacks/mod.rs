//! What samplers saw: stacks with how often each was seen, read from their text.

mod collapsed;
mod frame;
mod weights;

pub use collapsed::{ProfileError, parse};
pub use frame::ProfileFrame;
pub use weights::{WeightError, WeightFacts, WeightUnit, unit_of_header};

/// Stacks of a profile. Frames are kept once each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StackProfile {
    /// All frames that occur, in any order.
    pub frames: Vec<ProfileFrame>,
    /// Whether code that was compiled into its caller goes by the caller's name.
    pub hides_inlined: bool,
    /// Stacks: places in `frames`, the outermost first; and how often each was seen.
    pub stacks: Vec<(Vec<u32>, u64)>,
}

impl StackProfile {
    /// How many samples it has.
    pub fn samples(&self) -> u64 {
        self.stacks.iter().map(|(_, count)| count).fold(0, |sum, n| sum.saturating_add(*n))
    }
}
