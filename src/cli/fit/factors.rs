//! `fit --factors`: fits effects of operation, size, type and device to measurements of patterns.

use std::collections::BTreeMap;

use clap::ValueEnum;
use serde_json::json;

use super::{Arguments, Failure, Output, Solver, progress};
use crate::cli::answer::path_text;
use crate::cli::user_table::read_user_table;
use crate::format::counted;
use crate::interval::Interval;
use crate::model::ChainOptions;
use crate::model::bayes::{
    EffectSign, EffectsPosterior, FactorMeasurements, MissingPatterns, effects_csv, fit_effects,
    patterns_csv,
};

/// Allowed signs of effects (`--effects`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum EffectsOption {
    /// Not below zero.
    #[default]
    Positive,
    /// Anything.
    Free,
}

impl EffectsOption {
    /// Sign constraint of the model.
    fn sign(self) -> EffectSign {
        match self {
            Self::Positive => EffectSign::Positive,
            Self::Free => EffectSign::Free,
        }
    }
}

/// Names of the files that a fit of factors writes.
const FILES: [&str; 3] = ["effects.csv", "patterns.csv", "draws.csv"];

/// Reads the table, samples the posterior, and writes the effects, patterns and draws.
pub fn run(
    arguments: &Arguments,
    factors: &str,
    solver: Solver,
    output: &Output,
) -> Result<(), Failure> {
    if solver != Solver::Bayes {
        return Err(Failure::Usage("--factors is for --solver bayes".to_string()));
    }
    output.check_free(&FILES)?;
    let [path] = arguments.tables.as_slice() else {
        return Err(Failure::Usage("--factors is for one table".to_owned()));
    };
    let names: Vec<String> = factors.split(',').map(|name| name.trim().to_string()).collect();
    let target = arguments.target.as_deref().unwrap_or("energy_j");
    let data = FactorMeasurements::from_csv(&read_user_table(path)?, &names, target)
        .map_err(|error| Failure::input(path, error))?;
    let options = ChainOptions { seed: arguments.seed, ..ChainOptions::default() };
    let sign = arguments.effects.sign();
    let posterior = fit_effects(&data, sign, &options)?;
    output.write("effects.csv", effects_csv(&posterior.effects())?)?;
    output.write("patterns.csv", patterns_csv(&posterior)?)?;
    output.write("draws.csv", posterior.joules.to_csv(options.chains)?)?;
    let (bulk, tail) = posterior.draws.ess_min();
    let (held, all) = posterior
        .coverage()
        .iter()
        .map(|seen| (seen.share, seen.measurements as f64))
        .fold((0.0, 0.0), |(held, all), (share, n)| (held + share * n, all + n));
    let mut lines = vec![format!(
        "bayes: {}, {} of {factors}; largest R-hat {:.4}, least ESS {:.0}; \
         {:.1} % of the measurements within 95 % of their prediction",
        counted(data.rows.len(), "measurement"),
        counted(data.levels.len(), "level"),
        posterior.draws.rhat_max(),
        bulk.min(tail),
        100.0 * held / all
    )];
    let share = |(factor, share): (String, f64)| {
        format!("  {factor:<12} {:5.1} % of the variance", 100.0 * share)
    };
    let missing = MissingPatterns::of(&data);
    lines.extend(missing.map(|missing| format!("  {missing}")));
    lines.push(prior_line(&posterior));
    lines.extend(posterior.variance_shares().into_iter().map(share));
    let figures = json!({
        "solver": "bayes",
        "measurements": data.rows.len(),
        "levels": data.levels.len(),
        "rhat_max": posterior.draws.rhat_max(),
        "ess_min": bulk.min(tail),
        "within_prediction_share": held / all,
        "variance_shares": posterior.variance_shares().into_iter().collect::<BTreeMap<_, _>>(),
        "effects": posterior.effects(),
        "folder": path_text(output.folder()),
    });
    arguments.format.print("fit", &figures, || lines.join("\n"));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Line about the prior predictive check.
fn prior_line(posterior: &EffectsPosterior) -> String {
    let priors = posterior.prior_expectations();
    let energies = &posterior.data.energies_j;
    let is_within = |(prior, energy): (&Interval, &f64)| (prior.lo.0..=prior.hi.0).contains(energy);
    let within = priors.iter().zip(energies).filter(|pair| is_within(*pair)).count();
    let lo = priors.iter().map(|prior| prior.lo.0).fold(f64::INFINITY, f64::min);
    let hi = priors.iter().map(|prior| prior.hi.0).fold(f64::NEG_INFINITY, f64::max);
    format!(
        "  before any measurement the priors expect {lo:.2e} to {hi:.2e} J: {:.1} % of the \
         measurements within the 95 % of their pattern",
        100.0 * within as f64 / energies.len() as f64
    )
}
