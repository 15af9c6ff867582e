//! Assignment of cases to folds, which are held out together: random or by whole groups, always
//! seeded.

use std::collections::BTreeMap;

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};

use super::error::ModelError;

/// Unit that a fold does not cut apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FoldUnit {
    /// Single cases, in any combination.
    #[default]
    Case,
    /// Groups: all cases of a group are in one fold.
    Group,
}

/// Settings of a k-fold cross-validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldOptions {
    /// Number of folds, at least 2.
    pub folds: usize,
    /// Unit that a fold does not cut apart.
    pub unit: FoldUnit,
    /// Seed of the shuffle.
    pub seed: u64,
}

impl Default for FoldOptions {
    /// Four random folds, as in the paper.
    fn default() -> Self {
        Self { folds: 4, unit: FoldUnit::Case, seed: 1 }
    }
}

/// Returns the fold (0..folds) of every case, given the cases' groups. Folds of cases differ by at
/// most one case; groups go to the smallest fold, in shuffled order.
pub fn assign_folds(groups: &[&str], options: FoldOptions) -> Result<Vec<usize>, ModelError> {
    if options.folds < 2 {
        let value = options.folds.to_string();
        return Err(ModelError::BadOption { option: "--folds", value, expected: "at least 2" });
    }
    let units = CaseUnits::new(groups, options.unit);
    if units.len() < options.folds {
        let what = if options.unit == FoldUnit::Case { "cases" } else { "groups" };
        let (folds, found) = (options.folds, units.len());
        return Err(ModelError::TooFewForFolds { folds, what, found });
    }
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(options.seed));
    // Large units first would be better balanced, but then the seed would hardly matter.
    let mut sizes = vec![0; options.folds];
    let mut fold_of = vec![0; groups.len()];
    for unit in order {
        let fold = (0..sizes.len()).min_by_key(|fold| sizes[*fold]).expect("two folds or more");
        sizes[fold] += units.cases(unit).len();
        units.cases(unit).iter().for_each(|case| fold_of[*case] = fold);
    }
    Ok(fold_of)
}

/// Returns the fold of every case for the choice of a strength: as many folds as there can be up to
/// the number asked for; `None` if that is fewer than two.
pub(crate) fn assign_folds_at_most(groups: &[&str], options: FoldOptions) -> Option<Vec<usize>> {
    let by_groups = CaseUnits::new(groups, options.unit).len();
    // Too few groups to choose by: cases are better than no choice.
    let unit = if by_groups < 2 { FoldUnit::Case } else { options.unit };
    let folds = options.folds.min(CaseUnits::new(groups, unit).len());
    assign_folds(groups, FoldOptions { folds, unit, ..options }).ok()
}

/// The cases that a fold or a draw holds together: of one group, or single ones.
#[derive(Debug, Clone)]
pub(crate) struct CaseUnits {
    /// All cases, those of a unit side by side.
    cases: Vec<usize>,
    /// Start of each unit, and the end of the last one.
    starts: Vec<usize>,
}

impl CaseUnits {
    /// Creates the units: one for each group, or for each case.
    pub fn new(groups: &[&str], unit: FoldUnit) -> Self {
        if unit == FoldUnit::Case {
            return Self {
                cases: (0..groups.len()).collect(),
                starts: (0..=groups.len()).collect(),
            };
        }
        let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (case, group) in groups.iter().enumerate() {
            members.entry(group).or_default().push(case);
        }
        let (mut cases, mut starts) = (Vec::with_capacity(groups.len()), vec![0]);
        for group in members.values() {
            cases.extend(group);
            starts.push(cases.len());
        }
        Self { cases, starts }
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Cases of one unit, by its number.
    pub fn cases(&self, unit: usize) -> &[usize] {
        &self.cases[self.starts[unit]..self.starts[unit + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_even_seeded_and_random() {
        let groups = vec!["g"; 10];
        let folds =
            |seed| assign_folds(&groups, FoldOptions { seed, ..Default::default() }).unwrap();
        let mut sizes = [0; 4];
        folds(1).iter().for_each(|fold| sizes[*fold] += 1);
        sizes.sort_unstable();
        assert_eq!(sizes, [2, 2, 3, 3]);
        assert_eq!(folds(1), folds(1));
        assert_ne!(folds(1), folds(2));
    }

    #[test]
    fn groups_stay_together() {
        let groups = ["a", "b", "a", "c", "b", "a"];
        let options = FoldOptions { folds: 3, unit: FoldUnit::Group, seed: 7 };
        let folds = assign_folds(&groups, options).unwrap();
        assert!(folds[0] == folds[2] && folds[2] == folds[5] && folds[1] == folds[4]);
        assert_eq!(
            [folds[0], folds[1], folds[3]].iter().collect::<std::collections::BTreeSet<_>>().len(),
            3
        );
        let too_many = FoldOptions { folds: 4, ..options };
        assert!(assign_folds(&groups, too_many).unwrap_err().to_string().contains("3"));
        assert!(assign_folds(&groups, FoldOptions { folds: 1, ..options }).is_err());
    }

    #[test]
    fn inner_folds_make_do_with_what_there_is() {
        let options = FoldOptions::default();
        assert_eq!(assign_folds_at_most(&["a"], options), None);
        assert!(assign_folds_at_most(&["a", "a", "a"], options).is_some());
        let grouped = FoldOptions { unit: FoldUnit::Group, ..options };
        assert!(assign_folds_at_most(&["a", "a"], grouped).is_some());
    }
}
