//! Basic blocks of every unit (method, constructor, initialiser, lambda) of a file, with their
//! names. See `docs/internals/blocks.md` for the division rules.

mod class_names;
mod division;
mod flow;
pub mod log;
mod owners;
mod signature;
#[cfg(test)]
mod tests;
mod undivided_code;

use crate::java::NodeId;
use crate::java::syntax_tree::{PartNodes, SyntaxTree};
use serde::{Deserialize, Serialize};

use crate::finding::Finding;

pub use class_names::{ClassNames, class_names};
pub use division::divide;
pub use owners::PartOwners;
pub use signature::written_type;

/// Id of a block within a whole program: dense, from 0, in file and source order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlockId(pub u32);

/// Index of a unit within its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitIndex(pub u32);

/// Granularity of the division: whether blocks end at `&&`, `||` and `?:` too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Granularity {
    /// That of Li and Gallagher 2016: an expression belongs to one block.
    #[default]
    Statement,
    /// Right operands and the arms of `?:` are blocks of their own.
    Expression,
}

/// Kind of a block, by the construct through which it is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockKind {
    /// A unit's first block.
    Entry,
    /// `if_N`.
    Then,
    /// `else_N`.
    Else,
    /// `for_N.init`.
    ForInit,
    /// `for_N.test`.
    ForTest,
    /// `for_N.update`.
    ForUpdate,
    /// `for_N`.
    ForBody,
    /// `foreach_N`.
    ForeachBody,
    /// `while_N.test`.
    WhileTest,
    /// `while_N`.
    WhileBody,
    /// `do_N`.
    DoBody,
    /// `do_N.test`.
    DoTest,
    /// `switch_N.case_M`.
    SwitchCase,
    /// `try_N`.
    TryBody,
    /// `try_N.catch_M`.
    Catch,
    /// `try_N.finally`.
    Finally,
    /// `after_K`.
    Continuation,
    /// `and_N` (expression granularity).
    AndRight,
    /// `or_N` (expression granularity).
    OrRight,
    /// `cond_N.true` (expression granularity).
    ConditionalTrue,
    /// `cond_N.false` (expression granularity).
    ConditionalFalse,
}

impl BlockKind {
    /// Returns the name of the kind in `blocks.csv`.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Entry => "entry",
            BlockKind::Then => "then",
            BlockKind::Else => "else",
            BlockKind::ForInit => "for_init",
            BlockKind::ForTest => "for_test",
            BlockKind::ForUpdate => "for_update",
            BlockKind::ForBody => "for_body",
            BlockKind::ForeachBody => "foreach_body",
            BlockKind::WhileTest => "while_test",
            BlockKind::WhileBody => "while_body",
            BlockKind::DoBody => "do_body",
            BlockKind::DoTest => "do_test",
            BlockKind::SwitchCase => "switch_case",
            BlockKind::TryBody => "try_body",
            BlockKind::Catch => "catch",
            BlockKind::Finally => "finally",
            BlockKind::Continuation => "continuation",
            BlockKind::AndRight => "and_right",
            BlockKind::OrRight => "or_right",
            BlockKind::ConditionalTrue => "conditional_true",
            BlockKind::ConditionalFalse => "conditional_false",
        }
    }
}

/// Kind of a unit, by the declaration of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// A method with a body.
    Method,
    /// A constructor, compact ones of records included.
    Constructor,
    /// Static fields, static blocks and enum constants of one class.
    StaticInitializer,
    /// Instance fields and instance blocks of one class.
    InstanceInitializer,
    /// A lambda.
    Lambda,
}

/// Unit of code: one body (method, constructor, initialiser, lambda) that is entered as a whole.
#[derive(Debug, Clone)]
pub struct BodyUnit {
    /// Kind of the unit.
    pub kind: UnitKind,
    /// Binary name of the class, with package: `org.jbox2d.dynamics.World$1`.
    pub class: String,
    /// `Class.method(ParamTypes)` as blocks.md has it, without the package:
    /// `Outer$Inner.add(int,String[])`, `Outer.<clinit>`, `Outer.run().lambda_1`.
    pub name: String,
    /// Node of the method, constructor or lambda; the class body for initialisers.
    pub node: NodeId,
    /// Index of its entry block in [`FileBlocks::blocks`].
    pub entry: usize,
}

/// Basic block of a unit, with its name and the nodes it consists of.
#[derive(Debug, Clone)]
pub struct Block {
    /// Unit of the block.
    pub unit: UnitIndex,
    /// Kind, by the construct through which the block is entered.
    pub kind: BlockKind,
    /// Full name: the unit's name, then `.for_1.test` and the like; the entry has
    /// the unit's name alone.
    pub name: String,
    /// Node of the construct that opens it (`if_statement`, `for_statement`, ...); the unit's
    /// node for an entry, the last statement before it for a continuation.
    pub construct: NodeId,
    /// Node where it begins: the body, branch, header part, `switch` group or rule, `catch` or
    /// `finally` clause, operand; for a continuation the statement that follows.
    pub anchor: NodeId,
    /// Root nodes of the block's statements or expressions, in source order. A part's subtree
    /// belongs to the block, except the subtrees that are parts of other blocks (see
    /// [`FileBlocks::owners`]), class bodies and lambdas.
    pub parts: Vec<NodeId>,
    /// Line (from 1) of the first statement or expression.
    pub start_line: u32,
    /// Last line of its own last statement or expression.
    pub end_line: u32,
    /// Whether a removal variant can leave its statements out; false until removal was tried.
    pub removable: bool,
}

/// Units and blocks of one file. Their nodes are those of the tree that was divided, or of a part
/// of it (`FileBlocks::in_part`).
#[derive(Debug, Clone, Default)]
pub struct FileBlocks {
    /// All units, in source order.
    pub units: Vec<BodyUnit>,
    /// All blocks, in source order of their starts, grouped as found.
    pub blocks: Vec<Block>,
    /// Owning block of each part. A visitor of one block's part stops where it meets a node owned
    /// by another block. The `{ }` of a `switch` inside a part has the first of its arms as owner.
    pub owners: PartOwners,
    /// Syntax errors and code that was left out.
    pub findings: Vec<Finding>,
}

impl FileBlocks {
    /// Returns the unit of a block of the file.
    pub fn unit_of(&self, block: &Block) -> &BodyUnit {
        &self.units[block.unit.0 as usize]
    }

    /// Converts the blocks to the nodes of a part of the tree: `kept` has those of the `whole` tree
    /// that are in it. A block loses the parts that are not; any other node that is not is replaced
    /// by the nearest node around it. Frees excess memory.
    pub(crate) fn in_part(mut self, whole: &SyntaxTree, kept: &PartNodes) -> FileBlocks {
        let nearest = |node: &mut NodeId| *node = kept.nearest(whole, *node);
        for unit in &mut self.units {
            nearest(&mut unit.node);
        }
        for block in &mut self.blocks {
            nearest(&mut block.construct);
            nearest(&mut block.anchor);
            block.parts = block.parts.iter().filter_map(|part| kept.get(*part)).collect();
            block.parts.shrink_to_fit();
            block.name.shrink_to_fit();
        }
        self.owners = self.owners.in_part(kept);
        self.units.shrink_to_fit();
        self.blocks.shrink_to_fit();
        self
    }
}
