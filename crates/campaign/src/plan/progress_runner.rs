//! Dry runs with a progress bar, and an announcement if they will take long.

use std::time::{Duration, Instant};

use crate::campaign::{DryCase, DryError, DryOutcome, DryRunner};
use crate::format::counted;
use crate::progress::{Progress, WorkProgress};

/// Time of planning above which it is announced.
const LONG: Duration = Duration::from_secs(600);

/// A runner that shows a progress bar of about `budget` dry runs of `inner`.
pub(crate) struct ProgressRunner<'p, D> {
    inner: D,
    progress: &'p dyn Progress,
    budget: u32,
    bar: Box<dyn WorkProgress>,
    made: u64,
    batches: usize,
}

impl<'p, D: DryRunner> ProgressRunner<'p, D> {
    /// A runner around `inner`, with no dry run made yet.
    pub fn new(inner: D, budget: usize, progress: &'p dyn Progress) -> Self {
        let bar = progress.bar(budget as u64, "dry runs");
        let budget = u32::try_from(budget).unwrap_or(u32::MAX);
        Self { inner, progress, budget, bar, made: 0, batches: 0 }
    }

    fn watch(
        &mut self,
        cases: &[DryCase],
        run: impl FnOnce(&mut D, &[DryCase]) -> Result<Vec<DryOutcome>, DryError>,
    ) -> Result<Vec<DryOutcome>, DryError> {
        let start = Instant::now();
        let outcomes = run(&mut self.inner, cases)?;
        // The first batch also makes the build that the others share.
        if let (1, Ok(made)) = (self.batches, u32::try_from(cases.len().max(1))) {
            self.announce(start.elapsed() / made);
        }
        self.batches += 1;
        self.made += cases.len() as u64;
        self.bar.set_length(u64::from(self.budget).max(self.made));
        self.bar.set_done_now(self.made);
        Ok(outcomes)
    }

    fn announce(&self, each: Duration) {
        let all = each.saturating_mul(self.budget);
        if all > LONG {
            self.progress.warn(&format!(
                "{} at {:.1} s each will take about {:.0} min; a program that waits \
                 between frames can be told not to in dry runs (session.dry_extras), and \
                 campaign.dry_runs is their number",
                counted(self.budget, "dry run"),
                each.as_secs_f64(),
                all.as_secs_f64() / 60.0
            ));
        }
    }
}

impl<D: DryRunner> DryRunner for ProgressRunner<'_, D> {
    fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        self.watch(cases, |inner, cases| inner.try_cases(cases))
    }

    fn verify(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        self.watch(cases, |inner, cases| inner.verify(cases))
    }
}
