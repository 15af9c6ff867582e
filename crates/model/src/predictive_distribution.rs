//! Predictive distributions of an energy: of its expected value, and of a new measurement.

use distrs::{Normal, StudentsT};

use super::quantiles::{NORMAL_975, student_975};
use super::tails::share_below_point;
use wattline_units::quantile::quantile;
use wattline_units::root::root_of_falling;

/// Standard deviations around each draw beyond which no quantile is looked for.
const FAR: f64 = 12.0;

/// Distribution of an energy, or of a difference of two, in joules.
#[derive(Debug, Clone, PartialEq)]
pub enum PredictiveDistribution {
    /// Normal, or Student's t with degrees of freedom.
    Student {
        /// Mean in joules.
        mean_j: f64,
        /// Standard error in joules.
        sd_j: f64,
        /// Degrees of freedom; absent for a normal distribution.
        degrees_of_freedom: Option<f64>,
    },
    /// Draws from a posterior, each the mean of a normal distribution of its own.
    Draws {
        /// Means in joules, in the order of the draws.
        means_j: Vec<f64>,
        /// Standard deviations in joules around these, as many; 0 for none.
        sds_j: Vec<f64>,
    },
}

/// Predictive distributions of one energy, or of one difference.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EnergyPrognosis {
    /// Distribution of the expected value; absent where the model has no joint errors.
    pub expected: Option<PredictiveDistribution>,
    /// Distribution of a new measurement; absent where errors or residuals are unknown.
    pub measurement: Option<PredictiveDistribution>,
}

impl PredictiveDistribution {
    /// Returns the mean in joules.
    #[must_use]
    pub fn mean_j(&self) -> f64 {
        match self {
            Self::Student { mean_j, .. } => *mean_j,
            Self::Draws { means_j, .. } => mean(means_j.iter().copied(), means_j.len()),
        }
    }

    /// Returns the standard deviation in joules: for Student's t the standard error, which
    /// [`Self::interval_j`] multiplies by more than 1.96.
    #[must_use]
    pub fn sd_j(&self) -> f64 {
        match self {
            Self::Student { sd_j, .. } => *sd_j,
            Self::Draws { means_j, sds_j } => {
                let center = self.mean_j();
                let between: f64 = means_j.iter().map(|x| (x - center).powi(2)).sum();
                let between = between / (means_j.len() as f64 - 1.0).max(1.0);
                (between + mean(sds_j.iter().map(|sd| sd * sd), sds_j.len())).sqrt()
            }
        }
    }

    /// Returns the 2.5 and 97.5 % quantiles in joules.
    #[must_use]
    pub fn interval_j(&self) -> (f64, f64) {
        match self {
            Self::Student { mean_j, sd_j, degrees_of_freedom } => {
                let half = sd_j * degrees_of_freedom.map_or(NORMAL_975, student_975);
                (mean_j - half, mean_j + half)
            }
            Self::Draws { means_j, sds_j } if sds_j.iter().all(|sd| *sd == 0.0) => {
                let mut sorted = means_j.clone();
                sorted.sort_unstable_by(f64::total_cmp);
                (quantile(&sorted, 0.025), quantile(&sorted, 0.975))
            }
            Self::Draws { means_j, sds_j } => {
                let each = || means_j.iter().zip(sds_j);
                let least = each().map(|(x, sd)| x - FAR * sd).fold(f64::INFINITY, f64::min);
                let most = each().map(|(x, sd)| x + FAR * sd).fold(f64::NEG_INFINITY, f64::max);
                let at = |p: f64| {
                    let excess = |up: f64| p - share_of_draws_below(least + up, means_j, sds_j);
                    least + root_of_falling(excess, 0.0, most - least)
                };
                (at(0.025), at(0.975))
            }
        }
    }

    /// Returns the probability that the energy is below a limit in joules. From n draws it is
    /// between 1/(2n + 2) and 1 less that, since draws are not all that could be.
    #[must_use]
    pub fn probability_below(&self, limit_j: f64) -> f64 {
        match self {
            Self::Student { mean_j, sd_j, .. } if *sd_j <= 0.0 => step(limit_j - mean_j),
            Self::Student { mean_j, sd_j, degrees_of_freedom } => {
                let x = (limit_j - mean_j) / sd_j;
                match degrees_of_freedom {
                    Some(degrees) => StudentsT::cdf(x, degrees.max(1.0)),
                    None => Normal::cdf(x, 0.0, 1.0),
                }
            }
            Self::Draws { means_j, sds_j } => {
                let n = means_j.len() as f64;
                (n * share_of_draws_below(limit_j, means_j, sds_j) + 0.5) / (n + 1.0)
            }
        }
    }

    /// Returns the distribution with an independent normal part added, of this standard deviation
    /// in joules; for Student's t its degrees of freedom, if any, replace those here.
    #[must_use]
    pub fn with_noise(self, noise_j: f64, noise_degrees: Option<f64>) -> Self {
        match self {
            Self::Student { mean_j, sd_j, degrees_of_freedom } => Self::Student {
                mean_j,
                sd_j: sd_j.hypot(noise_j),
                degrees_of_freedom: noise_degrees.or(degrees_of_freedom),
            },
            Self::Draws { means_j, sds_j } => Self::Draws {
                means_j,
                sds_j: sds_j.into_iter().map(|sd| sd.hypot(noise_j)).collect(),
            },
        }
    }
}

fn mean(values: impl Iterator<Item = f64>, n: usize) -> f64 {
    values.sum::<f64>() / n as f64
}

/// Returns the share of a point below a limit: 0 or 1, and half of it on the limit.
fn step(above: f64) -> f64 {
    if above == 0.0 { 0.5 } else { f64::from(u8::from(above > 0.0)) }
}

fn share_of_draws_below(limit_j: f64, means_j: &[f64], sds_j: &[f64]) -> f64 {
    let share = |(mean, sd): (&f64, &f64)| match *sd > 0.0 {
        true => share_below_point((limit_j - mean) / sd),
        false => step(limit_j - mean),
    };
    mean(means_j.iter().zip(sds_j).map(share), means_j.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 2e-5, "{found} {expected}");
    }

    /// By integration with mpmath: Phi(1.5), and the share of t with 5 degrees below 1.5.
    #[test]
    fn shares_below_a_limit_are_those_of_tables() {
        let of = |degrees_of_freedom| PredictiveDistribution::Student {
            mean_j: 2.0,
            sd_j: 0.2,
            degrees_of_freedom,
        };
        close(of(None).probability_below(2.3), 0.933_192_798_7);
        close(of(Some(5.0)).probability_below(2.3), 0.903_048_165_0);
        close(of(Some(5.0)).interval_j().1, 2.0 + 0.2 * 2.570_581_836);
        close(of(None).with_noise(0.15, None).sd_j(), 0.25);
        let certain =
            PredictiveDistribution::Student { mean_j: 2.0, sd_j: 0.0, degrees_of_freedom: None };
        assert_eq!([1.0, 2.0, 3.0].map(|x| certain.probability_below(x)), [0.0, 0.5, 1.0]);
    }

    /// Two draws, at 1 and 3 J with 0.5 J around them: (Phi(3) + Phi(-1)) / 2 lies below 2.5 J
    /// (0.578652678), and the variance is that between them, 2, and 0.25.
    #[test]
    fn draws_are_a_mixture() {
        let draws = PredictiveDistribution::Draws { means_j: vec![1.0, 3.0], sds_j: vec![0.5; 2] };
        close(draws.mean_j(), 2.0);
        close(draws.sd_j(), 1.5);
        close(draws.probability_below(2.5), (2.0 * 0.578_652_678 + 0.5) / 3.0);
        let (lo, hi) = draws.interval_j();
        // Half of each tail is of one draw: 5 % of it.
        close(lo, 1.0 - 0.5 * 1.644_853_627);
        close(hi, 3.0 + 0.5 * 1.644_853_627);
    }

    #[test]
    fn no_number_of_draws_makes_certain() {
        let draws = PredictiveDistribution::Draws { means_j: vec![1.0; 99], sds_j: vec![0.0; 99] };
        assert_eq!((draws.probability_below(0.9), draws.probability_below(1.1)), (0.005, 0.995));
        assert_eq!((draws.probability_below(1.0), draws.interval_j()), (0.5, (1.0, 1.0)));
    }
}
