//! Assignment of samples to lines with operations. Line tables contain lines without any: a
//! brace, or a class whose bridge method javac adds.

use std::collections::BTreeSet;

/// The line with operations that samples of `line` count for: `line` itself; else (such as for
/// the brace that ends a method) the one above, or the first. `counted_lines` are the lines of the
/// method that have operations.
pub fn nearest_counted_line(counted: &BTreeSet<u32>, line: u32) -> Option<u32> {
    counted.range(..=line).next_back().or_else(|| counted.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_line_that_counts_nothing_are_the_lines_above() {
        let counted = BTreeSet::from([3, 5]);
        let moved = [1, 3, 4, 9].map(|line| nearest_counted_line(&counted, line));
        assert_eq!(moved, [Some(3), Some(3), Some(3), Some(5)]);
        assert_eq!(nearest_counted_line(&BTreeSet::new(), 4), None);
    }
}
