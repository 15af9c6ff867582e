//! A file made ready to be counted: with its pruned tree, so that the tree of all nodes, which
//! takes many times the memory of the text, may go.

use super::program::Unit;
use crate::blocks::FileBlocks;
use crate::java::{SourceFile, SyntaxTree};

/// A file's pruned tree, and its blocks with the nodes of that.
#[derive(Debug, Default)]
pub struct Prepared {
    pub(super) tree: SyntaxTree,
    pub(super) blocks: FileBlocks,
}

impl Prepared {
    /// `blocks` are those of `file`.
    pub fn of(file: &SourceFile, blocks: FileBlocks) -> Prepared {
        let (tree, kept) = file.tree.pruned();
        Prepared { blocks: blocks.in_part(&file.tree, &kept), tree }
    }

    /// The number of its blocks.
    pub fn blocks(&self) -> u32 {
        self.blocks.blocks.len() as u32
    }

    /// The file as others see it: it will not be counted.
    pub fn seen(self) -> Unit {
        Unit::Seen { blocks: self.blocks(), tree: self.tree }
    }
}
