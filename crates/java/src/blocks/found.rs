//! What awaits its division: bodies of classes, and units with what they hold.

use crate::java::Node;

use super::UnitKind;

/// Something that holds code and awaits its division.
pub(super) enum Found<'t> {
    /// The body of a class of any sort.
    Class(Node<'t>),
    /// A unit and its content.
    Unit(FoundUnit<'t>),
}

/// A unit that awaits its division.
pub(super) struct FoundUnit<'t> {
    pub kind: UnitKind,
    pub class: String,
    pub name: String,
    pub node: Node<'t>,
    /// Where its entry probe belongs: its body.
    pub anchor: Node<'t>,
    pub content: Content<'t>,
}

/// What a block begins with: expressions, then statements.
#[derive(Default)]
pub(super) struct Content<'t> {
    pub parts: Vec<Node<'t>>,
    pub statements: Vec<Node<'t>>,
}

impl<'t> Content<'t> {
    pub fn parts(parts: Vec<Node<'t>>) -> Content<'t> {
        Content { parts, statements: Vec::new() }
    }

    pub fn statement(statement: Node<'t>) -> Content<'t> {
        Content { parts: Vec::new(), statements: vec![statement] }
    }
}
