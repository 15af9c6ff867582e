//! The dictionary: every block of the analysed sources and what one execution of it
//! holds. Read and written as `blocks.csv`, `operations.csv` and `lines.csv`.

use compact_str::CompactString;
use wattline_units::operation::{Feature, form, is_compiled_away};

use crate::blocks::BlockId;

/// How often one operation stands on one line of a block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperationCount {
    /// What is executed.
    pub operation: Feature,
    /// What the source around it tells about its instructions (`read object`); empty
    /// where it has one form only. Operations that differ in this alone are the same.
    pub context: CompactString,
    /// Source line, from 1.
    pub line: u32,
    /// Occurrences per execution of the block; at least 1.
    pub count: u32,
}

impl OperationCount {
    /// Operation and context in one name: `Field_Reference [read object]`.
    pub fn form(&self) -> String {
        form(self.operation.name(), &self.context)
    }

    /// Whether a compiler leaves nothing of it to be executed.
    pub fn is_compiled_away(&self) -> bool {
        is_compiled_away(self.operation.name(), &self.context)
    }
}

/// One block, free of the syntax tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockEntry {
    /// Dense id: its index in [`Dictionary::blocks`].
    pub id: BlockId,
    /// Name as in `docs/blocks.md`, unique within its class's file.
    pub name: String,
    /// How it is entered, snake case (`for_test`).
    pub kind: CompactString,
    /// Path relative to its source root.
    pub file: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Binary class name with package.
    pub class: String,
    /// Method with parameter types as in the name: `solve(int)`, `<init>()`, `<clinit>`.
    pub method: String,
    /// Whether a removal variant can leave its statements out.
    pub removable: bool,
    /// Its operations by line, sorted by operation, context, line.
    pub operations: Vec<OperationCount>,
}

/// All blocks of a program. `blocks[i].id == BlockId(i)`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dictionary {
    /// The blocks, in file and source order.
    pub blocks: Vec<BlockEntry>,
}
