//! Effects of statements on names.

use crate::java::fast_hash::Set;
use crate::java::{NodeId, SyntaxNode};

use crate::java::SourceFile;
use crate::java::kinds::Field;
use crate::java::syntax::{self, field, kind};

/// Names that a statement assigns, calls methods on and mentions.
#[derive(Default)]
pub(super) struct StatementEffects<'t> {
    /// Assigned names (of `a.b = c`: a and b; of `a[i] = c`: a).
    pub(super) assigned: Vec<&'t str>,
    /// Variables assigned within an expression.
    pub(super) nested: Vec<&'t str>,
    /// Names on which methods are called.
    pub(super) receivers: Vec<&'t str>,
    /// All names, as often as they occur.
    pub(super) mentioned: Vec<&'t str>,
    /// Whether the statement calls anything.
    pub(super) may_throw: bool,
    /// Whether the statement contains lambdas, classes or `switch` expressions; then the other
    /// fields are incomplete.
    pub(super) holds_code: bool,
}

/// Use of the names in an expression.
#[derive(Debug, Clone, Copy, Default)]
struct NameUse {
    assigned: bool,
    nested: bool,
    receiver: bool,
}

/// Uses of the names in the children of a node.
struct ChildEffects {
    /// Use of the names in the children, except the special one.
    role: NameUse,
    /// Child with another use, and that use.
    special: Option<(NodeId, NameUse)>,
    /// Whether the role applies to the first child only.
    first_only: bool,
}

impl<'t> StatementEffects<'t> {
    pub(super) fn of(file: &'t SourceFile, part: SyntaxNode<'t>) -> StatementEffects<'t> {
        let mut effects = StatementEffects::default();
        let top =
            part.named_children().find(|node| !syntax::is_comment(*node)).map(|node| node.id());
        let mut levels: Vec<ChildEffects> = Vec::new();
        syntax::walk(part, |node, depth| {
            levels.truncate(depth);
            let role = levels.last_mut().map_or_else(NameUse::default, |above| above.role_of(node));
            effects.visit(file, node, role);
            levels.push(ChildEffects::below(node, role, Some(node.id()) == top));
            !effects.holds_code
        });
        effects
    }

    fn visit(&mut self, file: &'t SourceFile, node: SyntaxNode<'t>, role: NameUse) {
        match syntax::kind_of(node) {
            kind::IDENTIFIER => {
                let name = file.text_of(node);
                self.mentioned.push(name);
                let lists = [
                    (role.assigned, &mut self.assigned),
                    (role.nested, &mut self.nested),
                    (role.receiver, &mut self.receivers),
                ];
                for (_, list) in lists.into_iter().filter(|(has, _)| *has) {
                    list.push(name);
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

impl ChildEffects {
    /// Returns the uses below `node`: that of `node`, except in indices and arguments, and the use
    /// by `node` itself.
    fn below(node: SyntaxNode<'_>, role: NameUse, is_top: bool) -> ChildEffects {
        let child = |field: Field| syntax::field(node, field).map(|part| part.id());
        let level = |role| ChildEffects { role, special: None, first_only: false };
        match syntax::kind_of(node) {
            kind::ARGUMENT_LIST => level(NameUse::default()),
            kind::ARRAY_ACCESS => ChildEffects { first_only: true, ..level(role) },
            kind::ASSIGNMENT_EXPRESSION => {
                let left = NameUse { assigned: true, nested: role.nested || !is_top, ..role };
                ChildEffects { special: child(field::LEFT).map(|id| (id, left)), ..level(role) }
            }
            kind::UPDATE_EXPRESSION => level(NameUse { assigned: true, ..role }),
            kind::METHOD_INVOCATION => {
                let object = NameUse { receiver: true, ..role };
                ChildEffects { special: child(field::OBJECT).map(|id| (id, object)), ..level(role) }
            }
            _ => level(role),
        }
    }

    fn role_of(&mut self, child: SyntaxNode<'_>) -> NameUse {
        let role = match self.special {
            Some((id, role)) if id == child.id() => role,
            _ => self.role,
        };
        if self.first_only && !syntax::is_comment(child) {
            self.role = NameUse::default();
        }
        role
    }
}

/// Adds all names in an expression to `names`.
pub(super) fn all_names<'t>(
    file: &'t SourceFile,
    expression: SyntaxNode<'t>,
    names: &mut Set<&'t str>,
) {
    syntax::walk(expression, |node, _| {
        if syntax::kind_of(node) == kind::IDENTIFIER {
            names.insert(file.text_of(node));
        }
        true
    });
}
