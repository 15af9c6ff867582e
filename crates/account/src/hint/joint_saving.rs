//! Measured saving of several rewrites applied together.

use crate::hint::hint::MeasuredSaving;

/// Measured saving of all verified rewrites together, beside the sum of their single savings.
#[derive(Debug, Clone, PartialEq)]
pub struct JointSaving {
    /// Rewrites that were applied together: pattern and code location.
    pub applied: Vec<String>,
    /// Rewrites left out because they change the same code as one before them.
    pub overlapping: Vec<String>,
    /// Saving of the application with all of them.
    pub together: MeasuredSaving,
    /// Sum of the single savings in the rounds in which all of their copies are good; absent if
    /// one was not measured by itself.
    pub sum: Option<MeasuredSaving>,
    /// Saving together less the sum, round by round: what rewrites take from each other (below
    /// zero) or add to each other. Absent without the sum.
    pub difference: Option<MeasuredSaving>,
}
