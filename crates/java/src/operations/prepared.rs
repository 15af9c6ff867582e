//! A file made ready to be counted: its blocks point into its lean tree, so that the
//! syntax tree, which takes many times the memory of the text, may go.

use super::program::Unit;
use crate::blocks::{BlockKind, FileBlocks, UnitKind};
use crate::finding::Finding;
use crate::java::SourceFile;
use crate::java::syntax_tree::{NodeId, SyntaxTree};

/// A file's lean tree and its blocks.
#[derive(Debug, Default)]
pub struct Prepared {
    pub(super) tree: SyntaxTree,
    pub(super) blocks: LeanBlocks,
}

/// As [`FileBlocks`], with nodes of the lean tree.
#[derive(Debug, Default)]
pub(super) struct LeanBlocks {
    pub units: Vec<LeanUnit>,
    pub blocks: Vec<LeanBlock>,
    /// Roots of parts and the blocks that own them.
    pub owner: Vec<(NodeId, u32)>,
    pub findings: Vec<Finding>,
}

/// As [`crate::blocks::BodyUnit`].
#[derive(Debug)]
pub(super) struct LeanUnit {
    pub kind: UnitKind,
    pub class: String,
    pub name: String,
    pub node: Option<NodeId>,
}

/// As [`crate::blocks::Block`].
#[derive(Debug)]
pub(super) struct LeanBlock {
    /// Index of its unit.
    pub unit: usize,
    pub kind: BlockKind,
    pub name: String,
    pub construct: Option<NodeId>,
    pub parts: Vec<NodeId>,
    pub start_line: u32,
    pub end_line: u32,
    /// Whether a removal variant can leave its statements out.
    pub removable: bool,
}

impl Prepared {
    /// `blocks` are those of `file`.
    pub fn of(file: &SourceFile, blocks: &FileBlocks<'_>) -> Prepared {
        let (tree, kept) = file.tree.pruned();
        let node = |id: NodeId| kept.get(id);
        let units = blocks.units.iter().map(|unit| LeanUnit {
            kind: unit.kind,
            class: unit.class.clone(),
            name: unit.name.clone(),
            node: node(unit.node.id()),
        });
        let lean = blocks.blocks.iter().map(|block| LeanBlock {
            unit: block.unit.0 as usize,
            kind: block.kind,
            name: block.name.clone(),
            construct: node(block.construct.id()),
            parts: block.parts.iter().filter_map(|part| node(part.id())).collect(),
            start_line: block.start_line,
            end_line: block.end_line,
            removable: false,
        });
        let owned = blocks.owner.iter();
        let owned = owned.filter_map(|(id, block)| Some((node(*id)?, *block as u32)));
        let blocks = LeanBlocks {
            units: units.collect(),
            blocks: lean.collect(),
            owner: owned.collect(),
            findings: blocks.findings.clone(),
        };
        Prepared { tree, blocks }
    }

    /// Says of each block whether a removal variant can leave its statements out.
    pub fn with_removable(mut self, removable: impl IntoIterator<Item = bool>) -> Prepared {
        for (block, removable) in self.blocks.blocks.iter_mut().zip(removable) {
            block.removable = removable;
        }
        self
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
