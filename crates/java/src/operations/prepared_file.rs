//! File prepared for counting: reduced to its pruned tree, so that the tree of all nodes, which
//! takes many times the memory of the text, can be freed.

use super::program::Unit;
use crate::blocks::FileBlocks;
use crate::java::{SourceFile, SyntaxTree};

/// File prepared for counting: its pruned tree, and its blocks with the nodes of that.
#[derive(Debug, Default)]
pub struct PreparedFile {
    pub(super) tree: SyntaxTree,
    pub(super) blocks: FileBlocks,
}

impl PreparedFile {
    /// Prunes the tree of `file`, whose blocks are `blocks`.
    pub fn of(file: &SourceFile, blocks: FileBlocks) -> PreparedFile {
        let (tree, kept) = file.tree.pruned();
        PreparedFile { blocks: blocks.in_part(&file.tree, &kept), tree }
    }

    /// Returns the number of its blocks.
    pub fn blocks(&self) -> u32 {
        self.blocks.blocks.len() as u32
    }

    /// Converts the file to a stub for other files, which is not counted.
    pub fn into_stub(self) -> Unit {
        Unit::Stub { blocks: self.blocks(), tree: self.tree }
    }
}
