//! Mean energies of a case's sessions, and the variances of their sums over cases.

use crate::account::{MeasuredEnergies, RuntimeEnergy};
use crate::campaign::RunPhase;
use crate::dataset::energy::{PowerRun, mean, variance};
use crate::dataset::idle_runs_of;
use crate::folder::MeasuredCampaign;
use crate::power::RuntimeShares;
use crate::run;
use crate::scenario::IdlePolicy;
use crate::units::Joules;

use super::{BoardSelection, ScenarioFactsError};

/// Energy of the runtime's threads for no session: exactly zero.
pub(super) const NO_RUNTIME_ENERGY: RuntimeEnergy = RuntimeEnergy {
    compiler: Joules::ZERO,
    compiler_se: Some(Joules::ZERO),
    collector: Joules::ZERO,
    collector_se: Some(Joules::ZERO),
};

/// Variances in J^2 of summed energies; none once one case has no repeats.
pub(super) struct EnergyVariances {
    total: Option<f64>,
    /// Of idle energies with idle runs of their own.
    idle: Option<f64>,
    /// Standard error in J of idle energies that have their idle runs in common, which adds up.
    common_idle_se: Option<f64>,
}

impl Default for EnergyVariances {
    fn default() -> Self {
        EnergyVariances { total: Some(0.0), idle: Some(0.0), common_idle_se: Some(0.0) }
    }
}

impl EnergyVariances {
    /// Standard error of the summed total energies.
    pub fn total_se(&self) -> Option<Joules> {
        self.total.map(|variance| Joules(variance.sqrt()))
    }

    /// Standard error of the summed idle energies.
    pub fn idle_se(&self) -> Option<Joules> {
        let (own, common) = self.idle.zip(self.common_idle_se)?;
        Some(Joules(own.sqrt().hypot(common)))
    }
}

/// Mean energies of a case's sessions, with variances from its repeats.
#[derive(Debug, Clone)]
pub(super) struct MeanCaseEnergy {
    total_j: f64,
    idle_w: f64,
    /// Whether other cases have the same idle runs.
    has_common_idle: bool,
    pub duration_s: f64,
    collections: u64,
    /// Energy above idle of each power run and each sampled run, without the runtime's threads:
    /// the overhead of a sampler is small against the differences between processes.
    pub sessions_j: Vec<f64>,
    /// Variances of the means, in J^2 and W^2; absent without repeats.
    total_variance: Option<f64>,
    idle_variance: Option<f64>,
    /// Energies of the runtime's threads; absent where their CPU times are unknown for some run.
    runtime: Option<RuntimeEnergies>,
}

/// Mean energies of the runtime's threads over the repeats of a case.
#[derive(Debug, Clone)]
struct RuntimeEnergies {
    compiler: MeanEnergy,
    collector: MeanEnergy,
}

/// Mean over repeats, with its variance where there are several.
#[derive(Debug, Clone)]
struct MeanEnergy {
    energy_j: f64,
    variance_j2: Option<f64>,
}

impl MeanEnergy {
    fn of(energies_j: &[f64]) -> Option<Self> {
        let energy_j = mean(energies_j)?;
        Some(Self { energy_j, variance_j2: variance_of_mean(energies_j) })
    }
}

impl RuntimeEnergies {
    fn of(power: &[&run::MeasuredSession], idle_w: f64) -> Option<Self> {
        let shares: Vec<_> = power.iter().map(|run| run.runtime_shares()).collect::<Option<_>>()?;
        let energies = |part: fn(&RuntimeShares) -> f64| {
            let above = power.iter().map(|run| PowerRun::from(*run).above_idle_j(idle_w));
            let parts = above.zip(&shares).map(|(above, shares)| above * part(shares));
            MeanEnergy::of(&parts.collect::<Vec<_>>())
        };
        let (compiler, collector) = (energies(|s| s.compiler)?, energies(|s| s.collector)?);
        Some(Self { compiler, collector })
    }

    fn plus(&self, sum: RuntimeEnergy) -> RuntimeEnergy {
        let se = |se: Option<Joules>, own: &MeanEnergy| {
            let (se, variance) = se.zip(own.variance_j2)?;
            Some(Joules(se.0.hypot(variance.sqrt())))
        };
        RuntimeEnergy {
            compiler: sum.compiler + Joules(self.compiler.energy_j),
            compiler_se: se(sum.compiler_se, &self.compiler),
            collector: sum.collector + Joules(self.collector.energy_j),
            collector_se: se(sum.collector_se, &self.collector),
        }
    }
}

impl MeanCaseEnergy {
    pub fn of(
        campaign: &MeasuredCampaign,
        case: &str,
        boards: &BoardSelection,
    ) -> Result<Self, ScenarioFactsError> {
        let own = || campaign.records.iter().filter(|record| boards.is_own(record));
        let of_phase = |phase| {
            let good = own().filter(move |record| record.is_good_run_of(case, phase));
            good.filter_map(|record| record.measured.as_ref()).collect::<Vec<_>>()
        };
        let power = of_phase(RunPhase::Power);
        let idle = idle_runs_of(own(), case, campaign.idle);
        let idle: Vec<_> = idle.filter_map(|record| record.measured.as_ref()).collect();
        let totals: Vec<f64> = power.iter().map(|run| run.energy_j).collect();
        let durations: Vec<f64> = power.iter().map(|run| run.duration_s).collect();
        let idle_powers: Vec<f64> = idle.iter().map(|run| run.mean_power_w()).collect();
        let (Some(total_j), Some(duration_s), Some(idle_w)) =
            (mean(&totals), mean(&durations), mean(&idle_powers))
        else {
            let on = boards.device.as_ref();
            let on = on.map_or(String::new(), |device| format!(" on board {device}"));
            return Err(ScenarioFactsError::NoEnergy { case: case.to_string(), on });
        };
        let own_j = |run: &&run::MeasuredSession| PowerRun::from(*run).application_j(idle_w);
        Ok(MeanCaseEnergy {
            total_j,
            idle_w,
            has_common_idle: campaign.idle == IdlePolicy::Campaign,
            duration_s,
            sessions_j: power.iter().chain(&of_phase(RunPhase::Sampled)).map(own_j).collect(),
            collections: power.first().map_or(0, |run| run.collections),
            total_variance: variance_of_mean(&totals),
            idle_variance: variance_of_mean(&idle_powers),
            runtime: RuntimeEnergies::of(&power, idle_w),
        })
    }

    /// Energy of a session above idle, without the runtime's threads where these are known.
    pub fn session_energy(&self) -> Option<Joules> {
        mean(&self.sessions_j).map(Joules)
    }

    pub fn add_to(&self, measured: &mut MeasuredEnergies, variances: &mut EnergyVariances) {
        let duration_s = self.duration_s;
        measured.total += Joules(self.total_j);
        measured.idle += Joules(self.idle_w * duration_s);
        measured.collections += self.collections;
        // A case whose threads nobody saw leaves the sum unknown.
        measured.runtime =
            measured.runtime.take().zip(self.runtime.as_ref()).map(|(sum, own)| own.plus(sum));
        let add = |sum: Option<f64>, variance: Option<f64>| Some(sum? + variance?);
        variances.total = add(variances.total, self.total_variance);
        let idle_variance = self.idle_variance.map(|v| v * duration_s * duration_s);
        match self.has_common_idle {
            true => {
                let idle_se = idle_variance.map(f64::sqrt);
                variances.common_idle_se = add(variances.common_idle_se, idle_se);
            }
            false => variances.idle = add(variances.idle, idle_variance),
        }
    }
}

fn variance_of_mean(values: &[f64]) -> Option<f64> {
    Some(variance(values)? / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::operations::Dictionary;
    use crate::power::RuntimeThreadTimes;
    use crate::run::RunRecord;
    use crate::run_record::record;

    /// Idle power is 1 W. The power run spends 30 J in 10 s, a quarter of which is a compiler's;
    /// of the sampled one nobody knows a compiler.
    #[test]
    fn sampled_runs_are_sessions_and_compilers_are_nobodys_samples() {
        let mut power = record("a", RunPhase::Power, 1, 30.0, 10.0);
        let threads = RuntimeThreadTimes { process_s: 10.0, compiler_s: 2.5, collector_s: 0.0 };
        power.measured.as_mut().unwrap().threads = Some(threads);
        let records = [
            power,
            record("a", RunPhase::Sampled, 1, 35.0, 10.0),
            record("b", RunPhase::Sampled, 1, 90.0, 10.0),
            record("a", RunPhase::Idle, 1, 5.0, 5.0),
        ];
        let energies = energies(&records, IdlePolicy::Paired, "a");
        assert_eq!(energies.sessions_j, [15.0, 25.0]);
        assert_eq!(energies.session_energy(), Some(Joules(20.0)));
    }

    fn energies(records: &[RunRecord], idle: IdlePolicy, case: &str) -> MeanCaseEnergy {
        let campaign = MeasuredCampaign {
            dictionary: Dictionary::default(),
            cases: Vec::new(),
            records: records.to_vec(),
            executions: BTreeMap::new(),
            unanalysed: Vec::new(),
            idle,
        };
        MeanCaseEnergy::of(&campaign, case, &BoardSelection::default()).unwrap()
    }

    /// Idle power is 0.9 and 1.1 W of a, 1.9 and 2.1 W of b: standard errors of 1 J each over 10 s
    /// with idle runs of their own; of all four 1.5 W, and one error for the 20 s of both.
    #[test]
    fn idle_runs_are_the_cases_own_or_common_to_all() {
        let idle = |case: &str, repeat, power_w: f64| {
            record(case, RunPhase::Idle, repeat, 10.0 * power_w, 10.0)
        };
        let records = [
            record("a", RunPhase::Power, 1, 30.0, 10.0),
            record("b", RunPhase::Power, 1, 50.0, 10.0),
            idle("a", 1, 0.9),
            idle("a", 2, 1.1),
            idle("b", 1, 1.9),
            idle("b", 2, 2.1),
        ];
        let sums = |policy| {
            let (mut measured, mut variances) =
                (MeasuredEnergies::default(), EnergyVariances::default());
            for case in ["a", "b"] {
                energies(&records, policy, case).add_to(&mut measured, &mut variances);
            }
            (measured.idle, variances.idle_se().unwrap())
        };
        let (idle, se) = sums(IdlePolicy::Paired);
        assert!((idle.0 - 30.0).abs() < 1e-9 && (se.0 - 2.0f64.sqrt()).abs() < 1e-9, "{se:?}");
        let (idle, se) = sums(IdlePolicy::Campaign);
        // Squares of 0.6, 0.4, 0.4 and 0.6 W over three, of four runs.
        let expected = 20.0 * (1.04f64 / 3.0 / 4.0).sqrt();
        assert!((idle.0 - 30.0).abs() < 1e-9 && (se.0 - expected).abs() < 1e-9, "{se:?}");
    }
}
