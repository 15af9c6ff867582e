//! Settings that all partials of a table share, and the parts that a partial covers.

use serde::{Deserialize, Serialize};

use super::super::super::error::ModelError;
use super::super::super::folds::FoldOptions;
use super::super::super::options::FitOptions;
use super::super::super::weights::Weighting;
use super::super::cell_plan::CellPlan;
use super::error::SufficientStatsError;

/// Version of the format of partials.
pub const PARTIAL_FORMAT: u32 = 1;

/// Settings that must be the same in all partials of one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartialSettings {
    /// Column names, length l.
    pub features: Vec<String>,
    /// Names of the columns that describe a case: `target`, `group`, `weight`.
    pub columns: Vec<(String, String)>,
    /// The solver that the weights are the default of.
    pub solver: String,
    /// Name of the weights.
    pub weighting: String,
    /// Energy in joules below which weights `relative` take no case.
    pub relative_floor_j: Option<f64>,
    /// Outer folds.
    pub folds: FoldOptions,
    /// Inner folds, for solvers that choose a strength.
    pub inner_folds: FoldOptions,
    /// Checksum of the rounds that cases were judged by; absent where cases were summed.
    pub judged_by: Option<String>,
}

/// A part of the table that a partial covers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SummedPart {
    /// Number of the part, from 1, and how many there are; absent where nobody numbered them.
    pub number: Option<(u64, u64)>,
    /// Checksum of what was summed over its rows.
    pub checksum: String,
    /// Number of its rows.
    pub rows: u64,
}

/// Number of a part of a table, and the names of its columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartLabel {
    /// Number of the part, from 1, and how many there are.
    pub number: Option<(u64, u64)>,
    /// Names of the columns that describe a case: `target`, `group`, `weight`.
    pub columns: Vec<(String, String)>,
}

impl PartialSettings {
    pub(super) fn plan(&self, options: &FitOptions) -> Result<CellPlan, ModelError> {
        let floor_j = self.relative_floor_j.unwrap_or(0.0);
        CellPlan::with_floor(options, Some(self.folds), Some(self.inner_folds), floor_j)
    }

    pub(super) fn weighting(&self) -> Result<Weighting, ModelError> {
        self.weighting.parse()
    }

    pub(super) fn differs_in_features(&self, found: &[String]) -> SufficientStatsError {
        let extra = |a: &[String], b: &[String]| a.iter().find(|name| !b.contains(name)).cloned();
        let say = |count: usize, one: Option<String>| {
            let one = one.map_or(String::new(), |name| format!(", among them `{name}`"));
            format!("{count}{one}")
        };
        SufficientStatsError::Differs {
            what: "the features",
            found: say(found.len(), extra(found, &self.features)),
            other: "the others".to_owned(),
            expected: say(self.features.len(), extra(&self.features, found)),
        }
    }
}
