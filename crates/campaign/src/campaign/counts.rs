//! Counts `N = B O`: executions of each operation, from the executions `B` of each block and the
//! operations `O` of one execution of a block, by the dictionary. Exact integers.

use std::collections::BTreeMap;

use thiserror::Error;
use wattline_units::shortened::shortened;

use crate::operations::Dictionary;

/// The first line of a file.
const HEADER: &str = "block,executions";

/// An invalid line of a counts file.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "counts, line {line}: {:?} is not `block,executions` with a block below {blocks}",
    shortened(text)
)]
pub struct CountsError {
    /// Line, from 1.
    pub line: usize,
    /// Text of the line.
    pub text: String,
    /// Number of blocks.
    pub blocks: usize,
}

/// Parses the runtime's counts (`block,executions`) into executions by block: of one file, or of
/// several concatenated ones. Blocks without a line never ran; two lines of one block add up.
pub fn parse_executions(text: &str, blocks: usize) -> Result<Vec<u64>, CountsError> {
    let mut executions = vec![0u64; blocks];
    for (index, line) in text.lines().enumerate().skip(1) {
        let line = line.trim();
        if line == HEADER {
            continue;
        }
        let cells = line.split_once(',').and_then(|(block, count)| {
            let block = executions.get_mut(block.trim().parse::<usize>().ok()?)?;
            *block = block.checked_add(count.trim().parse().ok()?)?;
            Some(())
        });
        if cells.is_none() && !line.is_empty() {
            return Err(CountsError { line: index + 1, text: line.into(), blocks });
        }
    }
    Ok(executions)
}

/// The dictionary as a sparse matrix: operations by block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperationMatrix {
    /// Operations and library functions, sorted by name.
    pub operations: Vec<String>,
    /// Per block: index of the operation and occurrences per execution.
    pub blocks: Vec<Vec<(usize, u64)>>,
}

impl OperationMatrix {
    /// Sums the occurrences of each operation over the lines of each block.
    pub fn new(dictionary: &Dictionary) -> Self {
        let mut index: BTreeMap<&str, usize> = BTreeMap::new();
        for count in dictionary.blocks.iter().flat_map(|block| &block.operations) {
            index.insert(count.operation.name(), 0);
        }
        for (place, value) in index.values_mut().enumerate() {
            *value = place;
        }
        let blocks = dictionary.blocks.iter().map(|block| {
            let mut row: BTreeMap<usize, u64> = BTreeMap::new();
            for count in &block.operations {
                *row.entry(index[count.operation.name()]).or_default() += u64::from(count.count);
            }
            row.into_iter().collect()
        });
        Self { blocks: blocks.collect(), operations: index.keys().map(|k| k.to_string()).collect() }
    }

    /// Executions of each operation that ran, by name.
    pub fn counts(&self, executions: &[u64]) -> BTreeMap<String, u128> {
        let counts = self.operations.iter().cloned().zip(self.row(executions));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// One row of `N`: executions per operation, from executions per block. Blocks beyond the
    /// dictionary are ignored; those missing from `executions` never ran.
    pub fn row(&self, executions: &[u64]) -> Vec<u128> {
        let mut row = vec![0u128; self.operations.len()];
        for (executed, block) in executions.iter().zip(&self.blocks) {
            for (operation, occurrences) in block {
                row[*operation] += u128::from(*executed) * u128::from(*occurrences);
            }
        }
        row
    }
}

/// How often each operation of a dictionary ran, by name; those that never ran are left
/// out.
pub fn count_operations(dictionary: &Dictionary, executions: &[u64]) -> BTreeMap<String, u128> {
    OperationMatrix::new(dictionary).counts(executions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::case_planner::tests::dictionary;

    /// Block 0 holds A twice (on two lines) and B; block 1 holds B three times.
    #[test]
    fn counts_are_executions_times_occurrences() {
        let dictionary = dictionary(&[&[("And", 1), ("And", 1), ("Or", 1)], &[("Or", 3)]]);
        let counts = count_operations(&dictionary, &[10, 100]);
        assert_eq!(counts["And"], 20);
        assert_eq!(counts["Or"], 310);
        assert_eq!(count_operations(&dictionary, &[0]).len(), 0);
    }

    #[test]
    fn executions_are_read_by_block() {
        let read = |text| parse_executions(text, 3);
        assert_eq!(read("block,executions\n2,7\r\n0,1\n"), Ok(vec![1, 0, 7]));
        assert_eq!(read(""), Ok(vec![0, 0, 0]));
        for bad in ["h\n3,7\n", "h\nx\n", "h\n1,-1\n", "h\n1,2,3\n"] {
            assert_eq!(read(bad).unwrap_err().line, 2, "{bad}");
        }
    }

    #[test]
    fn counts_do_not_overflow() {
        let dictionary = dictionary(&[&[("And", u32::MAX)], &[("And", 1)]]);
        let counts = count_operations(&dictionary, &[u64::MAX, 1]);
        assert_eq!(counts["And"], u128::from(u64::MAX) * u128::from(u32::MAX) + 1);
    }
}
