//! The rounds that a merged fit leaves, by which the cases of each part are judged.

use serde::{Deserialize, Serialize};

use super::super::super::error::ModelError;
use super::super::super::options::{FitOptions, Solver};
use super::super::judging::ValidationRounds;
use super::checksum::checksum;
use super::error::SufficientStatsError;
use super::settings::{PARTIAL_FORMAT, PartialSettings};
use crate::table::ColumnChoice;

/// The rounds of a merged fit, by which cases can be judged anywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MergedRounds {
    pub(super) format: u32,
    pub(super) settings: PartialSettings,
    pub(super) rounds: ValidationRounds,
}

impl MergedRounds {
    /// Returns the choice of columns that judging needs.
    pub fn choice(&self) -> ColumnChoice {
        let named = |what: &str| {
            let found = self.settings.columns.iter().find(|(of, _)| of == what);
            found.map(|(_, name)| name.clone())
        };
        ColumnChoice {
            target: named("target"),
            group: named("group"),
            weight: named("weight"),
            feature_names: Some(self.settings.features.clone()),
            ..ColumnChoice::default()
        }
    }

    /// Serialises the rounds as JSON.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn to_json(&self) -> Result<String, ModelError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reads the rounds from JSON.
    ///
    /// # Errors
    /// The text is something else, or of another version.
    pub fn from_json(text: &str) -> Result<Self, ModelError> {
        let rounds: Self = serde_json::from_str(text)?;
        if rounds.format != PARTIAL_FORMAT {
            return Err(ModelError::Partial(SufficientStatsError::Version {
                found: rounds.format,
                supported: PARTIAL_FORMAT,
            }));
        }
        let l = rounds.settings.features.len();
        let fits = |costs: &[f64]| costs.len() == l && costs.iter().all(|cost| cost.is_finite());
        let of_rounds = rounds.rounds.rounds.iter();
        if !fits(&rounds.rounds.last_j)
            || !of_rounds.clone().all(|round| fits(&round.costs_j))
            || of_rounds.count() != rounds.settings.folds.folds
        {
            let reason = "its rounds do not have one cost for each feature".to_owned();
            return Err(ModelError::Damaged { reason });
        }
        Ok(rounds)
    }

    pub(super) fn checksum(&self) -> String {
        checksum(serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    /// Returns options that decide which cases are refused.
    pub(super) fn options(&self) -> Result<FitOptions, ModelError> {
        let solver: Solver = self.settings.solver.parse()?;
        let weighting = self.settings.weighting()?;
        Ok(FitOptions { weighting, ..FitOptions::new(solver) })
    }
}
