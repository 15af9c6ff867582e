//! Which patterns were measured, and why the others were not.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::dataset::energy::{mean, variance};
use crate::model::ModelError;
use crate::model::bayes::patterns::FactorPattern;

use super::{PatternEnergy, PatternMicrobenchmark};

/// What became of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeasuredState {
    /// It has energies above the noise of every board.
    Measured,
    /// It has energies whose mean on these boards is not above zero by twice its standard error
    /// over the sessions: the boards may have left out its instructions.
    NotAboveNoise(Vec<String>),
    /// It has none, for this reason.
    NotMeasured(String),
}

/// A pattern, with what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
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
    #[schemars(with = "String")]
    pub status: MeasuredState,
    /// Why it was not measured, or on which boards it is not above noise; empty if it was measured
    /// on all of them.
    pub reason: String,
}

fn state_name<S: Serializer>(state: &MeasuredState, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match state {
        MeasuredState::Measured => "measured",
        MeasuredState::NotAboveNoise(_) => "not above noise",
        MeasuredState::NotMeasured(_) => "not measured",
    })
}

impl PatternStatus {
    fn of(pattern: &FactorPattern, status: MeasuredState) -> Self {
        let FactorPattern { category, operation, size, kind } = *pattern;
        let reason = match &status {
            MeasuredState::NotMeasured(reason) => reason.clone(),
            MeasuredState::NotAboveNoise(devices) => {
                format!("its energy is not above its noise on {}", devices.join(", "))
            }
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
        let mut by_device: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for energy in energies.iter().filter(|energy| is_of(energy, &of.pattern)) {
            by_device.entry(&energy.device).or_default().push(energy.energy_j);
        }
        if by_device.is_empty() {
            return MeasuredState::NotMeasured("no session has its energy".to_owned());
        }
        let is_noise = |(_, energies_j): &(&str, Vec<f64>)| !is_above_noise(energies_j);
        let noisy = by_device.into_iter().filter(is_noise).map(|(device, _)| device.to_owned());
        match noisy.collect::<Vec<_>>() {
            none if none.is_empty() => MeasuredState::Measured,
            devices => MeasuredState::NotAboveNoise(devices),
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
    let variance_of_mean = variance(energies_j).unwrap_or(0.0) / energies_j.len() as f64;
    mean(energies_j).is_some_and(|mean| mean > 2.0 * variance_of_mean.sqrt())
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

    fn energy(device: &str, operation: &'static str, energy_j: f64) -> PatternEnergy {
        PatternEnergy {
            category: "Conversions",
            operation,
            size: "",
            kind: "",
            device: device.to_owned(),
            repeat: 1,
            energy_j,
            executions: 16,
            gc_runs: 0,
        }
    }

    /// Boards may spend tenfold, or leave a statement out, each for itself.
    #[test]
    fn each_board_is_judged_by_its_own_noise() {
        let energies = [
            energy("left", "d2i", 1.0),
            energy("left", "d2i", 1.1),
            energy("right", "d2i", 10.0),
            energy("right", "d2i", 10.1),
            energy("left", "d2f", 1.0),
            energy("left", "d2f", 1.1),
            energy("right", "d2f", 0.1),
            energy("right", "d2f", -0.1),
        ];
        let statuses = statuses(&pattern_microbenchmarks(), &BTreeMap::new(), &energies);
        let of = |operation: &str| statuses.iter().find(|of| of.operation == operation).unwrap();
        assert_eq!((&of("d2i").status, of("d2i").reason.as_str()), (&MeasuredState::Measured, ""));
        assert_eq!(of("d2f").status, MeasuredState::NotAboveNoise(vec!["right".to_owned()]));
        assert_eq!(of("d2f").reason, "its energy is not above its noise on right");
    }

    #[test]
    fn a_refused_pattern_has_its_reason_and_one_without_energy_is_not_measured() {
        let all = pattern_microbenchmarks();
        let refused = BTreeMap::from([("d2l".to_owned(), "DEX: 16 of 16 missing".to_owned())]);
        let energies = [
            energy("board", "d2i", 1.0),
            energy("board", "d2i", 1.1),
            energy("board", "d2f", 1.0),
            energy("board", "d2f", -0.9),
            energy("board", "i2l", -0.1),
        ];
        let statuses = statuses(&all, &refused, &energies);
        let of = |operation: &str| statuses.iter().find(|of| of.operation == operation).unwrap();
        assert_eq!(of("d2i").status, MeasuredState::Measured);
        assert_eq!(of("d2f").status, MeasuredState::NotAboveNoise(vec!["board".to_owned()]));
        assert_eq!(of("i2l").status, MeasuredState::NotAboveNoise(vec!["board".to_owned()]));
        assert_eq!(of("i2f").reason, "no session has its energy");
        assert_eq!(statuses.len(), 174);
        let csv = statuses_csv(&[of("d2l").clone()]).unwrap();
        let row = "Conversions,d2l,,,not measured,DEX: 16 of 16 missing\n";
        assert_eq!(csv, format!("category,operation,size,type,status,reason\n{row}"));
        assert_eq!(of("Increase").name(), "Increase, int");
    }
}
