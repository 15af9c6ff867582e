//! Which of the sets that ran become cases: base cases always, then by the scenario's
//! choice.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::blocks::BlockId;
use crate::scenario::CaseChoice;

use super::candidates::Candidates;
use super::counts::OperationMatrix;
use super::dry_runner::DryError;
use super::line_error_criterion::LineErrorCriterion;
use super::plan_contents::PlanSettings;
use super::pool::CandidatePool;
use super::search::{CandidateSet, OwnBuildResult, SetSearch};

/// Most rounds of replacing cases whose own build does not run.
const MOST_REPLACEMENTS: u32 = 6;

/// Chooses cases until the own builds of all of them ran.
pub(super) fn choose_runnable(
    settings: &PlanSettings,
    matrix: &OperationMatrix,
    removable: &[BlockId],
    lines: &LineErrorCriterion,
    search: &mut SetSearch<'_>,
) -> Result<Vec<usize>, DryError> {
    for _ in 0..MOST_REPLACEMENTS {
        let chosen = choose(&CandidatePool { settings, matrix, removable, lines, search });
        if !search.run_own_builds(&chosen)? {
            return Ok(chosen);
        }
    }
    let mut chosen = choose(&CandidatePool { settings, matrix, removable, lines, search });
    chosen.retain(|index| search.found[*index].own_build == OwnBuildResult::Ran);
    Ok(chosen)
}

/// Chooses cases by the scenario's `choice`; returns indices into `search.found`, base cases first.
fn choose(pool: &CandidatePool<'_, '_>) -> Vec<usize> {
    match pool.settings.campaign.choice {
        CaseChoice::Coverage => choose_by_coverage(pool),
        CaseChoice::Lines => pool.lines.choose(pool, pool.bases()),
        CaseChoice::Random => choose_at_random(pool),
    }
}

/// Chooses sets that cover the removable blocks, then those that determine the costs best.
fn choose_by_coverage(pool: &CandidatePool<'_, '_>) -> Vec<usize> {
    let found = pool.search.found.iter();
    let rows: Vec<Vec<u128>> = found.map(|found| pool.matrix.row(&found.executions)).collect();
    let mut candidates = Candidates::new(&rows);
    pool.bases().into_iter().for_each(|index| candidates.take(index));
    cover(pool, &mut candidates);
    while candidates.chosen().len() < pool.settings.campaign.cases {
        let chosen = candidates.chosen().to_vec();
        if candidates.take_best(|index| pool.may_take(index, &chosen)).is_none() {
            break;
        }
    }
    candidates.chosen().to_vec()
}

/// Takes sets until every block that some set removes is removed, those without a
/// collapse first, those that remove most new blocks first; no more than the cases asked
/// for.
fn cover(pool: &CandidatePool<'_, '_>, candidates: &mut Candidates) {
    let mut open: BTreeSet<BlockId> = pool.removable.iter().copied().collect();
    let found = &pool.search.found;
    for collapsed in [false, true] {
        while candidates.chosen().len() < pool.settings.campaign.cases {
            let gain =
                |found: &CandidateSet| found.removed.iter().filter(|b| open.contains(b)).count();
            let may =
                |index: &usize| found[*index].collapsed == collapsed && pool.is_strong(*index);
            let best = (0..found.len()).filter(may).map(|index| (gain(&found[index]), index));
            let Some((gained, index)) =
                best.max_by_key(|(gain, index)| (*gain, usize::MAX - index))
            else {
                break;
            };
            if gained == 0 {
                break;
            }
            found[index].removed.iter().for_each(|block| {
                open.remove(block);
            });
            candidates.take(index);
        }
    }
}

/// Chooses sets at random. The order is drawn once, so that a replaced case changes no other.
fn choose_at_random(pool: &CandidatePool<'_, '_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pool.search.found.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(pool.settings.campaign.seed));
    let mut chosen = pool.bases();
    for index in order {
        if chosen.len() >= pool.settings.campaign.cases {
            break;
        }
        if pool.may_take(index, &chosen) {
            chosen.push(index);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::Plan;
    use crate::campaign::case_planner::tests::{plan_with, settings};
    use crate::scenario::CampaignSettings;

    fn planned(choice: CaseChoice, cases: usize, line_error: Option<f64>) -> Plan {
        plan_with(CampaignSettings { choice, line_error, dry_runs: 176, ..settings(cases) }).0
    }

    /// All three choose among the sets of the same search.
    #[test]
    fn lines_are_surer_by_their_own_choice_than_by_others() {
        for cases in [12, 20] {
            let of = |choice| planned(choice, cases, None).summary;
            let [lines, coverage, lot] =
                [CaseChoice::Lines, CaseChoice::Coverage, CaseChoice::Random].map(of);
            assert_eq!((lines.cases, lot.cases), (cases, cases));
            let median = |summary: &crate::campaign::PlanSummary| {
                summary.line_error.map(|error| error.median).unwrap()
            };
            assert!(median(&lines) < median(&lot), "{lines:?} {lot:?}");
            assert!(median(&lines) <= 1.05 * median(&coverage), "{lines:?} {coverage:?}");
            assert_eq!(lines.collapsed.min(cases / 4), lines.collapsed);
        }
    }

    #[test]
    fn there_are_as_many_cases_as_are_asked_for() {
        for choice in [CaseChoice::Coverage, CaseChoice::Lines, CaseChoice::Random] {
            for cases in [2, 3, 6, 12] {
                assert_eq!(planned(choice, cases, None).cases.len(), cases, "{choice:?}");
            }
        }
    }

    #[test]
    fn the_choice_ends_at_the_error_asked_for() {
        let error = |plan: &Plan| plan.summary.line_error.unwrap().median;
        let full = planned(CaseChoice::Lines, 30, None);
        let few = planned(CaseChoice::Lines, 6, None);
        let goal = 0.5 * (error(&full) + error(&few));
        let enough = planned(CaseChoice::Lines, 30, Some(goal));
        assert!(enough.cases.len() > 2 && enough.cases.len() < 30, "{:?}", enough.summary);
        assert!(error(&enough) <= 1.001 * goal);
    }

    #[test]
    fn lots_are_drawn_by_the_seed() {
        assert_eq!(planned(CaseChoice::Random, 12, None), planned(CaseChoice::Random, 12, None));
        let names = |plan: &Plan| plan.cases.iter().map(|c| c.removed.clone()).collect::<Vec<_>>();
        let lot = planned(CaseChoice::Random, 12, None);
        assert_ne!(names(&lot), names(&planned(CaseChoice::Coverage, 12, None)));
        assert!(lot.cases[0].removed.is_empty() && lot.cases[1].removed.is_empty());
    }
}
