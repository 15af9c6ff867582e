//! Telling the blocks that can be left out from those that can't: sets that fail are
//! split, down to the single blocks that make them fail.

use crate::blocks::BlockId;

use super::dry::DryError;
use super::search::{Search, Tried, parted, split};

/// What is to be tried.
enum Item {
    /// A set of which nothing is known.
    Set(Vec<BlockId>),
    /// Both together failed. If the first runs, the second is taken for guilty and is
    /// split untried; if that is wrong, its parts will run.
    Halves(Vec<BlockId>, Vec<BlockId>),
}

/// What is left to do, and what came of it.
#[derive(Default)]
struct State {
    next: Vec<Item>,
    /// Most suspects are guilty: they can wait until all others are cleared.
    accused: Vec<Item>,
    safe: Vec<Vec<BlockId>>,
}

impl State {
    fn halve(&mut self, set: &[BlockId]) {
        let mut halves = split(set, 2).into_iter();
        match (halves.next(), halves.next()) {
            (Some(first), Some(second)) => self.next.push(Item::Halves(first, second)),
            _ => self.next.push(Item::Set(set.to_vec())),
        }
    }

    fn try_all(&mut self, sets: Vec<Vec<BlockId>>) {
        self.next.extend(sets.into_iter().map(Item::Set));
    }
}

impl Search<'_> {
    /// Tries groups of blocks and splits those that fail, or leave too little of the
    /// program, until each part runs or is a single block, while more than `reserve` dry
    /// runs are left. Returns the groups that run and leave enough.
    pub fn classify(
        &mut self,
        input: usize,
        groups: Vec<Vec<BlockId>>,
        reserve: usize,
    ) -> Result<Vec<Vec<BlockId>>, DryError> {
        let mut state = State::default();
        state.try_all(groups);
        while !state.next.is_empty() || !state.accused.is_empty() {
            if state.next.is_empty() {
                state.next = std::mem::take(&mut state.accused);
            }
            let items = both_if_alone(std::mem::take(&mut state.next));
            let first = |item: &Item| match item {
                Item::Set(set) | Item::Halves(set, _) => set.clone(),
            };
            let sets: Vec<Vec<BlockId>> = items.iter().map(first).collect();
            let outcomes = self.try_sets(input, &sets, reserve)?;
            for (item, outcome) in items.into_iter().zip(outcomes) {
                let ran = matches!(&outcome, Tried::Ran(found) if self.found[*found].is_sound());
                let stopped = matches!(outcome, Tried::Not);
                let (set, other) = match item {
                    Item::Set(set) => (set, None),
                    Item::Halves(set, other) => (set, Some(other)),
                };
                self.judge(set, outcome, &mut state);
                match other {
                    Some(other) if ran && other.len() > 1 => state.halve(&other),
                    Some(other) if !stopped => state.next.push(Item::Set(other)),
                    Some(_) | None => {}
                }
            }
        }
        state.safe.retain(|set| !set.is_empty());
        Ok(state.safe)
    }

    fn judge(&mut self, set: Vec<BlockId>, outcome: Tried, state: &mut State) {
        match outcome {
            Tried::Ran(found) if self.found[found].is_sound() => {
                state.safe.push(self.found[found].removed.clone());
            }
            Tried::Ran(_) if set.len() > 1 => state.try_all(split(&set, 2)),
            Tried::Ran(_) | Tried::Not => {}
            Tried::Failed { reason, .. } if set.len() == 1 => {
                self.accusations.remove(&set[0]);
                self.culprits.entry(set[0]).or_insert(reason);
            }
            Tried::Failed { reason, suspects } => match parted(&set, &suspects) {
                Some((suspects, rest)) => {
                    self.accuse(&suspects, &reason);
                    state.accused.push(Item::Set(suspects));
                    state.next.push(Item::Set(rest));
                }
                None => state.halve(&set),
            },
        }
    }
}

/// Where there is but one thing to try, its second half is tried meanwhile.
fn both_if_alone(items: Vec<Item>) -> Vec<Item> {
    let alone = items.len() == 1;
    let opened = |item| match item {
        Item::Halves(first, second) if alone => vec![Item::Set(first), Item::Set(second)],
        item => vec![item],
    };
    items.into_iter().flat_map(opened).collect()
}
