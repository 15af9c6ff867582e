//! Trying a case before it is measured.

use serde::{Deserialize, Serialize};

use crate::blocks::BlockId;

/// A case to try: one input sequence, one set of removed blocks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DryCase {
    /// Name of the input sequence.
    pub input: String,
    /// Removed blocks, sorted; empty for the base case.
    pub removed: Vec<BlockId>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DryOutcome {
    /// It ran to its end marker.
    Ran {
        /// Executions per block, indexed by [`BlockId`].
        executions: Vec<u64>,
        /// Blocks of the set that the variant could not leave out, with the reason.
        kept: Vec<(BlockId, String)>,
    },
    /// It was ended since it took too long: so may every other case without these blocks.
    Hung {
        /// One sentence.
        reason: String,
    },
    /// It did not compile, or crashed.
    Failed {
        /// One sentence.
        reason: String,
        /// Removed blocks that the failure points at, to be tried first; may be empty.
        suspects: Vec<BlockId>,
    },
}

/// A failure that is not the case's fault (no JDK, full disk); ends the planning.
pub type DryError = Box<dyn std::error::Error + Send + Sync>;

/// Builds and runs cases.
pub trait DryRunner {
    /// Tries cases, in any order or at once; one outcome per case, in order.
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError>;

    /// The same with exactly the build that would be measured, where tries take a
    /// shortcut. What is planned has passed this.
    fn verify(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        self.try_cases(cases)
    }
}
