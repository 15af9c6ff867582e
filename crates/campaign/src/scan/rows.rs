//! What one file adds to the tables of a scan.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::operations::{CountResult, DictionaryTables};

use super::totals::Totals;

/// Rows, findings and sums. A large application's dictionary takes many times the memory of
/// its tables, so rows are made as soon as a file is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanRows {
    /// Rows of the tables, without the names of the columns.
    pub tables: DictionaryTables,
    /// What is not known or was left out.
    pub findings: Vec<Finding>,
    /// How much there is.
    pub totals: Totals,
}

impl ScanRows {
    /// Those of what was counted in a file.
    pub(super) fn of(counted: &CountResult) -> ScanRows {
        let blocks = &counted.dictionary.blocks;
        let totals = Totals { files: 1, guessed: counted.guessed, ..Totals::of(blocks) };
        ScanRows {
            tables: DictionaryTables::rows(blocks),
            findings: counted.findings.clone(),
            totals,
        }
    }
}
