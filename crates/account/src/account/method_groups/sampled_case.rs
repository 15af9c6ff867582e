//! Samples and energy of one case.

use crate::account::profile::Hits;
use crate::units::Joules;

/// Samples and energy of one case without removals, as a sampler recorded it.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledCase {
    /// Mean energy of a session above idle, over power runs and sampled runs, without the
    /// runtime's own threads where their part is known.
    pub energy: Joules,
    /// Sessions that the mean is over.
    pub sessions: usize,
    /// Relative SD of a session's energy about the mean of its case; absent where no case has two
    /// sessions.
    pub session_spread: Option<f64>,
    /// Methods and lines of the samples of all runs.
    pub hits: Hits,
    /// Methods and lines of the samples, run by run.
    pub runs: Vec<Hits>,
}

impl SampledCase {
    /// A case with its sampled runs; `None` without samples.
    pub fn of(energy: Joules, runs: Vec<Hits>) -> Option<Self> {
        let mut hits = Hits::default();
        runs.iter().for_each(|run| hits.merge(run));
        let case = Self { energy, sessions: 1, session_spread: None, hits, runs };
        (case.samples() > 0).then_some(case)
    }

    /// Number of samples in the application.
    pub(super) fn samples(&self) -> u64 {
        self.hits.inside() + self.hits.outside
    }

    /// The case with its samples by method alone, without lines.
    pub(in crate::account) fn by_method(&self) -> Self {
        let runs = self.runs.iter().map(Hits::by_method).collect();
        Self { hits: self.hits.by_method(), runs, ..*self }
    }

    /// The case with its energy times `part`.
    pub(in crate::account) fn scaled(&self, part: f64) -> Self {
        Self { energy: self.energy * part, ..self.clone() }
    }
}
