//! Which predictor was chosen by validation inside the cases fitted to, and why.

use serde::{Deserialize, Serialize};

/// What is spent whatever operations run: by a case, and by each second of it. Accounts
/// leave it unexplained.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ConstantEnergy {
    /// Energy of a case in joules.
    pub case_j: f64,
    /// Power in watts; 0 where cases have no durations.
    pub second_w: f64,
}

impl ConstantEnergy {
    /// The energy of a case of this duration in joules.
    pub fn energy_j(&self, duration_s: Option<f64>) -> f64 {
        self.case_j + self.second_w * duration_s.unwrap_or(0.0)
    }
}

/// How a candidate did on cases held out inside the cases fitted to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CandidateScore {
    /// Its name.
    pub name: String,
    /// Its NMAE, a pure number.
    pub nmae: f64,
    /// Standard error of the NMAE, over the cases or groups that are held out together;
    /// absent if that is one.
    pub nmae_se: Option<f64>,
    /// Its part in the predictor; the parts are not negative and add up to 1.
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
    /// The predictor in words: its parts with their weights.
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
