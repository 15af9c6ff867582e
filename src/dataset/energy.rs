//! The energy of a case: its power runs less the idle power over the same time.
//!
//! `e = mean(E_k - P D_k)` over the power runs k, with the mean idle power `P` of the
//! idle runs and the durations `D_k`. When idle and power runs last equally long this is
//! the paper's `mean(E_power) - mean(E_idle)`; when they don't, it takes idle energy for
//! the time that the application really ran. Standard error:
//! `sqrt(s_p^2 / n_p + s_i^2 / n_i)`, with the standard deviations of `E_k - P D_k` and of
//! the idle energy over the mean duration. Negative energies stay.

/// One power run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerRun {
    /// Energy of the window in joules, idle included.
    pub energy_j: f64,
    /// Length of the window in seconds.
    pub duration_s: f64,
}

/// One idle run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IdleRun {
    /// Mean power in watts.
    pub power_w: f64,
}

/// The energy of one case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseEnergy {
    /// Energy above idle in joules; may be negative.
    pub energy_j: f64,
    /// Its standard error in joules; none when power or idle runs have no repeat.
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

/// The energy of a case; none when it has no power or no idle run.
pub fn case_energy(power: &[PowerRun], idle: &[IdleRun]) -> Option<CaseEnergy> {
    let idle_powers: Vec<f64> = idle.iter().map(|run| run.power_w).collect();
    let idle_power_w = mean(&idle_powers)?;
    let durations: Vec<f64> = power.iter().map(|run| run.duration_s).collect();
    let duration_s = mean(&durations)?;
    let totals: Vec<f64> = power.iter().map(|run| run.energy_j).collect();
    let above: Vec<f64> =
        power.iter().map(|run| run.energy_j - idle_power_w * run.duration_s).collect();
    let se = |variance: Option<f64>, n: usize| variance.map(|variance| variance / n as f64);
    let power_part = se(variance(&above), power.len());
    let idle_part = se(variance(&idle_powers).map(|v| v * duration_s * duration_s), idle.len());
    Some(CaseEnergy {
        energy_j: mean(&above)?,
        energy_se_j: power_part.zip(idle_part).map(|(a, b)| (a + b).sqrt()),
        total_j: mean(&totals)?,
        idle_power_w,
        duration_s,
        power_runs: power.len(),
        idle_runs: idle.len(),
    })
}

/// The mean; none of nothing.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The sample variance; none of fewer than two values.
pub(crate) fn variance(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some(squares / (values.len() - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power(energy_j: f64, duration_s: f64) -> PowerRun {
        PowerRun { energy_j, duration_s }
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

    #[test]
    fn negative_energies_stay_and_single_runs_have_no_error() {
        let energy = case_energy(&[power(5.0, 10.0)], &[idle(1.0)]).unwrap();
        assert_eq!((energy.energy_j, energy.energy_se_j), (-5.0, None));
        assert_eq!(case_energy(&[], &[idle(1.0)]), None);
        assert_eq!(case_energy(&[power(5.0, 10.0)], &[]), None);
    }
}
