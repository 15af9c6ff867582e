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
    /// Whether it holds lambdas, classes or `switch` expressions; then the rest is not
    /// looked at.
    pub(super) holds_code: bool,
}

/// What is done to the names in an expression.
#[derive(Debug, Clone, Copy, Default)]
struct Role {
    assigned: bool,
    nested: bool,
    receiver: bool,
}

impl<'t> Effects<'t> {
    pub(super) fn of(file: &'t SourceFile, part: Node<'t>) -> Effects<'t> {
        let mut effects = Effects::default();
        let top = syntax::named_children(part).first().map(Node::id);
        let mut todo = vec![(part, Role::default())];
        while let Some((node, role)) = todo.pop() {
            effects.visit(file, node, role);
            if effects.holds_code {
                break;
            }
            let is_top = Some(node.id()) == top;
            let children = syntax::named_children(node).into_iter().enumerate();
            todo.extend(
                children.map(|(at, child)| (child, role_below(node, role, is_top, at, child))),
            );
        }
        effects
    }

    fn visit(&mut self, file: &'t SourceFile, node: Node<'t>, role: Role) {
        match syntax::kind_of(node) {
            kind::IDENTIFIER => {
                let name = file.text_of(node);
                let sets = [
                    (role.assigned, &mut self.assigned),
                    (role.nested, &mut self.nested),
                    (role.receiver, &mut self.receivers),
                ];
                for (_, set) in sets.into_iter().filter(|(has, _)| *has) {
                    set.insert(name);
                }
            }
            kind::METHOD_INVOCATION | kind::OBJECT_CREATION_EXPRESSION => self.may_throw = true,
            kind::LAMBDA_EXPRESSION | kind::CLASS_BODY | kind::SWITCH_EXPRESSION => {
                self.holds_code = true;
            }
            _ => {}
        }
    }
}

/// What is done to the names in the child number `at` of `node`: what is done to those of
/// `node`, but for indices and arguments, and what `node` does itself.
fn role_below(node: Node<'_>, role: Role, is_top: bool, at: usize, child: Node<'_>) -> Role {
    let is_in = |name: &str| syntax::field(node, name).is_some_and(|part| part.id() == child.id());
    match syntax::kind_of(node) {
        kind::ARGUMENT_LIST => Role::default(),
        kind::ARRAY_ACCESS if at > 0 => Role::default(),
        kind::ASSIGNMENT_EXPRESSION if is_in(field::LEFT) => {
            Role { assigned: true, nested: role.nested || !is_top, ..role }
        }
        kind::UPDATE_EXPRESSION => Role { assigned: true, ..role },
        kind::METHOD_INVOCATION if is_in(field::OBJECT) => Role { receiver: true, ..role },
        _ => role,
    }
}

/// All names in an expression.
pub(super) fn all_names<'t>(
    file: &'t SourceFile,
    expression: Node<'t>,
    names: &mut HashSet<&'t str>,
) {
    syntax::walk(expression, |node, _| {
        if syntax::kind_of(node) == kind::IDENTIFIER {
            names.insert(file.text_of(node));
        }
        true
    });
}
