//! Choice of a predictor by validation inside the cases fitted to, with its reason.

use serde::{Deserialize, Serialize};

/// Energy that does not depend on operations: of a case, and of each second of it. Accounts leave
/// it unexplained.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ConstantEnergy {
    /// Energy of a case in joules.
    pub case_j: f64,
    /// Power in watts; 0 where cases have no durations.
    pub second_w: f64,
}

impl ConstantEnergy {
    /// Returns the constant energy in joules of a case of this duration.
    pub fn energy_j(&self, duration_s: Option<f64>) -> f64 {
        self.case_j + self.second_w * duration_s.unwrap_or(0.0)
    }
}

/// Error of a candidate predictor on cases held out inside the cases fitted to, and its weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CandidateScore {
    /// Name of the candidate.
    pub name: String,
    /// NMAE of the candidate, a pure number.
    pub nmae: f64,
    /// Standard error of the NMAE, over the cases or groups that are held out together;
    /// absent if that is one.
    pub nmae_se: Option<f64>,
    /// Weight in the predictor; weights are not negative and add up to 1.
    pub weight: f64,
}

/// The choice of a predictor by validation inside the cases fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictorChoice {
    /// `shrink`, `combination` or `flat`.
    pub chosen: String,
    /// Why, in a sentence.
    pub why: String,
    /// Folds inside the cases fitted to; 0 where there were too few cases for any.
    pub folds: usize,
    /// All candidates; none without folds.
    pub candidates: Vec<CandidateScore>,
}

impl PredictorChoice {
    /// Describes the predictor: its parts with their weights.
    pub fn predictor(&self) -> String {
        let used: Vec<&CandidateScore> =
            self.candidates.iter().filter(|c| c.weight > 0.0).collect();
        match used.as_slice() {
            [] | [_] => self.chosen.clone(),
            several => several
                .iter()
                .map(|c| format!("{:.2} {}", c.weight, c.name))
                .collect::<Vec<_>>()
                .join(" + "),
        }
    }
}
