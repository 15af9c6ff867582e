//! Operations without a cost in a model, whose energy is unknown rather than zero.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use crate::format;

/// Number of operations in the text.
const NAMED: usize = 3;

/// Executions of operations without a cost on both sides, by operation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnpricedOperations(BTreeMap<String, [u64; 2]>);

impl UnpricedOperations {
    /// Collects the operations of both sides from executions by name.
    pub(super) fn of(base: &BTreeMap<&str, u64>, new: &BTreeMap<&str, u64>) -> Self {
        let mut all: BTreeMap<String, [u64; 2]> = BTreeMap::new();
        for (side, executions) in [base, new].into_iter().enumerate() {
            for (operation, count) in executions {
                all.entry((*operation).to_owned()).or_default()[side] += count;
            }
        }
        Self(all)
    }

    /// Whether the sides differ in operations without a cost.
    pub(super) fn has_difference(&self) -> bool {
        self.0.values().any(|[base, new]| base != new)
    }

    /// Whether all operations of a side, 0 the base and 1 the new one, have a cost.
    pub(super) fn is_priced(&self, side: usize) -> bool {
        self.0.values().all(|executions| executions[side] == 0)
    }

    /// Whether all operations have a cost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// As text: `no cost for Multiply_double_double (0 before, 2000 now)`, the most frequent first.
impl Display for UnpricedOperations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all: Vec<(&String, &[u64; 2])> = self.0.iter().collect();
        all.sort_by_key(|(_, [base, new])| std::cmp::Reverse(base.max(new)));
        let texts = all.iter().map(|(operation, [base, new])| match base == new {
            true => {
                format!("{operation} ({} on both sides)", format::counted(new, "execution"))
            }
            false => {
                format!("{operation} ({} before, {new} now)", format::counted(base, "execution"))
            }
        });
        let texts: Vec<String> = texts.collect();
        write!(f, "no cost for {}", format::listed(&texts, NAMED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_are_named() {
        let base = BTreeMap::from([("A", 1), ("B", 7)]);
        let new = BTreeMap::from([("A", 1), ("C", 5), ("D", 2)]);
        let all = UnpricedOperations::of(&base, &new);
        assert_eq!(
            all.to_string(),
            "no cost for B (7 executions before, 0 now), C (0 executions before, 5 now), D (0 \
             executions before, 2 now) and 1 more"
        );
        assert!(all.has_difference() && !all.is_priced(0) && !all.is_priced(1) && !all.is_empty());
        let same = UnpricedOperations::of(&BTreeMap::from([("A", 1)]), &BTreeMap::from([("A", 1)]));
        assert_eq!(same.to_string(), "no cost for A (1 execution on both sides)");
        assert!(!same.has_difference() && UnpricedOperations::default().is_empty());
    }
}
