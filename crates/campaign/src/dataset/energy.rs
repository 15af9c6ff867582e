//! The energy of a case: its power runs less the idle power over the same time.
//!
//! `e = mean(E_k - P D_k)` over the power runs k, with the mean idle power `P` of the
//! idle runs and the durations `D_k`. When idle and power runs last equally long this is
//! `mean(E_power) - mean(E_idle)` of Li and Gallagher 2016; when they don't, idle energy is taken
//! for the time that the application really ran. Standard error:
//! `sqrt(s_p^2 / n_p + s_i^2 / n_i)`, with the standard deviations of `E_k - P D_k` and of
//! the idle energy over the mean duration; of pairs of a power and an idle run
//! (`case_energy_of_pairs`) that of their differences. Negative energies stay.
//!
//! Where the CPU times of the runtime's own threads are known (compilers, collector),
//! their part of `E_k - P D_k` is subtracted: their energy depends on the code that they compile
//! and the garbage that they collect, not on the operations of the case, and the ledger has a row
//! for them.

use crate::power::RuntimeShares;
use crate::run::MeasuredSession;

/// Energy and duration of one power run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PowerRun {
    /// Energy of the window in joules, idle included.
    pub energy_j: f64,
    /// Length of the window in seconds.
    pub duration_s: f64,
    /// The runtime's shares of the energy above idle, if known.
    pub runtime: Option<RuntimeShares>,
}

impl From<&MeasuredSession> for PowerRun {
    fn from(run: &MeasuredSession) -> Self {
        let runtime = run.runtime_shares();
        Self { energy_j: run.energy_j, duration_s: run.duration_s, runtime }
    }
}

impl PowerRun {
    /// Energy above idle in joules, the runtime's parts included.
    pub fn above_idle_j(&self, idle_power_w: f64) -> f64 {
        self.energy_j - idle_power_w * self.duration_s
    }

    /// Energy above idle in joules of the application's own threads, if the runtime's shares are
    /// known; else all energy above idle.
    pub fn application_j(&self, idle_power_w: f64) -> f64 {
        let part = self.runtime.map_or(1.0, RuntimeShares::application);
        self.above_idle_j(idle_power_w) * part
    }
}

/// Power of one idle run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct IdleRun {
    /// Mean power in watts.
    pub power_w: f64,
}

/// The energy of one case, from its power and idle runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseEnergy {
    /// The application's own energy above idle in joules; may be negative.
    pub energy_j: f64,
    /// Energy of the runtime's own threads in joules, not part of `energy_j`; none if unknown.
    pub runtime_j: Option<f64>,
    /// Standard error of `energy_j` in joules; none when power or idle runs have no repeat.
    pub energy_se_j: Option<f64>,
    /// Mean energy of the power runs in joules, idle included.
    pub total_j: f64,
    /// Mean idle power in watts.
    pub idle_power_w: f64,
    /// Mean duration of the power runs in seconds.
    pub duration_s: f64,
    /// Number of power runs.
    pub power_runs: usize,
    /// Number of idle runs.
    pub idle_runs: usize,
}

impl CaseEnergy {
    /// A window's energy without the runtime's shares of the energy above idle. They are taken to
    /// be those of the whole session, since the times at which the compilers ran are unknown.
    pub(crate) fn without_runtime(self, shares: Option<RuntimeShares>) -> Self {
        let Some(shares) = shares else { return self };
        let above_j = self.total_j - self.idle_power_w * self.duration_s;
        let runtime_j = above_j * (1.0 - shares.application());
        Self { energy_j: self.energy_j - runtime_j, runtime_j: Some(runtime_j), ..self }
    }

    /// Whether the energy is exactly 0, so that relative errors are undefined and no cost can be
    /// estimated. A meter with coarse steps, such as CPU times, shows 0 for short cases.
    pub fn is_zero(&self) -> bool {
        self.energy_j == 0.0
    }
}

/// Computes the energy of a case from its runs; none without a power or an idle run.
pub(crate) fn case_energy(power: &[PowerRun], idle: &[IdleRun]) -> Option<CaseEnergy> {
    let idle_powers: Vec<f64> = idle.iter().map(|run| run.power_w).collect();
    let idle_power_w = mean(&idle_powers)?;
    let durations: Vec<f64> = power.iter().map(|run| run.duration_s).collect();
    let duration_s = mean(&durations)?;
    let totals: Vec<f64> = power.iter().map(|run| run.energy_j).collect();
    let own: Vec<f64> = power.iter().map(|run| run.application_j(idle_power_w)).collect();
    let beside = |run: &PowerRun| run.above_idle_j(idle_power_w) - run.application_j(idle_power_w);
    let is_told = power.iter().any(|run| run.runtime.is_some());
    let beside: Vec<f64> = power.iter().filter(|_| is_told).map(beside).collect();
    let se = |variance: Option<f64>, n: usize| variance.map(|variance| variance / n as f64);
    let power_part = se(variance(&own), power.len());
    let idle_part = se(variance(&idle_powers).map(|v| v * duration_s * duration_s), idle.len());
    Some(CaseEnergy {
        energy_j: mean(&own)?,
        runtime_j: mean(&beside),
        energy_se_j: power_part.zip(idle_part).map(|(a, b)| (a + b).sqrt()),
        total_j: mean(&totals)?,
        idle_power_w,
        duration_s,
        power_runs: power.len(),
        idle_runs: idle.len(),
    })
}

/// Least number of pairs whose spread is the error of their mean. Two have one degree of freedom;
/// the spreads of power and idle runs together have two.
const LEAST_PAIRS: usize = 3;

/// Computes the energy of a case whose idle runs were each made next to the power run at the same
/// place. What drifts from pair to pair cancels in the differences, so the standard error is that
/// of their mean, `s_d / sqrt(n)` with the standard deviation of `E_k - P_k D_k`; with fewer than
/// three pairs it is that of [`case_energy`].
pub(crate) fn case_energy_of_pairs(power: &[PowerRun], idle: &[IdleRun]) -> Option<CaseEnergy> {
    let energy = case_energy(power, idle)?;
    if power.len() < LEAST_PAIRS || power.len() != idle.len() {
        return Some(energy);
    }
    let pairs = power.iter().zip(idle);
    let differences: Vec<f64> = pairs.map(|(run, idle)| run.application_j(idle.power_w)).collect();
    let se = variance(&differences).map(|variance| (variance / differences.len() as f64).sqrt());
    Some(CaseEnergy { energy_se_j: se, ..energy })
}

/// The mean; none of no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The sample variance; none of fewer than two values.
pub fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some(squares / (values.len() - 1) as f64)
}

/// Relative standard deviation of energies around the mean of their group, over all groups; none if
/// no group has two energies.
pub fn relative_spread<'a>(groups: impl Iterator<Item = &'a [f64]>) -> Option<f64> {
    let (mut squares, mut freedom) = (0.0, 0.0);
    for energies in groups {
        let Some((mean, variance)) = mean(energies).zip(variance(energies)) else { continue };
        if mean > 0.0 {
            let free = (energies.len() - 1) as f64;
            squares += free * variance / mean.powi(2);
            freedom += free;
        }
    }
    (freedom > 0.0).then(|| (squares / freedom).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 9 and 11 of 10, and 80, 100 and 120 of 100: squares of 2 % with one degree of freedom
    /// and of 8 % with two.
    #[test]
    fn groups_tell_one_relative_spread() {
        let spread = |groups: &[&[f64]]| relative_spread(groups.iter().copied());
        let found = spread(&[&[9.0, 11.0], &[7.0], &[80.0, 100.0, 120.0], &[0.0, 0.0]]).unwrap();
        assert!((found - (0.1f64 / 3.0).sqrt()).abs() < 1e-12, "{found}");
        assert_eq!((spread(&[&[1.0], &[2.0]]), spread(&[])), (None, None));
    }

    fn power(energy_j: f64, duration_s: f64) -> PowerRun {
        PowerRun { energy_j, duration_s, runtime: None }
    }

    fn idle(power_w: f64) -> IdleRun {
        IdleRun { power_w }
    }

    /// Power 30 and 34 J over 10 s, idle 1 and 2 W (10 and 20 J over 10 s): 32 - 15 = 17 J.
    /// s_p^2 = 8, s_i^2 = 50, both over 2: sqrt(4 + 25) J.
    #[test]
    fn equal_durations_give_the_papers_formula() {
        let energy =
            case_energy(&[power(30.0, 10.0), power(34.0, 10.0)], &[idle(1.0), idle(2.0)]).unwrap();
        assert_eq!(energy.energy_j, 17.0);
        assert_eq!(energy.energy_se_j, Some(29.0f64.sqrt()));
        assert_eq!((energy.total_j, energy.idle_power_w), (32.0, 1.5));
    }

    /// 30 J in 10 s and 36 J in 16 s over 1 W: 20 J each, without spread.
    #[test]
    fn a_longer_run_has_more_idle_energy() {
        let runs = [power(30.0, 10.0), power(36.0, 16.0)];
        let energy = case_energy(&runs, &[idle(1.0), idle(1.0)]).unwrap();
        assert_eq!((energy.energy_j, energy.energy_se_j), (20.0, Some(0.0)));
        assert_eq!(energy.duration_s, 13.0);
    }

    /// 20 J above idle, of which the compilers have a quarter and the collector a tenth.
    #[test]
    fn what_the_runtime_spends_is_taken_off() {
        let shares = RuntimeShares { compiler: 0.25, collector: 0.1 };
        let told = PowerRun { runtime: Some(shares), ..power(30.0, 10.0) };
        let energy = case_energy(&[told], &[idle(1.0)]).unwrap();
        assert!((energy.energy_j - 13.0).abs() < 1e-12);
        assert!((energy.runtime_j.unwrap() - 7.0).abs() < 1e-12);
        assert_eq!(energy.total_j, 30.0);
        assert_eq!(case_energy(&[power(30.0, 10.0)], &[idle(1.0)]).unwrap().runtime_j, None);
    }

    /// 20 J above idle over 10 s, while the idle power goes from 1 to 3 W.
    #[test]
    fn what_drifts_is_no_error_of_pairs() {
        let power = [30.0, 40.0, 50.0].map(|energy_j| power(energy_j, 10.0));
        let idle = [1.0, 2.0, 3.0].map(idle);
        let paired = case_energy_of_pairs(&power, &idle).unwrap();
        assert_eq!((paired.energy_j, paired.energy_se_j), (20.0, Some(0.0)));
        let apart = case_energy(&power, &idle).unwrap();
        assert_eq!(apart.energy_j, 20.0);
        assert!((apart.energy_se_j.unwrap() - (200.0f64 / 3.0).sqrt()).abs() < 1e-9);
        let few = case_energy_of_pairs(&power[..2], &idle[..2]).unwrap();
        assert_eq!(few.energy_se_j, case_energy(&power[..2], &idle[..2]).unwrap().energy_se_j);
    }

    #[test]
    fn negative_energies_stay_and_single_runs_have_no_error() {
        let energy = case_energy(&[power(5.0, 10.0)], &[idle(1.0)]).unwrap();
        assert_eq!((energy.energy_j, energy.energy_se_j), (-5.0, None));
        assert_eq!(case_energy(&[], &[idle(1.0)]), None);
        assert_eq!(case_energy(&[power(5.0, 10.0)], &[]), None);
    }
}
