//! Posterior of a model of factors: effects with errors and diagnostics, energies of patterns as
//! distributions, coverage, and shares of the variance.

use schemars::JsonSchema;
use serde::Serialize;

use super::super::error::ModelError;
use super::chains::{ChainDraws, ChainOptions, run_chains};
use super::collapsed_density::CollapsedDensity;
use super::effects::{EffectSign, EffectStats};
use super::factors::FactorMeasurements;
use super::level_draws::{LevelDraws, mean_and_sd};
use super::nuts;
#[cfg(test)]
use super::positive_density::PositiveEffectsPosterior;
use super::prior_check::{factors_of, prior_intervals};
use wattline_units::interval::Interval;
use wattline_units::quantile::quantile;

/// Posterior of the effect of one level: a row of `effects.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EffectEstimate {
    /// The factor; `sigma` for the residual.
    pub category: String,
    /// The level of the factor.
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

/// Share of the measurements of one pattern that are within their predictive interval.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternCoverage {
    /// Indices of its levels, of all factors.
    pub levels: Vec<usize>,
    /// Part of its measurements within 95 % of their predictive distribution, 0..1.
    pub share: f64,
    /// Number of its measurements.
    pub measurements: usize,
}

/// The posterior of a model of factors.
#[derive(Debug, Clone)]
pub struct EffectsPosterior {
    /// The measurements.
    pub data: FactorMeasurements,
    /// Draws: effects in the order of the levels, a scale per factor, the residual's
    /// standard deviation; in typical energies.
    pub draws: ChainDraws,
    /// The draws of effects and residual, in joules: energies of programs follow from them.
    pub joules: LevelDraws,
    typical_j: f64,
    sign: EffectSign,
    seed: u64,
}

/// Draws from the posterior: effects not below zero by Gibbs sampling, free ones by NUTS over
/// the scales, with the effects integrated out. Chains that don't mix are an error.
pub fn fit_effects(
    data: &FactorMeasurements,
    sign: EffectSign,
    options: &ChainOptions,
) -> Result<EffectsPosterior, ModelError> {
    let model = EffectStats::new(data, sign);
    let draws = match sign {
        EffectSign::Positive => run_chains(options, |random| model.start(random))?,
        EffectSign::Free => nuts::run(&CollapsedDensity::new(&model), options)?,
    };
    Ok(posterior(data, &model, sign, draws, options.seed))
}

/// Draws from the posterior by the sampler that [`fit_effects`] does not use for this sign.
#[cfg(test)]
fn fit_effects_by_other_sampler(
    data: &FactorMeasurements,
    sign: EffectSign,
    options: &ChainOptions,
) -> EffectsPosterior {
    let model = EffectStats::new(data, sign);
    let draws = match sign {
        EffectSign::Positive => {
            nuts::run(&PositiveEffectsPosterior::new(&model, options.seed), options)
        }
        EffectSign::Free => run_chains(options, |random| model.start(random)),
    };
    posterior(data, &model, sign, draws.unwrap(), options.seed)
}

fn posterior(
    data: &FactorMeasurements,
    model: &EffectStats,
    sign: EffectSign,
    draws: ChainDraws,
    seed: u64,
) -> EffectsPosterior {
    let typical_j = model.typical_j;
    let joules = |at: usize| draws.of(at).iter().map(|draw| typical_j * draw).collect::<Vec<f64>>();
    let by_level = (0..data.levels.len()).map(joules).collect();
    let residual = joules(data.levels.len() + data.names.len());
    let joules = LevelDraws::new(&data.levels, by_level, residual);
    EffectsPosterior { data: data.clone(), draws, joules, typical_j, sign, seed }
}

impl EffectsPosterior {
    /// All effects and the residual.
    pub fn effects(&self) -> Vec<EffectEstimate> {
        let levels = self.data.levels.iter().enumerate();
        let residual = self.data.levels.len() + self.data.names.len();
        levels
            .map(|(at, level)| self.effect(at, &level.factor, &level.name))
            .chain([self.effect(residual, "sigma", "residual")])
            .collect()
    }

    fn effect(&self, at: usize, category: &str, level: &str) -> EffectEstimate {
        let mut values = self.draws.of(at);
        values.sort_unstable_by(f64::total_cmp);
        let (mean, sd) = mean_and_sd(&values);
        let found = self.draws.diagnoses[at];
        let of = self.typical_j;
        EffectEstimate {
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

    /// Share of measurements within the 95 % of their predictive distribution, by pattern,
    /// in order of appearance.
    pub fn coverage(&self) -> Vec<PatternCoverage> {
        let mut found: Vec<PatternCoverage> = Vec::new();
        let mut ends: Vec<(f64, f64)> = Vec::new();
        for (row, energy_j) in self.data.rows.iter().zip(&self.data.energies_j) {
            let at = found.iter().position(|seen| seen.levels == *row).unwrap_or_else(|| {
                let expected = self.joules.predict(&[(row.clone(), 1.0)]);
                let half = 1.96 * expected.sd_j;
                found.push(PatternCoverage { levels: row.clone(), share: 0.0, measurements: 0 });
                ends.push((expected.mean_j - half, expected.mean_j + half));
                found.len() - 1
            });
            found[at].share += f64::from(u8::from((ends[at].0..=ends[at].1).contains(energy_j)));
            found[at].measurements += 1;
        }
        found.iter_mut().for_each(|seen| seen.share /= seen.measurements as f64);
        found
    }

    /// Returns the 95 % interval of the expected energy of each measurement by the priors alone, in
    /// the order of the measurements.
    pub fn prior_expectations(&self) -> Vec<Interval> {
        let of = prior_intervals(&self.data, self.sign, self.typical_j, self.seed);
        self.data.rows.iter().map(|row| of[&factors_of(&self.data, row)]).collect()
    }

    /// Share of each factor, and of the residual at last, in the variance of the
    /// measurements: by posterior means; what factors share by meeting is left out, so
    /// the shares are divided by their sum.
    pub fn variance_shares(&self) -> Vec<(String, f64)> {
        let means: Vec<f64> =
            (0..self.data.levels.len()).map(|at| mean_and_sd(&self.draws.of(at)).0).collect();
        let part = |factor: &String| {
            let of_row = |row: &Vec<usize>| -> f64 {
                let own = row.iter().filter(|at| self.data.levels[**at].factor == *factor);
                own.map(|at| means[*at]).sum()
            };
            let values: Vec<f64> = self.data.rows.iter().map(of_row).collect();
            (factor.clone(), mean_and_sd(&values).1.powi(2))
        };
        let mut shares: Vec<(String, f64)> = self.data.names.iter().map(part).collect();
        let residual = self.draws.of(self.data.levels.len() + self.data.names.len());
        shares.push(("residual".to_owned(), mean_and_sd(&residual).0.powi(2)));
        let total: f64 = shares.iter().map(|(_, share)| share).sum();
        shares.iter_mut().for_each(|(_, share)| *share /= total);
        shares
    }
}

/// The text of `patterns.csv`: for each combination of levels that was measured (an empty
/// cell: the factor doesn't apply) the number of measurements, mean and standard deviation
/// of one predicted measurement in joules, the share of the measurements within the 95 % of
/// that, and the 95 % interval of the expected energy by the priors alone.
pub fn patterns_csv(posterior: &EffectsPosterior) -> Result<String, ModelError> {
    let data = &posterior.data;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let figures =
        ["measurements", "predicted_j", "predictive_sd_j", "within_95", "prior_lo_j", "prior_hi_j"];
    let priors = prior_intervals(data, posterior.sign, posterior.typical_j, posterior.seed);
    writer.write_record(data.names.iter().map(String::as_str).chain(figures))?;
    for PatternCoverage { levels, share, measurements } in posterior.coverage() {
        let name = |factor: &String| {
            let of = levels.iter().find(|at| data.levels[**at].factor == *factor);
            of.map_or(String::new(), |at| data.levels[*at].name.clone())
        };
        let expected = posterior.joules.predict(&[(levels.clone(), 1.0)]);
        let Interval { lo, hi } = priors[&factors_of(data, &levels)];
        let numbers = [expected.mean_j, expected.sd_j, share, lo.0, hi.0];
        let figures = [measurements.to_string()].into_iter().chain(numbers.map(|x| x.to_string()));
        writer.write_record(data.names.iter().map(name).chain(figures))?;
    }
    super::super::text_of(writer)
}

/// The text of `effects.csv`.
pub fn effects_csv(effects: &[EffectEstimate]) -> Result<String, ModelError> {
    super::super::csv_of(effects)
}

#[cfg(test)]
mod tests;
