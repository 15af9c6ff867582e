//! What a sampler saw of one case.

use crate::account::profile::Hits;
use crate::units::Joules;

/// What a sampler saw of one unremoved case.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledCase {
    /// What a session of it spends above idle, without the runtime's own threads where their
    /// part is known: the mean over power runs and sampled ones.
    pub energy: Joules,
    /// How many sessions that is the mean of.
    pub sessions: usize,
    /// How far, relative, the energy of a session differs from the mean of its case; absent
    /// where no case has two.
    pub session_spread: Option<f64>,
    /// Which methods and lines the samples of all its runs fell into.
    pub hits: Hits,
    /// The same run by run.
    pub runs: Vec<Hits>,
}

impl SampledCase {
    /// A case with its runs; `None` without samples.
    pub fn of(energy: Joules, runs: Vec<Hits>) -> Option<Self> {
        let mut hits = Hits::default();
        runs.iter().for_each(|run| hits.merge(run));
        let case = Self { energy, sessions: 1, session_spread: None, hits, runs };
        (case.samples() > 0).then_some(case)
    }

    /// All its samples.
    pub(super) fn samples(&self) -> u64 {
        self.hits.inside() + self.hits.outside
    }

    /// The same by methods alone.
    pub(in crate::account) fn by_method(&self) -> Self {
        let runs = self.runs.iter().map(Hits::by_method).collect();
        Self { hits: self.hits.by_method(), runs, ..*self }
    }

    /// The same with a part of its energy.
    pub(in crate::account) fn scaled(&self, part: f64) -> Self {
        Self { energy: self.energy * part, ..self.clone() }
    }
}
