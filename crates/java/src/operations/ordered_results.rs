//! Reordering of results that arrive in any order.

use std::collections::BTreeMap;

/// Buffer that passes results on in the order of their indices, from 0 without gaps.
pub(super) struct OrderedResults<T, F> {
    next: usize,
    /// Results that arrived before one with a lower index.
    early: BTreeMap<usize, T>,
    take: F,
}

impl<T, F: FnMut(T)> OrderedResults<T, F> {
    /// Makes a buffer that passes results on to `take`.
    pub fn new(take: F) -> OrderedResults<T, F> {
        OrderedResults { next: 0, early: BTreeMap::new(), take }
    }

    /// Adds result `index` and passes on all results that are next in order.
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
        let mut ordered = OrderedResults::new(|result| taken.push(result));
        ordered.put(2, "c");
        ordered.put(0, "a");
        ordered.put(3, "d");
        assert_eq!(ordered.early.len(), 2);
        ordered.put(1, "b");
        assert!(ordered.early.is_empty());
        assert_eq!(taken, ["a", "b", "c", "d"]);
    }
}
