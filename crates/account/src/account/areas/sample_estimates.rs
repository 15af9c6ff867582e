//! What samples alone say of each area.

use crate::assumptions::ASSUMED;
use crate::model::areas::{Direct, RunSpread, session_variances, share_of};

use super::grouped::Grouped;
use super::sampled_case::SampledCase;

/// What samples say of each area.
pub(super) struct SampleEstimates {
    pub samples: Vec<u64>,
    pub direct: Vec<Direct>,
    /// Energy of all samples that fell into areas, in joules.
    pub inside_j: f64,
    /// Energy of one sample, in joules: finer than that, samples don't see.
    pub grain_j: f64,
    /// How far, relative, samples of areas differ between runs.
    pub run_spread: Option<RunSpread>,
    /// How far, relative, areas' energies differ because sessions of a case do.
    pub session_spreads: Option<Vec<Option<f64>>>,
}

impl SampleEstimates {
    /// `None` where no sample fell into an area.
    pub fn of(grouped: &Grouped, cases: &[SampledCase]) -> Option<Self> {
        let areas = grouped.areas.len();
        let none = Direct { energy_j: 0.0, variance_j2: 0.0 };
        let mut seen = Self {
            samples: vec![0; areas],
            direct: vec![none; areas],
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

    /// Adds that sessions differ, by cases and what areas have of them; gives how far areas'
    /// energies differ, relative, in one session of each case.
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
        let relative = |(direct, variance_j2): (&Direct, f64)| {
            (direct.energy_j > 0.0).then(|| variance_j2.sqrt() / direct.energy_j)
        };
        self.direct.iter().zip(of_one).map(relative).collect()
    }

    /// Adds a case and gives what each area has of it, in joules; `None` where it has no samples
    /// or no energy.
    fn add(&mut self, grouped: &Grouped, case: &SampledCase) -> Option<Vec<f64>> {
        let all = case.samples();
        let mut of_areas = Vec::with_capacity(self.direct.len());
        let runs = case.runs.len().max(1) as f64;
        for (area, hits) in grouped.samples(&case.hits).into_iter().enumerate() {
            let direct = share_of(hits, all, case.energy.0, ASSUMED.sampled_power_spread)?;
            let between_runs = self.spread_of(area).unwrap_or(0.0) * direct.energy_j;
            self.samples[area] += hits;
            self.direct[area].energy_j += direct.energy_j;
            self.direct[area].variance_j2 += direct.variance_j2 + between_runs.powi(2) / runs;
            self.inside_j += direct.energy_j;
            of_areas.push(direct.energy_j);
        }
        self.grain_j = self.grain_j.max(case.energy.0 / all as f64);
        Some(of_areas)
    }

    /// What samples say of a joule of the costs.
    pub fn level(&self, counted: &[f64]) -> f64 {
        let sum: f64 = counted.iter().sum();
        if sum > 0.0 { self.inside_j / sum } else { 1.0 }
    }

    pub(crate) fn spread_of(&self, area: usize) -> Option<f64> {
        self.run_spread.as_ref().map(|spread| spread.areas[area])
    }
}
