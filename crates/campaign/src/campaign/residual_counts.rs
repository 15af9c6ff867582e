//! `residual-counts.csv`: the operations that removed blocks still execute. A removal variant still
//! enters the blocks whose statements it leaves out, so their executions are counted; without this
//! table they would count as if nothing were missing.

use std::collections::BTreeMap;

use compact_str::CompactString;

use crate::blocks::BlockId;
use crate::csv_text::{self, CsvText};
use crate::operations::{Dictionary, Feature, OperationCount};
use wattline_units::file_schema::DeclaredColumn;

/// An invalid row of `residual-counts.csv`.
#[derive(Debug, thiserror::Error)]
#[error("residual-counts.csv can't be read; write it again with `wattline plan`")]
pub struct ResidualCountsError(#[from] csv::Error);

/// The operations that removed blocks still execute, by variant and block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResidualCounts(pub BTreeMap<String, BTreeMap<BlockId, Vec<OperationCount>>>);

type Row = (String, u32, u32, Feature, CompactString, u32);

/// Columns of `residual-counts.csv`.
pub(crate) const RESIDUAL_COUNT_COLUMNS: [DeclaredColumn; 6] = [
    DeclaredColumn::text("variant", "Name of the variant of the sources"),
    DeclaredColumn::integer("block", "Number of a removed block"),
    DeclaredColumn::integer("line", "Source line"),
    DeclaredColumn::text(
        "operation",
        "Operation or library function that the removed block still executes",
    ),
    DeclaredColumn::text("context", "Context of the operation; empty for none"),
    DeclaredColumn::integer("count", "Executions in one execution of the block"),
];

impl ResidualCounts {
    /// The text: `variant,block,line,operation,context,count`.
    pub fn to_csv(&self) -> String {
        let mut table = CsvText::new(RESIDUAL_COUNT_COLUMNS);
        for (variant, blocks) in &self.0 {
            for (block, operations) in blocks {
                for OperationCount { operation, context, line, count } in operations {
                    let (block, line, count) =
                        (block.0.to_string(), line.to_string(), count.to_string());
                    table.row([variant.as_str(), &block, &line, operation.name(), context, &count]);
                }
            }
        }
        table.text()
    }

    /// Parses the text that [`ResidualCounts::to_csv`] makes.
    ///
    /// # Errors
    /// A row without the six columns, or with an operation that is not in the catalogue; the cause
    /// names the line.
    pub fn from_csv(text: &str) -> Result<Self, ResidualCountsError> {
        let mut remains = Self::default();
        for row in csv_text::reader(text).deserialize() {
            let (variant, block, line, operation, context, count): Row = row?;
            let blocks = remains.0.entry(variant).or_default();
            let found = OperationCount { operation, context, line, count };
            blocks.entry(BlockId(block)).or_default().push(found);
        }
        Ok(remains)
    }

    /// The dictionary of a variant: `removed` blocks hold only their residual operations.
    pub fn dictionary(&self, whole: &Dictionary, variant: &str, removed: &[BlockId]) -> Dictionary {
        let mut dictionary = whole.clone();
        let remains = self.0.get(variant);
        for id in removed {
            if let Some(block) = dictionary.blocks.get_mut(id.0 as usize) {
                let left = remains.and_then(|blocks| blocks.get(id));
                block.operations = left.cloned().unwrap_or_default();
            }
        }
        dictionary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::case_planner::tests::dictionary;
    use crate::campaign::count_operations;

    const TEXT: &str = "variant,block,line,operation,context,count\nr01,0,7,Return_int,,1\n";

    #[test]
    fn the_text_comes_back() {
        assert_eq!(ResidualCounts::from_csv(TEXT).unwrap().to_csv(), TEXT);
        assert!(ResidualCounts::from_csv(&TEXT.replace(",7,", ",x,")).is_err());
        assert!(ResidualCounts::from_csv(&TEXT.replace("_int", "")).is_err());
    }

    /// Ten executions each: block 0 keeps its return, block 1 nothing, block 2 all.
    #[test]
    fn a_removed_block_counts_what_remains_of_it() {
        let whole = dictionary(&[&[("Not", 5), ("Return_int", 1)], &[("Not", 2)], &[("Not", 1)]]);
        let remains = ResidualCounts::from_csv(TEXT).unwrap();
        let variant = remains.dictionary(&whole, "r01", &[BlockId(0), BlockId(1)]);
        let counts = count_operations(&variant, &[10, 10, 10]);
        assert_eq!(
            counts.into_iter().collect::<Vec<_>>(),
            [("Not".into(), 10), ("Return_int".into(), 10)]
        );
    }
}
