//! Rows that one file adds to the tables of a scan.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::operations::{CountResult, DictionaryTables};

use super::totals::ScanTotals;

/// Rows, findings and totals of one file. A large application's dictionary takes many times the
/// memory of its tables, so rows are made as soon as a file is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanRows {
    /// Rows of the tables, without column names.
    pub tables: DictionaryTables,
    /// Unresolved names and files left out.
    pub findings: Vec<Finding>,
    /// Numbers of files, blocks and operations.
    pub totals: ScanTotals,
}

impl ScanRows {
    /// The rows of a counted file.
    pub(super) fn of(counted: &CountResult) -> ScanRows {
        let blocks = &counted.dictionary.blocks;
        let totals = ScanTotals { files: 1, guessed: counted.guessed, ..ScanTotals::of(blocks) };
        ScanRows {
            tables: DictionaryTables::rows(blocks),
            findings: counted.findings.clone(),
            totals,
        }
    }
}
