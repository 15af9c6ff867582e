//! Results that come in any order and are handed on in theirs.

use std::collections::BTreeMap;

/// Hands results on by their index, from 0 without gaps.
pub(super) struct InOrder<T, F> {
    next: usize,
    /// Those that came before their turn.
    early: BTreeMap<usize, T>,
    take: F,
}

impl<T, F: FnMut(T)> InOrder<T, F> {
    /// `take` gets the results.
    pub fn new(take: F) -> InOrder<T, F> {
        InOrder { next: 0, early: BTreeMap::new(), take }
    }

    /// Result `index` is there: hands on all whose turn it is.
    pub fn put(&mut self, index: usize, result: T) {
        self.early.insert(index, result);
        while let Some(result) = self.early.remove(&self.next) {
            self.next += 1;
            (self.take)(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_results_wait_for_those_before_them() {
        let mut taken = Vec::new();
        let mut ordered = InOrder::new(|result| taken.push(result));
        ordered.put(2, "c");
        ordered.put(0, "a");
        ordered.put(3, "d");
        assert_eq!(ordered.early.len(), 2);
        ordered.put(1, "b");
        assert!(ordered.early.is_empty());
        assert_eq!(taken, ["a", "b", "c", "d"]);
    }
}
