//! Sampling-based estimates of method groups.

use crate::assumptions::ASSUMED;
use crate::model::areas::{DirectEstimate, RunSpread, direct_estimate, session_variances};

use super::grouped_leaves::GroupedLeaves;
use super::sampled_case::SampledCase;

/// Sampling-based estimate of each method group, with its spreads between runs and sessions.
pub(super) struct SampleEstimates {
    pub samples: Vec<u64>,
    pub direct: Vec<DirectEstimate>,
    /// Energy of all samples in groups, in joules.
    pub inside_j: f64,
    /// Energy of one sample in joules: the resolution of the estimates.
    pub grain_j: f64,
    /// Relative spread of the groups' samples between runs.
    pub run_spread: Option<RunSpread>,
    /// Relative spread of each group's energy because sessions of a case differ.
    pub session_spreads: Option<Vec<Option<f64>>>,
}

impl SampleEstimates {
    /// Estimates from all cases; `None` where no sample is in a group.
    pub fn of(grouped: &GroupedLeaves, cases: &[SampledCase]) -> Option<Self> {
        let groups = grouped.groups.len();
        let none = DirectEstimate { energy_j: 0.0, variance_j2: 0.0 };
        let mut seen = Self {
            samples: vec![0; groups],
            direct: vec![none; groups],
            inside_j: 0.0,
            grain_j: 0.0,
            run_spread: grouped.run_spread(cases),
            session_spreads: None,
        };
        let by_case = cases.iter().map(|case| seen.add(grouped, case));
        let by_case: Vec<Vec<f64>> = by_case.collect::<Option<_>>()?;
        let spreads: Option<Vec<f64>> = cases.iter().map(|case| case.session_spread).collect();
        seen.session_spreads = spreads.map(|spreads| seen.add_sessions(cases, &by_case, &spreads));
        (seen.inside_j > 0.0).then_some(seen)
    }

    /// Adds the variance from sessions that differ, by cases and the groups' energies in them;
    /// returns the relative SD of each group's energy for one session of each case.
    fn add_sessions(
        &mut self,
        cases: &[SampledCase],
        by_case: &[Vec<f64>],
        spreads: &[f64],
    ) -> Vec<Option<f64>> {
        let error = |(case, spread): (&SampledCase, &f64)| spread / (case.sessions as f64).sqrt();
        let errors: Vec<f64> = cases.iter().zip(spreads).map(error).collect();
        let of_one = session_variances(by_case, spreads);
        for (direct, variance_j2) in self.direct.iter_mut().zip(session_variances(by_case, &errors))
        {
            direct.variance_j2 += variance_j2;
        }
        let relative = |(direct, variance_j2): (&DirectEstimate, f64)| {
            (direct.energy_j > 0.0).then(|| variance_j2.sqrt() / direct.energy_j)
        };
        self.direct.iter().zip(of_one).map(relative).collect()
    }

    /// Adds a case; returns each group's energy in it in joules. `None` without samples or
    /// energy.
    fn add(&mut self, grouped: &GroupedLeaves, case: &SampledCase) -> Option<Vec<f64>> {
        let all = case.samples();
        let mut of_areas = Vec::with_capacity(self.direct.len());
        let runs = case.runs.len().max(1) as f64;
        for (group, hits) in grouped.samples(&case.hits).into_iter().enumerate() {
            let direct = direct_estimate(hits, all, case.energy.0, ASSUMED.sampled_power_spread)?;
            let between_runs = self.spread_of(group).unwrap_or(0.0) * direct.energy_j;
            self.samples[group] += hits;
            self.direct[group].energy_j += direct.energy_j;
            self.direct[group].variance_j2 += direct.variance_j2 + between_runs.powi(2) / runs;
            self.inside_j += direct.energy_j;
            of_areas.push(direct.energy_j);
        }
        self.grain_j = self.grain_j.max(case.energy.0 / all as f64);
        Some(of_areas)
    }

    /// Sampled energy per joule of count-based energy.
    pub fn level(&self, counted: &[f64]) -> f64 {
        let sum: f64 = counted.iter().sum();
        if sum > 0.0 { self.inside_j / sum } else { 1.0 }
    }

    pub(crate) fn spread_of(&self, group: usize) -> Option<f64> {
        self.run_spread.as_ref().map(|spread| spread.areas[group])
    }
}
