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
        self.saved_sum(&[(rewrite, variant.to_owned())])
    }

    /// Sum of the savings of several rewrites, each in its variant, round by round, as all are
    /// compared with the same sessions of the original; `None` as of [`Self::saved`] for one.
    pub fn saved_sum(&self, rewrites: &[(usize, String)]) -> Option<MeasuredSaving> {
        self.summed(rewrites.iter().map(|(rewrite, variant)| (1.0, *rewrite, variant.as_str())))
    }

    /// What one variant saves more than the sum of several, round by round.
    pub fn saved_more(
        &self,
        (rewrite, variant): &(usize, String),
        others: &[(usize, String)],
    ) -> Option<MeasuredSaving> {
        let others = others.iter().map(|(rewrite, variant)| (-1.0, *rewrite, variant.as_str()));
        self.summed([(1.0, *rewrite, variant.as_str())].into_iter().chain(others))
    }

    /// Weighted sum of savings: weight, rewrite and variant of each.
    fn summed<'v>(
        &self,
        parts: impl Iterator<Item = (f64, usize, &'v str)> + Clone,
    ) -> Option<MeasuredSaving> {
        let is_unseen =
            |rewrite: usize| self.sessions.values().all(|session| session.shares[rewrite] == 0.0);
        if parts.clone().any(|(_, rewrite, _)| is_unseen(rewrite)) {
            return None;
        }
        let of_input = |input: &&str| {
            let each: Vec<BTreeMap<u32, f64>> = parts
                .clone()
                .map(|(weight, rewrite, variant)| {
                    let saved = self.differences(rewrite, variant, input)?;
                    Some(saved.into_iter().map(|(round, j)| (round, weight * j)).collect())
                })
                .collect::<Option<_>>()?;
            let rounds = each.first()?.keys();
            let sum = |round: &u32| each.iter().map(|saved| saved.get(round)).sum::<Option<f64>>();
            let sums: Vec<f64> = rounds.filter_map(sum).collect();
            (!sums.is_empty()).then_some(sums)
        };
        let inputs: Vec<Vec<f64>> = self.inputs.iter().map(of_input).collect::<Option<_>>()?;
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
    fn differences(
        &self,
        rewrite: usize,
        variant: &str,
        input: &str,
    ) -> Option<BTreeMap<u32, f64>> {
        let idle_power_w = self.idle_power_w?;
        let own = |session: &GoodSession<'_>| {
            PowerRun::from(session.measured).application_j(idle_power_w) * session.shares[rewrite]
        };
        let with = case_name(variant, input);
        let saved = self.rounds_of(ORIGINAL, input).filter_map(|(round, original)| {
            Some((round, own(original) - own(self.sessions.get(&(with.as_str(), round))?)))
        });
        let saved: BTreeMap<u32, f64> = saved.collect();
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

    /// The original spends 10 and 12 J, copies 8 and 11, and 9 and 10 J, both together 7 and 8 J:
    /// single savings of 2 and 1, and of 1 and 2 J, whose sum is 3 J in both rounds, while it is 3
    /// and 4 J together.
    #[test]
    fn savings_together_are_held_against_the_sum_round_by_round() {
        let spent = |energy_j: f64| MeasuredSession {
            energy_j,
            duration_s: 1.0,
            ..MeasuredSession::default()
        };
        let energies = [
            ("original-a", [10.0, 12.0]),
            ("copy-1-a", [8.0, 11.0]),
            ("copy-2-a", [9.0, 10.0]),
            ("together-a", [7.0, 8.0]),
        ];
        let measured: Vec<(&str, u32, MeasuredSession)> = energies
            .iter()
            .flat_map(|(case, [one, two])| [(*case, 1, spent(*one)), (*case, 2, spent(*two))])
            .collect();
        let session = |(case, round, measured)| {
            ((case, round), GoodSession { measured, shares: vec![1.0; 3] })
        };
        let rounds = SessionsByRound {
            sessions: measured
                .iter()
                .map(|(case, round, of)| session((*case, *round, of)))
                .collect(),
            idle_power_w: Some(0.0),
            inputs: vec!["a"],
        };
        let single = [(0, "copy-1".to_owned()), (1, "copy-2".to_owned())];
        let together = (2, "together".to_owned());
        let joint = rounds.saved(2, "together").unwrap().saving;
        assert!((joint.energy.0 - 3.5).abs() < 1e-12 && joint.interval.unwrap().lo.0 < 3.0);
        let sum = rounds.saved_sum(&single).unwrap().saving;
        // Errors of the original cancel in no sum of two, but here the rounds agree.
        assert!((sum.energy.0 - 3.0).abs() < 1e-12, "{sum:?}");
        assert_eq!(sum.interval, Some(Interval { lo: sum.energy, hi: sum.energy }));
        let more = rounds.saved_more(&together, &single).unwrap();
        assert!((more.saving.energy.0 - 0.5).abs() < 1e-12 && more.pairs == 2, "{more:?}");
        assert!((more.saving.share.unwrap() - 0.5 / 11.0).abs() < 1e-12);
        assert_eq!(rounds.saved_sum(&[(0, "copy-1".into()), (1, "copy-9".into())]), None);
    }
}
