//! What the draws of a model of factors say: effects with errors and diagnostics,
//! energies of patterns as distributions, coverage, and shares of the variance.

use serde::Serialize;

use super::super::error::ModelError;
use super::chains::{ChainOptions, Draws, run};
use super::collapsed::Collapsed;
use super::effects::{Effects, Sign};
use super::factors::Factors;
use super::nuts;
use super::positive::Positive;
use crate::quantile::quantile;

/// A row of `effects.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// The factor; `sigma` for the residual.
    pub category: String,
    /// Its level.
    pub level: String,
    /// Posterior mean in joules.
    pub mean_j: f64,
    /// Error of the mean over the draws, in joules.
    pub mcse_j: Option<f64>,
    /// Posterior standard deviation in joules.
    pub sd_j: f64,
    /// 2.5 % quantile in joules.
    pub lo_j: f64,
    /// 97.5 % quantile in joules.
    pub hi_j: f64,
    /// Smaller of bulk and tail effective sample size.
    pub ess: Option<f64>,
    /// R-hat.
    pub rhat: Option<f64>,
}

/// An energy as a distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyDistribution {
    /// Mean in joules.
    pub mean_j: f64,
    /// Standard deviation of the mean's posterior in joules.
    pub sd_j: f64,
    /// Standard deviation of one measurement in joules: residual and posterior together.
    pub predictive_sd_j: f64,
}

/// The posterior of a model of factors.
#[derive(Debug, Clone)]
pub struct EffectsPosterior {
    /// The data it is of.
    pub data: Factors,
    /// Draws: effects in the order of the levels, a scale per factor, the residual's
    /// standard deviation; in typical energies.
    pub draws: Draws,
    typical_j: f64,
}

/// How draws are made. Both are of the same distribution: each is the other's test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DrawBy {
    /// Gibbs sampling.
    #[default]
    Gibbs,
    /// NUTS over the scales, effects integrated out as far as they can be.
    Nuts,
}

/// Draws from the posterior; chains that don't mix are an error.
pub fn fit_effects(
    data: &Factors,
    sign: Sign,
    by: DrawBy,
    options: &ChainOptions,
) -> Result<EffectsPosterior, ModelError> {
    let model = Effects::new(data, sign);
    let draws = match (by, sign) {
        (DrawBy::Gibbs, _) => run(options, |random| model.start(random))?,
        (DrawBy::Nuts, Sign::Free) => nuts::run(&Collapsed::new(&model), options)?,
        (DrawBy::Nuts, Sign::Positive) => nuts::run(&Positive::new(&model, options.seed), options)?,
    };
    Ok(EffectsPosterior { data: data.clone(), draws, typical_j: model.typical_j })
}

impl EffectsPosterior {
    /// All effects and the residual.
    pub fn effects(&self) -> Vec<Effect> {
        let levels = self.data.levels.iter().enumerate();
        let residual = self.data.levels.len() + self.data.names.len();
        levels
            .map(|(at, level)| self.effect(at, &level.factor, &level.name))
            .chain([self.effect(residual, "sigma", "residual")])
            .collect()
    }

    fn effect(&self, at: usize, category: &str, level: &str) -> Effect {
        let mut values = self.draws.of(at);
        values.sort_unstable_by(f64::total_cmp);
        let (mean, sd) = moments(&values);
        let found = self.draws.diagnoses[at];
        let of = self.typical_j;
        Effect {
            category: category.to_owned(),
            level: level.to_owned(),
            mean_j: of * mean,
            mcse_j: found.map(|found| of * found.mcse_mean),
            sd_j: of * sd,
            lo_j: of * quantile(&values, 0.025),
            hi_j: of * quantile(&values, 0.975),
            ess: found.map(|found| found.ess_bulk.min(found.ess_tail)),
            rhat: found.map(|found| found.rhat),
        }
    }

    /// Draws of the energy of a program: `(levels, executions)` of its patterns. Draws
    /// of sums, so covariance is in them.
    fn energies(&self, counts: &[(Vec<usize>, f64)]) -> Vec<f64> {
        let mut sums = vec![0.0; self.draws.of(0).len()];
        for (levels, executions) in counts {
            for level in levels {
                let values = self.draws.values[*level].iter().flatten();
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += executions * value);
            }
        }
        sums
    }

    /// The energy of a program as a distribution; each execution of a pattern with a
    /// residual of its own.
    pub fn predict(&self, counts: &[(Vec<usize>, f64)]) -> EnergyDistribution {
        let (mean, sd) = moments(&self.energies(counts));
        let residual = self.draws.of(self.data.levels.len() + self.data.names.len());
        let variance = residual.iter().map(|s| s * s).sum::<f64>() / residual.len() as f64;
        let executions: f64 = counts.iter().map(|(_, n)| n).sum();
        EnergyDistribution {
            mean_j: self.typical_j * mean,
            sd_j: self.typical_j * sd,
            predictive_sd_j: self.typical_j * (sd * sd + executions * variance).sqrt(),
        }
    }

    /// The same for a device that is not known: every level of the factor alike, with
    /// the spread between them.
    pub fn predict_over(&self, factor: &str, counts: &[(Vec<usize>, f64)]) -> EnergyDistribution {
        let places = (0..self.data.levels.len()).filter(|p| self.data.levels[*p].factor == factor);
        let each: Vec<EnergyDistribution> = places
            .map(|place| {
                let with = |(levels, n): &(Vec<usize>, f64)| ([&levels[..], &[place]].concat(), *n);
                self.predict(&counts.iter().map(with).collect::<Vec<_>>())
            })
            .collect();
        let n = each.len().max(1) as f64;
        let mean_j = each.iter().map(|e| e.mean_j).sum::<f64>() / n;
        let between = each.iter().map(|e| (e.mean_j - mean_j).powi(2)).sum::<f64>() / n;
        let joined = |sd: fn(&EnergyDistribution) -> f64| {
            (each.iter().map(|e| sd(e).powi(2)).sum::<f64>() / n + between).sqrt()
        };
        EnergyDistribution {
            mean_j,
            sd_j: joined(|e| e.sd_j),
            predictive_sd_j: joined(|e| e.predictive_sd_j),
        }
    }

    /// Share of measurements within the 95 % of their predictive distribution, by levels
    /// (all factors), in order of appearance: pattern, share, measurements.
    pub fn coverage(&self) -> Vec<(Vec<usize>, f64, usize)> {
        let mut found: Vec<(Vec<usize>, f64, usize)> = Vec::new();
        let mut ends: Vec<(f64, f64)> = Vec::new();
        for (row, energy_j) in self.data.rows.iter().zip(&self.data.energies_j) {
            let at = found.iter().position(|(levels, ..)| levels == row).unwrap_or_else(|| {
                let expected = self.predict(&[(row.clone(), 1.0)]);
                let half = 1.96 * expected.predictive_sd_j;
                found.push((row.clone(), 0.0, 0));
                ends.push((expected.mean_j - half, expected.mean_j + half));
                found.len() - 1
            });
            found[at].1 += f64::from(u8::from((ends[at].0..=ends[at].1).contains(energy_j)));
            found[at].2 += 1;
        }
        found.iter_mut().for_each(|(_, held, n)| *held /= *n as f64);
        found
    }

    /// Share of each factor, and of the residual at last, in the variance of the
    /// measurements: by posterior means; what factors share by meeting is left out, so
    /// the shares are divided by their sum.
    pub fn variance_shares(&self) -> Vec<(String, f64)> {
        let means: Vec<f64> =
            (0..self.data.levels.len()).map(|at| moments(&self.draws.of(at)).0).collect();
        let part = |factor: &String| {
            let of_row = |row: &Vec<usize>| -> f64 {
                let own = row.iter().filter(|at| self.data.levels[**at].factor == *factor);
                own.map(|at| means[*at]).sum()
            };
            let values: Vec<f64> = self.data.rows.iter().map(of_row).collect();
            (factor.clone(), moments(&values).1.powi(2))
        };
        let mut shares: Vec<(String, f64)> = self.data.names.iter().map(part).collect();
        let residual = self.draws.of(self.data.levels.len() + self.data.names.len());
        shares.push(("residual".to_owned(), moments(&residual).0.powi(2)));
        let total: f64 = shares.iter().map(|(_, share)| share).sum();
        shares.iter_mut().for_each(|(_, share)| *share /= total);
        shares
    }
}

/// The text of `patterns.csv`: for each combination of levels that was measured (an empty
/// cell: the factor doesn't apply) the number of measurements, mean and standard deviation
/// of one predicted measurement in joules, and the share of the measurements within the
/// 95 % of that.
pub fn patterns_csv(posterior: &EffectsPosterior) -> Result<String, ModelError> {
    let data = &posterior.data;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let figures = ["measurements", "predicted_j", "predictive_sd_j", "within_95"];
    writer.write_record(data.names.iter().map(String::as_str).chain(figures))?;
    for (levels, share, n) in posterior.coverage() {
        let name = |factor: &String| {
            let of = levels.iter().find(|at| data.levels[**at].factor == *factor);
            of.map_or(String::new(), |at| data.levels[*at].name.clone())
        };
        let expected = posterior.predict(&[(levels.clone(), 1.0)]);
        let numbers = [expected.mean_j, expected.predictive_sd_j, share];
        let figures = [n.to_string()].into_iter().chain(numbers.map(|x| x.to_string()));
        writer.write_record(data.names.iter().map(name).chain(figures))?;
    }
    super::super::text_of(writer)
}

/// The text of `effects.csv`.
pub fn effects_csv(effects: &[Effect]) -> Result<String, ModelError> {
    super::super::csv_of(effects)
}

/// Mean and standard deviation.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}

#[cfg(test)]
mod tests;
