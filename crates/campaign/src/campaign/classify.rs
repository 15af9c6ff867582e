//! Classification of blocks into those that can be left out and those that cannot: sets that fail
//! are split, down to the single blocks that make them fail.

use crate::blocks::BlockId;

use super::dry_runner::DryError;
use super::groups::{split, split_off_suspects};
use super::joint_removal::JointTries;
use super::search::{SetOutcome, SetSearch};

/// Number of dry runs made at once; with fewer, processors would be idle. The number is the same on
/// every machine, as the plan must be.
const AT_ONCE: usize = 4;

/// A set of blocks to try, or the two halves of one that failed.
enum ClassifyItem {
    /// A set of which nothing is known.
    Set(Vec<BlockId>),
    /// Halves that failed together. If the first runs, the second is assumed to fail and is split
    /// untried; if that is wrong, its parts will run.
    Halves(Vec<BlockId>, Vec<BlockId>),
}

/// The sets still to try, and the sets that ran.
#[derive(Default)]
struct ClassifyState {
    next: Vec<ClassifyItem>,
    /// Suspected sets, tried after all others, since most of them fail.
    accused: Vec<ClassifyItem>,
    safe: Vec<Vec<BlockId>>,
}

impl ClassifyState {
    fn halve(&mut self, set: &[BlockId]) {
        let mut halves = split(set, 2).into_iter();
        match (halves.next(), halves.next()) {
            (Some(first), Some(second)) => self.next.push(ClassifyItem::Halves(first, second)),
            _ => self.next.push(ClassifyItem::Set(set.to_vec())),
        }
    }

    fn try_all(&mut self, sets: Vec<Vec<BlockId>>) {
        self.next.extend(sets.into_iter().map(ClassifyItem::Set));
    }
}

impl SetSearch<'_> {
    /// Tries groups of blocks and splits those that fail, or leave too little of the
    /// program, until each part runs or is a single block, while more than `reserve` dry
    /// runs are left. Returns the groups that run and leave enough.
    pub(crate) fn classify(
        &mut self,
        input: usize,
        groups: Vec<Vec<BlockId>>,
        reserve: usize,
    ) -> Result<Vec<Vec<BlockId>>, DryError> {
        let mut state = ClassifyState::default();
        state.try_all(groups);
        while !state.next.is_empty() || !state.accused.is_empty() {
            let room = AT_ONCE.saturating_sub(state.next.len()).min(state.accused.len());
            state.next.extend(state.accused.drain(..room));
            let items = both_if_alone(std::mem::take(&mut state.next));
            let first = |item: &ClassifyItem| match item {
                ClassifyItem::Set(set) | ClassifyItem::Halves(set, _) => set.clone(),
            };
            let sets: Vec<Vec<BlockId>> = items.iter().map(first).collect();
            let outcomes = self.try_sets(input, &sets, reserve)?;
            for (item, outcome) in items.into_iter().zip(outcomes) {
                let ran =
                    matches!(&outcome, SetOutcome::Ran(found) if self.found[*found].is_sound());
                let stopped = matches!(outcome, SetOutcome::OutOfBudget);
                let (set, other) = match item {
                    ClassifyItem::Set(set) => (set, None),
                    ClassifyItem::Halves(set, other) => (set, Some(other)),
                };
                self.judge(input, set, outcome, &mut state);
                match other {
                    Some(other) if ran && other.len() > 1 => state.halve(&other),
                    Some(other) if !stopped => state.next.push(ClassifyItem::Set(other)),
                    Some(_) | None => {}
                }
            }
        }
        state.safe.retain(|set| !set.is_empty());
        Ok(state.safe)
    }

    fn judge(
        &mut self,
        input: usize,
        set: Vec<BlockId>,
        outcome: SetOutcome,
        state: &mut ClassifyState,
    ) {
        match outcome {
            SetOutcome::Ran(found) if self.found[found].is_sound() => {
                state.safe.push(self.found[found].removed.clone());
            }
            SetOutcome::Ran(_) if set.len() > 1 => state.try_all(split(&set, 2)),
            SetOutcome::Ran(_) | SetOutcome::OutOfBudget => {}
            SetOutcome::Failed { reason, companions, .. } if set.len() == 1 => {
                self.accusations.remove(&set[0]);
                self.culprits.entry(set[0]).or_insert(reason);
                self.joint.insert(set[0], JointTries::new(input, set[0], &companions));
            }
            SetOutcome::Failed { reason, suspects, .. } => {
                match split_off_suspects(&set, &suspects) {
                    Some((suspects, rest)) => {
                        self.accuse(&suspects, &reason);
                        state.accused.push(ClassifyItem::Set(suspects));
                        state.next.push(ClassifyItem::Set(rest));
                    }
                    None => state.halve(&set),
                }
            }
        }
    }
}

/// The items, or both halves of a single one, so that the second half is tried at the same time.
fn both_if_alone(items: Vec<ClassifyItem>) -> Vec<ClassifyItem> {
    let alone = items.len() == 1;
    let opened = |item| match item {
        ClassifyItem::Halves(first, second) if alone => {
            vec![ClassifyItem::Set(first), ClassifyItem::Set(second)]
        }
        item => vec![item],
    };
    items.into_iter().flat_map(opened).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::campaign::PlanSettings;
    use crate::campaign::case_planner::tests::{dictionary, settings};
    use crate::campaign::counts::OperationMatrix;
    use crate::campaign::dry_runner::{DryCase, DryOutcome, DryRunner};

    /// One of 64 blocks makes the program crash and says nothing.
    struct OneCulprit {
        tries: usize,
    }

    impl DryRunner for OneCulprit {
        fn try_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
            self.tries += cases.len();
            let outcome = |case: &DryCase| match case.removed.contains(&BlockId(37)) {
                true => DryOutcome::failed("crash".into()),
                false => DryOutcome::Ran { executions: vec![10; 64], kept: Vec::new() },
            };
            Ok(cases.iter().map(outcome).collect())
        }
    }

    #[test]
    fn the_half_that_must_be_guilty_is_not_tried() {
        let lists = vec![&[("Not", 1)][..]; 64];
        let dictionary = dictionary(&lists);
        let matrix = OperationMatrix::new(&dictionary);
        let settings = PlanSettings {
            inputs: vec!["a".into()],
            campaign: settings(40),
            session_s: 1.0,
            microbenchmarks: Default::default(),
        };
        let mut dry = OneCulprit { tries: 0 };
        let rng = ChaCha8Rng::seed_from_u64(1);
        let mut search = SetSearch::new(&mut dry, &settings, &matrix, rng);
        search.run_bases().unwrap().unwrap();
        let blocks = |range: std::ops::Range<u32>| range.map(BlockId).collect::<Vec<_>>();
        let safe = search.classify(0, vec![blocks(32..64)], 0).unwrap();
        let cleared: usize = safe.iter().map(Vec::len).sum();
        assert_eq!(search.culprits.keys().collect::<Vec<_>>(), [&BlockId(37)]);
        assert_eq!(cleared, 31);
        // The base, the set, then at most two a level.
        assert!(dry.tries <= 2 + 2 * 5, "{} tries", dry.tries);
    }
}
