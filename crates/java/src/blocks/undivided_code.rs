//! Code that is still to be divided: bodies of classes, and units with their content.

use crate::java::SyntaxNode;

use super::UnitKind;

/// Class body or unit that is still to be divided.
pub(super) enum UndividedCode<'t> {
    /// The body of a class of any sort.
    Class(SyntaxNode<'t>),
    /// A unit and its content.
    Unit(PendingUnit<'t>),
}

/// Unit that is still to be divided.
pub(super) struct PendingUnit<'t> {
    pub kind: UnitKind,
    pub class: String,
    pub name: String,
    pub node: SyntaxNode<'t>,
    /// Body of the unit, where its entry probe belongs.
    pub anchor: SyntaxNode<'t>,
    pub content: BlockContent<'t>,
}

/// Initial content of a block: expressions, then statements.
#[derive(Default)]
pub(super) struct BlockContent<'t> {
    pub parts: Vec<SyntaxNode<'t>>,
    pub statements: Vec<SyntaxNode<'t>>,
}

impl<'t> BlockContent<'t> {
    pub fn parts(parts: Vec<SyntaxNode<'t>>) -> BlockContent<'t> {
        BlockContent { parts, statements: Vec::new() }
    }

    pub fn statement(statement: SyntaxNode<'t>) -> BlockContent<'t> {
        BlockContent { parts: Vec::new(), statements: vec![statement] }
    }
}
