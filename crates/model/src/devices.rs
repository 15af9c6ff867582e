//! Boards as a factor: `e = f(board) * (N cost)`. Costs are those of a reference board, whose
//! factor is 1; every other board spends `f` times as much on whatever it executes.
//!
//! The factors are found before the costs, whatever the solver, by generalised least squares
//! of the logarithm of energy per execution on the boards:
//!
//! ```text
//! log(e_i / n_i) = level + log f(board of i) + mix_i + misfit_i + noise_i
//! cov(mix_i, mix_j)    = k^2 (s_i . s_j)   s_i: each operation's share of case i's executions
//! cov(misfit_i, misfit_j) = w^2            of two measurements of one case, else 0
//! var(noise_i)         = (se_i / e_i)^2
//! ```
//!
//! With costs that scatter by `k` about their mean, two cases differ by as much as their mixes of
//! operations do; the same case on two boards has the same mix and the same misfit, which fall out
//! of the difference: such cases contribute most, and any others help. `k` is the most probable of
//! a series of values (restricted likelihood). The errors are widened by what the fit leaves
//! unexplained, where that is more than expected, and never narrowed.

use std::collections::{BTreeMap, BTreeSet};

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wattline_units::assumptions::Assumptions;
use wattline_units::foreign::catch_foreign_panic;
use wattline_units::format::counted;
use wattline_units::limits::TABLE_BOARDS;

use super::error::ModelError;
use super::quantiles::student_975;
use crate::table::Table;

/// Energy of a board relative to the reference board, with its error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceFactor {
    /// The board, as the data set names it.
    pub device: String,
    /// Energy over that of the reference board for the same work.
    pub factor: f64,
    /// Standard error; absent for the reference, whose factor is 1 by definition, and where too few
    /// cases determine it.
    pub factor_se: Option<f64>,
    /// Lower end of the 95 % interval.
    pub factor_lo: Option<f64>,
    /// Upper end of the 95 % interval.
    pub factor_hi: Option<f64>,
    /// Cases measured on it.
    pub cases: usize,
}

/// Largest number of cases that the factors are fitted to, evenly taken: the work grows with the
/// third power of their number, and fewer cases suffice.
const CASES_MAX: usize = 800;

/// Returns the boards of a table, sorted; the first is the reference unless another is named.
pub fn device_names(table: &Table) -> Vec<&str> {
    let devices: BTreeSet<&str> = table.cases.iter().map(|case| case.device.as_str()).collect();
    devices.into_iter().collect()
}

/// Finds the factors of all boards of a table, the reference first; none where all cases are of one
/// board. A `reference` that the table does not have is the first board.
pub(crate) fn device_factors(
    table: &Table,
    reference: Option<&str>,
    assumed: &Assumptions,
) -> Result<Vec<DeviceFactor>, ModelError> {
    let mut devices = device_names(table);
    if devices.len() < 2 {
        return Ok(Vec::new());
    }
    let remedy = "fit a table for each board, or drop rows of boards";
    TABLE_BOARDS.check(devices.len() as u64).map_err(ModelError::too_large(remedy))?;
    let first = reference.and_then(|name| devices.iter().position(|device| *device == name));
    let reference = devices.remove(first.unwrap_or(0));
    devices.insert(0, reference);
    let used = usable_cases(table, &devices);
    if let Some(device) =
        devices.iter().find(|d| !used.iter().any(|i| table.cases[*i].device == **d))
    {
        return Err(ModelError::NoFactor { device: (*device).to_owned() });
    }
    let spreads = (0..9).map(|step| 0.1 * f64::powi(2.0, step));
    let (mixes, own) =
        (mix_covariance(table, &used), misfit_and_noise_covariance(table, &used, assumed));
    let covariance = |spread: f64| &mixes * faer::Scale(spread * spread) + &own;
    let fits = spreads.filter_map(|spread| fit_gls(table, &used, &devices, covariance(spread)));
    let best = fits.max_by(|a, b| a.likelihood.total_cmp(&b.likelihood));
    let best = best.ok_or(ModelError::Decomposition { what: "the boards' factors" })?;
    let spare = used.len() as f64 - devices.len() as f64;
    let described = devices.iter().enumerate().map(|(at, device)| {
        let cases = table.cases.iter().filter(|case| case.device == **device).count();
        best.device_factor(at, device, cases, spare)
    });
    Ok(described.collect())
}

/// The text of `microbenchmarks-devices.csv`.
pub fn devices_csv(factors: &[DeviceFactor]) -> Result<String, ModelError> {
    super::csv_of(factors)
}

/// Returns the table with all energies converted to the reference board. Boards without a factor
/// are left as they are.
pub(crate) fn with_energies_at_reference(table: &Table, factors: &[DeviceFactor]) -> Table {
    let mut table = table.clone();
    for case in &mut table.cases {
        let own = factors.iter().find(|factor| factor.device == case.device);
        if let Some(DeviceFactor { factor, .. }) = own {
            case.energy_j /= factor;
            case.energy_se_j = case.energy_se_j.map(|se| se / factor);
        }
    }
    table
}

/// Returns the cases to fit factors to: with executions and an energy above twice its standard
/// error, at most [`CASES_MAX`].
fn usable_cases(table: &Table, devices: &[&str]) -> Vec<usize> {
    let clear = |i: &usize| {
        let case = &table.cases[*i];
        let noise = case.energy_se_j.unwrap_or(0.0);
        case.energy_j > 2.0 * noise && table.row(*i).iter().sum::<f64>() > 0.0
    };
    let mut of_device: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for i in (0..table.cases.len()).filter(clear) {
        of_device.entry(table.cases[i].device.as_str()).or_default().push(i);
    }
    let most = (CASES_MAX / devices.len()).max(1);
    let mut used: Vec<usize> = of_device
        .into_values()
        .flat_map(|cases| {
            let step = cases.len().div_ceil(most);
            cases.into_iter().step_by(step)
        })
        .collect();
    used.sort_unstable();
    used
}

/// The coefficients of one fit: the level, then the logarithms of the factors.
struct GlsFit {
    coefficients: Vec<f64>,
    /// Covariance of the coefficients, before it is widened by the misfit.
    covariance: Mat<f64>,
    /// Squared residuals by their variances.
    squares: f64,
    /// Logarithm of the restricted likelihood.
    likelihood: f64,
}

impl GlsFit {
    fn device_factor(&self, at: usize, device: &str, cases: usize, spare: f64) -> DeviceFactor {
        let device = device.to_owned();
        let (factor_se, factor_lo, factor_hi) = (None, None, None);
        if at == 0 {
            return DeviceFactor { device, factor: 1.0, factor_se, factor_lo, factor_hi, cases };
        }
        let factor = self.coefficients[at].exp();
        if spare < 1.0 {
            return DeviceFactor { device, factor, factor_se, factor_lo, factor_hi, cases };
        }
        let widened = (self.squares / spare).max(1.0);
        let se = (self.covariance[(at, at)] * widened).sqrt();
        let reach = (student_975(spare) * se).exp();
        DeviceFactor {
            device,
            factor,
            factor_se: Some(factor * se),
            factor_lo: Some(factor / reach),
            factor_hi: Some(factor * reach),
            cases,
        }
    }
}

/// Fits by generalised least squares; `None` where the matrices can't be inverted.
fn fit_gls(
    table: &Table,
    used: &[usize],
    devices: &[&str],
    covariance: Mat<f64>,
) -> Option<GlsFit> {
    let (n, p) = (used.len(), devices.len());
    let total = |i: usize| table.row(i).iter().sum::<f64>();
    let x = Mat::from_fn(n, p, |row, at| {
        let is_own = table.cases[used[row]].device == devices[at];
        if at == 0 || is_own { 1.0 } else { 0.0 }
    });
    let y = Mat::from_fn(n, 1, |row, _| {
        let i = used[row];
        (table.cases[i].energy_j / total(i)).ln()
    });
    let factor = catch_foreign_panic(|| covariance.llt(Side::Lower)).ok()?.ok()?;
    let (vx, vy) = (factor.solve(&x), factor.solve(&y));
    let information = x.transpose() * &vx;
    let solved = catch_foreign_panic(|| information.llt(Side::Lower)).ok()?.ok()?;
    let coefficients = solved.solve(x.transpose() * &vy);
    let residual = &y - &x * &coefficients;
    let squares = (residual.transpose() * factor.solve(&residual))[(0, 0)];
    let log_det = |l: faer::MatRef<'_, f64>| -> f64 {
        l.diagonal().column_vector().iter().map(|pivot| 2.0 * pivot.ln()).sum()
    };
    let likelihood = -0.5 * (log_det(factor.L()) + log_det(solved.L()) + squares);
    let coefficients: Vec<f64> = coefficients.col(0).iter().copied().collect();
    let covariance = solved.solve(Mat::<f64>::identity(p, p));
    let sound = likelihood.is_finite() && coefficients.iter().all(|value| value.is_finite());
    sound.then_some(GlsFit { coefficients, covariance, squares, likelihood })
}

/// Returns the covariance of cases by their mixes of operations, n x n, for costs with a scatter of
/// 1.
fn mix_covariance(table: &Table, used: &[usize]) -> Mat<f64> {
    let l = table.features.len();
    let totals: Vec<f64> = used.iter().map(|i| table.row(*i).iter().sum()).collect();
    let shares = Mat::from_fn(used.len(), l, |row, j| table.row(used[row])[j] / totals[row]);
    &shares * shares.transpose()
}

/// Returns the covariance of cases by misfit and noise, n x n.
fn misfit_and_noise_covariance(table: &Table, used: &[usize], assumed: &Assumptions) -> Mat<f64> {
    let Assumptions { case_noise_unknown, case_noise_least, .. } = *assumed;
    Mat::from_fn(used.len(), used.len(), |a, b| {
        let (one, other) = (&table.cases[used[a]], &table.cases[used[b]]);
        let is_same = one.name == other.name && one.group == other.group;
        let misfit = if is_same { assumed.simulated_chip_case_misfit.powi(2) } else { 0.0 };
        if a != b {
            return misfit;
        }
        let noise = one.energy_se_j.map_or(case_noise_unknown, |se| se / one.energy_j);
        misfit + noise.max(case_noise_least).powi(2)
    })
}

impl std::fmt::Display for DeviceFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DeviceFactor { device, factor, cases, .. } = self;
        let cases = counted(cases, "case");
        match (self.factor_lo, self.factor_hi) {
            (Some(lo), Some(hi)) => {
                write!(f, "{device}: {factor:.4} times as much (95 % {lo:.4} to {hi:.4}), {cases}")
            }
            _ => write!(f, "{device}: {factor:.4} times as much (interval: none), {cases}"),
        }
    }
}

/// Describes for users which board the costs are of, and how the other boards differ; `None` for
/// one board.
pub fn devices_text(devices: &[DeviceFactor]) -> Option<String> {
    let (reference, others) = devices.split_first()?;
    let mut text = format!("  costs are those of board {}", reference.device);
    for other in others {
        text += &format!("\n    {other}");
    }
    Some(text)
}

#[cfg(test)]
#[path = "devices_tests.rs"]
mod tests;
