//! What awaits its division: bodies of classes, and units with what they hold.

use crate::java::SyntaxNode;

use super::UnitKind;

/// Something that holds code and awaits its division.
pub(super) enum FoundCode<'t> {
    /// The body of a class of any sort.
    Class(SyntaxNode<'t>),
    /// A unit and its content.
    Unit(FoundUnit<'t>),
}

/// A unit that awaits its division.
pub(super) struct FoundUnit<'t> {
    pub kind: UnitKind,
    pub class: String,
    pub name: String,
    pub node: SyntaxNode<'t>,
    /// Where its entry probe belongs: its body.
    pub anchor: SyntaxNode<'t>,
    pub content: BlockContent<'t>,
}

/// What a block begins with: expressions, then statements.
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
