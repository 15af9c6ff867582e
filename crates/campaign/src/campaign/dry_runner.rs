//! Dry runs: a case is run before it is measured, to see whether it works and how often each block
//! runs.

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

/// Outcome of a dry run, which runs a case once without measuring: it ran to its end, hung or
/// failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DryOutcome {
    /// The case ran to its end marker.
    Ran {
        /// Executions per block, indexed by [`BlockId`].
        executions: Vec<u64>,
        /// Blocks of the set that the variant could not leave out, with the reason.
        kept: Vec<(BlockId, String)>,
    },
    /// The case was stopped since it took too long, as every other case without these blocks may.
    Hung {
        /// Reason, in one sentence.
        reason: String,
    },
    /// The case did not compile, or it crashed.
    Failed {
        /// Reason, in one sentence.
        reason: String,
        /// Removed blocks that the failure points at, to be tried first; may be empty.
        suspects: Vec<BlockId>,
        /// Removable blocks that were left in and that may have to be removed with the others, most
        /// likely first; may be empty.
        #[serde(default)]
        companions: Vec<BlockId>,
    },
}

impl DryOutcome {
    /// A failure that points at no block.
    pub fn failed(reason: String) -> DryOutcome {
        DryOutcome::Failed { reason, suspects: Vec::new(), companions: Vec::new() }
    }
}

/// An error that is not caused by the case (no JDK, full disk); it ends the planning.
pub type DryError = Box<dyn std::error::Error + Send + Sync>;

/// Builds and runs cases.
pub trait DryRunner {
    /// Runs cases, in any order or at once, and returns one outcome per case, in the order of
    /// `cases`.
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError>;

    /// Runs cases with exactly the builds that would be measured, where [`DryRunner::try_cases`]
    /// takes a shortcut. Every planned case has passed this.
    fn verify(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        self.try_cases(cases)
    }
}
