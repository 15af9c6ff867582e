//! Which line a sample belongs to. Line tables name lines that count nothing: a brace, a
//! class, of which javac makes a bridge method.

use std::collections::BTreeSet;

/// The line that samples of a line belong to: those of one that counts nothing, such as the
/// brace that ends a method, to the one above, or else to the first. `counted` are the lines
/// of its method that count something.
pub fn nearest(counted: &BTreeSet<u32>, line: u32) -> Option<u32> {
    counted.range(..=line).next_back().or_else(|| counted.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_line_that_counts_nothing_are_the_lines_above() {
        let counted = BTreeSet::from([3, 5]);
        let moved = [1, 3, 4, 9].map(|line| nearest(&counted, line));
        assert_eq!(moved, [Some(3), Some(3), Some(3), Some(5)]);
        assert_eq!(nearest(&BTreeSet::new(), 4), None);
    }
}
