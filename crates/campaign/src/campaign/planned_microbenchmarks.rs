//! Which operations' costs will be known from microbenchmarks, before any has run.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The microbenchmarks that a campaign will run. The default runs none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlannedMicrobenchmarks {
    /// Operations and library functions that some microbenchmark measures.
    pub measurable: BTreeSet<String>,
    /// For how many operations, the most executed ones, microbenchmarks are run.
    pub count: usize,
}

impl PlannedMicrobenchmarks {
    /// For each operation, whether a microbenchmark will give its cost: whether it is among the
    /// most executed measurable ones.
    pub fn known(&self, operations: &[String], executions: &[u128]) -> Vec<bool> {
        let all = operations.iter().map(String::as_str).zip(executions.iter().copied());
        let wanted = most_executed(all.filter(|(_, count)| *count > 0), self.count);
        let is_known =
            |name: &String| wanted.contains(name.as_str()) && self.measurable.contains(name);
        operations.iter().map(is_known).collect()
    }
}

/// At most `count` names with the most executions; among equals the first by name.
pub fn most_executed<'n, C: Ord>(
    executions: impl Iterator<Item = (&'n str, C)>,
    count: usize,
) -> BTreeSet<&'n str> {
    let mut ranked: Vec<(Reverse<C>, &str)> =
        executions.map(|(name, count)| (Reverse(count), name)).collect();
    ranked.sort();
    ranked.into_iter().take(count).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of four operations one never runs and one has no microbenchmark; the two that ran most are
    /// taken, whether they have one or not.
    #[test]
    fn the_most_executed_are_known_if_they_have_a_microbenchmark() {
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        let measurable = ["a", "b", "d"].map(str::to_owned).into();
        let known = |count| {
            let microbenchmarks =
                PlannedMicrobenchmarks { measurable: BTreeSet::clone(&measurable), count };
            microbenchmarks.known(&names, &[1, 5, 9, 0])
        };
        assert_eq!(known(2), [false, true, false, false]);
        assert_eq!(known(9), [true, true, false, false]);
        assert_eq!(PlannedMicrobenchmarks::default().known(&names, &[1; 4]), [false; 4]);
    }
}
