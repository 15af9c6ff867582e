//! Weights of the cases in a fit.

use std::str::FromStr;

use wattline_units::assumptions::Assumptions;

use super::error::ModelError;
use super::table_check::check_energies;
use crate::table::{Case, Table};

/// Cases below this part of the median energy count as if they had it, so that a case
/// with next to no energy does not outweigh all others.
const RELATIVE_FLOOR: f64 = 0.05;

/// Weight of a case: the factor of its squared residual. Only ratios matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weighting {
    /// 1: every case alike, as Li & Gallagher do.
    Equal,
    /// 1/se^2, by the standard error of the case's energy.
    InverseVariance,
    /// 1/e^2: minimises relative errors, and so about the NMAE.
    InverseEnergy,
    /// sqrt(E t), as Quanto does.
    SqrtEnergyTime,
    /// 1/(se^2 + (0.02 max(|e|, 0.05 median |e|))^2): relative errors, but no case
    /// trusted more than its standard error allows, and none of next to no energy
    /// outweighing the rest.
    #[default]
    Relative,
    /// The weight column that was named when the table was read.
    Column,
}

impl Weighting {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "1",
            Self::InverseVariance => "1/se^2",
            Self::InverseEnergy => "1/e^2",
            Self::SqrtEnergyTime => "sqrt(Et)",
            Self::Relative => "relative",
            Self::Column => "column",
        }
    }
}

impl Weighting {
    /// Whether the weights are one over a variance in J^2, not only ratios.
    pub(crate) fn are_inverse_variances(self) -> bool {
        matches!(self, Self::Relative | Self::InverseVariance)
    }
}

impl FromStr for Weighting {
    type Err = ModelError;

    fn from_str(name: &str) -> Result<Self, ModelError> {
        let compact: String = name.chars().filter(|c| !c.is_whitespace()).collect();
        match compact.as_str() {
            "1" | "none" | "equal" => Ok(Self::Equal),
            "1/se^2" => Ok(Self::InverseVariance),
            "1/e^2" => Ok(Self::InverseEnergy),
            "sqrt(Et)" | "sqrt(E*t)" => Ok(Self::SqrtEnergyTime),
            "relative" => Ok(Self::Relative),
            "column" => Ok(Self::Column),
            _ => Err(ModelError::UnknownWeighting { name: name.to_owned() }),
        }
    }
}

/// Returns the weight of every case, positive and finite.
pub(crate) fn weights(
    table: &Table,
    weighting: Weighting,
    assumed: &Assumptions,
) -> Result<Vec<f64>, ModelError> {
    if weighting == Weighting::InverseEnergy {
        check_energies(table, "the weight 1/e^2")?;
    }
    let floor_j = relative_floor(table.cases.iter().map(|case| case.energy_j.abs()).collect());
    table.cases.iter().map(|case| checked_weight(case, weighting, floor_j, assumed)).collect()
}

/// Returns the energy in joules below which `Weighting::Relative` takes no case, from the sizes of
/// all energies.
pub(crate) fn relative_floor(mut sizes_j: Vec<f64>) -> f64 {
    sizes_j.sort_unstable_by(f64::total_cmp);
    RELATIVE_FLOOR * sizes_j.get(sizes_j.len() / 2).copied().unwrap_or(0.0)
}

/// Returns the weight of one case, positive and finite.
pub(crate) fn checked_weight(
    case: &Case,
    weighting: Weighting,
    floor_j: f64,
    assumed: &Assumptions,
) -> Result<f64, ModelError> {
    let weight = weight(case, weighting, floor_j, assumed)?;
    if weight > 0.0 && weight.is_finite() {
        return Ok(weight);
    }
    let (case, weighting) = (case.name.clone(), weighting.name());
    Err(ModelError::BadWeight { case, weight, weighting })
}

fn weight(
    case: &Case,
    weighting: Weighting,
    floor_j: f64,
    assumed: &Assumptions,
) -> Result<f64, ModelError> {
    let need = |value: Option<f64>, column| {
        value.ok_or_else(|| ModelError::MissingForWeight {
            case: case.name.clone(),
            column,
            weighting: weighting.name(),
        })
    };
    Ok(match weighting {
        Weighting::Equal => 1.0,
        Weighting::InverseVariance => need(case.energy_se_j, "standard error")?.powi(-2),
        Weighting::InverseEnergy => case.energy_j.powi(-2),
        Weighting::SqrtEnergyTime => (case.energy_j * need(case.duration_s, "duration")?).sqrt(),
        Weighting::Column => need(case.weight, "weight")?,
        Weighting::Relative => {
            let misfit_j = assumed.simulated_chip_case_misfit * case.energy_j.abs().max(floor_j);
            let variance = case.energy_se_j.unwrap_or(0.0).powi(2) + misfit_j.powi(2);
            // All energies zero: nothing to be relative to.
            if variance > 0.0 { 1.0 / variance } else { 1.0 }
        }
    })
}

#[cfg(test)]
mod tests {
    use wattline_units::assumptions::ASSUMED;

    use super::*;
    use crate::testing::table;

    fn check(weighting: Weighting, expected: &[f64]) {
        let mut data = table(&[&[1.0], &[1.0], &[1.0]], &[4.0, 1.0, 2.0]);
        for case in &mut data.cases {
            case.energy_se_j = Some(0.5);
            case.duration_s = Some(case.energy_j);
            case.weight = Some(3.0);
        }
        let found = weights(&data, weighting, &ASSUMED).unwrap();
        for (found, expected) in found.iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-12, "{weighting:?}: {found} {expected}");
        }
    }

    #[test]
    fn weights_follow_their_formulas() {
        check(Weighting::Equal, &[1.0, 1.0, 1.0]);
        check(Weighting::InverseVariance, &[4.0, 4.0, 4.0]);
        check(Weighting::InverseEnergy, &[1.0 / 16.0, 1.0, 0.25]);
        check(Weighting::SqrtEnergyTime, &[4.0, 1.0, 2.0]);
        check(Weighting::Column, &[3.0, 3.0, 3.0]);
        let relative = |e: f64| 1.0 / (0.25 + (0.02 * e).powi(2));
        check(Weighting::Relative, &[relative(4.0), relative(1.0), relative(2.0)]);
    }

    #[test]
    fn a_case_of_hardly_any_energy_does_not_outweigh_the_rest() {
        let data = table(&[&[1.0], &[1.0], &[1.0]], &[1.0, 1.0, 1e-9]);
        let found = weights(&data, Weighting::Relative, &ASSUMED).unwrap();
        assert!((found[2] / found[0] - 400.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn what_a_weight_lacks_is_named() {
        let data = table(&[&[1.0], &[1.0]], &[1.0, 0.0]);
        let message = |w| weights(&data, w, &ASSUMED).unwrap_err().to_string();
        assert!(message(Weighting::InverseVariance).contains("no standard error"));
        assert!(message(Weighting::InverseEnergy).contains("`case_1`"));
        assert!(message(Weighting::Column).contains("no weight"));
        assert!("e^2".parse::<Weighting>().is_err());
        assert_eq!("sqrt(E t)".parse::<Weighting>().unwrap(), Weighting::SqrtEnergyTime);
    }
}
