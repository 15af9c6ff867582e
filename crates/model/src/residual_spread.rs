//! Spread of measurements about a fit: by how much a new measurement differs from what is expected.

use serde::{Deserialize, Serialize};

use super::weights::{Weighting, relative_floor};

/// Size of residuals, absolute or relative as the weights of the fit suppose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResidualSize {
    /// One standard deviation for all cases, in joules.
    Joules(f64),
    /// In proportion to the energy.
    Relative {
        /// Standard deviation over the energy, a pure number.
        sd: f64,
        /// Energy in joules; cases below it have the residuals of one of it.
        floor_j: f64,
    },
}

/// Spread of the residuals of a fit, for the distribution of a new measurement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResidualSpread {
    /// Size of the residuals.
    pub size: ResidualSize,
    /// Degrees of freedom that it is estimated with.
    pub degrees_of_freedom: f64,
}

impl ResidualSpread {
    /// Estimates the spread from residuals and predicted energies in joules, case by case, with
    /// the degrees of freedom that the fit leaves; `None` if it leaves none.
    pub(crate) fn of(
        residuals_j: &[f64],
        predicted_j: &[f64],
        weighting: Weighting,
        degrees_of_freedom: f64,
    ) -> Option<Self> {
        let sd = |values: &mut dyn Iterator<Item = f64>| {
            (values.map(|value| value * value).sum::<f64>() / degrees_of_freedom).sqrt()
        };
        let floor_j = relative_floor(predicted_j.iter().map(|energy| energy.abs()).collect());
        let is_relative = matches!(weighting, Weighting::Relative | Weighting::InverseEnergy);
        let size = if is_relative && floor_j > 0.0 {
            let pairs = residuals_j.iter().zip(predicted_j);
            let sd = sd(&mut pairs.map(|(residual, e)| residual / e.abs().max(floor_j)));
            ResidualSize::Relative { sd, floor_j }
        } else {
            ResidualSize::Joules(sd(&mut residuals_j.iter().copied()))
        };
        (degrees_of_freedom > 1e-6).then_some(Self { size, degrees_of_freedom })
    }

    /// Returns the standard deviation in joules of the residual of a case with this energy.
    #[must_use]
    pub fn sd_j(&self, energy_j: f64) -> f64 {
        match self.size {
            ResidualSize::Joules(sd_j) => sd_j,
            ResidualSize::Relative { sd, floor_j } => sd * energy_j.abs().max(floor_j),
        }
    }

    /// Returns the spread on a board that spends `factor` times as much.
    pub(crate) fn times(self, factor: f64) -> Self {
        let size = match self.size {
            ResidualSize::Joules(sd_j) => ResidualSize::Joules(sd_j * factor),
            ResidualSize::Relative { sd, floor_j } => {
                ResidualSize::Relative { sd, floor_j: floor_j * factor }
            }
        };
        Self { size, ..self }
    }

    /// Returns the spread with a further independent error in proportion to the energy; `None` for
    /// an absolute one, which has no part in proportion to add it to.
    pub(crate) fn with_relative_error(self, error: f64) -> Option<Self> {
        match self.size {
            ResidualSize::Joules(_) => (error <= 0.0).then_some(self),
            ResidualSize::Relative { sd, floor_j } => {
                let size = ResidualSize::Relative { sd: sd.hypot(error), floor_j };
                Some(Self { size, ..self })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Residuals of 10 % of 1 and 100 J, and of half of one J in 0.01 J, of which the floor (5 %
    /// of the median) makes 0.05 J: a tenth of each, as is 0.005 J of the last.
    #[test]
    fn relative_weights_make_relative_residuals() {
        let (residuals, energies) = ([0.1, 10.0, 0.005], [1.0, 100.0, 0.01]);
        let found = ResidualSpread::of(&residuals, &energies, Weighting::Relative, 3.0).unwrap();
        for (residual, energy) in residuals.iter().zip(energies) {
            assert!((found.sd_j(energy) - residual).abs() < 1e-12, "{found:?}");
        }
        assert!((found.times(2.0).sd_j(200.0) - 20.0).abs() < 1e-12);
        let equal = ResidualSpread::of(&[3.0, 4.0], &[1.0, 100.0], Weighting::Equal, 1.0).unwrap();
        assert_eq!((equal.sd_j(1.0), equal.sd_j(100.0)), (5.0, 5.0));
        assert_eq!(ResidualSpread::of(&[0.0], &[1.0], Weighting::Equal, 0.0), None);
    }

    /// 3 % and 4 % are 5 % together; of a spread in joules no error in proportion is a part.
    #[test]
    fn an_error_in_proportion_is_added_to_a_relative_spread_alone() {
        let relative = ResidualSize::Relative { sd: 0.03, floor_j: 0.1 };
        let relative = ResidualSpread { size: relative, degrees_of_freedom: 3.0 };
        let wider = relative.with_relative_error(0.04).unwrap();
        assert!((wider.sd_j(2.0) - 0.1).abs() < 1e-12, "{wider:?}");
        let absolute = ResidualSpread { size: ResidualSize::Joules(5.0), ..relative };
        assert_eq!(absolute.with_relative_error(0.0), Some(absolute));
        assert_eq!(absolute.with_relative_error(0.04), None);
    }
}
