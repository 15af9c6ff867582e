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
//! With costs that scatter by `k` about their mean, two cases differ by as much as their
//! mixes of operations do; the same case on two boards has the same mix and the same misfit,
//! which fall out of the difference: such cases tell most, and any others help. `k` is the
//! most probable of a series of values (restricted likelihood). The errors are widened by
//! what the fit leaves unexplained, where that is more than expected, and never narrowed.

use std::collections::{BTreeMap, BTreeSet};

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use serde::{Deserialize, Serialize};

use super::error::ModelError;
use super::fitted::Model;
use super::interval::student_975;
use crate::dataset::Table;

/// What a board spends by the reference board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceFactor {
    /// The board, as the data set names it.
    pub device: String,
    /// Its energy by the reference board's for the same work.
    pub factor: f64,
    /// Standard error; absent for the reference, whose factor is 1 by definition, and where
    /// too few cases tell it.
    pub factor_se: Option<f64>,
    /// Lower end of the 95 % interval.
    pub factor_lo: Option<f64>,
    /// Upper end of the 95 % interval.
    pub factor_hi: Option<f64>,
    /// Cases measured on it.
    pub cases: usize,
}

/// The misfit of a case that 120 operations can't explain, as a share (see `weights`).
const MISFIT: f64 = 0.02;

/// Relative noise of a case without a standard error.
const UNKNOWN_NOISE: f64 = 0.02;

/// Errors of few repeats may be far too small by chance.
const LEAST_NOISE: f64 = 1e-3;

/// At most so many cases are asked for the factors, evenly taken: the work grows with the
/// third power of their number, and the factors are known well long before.
const CASES_MAX: usize = 800;

/// The boards of a table, sorted; the first is the reference unless another is named.
pub fn devices(table: &Table) -> Vec<&str> {
    let devices: BTreeSet<&str> = table.cases.iter().map(|case| case.device.as_str()).collect();
    devices.into_iter().collect()
}

/// The factors of all boards of a table, the reference first; none where all cases are of
/// one board. A `reference` that the table does not have is the first board.
pub(crate) fn factors(
    table: &Table,
    reference: Option<&str>,
) -> Result<Vec<DeviceFactor>, ModelError> {
    let mut devices = devices(table);
    if devices.len() < 2 {
        return Ok(Vec::new());
    }
    let first = reference.and_then(|name| devices.iter().position(|device| *device == name));
    let reference = devices.remove(first.unwrap_or(0));
    devices.insert(0, reference);
    let used = used(table, &devices);
    if let Some(device) =
        devices.iter().find(|d| !used.iter().any(|i| table.cases[*i].device == **d))
    {
        return Err(ModelError::NoFactor { device: (*device).to_owned() });
    }
    let spreads = (0..9).map(|step| 0.1 * f64::powi(2.0, step));
    let (mixes, own) = (mixes(table, &used), own(table, &used));
    let covariance = |spread: f64| &mixes * faer::Scale(spread * spread) + &own;
    let fits = spreads.filter_map(|spread| gls(table, &used, &devices, covariance(spread)));
    let best = fits.max_by(|a, b| a.likelihood.total_cmp(&b.likelihood));
    let best = best.ok_or(ModelError::Decomposition { what: "the boards' factors" })?;
    let spare = used.len() as f64 - devices.len() as f64;
    let described = devices.iter().enumerate().map(|(at, device)| {
        let cases = table.cases.iter().filter(|case| case.device == **device).count();
        best.described(at, device, cases, spare)
    });
    Ok(described.collect())
}

/// The table with all energies as the reference board would have spent them. Boards without
/// a factor are left as they are.
pub(crate) fn at_reference(table: &Table, factors: &[DeviceFactor]) -> Table {
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

/// Cases that can tell: some executions, and an energy clear of its error.
fn used(table: &Table, devices: &[&str]) -> Vec<usize> {
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
struct Gls {
    coefficients: Vec<f64>,
    /// Their covariance, before what is unexplained.
    covariance: Mat<f64>,
    /// Squared residuals by their variances.
    squares: f64,
    /// Logarithm of the restricted likelihood.
    likelihood: f64,
}

impl Gls {
    fn described(&self, at: usize, device: &str, cases: usize, spare: f64) -> DeviceFactor {
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

/// Generalised least squares; none where the matrices can't be inverted.
fn gls(table: &Table, used: &[usize], devices: &[&str], covariance: Mat<f64>) -> Option<Gls> {
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
    let factor = covariance.llt(Side::Lower).ok()?;
    let (vx, vy) = (factor.solve(&x), factor.solve(&y));
    let information = x.transpose() * &vx;
    let solved = information.llt(Side::Lower).ok()?;
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
    sound.then_some(Gls { coefficients, covariance, squares, likelihood })
}

/// How alike the mixes of two cases are, n x n: what costs of a scatter of 1 would give.
fn mixes(table: &Table, used: &[usize]) -> Mat<f64> {
    let l = table.features.len();
    let totals: Vec<f64> = used.iter().map(|i| table.row(*i).iter().sum()).collect();
    let shares = Mat::from_fn(used.len(), l, |row, j| table.row(used[row])[j] / totals[row]);
    &shares * shares.transpose()
}

/// Covariance by misfit and noise, n x n.
fn own(table: &Table, used: &[usize]) -> Mat<f64> {
    Mat::from_fn(used.len(), used.len(), |a, b| {
        let (one, other) = (&table.cases[used[a]], &table.cases[used[b]]);
        let is_same = one.name == other.name && one.group == other.group;
        let misfit = if is_same { MISFIT * MISFIT } else { 0.0 };
        if a != b {
            return misfit;
        }
        let noise = one.energy_se_j.map_or(UNKNOWN_NOISE, |se| se / one.energy_j);
        misfit + noise.max(LEAST_NOISE).powi(2)
    })
}

impl Model {
    /// The board whose costs these are, where cases of several were fitted.
    pub fn reference_device(&self) -> Option<&str> {
        self.devices.first().map(|factor| factor.device.as_str())
    }

    /// The same model for another of its boards: costs and their errors times its factor, of
    /// which the factor's own error is a part. (Costs and factor were found from the same
    /// cases; their errors are taken as independent, which makes intervals wider, not
    /// narrower, than need be.) None for a board that it does not know.
    pub fn on_device(&self, device: &str) -> Option<Self> {
        let own = self.devices.iter().find(|factor| factor.device == device)?;
        let mut devices = self.devices.clone();
        for other in &mut devices {
            other.rebase(own);
        }
        let (ours, others): (Vec<_>, Vec<_>) =
            devices.into_iter().partition(|d: &DeviceFactor| d.device == device);
        let devices = [ours, others].concat();
        Some(Self { devices, ..self.scaled(own.factor, own.factor_se.unwrap_or(0.0)) })
    }

    /// What the factors' errors do to the costs: energies of a board whose factor is wrong by
    /// a part move all costs by that part of the board's share of the cases.
    pub(crate) fn with_factors_errors(self) -> Self {
        let all: usize = self.devices.iter().map(|factor| factor.cases).sum();
        let moved = |of: &DeviceFactor| {
            let share = of.cases as f64 / all as f64;
            of.factor_se.map_or(0.0, |se| (share * se / of.factor).powi(2))
        };
        let relative_se = self.devices.iter().map(moved).sum::<f64>().sqrt();
        self.scaled(1.0, relative_se)
    }

    /// Costs times a factor of a standard error.
    fn scaled(&self, factor: f64, factor_se: f64) -> Self {
        let mut model = self.clone();
        for (cost, before) in model.costs.iter_mut().zip(&self.costs) {
            let apart = before.cost_j * factor_se;
            cost.cost_j *= factor;
            cost.se_j = before.se_j.map(|se| (factor * se).hypot(apart));
            let reach = |end_j: f64| {
                (factor * (end_j - before.cost_j)).hypot(super::interval::NORMAL_975 * apart)
            };
            cost.lo_j = before.lo_j.map(|lo| {
                let least = if before.cost_j >= 0.0 && lo >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
                (cost.cost_j - reach(lo)).max(least)
            });
            cost.hi_j = before.hi_j.map(|hi| cost.cost_j + reach(hi));
        }
        let l = self.costs.len();
        if let Some(covariance) = &mut model.covariance {
            for (at, value) in covariance.iter_mut().enumerate() {
                let product = self.costs[at / l].cost_j * self.costs[at % l].cost_j;
                *value = factor * factor * *value + factor_se * factor_se * product;
            }
        }
        model.draws.iter_mut().flatten().for_each(|cost| *cost *= factor);
        model.residual_sd_j = self.residual_sd_j.map(|sd| sd * factor);
        model
    }
}

impl DeviceFactor {
    /// Takes it by another board than the reference.
    fn rebase(&mut self, by: &DeviceFactor) {
        if self.device == by.device {
            (self.factor, self.factor_se) = (1.0, None);
            (self.factor_lo, self.factor_hi) = (None, None);
            return;
        }
        let relative = |one: &DeviceFactor| one.factor_se.map_or(0.0, |se| se / one.factor);
        let both = relative(self).hypot(relative(by));
        let known = by.factor_se.is_some() || self.factor_se.is_some();
        self.factor /= by.factor;
        let reach = (super::interval::NORMAL_975 * both).exp();
        self.factor_se = known.then_some(self.factor * both);
        self.factor_lo = known.then_some(self.factor / reach);
        self.factor_hi = known.then_some(self.factor * reach);
    }
}

impl std::fmt::Display for DeviceFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DeviceFactor { device, factor, cases, .. } = self;
        match (self.factor_lo, self.factor_hi) {
            (Some(lo), Some(hi)) => write!(
                f,
                "{device}: {factor:.4} times as much (95 % {lo:.4} to {hi:.4}), {cases} cases"
            ),
            _ => write!(f, "{device}: {factor:.4} times as much (interval: none), {cases} cases"),
        }
    }
}

#[cfg(test)]
#[path = "devices_tests.rs"]
mod tests;
