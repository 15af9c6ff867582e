//! What a statement does to names.

use std::collections::HashSet;

use tree_sitter::Node;

use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// What a statement does to names.
#[derive(Default)]
pub(super) struct Effects<'t> {
    /// Names that it assigns (of `a.b = c`: a and b; of `a[i] = c`: a).
    pub(super) assigned: HashSet<&'t str>,
    /// Variables assigned within an expression.
    pub(super) nested: HashSet<&'t str>,
    /// Names that it calls methods on.
    pub(super) receivers: HashSet<&'t str>,
    /// Whether it calls anything.
    pub(super) may_throw: bool,
    /// Whether it holds lambdas, classes or `switch` expressions.
    pub(super) holds_code: bool,
}

impl<'t> Effects<'t> {
    pub(super) fn of(file: &'t SourceFile, part: Node<'t>) -> Effects<'t> {
        let mut effects = Effects::default();
        let top = syntax::named_children(part).first().map(Node::id);
        let mut todo = vec![part];
        while let Some(node) = todo.pop() {
            effects.visit(file, node, Some(node.id()) == top);
            todo.extend(syntax::named_children(node));
        }
        effects
    }

    fn visit(&mut self, file: &'t SourceFile, node: Node<'t>, is_top: bool) {
        match node.kind() {
            kind::ASSIGNMENT_EXPRESSION => {
                let Some(left) = syntax::field(node, field::LEFT) else { return };
                names(file, left, &mut self.assigned);
                if !is_top {
                    names(file, left, &mut self.nested);
                }
            }
            kind::UPDATE_EXPRESSION => names(file, node, &mut self.assigned),
            kind::METHOD_INVOCATION => {
                self.may_throw = true;
                let object = syntax::field(node, field::OBJECT);
                object.into_iter().for_each(|object| names(file, object, &mut self.receivers));
            }
            kind::OBJECT_CREATION_EXPRESSION => {
                self.may_throw = true;
            }
            kind::LAMBDA_EXPRESSION | kind::CLASS_BODY | kind::SWITCH_EXPRESSION => {
                self.holds_code = true;
            }
            _ => {}
        }
    }
}

/// The names in an expression, indices and arguments left out.
fn names<'t>(file: &'t SourceFile, expression: Node<'t>, names: &mut HashSet<&'t str>) {
    let mut todo = vec![expression];
    while let Some(node) = todo.pop() {
        match node.kind() {
            kind::IDENTIFIER => {
                names.insert(file.text_of(node));
            }
            kind::ARRAY_ACCESS => todo.extend(syntax::named_children(node).first()),
            kind::ARGUMENT_LIST | kind::CLASS_BODY => {}
            _ => todo.extend(syntax::named_children(node)),
        }
    }
}

/// All names in an expression.
pub(super) fn all_names<'t>(
    file: &'t SourceFile,
    expression: Node<'t>,
    names: &mut HashSet<&'t str>,
) {
    let mut todo = vec![expression];
    while let Some(node) = todo.pop() {
        if node.kind() == kind::IDENTIFIER {
            names.insert(file.text_of(node));
        }
        todo.extend(syntax::named_children(node));
    }
}
