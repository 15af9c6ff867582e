//! Which patterns were measured, and why the others were not.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::model::ModelError;
use crate::model::bayes::patterns::FactorPattern;

use super::{PatternEnergy, PatternMicrobenchmark};

/// What became of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeasuredState {
    /// It has energies.
    Measured,
    /// It has energies whose mean is not above zero by twice its standard error over the sessions:
    /// the board may have left out its instructions.
    NotAboveNoise,
    /// It has none, for this reason.
    NotMeasured(String),
}

/// A pattern, with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatternStatus {
    /// The pattern's category.
    pub category: &'static str,
    /// Its operation.
    pub operation: &'static str,
    /// Where its operand comes from or how wide it is; empty where that doesn't apply.
    pub size: &'static str,
    /// Type of its operands; empty where that doesn't apply.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `measured`, `not above noise` or `not measured`.
    #[serde(serialize_with = "state_name")]
    pub status: MeasuredState,
    /// Why it was not measured; empty if it was.
    pub reason: String,
}

fn state_name<S: Serializer>(state: &MeasuredState, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match state {
        MeasuredState::Measured => "measured",
        MeasuredState::NotAboveNoise => "not above noise",
        MeasuredState::NotMeasured(_) => "not measured",
    })
}

impl PatternStatus {
    fn of(pattern: &FactorPattern, status: MeasuredState) -> Self {
        let FactorPattern { category, operation, size, kind } = *pattern;
        let reason = match &status {
            MeasuredState::NotMeasured(reason) => reason.clone(),
            MeasuredState::NotAboveNoise => "its energy is not above its noise".to_owned(),
            MeasuredState::Measured => String::new(),
        };
        Self { category, operation, size, kind, status, reason }
    }

    /// The pattern's levels in a line: `Addition, Load, int`.
    pub fn name(&self) -> String {
        let levels = [self.operation, self.size, self.kind];
        levels.into_iter().filter(|level| !level.is_empty()).collect::<Vec<_>>().join(", ")
    }
}

/// What became of each pattern: `refused` has the reasons by the name of the microbenchmark, the
/// rest was run.
pub fn statuses(
    microbenchmarks: &[PatternMicrobenchmark],
    refused: &BTreeMap<String, String>,
    energies: &[PatternEnergy],
) -> Vec<PatternStatus> {
    let status = |of: &PatternMicrobenchmark| {
        if let Some(reason) = refused.get(&of.microbenchmark.name) {
            return MeasuredState::NotMeasured(reason.clone());
        }
        let energies: Vec<f64> = energies
            .iter()
            .filter(|energy| is_of(energy, &of.pattern))
            .map(|energy| energy.energy_j)
            .collect();
        match energies.as_slice() {
            [] => MeasuredState::NotMeasured("no session has its energy".to_owned()),
            some if is_above_noise(some) => MeasuredState::Measured,
            _ => MeasuredState::NotAboveNoise,
        }
    };
    microbenchmarks.iter().map(|of| PatternStatus::of(&of.pattern, status(of))).collect()
}

fn is_of(energy: &PatternEnergy, pattern: &FactorPattern) -> bool {
    (energy.operation, energy.size, energy.kind) == (pattern.operation, pattern.size, pattern.kind)
}

/// Whether the mean is above zero by more than two standard errors; of one measurement, whether it
/// is above zero at all.
fn is_above_noise(energies_j: &[f64]) -> bool {
    let n = energies_j.len() as f64;
    let mean = energies_j.iter().sum::<f64>() / n;
    let squares: f64 = energies_j.iter().map(|energy| (energy - mean).powi(2)).sum();
    let error = if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
    mean > 2.0 * error
}

/// The statuses as CSV.
///
/// # Errors
/// A row that can't be written.
pub fn statuses_csv(statuses: &[PatternStatus]) -> Result<String, ModelError> {
    crate::model::csv_of(statuses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::microbenchmarks::patterns::pattern_microbenchmarks;

    #[test]
    fn a_refused_pattern_has_its_reason_and_one_without_energy_is_not_measured() {
        let all = pattern_microbenchmarks();
        let refused = BTreeMap::from([("d2l".to_owned(), "DEX: 16 of 16 missing".to_owned())]);
        let energy = |operation, energy_j| PatternEnergy {
            category: "Conversions",
            operation,
            size: "",
            kind: "",
            device: "board".to_owned(),
            repeat: 1,
            energy_j,
            executions: 16,
            gc_runs: 0,
        };
        let energies = [
            energy("d2i", 1.0),
            energy("d2i", 1.1),
            energy("d2f", 1.0),
            energy("d2f", -0.9),
            energy("i2l", -0.1),
        ];
        let statuses = statuses(&all, &refused, &energies);
        let of = |operation: &str| statuses.iter().find(|of| of.operation == operation).unwrap();
        assert_eq!(of("d2i").status, MeasuredState::Measured);
        assert_eq!(of("d2f").status, MeasuredState::NotAboveNoise);
        assert_eq!(of("i2l").status, MeasuredState::NotAboveNoise);
        assert_eq!(of("i2f").reason, "no session has its energy");
        assert_eq!(statuses.len(), 174);
        let csv = statuses_csv(&[of("d2l").clone()]).unwrap();
        let row = "Conversions,d2l,,,not measured,DEX: 16 of 16 missing\n";
        assert_eq!(csv, format!("category,operation,size,type,status,reason\n{row}"));
        assert_eq!(of("Increase").name(), "Increase, int");
    }
}
