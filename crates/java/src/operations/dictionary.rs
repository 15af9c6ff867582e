//! Dictionary: every block of the analysed sources and the operations of one execution of it.
//! Read and written as `blocks.csv`, `operations.csv` and `lines.csv`.

use compact_str::CompactString;
use wattline_units::operation::{Feature, form_name, is_compiled_away};

use crate::blocks::BlockId;

/// Number of one operation in one context on one line of a block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperationCount {
    /// Operation or library function.
    pub operation: Feature,
    /// Context in the source that determines its instructions (`read object`); empty where the
    /// operation has one form only. The catalogue counts all contexts as one operation.
    pub context: CompactString,
    /// Source line, from 1.
    pub line: u32,
    /// Occurrences per execution of the block; at least 1.
    pub count: u32,
}

impl OperationCount {
    /// Returns operation and context in one name: `Field_Reference [read object]`.
    pub fn form(&self) -> String {
        form_name(self.operation.name(), &self.context)
    }

    /// Whether a compiler leaves nothing of the operation to be executed.
    pub fn is_compiled_away(&self) -> bool {
        is_compiled_away(self.operation.name(), &self.context)
    }
}

/// Block with its operations, independent of the syntax tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockEntry {
    /// Dense id: its index in [`Dictionary::blocks`].
    pub id: BlockId,
    /// Name as in `docs/internals/blocks.md`, unique within its class's file.
    pub name: String,
    /// Kind of the block, in snake case (`for_test`).
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
    /// Operations by line, sorted by operation, context, line.
    pub operations: Vec<OperationCount>,
}

/// All blocks of a program with their operations. `blocks[i].id == BlockId(i)`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dictionary {
    /// Blocks, in file and source order.
    pub blocks: Vec<BlockEntry>,
}
