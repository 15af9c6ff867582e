//! Measured savings of rewrites from sessions that ran side by side.

use std::collections::BTreeMap;

use crate::campaign::RunPhase;
use crate::dataset::energy::{PowerRun, mean, variance};
use crate::hint::{EnergyAmount, MeasuredSaving};
use crate::interval::Interval;
use crate::model::student_975;
use crate::run::{MeasuredSession, RunRecord};
use crate::scenario::Scenario;
use crate::units::Joules;

use super::{ORIGINAL, case_name};

/// A valid session, with each rewrite's share of its energy.
struct GoodSession<'r> {
    measured: &'r MeasuredSession,
    /// For each rewrite the share of the application's energy that its saving is computed from.
    shares: Vec<f64>,
}

/// Valid sessions by case and round.
pub(super) struct SessionsByRound<'r> {
    sessions: BTreeMap<(&'r str, u32), GoodSession<'r>>,
    idle_power_w: Option<f64>,
    inputs: Vec<&'r str>,
}

impl<'r> SessionsByRound<'r> {
    /// Collects the valid sessions from all records with their shares.
    pub fn of(
        records: impl Iterator<Item = (&'r RunRecord, Vec<f64>)>,
        scenario: &'r Scenario,
    ) -> Self {
        let (mut sessions, mut idle) = (BTreeMap::new(), Vec::new());
        for (record, shares) in records.filter(|(record, _)| record.is_good()) {
            let Some(measured) = &record.measured else { continue };
            match record.run.phase {
                RunPhase::Idle => idle.push(measured.mean_power_w()),
                _ => {
                    let key = (record.run.case.as_str(), record.run.repeat);
                    sessions.insert(key, GoodSession { measured, shares });
                }
            }
        }
        let inputs = scenario.inputs.iter().map(|input| input.name.as_str()).collect();
        Self { sessions, idle_power_w: mean(&idle), inputs }
    }

    /// Saving of a rewrite in a variant that contains it; `None` where an input has no round with
    /// both sessions, or no sample is in the method.
    pub fn saved(&self, rewrite: usize, variant: &str) -> Option<MeasuredSaving> {
        if self.sessions.values().all(|session| session.shares[rewrite] == 0.0) {
            return None;
        }
        let inputs = self.inputs.iter().map(|input| self.differences(rewrite, variant, input));
        let inputs: Vec<Vec<f64>> = inputs.collect::<Option<_>>()?;
        let saved_j: f64 = inputs.iter().filter_map(|saved| mean(saved)).sum();
        let ends = |half_j| Interval { lo: Joules(saved_j - half_j), hi: Joules(saved_j + half_j) };
        let base_j = self.base_j()?;
        let saving = EnergyAmount {
            energy: Joules(saved_j),
            interval: half_width(&inputs).map(ends),
            share: (base_j > 0.0).then(|| saved_j / base_j),
        };
        Some(MeasuredSaving { saving, pairs: inputs.iter().map(Vec::len).sum() })
    }

    /// For each round, energy of the application's own threads in the original less that with the
    /// rewrite.
    fn differences(&self, rewrite: usize, variant: &str, input: &str) -> Option<Vec<f64>> {
        let idle_power_w = self.idle_power_w?;
        let own = |session: &GoodSession<'_>| {
            PowerRun::from(session.measured).application_j(idle_power_w) * session.shares[rewrite]
        };
        let with = case_name(variant, input);
        let saved = self.rounds_of(ORIGINAL, input).filter_map(|(round, original)| {
            Some(own(original) - own(self.sessions.get(&(with.as_str(), round))?))
        });
        let saved: Vec<f64> = saved.collect();
        (!saved.is_empty()).then_some(saved)
    }

    fn rounds_of(
        &self,
        variant: &str,
        input: &str,
    ) -> impl Iterator<Item = (u32, &GoodSession<'r>)> {
        let case = case_name(variant, input);
        let own = self.sessions.iter().filter(move |((name, _), _)| *name == case);
        own.map(|((_, round), session)| (*round, session))
    }

    /// Energy above idle of the original, summed over inputs.
    fn base_j(&self) -> Option<f64> {
        let idle_power_w = self.idle_power_w?;
        let of_input = |input: &&str| {
            let rounds = self.rounds_of(ORIGINAL, input);
            let above = |session: &GoodSession<'_>| {
                PowerRun::from(session.measured).above_idle_j(idle_power_w)
            };
            mean(&rounds.map(|(_, session)| above(session)).collect::<Vec<_>>())
        };
        self.inputs.iter().map(of_input).sum()
    }
}

/// Half the width of the 95 % interval of the sum of means, by Student's t with Welch's degrees
/// of freedom; `None` where an input has a single pair.
fn half_width(inputs: &[Vec<f64>]) -> Option<f64> {
    let of_mean = |saved: &Vec<f64>| Some((variance(saved)? / saved.len() as f64, saved.len()));
    let parts: Vec<(f64, usize)> = inputs.iter().map(of_mean).collect::<Option<_>>()?;
    let all: f64 = parts.iter().map(|(variance, _)| variance).sum();
    let squares: f64 = parts.iter().map(|(v, n)| v * v / (*n as f64 - 1.0)).sum();
    let freedom = if squares > 0.0 { all * all / squares } else { 1.0 };
    Some(if all > 0.0 { student_975(freedom) * all.sqrt() } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two inputs with variances of their means of 1/2 (n = 2) and 1/3 (n = 3).
    #[test]
    fn inputs_add_up_with_their_errors() {
        let half = half_width(&[vec![0.0, 1.0], vec![0.0, 1.0, 2.0]]).unwrap();
        let (a, b): (f64, f64) = (0.25, 1.0 / 3.0);
        let freedom = (a + b).powi(2) / (a * a + b * b / 2.0);
        assert!((half - student_975(freedom) * (a + b).sqrt()).abs() < 1e-12);
        assert_eq!(half_width(&[vec![1.0, 1.0]]), Some(0.0));
        assert_eq!(half_width(&[vec![1.0], vec![1.0, 2.0]]), None);
    }

    /// The original spends 3 and 3.6 J there, the copy 2 and 2.4 J.
    #[test]
    fn a_rewrite_saves_the_part_that_tells_of_it() {
        let spent =
            |energy_j| MeasuredSession { energy_j, duration_s: 1.0, ..MeasuredSession::default() };
        let [first, second] = [10.0, 12.0].map(spent);
        let session = |measured, share| GoodSession { measured, shares: vec![share, 0.0] };
        let rounds = SessionsByRound {
            sessions: BTreeMap::from([
                (("original-a", 1), session(&first, 0.3)),
                (("original-a", 2), session(&second, 0.3)),
                (("copy-1-a", 1), session(&first, 0.2)),
                (("copy-1-a", 2), session(&second, 0.2)),
            ]),
            idle_power_w: Some(0.0),
            inputs: vec!["a"],
        };
        let saved = rounds.saved(0, "copy-1").unwrap();
        assert!((saved.saving.energy.0 - 1.1).abs() < 1e-9, "{saved:?}");
        assert!((saved.saving.share.unwrap() - 0.1).abs() < 1e-9 && saved.pairs == 2, "{saved:?}");
        assert_eq!(rounds.saved(1, "copy-1"), None, "no sample met it");
        assert_eq!(rounds.saved(0, "copy-2"), None, "no session has it");
    }
}
